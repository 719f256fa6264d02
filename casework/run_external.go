package casework

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// LeaseExternal requests tasks of an external stage. Worker is a name that the program chooses for
// itself; it is only displayed.
type LeaseExternal struct {
	Topic    string
	Worker   string
	MaxTasks int // 1 to maxExternalLease; 0 is 1
}

// maxExternalLease is the maximum number of runs leased in one call.
const maxExternalLease = 20

// ExternalTask is a run leased by an external program, with the data that it needs.
type ExternalTask struct {
	Run      domain.StageRun
	Case     domain.Case
	Document domain.Document
	Pages    []domain.Page
	Fields   []domain.Field
	Risk     facts.Risk // what a screening must judge
	Outcomes []string   // allowed outcomes of the task
	// Traceparent is the span that the program continues, "" without a trace.
	Traceparent string
}

// ExternalLease identifies a run that a program has leased.
type ExternalLease struct {
	CaseID domain.ID
	RunID  domain.ID
	Token  domain.ID
}

// externalWorkerPrefix returns the prefix of the worker names under which a user's programs lease
// runs.
func externalWorkerPrefix(actor domain.Actor) string {
	return "external:" + actor.UserID.String() + ":"
}

// authorizeExternal checks whether the user's programs may process external stages of the topic.
func (c *command) authorizeExternal(topic string) error {
	if err := checkScope(c.actor, domain.ActExternal); err != nil {
		return err
	}
	if _, err := c.snapshot.authorizer.AuthorizeGlobal(c.persons[0],
		domain.ActExternal); err != nil {
		return err
	}
	if !slices.Contains(c.persons[0].Queues, topic) {
		return domain.Errorf(domain.NotPermitted, "You do not have access to the topic %q.", topic).
			WithRemedy("Ask an administrator to assign you the queue of that name.")
	}
	return nil
}

// LeaseExternalTasks leases tasks of a topic to a program, after their cases were checked as before an
// archive. When a lease expires, the task is offered again without a check, because the program may
// have done its work.
func (svc *Service) LeaseExternalTasks(
	ctx context.Context, actor domain.Actor, in LeaseExternal,
) ([]ExternalTask, error) {
	if err := svc.inScope(ctx, actor, "leaseExternal", domain.ActExternal); err != nil {
		return nil, err
	}
	if in.MaxTasks < 0 || in.MaxTasks > maxExternalLease {
		return nil, domain.Invalid("most", "You can lease between 1 and %d tasks in one call.",
			maxExternalLease)
	}
	if domain.Longer(in.Worker, 100) {
		return nil, domain.Invalid("worker", "The worker's name is longer than 100 characters.")
	}
	leased, err := svc.leaseExternalRuns(ctx, actor, in)
	if err != nil {
		return nil, err
	}
	tasks := make([]ExternalTask, 0, len(leased))
	for _, l := range leased {
		if l.Run.Expiries >= maxLeaseExpiries {
			if err := svc.failExpiredExternal(ctx, l.Run); err != nil {
				return nil, err
			}
			continue
		}
		task, err := svc.externalTask(ctx, l)
		if err != nil {
			return nil, err
		}
		svc.accessLog.write(ctx, store.AccessEntry{Actor: actor.UserID, Action: "leaseExternal",
			CaseID: l.Run.CaseID, Object: l.Run.ID.String(), RequestID: actor.RequestID})
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// externalTask loads the data that a program needs to process the run.
func (svc *Service) externalTask(ctx context.Context, l store.LeasedRun) (ExternalTask, error) {
	task := ExternalTask{Run: l.Run, Case: l.Case, Document: l.Document, Outcomes: []string{}}
	r := svc.db.Reader()
	def, err := svc.definitions.get(ctx, r, l.Case.ProcessKey, l.Case.ProcessVersion)
	if err != nil {
		return task, err
	}
	if node, ok := def.Node(l.Run.Node); ok {
		task.Outcomes = node.Outcomes()
	}
	task.Traceparent = handOut(ctx, l.Run, def.Confidential())
	if task.Pages, err = r.Pages(ctx, l.Case.ID, l.Document.Revision); err != nil {
		return task, err
	}
	fields, err := r.Fields(ctx, l.Case.ID)
	if err != nil {
		return task, err
	}
	task.Fields = fieldsFromRows(fields)
	history, err := historyOf(ctx, r, l.Case, task.Fields)
	task.Risk = facts.RiskOf(history, country.OfField)
	return task, err
}

// failExpiredExternal fails a run whose lease expired too often.
func (svc *Service) failExpiredExternal(ctx context.Context, run domain.StageRun) error {
	return svc.asSystem(ctx, "external", run, func(c *command) error {
		return c.failRun(run, domain.Errorf(domain.TimedOut,
			"The leases of %d programs expired during this step.", run.Expiries))
	})
}

// ExtendExternalTask restarts the lease of a task. It fails with LeaseLost if the lease has
// expired.
func (svc *Service) ExtendExternalTask(
	ctx context.Context, actor domain.Actor, lease ExternalLease,
) (time.Time, error) {
	if err := svc.inScope(ctx, actor, "extendExternal", domain.ActExternal); err != nil {
		return time.Time{}, err
	}
	var until time.Time
	spec := workSpec{operation: "extendExternal", lock: lockShared, loggedCase: lease.CaseID}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		run, err := w.command.externalRun(lease)
		if err != nil {
			return err
		}
		if err := w.command.authorizeExternal(run.Topic); err != nil { // the run has the topic
			return err
		}
		var extended bool
		if until, extended, err = w.tx.ExtendExternal(ctx, lease.CaseID, lease.RunID,
			lease.Token); err == nil && !extended {
			err = leaseExpired()
		}
		return err
	})
	return until, err
}

