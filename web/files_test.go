package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/png"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/pdfacheck"
	"countersign/store"
)

const pdf = "%PDF-1.7\n0123456789 the document itself"

// storeRaster stores a page image for the case's document.
func (w *testEnv) storeRaster(caseID domain.ID, image string) {
	w.t.Helper()
	key, _, _, err := w.blobs.Put(w.ctx, caseID, bytes.NewReader([]byte(image)))
	must(w.t, err)
	_, err = w.owner.Exec(w.ctx, `INSERT INTO pages (case_id, revision, number, raster_key, width, height, dpi, source, text, words)
		VALUES ($1, 1, 1, $2, 100, 100, 150, 'text', '', '[]')`, caseID, key)
	must(w.t, err)
}

func TestTheOriginalIsAnAttachment(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.submit(ada, `Rechnung "März" 发票; 100%.pdf`, pdf)
	client := w.signedIn("ada")
	got := w.get(client, "/cases/"+id.String()+"/document")
	sum := sha256.Sum256([]byte(pdf))
	for name, want := range map[string]string{"Content-Type": "application/pdf",
		"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-cache",
		"Content-Security-Policy":      "sandbox; default-src 'none'; frame-ancestors 'none'",
		"ETag":                         `"` + hex.EncodeToString(sum[:]) + `"`,
		"Cross-Origin-Resource-Policy": "same-origin"} {
		if got.header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
	if got.status != 200 || got.body != pdf {
		t.Errorf("answered %d %q", got.status, got.body)
	}
	disposition := got.header.Get("Content-Disposition")
	kind, parameters, err := mime.ParseMediaType(disposition)
	if err != nil || kind != "attachment" || !strings.Contains(parameters["filename"],
		"发票; 100%.pdf") || !strings.Contains(parameters["filename"], "März") {
		t.Errorf("%s is parsed as %s %v (%v)", disposition, kind, parameters, err)
	}
	for _, r := range disposition {
		if r < ' ' || r > '~' {
			t.Errorf("%q is not plain ASCII", disposition)
		}
	}
	var looked int
	must(t, w.owner.QueryRow(w.ctx,
		"SELECT count(*) FROM access_log WHERE action = 'open' AND case_id = $1 AND actor = $2", id,
		ada.UserID).Scan(&looked))
	if looked != 1 {
		t.Errorf("%d reads in the access log, want 1", looked)
	}
}

func TestHeadRangesAndConditions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	client, path := w.signedIn("ada"), "/cases/"+id.String()+"/document"
	head := w.send(client, http.MethodHead, path, "")
	if head.status != 200 || head.body != "" ||
		head.header.Get("Content-Length") != strconv.Itoa(len(pdf)) {
		t.Errorf("HEAD: %d %q %v", head.status, head.body, head.header)
	}
	tag := head.header.Get("ETag")
	for name, tc := range map[string]struct {
		headers []string
		status  int
		body    string
	}{
		"a range":           {[]string{"Range", "bytes=9-18"}, 206, "0123456789"},
		"the end":           {[]string{"Range", "bytes=-6"}, 206, "itself"},
		"beyond":            {[]string{"Range", "bytes=1000-"}, 416, ""},
		"nonsense":          {[]string{"Range", "pages=1"}, 416, ""},
		"unchanged":         {[]string{"If-None-Match", tag}, 304, ""},
		"changed":           {[]string{"If-None-Match", `"other"`}, 200, pdf},
		"a range, changed":  {[]string{"Range", "bytes=9-18", "If-Range", `"other"`}, 200, pdf},
		"a range, the same": {[]string{"Range", "bytes=9-18", "If-Range", tag}, 206, "0123456789"},
	} {
		got := w.get(client, path, tc.headers...)
		if got.status != tc.status || tc.body != "" && got.body != tc.body {
			t.Errorf("%s: %d %q, want %d %q", name, got.status, got.body, tc.status, tc.body)
		}
	}
	if got := w.send(client, http.MethodDelete, path,
		""); got.status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", got.status)
	}
}

func TestAPageIsShown(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	w.storeRaster(id, "\x89PNG\r\n\x1a\nimage")
	client, path := w.signedIn("ada"), "/cases/"+id.String()+"/pages/1"
	got := w.get(client, path)
	if got.status != 200 || got.header.Get("Content-Type") != "image/png" ||
		got.header.Get("Cache-Control") != "private, no-cache" ||
		got.header.Get("Content-Disposition") != "" || got.header.Get("ETag") == "" ||
		!strings.HasSuffix(got.body, "image") {
		t.Errorf("answered %d %v %q", got.status, got.header, got.body)
	}
	if again := w.get(client, path+"?revision=1", "If-None-Match",
		got.header.Get("ETag")); again.status != 304 {
		t.Errorf("unchanged: %d", again.status)
	}
	wantReply(t, w.get(client, path+"?revision=2"), 404, domain.NotFound)
	wantReply(t, w.get(client, path+"?revision=-1"), 400, domain.InvalidInput)
}

