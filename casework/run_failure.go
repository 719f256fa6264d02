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

// isPermanent reports whether a retry cannot succeed.
func isPermanent(err error) bool {
	switch domain.CodeOf(err).Kind() {
	case domain.KindInvalid, domain.KindFailedPrecondition, domain.KindForbidden,
		domain.KindNotFound:
		return true
	}
	return false
}

// handleFailure decides what follows a failed run: a retry, an error edge of the process, or an
// incident. It calls facts only if there is an error edge.
func (svc *Service) handleFailure(
	ctx context.Context, t *transition, run domain.StageRun, failure error,
	facts func() (domain.ProcessFacts, error),
) error {
	code := domain.CodeOf(failure)
	var node *workflow.Node
	if t.def != nil {
		node, _ = t.def.Node(run.Node)
	}
	if svc.tryRetry(ctx, t, run, failure) {
		return nil
	}
	if node != nil && run.Kind == domain.RunKindStage && node.Catches(code) {
		current, err := facts()
		if err != nil {
			return err
		}
		if failure = t.takeErrorEdge(run, failure, current); failure == nil {
			return nil
		}
	}
	t.openIncident(run, failure)
	return nil
}

// tryRetry adds the next attempt if the failure is temporary and attempts remain, and reports
// whether it did.
func (svc *Service) tryRetry(
	ctx context.Context, t *transition, run domain.StageRun, failure error,
) bool {
	attempts, backoff := 3, time.Second
	if t.def != nil {
		if node, ok := t.def.Node(run.Node); ok {
			attempts, backoff = node.Attempts, node.Delay(run.Failures+2)
		}
	}
	if frees, waits := awaitedBudget(failure); waits {
		t.addRetryRun(run, failure, frees, run.Failures)
		return true
	}
	if continuesReading(run, failure) {
		t.addRetryRun(run, failure, t.now, run.Failures)
		return true
	}
	retry := !isPermanent(failure) && run.Expiries < maxLeaseExpiries && run.Failures+1 < attempts
	svc.log.WarnContext(ctx, "stage failed", "node", run.Node, "attempt", run.Attempt,
		"again", retry, "code", domain.CodeOf(failure),
		"error", failure, "case", run.CaseID, "correlation_id", t.before.CorrelationID)
	if retry {
		jitter := 1 + rand.Float64()/10
		pause := time.Duration(float64(backoff) * svc.settings.RetryDelayFactor * jitter)
		t.addRetryRun(run, failure, t.now.Add(pause), run.Failures+1)
	}
	return retry
}

// addRetryRun ends the attempt as failed and adds the next one, which counts the given failures.
func (t *transition) addRetryRun(run domain.StageRun, failure error, at time.Time, failures int) {
	message, _ := failureText(failure)
	code := domain.CodeOf(failure)
	next := domain.StageRun{ID: domain.NewID(), CaseID: run.CaseID, Node: run.Node,
		Visit: run.Visit, Kind: run.Kind, Subject: run.Subject,
		Attempt: run.Attempt + 1, Queue: run.Queue, Topic: run.Topic, LeaseFor: run.LeaseFor,
		RunAfter: at, Status: domain.RunPending, CreatedAt: t.now, Failures: failures}
	t.change.RunResult = store.RunResult{Status: domain.RunFailed, ErrorCode: code,
		ErrorText: message}
	t.addRun(next)
	t.emit(generated.StageRetryingV1{Attempt: int64(run.Attempt), Code: string(code),
		Message:     message,
		NextAttempt: int64(next.Attempt), Node: run.Node, RunAfter: next.RunAfter,
		Visit: int64(run.Visit)})
}

// takeErrorEdge takes the node's error edge for the failure. An error means that the edge failed
// too; nothing has changed then, and the error is the cause of the incident.
func (t *transition) takeErrorEdge(
	run domain.StageRun, failure error, facts domain.ProcessFacts,
) error {
	message, _ := failureText(failure)
	code := domain.CodeOf(failure)
	event := workflow.Event{Kind: workflow.StageFailed, Node: run.Node, Visit: run.Visit,
		Code: code}
	if err := t.applyEvent(event, facts, generated.StageFailedV1{
		Attempt: int64(run.Attempt), Code: string(code), Message: message, Node: run.Node,
		Visit: int64(run.Visit),
	}); err != nil {
		return err
	}
	t.change.RunResult = store.RunResult{Status: domain.RunFailed, ErrorCode: code,
		ErrorText: message}
	return nil
}

// openIncident ends the run as an incident, which a user must resolve.
func (t *transition) openIncident(run domain.StageRun, failure error) {
	message, remedy := failureText(failure)
	code := domain.CodeOf(failure)
	t.change.RunResult = store.RunResult{Status: domain.RunIncident, ErrorCode: code,
		ErrorText: message}
	t.change.Case.Status = domain.Incident
	t.emit(generated.IncidentOpenedV1{Actions: recoveryActions(t.def, t.change.Case),
		Attempt: int64(run.Attempt), Code: string(code), Message: message,
		Node: run.Node, Visit: int64(run.Visit), WayOut: remedy})
}

// recoveryActions returns the actions available on a case with an incident. A case that is carrying
// out its decision can only be retried, because the decision remains valid.
func recoveryActions(def *workflow.Definition, c domain.Case) []string {
	if c.Outcome != "" || (def != nil && workflow.ExecutesDecision(def, c.Marking)) {
		return []string{"retry"}
	}
	return []string{"retry", "replace", "enter", "abandon"}
}

// unexpectedFailure is the message of a failure whose cause is only logged.
const unexpectedFailure = "This step failed unexpectedly."

// failureText returns the message and remedy of a failure for users. Errors without a domain code
// are not disclosed.
func failureText(failure error) (message, remedy string) {
	var known *domain.Error
	if errors.As(failure, &known) && known.Message != "" {
		return known.Message, known.Remedy
	}
	return unexpectedFailure, "Retry it. If it fails again, ask an operator to check the log."
}

// otherIncidents returns the runs that wait for recovery while another run of the case is recorded.
func (svc *Service) otherIncidents(ctx context.Context, c domain.Case) ([]domain.StageRun, error) {
	if c.Status != domain.Incident {
		return nil, nil
	}
	runs, err := svc.db.Reader().RunsOf(ctx, c.ID)
	return incidentRuns(runs), err
}

// incidentRuns returns the runs that wait for recovery.
func incidentRuns(runs []domain.StageRun) []domain.StageRun {
	var open []domain.StageRun
	for _, run := range runs {
		if run.Status == domain.RunIncident {
			open = append(open, run)
		}
	}
	return open
}

// loadIncidents loads, once, the runs of the locked case that wait for recovery.
func (c *command) loadIncidents() error {
	if c.before.Status != domain.Incident || c.incidents != nil {
		return nil
	}
	runs, err := c.tx.RunsOf(c.ctx, c.before.ID)
	c.incidents = incidentRuns(runs)
	return err
}
