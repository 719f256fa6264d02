package workflow

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

const keptDefinition = `
key: kept
version: 1
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: base_minor > 100000, to: senior}, {when: base_minor > 1000, to: junior}], default: archive}
  - {id: junior, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected}}
  - {id: senior, kind: review, queue: L2, level: 2, on: {approve: archive, reject: seal_rejected}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
`

func ofAmount(base int64, kept ...string) domain.ProcessFacts {
	facts := clean()
	facts.BaseMinor, facts.AmountKnown, facts.KeptReviews = base, true, kept
	return facts
}

// A kept review takes place although the guards say no, and never instead of the review that the guards
// require: a part above a mark must not pass at a lower level because the file was below it.
func TestKeptReviewsDoNotReplaceRequiredOnes(t *testing.T) {
	t.Parallel()
	def := mustParse(t, keptDefinition)
	for name, row := range map[string]struct {
		facts domain.ProcessFacts
		want  string
	}{
		"small": {ofAmount(10), "archive"}, "kept": {ofAmount(10, "junior"), "junior"},
		"kept higher":      {ofAmount(5_000, "senior"), ""}, // both are needed, and one is possible
		"required":         {ofAmount(5_000), "junior"},
		"required higher":  {ofAmount(200_000), "senior"},
		"required not got": {ofAmount(200_000, "junior"), ""},
	} {
		step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, row.facts)
		switch {
		case row.want == "" && !domain.HasCode(err, domain.FourEyes):
			t.Errorf("%s: %v, at %v", name, err, step.Marking.Tokens)
		case row.want != "" && (err != nil || step.Marking.Tokens[0].Node != row.want):
			t.Errorf("%s: at %v (%v), want %s", name, step.Marking.Tokens, err, row.want)
		}
	}
}

// In random definitions a case with kept reviews visits all of them, and every review that it would visit
// without them, or does not get past.
func TestRandomKeptReviewsOnlyAddReviews(t *testing.T) {
	t.Parallel()
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		def := soundDefinition(t)
		facts := clean()
		facts.BaseMinor = rapid.Int64Range(0, 1_000_000).Draw(t, "base")
		facts.Risk = rapid.IntRange(0, 100).Draw(t, "risk")
		plain, err := Simulate(def, facts, Past{})
		if err != nil {
			return // the facts do not fit a guard
		}
		for _, node := range def.Reviews() {
			if !node.Repairs() && rapid.Bool().Draw(t, node.ID) {
				facts.KeptReviews = append(facts.KeptReviews, node.ID)
			}
		}
		visited, err := Simulate(def, facts, Past{})
		if domain.HasCode(err, domain.FourEyes) {
			return // waits for a person
		}
		if err != nil {
			t.Fatal(err)
		}
		archived := slices.ContainsFunc(visited.Nodes, func(id string) bool { return def.index[id].Outcome == domain.Archived })
		for _, id := range facts.KeptReviews {
			if archived && !slices.Contains(visited.Nodes, id) {
				t.Fatalf("kept %s, visited %s", id, strings.Join(visited.Nodes, " "))
			}
		}
		for _, id := range plain.Nodes {
			if archived && def.index[id].Kind == KindReview && !slices.Contains(visited.Nodes, id) {
				t.Fatalf("without kept reviews the case visits %s, with %v %s", id, facts.KeptReviews,
					strings.Join(visited.Nodes, " "))
			}
		}
		passed++
	})
	t.Logf("%d passed", passed)
}