// Missing and forbidden files yield byte-identical responses for every kind of request.
func TestUnknownAndForbiddenAreBothNotFound(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	w.person("ben", domain.RoleSubmitter)
	ben, ada := w.signedIn("ben"), w.signedIn("ada")
	for _, file := range []string{"/document", "/pages/1", "/manifest", "/archive-copy", "/documents/1",
		"/documents/1/pages/1"} {
		forbidden := w.get(ben, "/cases/"+id.String()+file)
		unknown := w.get(ben, "/cases/"+domain.NewID().String()+file)
		malformed := w.get(ben, "/cases/not-an-id"+file)
		for _, got := range []reply{forbidden, unknown, malformed} {
			wantReply(t, got, 404, domain.NotFound)
		}
		wantReply(t, w.get(nil, "/cases/"+id.String()+file), 401, domain.Unauthenticated)
	}
	for _, file := range []string{"/pages/1", "/pages/0", "/pages/x",
		"/pages/99999999999999999999", "/documents/1/pages/1", "/documents/0/pages/1", "/documents/1/pages/x",
		"/documents/9999999999/pages/1", "/documents/1/pages/9999999999"} {
		wantReply(t, w.get(ada, "/cases/"+id.String()+file), 404, domain.NotFound)
	}
	wantReply(t, w.get(ada, "/cases/"+id.String()+"/manifest"), 403, domain.NotPermitted)
	var refused int
	must(t, w.owner.QueryRow(w.ctx,
		"SELECT count(*) FROM access_log WHERE action = 'open' AND case_id = $1 AND code = 'NotFound'", id).Scan(&refused))
	if refused != 6 {
		t.Errorf("%d refusals in the access log, want 6", refused)
	}
	for _, way := range []struct {
		file    string
		headers []string
	}{{"/document", nil}, {"/document?revision=1", nil}, {"/document?revision=2", nil},
		{"/document", []string{"Range", "bytes=0-3"}},
		{"/document", []string{"If-None-Match", "*"}},
		{"/pages/1", nil}, {"/pages/1?revision=1", nil}, {"/pages/7", nil}, {"/manifest", nil},
		{"/archive-copy", nil}, {"/archive-copy?revision=1", nil},
		{"/documents/1", nil}, {"/documents/1/pages/1", nil}, {"/documents/1/pages/7", nil},
		{"/nothing", nil}} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			for name, client := range map[string]*http.Client{"ben": ben, "anonymous": nil} {
				forbidden := w.send(client, method, "/cases/"+id.String()+way.file, "",
					way.headers...)
				unknown := w.send(client, method, "/cases/"+domain.NewID().String()+way.file, "",
					way.headers...)
				if got, none := forbidden.normalized(), unknown.normalized(); got != none {
					t.Errorf("%s %s %v by %s\nforeign: %s\nnone:    %s", method, way.file,
						way.headers, name, got, none)
				}
			}
		}
	}
}

func TestAScopedTokenReadsNoFile(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.submit(ada, "a.pdf", pdf)
	_, submits := w.token(ada, "submit")
	_, reads := w.token(ada, "read")
	path := "/cases/" + id.String() + "/document"
	wantReply(t, w.get(nil, path, "Authorization", "Bearer "+submits), 403, domain.NotPermitted)
	if got := w.get(nil, path, "Authorization", "Bearer "+reads); got.status != 200 {
		t.Errorf("a token that may read: %d %s", got.status, got.body)
	}
}

// The browser has to revalidate a cached file, so that a revoked right applies immediately.
func TestRevokedRightClosesTheFile(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	mia := w.person("mia", domain.RoleManager)
	client, path := w.signedIn("mia"), "/cases/"+id.String()+"/document"
	got := w.get(client, path)
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	must(t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		user, err := tx.User(w.ctx, mia.UserID)
		if err != nil {
			return err
		}
		user.Roles = nil
		if _, err := tx.IncrementAuthority(w.ctx); err != nil {
			return err
		}
		return tx.PutUser(w.ctx, user, "")
	}))
	wantReply(t, w.get(client, path, "If-None-Match", got.header.Get("ETag")), 404, domain.NotFound)
}

