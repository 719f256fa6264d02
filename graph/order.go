package graph

import (
	"context"
	"slices"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/facts"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
	"countersign/views"
)

func (caseResolver) Order(ctx context.Context, c *shape.Case) (*shape.Order, error) {
	if c.OrderRevision == 0 {
		return nil, nil
	}
	batch := loadersFrom(ctx).batchOf(c.ID)
	orders, err := shareOfCase(batch.orders())(c.ID)
	if err != nil || len(orders) == 0 {
		return nil, err
	}
	grounds, err := shareOfCase(batch.grounds())(c.ID)
	if err != nil {
		return nil, err
	}
	history, err := historyOf(ctx, c)
	if err != nil {
		return nil, err
	}
	seen := history
	if !isStaff(c) { // submitters see readings and their own values
		own := callerOf(ctx).UserID
		seen = slices.DeleteFunc(slices.Clone(history), func(set domain.AssertionSet) bool {
			return set.Source == domain.SourceHuman && set.By != own
		})
	}
	viewer, err := assertionViewer(ctx, c)
	if err != nil {
		return nil, err
	}
	check, _ := facts.CheckOrder(seen, grounds)
	return orderShown(c, orders[0], history, check, viewer, grounds), nil
}

// orderShown returns the order as the viewer may see it.
func orderShown(c *shape.Case, newest domain.Order, history facts.History,
	check facts.OrderCheck, viewer views.AssertionViewer,
	grounds []domain.OrderGround) *shape.Order {
	order := &shape.Order{Order: newest, Case: c, BIC: optional(newest.BIC),
		Comparison: comparisonOf(check), Covered: check.Covered(),
		Restated:        append([]string{}, history.Restated()...),
		EarlierValues:   viewer.EarlierOrderValues(history),
		Grounds:         viewer.OrderGrounds(check, grounds),
		PossibleGrounds: []domain.GroundKind{},
		Restatable:      c.Case.Submitter == viewer.UserID && c.Status == domain.Returned}
	if isStaff(c) {
		order.PossibleGrounds = slices.DeleteFunc(domain.GroundKinds(),
			func(kind domain.GroundKind) bool { return !check.Explains(kind) })
	}
	return order
}

func comparisonOf(check facts.OrderCheck) []shape.OrderComparison {
	amounts := make([]string, len(check.Amounts))
	for i, amount := range check.Amounts {
		amounts[i] = amount.String()
	}
	return []shape.OrderComparison{
		{Field: domain.FieldTotal, Order: check.Order.Amount.String(), Document: amounts,
			Differs: check.AmountDiffers(), Covered: check.AmountCovered()},
		{Field: domain.FieldVendor, Order: check.Order.Payee,
			Document: append([]string{}, check.Payees...),
			Differs:  len(check.OtherPayees) > 0, Covered: check.PayeeCovered()},
		{Field: domain.FieldIBAN, Order: check.Order.Account,
			Document: append([]string{}, check.Accounts...),
			Differs:  len(check.OtherAccounts) > 0, Covered: check.PayeeCovered()},
	}
}

func (orderResolver) StatedBy(ctx context.Context, o *shape.Order) (*domain.User, error) {
	return loadPerson(ctx, o.Order.StatedBy)
}

// OnEvidence reads the other orders on the document.
func (r orderResolver) OnEvidence(ctx context.Context, o *shape.Order) (
	*donotuse.OrdersOnEvidence, error) {
	if !isStaff(o.Case) {
		return nil, nil
	}
	shared, err := r.views.OrdersOnEvidence(ctx, o.Case.Case)
	if err != nil {
		return nil, err
	}
	on := &donotuse.OrdersOnEvidence{Others: []donotuse.OrderOnEvidence{}, Sum: shared.Sum,
		Exceeded: shared.Exceeded}
	if shared.Known {
		on.Supported = &shared.Evidence
	}
	for _, other := range shared.Orders {
		on.Others = append(on.Others, donotuse.OrderOnEvidence{Reference: other.Reference,
			Amount: other.Amount, Passed: other.Passed})
	}
	return on, nil
}

func (earlierValueResolver) AcceptedBy(ctx context.Context, v *views.EarlierOrderValue) (
	[]domain.User, error) {
	return loadPeople(ctx, v.AcceptedBy)
}

func (groundResolver) StatedBy(ctx context.Context, g *views.OrderGround) (*domain.User, error) {
	return loadPerson(ctx, g.OrderGround.StatedBy)
}

func (groundResolver) ConfirmedBy(ctx context.Context, g *views.OrderGround) (
	*domain.User, error) {
	return loadPerson(ctx, g.OrderGround.ConfirmedBy)
}

func (groundResolver) ConfirmedAt(_ context.Context, g *views.OrderGround) (*time.Time, error) {
	return timeOrNil(g.OrderGround.ConfirmedAt), nil
}

func orderOf(in donotuse.OrderInput) casework.OrderInput {
	order := casework.OrderInput{Payer: in.Payer, Payee: in.Payee, Account: in.Account,
		BIC: valueOrEmpty(in.Bic), Country: in.Country, Amount: in.Amount.Amount,
		Currency: in.Amount.Currency, Purpose: in.Purpose, Reference: in.Reference}
	if in.Ground != nil {
		ground := groundOf(*in.Ground)
		order.Ground = &ground
	}
	return order
}

func groundOf(in donotuse.OrderGroundInput) casework.GroundInput {
	return casework.GroundInput{Kind: in.Kind, Explanation: in.Explanation}
}

func (r mutationResolver) RestateOrder(ctx context.Context, in donotuse.RestateOrderInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.RestateOrder(ctx, callerOf(ctx),
		casework.RestateOrder{CaseTarget: on, Order: orderOf(in.Order)}))
}

// orderReview parses the common arguments of commands on the order of a case under review.
func orderReview(ctx context.Context, reviewID string, expected, key, onBehalfOf *string) (
	casework.ReviewTarget, domain.Actor, error) {
	on, err := onReview(reviewID, expected, key)
	if err != nil {
		return on, domain.Actor{}, err
	}
	actor, err := actorOnBehalfOf(ctx, onBehalfOf)
	return on, actor, err
}

func (r mutationResolver) AcceptOrder(ctx context.Context, in donotuse.AcceptOrderInput) (
	*donotuse.ReviewPayload, error) {
	on, actor, err := orderReview(ctx, in.ReviewID, in.ExpectedVersion, in.IdempotencyKey,
		in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.AcceptOrder(ctx, actor, on))
}

func (r mutationResolver) StateOrderGround(ctx context.Context,
	in donotuse.StateOrderGroundInput) (*donotuse.ReviewPayload, error) {
	on, actor, err := orderReview(ctx, in.ReviewID, in.ExpectedVersion, in.IdempotencyKey,
		in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.StateOrderGround(ctx, actor,
		casework.StateOrderGround{ReviewTarget: on, Ground: groundOf(in.Ground)}))
}

func (r mutationResolver) ConfirmOrderGround(ctx context.Context,
	in donotuse.ConfirmOrderGroundInput) (*donotuse.ReviewPayload, error) {
	on, actor, err := orderReview(ctx, in.ReviewID, in.ExpectedVersion, in.IdempotencyKey,
		in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.ConfirmOrderGround(ctx, actor,
		casework.ConfirmOrderGround{ReviewTarget: on, Number: in.Ground}))
}
