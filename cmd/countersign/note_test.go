package main

import (
	"strings"
	"testing"
)

// noteAnswers are the fixtures of the commands about notes: one note with a file, one withdrawn, and one
// whose text would control the terminal.
func noteAnswers() object {
	note := object{"id": "note-1", "author": personFixture, "audience": "AML", "text": "see CS-2026-000002\nplease",
		"at": "2026-11-21T13:54:24.000000Z", "withdrawnAt": nil,
		"attachments": []any{object{"name": "call.txt", "size": "5", "path": "/files/note"}}}
	withdrawn := with(note, object{"id": "note-2", "author": nil, "audience": "EVERYONE", "text": "",
		"withdrawnAt": "2026-11-21T14:00:00.000000Z", "attachments": []any{}})
	hostile := with(note, object{"id": "note-3", "text": "\x1b[2Jgone", "attachments": []any{}})
	return object{"cases": nodes(caseFixture),
		"case": with(caseFixture, object{"notes": object{"nodes": []any{note, withdrawn, hostile}, "hasEarlier": true,
			"writes": []any{"AML", "REVIEWERS"}}}),
		"noteReaders":  []any{object{"id": "person-1", "name": "Sven Berg"}},
		"addNote":      done("noteId", "note-9"),
		"withdrawNote": done("noteId", "note-1"),
		"watchCase":    done("case", nil)}
}

func TestNotesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, noteAnswers())
	code, out, messages := server.run("note", "CS-2026-000001")
	for _, part := range []string{"note-1", "Sven Berg", "aml", "call.txt", "see CS-2026-000002 please",
		"(withdrawn)", "everyone"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is missing in\n%s", part, out)
		}
	}
	if code != 0 || strings.Contains(out, "\x1b") || !strings.Contains(messages, "--last") {
		t.Errorf("exit code %d\n%q\n%s", code, out, messages)
	}
}

// The default readers are those that the server names first, so that a person of the AML team writes to
// the AML team without saying so.
func TestAddingANoteOnTheCommandLine(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, noteAnswers())
	code, out, messages := server.run("note", "add", "CS-2026-000001", "call them", "--mention", "sven berg",
		"--attach", "note_test.go")
	sent := server.requests[len(server.requests)-1]
	mentions, _ := sent.Variables["mentions"].([]any)
	if code != 0 || !strings.Contains(out, "note added") || sent.Variables["text"] != "call them" ||
		len(mentions) != 1 || mentions[0] != "person-1" || sent.Variables["audience"] != nil ||
		sent.fileName != "note_test.go" || !strings.Contains(sent.file, "package main") {
		t.Errorf("exit code %d: %+v\n%s%s", code, sent.Variables, out, messages)
	}
	asked := false
	for _, request := range server.requests {
		asked = asked || request.Variables["audience"] == "AML" && request.Variables["text"] == "sven berg"
	}
	if !asked {
		t.Error("the readers of the default audience were not asked")
	}
	if code, _, messages := server.run("note", "add", "CS-2026-000001", "x", "--mention", "Unknown Person"); code == 0 ||
		!strings.Contains(messages, "0 people named Unknown Person can read this note.") {
		t.Errorf("a mention of an unknown person: %d %s", code, messages)
	}
	answers := noteAnswers()
	answers["addNote"] = object{"noteId": nil, "userErrors": []any{object{"__typename": "NotPermitted",
		"code": "NotPermitted", "message": "You cannot write notes about this case.", "remedy": "", "field": nil}}}
	if code, _, messages := newFakeAPI(t, answers).run("note", "add", "CS-2026-000001", "x"); code == 0 ||
		!strings.Contains(messages, "cannot write notes") {
		t.Errorf("a refusal: %d %s", code, messages)
	}
}

func TestWithdrawingAndWatchingOnTheCommandLine(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, noteAnswers())
	for want, args := range map[string][]string{
		`{"note":"note-1","withdrawn":true}`:                             {"note", "withdraw", "note-1"},
		`{"case":"case-1","reference":"CS-2026-000001","watched":true}`:  {"note", "watch", "CS-2026-000001"},
		`{"case":"case-1","reference":"CS-2026-000001","watched":false}`: {"note", "unwatch", "CS-2026-000001"},
	} {
		if code, out, messages := server.run(append([]string{"--json"}, args...)...); code != 0 ||
			strings.TrimSpace(out) != want {
			t.Errorf("%v: exit code %d, %s, want %s\n%s", args, code, out, want, messages)
		}
	}
}
