package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/facts"
)

// maxSteps is after how many steps of people a case is left open.
const maxSteps = 14

// decide lets people work on the case of a document until it is final: they see the page, so that they
// know the truth.
func (w *world) decide(ctx context.Context, d *document) error {
	for range maxSteps {
		record, err := w.db.Reader().Case(ctx, d.caseID)
		if err != nil {
			return err
		}
		d.outcome.see(record)
		if record.Status != domain.InReview {
			return nil
		}
		reviews, err := w.db.Reader().ReviewsOf(ctx, d.caseID)
		if err != nil {
			return err
		}
		if err := w.step(ctx, d, reviews); err != nil {
			return err
		}
		if err := w.drain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// step lets one person work on the first open review: the first who can claim it, and did not do so
// before if another can.
func (w *world) step(ctx context.Context, d *document, reviews []domain.Review) error {
	at := slices.IndexFunc(reviews, func(r domain.Review) bool {
		return r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed
	})
	if at < 0 {
		return nil
	}
	review := reviews[at]
	d.outcome.opened(reviews)
	by, err := w.claim(ctx, d, review)
	if err != nil {
		d.outcome.stuck = err.Error()
		return nil //nolint:nilerr // reported as a case that stays open
	}
	d.outcome.acted = append(d.outcome.acted, by.UserID)
	on := casework.ReviewTarget{ReviewID: review.ID}
	if d.duplicateOf != nil && !review.Repairs() {
		return w.finish(ctx, d, by, on, domain.Reject)
	}
	if review.Queue != domain.QueueAML {
		released, err := w.correct(ctx, d, by, on)
		if err != nil || released {
			return err
		}
	}
	if err := w.clearDuplicates(ctx, d, by, on); err != nil {
		return err
	}
	if review.Repairs() {
		return w.finish(ctx, d, by, on, domain.Repaired)
	}
	return w.finish(ctx, d, by, on, domain.Approve)
}

// claim returns who claims the review. People are asked in turn within their level.
func (w *world) claim(
	ctx context.Context, d *document, review domain.Review,
) (domain.Actor, error) {
	staff := slices.Clone(w.staff)
	slices.SortStableFunc(staff, func(a, b domain.Actor) int {
		acted := func(who domain.Actor) int {
			if slices.Contains(d.outcome.acted, who.UserID) {
				return 1
			}
			return 0
		}
		return acted(a) - acted(b)
	})
	var failure error
	for _, by := range staff {
		_, err := w.service.ClaimReview(ctx, by, casework.ReviewTarget{ReviewID: review.ID})
		if err == nil {
			return by, nil
		}
		failure = fmt.Errorf("%s cannot claim: %w", review.Queue, err)
	}
	return domain.Actor{}, failure
}

// correct sets the values that differ from the page, and confirms those that wait for a second
// person. It reports whether the review is no longer the person's.
func (w *world) correct(
	ctx context.Context, d *document, by domain.Actor, on casework.ReviewTarget,
) (released bool, err error) {
	wrong, err := w.toCorrect(ctx, d)
	if err != nil || len(wrong) == 0 {
		return false, err
	}
	truth := d.values()
	var inputs []casework.FieldInput
	for _, field := range wrong {
		inputs = append(inputs, casework.FieldInput{Name: field, Value: truth[field]})
	}
	_, err = w.service.CorrectFields(ctx, by, casework.CorrectFields{ReviewTarget: on,
		Fields: inputs, Confirm: true})
	if err != nil {
		d.outcome.refusals = append(d.outcome.refusals, fmt.Sprintf("correct %v: %s", wrong, err))
		return false, onlyRefusal(err)
	}
	if err := d.outcome.countCorrections(ctx, w, d.caseID, by); err != nil {
		return false, err
	}
	review, err := w.db.Reader().Review(ctx, on.ReviewID)
	if err != nil || review.Assignee != by.UserID {
		return true, err
	}
	waits, err := w.toCorrect(ctx, d)
	if err != nil || len(waits) == 0 {
		return false, err
	}
	// Values of this person wait for another one.
	_, err = w.service.ReleaseReview(ctx, by, on)
	return true, onlyRefusal(err)
}

// toCorrect returns the fields whose value differs from the page, and those with values that count
// beside the true one, unless a person has set that and no other one has to confirm it.
func (w *world) toCorrect(ctx context.Context, d *document) ([]string, error) {
	values, err := w.values(ctx, d.caseID)
	if err != nil {
		return nil, err
	}
	record, err := w.db.Reader().Case(ctx, d.caseID)
	if err != nil {
		return nil, err
	}
	sets, err := w.db.Reader().Assertions(ctx, d.caseID)
	if err != nil {
		return nil, err
	}
	wrong := d.wrong(values)
	for field := range d.values() {
		differs := slices.Contains(record.DifferingFields, field) && !setWithoutNeed(sets, field)
		lacks := values[field] == "" // people enter what the page shows
		if (differs || lacks) && !slices.Contains(wrong, field) {
			wrong = append(wrong, field)
		}
	}
	if slices.Contains(wrong, domain.FieldTotal) && !slices.Contains(wrong, domain.FieldCurrency) {
		wrong = append(wrong, domain.FieldCurrency)
	}
	slices.Sort(wrong)
	return wrong, nil
}

// setWithoutNeed reports whether a person set the field last and no second person is needed.
func setWithoutNeed(sets []domain.AssertionSet, field string) bool {
	alone := false
	for _, set := range sets {
		for _, a := range set.Assertions {
			if a.Field == field {
				alone = set.Source == domain.SourceHuman &&
					a.Pending == string(facts.NoSecondPerson)
			}
		}
	}
	return alone
}

// values returns the values in force of the fields of a case.
func (w *world) values(ctx context.Context, id domain.ID) (map[string]string, error) {
	fields, err := w.db.Reader().Fields(ctx, id)
	values := map[string]string{}
	for _, field := range fields {
		values[field.Name] = field.Normalised
	}
	return values, err
}

// clearDuplicates answers findings about duplicates that are none.
func (w *world) clearDuplicates(
	ctx context.Context, d *document, by domain.Actor, on casework.ReviewTarget,
) error {
	findings, err := w.db.Reader().Findings(ctx, d.caseID)
	if err != nil {
		return err
	}
	for _, finding := range findings {
		if !strings.HasPrefix(finding.Rule, "duplicate_") {
			continue
		}
		for reference := range strings.SplitSeq(finding.Evidence["cases"], ",") {
			_, err := w.service.ClearDuplicate(ctx, by, casework.ClearDuplicate{ReviewTarget: on,
				Reference: strings.TrimSpace(reference), Reason: "another document"})
			if err != nil {
				d.outcome.refusals = append(d.outcome.refusals, "clear: "+err.Error())
			}
			if err := onlyRefusal(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish decides the review. Where two people have to state why a finding does not stop the approval,
// the first states it and passes the review on.
func (w *world) finish(
	ctx context.Context, d *document, by domain.Actor, on casework.ReviewTarget,
	verdict domain.Verdict,
) error {
	decision := casework.DecideReview{ReviewTarget: on, Verdict: verdict, Reason: "compared with the page"}
	_, err := w.service.DecideReview(ctx, by, decision)
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Detail["reason"] == "unchecked" {
		decision.Unchecked = strings.Split(refusal.Detail["fields"], ",")
		_, err = w.service.DecideReview(ctx, by, decision)
	}
	if err == nil || !errors.As(err, &refusal) {
		return err
	}
	if refusal.Detail["reason"] == "override_"+string(domain.OverrideSecondPerson) {
		var overrides []casework.OverrideInput
		for rule := range strings.SplitSeq(refusal.Detail["rules"], ",") {
			overrides = append(overrides, casework.OverrideInput{Rule: rule, Reason: "called them"})
		}
		_, err = w.service.OverrideFindings(ctx, by, casework.OverrideFindings{ReviewTarget: on,
			Overrides: overrides})
		if err == nil {
			return nil
		}
	}
	d.outcome.refusals = append(d.outcome.refusals, fmt.Sprintf("%s: %s", verdict, err))
	if _, err := w.service.ReleaseReview(ctx, by, on); err != nil {
		return onlyRefusal(err)
	}
	return onlyRefusal(err)
}

// onlyRefusal returns an error that is no refusal of the program.
func onlyRefusal(err error) error {
	var refusal *domain.Error
	if err == nil || errors.As(err, &refusal) && refusal.Code != domain.Internal {
		return nil
	}
	return err
}