func leaseExpired() *domain.Error {
	return domain.Errorf(domain.LeaseLost, "The lease on this task has expired.").
		WithRemedy("Discard the result and lease the next task.")
}

// externalRun loads the leased run. It must be leased by a program of the command's user.
func (c *command) externalRun(lease ExternalLease) (domain.StageRun, error) {
	run, err := c.tx.Run(c.ctx, lease.CaseID, lease.RunID)
	if domain.HasCode(err, domain.NotFound) {
		return run, leaseExpired()
	}
	if err != nil {
		return run, err
	}
	leased := run.Queue == domain.QueueExternal && run.Status == domain.RunLeased
	if !leased || lease.Token == domain.NoID || run.LeaseToken != lease.Token ||
		!strings.HasPrefix(run.Worker, externalWorkerPrefix(c.actor)) {
		return run, leaseExpired()
	}
	return run, nil
}

// CompleteExternal completes a task with one of its outcomes ("" means done) and the values that
// the program found.
type CompleteExternal struct {
	Once    Once
	Lease   ExternalLease
	Outcome string
	Fields  []ExternalField
}

// ExternalField is a value that a program found. Confidence is 0 to 1; Page is 0 if the value is on
// no page.
type ExternalField struct {
	Name       string
	Value      string
	Page       int
	Confidence float64
}

// CompleteExternalTask records a program's result and advances the process. A result that arrives
// after the lease has expired is refused, even if no other program has leased the task.
func (svc *Service) CompleteExternalTask(
	ctx context.Context, actor domain.Actor, in CompleteExternal,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "completeExternal", domain.ActExternal); err != nil {
		return CaseResult{}, err
	}
	return svc.runExternalCommand(ctx, actor, "completeExternal", in.Lease, in.Once, in,
		func(c *command, run domain.StageRun) error {
			node, ok := c.def.Node(run.Node)
			if !ok {
				return stepNotFound(run.Node)
			}
			outcome := in.Outcome
			if outcome == "" {
				outcome = workflow.OutcomeDone
			}
			if !slices.Contains(node.Outcomes(), outcome) {
				return domain.Invalid("outcome", "The outcome of step %s must be one of: %s.",
					run.Node,
					strings.Join(node.Outcomes(), ", "))
			}
			if err := c.mergeExternalFields(in.Fields); err != nil {
				return err
			}
			c.ended = append(c.ended, endedWork{stageFinished, run.Node, outcome, c.took()})
			count := int64(len(in.Fields))
			event := workflow.Event{Kind: workflow.StageEnded, Node: run.Node, Visit: run.Visit,
				Outcome: outcome}
			err := c.advanceProcess(event, generated.StageCompletedV1{
				Attempt: int64(run.Attempt), Behaviour: node.Behaviour, Node: run.Node,
				Outcome: outcome,
				Summary: &generated.StageCompletedV1Summary{Fields: &count,
					Assertions: assertionHashes(c.change.Assertions)},
				Visit: int64(run.Visit),
			})
			if domain.HasCode(err, domain.ExpressionFailed) || domain.HasCode(err, domain.FourEyes) {
				c.openIncident(run, err) // the program succeeded, but the process cannot continue
				return nil
			}
			return err
		})
}

