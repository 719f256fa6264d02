package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// unassessed reports that a case can be paid or archived as approved although its risk was not assessed since it
// started, its document was replaced or its values were entered, and reviews that decide before the assessment
// although no one decides after it. The entries are not compared if a new case passes as well, because they say
// the same.
func unassessed(def *Definition) []Problem {
	if def.Callable { // its callers assess
		return nil
	}
	b := builder{def: def}
	newCases := b.checkUnassessed(def.start, nil, "unassessed", "A case can be paid or archived as approved although "+
		"its risk was not assessed: duplicates, accounts and countries are not checked.")
	if first := def.index[def.OnReplace]; first != nil && !newCases {
		b.checkUnassessed(first, first, "unassessed_replace", "A case with a new document continues at %s and is paid "+
			"or archived as approved although the risk of this document was not assessed.")
	}
	if first := def.index[def.OnEnter]; first != nil && !newCases {
		b.checkUnassessed(first, first, "unassessed_enter", "A case whose values were entered continues at %s and is "+
			"paid or archived as approved although their risk was not assessed.")
	}
	b.checkAssessedLate()
	return b.problems
}

// checkUnassessed reports whether a case that continues at the node is paid or archived as approved without an
// assessment. The problem is that of the entry, or of the node at which the walk ends if entry is nil.
func (b *builder) checkUnassessed(at, entry *Node, rule, message string) bool {
	w := b.unassessedWalk(b.settlesAny)
	found := w.find(at)
	if found == nil {
		return false
	}
	path := w.route(found)
	var values []any
	if entry == nil {
		entry, path = found, append([]string{string(Started)}, path...)
	} else {
		values = append(values, entry.ID)
	}
	problem := b.addProblem(entry, rule, message, values...)
	problem.Path, problem.Values = path, map[string]string{"node": entry.ID}
	return true
}

// unassessedWalk follows a case by any decision of people and any branch, but not past an assessment.
func (b *builder) unassessedWalk(ends func(*Node) bool) *caseWalk {
	region := maps.Clone(b.def.bounds)
	return &caseWalk{def: b.def, ends: ends, edges: func(node *Node) []*Edge {
		switch {
		case node.Kind == KindExclusive:
			return possibleBranches(node, region)
		case node.assesses():
			return node.edgesBy(func(edge *Edge) bool { return edge.Trigger != "" }) // it has failed
		}
		return node.edgesBy(func(*Edge) bool { return true })
	}}
}

// settlesAny reports whether the case is archived as approved at the node or can be paid there. Unlike settles it
// counts payments before a later review, because no review undoes them.
func (b *builder) settlesAny(node *Node) bool {
	return node.Kind == KindSaga && b.def.HasAmount || b.def.settles(node)
}

// checkAssessedLate reports the reviews that decide before the risk is assessed, or beside its assessment, if the
// case is then settled without a decision, of a person or by a guard, that knows the findings.
func (b *builder) checkAssessedLate() {
	before := b.unassessedWalk(func(*Node) bool { return false })
	before.find(b.def.start)
	for _, review := range b.def.Reviews() {
		if _, early := before.reached[review]; !early || review.Repairs() {
			continue
		}
		after := b.unassessedWalk(func(*Node) bool { return false })
		after.left = review
		after.find(targetsOf(review.edgesBy((*Edge).decides))...)
		for _, node := range b.def.Nodes {
			_, behind := after.reached[node]
			if !node.assesses() || !behind && !runsBeside(node, review) {
				continue
			}
			if found, path := b.settledUnread(node); found != nil {
				problem := b.addProblem(review, "assessed_late", "%s can decide before the risk is assessed, so without "+
					"the findings, and no one decides after the assessment.", review.ID)
				problem.Path, problem.Values = path, map[string]string{"node": review.ID}
				break
			}
		}
	}
}

// settledUnread returns where a case is settled after the assessment although neither a person nor a guard that
// asks for findings has decided since, with the route from the assessment; nil if there is no such way.
func (b *builder) settledUnread(assessment *Node) (*Node, []string) {
	region := maps.Clone(b.def.bounds)
	w := caseWalk{def: b.def, left: assessment, ends: b.settlesAny, edges: func(node *Node) []*Edge {
		switch {
		case node.Kind == KindExclusive && slices.ContainsFunc(node.Edges, asksForFindings):
			return nil
		case node.Kind == KindExclusive:
			return possibleBranches(node, region)
		case node.Kind == KindReview && !node.Repairs():
			return node.edgesBy(func(edge *Edge) bool { return edge.Trigger != "" })
		}
		return node.edgesBy(func(*Edge) bool { return true })
	}}
	found := w.find(targetsOf(assessment.edgesBy(func(edge *Edge) bool { return edge.Trigger == "" }))...)
	return found, append([]string{assessment.ID + " " + OutcomeDone}, w.route(found)...)
}

// asksForFindings reports whether the guard of a branch compares what an assessment finds.
func asksForFindings(edge Edge) bool {
	return edge.guard != nil && (len(edge.guard.Findings()) > 0 ||
		slices.ContainsFunc(edge.guard.Names(), func(name string) bool {
			return name == "risk" || name == "blocking" || name == "warnings"
		}))
}

func (n *Node) assesses() bool { return n.Kind == KindStage && n.Behaviour == domain.BehaviourAssess }

// decides reports whether the edge of a review is taken by an approval or a rejection.
func (e *Edge) decides() bool { return e.Trigger == "" && e.On != string(domain.Return) }
