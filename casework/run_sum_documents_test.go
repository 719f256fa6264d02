package casework_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/store"
)

// submitTaxed submits an e-invoice of a seller with a tax id.
func (env *testEnv) submitTaxed(by domain.Actor, seller, number, taxID string, cents int64) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = einvoice.Invoice{Number: number, Seller: seller, Total: cents, TaxID: taxID}.XML()
	env.reader.mu.Unlock()
	id := env.submit(by, number+seller)
	env.drainQueue()
	return id
}

// counted returns the documents that the finding of the case adds up, with their amounts.
func (env *testEnv) counted(id domain.ID, rule string) (map[domain.ID]int64, store.SumPage, *domain.CountedSum) {
	env.t.Helper()
	found := env.finding(id, rule)
	if found == nil || found.Counted == nil {
		env.t.Fatalf("no sum: %v, %+v", env.rulesOf(id), found)
	}
	if _, stored := found.Evidence["#counted"]; stored {
		env.t.Error("the values of the finding contain what was counted")
	}
	all := true
	page, err := env.db.Reader().SumDocuments(env.ctx, domain.Filter{Const: &all}, id, *found.Counted, domain.NoID, 100)
	must(env.t, err)
	amounts := map[domain.ID]int64{}
	for _, document := range page.Documents {
		amounts[document.ID] = document.Counted
	}
	return amounts, page, found.Counted
}

// requireCounted compares the documents of a sum with the cases.
func (env *testEnv) requireCounted(id domain.ID, want ...domain.ID) {
	env.t.Helper()
	amounts, page, sum := env.counted(id, "split_small")
	got := slices.SortedFunc(maps.Keys(amounts), domain.CompareIDs)
	slices.SortFunc(want, domain.CompareIDs)
	total := env.caseByID(id).BaseMinor
	for _, minor := range amounts {
		total += minor
	}
	if !slices.Equal(got, want) || total != sum.BaseMinor || sum.Documents != len(want) ||
		page.All != len(want) || page.Sum+sum.Own != sum.BaseMinor {
		env.t.Errorf("counted %d documents, %d; listed %v of %v, %d", sum.Documents, sum.BaseMinor, got, want, total)
	}
}

// A vendor is paid under two names with one tax id. The sum has each document once, whichever name the document has that
// reaches the mark, and exactly these are listed.
func TestSumOverNamesListsEachDocumentOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	taxID := einvoice.TaxID("Acme GmbH")
	first := env.submitTaxed(sam, "Acme GmbH", "A-1001", taxID, 30000)
	second := env.submitTaxed(sam, "Bright Handel KG", "B-2002", taxID, 20000)
	third := env.submitTaxed(sam, "Bright Handel KG", "B-3003", taxID, 10000)
	other := env.submitInvoice(sam, "Other GmbH", "O-1", 5000)
	fourth := env.submitTaxed(sam, "Acme GmbH", "A-4004", taxID, 60000)
	if by := env.finding(fourth, "split_small").Evidence["subject"]; by != "counterparty" {
		t.Fatalf("the sum is of %s", by)
	}
	env.requireCounted(fourth, first, second, third)
	fifth := env.submitTaxed(sam, "Bright Handel KG", "B-5005", taxID, 10000)
	env.requireCounted(fifth, first, second, third, fourth)
	if amounts, _, _ := env.counted(fifth, "split_small"); amounts[other] != 0 {
		t.Error("a document of another vendor is listed")
	}
}

// What happens afterwards changes neither the list nor its amounts: another document, a correction, a rejection.
func TestListOfASumKeepsItsTime(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, kim := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("kim", domain.RoleL1)
	var ids []domain.ID
	for i := range 3 {
		ids = append(ids, env.submitInvoice(sam, "Acme GmbH", fmt.Sprintf("INV-%d00%d", i, i), 50000))
	}
	third := ids[2]
	env.requireCounted(third, ids[:2]...)
	before, _, _ := env.counted(third, "split_small")
	env.submitInvoice(sam, "Acme GmbH", "INV-9009", 40000)
	env.claim(jan, ids[0])
	must(t, env.correct(jan, ids[0], domain.FieldTotal, "450.00"))
	must(t, env.claimAndDecide(kim, ids[1], "review_l1", domain.Reject))
	after, page, sum := env.counted(third, "split_small")
	if !maps.Equal(before, after) || page.Sum+sum.Own != sum.BaseMinor {
		t.Errorf("before %v, after %v", before, after)
	}
	var left int
	must(t, env.owner.QueryRow(env.ctx, `SELECT count(*) FROM (SELECT FROM sum_entries e FULL JOIN document_sums s
		ON (s.kind, s.subject, s.hour, s.band) = (e.kind, e.subject, e.hour, e.band)
		GROUP BY s.kind, s.subject, s.hour, s.band HAVING coalesce(sum(e.base_minor), 0) <> coalesce(max(s.base_minor), 0)
			OR coalesce(sum(e.documents), 0) <> coalesce(max(s.documents), 0)) x`).Scan(&left))
	if left != 0 {
		t.Errorf("%d sums differ from their entries", left)
	}
}

// A viewer whose rights leave out documents of a sum learns how many there are and their sum, but not which, on each page.
func TestHiddenDocumentsOfASum(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, kim := env.person("sam", domain.RoleSubmitter), env.person("kim", domain.RoleSubmitter)
	var ids []domain.ID
	for i, by := range []domain.Actor{sam, kim, kim, sam, sam} {
		ids = append(ids, env.submitInvoice(by, "Acme GmbH", fmt.Sprintf("INV-%d00%d", i, i), int64(10000*(i+2))))
	}
	last := ids[4]
	_, _, sum := env.counted(last, "split_small")
	own := domain.Filter{Compare: &domain.Comparison{Column: domain.ColSubmitter, Op: "==", Value: sam.UserID}}
	var seen []domain.ID
	before := domain.NoID
	for range 3 {
		page, err := env.db.Reader().SumDocuments(env.ctx, own, last, *sum, before, 1)
		must(t, err)
		if page.All != 4 || page.Hidden != 2 || page.HiddenSum != 77000 {
			t.Errorf("page %+v", page)
		}
		for _, document := range page.Documents {
			seen, before = append(seen, document.ID), document.ID
		}
	}
	if !slices.Equal(seen, []domain.ID{ids[3], ids[0]}) {
		t.Errorf("shown %v", seen)
	}
}
