package casework_test

import (
	"fmt"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/internal/einvoice"
)

// A finding about split amounts names the cases that it counts, also those of another vendor name that the tax id of
// the case leads to. An earlier case whose tax id leads to this vendor is counted and not named; the page says so.
func TestTheSumNamesCasesOfAnotherNameWithTheTaxID(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	for _, row := range []struct {
		vendors []string
		named   []int
	}{
		{[]string{"Hafen Logistik GmbH", "Hafen Logistik GmbH", "Hafen Logistik GmbH", "Nordlicht Spedition AG"},
			[]int{0, 1, 2}},
		{[]string{"Alster Druck GmbH", "Billwerder Papier AG", "Alster Druck GmbH", "Alster Druck GmbH"}, []int{0, 2}},
	} {
		vendors := row.vendors
		taxID := map[bool]string{true: "DE136695976", false: "DE811907980"}[vendors[0] == "Hafen Logistik GmbH"]
		var references []string
		var last domain.ID
		for i, vendor := range vendors {
			by := []domain.Actor{sam, sue}[i%2]
			env.reader.mu.Lock()
			env.reader.xml = einvoice.Invoice{Number: fmt.Sprintf("%s-71%d3", vendor[:3], i), Seller: vendor,
				Total: 30000 + int64(i), TaxID: taxID}.XML()
			env.reader.mu.Unlock()
			last = env.submit(by, domain.NewID().String())
			env.drainQueue()
			references = append(references, env.caseByID(last).Reference)
		}
		found := env.finding(last, "split_small")
		if found == nil || found.Evidence["subject"] != "counterparty" {
			t.Fatalf("%v: %+v, rules %v", vendors, found, env.rulesOf(last))
		}
		var want []string
		for _, i := range row.named {
			want = append(want, references[i])
		}
		if found.Evidence["count"] != "3" || !slices.Equal(found.NamedCases(), want) {
			t.Errorf("%v: counts %s, names %v, want %v", vendors, found.Evidence["count"], found.NamedCases(), want)
		}
	}
}
