package casework_test

import (
	"testing"

	"countersign/domain"
)

// A total that a reviewer corrected on the file keeps its currency in each part, also if the pages of the part
// state none. Otherwise the amount of the part would be unknown, and the next reviewer would choose its currency.
func TestPartsKeepTheCurrencyOfACorrectedTotal(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleManager)
	env.person("lea", domain.RoleManager)
	env.reader.mu.Lock()
	env.reader.xml = nil
	env.reader.lines = append(invoiceLines("Alpha Supplies GmbH", "A-1001", "900000.00"), "or 850000.00")
	env.reader.others = [][]string{{"Terms and conditions", "1. Scope"}}
	env.reader.mu.Unlock()
	id := env.submitTo(sam, "document_approval", "invoice", domain.NewID().String())
	env.claim(rita, id)
	must(t, env.correct(rita, id, domain.FieldTotal, "850000.00"))
	if pending := env.pending(id, domain.FieldTotal); pending != "" {
		t.Fatalf("the total waits: %s", pending)
	}
	whole := env.caseByID(id).BaseMinor
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	for i, part := range split.Parts {
		if c := env.caseByID(part); c.BaseMinor < whole {
			t.Errorf("part %d has %d at risk, the file had %d", i+1, c.BaseMinor, whole)
		}
	}
}
