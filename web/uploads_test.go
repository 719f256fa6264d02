package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/web"
)

// begin creates an upload and returns the response with its address.
func (w *testEnv) begin(client *http.Client, name string, size int, headers ...string) reply {
	w.t.Helper()
	return w.send(client, http.MethodPost, "/uploads/", "",
		append([]string{"Tus-Resumable", "1.0.0", "Upload-Length", strconv.Itoa(size),
			"Upload-Metadata", "filename " + base64.StdEncoding.EncodeToString([]byte(name))},
			headers...)...)
}

func (w *testEnv) patch(client *http.Client, address, piece string, offset int,
	headers ...string) reply {
	w.t.Helper()
	return w.send(client, http.MethodPatch, address, piece,
		append([]string{"Tus-Resumable", "1.0.0", "Upload-Offset", strconv.Itoa(offset),
			"Content-Type", "application/offset+octet-stream"}, headers...)...)
}

func (w *testEnv) head(client *http.Client, address string, headers ...string) reply {
	w.t.Helper()
	return w.send(client, http.MethodHead, address, "",
		append([]string{"Tus-Resumable", "1.0.0"}, headers...)...)
}

// idOf returns the upload's id: the last part of its address.
func (w *testEnv) idOf(address string) domain.ID {
	w.t.Helper()
	id, err := domain.ParseID(strings.TrimPrefix(address, "/uploads/"))
	must(w.t, err)
	return id
}

// uploadFile uploads a file in one request and returns the upload's id.
func (w *testEnv) uploadFile(client *http.Client, name, content string) domain.ID {
	w.t.Helper()
	begun := w.begin(client, name, len(content))
	if begun.status != http.StatusCreated {
		w.t.Fatalf("begin: %d %s", begun.status, begun.body)
	}
	address := begun.header.Get("Location")
	if got := w.patch(client, address, content, 0); got.status != http.StatusNoContent {
		w.t.Fatalf("patch: %d %s", got.status, got.body)
	}
	return w.idOf(address)
}

// cuttingProxy forwards connections to the server and cuts each of the first few after some bytes.
type cuttingProxy struct {
	address       string
	remainingCuts atomic.Int64 // cuts left to make
	cutsMade      atomic.Int64
}

func newCuttingProxy(t *testing.T, behind string, cuts int64, after int64) *cuttingProxy {
	t.Helper()
	handler, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c := &cuttingProxy{address: handler.Addr().String()}
	c.remainingCuts.Store(cuts)
	var running sync.WaitGroup
	t.Cleanup(func() { _ = handler.Close(); running.Wait() })
	running.Go(func() {
		for {
			client, err := handler.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", behind)
			if err != nil {
				_ = client.Close()
				continue
			}
			running.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
			running.Go(func() {
				passed, _ := io.CopyN(server, client, after)
				if passed == after && c.remainingCuts.Add(-1) >= 0 {
					c.cutsMade.Add(1)
				} else {
					_, _ = io.Copy(server, client)
				}
				_ = client.Close()
				_ = server.Close()
			})
		}
	})
	return c
}

