package casework

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/facts"
	"countersign/rules"
	"countersign/store"
)

// orderState is the payment order of a case beside its evidence and the other orders on it.
type orderState struct {
	check  facts.OrderCheck
	use    domain.OrderUse
	others []domain.OrderUse
}

// loadOrder compares the order of a case with its evidence, and reads the other orders on it. The
// history includes what the present command asserts.
func (svc *Service) loadOrder(
	ctx context.Context, r store.Reader, c domain.Case, history facts.History,
	document domain.Document, changed []domain.OrderGround, now time.Time,
) (orderState, error) {
	var state orderState
	grounds, err := r.OrderGrounds(ctx, c.ID)
	if err != nil {
		return state, err
	}
	for _, ground := range changed {
		grounds = slices.DeleteFunc(grounds,
			func(g domain.OrderGround) bool { return g.Number == ground.Number })
		grounds = append(grounds, ground)
	}
	check, ok := facts.CheckOrder(history, grounds)
	if !ok {
		return state, domain.Errorf(domain.Internal, "The order of case %s is missing.", c.Reference)
	}
	state.check = check
	keys := history.EvidenceKeys(hex.EncodeToString(document.SHA256))
	if state.use, err = orderUse(ctx, r, c, check, keys, now); err != nil {
		return state, err
	}
	state.others, err = r.OtherOrderUses(ctx, c.ID, keys)
	return state, err
}

// orderUse returns what the order takes from its evidence.
func orderUse(
	ctx context.Context, r store.Reader, c domain.Case, check facts.OrderCheck, keys []string,
	now time.Time,
) (domain.OrderUse, error) {
	rates := map[string]int64{}
	for _, amount := range append([]domain.Money{check.Order.Amount}, check.Amounts...) {
		if _, known := rates[amount.Currency]; known {
			continue
		}
		rate, err := r.RateAt(ctx, amount.Currency, now)
		if err != nil {
			return domain.OrderUse{}, err
		}
		rates[amount.Currency] = rate.Micros
	}
	base := func(m domain.Money) int64 { return absoluteAmount(m).ToBase(rates[m.Currency]) }
	smallest, _ := check.Smallest(base)
	use := domain.OrderUse{CaseID: c.ID, EvidenceKeys: keys, Amount: check.Taken(smallest),
		Evidence: smallest, Covered: check.Covered()}
	use.BaseMinor = base(use.Amount)
	if smallest.Currency != "" {
		use.EvidenceBase = base(smallest)
	}
	return use, nil
}

// refusal explains why the order may not pass; nil if it may.
func (s orderState) refusal() error {
	shared := facts.ShareEvidence(s.use, s.others, true)
	switch {
	case !s.check.PayeeCovered():
		return domain.Errorf(domain.OrderUnsupported,
			"The document names another payee or account than the order.").
			WithRemedy("State why the order is right and let a second reviewer confirm it, "+
				"or return or reject the order.").WithDetail("reason", "payee")
	case !s.check.AmountCovered() && s.check.NoAmount:
		return domain.Errorf(domain.OrderUnsupported,
			"The document states no amount that supports the order.").
			WithRemedy("State a ground and let a second person confirm it, or return the order.").
			WithDetail("reason", "no_amount")
	case !s.check.AmountCovered():
		return domain.Errorf(domain.OrderUnsupported,
			"The order over %s differs from the document (%s).", s.check.Order.Amount,
			moneyList(s.check.OtherAmounts)).
			WithRemedy("State a ground and let a second person confirm it, or return the order.").
			WithDetail("reason", "amount").WithDetail("order", s.check.Order.Amount.String()).
			WithDetail("document", moneyList(s.check.OtherAmounts))
	case shared.Exceeded:
		return domain.Errorf(domain.OrderUnsupported,
			"Together with %s, the orders on this document are %s, but it supports %s.",
			strings.Join(shared.References(), ", "), shared.Sum, shared.Evidence).
			WithRemedy("Return or reject the order.").WithDetail("reason", "exceeded").
			WithDetail("cases", strings.Join(shared.References(), ", ")).
			WithDetail("sum", shared.Sum.String()).
			WithDetail("document", shared.Evidence.String())
	}
	return nil
}

