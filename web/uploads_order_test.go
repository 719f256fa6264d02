package web_test

import (
	"net/http"
	"strconv"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// An upload whose submission lacks the required order stays complete, and the same upload is
// submitted with the order. The refused submission can be repeated.
func TestUploadStaysWhileItsOrderIsMissing(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	_, secret := w.token(ada)
	bearer := []string{"Authorization", "Bearer " + secret}
	const content = "%PDF-1.7\nevidence"
	begun := w.begin(nil, "evidence.pdf", len(content), bearer...)
	address := begun.header.Get("Location")
	if got := w.patch(nil, address, content, 0, bearer...); got.status != http.StatusNoContent {
		t.Fatalf("patch: %d %s", got.status, got.body)
	}
	command := casework.SubmitDocument{UploadID: w.idOf(address), DocumentType: "remittance",
		Process: "cross_border_remittance", Once: casework.Once{Key: "k"}}
	for range 2 {
		_, err := w.service.SubmitDocument(w.ctx, ada, command)
		if !domain.HasCode(err, domain.OrderRequired) {
			t.Fatalf("without an order: %v", err)
		}
	}
	if got := w.head(nil, address, bearer...); got.header.Get("Upload-Offset") != strconv.Itoa(len(content)) {
		t.Errorf("after the refusals: %d, %v", got.status, got.header)
	}
	command.Order = &casework.OrderInput{Payer: "Kunde AG", Payee: "Muster Werke GmbH",
		Account: "DE89370400440532013000", Country: "DE", Amount: "120", Currency: "USD",
		Purpose: "invoice", Reference: "P-1"}
	first, err := w.service.SubmitDocument(w.ctx, ada, command)
	must(t, err)
	again, err := w.service.SubmitDocument(w.ctx, ada, command)
	if err != nil || again.CaseID != first.CaseID {
		t.Errorf("the repetition: %v, %v", again, err)
	}
}
