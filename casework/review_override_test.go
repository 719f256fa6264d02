package casework_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// wrongAccount is an invoice whose account has wrong check digits.
func wrongAccount(total, number string) []byte {
	return bytes.ReplaceAll(invoiceXML(total, number), []byte("DE89370400440532013000"),
		[]byte("DE88370400440532013000"))
}

// approve approves the open review with overrides: pairs of rule and reason.
func (env *testEnv) approve(by domain.Actor, id domain.ID, reason string, pairs ...string) error {
	env.t.Helper()
	review := env.openReview(id)
	if review.Assignee != by.UserID {
		if _, err := env.svc.ClaimReview(env.ctx, by,
			casework.ReviewTarget{ReviewID: review.ID}); err != nil {
			return err
		}
	}
	_, err := env.decideStating(by, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Verdict: domain.Approve,
		Reason: reason, Overrides: overridesOf(pairs)})
	env.drainQueue()
	return err
}

func overridesOf(pairs []string) []casework.OverrideInput {
	var inputs []casework.OverrideInput
	for i := 0; i < len(pairs); i += 2 {
		inputs = append(inputs, casework.OverrideInput{Rule: pairs[i], Reason: pairs[i+1]})
	}
	return inputs
}

// override states why findings of the open review do not stop an approval.
func (env *testEnv) override(by domain.Actor, id domain.ID, pairs ...string) error {
	env.t.Helper()
	_, err := env.svc.OverrideFindings(env.ctx, by, casework.OverrideFindings{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
		Overrides:    overridesOf(pairs)})
	return err
}

// A blocking finding stops an approval until a reviewer states why it does not; the reason is part
// of the evidence and of the log.
func TestBlockingFindingNeedsAReason(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	env.reader.xml = uncleanInvoice("2000.00", "O-1")
	id := env.submit(sam, "unclean")
	env.drainQueue()
	env.claim(rita, id)
	err := env.approve(rita, id, "")
	wantCode(t, err, domain.ValidationFailed)
	if detail := detailOf(err); detail["reason"] != "override_reason" ||
		detail["rules"] != "arithmetic" {
		t.Errorf("the refusal says %v", detail)
	}
	wantCode(t, env.approve(rita, id, "", "arithmetic", "  "), domain.InvalidInput)
	wantCode(t, env.approve(rita, id, "", "no_such_rule", "because"), domain.InvalidInput)
	wantCode(t, env.approve(rita, id, "", "arithmetic", "a", "arithmetic", "b"),
		domain.InvalidInput)
	must(t, env.approve(rita, id, "", "arithmetic", "the discount is not listed"))
	env.requireState(id, domain.Archived)
	given, err := env.db.Reader().Overrides(env.ctx, id)
	must(t, err)
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	if len(given) != 1 || given[0].Person != rita.UserID ||
		given[0].Reason != "the discount is not listed" ||
		len(decisions[0].Evidence.Overrides) != 1 ||
		decisions[0].Evidence.Overrides[0] != given[0].ID {
		t.Errorf("overrides %+v, evidence %+v", given, decisions[0].Evidence)
	}
	env.verifyCaseLog(id)
}

// The reason of the approval itself counts for findings that need one reason, so that no reviewer types
// it twice; a rejection overrides nothing.
func TestReasonOfTheApprovalCounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	env.reader.xml = uncleanInvoice("2000.00", "O-2")
	id := env.submit(sam, "reason")
	env.drainQueue()
	review := env.claim(rita, id)
	_, err := env.decideStating(rita, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Verdict: domain.Reject,
		Reason: "wrong", Overrides: overridesOf([]string{"arithmetic", "fine"})})
	wantCode(t, err, domain.InvalidInput)
	must(t, env.approve(rita, id, "rounded by the supplier"))
	env.requireState(id, domain.Archived)
}

