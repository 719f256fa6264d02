package web_test

import (
	"net/http"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// The same upload with other attributes is a conflict, also without an idempotency key: the first case
// is neither replaced nor returned as if it had them.
func TestUploadIsNotSubmittedAgainWithOtherAttributes(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	_, secret := w.token(ada)
	bearer := []string{"Authorization", "Bearer " + secret}
	const content = "%PDF-1.7\nexpense"
	address := w.begin(nil, "expense.pdf", len(content), bearer...).header.Get("Location")
	if got := w.patch(nil, address, content, 0, bearer...); got.status != http.StatusNoContent {
		t.Fatalf("patch: %d %s", got.status, got.body)
	}
	command := casework.SubmitDocument{UploadID: w.idOf(address)}
	first, err := w.service.SubmitDocument(w.ctx, ada, command)
	must(t, err)
	other := command
	other.Attributes = []domain.StatedAttribute{{Name: "department", Value: "sales"}}
	if _, err := w.service.SubmitDocument(w.ctx, ada, other); !domain.HasCode(err,
		domain.IdempotencyMismatch) {
		t.Errorf("with another department: %v", err)
	}
	again, err := w.service.SubmitDocument(w.ctx, ada, command)
	if err != nil || again.CaseID != first.CaseID {
		t.Errorf("the repetition: %v, %v", again, err)
	}
}
