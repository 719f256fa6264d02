package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// FieldInput is a field value entered by a person; "" removes the value. Undetermined is the reason
// why a missing value cannot be determined; Value is "" then.
type FieldInput struct {
	Name         string
	Value        string
	Undetermined string
}

// CorrectFields asks to change values of a case under review. Confirm repeats the request after a
// warning, for example that another reviewer will have to decide.
type CorrectFields struct {
	ReviewTarget
	Fields  []FieldInput
	Confirm bool
}

// EnterFields asks to enter values manually that could not be read automatically.
type EnterFields struct {
	CaseTarget
	Fields []FieldInput
}

// CorrectFields changes values under the reviewer's claim. Rules are evaluated again immediately,
// and changed key facts revoke votes. A reviewer who sets an amount or payee that was neither
// declared nor read has an interest in the case, so the review is released to another reviewer.
func (svc *Service) CorrectFields(
	ctx context.Context, actor domain.Actor, in CorrectFields,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "correct", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "correct", in.ReviewTarget, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			return c.correctFields(review, in)
		})
}

func (c *command) correctFields(review domain.Review, in CorrectFields) (ReviewResult, error) {
	if err := c.authorizeAtVersion(domain.ActCorrect, review, in.ExpectedVersion); err != nil {
		return ReviewResult{}, err
	}
	if err := c.checkUndetermined(review, in.Fields); err != nil {
		return ReviewResult{}, err
	}
	set, err := c.setFields(in.Fields)
	if err != nil {
		return ReviewResult{}, err
	}
	if set.hasInterest() && !in.Confirm {
		return ReviewResult{}, domain.Errorf(domain.ConfirmationNeeded,
			"You are setting %s that was neither declared nor read. "+
				"Another reviewer will have to decide.", set.interestSubject()).
			WithRemedy("Confirm to set it and release the review, or do not save the value.").
			WithDetail("entered", strings.Join(set.interests(), ","))
	}
	if set.hasInterest() {
		if err := c.requireOtherReviewer(review, set); err != nil {
			return ReviewResult{}, err
		}
	}
	if c.anyNodeLeft(set.revokedReviews) && !in.Confirm {
		return ReviewResult{}, domain.Errorf(domain.ConfirmationNeeded,
			"These values invalidate an approval at another level, "+
				"which will have to decide again.").
			WithRemedy("Confirm to set them, or do not save them.")
	}
	review.ClaimUntil = c.now.Add(c.svc.settings.ClaimLease)
	if set.hasInterest() {
		c.recordInterests(set)
		review = c.releaseReview(review, "conflict")
	}
	c.refreshOpenReviews(review)
	return c.reviewResult(review), c.reopenRevokedSeats(set.revokedReviews)
}

// ConfirmFields asks to confirm values in force as they are. Confirm is as in CorrectFields.
type ConfirmFields struct {
	ReviewTarget
	Names   []string
	Confirm bool
}

// ConfirmFields confirms values in force under the reviewer's claim: a value that was read, so that
// it is no longer doubtful, or one that another person set and that needs a second one. It asserts
// the same values again, by the rules of CorrectFields.
func (svc *Service) ConfirmFields(
	ctx context.Context, actor domain.Actor, in ConfirmFields,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "confirm", domain.ActCorrect); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "confirm", in.ReviewTarget, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeReview(domain.ActCorrect, review); err != nil {
				return ReviewResult{}, c.withHolderName(review, err)
			}
			inputs, err := c.inputsInForce(in.Names)
			if err != nil {
				return ReviewResult{}, err
			}
			return c.correctFields(review, CorrectFields{ReviewTarget: in.ReviewTarget,
				Fields: inputs, Confirm: in.Confirm})
		})
}

// inputsInForce returns the named values as inputs: those that wait for a second person, else those in
// force. A value that a person removed can be
// confirmed; a field that was never stated, or could not be read, has nothing to confirm.
func (c *command) inputsInForce(names []string) ([]FieldInput, error) {
	history, err := c.assertedBefore()
	if err != nil {
		return nil, err
	}
	kind, err := c.documentType()
	if err != nil {
		return nil, err
	}
	inputs := make([]FieldInput, 0, len(names))
	for _, name := range names {
		if !kind.Has(name) {
			return nil, unknownField(kind, name)
		}
		inForce, known := history.OfDocument(name)
		if waiting, pending := history.Pending(name); pending {
			inForce, known = waiting, true
		}
		if !known || inForce.Value == "" && inForce.Set.Source != domain.SourceHuman {
			return nil, domain.Invalid(name, "The field %q has no value to confirm.", name)
		}
		inputs = append(inputs, FieldInput{Name: name, Value: inForce.Value})
	}
	return inputs, nil
}

