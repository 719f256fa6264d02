package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// dueBeforeDate is a page whose due date is before its date.
func dueBeforeDate(more ...string) []string {
	return append(append(invoiceLines("Hafen Logistik GmbH", documentNumber("Q-"),
		"15000.00"), "Due date: 2026-10-02"), more...)
}

// One person does not make a finding disappear by a due date that the page does not show. It is in force,
// and the finding disappears, when a second person has confirmed it.
func TestValueThatHidesAFindingNeedsTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, joe := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("joe", domain.RoleL1)
	id := env.submitRead(sam, dueBeforeDate()...)
	if env.finding(id, "date_order") == nil {
		t.Fatal("the due date is not wrong")
	}
	env.claim(jan, id)
	for range 2 { // the same person again
		must(t, env.correct(jan, id, domain.FieldDueDate, "2026-12-03"))
		if why := env.pending(id, domain.FieldDueDate); why != "rules_easier" {
			t.Errorf("it waits because of %q", why)
		}
		if c := env.caseByID(id); env.finding(id, "date_order") == nil ||
			env.field(id, domain.FieldDueDate).Normalised != "2026-10-02" ||
			!slices.Contains(c.DifferingFields, domain.FieldDueDate) {
			t.Errorf("due %s, differing %v", env.field(id, domain.FieldDueDate).Normalised,
				c.DifferingFields)
		}
	}
	env.release(jan, id)
	env.claim(joe, id)
	must(t, errOf(env.svc.ConfirmFields(env.ctx, joe, casework.ConfirmFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
		Names:        []string{domain.FieldDueDate}})))
	if env.finding(id, "date_order") != nil ||
		env.field(id, domain.FieldDueDate).Normalised != "2026-12-03" {
		t.Error("two persons cannot correct it")
	}
	must(t, env.decide(joe, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// A misread date that the page shows differently, and a value by which no finding disappears, are
// corrected by one reviewer.
func TestMisreadDueDateNeedsOnePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	id := env.submitRead(sam, dueBeforeDate("pay by 2026-12-03")...)
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldDueDate, "2026-10-04")) // not printed, still wrong
	if why := env.pending(id, domain.FieldDueDate); why != "" || env.finding(id, "date_order") == nil {
		t.Errorf("it waits because of %q", why)
	}
	env.release(jan, id)
	id = env.submitRead(sam, dueBeforeDate("pay by 2026-12-03")...)
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldDueDate, "2026-12-03", domain.FieldVendorAddress,
		"Am Kai 2, 20457 Hamburg"))
	for _, field := range []string{domain.FieldDueDate, domain.FieldVendorAddress} {
		if why := env.pending(id, field); why != "" {
			t.Errorf("%s waits because of %q", field, why)
		}
	}
	if env.finding(id, "date_order") != nil {
		t.Error("the due date is still wrong")
	}
	must(t, env.decide(jan, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// What an e-invoice or another person stated about net, tax or due date is not rewritten by one reviewer.
func TestStatedNetNeedsTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, joe := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("joe", domain.RoleL1)
	env.reader.xml = invoiceXML("5000.00", "X-1")
	id := env.submit(sam, "stated")
	env.drainQueue()
	before := env.field(id, domain.FieldNet)
	if before.Source != domain.SourceXML {
		t.Fatalf("net is %+v", before)
	}
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldNet, "1.00", domain.FieldDueDate, "2027-01-31"))
	if why := env.pending(id, domain.FieldNet); why != "statement" ||
		env.field(id, domain.FieldNet).Normalised != before.Normalised {
		t.Errorf("it waits because of %q, %+v is in force", why, env.field(id, domain.FieldNet))
	}
	env.release(jan, id)
	env.claim(joe, id)
	must(t, env.correct(joe, id, domain.FieldNet, "1.00"))
	if net := env.field(id, domain.FieldNet); net.Normalised != "1.00" {
		t.Errorf("two persons cannot correct it: %+v", net)
	}
	// Now the sums are wrong, and one person does not remove that finding without a reason.
	must(t, env.correct(joe, id, domain.FieldNet, before.Normalised))
	if env.finding(id, "arithmetic") == nil {
		t.Error("one person removes the finding")
	}
	wantCode(t, env.decide(joe, env.openReview(id).ID, domain.Approve, ""),
		domain.ValidationFailed)
	env.verifyCaseLog(id)
}
