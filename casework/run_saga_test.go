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

// fakeConnector answers the port of connectors and keeps books: what comes twice under one key is done once.
type fakeConnector struct {
	mu        sync.Mutex
	calls     []string                    // operations, also repeated ones
	done      map[string]domain.SagaCall  // by key
	failOn    func(domain.SagaCall) error // nil: nothing fails
	afterCall func(domain.SagaCall)       // what happens between the call and its record
	sums      map[string]int64            // moved by operation
}

func (b *fakeConnector) Call(_ context.Context, call domain.SagaCall) (domain.SagaResult, error) {
	b.mu.Lock()
	b.calls = append(b.calls, call.Operation)
	fails, after := b.failOn, b.afterCall
	b.mu.Unlock()
	if fails != nil {
		if err := fails(call); err != nil {
			return domain.SagaResult{}, err
		}
	}
	b.mu.Lock()
	if b.done == nil {
		b.done, b.sums = map[string]domain.SagaCall{}, map[string]int64{}
	}
	if _, known := b.done[call.Key]; !known {
		b.done[call.Key] = call
		b.sums[call.Operation] += call.Amount.Minor
	}
	b.mu.Unlock()
	if after != nil {
		after(call)
	}
	return domain.SagaResult{Reference: "B-" + call.Key[:4]}, nil
}

// failOperations makes the named operations fail with the error, always.
func (b *fakeConnector) failOperations(err error, operations ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failOn = func(call domain.SagaCall) error {
		for _, operation := range operations {
			if call.Operation == operation {
				return err
			}
		}
		return nil
	}
}

// newPaymentEnv is a test environment with a supplier's invoice, approved and screened, whose cooling-off is over.
func newPaymentEnv(t *testing.T) (*testEnv, domain.ID) {
	t.Helper()
	env := newTestEnv(t)
	env.publish(testDefinition(t, "supplier_payment"))
	ann, ben, robo := env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1),
		env.externalWorker("robo", "screening")
	id := env.submitToProcess("supplier_payment")
	must(t, env.claimAndDecide(ann, id, "approval", domain.Approve))
	wantCode(t, env.claimAndDecide(ann, id, "approval", domain.Approve), domain.FourEyes)
	// two of three: the third seat is withdrawn
	must(t, env.claimAndDecide(ben, id, "approval", domain.Approve))
	tasks, err := env.svc.LeaseExternalTasks(env.ctx, robo, casework.LeaseExternal{Topic: "screening"})
	must(t, err)
	must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(tasks[0])})))
	env.drainQueue()
	env.requireState(id, domain.Approved, "cool_off")
	env.setClockOffset(25 * time.Hour)
	return env, id
}

// sagaSteps tells how the saga's steps stand, in the order in which they began.
func (env *testEnv) sagaSteps(id domain.ID) string {
	env.t.Helper()
	steps, err := env.db.Reader().SagaSteps(env.ctx, id)
	must(env.t, err)
	var told []string
	for _, step := range steps {
		told = append(told, fmt.Sprintf("%s:%s", step.Call, step.Status))
	}
	return strings.Join(told, " ")
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
		" "); got != "ledger.reserve bank.pay ledger.book" || env.connector.sums["bank.pay"] != 12000 {
		t.Errorf("the bank was told %s, %v", got, env.connector.sums)
	}
	for _, call := range env.connector.done {
		if call.Payee != "Muster Werke GmbH" || call.Account != "DE89370400440532013000" || call.Undoes != "" {
			t.Errorf("told %+v", call)
		}
	}
	if env.countEvents(id, domain.SagaStepDone) != 3 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}

// What was done is taken back in the opposite order, the failed call first: nobody knows whether it had an effect.
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
		"nobody answers": {"bank.pay", domain.Errorf(domain.TimedOut, "The bank did not answer."),
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
					t.Errorf("told %+v", call)
				}
			}
			if env.countEvents(id, domain.SagaStepFailed) != 1 {
				t.Errorf("events %v", env.eventTypes(id))
			}
			env.verifyCaseLog(id)
		})
	}
}

// drainQueueWithRetries does what is due, and turns the clock on to what is tried again, until nothing is left.
func (env *testEnv) drainQueueWithRetries() {
	env.t.Helper()
	for hour := range 8 {
		env.drainQueue()
		env.setClockOffset(25*time.Hour + time.Duration(hour)*10*time.Minute)
	}
	env.drainQueue()
}

// Taking back that fails is tried again until a person must look; until then the case can only be retried.
func TestFailedCompensationOpensIncident(t *testing.T) {
	t.Parallel()
	env, id := newPaymentEnv(t)
	mia, sam := env.person("mia", domain.RoleManager), domain.Actor{UserID: env.caseByID(id).Submitter}
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
		casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id}, File: upload("other")})
	wantCode(t, err, domain.StateMismatch)
	_, err = env.svc.EnterFields(env.ctx, mia,
		casework.EnterFields{CaseTarget: casework.CaseTarget{CaseID: id},
			Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1.00"}}})
	wantCode(t, err, domain.StateMismatch)
	env.connector.failOperations(nil)
	must(t, errOf(env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id})))
	env.drainQueueWithRetries()
	env.requireState(id, domain.Rejected)
	if got := env.sagaSteps(id); got != "ledger.reserve:done bank.pay:done ledger.book:failed bank.recall:done ledger.release:done" {
		t.Errorf("steps %s", got)
	}
	env.verifyCaseLog(id)
}

// A system that nobody set up was told nothing: there is nothing to take back, and a person is told.
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

// The worker dies between the call and its record: the call is made again under the same key, and pays once.
func TestCallRepeatedAfterCrashPaysOnce(t *testing.T) {
	t.Parallel()
	env, id := newPaymentEnv(t)
	dead := false
	env.connector.afterCall = func(call domain.SagaCall) {
		if call.Operation != "bank.pay" || dead {
			return
		}
		// as far as anybody sees: its lease runs out, and another does the work to its end
		dead = true
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
	if paid != 2 || env.connector.sums["bank.pay"] != 12000 || env.countEvents(id, domain.SagaStepDone) != 3 {
		t.Errorf("called %d times, %d moved, events %v", paid, env.connector.sums["bank.pay"],
			env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}
