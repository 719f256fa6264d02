package casework

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
	"countersign/store"
	"countersign/workflow"
)

// FieldInput is one value as a person writes it; "" takes the value away.
type FieldInput struct {
	Name  string
	Value string
}

// CorrectFields asks to change values of a case under review. Confirm repeats the request after the warning that a new
// amount sends the review to somebody else.
type CorrectFields struct {
	ReviewTarget
	Fields  []FieldInput
	Confirm bool
}

// EnterFields asks to enter the values by hand where the machine could not read them.
type EnterFields struct {
	CaseTarget
	Fields []FieldInput
}

// CorrectFields changes values under the reviewer's own claim. Rules run again immediately; votes that stood on changed
// key facts fall. Whoever sets the amount to what neither the submitter declared nor the machine read has an interest
// from then on, and the review goes to somebody else.
func (svc *Service) CorrectFields(ctx context.Context, actor domain.Actor, in CorrectFields) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "correct", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "correct", in.ReviewTarget, in, func(c *command, review domain.Review) (ReviewResult, error) {
		if err := c.authorizeReview(domain.ActCorrect, review); err != nil {
			return ReviewResult{}, c.withHolderName(review, err)
		}
		if err := checkExpectedVersion(in.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return ReviewResult{}, err
		}
		set, err := c.setFields(in.Fields, domain.SourceHuman)
		if err != nil {
			return ReviewResult{}, err
		}
		if set.hasInterest() && !in.Confirm {
			return ReviewResult{}, domain.Errorf(domain.ConfirmationNeeded, "You are setting %s that was neither declared nor read: somebody else will have to decide.", set.interestSubject()).
				WithRemedy("Confirm to set it and hand the review on, or keep the value.")
		}
		if c.anyNodeLeft(set.revokedReviews) && !in.Confirm {
			return ReviewResult{}, domain.Errorf(domain.ConfirmationNeeded, "What was approved before at another level no longer holds with these values: it will be asked again there.").
				WithRemedy("Confirm to set them and send the case back, or keep the values.")
		}
		review.ClaimUntil = c.now.Add(svc.settings.ClaimLease)
		if set.hasInterest() {
			c.recordInterests(set)
			review = c.releaseReview(review, "conflict")
		}
		c.refreshOpenReviews(review)
		return c.reviewResult(review), c.reopenAffectedReviews(set.revokedReviews)
	})
}

// refreshOpenReviews brings the copies of the facts in open reviews up to date; held is the one the actor works on.
func (c *command) refreshOpenReviews(held domain.Review) {
	for _, review := range c.reviews {
		if !isOpen(review) {
			continue
		}
		at := slices.IndexFunc(c.change.ReviewUpdates, func(r domain.Review) bool { return r.ID == review.ID })
		if at >= 0 {
			copyCaseFacts(&c.change.ReviewUpdates[at], &c.change.Case, c.def)
			continue
		}
		if review.ID == held.ID {
			review = held
		}
		copyCaseFacts(&review, &c.change.Case, c.def)
		review.Version++ // Apply edits a review only from the version before
		c.change.ReviewUpdates = append(c.change.ReviewUpdates, review)
	}
}

// EnterFields enters values by hand: on an incident it resolves it and the process goes on after reading; on a returned
// case it corrects what the submitter declared. A submitter's amount counts as declared.
func (svc *Service) EnterFields(ctx context.Context, actor domain.Actor, in EnterFields) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "enter", domain.ActEnter); err != nil {
		return CaseResult{}, err
	}
	return runCaseCommand(ctx, svc, actor, "enter", in.CaseID, in.Once, in, func(c *command) (CaseResult, error) {
		if err := c.authorizeCase(domain.ActEnter); err != nil {
			return CaseResult{}, err
		}
		if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return CaseResult{}, err
		}
		if c.before.Status != domain.Incident && c.before.Status != domain.Returned {
			return CaseResult{}, domain.Errorf(domain.StateMismatch, "Values can be entered by hand only when a step has failed or the case was returned.").
				WithDetail("status", string(c.before.Status))
		}
		if err := c.resolveOpenIncident("enter"); err != nil {
			return CaseResult{}, err
		}
		set, err := c.setFields(in.Fields, domain.SourceHuman)
		if err != nil {
			return CaseResult{}, err
		}
		if actor.UserID != c.before.Submitter {
			c.recordInterests(set)
		}
		if c.before.Status == domain.Returned {
			return c.caseResult(), nil
		}
		return c.caseResult(), c.advanceWithFacts(workflow.Event{Kind: workflow.Entered}, processFacts(c.change.Case, c.change.Fields, nil))
	})
}

