package graph

import (
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/internal/pgtest"
)

const linesOfCase = `query($id: ID!) { case(id: $id) { lineItems { found xmlCount pageCount sumEquals
	sum { amount currency } adjustment { amount } items { description quantity unitPrice taxRate
	amount { amount currency } allowance { amount } page boxes { x } confidence source addsUp } } } }`

// Everyone who may read a case reads its line items, and no one else does.
func TestLineItemsAreReadableWithTheirCase(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	w := newTestEnvOn(t, database.AppURL)
	w.person("sam", domain.RoleSubmitter)
	w.person("tom", domain.RoleSubmitter)
	w.person("sid", domain.RoleSenior)
	id := w.submitDeclared("sam", "717.97", "158980", "USD", "DE")
	if found := w.mustExecute("sid", linesOfCase, "id", id); found.text("case", "lineItems",
		"sumEquals") != "" || len(found.at("case", "lineItems", "items").([]any)) != 0 {
		t.Errorf("%+v", found)
	}
	_, key, err := scalar.ParseID(id)
	must(t, err)
	if _, err := database.Owner(t).Exec(t.Context(), `INSERT INTO line_items (case_id, revision, document_revision,
		at, currency, xml_count, page_count, sum_minor, adjustment_minor, sum_equals, certain, items)
		VALUES ($1, 1000, 1, clock(), 'EUR', 1200, 1, 100, 0, 'differs', true, '[{"description": "Nails",
		"quantity": "3", "unitPrice": "0.5", "minor": 100, "allowance": 50, "confidence": 0.3,
		"source": "xml", "check": "adds_up"}]')`, key); err != nil {
		t.Fatal(err)
	}
	for _, reader := range []string{"sid", "sam"} {
		found := w.mustExecute(reader, linesOfCase, "id", id)
		at := func(path ...any) string {
			return found.text(append([]any{"case", "lineItems"}, path...)...)
		}
		if at("items", 0, "amount", "amount") != "1.00" || at("sum", "currency") != "EUR" ||
			at("items", 0, "allowance", "amount") != "0.50" || at("sumEquals") != "DIFFERS" ||
			found.at("case", "lineItems", "items", 0, "addsUp") != true ||
			at("items", 0, "source") != "XML" {
			t.Errorf("%s: %+v", reader, found)
		}
	}
	if found := w.execute("tom", linesOfCase, "id", id); found.text("case", "lineItems", "found") != "" ||
		found.at("case") != nil {
		t.Errorf("a stranger: %+v", found)
	}
}
