package casework_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// approveStating approves a review and states the fields as unchecked.
func (env *testEnv) approveStating(by domain.Actor, review domain.ID, unchecked ...string) error {
	return errOf(env.svc.DecideReview(env.ctx, by, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: review}, Verdict: domain.Approve,
		Reason: "compared with the order", Unchecked: unchecked}))
}

// uncheckedOf returns the fields that a refusal names as unchecked.
func uncheckedOf(err error) []string {
	var refused *domain.Error
	if !errors.As(err, &refused) || refused.Detail["reason"] != "unchecked" || refused.Remedy == "" {
		return nil
	}
	return strings.Split(refused.Detail["fields"], ",")
}

// Who approves by a program learns which fields no person has checked, and states exactly these: no list,
// a part of it, a longer one and every field of the document are refused, and nothing is recorded.
func TestApprovalStatesUncheckedFields(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam, kim := env.person("sam", domain.RoleSubmitter), env.person("kim", domain.RoleL1)
	env.reader.vendorConfidence = 0.4
	id := env.submitLines(sam, "invoice", invoicePage("Muster Werke GmbH", "U-10", "2026-11-02", "120.00")...)
	review := env.claim(kim, id)
	err := env.approveStating(kim, review.ID)
	wantCode(t, err, domain.ValidationFailed)
	names := uncheckedOf(err)
	if !slices.Contains(names, domain.FieldVendor) || slices.Contains(names, domain.FieldNumber) {
		t.Fatalf("refused with %v: %v", names, err)
	}
	for _, stated := range [][]string{{domain.FieldNumber}, append(slices.Clone(names), domain.FieldNumber),
		domain.FieldNames(), {"*"}, {""}} {
		wantCode(t, env.approveStating(kim, review.ID, stated...), domain.ValidationFailed)
	}
	wantCode(t, errOf(env.svc.DecideReview(env.ctx, kim, casework.DecideReview{Reason: "no",
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Verdict: domain.Reject,
		Unchecked: names})), domain.InvalidInput)
	if slices.Contains(env.eventTypes(id), domain.ReviewDecidedEvent) {
		t.Fatal("a refused approval is recorded")
	}
	slices.Reverse(names)
	must(t, env.approveStating(kim, review.ID, names...))
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(t, err)
	recorded := slices.ContainsFunc(reading.Events, func(event domain.Event) bool {
		return event.Type == domain.ReviewDecidedEvent &&
			strings.Contains(string(event.Body), `"unchecked":["`+domain.FieldVendor)
	})
	if !recorded {
		t.Error("the event of the decision does not name the vendor")
	}
	env.verifyCaseLog(id)
}

// A field that a person has confirmed or corrected is not stated as unchecked.
func TestCheckedFieldsAreNotStatedAsUnchecked(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam, kim := env.person("sam", domain.RoleSubmitter), env.person("kim", domain.RoleL1)
	env.reader.vendorConfidence = 0.4
	id := env.submitLines(sam, "invoice", invoicePage("Muster Werke GmbH", "W-7755", "2026-11-02", "120.00")...)
	review := env.claim(kim, id)
	names := uncheckedOf(env.approveStating(kim, review.ID))
	for _, name := range names {
		must(t, errOf(env.svc.ConfirmFields(env.ctx, kim, casework.ConfirmFields{Confirm: true,
			ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Names: []string{name}})))
	}
	wantCode(t, env.approveStating(kim, review.ID, domain.FieldVendor), domain.ValidationFailed)
	must(t, env.approveStating(kim, review.ID))
}

// What a reviewer and the document state differently is a field to check for every other reviewer until a
// person has confirmed a value of it.
func TestDifferentValuesAreUnchecked(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam, ann := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1)
	ben := env.person("ben", domain.RoleL1)
	id := env.submitLines(sam, "invoice", invoicePage("Muster Werke GmbH", "D-10", "2026-11-02", "120.00")...)
	review := env.claim(ann, id)
	must(t, env.correct(ann, id, domain.FieldNumber, "D-11"))
	if c := env.caseByID(id); !slices.Contains(c.DifferingFields, domain.FieldNumber) {
		t.Fatalf("a correction resolves the difference: %v", c.DifferingFields)
	}
	if slices.Contains(uncheckedOf(env.approveStating(ann, review.ID)), domain.FieldNumber) {
		t.Error("a value of one's own is to be checked by oneself")
	}
	env.release(ann, id)
	env.claim(ben, id)
	if names := uncheckedOf(env.approveStating(ben, env.openReview(id).ID)); !slices.Contains(names,
		domain.FieldNumber) {
		t.Errorf("another reviewer has to check %v", names)
	}
}
