package casework

import (
	"cmp"
	"context"
	"reflect"
	"strconv"

	"countersign/audit"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
)

// CorrectLineItems asks to replace the line items of a case under review.
type CorrectLineItems struct {
	ReviewTarget
	Items []LineItemInput
}

// CorrectLineItems replaces the line items of the newest document under the reviewer's claim, and
// evaluates the rules again. What was read stays: rules judge the sum that was read as before, so that
// no one lowers the risk by changing items.
func (svc *Service) CorrectLineItems(
	ctx context.Context, actor domain.Actor, in CorrectLineItems,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "correctLineItems", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "correctLineItems", in.ReviewTarget, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeAtVersion(domain.ActCorrect, review, in.ExpectedVersion); err != nil {
				return ReviewResult{}, err
			}
			if err := c.correctLineItems(in.Items); err != nil {
				return ReviewResult{}, err
			}
			review.ClaimUntil = c.now.Add(c.svc.settings.ClaimLease)
			c.refreshOpenReviews(review)
			return c.reviewResult(review), nil
		})
}

func (c *command) correctLineItems(inputs []LineItemInput) error {
	present, err := c.tx.LineItems(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	if present.Found() > len(present.Items) {
		return domain.Errorf(domain.StateMismatch,
			"The document states %d line items, but only the first %d are kept. They cannot be changed.",
			present.Found(), len(present.Items)).WithDetail("status", string(c.before.Status))
	}
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	document, err := c.newestDocument()
	if err != nil {
		return err
	}
	currency := cmp.Or(fieldValue(fields, domain.FieldCurrency), present.Currency,
		c.before.DeclaredAmount.Currency)
	lines := present
	lines.CaseID, lines.DocumentRevision, lines.At = c.before.ID, document.Revision, c.now
	lines.Currency, lines.By = currency, c.actor.UserID
	var changed int
	if lines.Items, changed, err = parseLineItems(inputs, present, currency); err != nil {
		return err
	}
	if changed == 0 && len(lines.Items) == len(present.Items) &&
		reflect.DeepEqual(lines.Items, present.Items) {
		return domain.Invalid("items", "The line items are the same as before.").
			WithDetail("reason", "unchanged")
	}
	lines.Sum = domain.AddLines(lines.Items)
	lines.Certain = lines.Sum != nil
	lines.Check = extraction.CheckLineSum(lines, fields)
	return c.storeLineItems(&lines, present, changed)
}

// storeLineItems stores the corrected items, asserts their hash, evaluates the rules again and emits the
// event.
func (c *command) storeLineItems(lines *domain.LineItems, present domain.LineItems, changed int) error {
	history, err := c.assertedBefore()
	if err != nil {
		return err
	}
	record := &c.change.Case
	record.FactsRevision++
	lines.Revision = record.FactsRevision
	hash, err := audit.LinesHash(lines)
	if err != nil {
		return err
	}
	set := domain.AssertionSet{Source: domain.SourceHuman, By: c.actor.UserID,
		DocumentRevision: lines.DocumentRevision, Assertions: []domain.Assertion{{
			Field: domain.FieldLineItems, Value: hash, Confidence: 1, OnBehalfOf: c.actor.OnBehalfOf}}}
	if err := firstError(c.storeAsserted(history), c.assert(set, c.svc.salts)); err != nil {
		return err
	}
	c.change.LineItems = lines
	c.emit(generated.LineItemsCorrectedV1{FactsRevision: record.FactsRevision,
		Currency: lines.Currency, ItemsBefore: int64(len(present.Items)),
		ItemsAfter: int64(len(lines.Items)), Changed: int64(changed),
		SumBefore: sumText(&present), SumAfter: sumText(lines),
		Assertions: assertionHashes(c.change.Assertions)})
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	return c.reevaluateRules(fields)
}

// sumText returns the sum of the items as a decimal, "" if it is unknown.
func sumText(lines *domain.LineItems) string {
	if lines.Sum == nil || lines.Currency == "" {
		return ""
	}
	return domain.Money{Minor: *lines.Sum, Currency: lines.Currency}.Decimal()
}

// correctedLineItems returns the line items that a person corrected, nil if no one did. present is the
// command that evaluates the rules; nil for a worker and for a trial.
func (svc *Service) correctedLineItems(
	ctx context.Context, read lineItemReader, document domain.Document, present *command,
) (*domain.LineItems, error) {
	if present != nil && present.change.LineItems != nil && present.change.LineItems.By != domain.NoID {
		return present.change.LineItems, nil
	}
	if !document.LinesCorrected {
		return nil, nil
	}
	lines, err := read.LineItems(ctx, document.CaseID)
	if err != nil || lines.By == domain.NoID {
		return nil, err
	}
	return &lines, nil
}

// lineItemReader reads the line items in force of a case.
type lineItemReader interface {
	LineItems(ctx context.Context, id domain.ID) (domain.LineItems, error)
}

// rowError returns the refusal of one item, with the number of its row.
func rowError(row int, reason, format string, args ...any) error {
	return domain.Invalid("items", format, args...).WithDetail("reason", reason).
		WithDetail("row", strconv.Itoa(row+1))
}
