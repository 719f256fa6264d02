package main

import (
	"strings"
	"testing"
)

// discussedAnswers are fixtures of a proposal with one resolved and one unresolved comment.
func discussedAnswers() object {
	comment := object{"id": "comment-1", "author": personFixture, "part": "review_l1",
		"text": "Why \x1b[2Jtwo?", "at": "2026-11-21T13:00:00.000000Z", "earlierText": true, "resolvedAt": nil}
	resolved := with(comment, object{"id": "comment-2", "part": nil, "earlierText": false,
		"resolvedAt": "2026-11-21T14:00:00.000000Z"})
	answers := jsonAnswers()
	answers["proposals"] = nodes(with(proposalFixture,
		object{"discussion": object{"nodes": []any{comment, resolved}}}))
	answers["addProposalComment"] = done("proposal", proposalFixture)
	answers["resolveProposalComment"] = done("proposal", proposalFixture)
	return answers
}

func TestProcessComments(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, discussedAnswers())
	code, out, messages := server.run("process", "comments", "document_approval")
	lines := strings.Split(out, "\n")
	if code != exitDone || messages != "" || len(lines) < 3 || strings.Contains(out, "\x1b") ||
		!strings.Contains(lines[1], "unresolved, earlier text") || !strings.Contains(lines[1], "review_l1") {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	code, _, messages = server.run("process", "comment", "document_approval", "Because.", "--part", "archive")
	if sent := server.last().Variables; code != exitDone || sent["text"] != "Because." ||
		sent["part"] != "archive" || sent["proposalId"] != "proposal-1" {
		t.Errorf("exit code %d, sent %v, messages %q", code, sent, messages)
	}
	code, _, messages = server.run("process", "resolve", "comment-1")
	if sent := server.last().Variables; code != exitDone || sent["commentId"] != "comment-1" {
		t.Errorf("exit code %d, sent %v, messages %q", code, sent, messages)
	}
}

// The unresolved comments are confirmed by their number as the person read it, so none that was written
// meanwhile is confirmed.
func TestPublishNamesTheUnresolvedComments(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]int{"0": 0, "1": 1, "2": 0} {
		server := newFakeAPI(t, discussedAnswers())
		code, _, messages := server.run("process", "publish", "document_approval", "--unresolved", number)
		sent, _ := server.last().Variables["unresolved"].([]any)
		if code != exitDone || len(sent) != want {
			t.Errorf("--unresolved %s: exit code %d, sent %v, messages %q", number, code, sent, messages)
		}
	}
}
