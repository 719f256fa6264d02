package audit_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

// later appends an event that no checkpoint has yet.
func (r *record) later(tb testing.TB, kind domain.EventType, body string) {
	tb.Helper()
	event := exampleEvent(caseID, len(r.events))
	event.Type, event.StatusAfter, event.Body = kind, domain.Approved, []byte(body)
	if _, err := audit.Chain(r.head(), &countingReader{}, event); err != nil {
		tb.Fatal(err)
	}
	r.events = append(r.events, event)
}

func (r *record) verifiedPack(tb testing.TB) audit.PackReport {
	tb.Helper()
	pack := r.packed(tb)
	report, err := audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)),
		audit.ExportCheck{Keys: r.signer.Keys()})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// A page image must be one that the record has, if the record has the images of all pages that were
// read. Records of earlier programs have none.
func TestPageImagesOfPacks(t *testing.T) {
	t.Parallel()
	read := func(images ...string) string {
		return fmt.Sprintf(`{"summary":{"pages":1,"pageImages":["%s"]}}`, strings.Join(images, `","`))
	}
	const without = `{"summary":{"pages":2}}`
	for what, tc := range map[string]struct {
		events []string // their bodies
		kind   domain.EventType
		want   string // proved, unproved or refused
	}{
		"of the record":         {[]string{read(sumOf("a picture"))}, domain.StageCompleted, "proved"},
		"one of two":            {[]string{read(sumOf("x"), sumOf("a picture"))}, domain.StageCompleted, "proved"},
		"another image":         {[]string{read(sumOf("another"))}, domain.StageCompleted, "refused"},
		"no images":             {[]string{without}, domain.StageCompleted, "unproved"},
		"no images and another": {[]string{without, read(sumOf("another"))}, domain.StageCompleted, "unproved"},
		"another and no images": {[]string{read(sumOf("another")), without}, domain.StageCompleted, "unproved"},
		"no pages and another":  {[]string{`{"summary":{}}`, read(sumOf("another"))}, domain.StageCompleted, "refused"},
		"unreadable and another": {[]string{`[]`, read(sumOf("another"))}, domain.StageCompleted,
			"refused"},
		"another event":    {[]string{read(sumOf("another"))}, domain.ReviewOpened, "unproved"},
		"no further event": {nil, domain.StageCompleted, "unproved"},
	} {
		r := newRecord(t)
		for _, body := range tc.events {
			r.later(t, tc.kind, body)
		}
		report := r.verifiedPack(t)
		found := "missing"
		switch {
		case report.Break != nil && report.Break.Message == "page-1.png is not the file of the record":
			found = "refused"
		case report.Break != nil:
			found = report.Break.Message
		case slices.Contains(report.Proved, "page-1.png"):
			found = "proved"
		case slices.Contains(report.Unproved, "page-1.png"):
			found = "unproved"
		}
		if found != tc.want {
			t.Errorf("%s: %s, want %s", what, found, tc.want)
		}
	}
}

// Files other than the original and the page images need not be in the record. Those of an erased
// record cannot be.
func TestFilesOfPacks(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.later(t, domain.StageCompleted, fmt.Sprintf(`{"summary":{"pages":1,"pageImages":["%s"]}}`,
		sumOf("a picture")))
	r.files = []audit.PackSource{{Name: "original.pdf", Role: audit.RoleOriginal, Open: text(original)},
		{Name: "rules.yaml", Role: audit.RoleDefinition, Open: text("rules")}}
	report := r.verifiedPack(t)
	if report.Break != nil || !slices.Equal(report.Unproved, []string{"rules.yaml"}) {
		t.Errorf("a definition: %+v, %v", report, report.Break)
	}
	r.files[0].Open = text("another original")
	if report := r.verifiedPack(t); report.Break == nil ||
		report.Break.Message != "original.pdf is not the file of the record" {
		t.Errorf("another original: %+v, %v", report, report.Break)
	}
	erased := newRecord(t)
	erased.erase(t)
	report = erased.verifiedPack(t)
	if report.Break != nil || report.Erased != 3 || len(report.Proved) > 0 || len(report.Unproved) != 3 {
		t.Errorf("an erased record: %+v, %v", report, report.Break)
	}
}

// Whatever fails while a file is packed makes the pack fail.
func TestUnreadableFilesOfPacks(t *testing.T) {
	t.Parallel()
	failing := errors.New("the disk failed")
	for what, source := range map[string]func() (io.ReadCloser, error){
		"to open": func() (io.ReadCloser, error) { return nil, failing },
		"to read": func() (io.ReadCloser, error) {
			return failingFile{strings.NewReader("a"), failing, nil}, nil
		},
		"to close": func() (io.ReadCloser, error) {
			return failingFile{strings.NewReader("a"), io.EOF, failing}, nil
		},
	} {
		r := newRecord(t)
		pack := r.pack()
		pack.Files = []audit.PackSource{{Name: "x", Role: audit.RoleOriginal, Open: source}}
		if err := audit.WritePack(io.Discard, pack); !errors.Is(err, failing) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// failingFile fails after its content, or at Close.
type failingFile struct {
	content    io.Reader
	end, close error
}

func (f failingFile) Read(into []byte) (int, error) {
	n, err := f.content.Read(into)
	if err != nil {
		err = f.end
	}
	return n, err
}

func (f failingFile) Close() error { return f.close }

// The page of a pack names people by the record's id, and says what was erased.
func TestPageOfPacks(t *testing.T) {
	t.Parallel()
	page := func(r *record) string {
		t.Helper()
		pack := r.packed(t)
		archive, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
		if err != nil {
			t.Fatal(err)
		}
		file, err := archive.Open("index.html")
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	r := newRecord(t)
	r.later(t, domain.StageCompleted, "no JSON")
	intact := page(r)
	for _, want := range []string{
		fmt.Sprintf("approve by Rita (%s) on behalf of %s,", reviewer, absent),
		"checked", "new_vendor", sumOf(original), "Made at 2026-03-04T05:06:07Z from log " + origin,
		fmt.Sprintf("<td>Rita (%s)</td><td>processing</td>", reviewer),
		fmt.Sprintf("on behalf of %s</td><td>approved</td>", absent)} {
		if !strings.Contains(intact, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(intact, domain.NoID.String()) || strings.Count(intact, "<pre>erased</pre>") != 1 ||
		strings.Contains(intact, "Signed by passkey") {
		t.Errorf("the page shows an empty id, one more erased event or a signature:\n%s", intact)
	}
	erased := newRecord(t)
	erased.erase(t)
	if text := page(erased); strings.Count(text, "<pre>erased</pre>") != 3 || strings.Contains(text, "checked") {
		t.Errorf("the page of an erased record:\n%s", text)
	}
}
