package facts

import (
	"slices"

	"countersign/domain"
)

// SharedEvidence is the sum of the orders on one piece of evidence.
type SharedEvidence struct {
	Orders   []domain.OrderUse // the other orders
	Sum      domain.Money
	Evidence domain.Money
	Known    bool // the evidence states an amount
	Exceeded bool
}

// References returns the references of the cases of the other orders.
func (s SharedEvidence) References() []string {
	var references []string
	for _, order := range s.Orders {
		references = append(references, order.Reference)
	}
	return references
}

// ShareEvidence adds up an order and others on its evidence: all of them, or those that have passed.
// In several currencies it adds them up in the base currency, where each conversion may round up by
// one. The function order_fits of the database judges the same.
func ShareEvidence(use domain.OrderUse, others []domain.OrderUse, passedOnly bool) SharedEvidence {
	uses := []domain.OrderUse{use}
	var shared SharedEvidence
	for _, other := range others {
		if other.Passed || !passedOnly {
			uses = append(uses, other)
			shared.Orders = append(shared.Orders, other)
		}
	}
	oneCurrency := !slices.ContainsFunc(uses, func(u domain.OrderUse) bool {
		return u.Amount.Currency != use.Amount.Currency ||
			u.Evidence.Currency != "" && u.Evidence.Currency != use.Amount.Currency
	})
	shared.Sum.Currency, shared.Evidence.Currency = domain.BaseCurrency, domain.BaseCurrency
	tolerance := int64(len(uses))
	if oneCurrency {
		shared.Sum.Currency, shared.Evidence.Currency = use.Amount.Currency, use.Amount.Currency
		tolerance = 0
	}
	for _, one := range uses {
		amount, evidence := one.BaseMinor, one.EvidenceBase
		if oneCurrency {
			amount, evidence = one.Amount.Minor, one.Evidence.Minor
		}
		shared.Sum.Minor += amount
		if one.Evidence.Currency != "" && (!shared.Known || evidence < shared.Evidence.Minor) {
			shared.Evidence.Minor, shared.Known = evidence, true
		}
	}
	shared.Exceeded = shared.Known && len(uses) > 1 &&
		shared.Sum.Minor > shared.Evidence.Minor+tolerance
	return shared
}
