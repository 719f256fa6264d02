package workflow

import (
	"slices"

	"countersign/domain"
)

// orderRule reads whether a case has a payment order. A definition that does not say it, as those
// from before the attribute, accepts one if the process has an amount.
func (b *builder) orderRule(text string) {
	rule := domain.OrderRule(text)
	switch {
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
				"document can determine amount and account.", b.def.Order)
		b.problems[len(b.problems)-1].Values = map[string]string{"node": node.ID,
			"order": string(b.def.Order)}
	}
}
