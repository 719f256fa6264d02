package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const addNoteMutation = `mutation($input: AddNoteInput!) { addNote(input: $input) {
	noteId case { notes(last: 5) { nodes { attachments { name } } } } userErrors { ... on Refusal { code message } } } }`

// A reviewer attaches a file to a note, although only submitters send documents. People without a role send
// no files, and the other mutations with files still refuse a reviewer.
func TestReviewersAttachFilesToNotes(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("rita", domain.RoleL1)
	w.person("norman")
	id := w.submit("sam", "90000.00")
	send := func(by string) result {
		return w.uploadTo("attachments.0", by, addNoteMutation, map[string]any{"caseId": id, "text": "the letter",
			"attachments": []any{nil}}, "Total 9,999,999.00")
	}
	w.runPending()
	answer := send("rita")
	if got := answer.text("addNote", "case", "notes", "nodes", 0, "attachments", 0, "name"); got != "invoice.pdf" {
		t.Fatalf("%+v", answer)
	}
	if answer := send("norman"); len(answer.Errors) != 1 || !strings.Contains(answer.Errors[0].Message, "roles") {
		t.Errorf("without a role: %+v", answer)
	}
	refused := w.upload("rita", submitMutation, map[string]any{}, "%PDF-1.7\n90000.00\n")
	if refused.text("submitDocument", "userErrors", 0, "code") != "NotPermitted" {
		t.Errorf("a reviewer submits: %+v", refused)
	}
}
