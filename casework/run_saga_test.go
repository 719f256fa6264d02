package casework_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// fakeConnector implements the connector port. It executes each key once and records all calls.
type fakeConnector struct {
	mu        sync.Mutex
	calls     []string                    // operations, including repeated ones
	done      map[string]domain.SagaCall  // by key
	failOn    func(domain.SagaCall) error // nil: nothing fails
	afterCall func(domain.SagaCall)       // runs between the call and its record
	sums      map[string]int64            // amounts by operation
}

func (c *fakeConnector) Call(_ context.Context, call domain.SagaCall) (domain.SagaResult, error) {
	c.mu.Lock()
	c.calls = append(c.calls, call.Operation)
	fails, after := c.failOn, c.afterCall
	c.mu.Unlock()
	if fails != nil {
		if err := fails(call); err != nil {
			return domain.SagaResult{}, err
		}
	}
	c.mu.Lock()
	if c.done == nil {
		c.done, c.sums = map[string]domain.SagaCall{}, map[string]int64{}
	}
	if _, known := c.done[call.Key]; !known {
		c.done[call.Key] = call
		c.sums[call.Operation] += call.Amount.Minor
	}
	c.mu.Unlock()
	if after != nil {
		after(call)
	}
	return domain.SagaResult{Reference: "B-" + call.Key[:4]}, nil
}

// failOperations makes the named operations always fail with the error.
func (c *fakeConnector) failOperations(err error, operations ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failOn = func(call domain.SagaCall) error {
		for _, operation := range operations {
			if call.Operation == operation {
				return err
			}
		}
		return nil
	}
}

// newPaymentEnv returns a test environment with a supplier invoice that is approved and screened,
// and whose cooling-off period is over.
func newPaymentEnv(t *testing.T) (*testEnv, domain.ID) {
	t.Helper()
	env := newTestEnv(t)
	env.publish(testDefinition(t, "supplier_payment"))
	ann, ben, robo := env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1),
		env.externalWorker("robo", "screening")
	id := env.submitToProcess("supplier_payment")
	must(t, env.claimAndDecide(ann, id, "approval", domain.Approve))
	wantCode(t, env.claimAndDecide(ann, id, "approval", domain.Approve), domain.FourEyes)
	// two of three: the third seat is cancelled
	must(t, env.claimAndDecide(ben, id, "approval", domain.Approve))
	tasks, err := env.svc.LeaseExternalTasks(env.ctx, robo,
		casework.LeaseExternal{Topic: "screening"})
	must(t, err)
	must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(tasks[0])})))
	env.drainQueue()
	env.requireState(id, domain.Approved, "cool_off")
	env.setClockOffset(25 * time.Hour)
	return env, id
}

// sagaSteps returns the calls and statuses of the saga steps in the order in which they started.
func (env *testEnv) sagaSteps(id domain.ID) string {
	env.t.Helper()
	steps, err := env.db.Reader().SagaSteps(env.ctx, id)
	must(env.t, err)
	var states []string
	for _, step := range steps {
		states = append(states, fmt.Sprintf("%s:%s", step.Call, step.Status))
	}
	return strings.Join(states, " ")
}

func TestSupplierIsPaid(t *testing.T) {
	t.Parallel()
	env, id := newPaymentEnv(t)
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if got := env.sagaSteps(id); got != "ledger.reserve:done bank.pay:done ledger.book:done" {
		t.Errorf("steps %s", got)
	}
	if got := strings.Join(env.connector.calls,
		" "); got != "ledger.reserve bank.pay ledger.book" ||
		env.connector.sums["bank.pay"] != 12000 {
		t.Errorf("the connector was called with %s, %v", got, env.connector.sums)
	}
	for _, call := range env.connector.done {
		if call.Payee != "Muster Werke GmbH" || call.Account != "DE89370400440532013000" ||
			call.Undoes != "" {
			t.Errorf("call %+v", call)
		}
	}
	if env.countEvents(id, domain.SagaStepDone) != 3 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}

// TestFailedPaymentIsCompensated checks that compensations run in reverse order, starting with the
// failed call, because its effect is unknown.
func TestFailedPaymentIsCompensated(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fails        string
		err          error
		steps, calls string
	}{
		"the bank refuses": {"bank.pay", domain.Errorf(domain.ValidationFailed, "No such account."),
			"ledger.reserve:done bank.pay:failed bank.recall:done ledger.release:done",
			"ledger.reserve bank.pay bank.recall ledger.release"},
		"the ledger cannot book": {"ledger.book",
			domain.Errorf(domain.ValidationFailed, "The period is closed."),
			"ledger.reserve:done bank.pay:done ledger.book:failed bank.recall:done ledger.release:done",
			"ledger.reserve bank.pay ledger.book bank.recall ledger.release"},
		"the bank does not answer": {"bank.pay", domain.Errorf(domain.TimedOut,
			"The bank did not answer."),
			"ledger.reserve:done bank.pay:failed bank.recall:done ledger.release:done",
			"ledger.reserve bank.pay bank.pay bank.pay bank.pay bank.pay bank.recall ledger.release"},
		"the first fails": {"ledger.reserve", domain.Errorf(domain.ValidationFailed, "No budget."),
			"ledger.reserve:failed ledger.release:done", "ledger.reserve ledger.release"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, id := newPaymentEnv(t)
			env.connector.failOperations(tc.err, tc.fails)
			env.drainQueueWithRetries()
			c := env.caseByID(id)
			if c.Status != domain.Rejected || c.OutcomeReason == "" {
				t.Fatalf("the case is %s (%q) at %+v", c.Status, c.OutcomeReason, c.Marking.Tokens)
			}
			if got := env.sagaSteps(id); got != tc.steps {
				t.Errorf("steps %s", got)
			}
			if got := strings.Join(env.connector.calls, " "); got != tc.calls {
				t.Errorf("calls %s", got)
			}
			for _, call := range env.connector.done {
				if undo := strings.HasSuffix(call.Operation, "recall") ||
					strings.HasSuffix(call.Operation, "release"); undo != (call.Undoes != "") {
					t.Errorf("call %+v", call)
				}
			}
			if env.countEvents(id, domain.SagaStepFailed) != 1 {
				t.Errorf("events %v", env.eventTypes(id))
			}
			env.verifyCaseLog(id)
		})
	}
}

