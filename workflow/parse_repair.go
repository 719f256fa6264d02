package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// neededFacts reads the facts that a case needs.
func (b *builder) neededFacts(needs []string) {
	known := domain.NeededFacts()
	for i, fact := range needs {
		switch {
		case !slices.Contains(known, fact):
			b.addProblem(nil, "needs", "A process cannot need the fact %q. The facts are %s.", fact,
				strings.Join(known, ", "))
		case slices.Contains(needs[:i], fact):
			b.addProblem(nil, "needs", "The needed fact %s is listed twice.", fact)
		}
	}
	b.def.Needs = needs
}

// checkRepair checks a review with the duty repair: it ends when no fact is missing, or returns the
// case, and cannot be left in another way, because the case would continue without the fact.
func (b *builder) checkRepair(node *Node, text nodeText) {
	for _, verdict := range []domain.Verdict{domain.Repaired, domain.Return} {
		if node.outcomeEdge(string(verdict)) == nil {
			b.addProblem(node, "outcomes", "A review with the duty %s needs a target for %s.",
				domain.DutyRepair, verdict)
		}
	}
	for i := range node.Edges {
		switch edge := &node.Edges[i]; domain.Verdict(edge.On) {
		case domain.Repaired:
		case domain.Return:
			edge.CancelsAll = true
		default:
			b.addProblem(node, "outcomes",
				"A review with the duty %s can lead to repaired and return only, not to %q.",
				domain.DutyRepair, edge.On)
		}
	}
	for _, attribute := range []struct {
		name string
		set  bool
	}{
		{"seats", node.Seats > 1}, {"decide_by", node.Committee()}, {"undo", text.Undo != ""}, {"bulk", text.Bulk != nil},
		{"timeout", text.Timeout != nil}, {"signature_above", text.SignatureAbove != nil},
	} {
		if attribute.set {
			b.addProblem(node, "repair", "A review with the duty %s cannot have %s.",
				domain.DutyRepair, attribute.name)
		}
	}
}

// checkNeeds checks that missing facts can be named somewhere, and that nothing else is asked for
// there.
func (b *builder) checkNeeds() {
	at := slices.IndexFunc(b.def.Nodes, (*Node).Repairs)
	switch {
	case len(b.def.Needs) > 0 && at < 0 && !b.def.Callable:
		b.addProblem(nil, "needs",
			"A process that needs facts must have a review with the duty %s, where they are named.",
			domain.DutyRepair)
	case len(b.def.Needs) == 0 && at >= 0:
		b.addProblem(b.def.Nodes[at], "needs",
			"A review with the duty %s names needed facts, but the process lists none under needs.",
			domain.DutyRepair)
	}
}
