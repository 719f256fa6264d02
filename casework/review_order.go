package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/events/generated"
	"countersign/facts"
)

// StateOrderGround asks to state why the order of a case under review differs from the document.
type StateOrderGround struct {
	ReviewTarget
	Ground GroundInput
}

// StateOrderGround states a ground under the reviewer's claim. It counts after another person has
// confirmed it.
func (svc *Service) StateOrderGround(
	ctx context.Context, actor domain.Actor, in StateOrderGround,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "stateGround", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	ground, invalid := parseGround(in.Ground)
	return runOrderCommand(ctx, svc, actor, "stateGround", in.ReviewTarget, in,
		func(c *command, state orderState, grounds []domain.OrderGround) error {
			if invalid != nil {
				return invalid
			}
			if len(grounds) >= maxGrounds {
				return domain.Invalid("ground", "An order can have at most %d grounds.", maxGrounds)
			}
			if !state.check.Explains(ground.Kind) {
				return groundDoesNotFit()
			}
			ground.CaseID, ground.Number = c.before.ID, len(grounds)+1
			ground.Covers = state.check.Difference(ground.Kind.AboutPayee())
			ground.StatedBy, ground.StatedAt = c.actor.UserID, c.now
			ground.StatedOnBehalfOf = c.actor.OnBehalfOf
			c.change.Grounds = append(c.change.Grounds, ground)
			c.emit(generated.OrderGroundStatedV1{Ground: int64(ground.Number),
				Kind: string(ground.Kind), Explanation: ground.Explanation})
			return nil
		})
}

// maxGrounds bounds the grounds of one order.
const maxGrounds = 50

func groundDoesNotFit() error {
	return domain.Invalid("ground.kind",
		"This ground does not explain the difference between order and document.").
		WithRemedy("Compare order and document, then choose another ground.")
}

// ConfirmOrderGround asks to confirm a ground that another person stated.
type ConfirmOrderGround struct {
	ReviewTarget
	Number int
}

// ConfirmOrderGround confirms a ground under the reviewer's claim, so that the difference that it
// explains no longer blocks.
func (svc *Service) ConfirmOrderGround(
	ctx context.Context, actor domain.Actor, in ConfirmOrderGround,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "confirmGround", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	return runOrderCommand(ctx, svc, actor, "confirmGround", in.ReviewTarget, in,
		func(c *command, state orderState, grounds []domain.OrderGround) error {
			at := slices.IndexFunc(grounds,
				func(g domain.OrderGround) bool { return g.Number == in.Number })
			if at < 0 {
				return domain.Invalid("ground", "The order has no ground %d.", in.Number)
			}
			return c.confirmGround(state, grounds[at])
		})
}

func (c *command) confirmGround(state orderState, ground domain.OrderGround) error {
	if ground.IsStatedBy(c.accountIDs()...) {
		return domain.Errorf(domain.FourEyes,
			"You cannot confirm a ground that you stated, or that was stated on your behalf.").
			WithRemedy("Another person has to confirm it.")
	}
	if ground.Confirmed() {
		return domain.Errorf(domain.StateMismatch, "This ground is already confirmed.").
			WithDetail("status", string(c.before.Status))
	}
	if !state.check.Matches(ground) {
		return groundDoesNotFit()
	}
	ground.Covers = state.check.Difference(ground.Kind.AboutPayee())
	ground.ConfirmedBy, ground.ConfirmedAt = c.actor.UserID, c.now
	ground.ConfirmedOnBehalfOf = c.actor.OnBehalfOf
	c.change.Grounds = append(c.change.Grounds, ground)
	c.emit(generated.OrderGroundConfirmedV1{Ground: int64(ground.Number),
		Kind: string(ground.Kind), StatedBy: ground.StatedBy})
	return nil
}

// runOrderCommand runs a command on the order of a case under the reviewer's claim. Afterwards the
// rules are evaluated again.
func runOrderCommand(
	ctx context.Context, svc *Service, actor domain.Actor, operation string, in ReviewTarget,
	request any, change func(*command, orderState, []domain.OrderGround) error,
) (ReviewResult, error) {
	return runReviewCommand(ctx, svc, actor, operation, in, request,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeAtVersion(domain.ActCorrect, review, in.ExpectedVersion); err != nil {
				return ReviewResult{}, err
			}
			if c.before.OrderRevision == 0 {
				return ReviewResult{}, domain.Errorf(domain.StateMismatch,
					"This case has no payment order.").
					WithDetail("status", string(c.before.Status))
			}
			state, err := c.orderAfter()
			if err != nil {
				return ReviewResult{}, err
			}
			grounds, err := c.tx.OrderGrounds(ctx, c.before.ID)
			if err != nil {
				return ReviewResult{}, err
			}
			if err := change(c, state, grounds); err != nil {
				return ReviewResult{}, err
			}
			return c.judgeOrderAgain(review)
		})
}