// A file name from a submitter is offered with an extension that matches the file's type, for every
// accepted type and for the manifest.
func TestDownloadExtensionMatchesItsType(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	client := w.signedIn("ada")
	samples := map[string]string{"application/pdf": pdf, "image/png": "\x89PNG\r\n\x1a\n1",
		"image/jpeg": "\xff\xd8\xff\xe0 1", "image/tiff": "II*\x00 1",
		"application/xml": "<rsm:CrossIndustryInvoice>1</rsm:CrossIndustryInvoice>"}
	endings := map[string][]string{"application/pdf": {".pdf"}, "image/png": {".png"},
		"image/jpeg": {".jpg", ".jpeg"}, "image/tiff": {".tif", ".tiff"},
		"application/xml": {".xml"}}
	for _, mediaType := range casework.MediaTypes() {
		if samples[mediaType] == "" || endings[mediaType] == nil {
			t.Errorf("%s can be submitted, and the test has no file of it", mediaType)
			continue
		}
		for _, name := range []string{"evil.html", "evil.pdf.html", "evil.svg", "evil.exe", "evil",
			"con.bat", "evil.html . .", "\u202elmth.live", "invoice.pdf", "photo.JPG",
			strings.Repeat("x", 300) + ".hta"} {
			id := w.submit(ada, name, samples[mediaType])
			got := w.get(client, "/cases/"+id.String()+"/document")
			_, parameters, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
			saved := parameters["filename"]
			if err != nil || got.header.Get("Content-Type") != mediaType ||
				!slices.Contains(endings[mediaType], strings.ToLower(path.Ext(saved))) {
				t.Errorf("%q of %s is saved as %q (%v)", name, mediaType, saved, err)
			}
			_, plain, _ := strings.Cut(got.header.Get("Content-Disposition"), `filename="`)
			if plain, _, _ = strings.Cut(plain, `"`); !slices.Contains(endings[mediaType],
				strings.ToLower(path.Ext(plain))) {
				t.Errorf("%q of %s is saved by old browsers as %q", name, mediaType, plain)
			}
		}
	}
}

// The archive copy is a PDF with the hash of its bytes. A request for the header and one with that hash
// get no content, and a document that was not read or whose image was altered no copy.
func TestArchiveCopyIsServed(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.submit(ada, "a.pdf", pdf)
	client, path := w.signedIn("ada"), "/cases/"+id.String()+"/archive-copy"
	wantReply(t, w.get(client, path), 409, domain.StateMismatch)
	var raster bytes.Buffer
	must(t, png.Encode(&raster, image.NewGray(image.Rect(0, 0, 100, 100))))
	w.storeRaster(id, raster.String())
	sum := sha256.Sum256(raster.Bytes())
	w.recordReading(id, hex.EncodeToString(sum[:]))
	got := w.get(client, path)
	sum = sha256.Sum256([]byte(got.body))
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	if got.status != 200 || got.header.Get("Content-Type") != "application/pdf" || got.header.Get("ETag") != tag ||
		got.header.Get("Content-Length") != strconv.Itoa(len(got.body)) ||
		!strings.Contains(got.header.Get("Content-Disposition"), "-revision-1.pdf") {
		t.Errorf("answered %d %v", got.status, got.header)
	}
	for _, violation := range pdfacheck.Check([]byte(got.body)) {
		t.Errorf("the copy: %s", violation)
	}
	if head := w.send(client, http.MethodHead, path, ""); head.status != 200 || head.body != "" ||
		head.header.Get("ETag") != tag {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
	if same := w.get(client, path, "If-None-Match", tag); same.status != 304 || same.body != "" {
		t.Errorf("unchanged: %d", same.status)
	}
	wantReply(t, w.get(client, path+"?revision=x"), 400, domain.InvalidInput)
	w.recordReading(id, strings.Repeat("0", 64))
	wantReply(t, w.get(client, path), 422, domain.DamagedFile)
}

// recordReading records that the document was read, with the hash of its page's image.
func (w *testEnv) recordReading(caseID domain.ID, image string) {
	w.t.Helper()
	tx, err := w.owner.Begin(w.ctx)
	must(w.t, err)
	defer func() { _ = tx.Rollback(w.ctx) }()
	for _, sql := range []string{`ALTER TABLE events DISABLE TRIGGER USER`,
		`UPDATE documents SET read_at = clock() WHERE case_id = '` + caseID.String() + `'`,
		`INSERT INTO events OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(e, jsonb_build_object('seq', m.seq + 1, 'id', m.seq + 1000000, 'type',
			'stage.completed', 'body', '{"summary": {"pageImages": ["` + image + `"]}}'))).* FROM events e,
			(SELECT max(seq) AS seq FROM events WHERE case_id = '` + caseID.String() + `') m
			WHERE e.case_id = '` + caseID.String() + `' AND e.seq = 1`} {
		_, err := tx.Exec(w.ctx, sql)
		must(w.t, err)
	}
	must(w.t, tx.Commit(w.ctx))
}
