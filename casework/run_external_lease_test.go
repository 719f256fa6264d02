package casework_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// externalPayment returns a built-in process in which an external program pays before the archive, with
// further replacements.
func externalPayment(t *testing.T, key string, replaced ...string) string {
	t.Helper()
	text, err := os.ReadFile("../workflow/definitions/" + key + ".yaml")
	must(t, err)
	pay := strings.NewReplacer(append([]string{"to: archive\n", "to: pay\n",
		"default: archive\n", "default: pay\n", "approve: archive\n", "approve: pay\n",
		"  - id: archive\n", "  - id: pay\n    kind: external\n    topic: payments\n" +
			"    status: approved\n    next: archive\n  - id: archive\n"}, replaced...)...)
	return string(workflow.WithVersion([]byte(pay.Replace(string(text))), 3))
}

// leasePayments leases payments twice: whatever the first call leaves, the second one leaves too.
func (env *testEnv) leasePayments(by domain.Actor) []casework.ExternalTask {
	env.t.Helper()
	var leased []casework.ExternalTask
	for range 2 {
		tasks, err := env.svc.LeaseExternalTasks(env.ctx, by,
			casework.LeaseExternal{Topic: "payments", MaxTasks: 10})
		must(env.t, err)
		leased = append(leased, tasks...)
	}
	return leased
}

// pays leases the only payment, which must be of the case, and completes it.
func (env *testEnv) pays(by domain.Actor, id domain.ID) {
	env.t.Helper()
	tasks := env.leasePayments(by)
	if len(tasks) != 1 || tasks[0].Case.ID != id {
		env.t.Fatalf("leased %+v", tasks)
	}
	must(env.t, errOf(env.svc.CompleteExternalTask(env.ctx, by,
		casework.CompleteExternal{Lease: leaseOf(tasks[0])})))
	env.drainQueue()
}

// Two approved cases turn out to be the same document before they are paid by a program: one of them is
// handed out, and the other one is stopped and decided again, however it is found.
func TestDuplicateFoundBeforeTheHandOut(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*testEnv){
		"by the sweep": func(env *testEnv) {
			for range 2 { // the second time changes nothing
				must(env.t, errOf(env.svc.ReevaluateCases(env.ctx)))
			}
		},
		"by changed control data": func(*testEnv) {},
		"by the search": func(env *testEnv) {
			must(env.t, errOf(env.owner.Exec(env.ctx, `DELETE FROM control_changes`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.publish(externalPayment(t, "document_approval"))
			robo := env.externalWorker("robo", "payments")
			sam, jan, kim := env.person("sam", domain.RoleSubmitter),
				env.person("jan", domain.RoleL1), env.person("kim", domain.RoleL1)
			one, two := env.groupedPair(sam, jan)
			env.requireState(one, domain.Approved, "pay")
			env.requireState(two, domain.Approved, "pay")
			env.groupNames()
			before(env)
			tasks := env.leasePayments(robo)
			if len(tasks) != 1 {
				t.Fatalf("%d tasks were handed out", len(tasks))
			}
			passed, stopped := one, two
			if tasks[0].Case.ID == two {
				passed, stopped = two, one
			}
			env.requireState(stopped, domain.InReview, "review_l1")
			if found := env.duplicatesOf(stopped); len(found) == 0 ||
				len(env.duplicatesOf(passed)) != 0 || env.voteCount(stopped) != 0 {
				t.Errorf("found %v, %d votes", found, env.voteCount(stopped))
			}
			must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo,
				casework.CompleteExternal{Lease: leaseOf(tasks[0])})))
			env.drainQueue()
			env.requireState(passed, domain.Archived)
			env.claim(kim, stopped)
			must(t, errOf(env.svc.ClearDuplicate(env.ctx, kim, casework.ClearDuplicate{
				ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(stopped).ID},
				Reference:    env.caseByID(passed).Reference, Reason: "a part delivery"})))
			must(t, env.decide(kim, env.openReview(stopped).ID, domain.Approve, ""))
			env.pays(robo, stopped)
			env.requireState(stopped, domain.Archived)
			env.verifyCaseLog(stopped)
			env.verifyCaseLog(passed)
		})
	}
}

// Control data that changes after the approval stops the case before its payment is handed out, also if
// the sweep has not reached it.
func TestControlDataChangedBeforeTheHandOut(t *testing.T) {
	t.Parallel()
	type changed struct {
		total, node string
		change      func(env *testEnv, ada, sid domain.Actor) error
	}
	for name, row := range map[string]changed{
		"a country is listed": {"150000.00", "review_aml",
			func(env *testEnv, ada, _ domain.Actor) error {
				return errOf(env.setCountry(ada, "DE", "high"))
			}},
		"a rate rises": {"900000.00", "review_l2", func(env *testEnv, ada, _ domain.Actor) error {
			return errOf(env.setRate(ada, "EUR", "1.15"))
		}},
		"a conflict is declared": {"150000.00", "review_l1",
			func(env *testEnv, ada, sid domain.Actor) error {
				return errOf(env.svc.DeclareConflict(env.ctx, ada, casework.DeclareConflict{
					Person: sid.UserID, Party: "Muster Werke GmbH", Reason: "brother"}))
			}},
	} {
		for _, swept := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				env := newTestEnv(t)
				env.publish(externalPayment(t, remittance, "order: required", "order: optional"))
				robo := env.externalWorker("robo", "payments")
				sam, sid, ada := env.person("sam", domain.RoleSubmitter),
					env.person("sid", domain.RoleSenior), env.person("ada", domain.RoleAdmin)
				others := map[string]domain.Actor{"review_aml": env.amlOfficer("al"),
					"review_l2": env.person("mia", domain.RoleManager),
					"review_l1": env.person("sue", domain.RoleSenior)}
				id := env.remittanceOf(sam, row.total)
				env.approves(sid, id)
				env.requireState(id, domain.Approved, "pay")
				must(t, row.change(env, ada, sid))
				if swept {
					env.sweepControls()
				}
				if tasks := env.leasePayments(robo); len(tasks) != 0 {
					t.Fatalf("handed out: %+v", tasks)
				}
				env.requireState(id, domain.InReview, row.node)
				must(t, env.claimAndDecide(others[row.node], id, row.node, domain.Approve))
				env.pays(robo, id)
				env.requireState(id, domain.Archived)
				env.verifyCaseLog(id)
			})
		}
	}
}

