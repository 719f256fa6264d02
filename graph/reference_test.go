package graph

import (
	"testing"

	"countersign/domain"
)

// A case is named by its id or by its reference, never by both; another person's reference is
// answered like one that does not exist.
func TestACaseIsReadByItsReference(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("sue", domain.RoleSubmitter)
	id := w.submit("sam", "90.00")
	reference := w.mustExecute("sam", `query($id: ID!) { case(id: $id) { reference } }`, "id", id).
		text("case", "reference")
	const query = `query($r: String!) { case(reference: $r) { id } }`
	if got := w.mustExecute("sam", query, "r", reference).text("case", "id"); got != id {
		t.Errorf("%s is the case %s, want %s", reference, got, id)
	}
	foreign, absent := w.execute("sue", query, "r", reference), w.execute("sue", query, "r", "CS-2026-999999")
	for _, got := range []result{foreign, absent} {
		if len(got.Errors) > 0 || got.at("case") != nil {
			t.Errorf("a case that sue may not read: %+v", got)
		}
	}
	for _, query := range []string{`query($i: ID, $r: String) { case(id: $i, reference: $r) { id } }`,
		`{ case { id } }`} {
		got := w.execute("sam", query, "i", id, "r", reference)
		if len(got.Errors) != 1 || got.at("case") != nil {
			t.Errorf("%s: %+v", query, got)
		}
	}
}
