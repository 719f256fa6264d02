package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// guardedReview is a process whose guard, in place of GUARD, sends cases to a second review.
const guardedReview = `key: guarded_review
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: first}
  - {id: first, kind: review, queue: L1, level: 1, duty: first, on: {approve: route, reject: seal_rejected, return: validate}}
  - {id: route, kind: exclusive, branches: [{when: 'GUARD', to: special}], default: second}
  - {id: special, kind: review, queue: L2, level: 2, duty: special, on: {approve: second, reject: seal_rejected, return: validate}}
  - {id: second, kind: review, queue: L1, level: 1, duty: second, on: {approve: archive, reject: seal_rejected, return: validate}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: archived, kind: end, status: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: rejected, kind: end, status: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
`

// publishGuarded publishes the process with a guard.
func (env *testEnv) publishGuarded(guard string) {
	env.t.Helper()
	env.publishProcess(env.person("ada", domain.RoleAdmin), env.person("abe", domain.RoleAdmin),
		strings.Replace(guardedReview, "GUARD", guard, 1))
}

// One reviewer does not avoid a review by an amount that is as large, in another currency or with the
// other sign: a second person has to confirm it.
func TestAnAmountAsLargeAvoidsNoReview(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		guard string
		set   []string
	}{
		"currency": {`currency == "EUR"`,
			[]string{domain.FieldTotal, "2000.00", domain.FieldCurrency, "USD"}},
		"credit": {`amount_minor > 0`, []string{domain.FieldTotal, "-900.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
			env.person("joe", domain.RoleL1) // could confirm
			env.publishGuarded(row.guard)
			env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistik GmbH", "N-1", "900.00")
			id := env.submitTo(sam, "guarded_review", "invoice", domain.NewID().String())
			env.claim(jan, id)
			must(t, env.correct(jan, id, row.set...))
			if why := env.pending(id, domain.FieldTotal); why == "" {
				t.Error("one reviewer avoids the review")
			}
		})
	}
}

// No one has stated the amount that a reviewer puts together from the total of one colleague and the
// currency of another.
func TestAmountOfTwoColleagues(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ann, ben, jan := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleManager),
		env.person("ben", domain.RoleManager), env.person("jan", domain.RoleManager)
	env.replaceRate("MYR", 240_000)
	env.person("joe", domain.RoleManager)
	env.person("max", domain.RoleManager)
	id := env.submitRead(sam, invoiceLines("Hafen Logistik GmbH", "N-1", "90000.00")...)
	before := env.caseByID(id).BaseMinor
	for _, row := range []struct {
		by              domain.Actor
		total, currency string
	}{{ann, "500", "EUR"}, {ben, "90000", "MYR"}, {jan, "500", "MYR"}} {
		env.claim(row.by, id)
		must(t, env.correct(row.by, id, domain.FieldTotal, row.total, domain.FieldCurrency, row.currency))
		if env.openReview(id).Assignee == row.by.UserID {
			must(t, errOf(env.svc.ReleaseReview(env.ctx, row.by,
				casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
		}
	}
	if c := env.caseByID(id); c.BaseMinor < before {
		t.Errorf("%d is at risk, was %d", c.BaseMinor, before)
	}
}

// What a person has replaced with another account confirms nothing.
func TestValueReplacedWithAnotherAccountConfirmsNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ann, second, jan := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ann+2", domain.RoleL1), env.person("jan", domain.RoleL1)
	id := env.submitRead(sam, invoiceLines("Hafen Logistik GmbH", "N-1", "900.00")...)
	for _, row := range []struct {
		by     domain.Actor
		number string
	}{{ann, "N-7"}, {second, "N-8"}, {jan, "N-7"}} {
		env.claim(row.by, id)
		must(t, env.correct(row.by, id, domain.FieldNumber, row.number))
		must(t, errOf(env.svc.ReleaseReview(env.ctx, row.by,
			casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
	}
	if why := env.pending(id, domain.FieldNumber); why == "" {
		t.Error("a value that the person has replaced confirms")
	}
}

// A country that waits for a second person does not avoid the review that the earlier one demands.
func TestAWaitingCountryAvoidsNoReview(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, joe := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("joe", domain.RoleL1)
	env.publishGuarded(`country == "IR"`)
	env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistik GmbH", "N-1", "900.00")
	id := env.submitDeclared(sam, "guarded_review", "invoice", "", "", "IR")
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldCountry, "DE"))
	must(t, errOf(env.svc.ReleaseReview(env.ctx, jan,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
	must(t, env.claimAndDecide(joe, id, "first", domain.Approve))
	env.drainQueue()
	if node := env.openReview(id).Node; node != "special" {
		t.Errorf("the case waits at %s", node)
	}
}
