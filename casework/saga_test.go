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

// bank answers the port of connectors and keeps books: what comes twice under one key is done once.
type bank struct {
	mu    sync.Mutex
	calls []string                    // operations, also repeated ones
	done  map[string]domain.SagaCall  // by key
	fails func(domain.SagaCall) error // nil: nothing fails
	after func(domain.SagaCall)       // what happens between the call and its record
	sums  map[string]int64            // moved by operation
}

func (b *bank) Call(_ context.Context, call domain.SagaCall) (domain.SagaAnswer, error) {
	b.mu.Lock()
	b.calls = append(b.calls, call.Operation)
	fails, after := b.fails, b.after
	b.mu.Unlock()
	if fails != nil {
		if err := fails(call); err != nil {
			return domain.SagaAnswer{}, err
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
	return domain.SagaAnswer{Reference: "B-" + call.Key[:4]}, nil
}

// failing makes the named operations fail with the error, always.
func (b *bank) failing(err error, operations ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails = func(call domain.SagaCall) error {
		for _, operation := range operations {
			if call.Operation == operation {
				return err
			}
		}
		return nil
	}
}

// paying is a world with a supplier's invoice, approved and screened, whose cooling-off is over.
func paying(t *testing.T) (*world, domain.ID) {
	t.Helper()
	w := newWorld(t)
	w.publish(standing(t, "supplier_payment"))
	ann, ben, robo := w.person("ann", domain.RoleL1), w.person("ben", domain.RoleL1), w.program("robo", "screening")
	id := w.submitted("supplier_payment")
	must(t, w.settle(ann, id, "approval", domain.Approve))
	wantCode(t, w.settle(ann, id, "approval", domain.Approve), domain.FourEyes)
	must(t, w.settle(ben, id, "approval", domain.Approve)) // two of three: the third seat is withdrawn
	tasks, err := w.hall.LeaseExternalTasks(w.ctx, robo, casework.LeaseExternal{Topic: "screening"})
	must(t, err)
	must(t, first(w.hall.CompleteExternalTask(w.ctx, robo, casework.CompleteExternal{Lease: leaseOf(tasks[0])})))
	w.work()
	w.at(id, domain.Approved, "cool_off")
	w.later(25 * time.Hour)
	return w, id
}

// steps tells how the saga's steps stand, in the order in which they began.
func (w *world) steps(id domain.ID) string {
	w.t.Helper()
	steps, err := w.db.Reader().SagaSteps(w.ctx, id)
	must(w.t, err)
	var told []string
	for _, step := range steps {
		told = append(told, fmt.Sprintf("%s:%s", step.Call, step.Status))
	}
	return strings.Join(told, " ")
}

func TestSupplierIsPaid(t *testing.T) {
	t.Parallel()
	w, id := paying(t)
	w.work()
	w.at(id, domain.Archived)
	if got := w.steps(id); got != "ledger.reserve:done bank.pay:done ledger.book:done" {
		t.Errorf("steps %s", got)
	}
	if got := strings.Join(w.bank.calls, " "); got != "ledger.reserve bank.pay ledger.book" || w.bank.sums["bank.pay"] != 12000 {
		t.Errorf("the bank was told %s, %v", got, w.bank.sums)
	}
	for _, call := range w.bank.done {
		if call.Payee != "Muster Werke GmbH" || call.Account != "DE89370400440532013000" || call.Undoes != "" {
			t.Errorf("told %+v", call)
		}
	}
	if w.count(id, domain.SagaStepDone) != 3 {
		t.Errorf("events %v", w.types(id))
	}
	w.verify(id)
}

// What was done is taken back in the opposite order, the failed call first: nobody knows whether it had an effect.
func TestFailedPaymentIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fails        string
		err          error
		steps, calls string
	}{
		"the bank refuses": {"bank.pay", domain.Fail(domain.ValidationFailed, "No such account."),
			"ledger.reserve:done bank.pay:failed bank.recall:done ledger.release:done", "ledger.reserve bank.pay bank.recall ledger.release"},
		"the ledger cannot book": {"ledger.book", domain.Fail(domain.ValidationFailed, "The period is closed."),
			"ledger.reserve:done bank.pay:done ledger.book:failed bank.recall:done ledger.release:done",
			"ledger.reserve bank.pay ledger.book bank.recall ledger.release"},
		"nobody answers": {"bank.pay", domain.Fail(domain.TimedOut, "The bank did not answer."),
			"ledger.reserve:done bank.pay:failed bank.recall:done ledger.release:done",
			"ledger.reserve bank.pay bank.pay bank.pay bank.pay bank.pay bank.recall ledger.release"},
		"the first fails": {"ledger.reserve", domain.Fail(domain.ValidationFailed, "No budget."),
			"ledger.reserve:failed ledger.release:done", "ledger.reserve ledger.release"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, id := paying(t)
			w.bank.failing(tc.err, tc.fails)
			w.workOn()
			c := w.kase(id)
			if c.Status != domain.Rejected || c.OutcomeReason == "" {
				t.Fatalf("the case is %s (%q) at %+v", c.Status, c.OutcomeReason, c.Marking.Tokens)
			}
			if got := w.steps(id); got != tc.steps {
				t.Errorf("steps %s", got)
			}
			if got := strings.Join(w.bank.calls, " "); got != tc.calls {
				t.Errorf("calls %s", got)
			}
			for _, call := range w.bank.done {
				if undo := strings.HasSuffix(call.Operation, "recall") || strings.HasSuffix(call.Operation, "release"); undo != (call.Undoes != "") {
					t.Errorf("told %+v", call)
				}
			}
			if w.count(id, domain.SagaStepFailed) != 1 {
				t.Errorf("events %v", w.types(id))
			}
			w.verify(id)
		})
	}
}

