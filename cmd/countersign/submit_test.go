package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Every file is submitted before the tool waits for the cases: if it waited for a free place, the
// files after the sixteenth would not be submitted until a reviewer decides.
func TestNoFileWaitsForTheCasesBeforeIt(t *testing.T) {
	t.Parallel()
	const count = maxFollowed + 4
	folder := t.TempDir()
	args := []string{"submit", "--until", "archived"}
	for n := range count {
		path := filepath.Join(folder, fmt.Sprintf("%02d.pdf", n))
		if err := os.WriteFile(path, []byte("%PDF-1.7"), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	all, submitted := make(chan struct{}), 0
	var guard sync.Mutex
	answers := jsonAnswers()
	answers["submitDocument"] = func(object) any {
		guard.Lock()
		defer guard.Unlock()
		if submitted++; submitted == count {
			close(all)
		}
		return done("case", caseHeadFixture)
	}
	last := eventOf("10", "ARCHIVED", "It was archived.")
	server := newFakeAPI(t, answers)
	for range count {
		server.connections = append(server.connections, func(s *fakeSocket) {
			select { // no case ends before all are submitted
			case <-all:
			case <-time.After(20 * time.Second):
				t.Error("not every file was submitted while the first cases are followed")
			}
			s.event(last)
			s.send("complete", nil)
			_, _, _ = s.conn.Read(s.ctx)
		})
	}
	code, out, messages := server.run(args...)
	if code != exitDone || messages != "" || strings.Count(out, "  archived\n") != count {
		t.Errorf("exit code %d, %d archived: %s", code, strings.Count(out, "  archived\n"),
			messages)
	}
}

// A list that leaves reviews out says how to see them, with a number that the server accepts.
func TestNoteAboutMoreReviews(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		more, shown int
		want        string
	}{{1, 20, "1 more; use --first 21 to see them"},
		{80, 20, "80 more; use --first 100 to see them"},
		{81, 20, "81 more; use --first 100 to see more of them"},
		{900, 100, "900 more; use --queue to narrow the list"}} {
		if got := moreNote(tc.more, tc.shown); got != tc.want {
			t.Errorf("%d more than %d: %q, want %q", tc.more, tc.shown, got, tc.want)
		}
	}
}

// Stated attributes are sent as they were given; a value can contain any character.
func TestSubmitStatesAttributes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, []byte("%PDF-1.7"), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := jsonAnswers()
	var sent any
	answers["submitDocument"] = func(arguments object) any {
		sent = arguments["input"].(map[string]any)["attributes"]
		return done("case", caseHeadFixture)
	}
	server := newFakeAPI(t, answers)
	code, _, messages := server.run("submit", "--process", "expense", "--attribute",
		"department=sales", "--attribute", "note=a=b;c, d", path)
	if code != exitDone || fmt.Sprint(sent) !=
		"[map[name:department value:sales] map[name:note value:a=b;c, d]]" {
		t.Errorf("exit code %d, sent %v: %s", code, sent, messages)
	}
	if code, _, messages := server.run("submit", "--attribute", "department", path); code == exitDone ||
		!strings.Contains(messages, "NAME=VALUE") {
		t.Errorf("exit code %d: %s", code, messages)
	}
}

// Supporting documents are sent as files of their own, each with its kind.
func TestSubmitSendsSupportingDocuments(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"a.pdf", "may.pdf", "pass.pdf"} {
		if err := os.WriteFile(path(name), []byte("%PDF-1.7 "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers := jsonAnswers()
	var sent, added any
	answers["submitDocument"] = func(arguments object) any {
		sent = arguments["input"].(map[string]any)["documents"]
		return done("case", caseHeadFixture)
	}
	answers["addDocument"] = func(arguments object) any {
		added = arguments["input"]
		return done("case", caseHeadFixture)
	}
	server := newFakeAPI(t, answers)
	code, _, messages := server.run("submit", "--document", "payslip="+path("may.pdf"), "--document",
		"identity="+path("pass.pdf"), path("a.pdf"))
	if code != exitDone || fmt.Sprint(sent) != "[map[file:the file kind:payslip] map[file:the file kind:identity]]" {
		t.Errorf("exit code %d, sent %v: %s", code, sent, messages)
	}
	code, _, messages = server.run("resubmit", "case-1", "--document", "payslip:1="+path("may.pdf"))
	if text := fmt.Sprint(added); code != exitDone || !strings.Contains(text, "document:map[file:the file kind:payslip]") ||
		!strings.Contains(text, "replaces:1") {
		t.Errorf("exit code %d, added %s: %s", code, text, messages)
	}
	if code, _, messages := server.run("submit", "--document", "payslip", path("a.pdf")); code == exitDone ||
		!strings.Contains(messages, "KIND=FILE") {
		t.Errorf("exit code %d: %s", code, messages)
	}
}
