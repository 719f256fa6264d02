package casework

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// permanent reports whether trying again cannot help.
func permanent(err error) bool {
	switch domain.CodeOf(err).Kind() {
	case domain.KindInvalid, domain.KindFailedPrecondition, domain.KindForbidden, domain.KindNotFound:
		return true
	}
	return false
}

// fail decides what becomes of a failed run: another attempt later, the way that the process has for such a failure, or
// an incident. facts are asked only where the process goes on.
func (h *Hall) fail(ctx context.Context, t *transition, run domain.StageRun, failure error, facts func() (domain.ProcessFacts, error)) error {
	code := domain.CodeOf(failure)
	var node *workflow.Node
	if t.def != nil {
		node, _ = t.def.Node(run.Node)
	}
	if h.retried(ctx, t, run, failure) {
		return nil
	}
	if node != nil && run.Kind == domain.KindStage && node.Catches(code) {
		known, err := facts()
		if err != nil {
			return err
		}
		if failure = t.goAround(run, failure, known); failure == nil {
			return nil
		}
	}
	t.stop(run, failure)
	return nil
}

// retried adds the next attempt, if the failure may pass and attempts are left.
func (h *Hall) retried(ctx context.Context, t *transition, run domain.StageRun, failure error) bool {
	attempts, backoff := 3, time.Second
	if t.def != nil {
		if node, ok := t.def.Node(run.Node); ok {
			attempts, backoff = node.Attempts, node.Delay(run.Failures+2)
		}
	}
	again := !permanent(failure) && run.Expiries < expiryLimit && run.Failures+1 < attempts
	h.log.WarnContext(ctx, "stage failed", "node", run.Node, "attempt", run.Attempt, "again", again, "code", domain.CodeOf(failure),
		"error", failure, "case", run.CaseID, "correlation_id", t.before.CorrelationID)
	if again {
		pause := time.Duration(float64(backoff) * h.settings.RetryPace * (1 + rand.Float64()/10))
		t.tryAgain(run, failure, t.now.Add(pause))
	}
	return again
}

// tryAgain ends the attempt and adds the next one.
func (t *transition) tryAgain(run domain.StageRun, failure error, at time.Time) {
	message, _ := sentence(failure)
	code := domain.CodeOf(failure)
	next := domain.StageRun{ID: domain.NewID(), CaseID: run.CaseID, Node: run.Node, Visit: run.Visit, Kind: run.Kind, Subject: run.Subject,
		Attempt: run.Attempt + 1, Queue: run.Queue, Topic: run.Topic, LeaseFor: run.LeaseFor, RunAfter: at, Status: domain.RunPending, CreatedAt: t.now, Failures: run.Failures + 1}
	t.change.End = store.RunEnd{Status: domain.RunFailed, ErrorCode: code, ErrorText: message}
	t.addRun(next)
	t.tell(generated.StageRetryingV1{Attempt: int64(run.Attempt), Code: string(code), Message: message,
		NextAttempt: int64(next.Attempt), Node: run.Node, RunAfter: next.RunAfter, Visit: int64(run.Visit)})
}

// goAround takes the node's edge for the failure. An error means that the way on has no answer either: nothing was done,
// and that error is the incident's.
func (t *transition) goAround(run domain.StageRun, failure error, facts domain.ProcessFacts) error {
	message, _ := sentence(failure)
	code := domain.CodeOf(failure)
	told := len(t.bodies)
	t.tell(generated.StageFailedV1{Attempt: int64(run.Attempt), Code: string(code), Message: message, Node: run.Node, Visit: int64(run.Visit)})
	if err := t.advance(workflow.Event{Kind: workflow.StageFailed, Node: run.Node, Visit: run.Visit, Code: code}, facts); err != nil {
		t.bodies = t.bodies[:told]
		return err
	}
	t.change.End = store.RunEnd{Status: domain.RunFailed, ErrorCode: code, ErrorText: message}
	return nil
}

// stop ends the run as an incident: a person has to choose a way out.
func (t *transition) stop(run domain.StageRun, failure error) {
	message, wayOut := sentence(failure)
	code := domain.CodeOf(failure)
	t.change.End = store.RunEnd{Status: domain.RunIncident, ErrorCode: code, ErrorText: message}
	t.change.Case.Status = domain.Incident
	t.tell(generated.IncidentOpenedV1{Actions: waysOut(t.def, t.change.Case), Attempt: int64(run.Attempt), Code: string(code), Message: message,
		Node: run.Node, Visit: int64(run.Visit), WayOut: wayOut})
}

// waysOut are the actions open on a case whose stage failed. A case that is settling can only be retried: its decision
// stands.
func waysOut(def *workflow.Definition, c domain.Case) []string {
	if c.Outcome != "" || (def != nil && workflow.Settled(def, c.Marking)) {
		return []string{"retry"}
	}
	return []string{"retry", "replace", "enter", "abandon"}
}

// sentence is what a person is told of a failure; strangers are not quoted.
func sentence(failure error) (message, wayOut string) {
	var known *domain.Error
	if errors.As(failure, &known) && known.Message != "" {
		return known.Message, known.WayOut
	}
	return "This step failed in an unforeseen way.", "Retry it; if it fails again, an operator finds the cause in the log."
}

// incidentsBeside are the runs that wait for a person while another run of the case is done.
func (h *Hall) incidentsBeside(ctx context.Context, c domain.Case) ([]domain.StageRun, error) {
	if c.Status != domain.Incident {
		return nil, nil
	}
	runs, err := h.db.Reader().RunsOf(ctx, c.ID)
	return waiting(runs), err
}

// waiting are the runs that wait for a person.
func waiting(runs []domain.StageRun) []domain.StageRun {
	var open []domain.StageRun
	for _, run := range runs {
		if run.Status == domain.RunIncident {
			open = append(open, run)
		}
	}
	return open
}

// loadIncidents reads, once, the runs of the locked case that wait for a person.
func (c *command) loadIncidents() error {
	if c.before.Status != domain.Incident || c.incidents != nil {
		return nil
	}
	runs, err := c.tx.RunsOf(c.ctx, c.before.ID)
	c.incidents = waiting(runs)
	return err
}