// A file of 40 MB arrives complete over a connection that is cut five times, and becomes the case's
// document.
func TestUploadCompletesOverABrokenConnection(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	_, secret := w.token(ada)
	content := make([]byte, 40<<20)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	copy(content, "%PDF-1.7\n")
	bearer := "Bearer " + secret
	begun := w.begin(nil, "large.pdf", len(content), "Authorization", bearer)
	address := begun.header.Get("Location")
	if begun.status != http.StatusCreated || !strings.HasPrefix(address, "/uploads/") {
		t.Fatalf("begin: %d %v", begun.status, begun.header)
	}
	cut := newCuttingProxy(t, strings.TrimPrefix(w.server.URL, "http://"), 5, 6<<20)
	deadline := time.Now().Add(2 * time.Minute)
	for offset := 0; offset < len(content); {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d bytes arrived in time", offset, len(content))
		}
		request, err := http.NewRequestWithContext(w.ctx, http.MethodPatch,
			"http://"+cut.address+address, bytes.NewReader(content[offset:]))
		must(t, err)
		for name, value := range map[string]string{"Tus-Resumable": "1.0.0",
			"Upload-Offset": strconv.Itoa(offset),
			"Content-Type":  "application/offset+octet-stream", "Authorization": bearer} {
			request.Header.Set(name, value)
		}
		if response, err := (&http.Transport{DisableKeepAlives: true}).
			RoundTrip(request); err == nil {
			_ = response.Body.Close()
		}
		now, err := strconv.Atoi(w.head(nil, address, "Authorization", bearer).
			header.Get("Upload-Offset"))
		must(t, err)
		if now < offset {
			t.Fatalf("the offset decreased from %d to %d", offset, now)
		}
		offset = now
	}
	if cut.cutsMade.Load() != 5 {
		t.Fatalf("the connection was cut %d times", cut.cutsMade.Load())
	}
	submitted, err := w.service.SubmitDocument(w.ctx, ada,
		casework.SubmitDocument{UploadID: w.idOf(address)})
	must(t, err)
	opened, err := w.service.OpenBlob(w.ctx, ada,
		casework.OpenBlob{CaseID: submitted.CaseID, Kind: casework.BlobOriginal})
	must(t, err)
	defer func() { _ = opened.Content.Close() }()
	kept, want := sha256.New(), sha256.Sum256(content)
	if n, err := io.Copy(kept, opened.Content); err != nil || n != int64(len(content)) ||
		hex.EncodeToString(kept.Sum(nil)) != hex.EncodeToString(want[:]) ||
		opened.SHA256 != hex.EncodeToString(want[:]) || opened.FileName != "large.pdf" {
		t.Errorf("stored %d bytes as %s %s: %v", n, opened.FileName, opened.SHA256, err)
	}
	if left, err := os.ReadDir(w.folder); err != nil || len(left) != 0 {
		t.Errorf("the uploaded bytes were not deleted: %v %v", left, err)
	}
}

// Submitting the same upload again returns the same case.
func TestAnUploadBecomesOneCase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.uploadFile(w.signedIn("ada"), "a.pdf", pdf)
	command := casework.SubmitDocument{UploadID: id, Once: casework.Once{Key: "k"}}
	first, err := w.service.SubmitDocument(w.ctx, ada, command)
	must(t, err)
	again, err := w.service.SubmitDocument(w.ctx, ada, command)
	must(t, err)
	if again.CaseID != first.CaseID || again.Reference != first.Reference {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if _, err := w.service.ReplaceDocument(w.ctx, ada,
		casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: first.CaseID},
			UploadID: id}); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("the same upload as a replacement: %v", err)
	}
	better := w.uploadFile(w.signedIn("ada"), "b.pdf", pdf+"better")
	replace := casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: first.CaseID},
		UploadID: better}
	done, err := w.service.ReplaceDocument(w.ctx, ada, replace)
	must(t, err)
	if repeated, err := w.service.ReplaceDocument(w.ctx, ada, replace); err != nil ||
		repeated != done {
		t.Errorf("replaced again: %+v %v, was %+v", repeated, err, done)
	}
	documents, err := w.db.Reader().Documents(w.ctx, first.CaseID)
	if err != nil || len(documents) != 2 {
		t.Errorf("documents %+v %v", documents, err)
	}
}

// Two concurrent submissions of one upload create one case.
func TestConcurrentSubmissionsOfOneUpload(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.uploadFile(w.signedIn("ada"), "a.pdf", pdf)
	var running sync.WaitGroup
	var done, busy atomic.Int64
	cases := sync.Map{}
	for range 4 {
		running.Go(func() {
			submitted, err := w.service.SubmitDocument(w.ctx, ada,
				casework.SubmitDocument{UploadID: id})
			switch {
			case err == nil:
				done.Add(1)
				cases.Store(submitted.CaseID, true)
			case domain.HasCode(err, domain.Busy), domain.HasCode(err, domain.NotFound):
				busy.Add(1)
			default:
				t.Errorf("submit: %v", err)
			}
		})
	}
	running.Wait()
	count := 0
	cases.Range(func(any, any) bool { count++; return true })
	if count != 1 || done.Load() < 1 {
		t.Errorf("%d cases from %d responses, %d refused with Retry-After", count, done.Load(), busy.Load())
	}
}