// refreshOpenReviews updates the copies of the case's facts in its open reviews, whose reviewers are
// drawn from the mark on; own is the changed row of the actor's review.
func (c *command) refreshOpenReviews(own domain.Review) {
	for _, review := range c.reviews {
		if !isOpen(review) {
			continue
		}
		if at := slices.IndexFunc(c.change.ReviewUpdates,
			func(r domain.Review) bool { return r.ID == review.ID }); at >= 0 {
			copyCaseFacts(&c.change.ReviewUpdates[at], &c.change.Case, c.def)
			c.drawFromNowOn(&c.change.ReviewUpdates[at])
			continue
		}
		if review.ID == own.ID {
			review = own
		}
		copyCaseFacts(&review, &c.change.Case, c.def)
		review.Version++ // Apply updates a review only from its previous version
		c.drawFromNowOn(&review)
		c.change.ReviewUpdates = append(c.change.ReviewUpdates, review)
	}
}

// EnterFields enters values manually. On an incident it resolves the incident and the process
// continues after reading; on a returned case it corrects what the submitter declared. An amount
// entered by the submitter counts as declared.
func (svc *Service) EnterFields(
	ctx context.Context, actor domain.Actor, in EnterFields,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "enter", domain.ActEnter); err != nil {
		return CaseResult{}, err
	}
	return runCaseCommand(ctx, svc, actor, "enter", in.CaseID, in.Once, in,
		func(c *command) (CaseResult, error) {
			if err := firstError(c.authorizeCase(domain.ActEnter), c.refuseExcluded()); err != nil {
				return CaseResult{}, err
			}
			if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
				return CaseResult{}, err
			}
			if c.before.Status != domain.Incident && c.before.Status != domain.Returned {
				return CaseResult{}, domain.Errorf(domain.StateMismatch,
					"Values can be entered manually only after a step has failed or the case was returned.").
					WithDetail("status", string(c.before.Status))
			}
			if err := c.resolveOpenIncident("enter"); err != nil {
				return CaseResult{}, err
			}
			if err := c.checkUndetermined(domain.Review{}, in.Fields); err != nil {
				return CaseResult{}, err
			}
			set, err := c.setFields(in.Fields)
			if err != nil {
				return CaseResult{}, err
			}
			if actor.UserID != c.before.Submitter {
				c.recordInterests(set)
			}
			if c.before.Status == domain.Returned {
				return c.caseResult(), nil
			}
			facts, err := c.processFacts(c.change.Case, c.change.Fields, nil)
			if err != nil {
				return CaseResult{}, err
			}
			return c.caseResult(), c.advanceWithFacts(workflow.Event{Kind: workflow.Entered}, facts)
		})
}

// setFields validates and asserts values, recomputes the key facts, evaluates the rules, revokes
// votes, and emits the event.
func (c *command) setFields(inputs []FieldInput) (fieldsOutcome, error) {
	before, err := c.storedFields()
	if err != nil {
		return fieldsOutcome{}, err
	}
	after, corrections, err := c.mergeFieldInputs(before, inputs)
	if err != nil {
		return fieldsOutcome{}, err
	}
	history, err := c.assertedBefore()
	if err != nil {
		return fieldsOutcome{}, err
	}
	record := &c.change.Case
	record.FactsRevision++
	set, err := c.resolveCorrections(history, before, after, corrections)
	if err != nil {
		return fieldsOutcome{}, err
	}
	after = withoutPending(before, after, set)
	if err := firstError(c.storeAsserted(history), c.assert(set, c.svc.salts)); err != nil {
		return fieldsOutcome{}, err
	}
	found, err := c.keyFacts(c.before, after, withSets(history, set))
	if err != nil {
		return fieldsOutcome{}, err
	}
	keyChanged := found.applyTo(record)
	c.change.Fields = after
	event := len(c.bodies)
	c.emit(generated.FieldsCorrectedV1{FactsRevision: record.FactsRevision, Fields: corrections,
		Assertions: assertionHashes(c.change.Assertions)})
	if err := c.refreshOrderUse(); err != nil {
		return fieldsOutcome{}, err
	}
	if err := c.reevaluateRules(after); err != nil {
		return fieldsOutcome{}, err
	}
	if err := c.stateRecomputed(event, before); err != nil {
		return fieldsOutcome{}, err
	}
	revoked, err := c.revokeUncovered(after,
		keyChanged || keyFieldsDiffer(c.def, before, after), "key facts changed")
	if err != nil {
		return fieldsOutcome{}, err
	}
	outcome, err := c.detectOwnValues(before, after, set)
	outcome.revokedReviews = revoked
	return outcome, err
}