// drainQueueWithRetries executes due runs and advances the clock past the retries.
func (env *testEnv) drainQueueWithRetries() {
	env.t.Helper()
	for hour := range 8 {
		env.drainQueue()
		env.setClockOffset(25*time.Hour + time.Duration(hour)*10*time.Minute)
	}
	env.drainQueue()
}

// TestFailedCompensationOpensIncident checks that a failing compensation is retried and then
// becomes an incident, which only allows a retry.
func TestFailedCompensationOpensIncident(t *testing.T) {
	t.Parallel()
	env, id := newPaymentEnv(t)
	mia, sam := env.person("mia", domain.RoleManager),
		domain.Actor{UserID: env.caseByID(id).Submitter}
	env.connector.failOn = func(call domain.SagaCall) error {
		switch call.Operation {
		case "ledger.book":
			return domain.Errorf(domain.ValidationFailed, "The period is closed.")
		case "bank.recall":
			return domain.Errorf(domain.Unavailable, "The bank is closed.")
		}
		return nil
	}
	env.drainQueueWithRetries()
	env.requireState(id, domain.Incident, "pay")
	_, err := env.svc.AbandonCase(env.ctx, sam,
		casework.AbandonCase{CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "x"})
	wantCode(t, err, domain.StateMismatch)
	_, err = env.svc.ReplaceDocument(env.ctx, sam,
		casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id},
			File: upload("other")})
	wantCode(t, err, domain.StateMismatch)
	_, err = env.svc.EnterFields(env.ctx, mia,
		casework.EnterFields{CaseTarget: casework.CaseTarget{CaseID: id},
			Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1.00"}}})
	wantCode(t, err, domain.StateMismatch)
	env.connector.failOperations(nil)
	must(t, errOf(env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id})))
	env.drainQueueWithRetries()
	env.requireState(id, domain.Rejected)
	if got := env.sagaSteps(
		id); got != "ledger.reserve:done bank.pay:done ledger.book:failed bank.recall:done ledger.release:done" {
		t.Errorf("steps %s", got)
	}
	env.verifyCaseLog(id)
}

// TestUnsentCallOpensIncident checks that a call without a connector needs no compensation and
// becomes an incident.
func TestUnsentCallOpensIncident(t *testing.T) {
	t.Parallel()
	env, id := newPaymentEnv(t)
	env.connector.failOperations(domain.Errorf(domain.ProcessorNotFound, "No connector is set up."),
		"bank.pay")
	env.drainQueueWithRetries()
	env.requireState(id, domain.Incident, "pay")
	env.connector.failOperations(nil)
	must(t, errOf(env.svc.RetryIncident(env.ctx, env.person("mia", domain.RoleManager),
		casework.CaseTarget{CaseID: id})))
	env.drainQueueWithRetries()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// TestCallRepeatedAfterCrashPaysOnce stops a worker between the call and its record: the call is
// repeated with the same key and pays once.
func TestCallRepeatedAfterCrashPaysOnce(t *testing.T) {
	t.Parallel()
	env, id := newPaymentEnv(t)
	crashed := false
	env.connector.afterCall = func(call domain.SagaCall) {
		if call.Operation != "bank.pay" || crashed {
			return
		}
		crashed = true // its lease expires, and another worker finishes
		_, err := env.owner.Exec(env.ctx,
			`UPDATE stage_runs SET lease_until = clock() - interval '1 s' WHERE case_id = $1 AND status = 'leased'`, id)
		must(t, err)
		must(t, errOf(env.svc.Sweep(env.ctx)))
		env.drainQueueWithRetries()
	}
	env.drainQueueWithRetries()
	env.requireState(id, domain.Archived)
	paid := 0
	for _, call := range env.connector.calls {
		if call == "bank.pay" {
			paid++
		}
	}
	if paid != 2 || env.connector.sums["bank.pay"] != 12000 ||
		env.countEvents(id, domain.SagaStepDone) != 3 {
		t.Errorf("called %d times, %d moved, events %v", paid, env.connector.sums["bank.pay"],
			env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}
