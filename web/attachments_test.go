package web_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// attach adds a note with one file, and returns the path of the file.
func (w *testEnv) attach(by domain.Actor, id domain.ID, audience domain.NoteAudience, name, content string) string {
	w.t.Helper()
	note, err := w.service.AddNote(w.ctx, by, casework.AddNote{CaseID: id, Text: "see the file", Audience: audience,
		Files: []casework.Upload{{FileName: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader([]byte(content))), nil
		}}}})
	must(w.t, err)
	return fmt.Sprintf("/cases/%s/notes/%s/1", id, note.NoteID)
}

// A file of a note is always a download of no type that a browser would run, whatever it is called.
func TestAFileOfANoteIsADownload(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.submit(ada, "a.pdf", pdf)
	page := "<script>alert(1)</script>"
	path := w.attach(ada, id, domain.NoteEveryone, `说明 "x".html`, page)
	client := w.signedIn("ada")
	got := w.get(client, path)
	if got.status != http.StatusOK || got.body != page ||
		got.header.Get("Content-Type") != "application/octet-stream" ||
		got.header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment;") ||
		!strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") ||
		got.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%d %q %v", got.status, got.body, got.header)
	}
	for _, wrong := range []string{strings.TrimSuffix(path, "1") + "2", strings.TrimSuffix(path, "1") + "x",
		strings.TrimSuffix(path, "1") + "-1", strings.Replace(path, id.String(), domain.NewID().String(), 1)} {
		if got := w.get(client, wrong); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", wrong, got.status)
		}
	}
	if got := w.get(w.browser(), path); got.status != http.StatusUnauthorized {
		t.Errorf("without a session: %d", got.status)
	}
}

// Files of notes for reviewers do not reach the submitter, and those of other people's cases reach no other
// submitter: both look as if they did not exist. A withdrawn note has no files.
func TestFilesOfNotesFollowTheirAudience(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	w.person("sam", domain.RoleSubmitter)
	max := w.person("max", domain.RoleManager)
	id := w.submit(ada, "a.pdf", pdf)
	internal := w.attach(max, id, domain.NoteReviewers, "call.txt", "the vendor is unknown")
	open := w.attach(ada, id, domain.NoteEveryone, "mine.txt", "hello")
	missing := w.get(w.signedIn("ada"), strings.TrimSuffix(open, "1")+"9")
	// Each answer has the id of its request.
	refusal := func(got reply) string { return strings.Split(got.body, `"requestId"`)[0] }
	for name, want := range map[string]map[string]int{"ada": {internal: 404, open: 200},
		"sam": {internal: 404, open: 404}, "max": {internal: 200, open: 200}} {
		client := w.signedIn(name)
		for path, status := range want {
			got := w.get(client, path)
			if got.status != status || status == 404 && refusal(got) != refusal(missing) {
				t.Errorf("%s reads %s: %d %s, want %d", name, path, got.status, got.body, status)
			}
		}
	}
	noteID, err := domain.ParseID(strings.Split(internal, "/")[4])
	must(t, err)
	_, err = w.service.WithdrawNote(w.ctx, max, casework.WithdrawNote{NoteID: noteID})
	must(t, err)
	if got := w.get(w.signedIn("max"), internal); got.status != http.StatusNotFound {
		t.Errorf("after the withdrawal: %d %s", got.status, got.body)
	}
}