// judgeOrderAgain evaluates the rules after a change of the order or its grounds.
func (c *command) judgeOrderAgain(review domain.Review) (ReviewResult, error) {
	if err := c.refreshOrderUse(); err != nil {
		return ReviewResult{}, err
	}
	fields, err := c.storedFields()
	if err != nil {
		return ReviewResult{}, err
	}
	if err := c.reevaluateRules(fields); err != nil {
		return ReviewResult{}, err
	}
	review.ClaimUntil = c.now.Add(c.svc.settings.ClaimLease)
	c.refreshOpenReviews(review)
	return c.reviewResult(review), nil
}

// AcceptOrder accepts the restated values of an order under the reviewer's claim, so that the
// earlier ones no longer count. Another account counts after two reviewers have accepted it, and so does
// everything if an earlier amount is above every limit: then two of those with the highest limits.
func (svc *Service) AcceptOrder(
	ctx context.Context, actor domain.Actor, in ReviewTarget,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "acceptOrder", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	return runOrderCommand(ctx, svc, actor, "acceptOrder", in, in,
		func(c *command, _ orderState, _ []domain.OrderGround) error { return c.acceptOrder() })
}

func (c *command) acceptOrder() error {
	stored, err := c.storedAssertions()
	if err != nil {
		return err
	}
	history := facts.History(stored)
	restated := history.Restated()
	if len(restated) == 0 {
		return domain.Errorf(domain.StateMismatch, "The order has no restated values to accept.").
			WithDetail("status", string(c.before.Status))
	}
	risk := facts.RiskOf(history, country.OfField)
	var failure error
	largest := risk.Largest(c.toBase(&failure))
	if failure != nil {
		return failure
	}
	needs, err := c.limitOfAcceptance(history, restated, largest)
	if err != nil {
		return err
	}
	record := &c.change.Case
	record.FactsRevision++
	set := domain.AssertionSet{CaseID: c.before.ID, Revision: record.FactsRevision,
		Source: domain.SourceHuman, By: c.actor.UserID, At: c.now}
	by, err := c.proposers(history)
	if err != nil {
		return err
	}
	var pending []string
	for _, field := range restated {
		acceptance := acceptanceOf(history, field)
		inForce, _ := history.InForce(field)
		assertion := domain.Assertion{Field: field, Raw: inForce.Raw, Value: acceptance.Value,
			Confidence: 1, Order: true, OnBehalfOf: c.actor.OnBehalfOf, Pending: string(needs)}
		if field == domain.FieldIBAN && !acceptance.AssertedBefore(by) {
			assertion.Pending = string(facts.AccountChanged)
		}
		if assertion.Resolves = assertion.Pending == ""; !assertion.Resolves {
			pending = append(pending, field)
		}
		set.Assertions = append(set.Assertions, assertion)
	}
	if err := c.assert(set, c.svc.salts); err != nil {
		return err
	}
	c.emit(generated.OrderAcceptedV1{Revision: int64(record.OrderRevision), Pending: pending,
		FactsRevision: record.FactsRevision, Assertions: assertionHashes(c.change.Assertions)})
	return c.deriveKeyFacts(withSets(history, set))
}

// limitOfAcceptance returns why an acceptance of restated values needs a second person because of the
// earlier amount: it is above every limit. It is refused if only the reviewer's limit is too small.
func (c *command) limitOfAcceptance(
	history facts.History, restated []string, largest int64,
) (facts.NeedsSecondPerson, error) {
	if c.mayDecide(largest) {
		return facts.NoSecondPerson, nil
	}
	_, above, err := c.highestAboveLimits(largest)
	if err != nil {
		return "", err
	}
	if !above {
		return "", domain.Errorf(domain.ApprovalLimit,
			"The amount is above your approval limit.").
			WithRemedy("Someone with a higher limit has to accept it.")
	}
	by, err := c.proposers(history)
	if err != nil {
		return "", err
	}
	var accepted []domain.ID
	for i, field := range restated {
		others := acceptanceOf(history, field).AssertedBy(by)
		if i == 0 {
			accepted = others
			continue
		}
		accepted = slices.DeleteFunc(accepted,
			func(id domain.ID) bool { return !slices.Contains(others, id) })
	}
	if together, err := c.resolvesAboveLimits(largest, accepted); err != nil || together {
		return facts.NoSecondPerson, err
	}
	return facts.LimitExceeded, nil
}

// acceptanceOf returns the acceptance of an order's restated value of a field.
func acceptanceOf(history facts.History, field string) facts.Correction {
	inForce, _ := history.InForce(field)
	return facts.Correction{Field: field, Value: inForce.Value,
		Earlier: orderEntries(history, field)}
}

// orderEntries returns the unresolved assertions of the order about a field.
func orderEntries(history facts.History, field string) []facts.Entry {
	return slices.DeleteFunc(slices.Clone(history.Unresolved(field)),
		func(e facts.Entry) bool { return !e.Order })
}

// deriveKeyFacts derives the key facts of the case after its order has changed.
func (c *command) deriveKeyFacts(history facts.History) error {
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	found, err := c.keyFacts(c.before, fields, history)
	if err != nil {
		return err
	}
	found.applyTo(&c.change.Case)
	return nil
}
