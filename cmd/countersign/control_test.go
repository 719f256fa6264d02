package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// controlAnswers are the answers to the commands on control data: one value in force, one proposed.
func controlAnswers() object {
	results := object{"userErrors": []any{}, "results": []any{
		object{"kind": "RATE", "key": "EUR", "applied": true, "proposal": nil},
		object{"kind": "RATE", "key": "GBP", "applied": false, "proposal": object{
			"id": "proposal-1", "kind": "RATE", "subject": "GBP", "before": "", "after": "1.27",
			"reason": "market", "status": "PROPOSED", "proposedBy": personFixture}}}}
	return object{"setExchangeRates": results, "setCountryRisks": results,
		"confirmControlChange": results, "withdrawControlChange": results}
}

// A file is sent whole, and a file with one bad line is not sent at all.
func TestImportsOfControlData(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "import.csv")
	for name, tc := range map[string]struct {
		command, text, want string
		code                int
	}{
		"rates": {"rate", "currency,rate\nEUR,1.09\ngbp, 1.27\n", "EUR  in force now\n" +
			"GBP  proposed; another administrator must confirm it\n", 0},
		"a bad rate":      {"rate", "currency,rate\nEUR,1.09\nGBP,-1\n", "not a valid rate", exitFailed},
		"an empty value":  {"rate", "currency,rate\nEUR,\n", "Line 2 has an empty value", exitFailed},
		"a missing value": {"rate", "currency,rate\nEUR\n", "not a valid CSV", exitFailed},
		"other columns":   {"rate", "a,b\nEUR,1\n", "columns currency and rate", exitFailed},
		"countries":       {"country", "country,level\nIR,high\n", "in force now", 0},
		"a bad level":     {"country", "country,level\nIR,highest\n", "must be high", exitFailed},
		"no lines":        {"country", "country,level\n", "no lines below", exitFailed},
	} {
		server := newFakeAPI(t, controlAnswers())
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, messages := server.run(tc.command, "import", file, "--reason", "month end")
		if (code == 0) != (tc.code == 0) || !strings.Contains(out+messages, tc.want) {
			t.Errorf("%s: exit code %d, %s%s", name, code, out, messages)
		}
		if tc.code != 0 && len(server.requests) != 0 {
			t.Errorf("%s: part of the file was sent", name)
		}
	}
}

// The marks from which reviewers are drawn are listed and proposed.
func TestMarkCommands(t *testing.T) {
	t.Parallel()
	answers := object{"drawMarks": []any{
		object{"process": "document_approval", "since": "2026-11-23T10:00:00Z", "reason": "policy",
			"amount": object{"amount": "1000000.00", "currency": "USD"}},
		object{"process": "content_review", "since": "2026-11-23T10:00:00Z", "reason": "small",
			"amount": nil}},
		"proposeDrawMark": object{"userErrors": []any{}, "results": []any{
			object{"kind": "DRAW_MARK", "key": "document_approval", "applied": false,
				"proposal": object{"id": "proposal-1", "kind": "DRAW_MARK",
					"subject": "document_approval", "before": "", "after": "5.00 USD",
					"reason": "x", "status": "PROPOSED", "proposedBy": personFixture}}}}}
	server := newFakeAPI(t, answers)
	code, out, messages := server.run("mark", "list")
	if code != 0 || !strings.Contains(out, "1000000.00 USD") || !strings.Contains(out, "none") {
		t.Errorf("exit code %d, %s%s", code, out, messages)
	}
	code, out, messages = server.run("mark", "propose", "document_approval", "5", "--reason", "x")
	if code != 0 || !strings.Contains(out+messages, "another administrator must confirm it") {
		t.Errorf("exit code %d, %s%s", code, out, messages)
	}
}
