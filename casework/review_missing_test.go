package casework_test

import (
	"testing"

	"countersign/domain"
)

// Without a value that the document type requires, an approval needs a reason, and no bulk approval takes
// the review.
func TestApprovalWithoutRequiredValuesNeedsAReason(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	env.reader.xml = nil
	env.reader.lines = []string{"Nordlicht Handels GmbH", "Rechnung", "Rechnungsdatum: 2026-10-14",
		"Gesamtbetrag EUR 1200,00"}
	id := env.submitTo(sam, "routed", "invoice", "without a number")
	review := env.reviewAt(id, "review")
	if codes := env.approveTogether(jo, "key", "all of them are fine", review); codes[0] != domain.NotPermitted {
		t.Errorf("the bulk approval answered %q", codes)
	}
	env.claim(jo, id)
	err := env.decide(jo, review.ID, domain.Approve, "")
	wantCode(t, err, domain.ValidationFailed)
	if detail := detailOf(err); detail["reason"] != "required_missing" || detail["fields"] != "number" {
		t.Errorf("refused with %v", detail)
	}
	if env.voteCount(id) != 0 {
		t.Error("the refused approval left a vote")
	}
	must(t, env.decide(jo, review.ID, domain.Approve, "the vendor numbers no invoices"))
	if env.voteCount(id) != 1 {
		t.Error("an approval with a reason was not recorded")
	}
}

// A bulk approval takes no review whose total differs from the declared one: which of them is right is not decided.
func TestBulkApprovalTakesNoDifferentValues(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	env.reader.xml = nil
	env.reader.lines = []string{"Nordlicht Handels GmbH", "Rechnung", "Rechnungsnummer: RE-77",
		"Rechnungsdatum: 2026-10-14", "Gesamtbetrag EUR 1200,00"}
	id := env.submitDeclared(sam, "routed", "invoice", "1100.00", "EUR", "")
	review := env.reviewAt(id, "review")
	for range 2 { // a second delivery of the same command answers the same
		if codes := env.approveTogether(jo, "key", "", review); codes[0] != domain.NotPermitted {
			t.Errorf("the bulk approval answered %q", codes)
		}
	}
	if env.voteCount(id) != 0 {
		t.Error("the refused approval left a vote")
	}
}

// A bulk approval takes no review whose vendor was read with low certainty: it is made without a look.
func TestBulkApprovalTakesNoDoubtfulValue(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	env.reader.xml = nil
	env.reader.lines = []string{"Nordlicht Handels GmbH", "Rechnung", "Rechnungsnummer: RE-77",
		"Rechnungsdatum: 2026-10-14", "Gesamtbetrag EUR 1200,00"}
	env.reader.vendorConfidence = 0.16
	id := env.submitTo(sam, "routed", "invoice", "doubtful")
	if codes := env.approveTogether(jo, "key", "", env.reviewAt(id, "review")); codes[0] != domain.NotPermitted {
		t.Errorf("the bulk approval answered %q", codes)
	}
}