// mergeFieldInputs merges the inputs into the present fields. It validates every input before
// applying any.
func (c *command) mergeFieldInputs(
	present []domain.Field, inputs []FieldInput,
) ([]domain.Field, []generated.FieldsCorrectedV1Field, error) {
	if len(inputs) == 0 || len(inputs) > 50 {
		return nil, nil,
			domain.Invalid("fields", "Between 1 and 50 fields can be set in one request.")
	}
	kind, err := c.documentType()
	if err != nil {
		return nil, nil, err
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
	var corrections []generated.FieldsCorrectedV1Field
	for i, input := range inputs {
		if slices.ContainsFunc(inputs[:i],
			func(other FieldInput) bool { return other.Name == input.Name }) {
			return nil, nil, domain.Invalid(input.Name, "The field %q is entered twice.",
				input.Name)
		}
		field, err := parseFieldInput(kind, input, currency)
		if err != nil {
			return nil, nil, err
		}
		if input.Undetermined != "" {
			corrections = append(corrections, generated.FieldsCorrectedV1Field{Name: field.Name,
				Source: string(domain.SourceHuman), Undetermined: input.Undetermined})
			continue
		}
		field.Source, field.SetBy = domain.SourceHuman, c.actor.UserID
		field.Revision = c.before.FactsRevision + 1
		before := fieldValue(after, field.Name)
		at := slices.IndexFunc(after, func(f domain.Field) bool { return f.Name == field.Name })
		if at >= 0 {
			field.Page, field.Box = after[at].Page, after[at].Box
			after[at] = field
		} else {
			after = append(after, field)
		}
		corrections = append(corrections,
			generated.FieldsCorrectedV1Field{Name: field.Name, Before: before,
				After: field.Normalised, Source: string(field.Source)})
	}
	return after, corrections, nil
}

// reevaluateRules evaluates the validation and risk rules on the new values.
func (c *command) reevaluateRules(fields []domain.Field) error {
	inputs, err := c.ruleInputs(c.change.Case, fields)
	if err != nil {
		return err
	}
	evaluated, score, err := c.evaluateStages(c.change.Case, inputs)
	if err != nil {
		return err
	}
	c.change.StageFindings = append(c.change.StageFindings, evaluated...)
	c.change.Case.Risk = score
	c.applyClaims(inputs.claimsOf(allFindings(evaluated)))
	return nil
}

func allFindings(stages []store.StageFindings) []domain.Finding {
	var all []domain.Finding
	for _, stage := range stages {
		all = append(all, stage.Findings...)
	}
	return all
}

// ruleInputs loads what the rules need for the case with the given facts and fields.
func (c *command) ruleInputs(record domain.Case, fields []domain.Field) (ruleInputs, error) {
	return c.ruleInputsOf(record, fields, nil)
}

// ruleInputsOf loads the inputs as they would be with the history.
func (c *command) ruleInputsOf(
	record domain.Case, fields []domain.Field, history facts.History,
) (ruleInputs, error) {
	document, err := c.newestDocument()
	if err != nil {
		return ruleInputs{}, err
	}
	return c.svc.loadRuleInputs(c.ctx, c.tx.Reader, record, fields, document, c.now, c, history)
}

// evaluateStages returns the findings of every stage of the process that evaluates rules, and the
// score.
func (c *command) evaluateStages(
	record domain.Case, inputs ruleInputs,
) ([]store.StageFindings, int, error) {
	validation, risk, score, err := c.svc.evaluateRules(c.ctx, record, inputs)
	if err != nil {
		return nil, 0, err
	}
	var stages []store.StageFindings
	for _, node := range c.def.Nodes {
		switch node.Behaviour {
		case domain.BehaviourValidate:
			stages = append(stages, store.StageFindings{Stage: node.ID, Findings: validation})
		case domain.BehaviourAssess:
			stages = append(stages, store.StageFindings{Stage: node.ID, Findings: risk})
		}
	}
	return stages, score, nil
}
