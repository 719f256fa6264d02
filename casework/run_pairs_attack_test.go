package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// yenLines is an invoice of another vendor in yen.
func yenLines(total string) []string {
	lines := invoiceLines("Beta Trading GmbH", "B-2002", total)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "EUR", "JPY")
	}
	return lines
}

// pairsEnv has rates for yen, of which 50,000 are less than 900 EUR, and for pounds.
func pairsEnv(t *testing.T) (env *testEnv, sam, rita domain.Actor) {
	env = newTestEnv(t)
	env.replaceRate("JPY", 6_700)
	env.replaceRate("GBP", 1_300_000)
	env.person("rolf", domain.RoleSenior)
	env.person("lea", domain.RoleSenior)
	return env, env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
}

// The amount at risk of a file is one that a document in it states, whichever comes first. The largest of
// them counts, also if its number is the smaller one.
func TestAmountAtRiskIsStatedByADocument(t *testing.T) {
	t.Parallel()
	env, sam, _ := pairsEnv(t)
	euro := invoiceLines("Alpha Supplies GmbH", "A-1001", "900.00")
	for name, pages := range map[string][][]string{
		"euro first": {euro, yenLines("50000")}, "yen first": {yenLines("50000"), euro},
		"a page":           {euro, {"Alpha Supplies GmbH", "Total JPY 50000"}},
		"a page in front":  {{"Alpha Supplies GmbH", "Total JPY 50000"}, euro},
		"a large yen page": {euro, {"Alpha Supplies GmbH", "Total JPY 140000"}},
	} {
		c := env.caseByID(env.submitFile(sam, "invoice", pages...))
		if got := c.AmountAtRisk().String(); name != "a large yen page" && (got != "900.00 EUR" || c.BaseMinor != 99_000) ||
			name == "a large yen page" && (got != "900.00 EUR" || c.BaseMinor != 99_000) && got != "140000 JPY" {
			t.Errorf("%s: %s at risk, %d in the base currency, %s in force", name, got, c.BaseMinor, c.Amount)
		}
		if !slices.Contains(c.DifferingFields, domain.FieldTotal) || !slices.Contains(c.DifferingFields, domain.FieldCurrency) {
			t.Errorf("%s: differing %v", name, c.DifferingFields)
		}
	}
}

// Attacks: a total whose currency is open counts in each: the total of a page that states none, and the one
// that a reviewer enters or chooses without its currency.
func TestOpenCurrenciesStayCautious(t *testing.T) {
	t.Parallel()
	env, sam, rita := pairsEnv(t)
	euro := invoiceLines("Alpha Supplies GmbH", "A-1001", "900.00")
	id := env.submitFile(sam, "invoice", euro, yenLines("50000"), []string{"Gamma AG", "Total 95,000.00"})
	if c := env.caseByID(id); c.AmountAtRisk().String() != "95000.00 EUR" {
		t.Errorf("without a currency: %s", c.AmountAtRisk())
	}
	for name, entered := range map[string][]string{
		"the other total": {domain.FieldTotal, "50000"}, "another currency": {domain.FieldCurrency, "GBP"},
	} {
		id := env.submitFile(sam, "invoice", euro, yenLines("50000"))
		env.claim(rita, id)
		must(t, env.correct(rita, id, entered...))
		c := env.caseByID(id)
		if got := c.AmountAtRisk().String(); got != "50000.00 EUR" && got != "50000.00 GBP" {
			t.Errorf("%s: %s at risk, %s in force", name, got, c.Amount)
		}
	}
	// Only the weak currency is entered: the stated amounts of the other one count until it is resolved.
	id = env.submitFile(sam, "invoice", euro, yenLines("50000"))
	env.claim(rita, id)
	must(t, env.correct(rita, id, domain.FieldCurrency, "JPY"))
	if c := env.caseByID(id); env.pending(id, domain.FieldCurrency) != "" && c.BaseMinor < 99_000 {
		t.Errorf("the currency waits, and %d is at risk", c.BaseMinor)
	}
}

// Parts and a merged file have no smaller amount at risk than the file had, and none that it did not have.
func TestPartsInheritPairs(t *testing.T) {
	t.Parallel()
	env, sam, rita := pairsEnv(t)
	id := env.submitFile(sam, "invoice", invoiceLines("Alpha Supplies GmbH", "A-1001", "900.00"), yenLines("50000"))
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	for i, part := range split.Parts {
		if c := env.caseByID(part); c.BaseMinor != 99_000 || c.AmountAtRisk().String() != "900.00 EUR" {
			t.Errorf("part %d: %s in force, %s at risk, %d", i+1, c.Amount, c.AmountAtRisk(), c.BaseMinor)
		}
	}
}