// Only the owner can query, continue, terminate and submit an upload; other users get NotFound.
func TestUploadIsVisibleToItsOwnerOnly(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleSubmitter)
	bob := w.person("bob", domain.RoleSubmitter)
	ada, other := w.signedIn("ada"), w.signedIn("bob")
	address := w.begin(ada, "a.pdf", len(pdf)).header.Get("Location")
	for name, got := range map[string]reply{"patch": w.patch(other, address, pdf, 0),
		"head":   w.head(other, address),
		"delete": w.send(other, http.MethodDelete, address, "", "Tus-Resumable", "1.0.0"),
		"get":    w.send(other, http.MethodGet, address, ""),
		"hidden": w.send(other, http.MethodPost, address, "", "Tus-Resumable", "1.0.0",
			"X-HTTP-Method-Override", "DELETE")} {
		if got.status != http.StatusNotFound || name != "head" &&
			got.code() != string(domain.NotFound) {
			t.Errorf("%s of another person: %d %s", name, got.status, got.body)
		}
	}
	nowhere := "/uploads/" + domain.NewID().String()
	for name, ask := range map[string]func(address string) reply{
		"patch": func(address string) reply { return w.patch(other, address, pdf, 0) },
		"later": func(address string) reply { return w.patch(other, address, pdf[3:], 3) },
		"head":  func(address string) reply { return w.head(other, address) },
		"get":   func(address string) reply { return w.send(other, http.MethodGet, address, "") },
		"delete": func(address string) reply {
			return w.send(other, http.MethodDelete, address, "", "Tus-Resumable", "1.0.0")
		},
		"anonymous": func(address string) reply { return w.patch(nil, address, pdf, 0) },
		"asks":      func(address string) reply { return w.head(nil, address) },
	} {
		if foreign, none := ask(address).normalized(), ask(nowhere).normalized(); foreign != none {
			t.Errorf("%s\nforeign: %s\nnone:    %s", name, foreign, none)
		}
	}
	if got := w.patch(nil, address, pdf, 0); got.status != http.StatusUnauthorized {
		t.Errorf("anonymous: %d", got.status)
	}
	if got := w.patch(ada, address, pdf, 0); got.status != http.StatusNoContent {
		t.Fatalf("the owner: %d %s", got.status, got.body)
	}
	if _, err := w.service.SubmitDocument(w.ctx, bob,
		casework.SubmitDocument{UploadID: w.idOf(address)}); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("another person sends it in: %v", err)
	}
	if got := w.send(ada, http.MethodDelete, address, "", "Tus-Resumable",
		"1.0.0"); got.status != http.StatusNoContent {
		t.Errorf("the owner ends it: %d %s", got.status, got.body)
	}
	if got := w.head(ada, address); got.status != http.StatusNotFound {
		t.Errorf("after its end: %d", got.status)
	}
	if left, err := os.ReadDir(w.folder); err != nil || len(left) != 0 {
		t.Errorf("left %v %v", left, err)
	}
}

// An upload that cannot be accepted is refused before the first byte, with the error body of all
// adapters.
func TestUploadsAreRefusedBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	full := false
	w := newTestEnv(t, func(o *web.Options) {
		o.Uploads.Admit = func(context.Context, domain.Actor) error {
			if full {
				return domain.Errorf(domain.RateLimited, "Too many uploads.")
			}
			return nil
		}
	})
	w.person("ada", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	ada := w.signedIn("ada")
	wantReply(t, w.begin(nil, "a.pdf", 10), http.StatusUnauthorized, domain.Unauthenticated)
	wantReply(t, w.begin(w.signedIn("lea"), "a.pdf", 10), http.StatusForbidden, domain.NotPermitted)
	wantReply(t, w.begin(ada, "a.pdf", 50<<20+1), http.StatusRequestEntityTooLarge,
		domain.FileTooLarge)
	wantReply(t, w.begin(ada, "a.pdf", 0), http.StatusUnprocessableEntity, domain.EmptyFile)
	wantReply(t, w.begin(ada, "a.pdf", 10, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden,
		domain.NotPermitted)
	for _, length := range []string{"-1", "x", ""} {
		if got := w.begin(ada, "a.pdf", 10, "Upload-Length",
			length); got.status != http.StatusBadRequest {
			t.Errorf("length %q: %d", length, got.status)
		}
	}
	if got := w.begin(ada, "a.pdf", 10, "Upload-Length", "", "Upload-Defer-Length",
		"1"); got.status < 400 {
		t.Errorf("an upload of any length: %d", got.status)
	}
	full = true
	wantReply(t, w.begin(ada, "a.pdf", 10), http.StatusTooManyRequests, domain.RateLimited)
	for _, address := range []string{"/uploads/x", "/uploads/" + domain.NewID().String(),
		"/uploads/../uploads/%2e%2e%2fa", "/uploads/" + strings.ToUpper(domain.NewID().String())} {
		if got := w.head(ada, address); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", address, got.status)
		}
	}
	if left, err := os.ReadDir(w.folder); err != nil || len(left) != 0 {
		t.Errorf("left %v %v", left, err)
	}
}

