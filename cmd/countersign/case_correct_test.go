package main

import (
	"strings"
	"testing"
)

func TestCorrectCommand(t *testing.T) {
	t.Parallel()
	answers := jsonAnswers()
	answers["correctArchivedCase"] = done("case", with(caseHeadFixture, object{"reference": "CS-2026-000009"}))
	server := newFakeAPI(t, answers)
	code, out, messages := server.run("case", "correct", "CS-2026-000001", "--reason", "The total is 21.00")
	if code != 0 || !strings.Contains(out, "CS-2026-000009") {
		t.Errorf("%d: %s %s", code, out, messages)
	}
	if sent := server.last().Variables; sent["reason"] != "The total is 21.00" || sent["caseId"] != "case-1" {
		t.Errorf("sent %v", sent)
	}
	answers["correctArchivedCase"] = refusing("case", "StateMismatch", "Only an archived case can be corrected.", "")
	code, _, messages = newFakeAPI(t, answers).run("case", "correct", "CS-2026-000001", "--reason", "x")
	if code != exitFailed || !strings.Contains(messages, "Only an archived case can be corrected.") {
		t.Errorf("%d: %s", code, messages)
	}
}