// setFields validates and writes values, works out the key facts anew, runs the rules, revokes votes, and tells.
func (c *command) setFields(inputs []FieldInput, source domain.FieldSource) (fieldsOutcome, error) {
	rows, err := c.tx.Fields(c.ctx, c.before.ID)
	if err != nil {
		return fieldsOutcome{}, err
	}
	after, told, err := c.mergeFieldInputs(fieldsFromRows(rows), inputs, source)
	if err != nil {
		return fieldsOutcome{}, err
	}
	facts, err := keyFactsOf(c.ctx, c.tx, c.before, after, c.now)
	if err != nil {
		return fieldsOutcome{}, err
	}
	record := &c.change.Case
	record.FactsRevision++
	keyChanged := facts.applyTo(record)
	c.change.Fields = after
	c.emit(generated.FieldsCorrectedV1{FactsRevision: record.FactsRevision, Fields: told})
	if err := c.reevaluateRules(after); err != nil {
		return fieldsOutcome{}, err
	}
	fallen, err := c.revokeVotesIfChanged(keyChanged || keyFieldsDiffer(c.def, fieldsFromRows(rows), after))
	if err != nil {
		return fieldsOutcome{}, err
	}
	set, err := c.detectOwnValues(fieldsFromRows(rows), after)
	set.revokedReviews = fallen
	return set, err
}

// mergeFieldInputs puts the inputs over the present fields; every input is judged before any is taken.
func (c *command) mergeFieldInputs(present []domain.Field, inputs []FieldInput, source domain.FieldSource) ([]domain.Field, []generated.FieldsCorrectedV1Field, error) {
	if len(inputs) == 0 || len(inputs) > 50 {
		return nil, nil, domain.Invalid("fields", "between 1 and 50 fields can be set at once")
	}
	currency := fieldValue(present, domain.FieldCurrency)
	for _, input := range inputs {
		if input.Name == domain.FieldCurrency {
			currency = strings.ToUpper(strings.TrimSpace(input.Value))
		}
	}
	if currency == "" {
		currency = c.before.DeclaredAmount.Currency
	}
	after := slices.Clone(present)
	var told []generated.FieldsCorrectedV1Field
	for _, input := range inputs {
		field, err := parseFieldInput(input, currency)
		if err != nil {
			return nil, nil, err
		}
		field.Source, field.SetBy, field.Revision = source, c.actor.UserID, c.before.FactsRevision+1
		before := fieldValue(after, field.Name)
		at := slices.IndexFunc(after, func(f domain.Field) bool { return f.Name == field.Name })
		if at >= 0 {
			field.Page, field.Box = after[at].Page, after[at].Box
			after[at] = field
		} else {
			after = append(after, field)
		}
		told = append(told, generated.FieldsCorrectedV1Field{Name: field.Name, Before: before, After: field.Normalised, Source: string(source)})
	}
	return after, told, nil
}

// parseFieldInput judges one value by its type. Errors: InvalidInput with the field's name.
func parseFieldInput(input FieldInput, currency string) (domain.Field, error) {
	if !slices.Contains(domain.FieldNames(), input.Name) {
		return domain.Field{}, domain.Invalid(input.Name, "there is no field %q", input.Name)
	}
	value := strings.TrimSpace(input.Value)
	if domain.Longer(value, 500) {
		return domain.Field{}, domain.Invalid(input.Name, "the value is longer than 500 characters").
			WithDetail("reason", "too_long").WithDetail("most", "500")
	}
	field := domain.Field{Name: input.Name, Raw: value, Confidence: 1}
	if value == "" {
		return field, nil
	}
	var err error
	if field.Normalised, err = extraction.Normalise(input.Name, value, currency); err != nil {
		return field, withInputDetail(err, input.Name, value, currency)
	}
	return field, nil
}

// withInputDetail names the field and the value that a refusal is about, so that it can be told in another language.
func withInputDetail(err error, name, value, currency string) error {
	var known *domain.Error
	if !errors.As(err, &known) {
		return err
	}
	told := *known
	told.Field, told.Detail = name, maps.Clone(known.Detail)
	if currency == "" && slices.Contains([]string{domain.FieldNet, domain.FieldTax, domain.FieldTotal}, name) {
		return told.WithDetail("reason", "currency_missing")
	}
	return told.WithDetail("reason", "form").WithDetail("value", value)
}

// reevaluateRules runs the rules of validation and risk on the new values.
func (c *command) reevaluateRules(fields []domain.Field) error {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	seen, err := c.svc.loadRuleInputs(c.ctx, c.tx.Reader, c.change.Case, fields, document, c.now)
	if err != nil {
		return err
	}
	validation, risk, score, err := c.svc.evaluateRules(c.ctx, c.change.Case, seen)
	if err != nil {
		return err
	}
	for _, node := range c.def.Nodes {
		switch node.Behaviour {
		case "validate":
			c.change.StageFindings = append(c.change.StageFindings, store.StageFindings{Stage: node.ID, Findings: validation})
		case "assess":
			c.change.StageFindings = append(c.change.StageFindings, store.StageFindings{Stage: node.ID, Findings: risk})
		}
	}
	c.change.Case.Risk = score
	return nil
}