func TestMoreThanTheDeclaredSizeIsRefused(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	client := w.signedIn("ada")
	address := w.begin(client, "a.pdf", len(pdf)).header.Get("Location")
	if got := w.patch(client, address, pdf+"more",
		0); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("too much: %d %s", got.status, got.body)
	}
	if got := w.patch(client, address, pdf[3:], 3); got.status != http.StatusConflict {
		t.Errorf("past what came: %d", got.status)
	}
	if got := w.patch(client, address, pdf[:3], 0); got.status != http.StatusNoContent ||
		got.header.Get("Upload-Offset") != "3" {
		t.Errorf("a piece: %d %v", got.status, got.header)
	}
	if _, err := w.service.SubmitDocument(w.ctx, ada,
		casework.SubmitDocument{UploadID: w.idOf(address)}); !domain.HasCode(err,
		domain.StateMismatch) {
		t.Errorf("sent in before it is whole: %v", err)
	}
	wrong := w.uploadFile(client, "a.exe", "MZ not a document")
	if _, err := w.service.SubmitDocument(w.ctx, ada,
		casework.SubmitDocument{UploadID: wrong}); !domain.HasCode(err, domain.UnsupportedFile) {
		t.Errorf("a program: %v", err)
	}
}

// Abandoned uploads are deleted with their bytes; active ones stay.
func TestForgottenUploadsAreSwept(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleSubmitter)
	client := w.signedIn("ada")
	unfinished := w.begin(client, "a.pdf", len(pdf)).header.Get("Location")
	finished := w.uploadFile(client, "b.pdf", pdf)
	must(t, os.WriteFile(fmt.Sprintf("%s/%s", w.folder, domain.NewID()), []byte("of no row"),
		0o600))
	must(t, os.WriteFile(w.folder+"/notes.txt", []byte("not ours"), 0o600))
	if removed, err := w.uploads.Sweep(w.ctx, w.service, 24*time.Hour); err != nil || removed != 1 {
		t.Fatalf("swept %d %v", removed, err)
	}
	if got := w.head(client, unfinished); got.status != http.StatusOK {
		t.Fatalf("under way: %d", got.status)
	}
	w.moveClock(25 * time.Hour)
	if removed, err := w.uploads.Sweep(w.ctx, w.service, 24*time.Hour); err != nil || removed != 2 {
		t.Errorf("swept %d %v", removed, err)
	}
	if _, _, err := w.uploads.Open(w.ctx, finished); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("finished and forgotten: %v", err)
	}
	if left, err := os.ReadDir(w.folder); err != nil || len(left) != 1 {
		t.Errorf("left %v %v", left, err)
	}
}

func TestUnfinishedUploadsPerPersonAreLimited(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	for range 300 {
		_, err := w.service.BeginUpload(w.ctx, ada, "a.pdf", 10)
		must(t, err)
	}
	if _, err := w.service.BeginUpload(w.ctx, ada, "a.pdf", 10); !domain.HasCode(err,
		domain.RateLimited) {
		t.Errorf("one more: %v", err)
	}
	_, secret := w.token(ada)
	got := w.send(nil, http.MethodPost, "/uploads/", "", "Authorization", "Bearer "+secret,
		"Tus-Resumable", "1.0.0", "Upload-Length", "10")
	wantReply(t, got, http.StatusTooManyRequests, domain.RateLimited)
	if got.header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
}

// The announced sizes count against the limit, also for concurrent uploads; terminating one frees
// its size.
func TestUnfinishedUploadsAreBoundedTogether(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada, bea := w.person("ada", domain.RoleSubmitter), w.person("bea", domain.RoleSubmitter)
	const size = 50 << 20 // 2 GiB hold 40 of these
	var group sync.WaitGroup
	var mu sync.Mutex
	var begun []domain.ID
	refused := 0
	for range 60 {
		group.Go(func() {
			id, err := w.service.BeginUpload(w.ctx, ada, "a.pdf", size)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				begun = append(begun, id)
			case domain.HasCode(err, domain.RateLimited):
				refused++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(begun) != 40 || refused != 20 {
		t.Fatalf("%d begun, %d refused, want 40 and 20", len(begun), refused)
	}
	if _, err := w.service.BeginUpload(w.ctx, bea, "b.pdf", size); err != nil {
		t.Errorf("another user: %v", err)
	}
	must(t, w.service.CancelUpload(w.ctx, ada, begun[0]))
	if _, err := w.service.BeginUpload(w.ctx, ada, "a.pdf", size); err != nil {
		t.Errorf("after one was ended: %v", err)
	}
}
