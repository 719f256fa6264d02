package graph

import (
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
)

// TestForeignIDsTakeTheWorkOfNone goes through every place of the schema that takes an id: to strangers each executes the
// same statements for another's object as for one that does not exist, so that the time of an answer does not tell them apart.
func TestForeignIDsTakeTheWorkOfNone(t *testing.T) {
	t.Parallel()
	m := pgmeter.New(t, pgtest.New(t).AppURL)
	w, schema := newStrangersOn(t, m.URL, time.Hour) // a pulse is no part of an answer
	ids := ownedIDs(w)
	w.service.Close(t.Context()) // writes the reads of the setup, which would fall into the middle
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
							at, by, kind, full, len(foreign), len(missing), without(foreign, missing), without(missing, foreign))
					}
				}
			}
		}
	}
	t.Logf("%d pairs of answers compared", compared)
}

// without lists the statements of a that b lacks, as often as it lacks them.
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