// FailExternal reports that a task failed. Code is a domain.Code of kind invalid (permanent) or
// unavailable (retried); "" is EngineFailed.
type FailExternal struct {
	Once    Once
	Lease   ExternalLease
	Code    domain.Code
	Message string
}

// FailExternalTask fails a task. As the definition says, it is offered again later, takes an error
// edge, or becomes an incident.
func (svc *Service) FailExternalTask(
	ctx context.Context, actor domain.Actor, in FailExternal,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "failExternal", domain.ActExternal); err != nil {
		return CaseResult{}, err
	}
	if in.Code == "" {
		in.Code = domain.EngineFailed
	}
	kind := in.Code.Kind()
	if !slices.Contains(domain.Codes(), in.Code) ||
		(kind != domain.KindInvalid && kind != domain.KindUnavailable) {
		return CaseResult{}, domain.Invalid("code", "%.40q is not a valid failure code of a task.",
			in.Code)
	}
	message := strings.TrimSpace(in.Message)
	if message == "" || domain.Longer(message, 1000) {
		return CaseResult{}, domain.Invalid("message", "Enter a message of 1 to 1,000 characters.")
	}
	return svc.runExternalCommand(ctx, actor, "failExternal", in.Lease, in.Once, in,
		func(c *command, run domain.StageRun) error {
			c.ended = append(c.ended, endedWork{stageFinished, run.Node, string(in.Code), c.took()})
			return c.failRun(run, domain.Errorf(in.Code, "%s", message))
		})
}

// runExternalCommand runs a program's command on the case of its leased task.
func (svc *Service) runExternalCommand(ctx context.Context, actor domain.Actor, operation string,
	lease ExternalLease, once Once, request any,
	fn func(*command, domain.StageRun) error,
) (CaseResult, error) {
	done, err := runCaseCommand(ctx, svc, actor, operation, lease.CaseID, once, request,
		func(c *command) (CaseResult, error) {
			run, err := c.externalRun(lease)
			if err != nil {
				return CaseResult{}, err
			}
			if err := c.authorizeExternal(run.Topic); err != nil {
				return CaseResult{}, err
			}
			if !run.LeaseUntil.After(c.now) {
				return CaseResult{}, leaseExpired()
			}
			c.automatic = true
			c.change.Lease = &store.Lease{RunID: run.ID, Token: run.LeaseToken}
			c.change.RunResult = store.RunResult{Status: domain.RunDone}
			err = fn(c, run)
			return c.caseResult(), err
		})
	if domain.HasCode(err, domain.NotFound) {
		err = leaseExpired() // do not disclose whether the case exists
	}
	return done, err
}

// failRun handles the failed run of the locked case.
func (c *command) failRun(run domain.StageRun, failure error) error {
	if err := c.prepareStep(); err != nil {
		return err
	}
	return c.svc.handleFailure(c.ctx, c.transition, run, failure, c.currentFacts)
}

// currentFacts returns the facts that guards evaluate on the locked case, including the changes of
// the command.
func (c *command) currentFacts() (domain.ProcessFacts, error) {
	fields, err := c.storedFields()
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	if len(c.change.Fields) > 0 {
		fields = c.change.Fields
	}
	found, err := c.findingsAfter()
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	return c.processFacts(c.change.Case, fields, found)
}
