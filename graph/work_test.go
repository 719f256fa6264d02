package graph

import (
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
)

// TestForeignIDsTakeTheSameStatements calls every place of the schema that accepts an id. For
// outsiders, another user's object executes the same statements as a missing one, so that the
// response time does not distinguish them.
func TestForeignIDsTakeTheSameStatements(t *testing.T) {
	t.Parallel()
	m := pgmeter.New(t, pgtest.New(t).AppURL)
	w, schema := newOutsidersOn(t, m.URL, time.Hour) // polls are not part of a response
	ids := ownedIDs(w)
	// writes the access log entries of the setup now instead of during the test
	w.service.Close(t.Context())
	compared := 0
	for _, at := range idArguments(schema) {
		line := foreignPlaces[at.String()]
		for _, kind := range line.kinds {
			for _, by := range outsiders {
				for _, full := range []bool{false, true} {
					work := func(id string) []string {
						return m.During(func() { w.answerAt(schema, at, line, by, id, full) })
					}
					foreign, missing := work(ids[kind]), work(missingID(kind))
					if !slices.Equal(foreign, missing) { // a cache was cold
						foreign, missing = work(ids[kind]), work(missingID(kind))
					}
					compared++
					if !slices.Equal(foreign, missing) {
						t.Errorf("%s by %q, a %s (all arguments: %v): %d statements for a foreign one, %d for a missing one.\nonly foreign: %s\nonly missing: %s",
							at, by, kind, full, len(foreign), len(missing),
							without(foreign, missing), without(missing, foreign))
					}
				}
			}
		}
	}
	t.Logf("%d pairs of answers compared", compared)
}

// without returns the statements of a that b lacks, with multiplicity.
func without(a, b []string) string {
	b = slices.Clone(b)
	var rest []string
	for _, statement := range a {
		if at := slices.Index(b, statement); at >= 0 {
			b = slices.Delete(b, at, at+1)
			continue
		}
		rest = append(rest, statement[:min(len(statement), 160)])
	}
	return strings.Join(rest, " | ")
}
