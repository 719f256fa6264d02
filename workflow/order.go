package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// orderRule reads whether a case has a payment order. A definition that does not say it, as those
// from before the attribute, accepts one if the process has an amount.
func (b *builder) orderRule(text string) {
	rule := domain.OrderRule(text)
	switch {
	case b.def.Callable:
		rule = domain.OrderRuleNone
	case text == "" && b.def.HasAmount:
		rule = domain.OrderRuleOptional
	case text == "":
		rule = domain.OrderRuleNone
	case rule != domain.OrderRuleRequired && rule != domain.OrderRuleOptional &&
		rule != domain.OrderRuleNone:
		b.addProblem(nil, "order", "order must be required, optional or none, not %q.", text)
	case rule != domain.OrderRuleNone && !b.def.HasAmount:
		b.addProblem(nil, "order", "A process without an amount cannot have payment orders.")
	}
	b.def.Order = rule
}

// ApprovalPasses reports whether an approval of the review lets the case pass, so that no other person
// decides in between. What the engine refuses does not pass.
func ApprovalPasses(
	def *Definition, marking domain.Marking, review domain.Review, facts domain.ProcessFacts,
) bool {
	event := Event{Kind: ReviewDecided, Node: review.Node, Visit: review.Visit, Seat: review.Seat,
		Verdict: domain.Approve}
	if node := def.index[review.Node]; node != nil && node.Committee() {
		event.Kind = committeeDecided // a vote that is not an approval can complete the majority
	}
	step, err := Advance(def, marking, event, facts)
	return err == nil && LetsPass(step.Effects)
}

// LetsPass reports whether the effects of a step let a case be paid or archived as approved: a saga
// starts, or the stage that archives the case.
func LetsPass(effects []Effect) bool {
	return slices.ContainsFunc(effects, func(effect Effect) bool {
		switch effect := effect.(type) {
		case StartStage:
			return effect.Outcome == domain.Archived
		case StartStep:
			return effect.Step == 1 && !effect.Undo
		}
		return false
	})
}

// checkPaidOrders warns about sagas that pay without a payment order. Each call of a saga gets the
// amount and the account of the case, so each saga of a process with an amount can pay.
func (b *builder) checkPaidOrders() {
	if b.def.RequiresOrder() || !b.def.HasAmount {
		return
	}
	for _, node := range b.def.Nodes {
		if node.Kind != KindSaga {
			continue
		}
		b.addProblem(node, "order_not_required",
			"The calls can pay, but the process does not require a payment order (order: %s), so the "+
				"document can determine amount and account.", b.def.Order).Values = map[string]string{"node": node.ID,
			"order": string(b.def.Order)}
	}
}

// MayPay reports whether the program of an external stage can pay for a case as it is decided then: the
// definition does not say that it pays nothing (pays: false), and neither is the case certainly judged
// again before it is archived, nor does a review run beside the stage.
func (d *Definition) MayPay(id string) bool {
	node, ok := d.index[id]
	if !ok || node.Kind != KindExternal || node.PaysNothing ||
		slices.ContainsFunc(d.Nodes, func(other *Node) bool {
			return other.Kind == KindReview && runsBeside(node, other)
		}) {
		return false
	}
	return reachesArchive(node)
}

// reachesArchive reports whether the case can be archived from a node without a review and without
// another evaluation of its document.
func reachesArchive(from *Node) bool {
	seen, open := map[*Node]bool{from: true}, []*Node{from}
	for len(open) > 0 {
		node := open[len(open)-1]
		open = open[:len(open)-1]
		if node.Outcome == domain.Archived {
			return true
		}
		for _, edge := range node.Edges {
			if edge.target != nil && !seen[edge.target] && !edge.target.judges() {
				seen[edge.target] = true
				open = append(open, edge.target)
			}
		}
	}
	return false
}

// judges reports whether the facts of a case are read, evaluated or reviewed at the node.
func (n *Node) judges() bool {
	if n.Kind != KindStage {
		return n.Kind == KindReview
	}
	switch n.Behaviour {
	case domain.BehaviourRead, domain.BehaviourExtract, domain.BehaviourValidate,
		domain.BehaviourAssess:
		return true
	}
	return false
}

// runsBeside reports whether two nodes are in different branches of one fork.
func runsBeside(a, b *Node) bool {
	inA, inB := scopeParts(a.scope), scopeParts(b.scope)
	for i := range min(len(inA), len(inB)) {
		if inA[i] == inB[i] {
			continue
		}
		forkA, branchesA, _ := strings.Cut(inA[i], ".")
		forkB, branchesB, _ := strings.Cut(inB[i], ".")
		return forkA != "" && forkA == forkB &&
			!slices.ContainsFunc(strings.Split(branchesA, "+"), func(branch string) bool {
				return slices.Contains(strings.Split(branchesB, "+"), branch)
			})
	}
	return false
}
