package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// orderOf submits an order with an e-invoice of the seller, who has an account of their own.
func (env *testEnv) orderOf(
	by domain.Actor, seller, number string, total int64, payer, payee, account string,
) domain.ID {
	env.t.Helper()
	env.reader.lines, env.reader.xml = nil, einvoice.Invoice{Number: number, Seller: seller,
		Total: total, Account: account}.XML()
	amount := domain.Money{Minor: total, Currency: "EUR"}
	return env.mustOrder(by, casework.OrderInput{Payer: payer, Payee: payee, Account: account,
		Country: "DE", Amount: amount.Decimal(), Currency: "EUR", Purpose: "invoice",
		Reference: domain.NewID().String()})
}

// comparisons returns the findings that compare a case with others.
func (env *testEnv) comparisons(id domain.ID) []string {
	env.t.Helper()
	return slices.DeleteFunc(env.findingRules(id), func(rule string) bool {
		return !strings.HasPrefix(rule, "duplicate_") && !strings.HasPrefix(rule, "split_")
	})
}

// Orders of one payer to several payees are neither duplicates, even if the invoices have the same
// number, nor one split payment.
func TestOrdersOfOnePayerToSeveralPayees(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	for n := range 5 { // by different people, because the orders of one submitter are added up too
		sam := env.person(fmt.Sprintf("sam%d", n), domain.RoleSubmitter)
		payee := fmt.Sprintf("Zulieferer %c GmbH", 'A'+n)
		id := env.orderOf(sam, payee, "2026-001", 3_000_000+int64(n), "Kunde AG", payee,
			einvoice.GermanAccount(n))
		if found := env.comparisons(id); len(found) > 0 {
			t.Errorf("order %d: found %v", n, found)
		}
	}
}

// A payee does not escape the comparison because the order also names them as payer, or names only
// them as payer although the document is theirs.
func TestPayeeNamedAsPayerIsCompared(t *testing.T) {
	t.Parallel()
	const seller, other = "Zulieferer A GmbH", "Zulieferer B GmbH"
	for name, row := range map[string]struct{ payer, payee string }{
		"payer and payee":            {seller, seller},
		"payer of another's invoice": {seller, other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam := env.person("sam", domain.RoleSubmitter)
			for n := range 4 {
				id := env.orderOf(sam, seller, "2026-001", 3_000_000, row.payer, row.payee,
					einvoice.GermanAccount(n))
				found := env.comparisons(id)
				if n > 0 && !slices.Contains(found, "duplicate_number") ||
					n == 3 && !slices.Contains(found, "split_payments") {
					t.Errorf("order %d: found %v", n, found)
				}
			}
		})
	}
}
