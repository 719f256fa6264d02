package casework

import (
	"context"
	"errors"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
)

// RestateOrder asks to restate the order of a returned case. Payer and reference stay. A case that has
// no order although its process requires one, as a correction case, gets its first order so.
type RestateOrder struct {
	CaseTarget
	Order OrderInput
}

// RestateOrder restates the order of a returned case, as its submitter. The new values will be
// paid; the earlier ones still count for the risk until a reviewer accepts the new ones.
func (svc *Service) RestateOrder(
	ctx context.Context, actor domain.Actor, in RestateOrder,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "restateOrder", domain.ActEnter); err != nil {
		return CaseResult{}, err
	}
	order, invalid := parseOrder(in.Order)
	var ground *domain.OrderGround
	if in.Order.Ground != nil {
		parsed, groundErr := parseGround(*in.Order.Ground)
		if groundErr == nil && parsed.Kind.AboutPayee() {
			groundErr = payeeGroundOfSubmitter()
		}
		ground, invalid = &parsed, errors.Join(invalid, groundErr)
	}
	result, err := runCaseCommand(ctx, svc, actor, "restateOrder", in.CaseID, in.Once, in,
		func(c *command) (CaseResult, error) {
			if err := c.authorizeCase(domain.ActEnter); err != nil {
				return CaseResult{}, err
			}
			if invalid != nil {
				return CaseResult{}, invalid
			}
			if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
				return CaseResult{}, err
			}
			return c.caseResult(), c.restateOrder(order, ground)
		})
	return result, svc.referenceUsed(ctx, &order, err)
}

func payeeGroundOfSubmitter() error {
	return domain.Invalid("ground.kind", "Another payee or account is explained by a reviewer.").
		WithRemedy("Omit the ground, or choose another one.")
}

// restateOrder declares the next revision of the order.
func (c *command) restateOrder(order domain.Order, ground *domain.OrderGround) error {
	if err := c.mayRestateOrder(); err != nil {
		return err
	}
	stored, err := c.storedAssertions()
	if err != nil {
		return err
	}
	history := facts.History(stored)
	before, restated := history.Order()
	if restated && (domain.PartyKey(before.Payer) != domain.PartyKey(order.Payer) ||
		domain.OrderReferenceKey(before.Reference) != domain.OrderReferenceKey(order.Reference)) {
		return domain.Invalid("order.reference",
			"Payer and reference identify the order and cannot be changed.").
			WithRemedy("Submit another order.")
	}
	record := &c.change.Case
	record.FactsRevision++
	record.OrderRevision++
	record.DeclaredAmount = order.Amount
	order.CaseID, order.Revision = c.before.ID, record.OrderRevision
	order.StatedBy, order.StatedAt = c.actor.UserID, c.now
	c.change.Order = &order
	if err := c.addGround(ground); err != nil {
		return err
	}
	set := domain.AssertionSet{Source: domain.SourceDeclared, By: c.actor.UserID,
		Assertions: facts.OrderAssertions(order)}
	if err := c.assert(set, c.svc.salts); err != nil {
		return err
	}
	history = withSets(history, c.change.Assertions...)
	c.emit(generated.OrderRestatedV1{Revision: int64(order.Revision),
		Fields:        append([]string{}, history.Restated()...),
		FactsRevision: record.FactsRevision, Assertions: assertionHashes(c.change.Assertions)})
	if err := c.deriveKeyFacts(history); err != nil {
		return err
	}
	_, err = c.judgeOrderAgain(domain.Review{})
	return err
}

// mayRestateOrder refuses everyone but the submitter of a returned case that has an order, or lacks the
// one that it requires.
func (c *command) mayRestateOrder() error {
	if c.actor.UserID != c.before.Submitter {
		return domain.Errorf(domain.NotPermitted, "Only the submitter can restate the order.")
	}
	known := c.before.OrderRevision > 0
	if !known {
		err := requireOrder(c.ctx, c.tx.Reader, c.def, c.before.ID)
		if known = domain.HasCode(err, domain.OrderRequired); !known && err != nil {
			return err
		}
	}
	if !known || c.before.Status != domain.Returned {
		return domain.Errorf(domain.StateMismatch,
			"An order can be restated only after the case was returned.").
			WithDetail("status", string(c.before.Status))
	}
	return nil
}

// addGround adds a ground that the submitter states with an order.
func (c *command) addGround(ground *domain.OrderGround) error {
	if ground == nil {
		return nil
	}
	stated, err := c.tx.OrderGrounds(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	added := *ground
	added.CaseID, added.Number = c.before.ID, len(stated)+1
	added.StatedBy, added.StatedAt = c.actor.UserID, c.now
	c.change.Grounds = append(c.change.Grounds, added)
	return nil
}
