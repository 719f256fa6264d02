package graph

import (
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
)

func referenceOfCopy(id domain.ID) string { return "CS-2020-" + id.String()[30:] }

// copyCase inserts a copy of a case with other values of its columns.
func copyCase(t *testing.T, db *pgtest.DB, of domain.ID, change map[string]any) domain.ID {
	t.Helper()
	id := domain.NewID()
	change["id"], change["reference"] = id, referenceOfCopy(id)
	_, err := db.Owner(t).Exec(t.Context(), `INSERT INTO cases SELECT (jsonb_populate_record(c, $2)).*
		FROM cases c WHERE c.id = $1`, of, change)
	must(t, err)
	return id
}

// A list of split files and their parts takes the same number of statements whatever its length, and
// each file has its own parts in order.
func TestPartsStatementsDoNotGrowWithLength(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	m := pgmeter.New(t, db.AppURL)
	w := newTestEnvOn(t, m.URL)
	w.person("sam", domain.RoleSubmitter)
	whole, err := scalar.IDOf(scalar.KindCase, "id", w.submit("sam", "90000.00"))
	must(t, err)
	parts := map[string][]string{}
	for range 8 {
		file := copyCase(t, db, whole, map[string]any{"outcome": "abandoned"})
		for page := 1; page <= 2; page++ {
			part := copyCase(t, db, whole, map[string]any{"parent_id": file, "origin_id": file,
				"part": domain.CasePart{Parent: file, Origin: file, First: page, Last: page}})
			name := scalar.GlobalID(scalar.KindCase, file)
			parts[name] = append(parts[name], referenceOfCopy(part))
		}
	}
	const list = `query($first: Int!) { cases(first: $first) { nodes { id parent { reference }
		pages { first } parts { reference pages { first last } } } } }`
	w.mustExecute("sam", list, "first", 3) // prepares the statements
	took := map[int]int64{}
	for _, first := range []int{3, 25} {
		var got result
		// On a busy machine a batch may be read in two statements, so the fewest of several runs count.
		for run := range 5 {
			before := m.Executed()
			got = w.mustExecute("sam", list, "first", first)
			if n := m.Executed() - before; run == 0 || n < took[first] {
				took[first] = n
			}
		}
		found := 0
		for i := range min(first, 25) {
			id := got.text("cases", "nodes", i, "id")
			for j, part := range parts[id] {
				found++
				if shown := got.text("cases", "nodes", i, "parts", j, "reference"); shown != part {
					t.Errorf("part %d of a file is %s, want %s", j, shown, part)
				}
			}
		}
		if first == 25 && found != 16 {
			t.Errorf("%d parts are listed, want 16", found)
		}
	}
	if took[3] != took[25] {
		t.Errorf("3 cases took %d statements, 25 took %d", took[3], took[25])
	}
}
