package main

import (
	"slices"
	"strings"
	"testing"
)

// ownersAnswers are fixtures of a process with one owner, who approved a proposal, and a change of owners.
func ownersAnswers() object {
	review := object{"process": "document_approval", "required": 2, "approved": 1,
		"withoutFrom": "2026-11-28T13:00:00.000000Z", "owners": []any{object{"person": personFixture,
			"decision": "APPROVED", "reason": "", "eligible": true, "counts": true}}}
	answers := jsonAnswers()
	answers["processOwners"] = object{"process": "document_approval", "owners": []any{personFixture},
		"required": 2, "changes": []any{object{"id": "change-1", "kind": "PROCESS_OWNERS", "before": "",
			"after": "Ann\x1b[2J (1/1)", "sha256": "ef01", "proposedBy": personFixture,
			"ownerReviews": []any{}}}}
	answers["proposals"] = nodes(with(proposalFixture, object{"sha256": "abcd", "ownerReviews": []any{review}}))
	answers["decideAsOwner"] = object{"userErrors": []any{}}
	answers["proposeProcessOwners"] = object{"results": []any{}, "userErrors": []any{}}
	answers["people"] = []any{object{"id": "person-1", "email": "Ann@example.com"},
		object{"id": "person-2", "email": "other@example.com"}, object{"id": "person-3", "email": nil}}
	return answers
}

func TestProcessOwners(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, ownersAnswers())
	code, out, messages := server.run("process", "owners", "document_approval")
	for _, want := range []string{"Owners of document_approval: Sven Berg; 2 must approve.",
		"document_approval: 1 of 2, Sven Berg approved", "abcd", "change-1", "ef01"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output has no %q: %q, messages %q", want, out, messages)
		}
	}
	if code != exitDone || strings.Contains(out, "\x1b") {
		t.Errorf("exit code %d, output %q", code, out)
	}
	code, _, messages = server.run("process", "approve", "proposal-1", "abcd", "--reject", "--reason", "No.")
	if sent := server.last().Variables; code != exitDone || sent["decision"] != "REJECTED" ||
		sent["sha256"] != "abcd" || sent["reason"] != "No." {
		t.Errorf("exit code %d, sent %v, messages %q", code, sent, messages)
	}
}

// Owners are named by their whole e-mail address, so that none is named who is only found by it.
func TestOwnersAreProposedByTheirAddresses(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, ownersAnswers())
	code, _, messages := server.run("process", "set-owners", "document_approval", "--owner",
		"ann@example.com", "--reason", "x")
	sent := server.last().Variables
	if ids, _ := sent["ownerIds"].([]any); code != exitDone || !slices.Equal(ids, []any{"person-1"}) ||
		sent["required"] != float64(1) {
		t.Errorf("exit code %d, sent %v, messages %q", code, sent, messages)
	}
	if code, _, _ := server.run("process", "set-owners", "document_approval", "--owner", "example.com",
		"--reason", "x"); code == exitDone {
		t.Error("an address that belongs to no person was accepted")
	}
}