// A wrong account number needs the reasons of two reviewers. The first one passes the review on and
// cannot take it back; no person counts twice, neither alone nor with a delegation.
func TestSecondPersonOverrides(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	env.reader.xml = wrongAccount("2000.00", "O-3")
	id := env.submit(sam, "account")
	env.drainQueue()
	env.claim(rita, id)
	err := env.approve(rita, id, "called the supplier")
	wantCode(t, err, domain.FourEyes)
	wantCode(t, env.approve(rita, id, "", "iban_check", "called the supplier"), domain.FourEyes)
	// No other reviewer exists, so the review would wait for ever.
	wantCode(t, env.override(rita, id, "iban_check", "called the supplier"), domain.FourEyes)
	if review := env.openReview(id); review.Assignee != rita.UserID {
		t.Errorf("the refused override released the review: %+v", review)
	}
	ron := env.person("ron", domain.RoleL1)
	must(t, env.override(rita, id, "iban_check", "called the supplier"))
	review := env.openReview(id)
	if review.Status != domain.ReviewOpen {
		t.Fatalf("the review is %s after the first override", review.Status)
	}
	if _, err := env.svc.ClaimReview(env.ctx, rita,
		casework.ReviewTarget{ReviewID: review.ID}); err == nil {
		t.Error("the reviewer who stated the first reason can decide")
	}
	wantCode(t, env.approve(ron, id, "agreed"), domain.FourEyes)
	must(t, env.approve(ron, id, "", "iban_check", "the bank confirmed it"))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// An override holds for the finding as it was seen: when its values change, it counts no more.
func TestOverrideEndsWithItsFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, ron := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1),
		env.person("ron", domain.RoleL1)
	env.reader.xml = uncleanInvoice("2000.00", "O-4")
	id := env.submit(sam, "changes")
	env.drainQueue()
	env.claim(rita, id)
	must(t, env.override(rita, id, "arithmetic", "rounded"))
	must(t, env.correct(rita, id, domain.FieldTotal, "2500.00"))
	if env.finding(id, "arithmetic") == nil {
		t.Fatal("the sum agrees after the correction")
	}
	if review := env.openReview(id); review.Status == domain.ReviewClaimed {
		wantCode(t, env.approve(rita, id, ""), domain.ValidationFailed)
	} else {
		wantCode(t, env.approve(ron, id, ""), domain.ValidationFailed)
	}
}

// A document without an amount is not approved for any reason, also after a person found that the
// amount cannot be determined.
func TestMissingAmountIsNeverOverridden(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	jan := env.person("jan", domain.RoleL1)
	env.reader.xml, env.reader.lines = nil, []string{"Hafen Logistik GmbH", "INVOICE",
		"Invoice number: O-5", "Invoice date: 2026-11-02", "All amounts in EUR"}
	id := env.submit(sam, "no amount")
	env.drainQueue()
	review := env.claim(jan, id)
	must(t, errOf(env.svc.CorrectFields(env.ctx, jan, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Confirm: true,
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Undetermined: "torn off"}}})))
	must(t, env.decide(jan, review.ID, domain.Repaired, ""))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	env.claim(mia, id)
	err := env.approve(mia, id, "I know it", "amount_missing", "I know it")
	wantCode(t, err, domain.ValidationFailed)
	if detailOf(err)["reason"] != "override_never" {
		t.Errorf("the refusal says %v", detailOf(err))
	}
}

// A rule can demand the approval of another queue: no reason of a reviewer replaces it.
func TestQueueOverrides(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	ada, abe := env.admins()
	set := env.ruleSet("invoice")
	changed := strings.Replace(set, "override: second_person",
		"override: queue\n    override_queue: AML", 1)
	if changed == set {
		t.Fatal("the set has no rule that needs a second person")
	}
	env.publishRules(ada, abe, changed)
	env.reader.xml = wrongAccount("2000.00", "O-6")
	id := env.submit(sam, "queue")
	env.drainQueue()
	env.claim(rita, id)
	err := env.approve(rita, id, "checked", "iban_check", "called the supplier")
	wantCode(t, err, domain.FourEyes)
	if detailOf(err)["reason"] != "override_queue" {
		t.Errorf("the refusal says %v", detailOf(err))
	}
}

// uncleanInvoice is an invoice whose net and tax do not add up to its total.
func uncleanInvoice(total, number string) []byte {
	return bytes.Replace(invoiceXML(total, number), []byte("<ram:TaxBasisTotalAmount>"),
		[]byte("<ram:TaxBasisTotalAmount>9"), 1)
}

func detailOf(err error) map[string]string {
	var failure *domain.Error
	if errors.As(err, &failure) {
		return failure.Detail
	}
	return nil
}
