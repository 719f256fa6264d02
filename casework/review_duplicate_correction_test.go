package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Whichever value a reviewer corrects to another one of the page, the finding that it is a duplicate and the
// risk stay until a second person confirms the value, and the reviewer does not approve it alone.
func TestNoCorrectionOfOnePersonHidesADuplicate(t *testing.T) {
	t.Parallel()
	const vendor, vat, account = "Hafen Logistik GmbH", "DE136695976", "DE89370400440532013000"
	page := func(vendor, number, date, total string) []string {
		return append(invoicePage(vendor, number, date, total), "VAT ID: "+vat, "IBAN: "+account)
	}
	first := page(vendor, "INV-47110", "2026-11-02", "1200.00")
	content := page(vendor, "XZ-9903-2", "2026-11-02", "1200.00")
	for name, row := range map[string]struct {
		second       []string
		printed      string // also on the second page
		field, value string
	}{
		"number":        {first, "order INV-99001", domain.FieldNumber, "INV-99001"},
		"vendor":        {first, "Alster Werke GmbH", domain.FieldVendor, "Alster Werke GmbH"},
		"date":          {content, "printed on 2026-10-05", domain.FieldDate, "2026-10-05"},
		"total":         {content, "of these 1300.00", domain.FieldTotal, "1300.00"},
		"smaller total": {content, "of these 1100.00", domain.FieldTotal, "1100.00"},
		"VAT id":        {first, "customer DE811193231", domain.FieldVATID, "DE811193231"},
		"account":       {first, "paid from DE75512108001245126199", domain.FieldIBAN, "DE75512108001245126199"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
			jan := env.person("jan", domain.RoleL1)
			env.person("joe", domain.RoleL1)
			env.submitLines(sam, "invoice", first...)
			id := env.submitLines(sue, "invoice", append(append([]string{}, row.second...), row.printed)...)
			before := env.duplicatesOf(id)
			if len(before) == 0 {
				t.Fatalf("the duplicate is not found: %v", env.caseByID(id))
			}
			risk := env.caseByID(id).Risk
			env.claim(jan, id)
			must(t, env.correct(jan, id, row.field, row.value))
			if len(env.duplicatesOf(id)) == 0 {
				t.Errorf("one person hides %v", before)
			}
			if now := env.caseByID(id).Risk; now < risk {
				t.Errorf("the risk falls from %d to %d", risk, now)
			}
			if row.field == domain.FieldVATID {
				return // hides nothing, so one person may correct it
			}
			if env.pending(id, row.field) == "" {
				t.Error("the value does not wait for a second person")
			}
			_, err := env.decideStating(jan, casework.DecideReview{
				ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
				Verdict:      domain.Approve, Reason: "checked"})
			wantCode(t, err, domain.FourEyes)
			env.verifyCaseLog(id)
		})
	}
}
