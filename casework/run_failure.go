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

// isPermanent reports whether trying again cannot help.
func isPermanent(err error) bool {
	switch domain.CodeOf(err).Kind() {
	case domain.KindInvalid, domain.KindFailedPrecondition, domain.KindForbidden, domain.KindNotFound:
		return true
	}
	return false
}

// handleFailure decides what becomes of a failed run: another attempt later, the way that the process has for such a failure, or
// an incident. facts are asked only where the process goes on.
func (svc *Service) handleFailure(ctx context.Context, t *transition, run domain.StageRun, failure error, facts func() (domain.ProcessFacts, error)) error {
	code := domain.CodeOf(failure)
	var node *workflow.Node
	if t.def != nil {
		node, _ = t.def.Node(run.Node)
	}
	if svc.tryRetry(ctx, t, run, failure) {
		return nil
	}
	if node != nil && run.Kind == domain.RunKindStage && node.Catches(code) {
		known, err := facts()
		if err != nil {
			return err
		}
		if failure = t.takeErrorEdge(run, failure, known); failure == nil {
			return nil
		}
	}
	t.openIncident(run, failure)
	return nil
}

// tryRetry adds the next attempt, if the failure may pass and attempts are left.
func (svc *Service) tryRetry(ctx context.Context, t *transition, run domain.StageRun, failure error) bool {
	attempts, backoff := 3, time.Second
	if t.def != nil {
		if node, ok := t.def.Node(run.Node); ok {
			attempts, backoff = node.Attempts, node.Delay(run.Failures+2)
		}
	}
	again := !isPermanent(failure) && run.Expiries < maxLeaseExpiries && run.Failures+1 < attempts
	svc.log.WarnContext(ctx, "stage failed", "node", run.Node, "attempt", run.Attempt, "again", again, "code", domain.CodeOf(failure),
		"error", failure, "case", run.CaseID, "correlation_id", t.before.CorrelationID)
	if again {
		pause := time.Duration(float64(backoff) * svc.settings.RetryDelayFactor * (1 + rand.Float64()/10))
		t.addRetryRun(run, failure, t.now.Add(pause))
	}
	return again
}

// addRetryRun ends the attempt and adds the next one.
func (t *transition) addRetryRun(run domain.StageRun, failure error, at time.Time) {
	message, _ := failureText(failure)
	code := domain.CodeOf(failure)
	next := domain.StageRun{ID: domain.NewID(), CaseID: run.CaseID, Node: run.Node, Visit: run.Visit, Kind: run.Kind, Subject: run.Subject,
		Attempt: run.Attempt + 1, Queue: run.Queue, Topic: run.Topic, LeaseFor: run.LeaseFor, RunAfter: at, Status: domain.RunPending, CreatedAt: t.now, Failures: run.Failures + 1}
	t.change.RunResult = store.RunResult{Status: domain.RunFailed, ErrorCode: code, ErrorText: message}
	t.addRun(next)
	t.emit(generated.StageRetryingV1{Attempt: int64(run.Attempt), Code: string(code), Message: message,
		NextAttempt: int64(next.Attempt), Node: run.Node, RunAfter: next.RunAfter, Visit: int64(run.Visit)})
}

// takeErrorEdge takes the node's edge for the failure. An error means that the way on has no answer either: nothing was done,
// and that error is the incident's.
func (t *transition) takeErrorEdge(run domain.StageRun, failure error, facts domain.ProcessFacts) error {
	message, _ := failureText(failure)
	code := domain.CodeOf(failure)
	told := len(t.bodies)
	t.emit(generated.StageFailedV1{Attempt: int64(run.Attempt), Code: string(code), Message: message, Node: run.Node, Visit: int64(run.Visit)})
	if err := t.applyEvent(workflow.Event{Kind: workflow.StageFailed, Node: run.Node, Visit: run.Visit, Code: code}, facts); err != nil {
		t.bodies = t.bodies[:told]
		return err
	}
	t.change.RunResult = store.RunResult{Status: domain.RunFailed, ErrorCode: code, ErrorText: message}
	return nil
}

// openIncident ends the run as an incident: a person has to choose a way out.
func (t *transition) openIncident(run domain.StageRun, failure error) {
	message, remedy := failureText(failure)
	code := domain.CodeOf(failure)
	t.change.RunResult = store.RunResult{Status: domain.RunIncident, ErrorCode: code, ErrorText: message}
	t.change.Case.Status = domain.Incident
	t.emit(generated.IncidentOpenedV1{Actions: recoveryActions(t.def, t.change.Case), Attempt: int64(run.Attempt), Code: string(code), Message: message,
		Node: run.Node, Visit: int64(run.Visit), WayOut: remedy})
}

// recoveryActions are the actions open on a case whose stage failed. A case that is settling can only be retried: its decision
// stands.
func recoveryActions(def *workflow.Definition, c domain.Case) []string {
	if c.Outcome != "" || (def != nil && workflow.ExecutesDecision(def, c.Marking)) {
		return []string{"retry"}
	}
	return []string{"retry", "replace", "enter", "abandon"}
}

// failureText is what a person is told of a failure; strangers are not quoted.
func failureText(failure error) (message, remedy string) {
	var known *domain.Error
	if errors.As(failure, &known) && known.Message != "" {
		return known.Message, known.Remedy
	}
	return "This step failed in an unforeseen way.", "Retry it; if it fails again, an operator finds the cause in the log."
}

// otherIncidents are the runs that wait for a person while another run of the case is done.
func (svc *Service) otherIncidents(ctx context.Context, c domain.Case) ([]domain.StageRun, error) {
	if c.Status != domain.Incident {
		return nil, nil
	}
	runs, err := svc.db.Reader().RunsOf(ctx, c.ID)
	return incidentRuns(runs), err
}

// incidentRuns are the runs that wait for a person.
func incidentRuns(runs []domain.StageRun) []domain.StageRun {
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
	c.incidents = incidentRuns(runs)
	return err
}
