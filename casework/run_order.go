package casework

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"countersign/domain"
	"countersign/facts"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
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
	return s.check.Refusal(facts.ShareEvidence(s.use, s.others, true))
}

// ruleInput returns what rules can use of the order.
func (s orderState) ruleInput() *rules.OrderInput {
	all := facts.ShareEvidence(s.use, s.others, false)
	return &rules.OrderInput{Amount: s.check.Order.Amount, Payee: s.check.Order.Payee,
		Account: s.check.Order.Account, OtherAmounts: s.check.OtherAmountsText(),
		AmountDiffers: len(s.check.OtherAmounts) > 0, NoAmount: s.check.NoAmount,
		AmountCovered: s.check.AmountCovered(), PayeeCovered: s.check.PayeeCovered(),
		OtherPayees: s.check.OtherPayees, OtherAccounts: s.check.OtherAccounts,
		Exceeded: all.Exceeded, OnEvidence: all.References(), Sum: all.Sum.String(),
		Evidence: all.Evidence.String()}
}

// orderRuleInput loads what rules can use of the order; present is as in loadRuleInputs.
func (svc *Service) orderRuleInput(
	ctx context.Context, r store.Reader, c domain.Case, history facts.History,
	document domain.Document, now time.Time, present *command,
) (*rules.OrderInput, error) {
	var grounds []domain.OrderGround
	if present != nil {
		grounds = present.change.Grounds
	}
	state, err := svc.loadOrder(ctx, r, c, history, document, grounds, now)
	if err != nil {
		return nil, err
	}
	return state.ruleInput(), nil
}

// stopsOrder reports whether the error says that a case may not be paid or archived because of its
// payment order.
func stopsOrder(err error) bool {
	return domain.HasCode(err, domain.OrderUnsupported) || domain.HasCode(err, domain.OrderRequired)
}

// passes reports whether the change lets the case be paid or archived: a saga or an external stage
// that can pay starts, or the outcome becomes archived.
func (t *transition) passes() bool {
	if t.before.Outcome != domain.Archived && t.change.Case.Outcome == domain.Archived {
		return true
	}
	return slices.ContainsFunc(t.change.Runs, func(run domain.StageRun) bool {
		if run.Attempt != 1 {
			return false
		}
		return run.Kind == domain.RunKindSaga && run.Subject == sagaSubject(1, false) ||
			run.Queue == domain.QueueExternal && t.def.MayPay(run.Node)
	})
}

// changesEvidence reports whether the change says something else about the evidence of an order,
// which other orders on it must see.
func (t *transition) changesEvidence() bool {
	return t.change.OrderUse != nil && !t.change.OrderUse.Passed
}

// letOrderPass refuses a change that lets the case pass although its process requires an order that
// it does not have, or its evidence does not support the order, and marks the order as passed. The
// database decides again under the lock of the evidence, because two orders on it may pass at the
// same time.
func (t *transition) letOrderPass(
	ctx context.Context, r store.Reader, after func() (orderState, error),
) error {
	if !t.passes() {
		return nil
	}
	if t.change.Case.OrderRevision == 0 {
		return requireOrder(ctx, r, t.def, t.change.Case.ID)
	}
	if t.change.New { // its document is not stored yet; a later stage compares it
		return nil
	}
	state, err := after()
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

// requireOrder refuses a case without the order that its process requires. A correction case pays
// nothing, so it needs none.
func requireOrder(
	ctx context.Context, r store.Reader, def *workflow.Definition, id domain.ID,
) error {
	if !def.RequiresOrder() {
		return nil
	}
	corrects, err := r.Corrects(ctx, id)
	if err != nil || corrects != domain.NoID {
		return err
	}
	return domain.NewOrderRequired(def.Key)
}

// orderAfter loads the order of the case as it is after the step of a worker.
func (svc *Service) orderAfter(ctx context.Context, t *transition) (orderState, error) {
	r := svc.db.Reader()
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

// orderAfter loads the order of the locked case as it is after the command.
func (c *command) orderAfter() (orderState, error) {
	sets, err := c.storedAssertions()
	if err != nil {
		return orderState{}, err
	}
	document, err := c.newestDocument()
	if err != nil {
		return orderState{}, err
	}
	return c.svc.loadOrder(c.ctx, c.tx.Reader, c.change.Case,
		withSets(sets, c.change.Assertions...), document, c.change.Grounds, c.now)
}

// requireSupportedOrder refuses an approval that would let the case pass while its document does not support
// the payment order, before it asks for reasons that could not replace a ground.
func (c *command) requireSupportedOrder(review domain.Review, processFacts domain.ProcessFacts) error {
	if c.before.OrderRevision == 0 ||
		!workflow.ApprovalPasses(c.def, c.before.Marking, review, processFacts) {
		return nil
	}
	state, err := c.orderAfter()
	if err != nil {
		return err
	}
	return state.refusal()
}

// refreshOrderUse records what the order takes from its evidence after a change of its facts.
func (c *command) refreshOrderUse() error {
	if c.change.Case.OrderRevision == 0 {
		return nil
	}
	state, err := c.orderAfter()
	if err == nil {
		c.change.OrderUse = &state.use
	}
	return err
}
