package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A vote keeps counting if the second reviewer corrects the document within what it covers, and is
// asked for again otherwise. A vote from before coverages were stored covers no change.
func TestVoteCountsForWhatItCovers(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior),
		env.person("mia", domain.RoleManager)
	env.person("max", domain.RoleManager) // decides where mia has set a value of her own
	// In this order: the vendor's account is known when another vendor gets it.
	for _, row := range []struct {
		name, field, value string
		old                bool
		counts             bool
	}{
		{"a lower amount", domain.FieldTotal, "1100000.00", false, true},
		{"a lower amount, old row", domain.FieldTotal, "1100000.00", true, false},
		{"nothing, old row", domain.FieldDueDate, "2026-12-24", true, true},
		{"a higher amount", domain.FieldTotal, "1300000.00", false, false},
		{"another currency", domain.FieldCurrency, "USD", false, false},
		{"another payee", domain.FieldVendor, "Alster Werke GmbH", false, false},
		{"another number", domain.FieldNumber, "X-1", false, false},
		{"an account", domain.FieldIBAN, "GB33BUKB20201555555555", false, false},
		{"another country", domain.FieldCountry, "FR", false, false},
	} {
		env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH",
			documentNumber("K-"), "1200000.00"), "net 1100000.00 or 1300000.00 USD",
			"Alster Werke GmbH", "X-1", "IBAN DE89370400440532013000")
		id := env.submitTo(sam, "cross_border_remittance", "remittance", domain.NewID().String())
		must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
		if row.old {
			_, err := env.owner.Exec(env.ctx, `UPDATE votes SET covered = '{}'
				WHERE case_id = $1`, id)
			must(t, err)
		}
		review := env.openReview(id)
		must(t, errOf(env.svc.ClaimReview(env.ctx, mia,
			casework.ReviewTarget{ReviewID: review.ID})))
		must(t, env.correct(mia, id, row.field, row.value))
		if got := env.voteCount(id) == 1; got != row.counts {
			t.Errorf("%s: the vote counts: %v", row.name, got)
		}
		if env.openReview(id).Status != domain.ReviewClaimed { // mia has an interest now
			continue
		}
		must(t, env.decide(mia, review.ID, domain.Approve, ""))
		env.drainQueue()
		switch {
		case row.counts:
			env.requireState(id, domain.Archived)
		case row.field == domain.FieldCountry: // contradicts the country that was read
			env.requireState(id, domain.InReview, "review_aml")
		default:
			env.requireState(id, domain.InReview, "review_l1")
		}
		env.verifyCaseLog(id)
	}
}