// Of two orders that together exceed their evidence, one payment at most is handed out: the decision
// that would let the second one be paid is refused, also if both are made at the same moment.
func TestOrdersOverTheirEvidenceBeforeTheHandOut(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(externalPayment(t, remittance))
	robo := env.externalWorker("robo", "payments")
	sam := env.person("sam", domain.RoleSubmitter)
	people := []domain.Actor{env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1)}
	env.reader.xml = invoiceXML("1000.00", "O-7")
	var ids []domain.ID
	for _, reference := range []string{"P-1", "P-2"} {
		in := order("600", "EUR", reference)
		in.Ground = &casework.GroundInput{Kind: domain.GroundPartPayment, Explanation: "part"}
		ids = append(ids, env.mustOrder(sam, in))
	}
	for i, id := range ids {
		env.claim(people[i], id)
		must(t, env.confirmGround(people[i], id, 1))
	}
	var errs [2]error
	var running sync.WaitGroup
	for i, id := range ids {
		running.Go(func() {
			errs[i] = env.decide(people[i], env.openReview(id).ID, domain.Approve, "part payments")
		})
	}
	running.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("both decisions: %v, %v", errs[0], errs[1])
	}
	passed, refused := 0, 1
	if errs[0] != nil {
		passed, refused = 1, 0
	}
	for range 2 {
		wantCode(t, env.decide(people[refused], env.openReview(ids[refused]).ID, domain.Approve,
			"part payments"), domain.OrderUnsupported)
	}
	env.pays(robo, ids[passed])
	env.requireState(ids[passed], domain.Archived)
	env.requireState(ids[refused], domain.InReview, "review_l1")
	env.verifyCaseLog(ids[passed])
}

// An order that its evidence does not support is not handed out, however large the reviewer's limit is.
// A stage that pays nothing gets it.
func TestUnsupportedOrderBeforeTheHandOut(t *testing.T) {
	t.Parallel()
	for pays, code := range map[string]domain.Code{"": domain.OrderUnsupported,
		"    pays: false\n": ""} {
		t.Run("attribute "+strings.TrimSpace(pays), func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			text := strings.Replace(externalPayment(t, remittance), "    topic: payments\n",
				"    topic: payments\n"+pays, 1)
			env.publish(text)
			robo := env.externalWorker("robo", "payments")
			sam, mia, max := env.person("sam", domain.RoleSubmitter),
				env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager)
			env.reader.xml = invoiceXML("717.97", "O-2")
			id := env.mustOrder(sam, order("1200000", "USD", "P-1"))
			must(t, env.claimAndDecide(mia, id, "review_l1", domain.Approve))
			err := env.claimAndDecide(max, id, "review_l2", domain.Approve)
			if code != "" {
				wantCode(t, err, code)
			} else {
				must(t, err)
			}
			if tasks := env.leasePayments(robo); len(tasks) > 0 != (code == "") {
				t.Errorf("%d tasks were handed out", len(tasks))
			}
		})
	}
}

// A payment that was handed out before stays, because the program may have paid: it is offered again
// when its lease expires. What changed meanwhile adds a review before the archive.
func TestHandedOutTaskStays(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(externalPayment(t, remittance, "order: required", "order: optional"))
	robo := env.externalWorker("robo", "payments")
	sam, sid, ada, al := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("ada", domain.RoleAdmin),
		env.amlOfficer("al")
	id := env.remittanceOf(sam, "150000.00")
	env.approves(sid, id)
	if tasks := env.leasePayments(robo); len(tasks) != 1 {
		t.Fatalf("%d tasks were handed out", len(tasks))
	}
	must(t, errOf(env.setCountry(ada, "DE", "high")))
	env.sweepControls()
	env.requireState(id, domain.Approved, "pay")
	env.setClockOffset(env.clockOffset + 10*time.Minute)
	env.sweepControls()
	env.pays(robo, id)
	env.requireState(id, domain.InReview, "review_aml")
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// A country that is listed after the approval stops the archive, also if the sweep has not reached the
// case.
func TestArchiveUsesPresentControlData(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, ada, al := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("ada", domain.RoleAdmin),
		env.amlOfficer("al")
	id := env.remittanceOf(sam, "150000.00")
	env.approves(sid, id)
	must(t, errOf(env.setCountry(ada, "DE", "high")))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_aml")
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}