func moneyList(amounts []domain.Money) string {
	texts := make([]string, len(amounts))
	for i, amount := range amounts {
		texts[i] = amount.String()
	}
	return strings.Join(texts, ", ")
}

// ruleInput returns what rules can use of the order.
func (s orderState) ruleInput() *rules.OrderInput {
	all := facts.ShareEvidence(s.use, s.others, false)
	return &rules.OrderInput{Amount: s.check.Order.Amount, Payee: s.check.Order.Payee,
		Account: s.check.Order.Account, OtherAmounts: moneyList(s.check.OtherAmounts),
		AmountDiffers: len(s.check.OtherAmounts) > 0, NoAmount: s.check.NoAmount,
		AmountCovered: s.check.AmountCovered(), PayeeCovered: s.check.PayeeCovered(),
		OtherPayees: s.check.OtherPayees, OtherAccounts: s.check.OtherAccounts,
		Exceeded: all.Exceeded, OnEvidence: all.References(), Sum: all.Sum.String(),
		Evidence: all.Evidence.String()}
}

// orderRuleInput loads what rules can use of the order.
func (svc *Service) orderRuleInput(
	ctx context.Context, r store.Reader, c domain.Case, document domain.Document, now time.Time,
	change *store.Change,
) (*rules.OrderInput, error) {
	history, err := r.Assertions(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	var grounds []domain.OrderGround
	if change != nil {
		history, grounds = withSets(history, change.Assertions...), change.Grounds
	}
	state, err := svc.loadOrder(ctx, r, c, history, document, grounds, now)
	if err != nil {
		return nil, err
	}
	return state.ruleInput(), nil
}

// passesOrder reports whether the change lets the case be paid or archived: a saga starts, or the
// outcome becomes archived.
func (t *transition) passesOrder() bool {
	if t.change.Case.OrderRevision == 0 || t.change.New {
		return false
	}
	if t.before.Outcome != domain.Archived && t.change.Case.Outcome == domain.Archived {
		return true
	}
	return slices.ContainsFunc(t.change.Runs, func(run domain.StageRun) bool {
		return run.Kind == domain.RunKindSaga && run.Subject == sagaSubject(1, false) &&
			run.Attempt == 1
	})
}

// changesEvidence reports whether the change says something else about the evidence of an order,
// which other orders on it must see.
func (t *transition) changesEvidence() bool {
	return t.change.OrderUse != nil && !t.change.OrderUse.Passed
}

// letOrderPass refuses a change that lets the case pass although its evidence does not support the
// order, and marks the order as passed. The database decides again under the lock of the evidence,
// because two orders on it may pass at the same time.
func (svc *Service) letOrderPass(ctx context.Context, r store.Reader, t *transition) error {
	if !t.passesOrder() {
		return nil
	}
	state, err := svc.orderAfter(ctx, r, t)
	if err != nil {
		return err
	}
	if err := state.refusal(); err != nil {
		return err
	}
	state.use.Passed, state.use.PassedAt = true, t.now
	t.change.OrderUse = &state.use
	return nil
}

// orderAfter loads the order of the case as it is after the change.
func (svc *Service) orderAfter(
	ctx context.Context, r store.Reader, t *transition,
) (orderState, error) {
	sets, err := r.Assertions(ctx, t.change.Case.ID)
	if err != nil {
		return orderState{}, err
	}
	document, err := r.Document(ctx, t.change.Case.ID)
	if err != nil {
		return orderState{}, err
	}
	return svc.loadOrder(ctx, r, t.change.Case, withSets(sets, t.change.Assertions...), document,
		t.change.Grounds, t.now)
}

// refreshOrderUse records what the order takes from its evidence after a change of its facts.
func (c *command) refreshOrderUse() error {
	if c.change.Case.OrderRevision == 0 {
		return nil
	}
	state, err := c.svc.orderAfter(c.ctx, c.tx.Reader, c.transition)
	if err == nil {
		c.change.OrderUse = &state.use
	}
	return err
}