// workOn does what is due, and turns the clock on to what is tried again, until nothing is left.
func (w *world) workOn() {
	w.t.Helper()
	for hour := range 8 {
		w.work()
		w.later(25*time.Hour + time.Duration(hour)*10*time.Minute)
	}
	w.work()
}

// Taking back that fails is tried again until a person must look; until then the case can only be retried.
func TestTakingBackThatFails(t *testing.T) {
	t.Parallel()
	w, id := paying(t)
	mia, sam := w.person("mia", domain.RoleManager), domain.Actor{UserID: w.kase(id).Submitter}
	w.bank.fails = func(call domain.SagaCall) error {
		switch call.Operation {
		case "ledger.book":
			return domain.Fail(domain.ValidationFailed, "The period is closed.")
		case "bank.recall":
			return domain.Fail(domain.Unavailable, "The bank is closed.")
		}
		return nil
	}
	w.workOn()
	w.at(id, domain.Incident, "pay")
	_, err := w.hall.AbandonCase(w.ctx, sam, casework.AbandonCase{OnCase: casework.OnCase{CaseID: id}, Reason: "x"})
	wantCode(t, err, domain.StateMismatch)
	_, err = w.hall.ReplaceDocument(w.ctx, sam, casework.ReplaceDocument{OnCase: casework.OnCase{CaseID: id}, File: upload("other")})
	wantCode(t, err, domain.StateMismatch)
	_, err = w.hall.EnterFields(w.ctx, mia, casework.EnterFields{OnCase: casework.OnCase{CaseID: id}, Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1.00"}}})
	wantCode(t, err, domain.StateMismatch)
	w.bank.failing(nil)
	must(t, first(w.hall.RetryIncident(w.ctx, mia, casework.OnCase{CaseID: id})))
	w.workOn()
	w.at(id, domain.Rejected)
	if got := w.steps(id); got != "ledger.reserve:done bank.pay:done ledger.book:failed bank.recall:done ledger.release:done" {
		t.Errorf("steps %s", got)
	}
	w.verify(id)
}

// A system that nobody set up was told nothing: there is nothing to take back, and a person is told.
func TestCallThatCannotBeSent(t *testing.T) {
	t.Parallel()
	w, id := paying(t)
	w.bank.failing(domain.Fail(domain.ProcessorNotFound, "No connector is set up."), "bank.pay")
	w.workOn()
	w.at(id, domain.Incident, "pay")
	w.bank.failing(nil)
	must(t, first(w.hall.RetryIncident(w.ctx, w.person("mia", domain.RoleManager), casework.OnCase{CaseID: id})))
	w.workOn()
	w.at(id, domain.Archived)
	w.verify(id)
}

// The worker dies between the call and its record: the call is made again under the same key, and pays once.
func TestWorkerThatDiesBetweenCallAndRecord(t *testing.T) {
	t.Parallel()
	w, id := paying(t)
	dead := false
	w.bank.after = func(call domain.SagaCall) {
		if call.Operation != "bank.pay" || dead {
			return
		}
		dead = true // as far as anybody sees: its lease runs out, and another does the work to its end
		_, err := w.owner.Exec(w.ctx, `UPDATE stage_runs SET lease_until = clock() - interval '1 s' WHERE case_id = $1 AND status = 'leased'`, id)
		must(t, err)
		must(t, first(w.hall.Sweep(w.ctx)))
		w.workOn()
	}
	w.workOn()
	w.at(id, domain.Archived)
	paid := 0
	for _, call := range w.bank.calls {
		if call == "bank.pay" {
			paid++
		}
	}
	if paid != 2 || w.bank.sums["bank.pay"] != 12000 || w.count(id, domain.SagaStepDone) != 3 {
		t.Errorf("called %d times, %d moved, events %v", paid, w.bank.sums["bank.pay"], w.types(id))
	}
	w.verify(id)
}
