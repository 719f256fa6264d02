package casework

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// LeaseExternal asks for work of an external stage. Worker is the program's own name for itself, for people only.
type LeaseExternal struct {
	Topic    string
	Worker   string
	MaxTasks int // 1 to maxExternalLease; 0 is 1
}

// maxExternalLease is how many runs a program may lease in one call.
const maxExternalLease = 20

// ExternalTask is a run that a program outside holds, with all it needs to do it.
type ExternalTask struct {
	Run      domain.StageRun
	Case     domain.Case
	Document domain.Document
	Pages    []domain.Page
	Fields   []domain.Field
	Outcomes []string // in which the task may end
}

// ExternalLease names a run that a program holds.
type ExternalLease struct {
	CaseID domain.ID
	RunID  domain.ID
	Token  domain.ID
}

// externalWorkerPrefix is how a person's programs are noted with the runs they hold.
func externalWorkerPrefix(actor domain.Actor) string {
	return "external:" + actor.UserID.String() + ":"
}

// authorizeExternal asks whether the person's programs may do external stages of the topic.
func (c *command) authorizeExternal(topic string) error {
	if err := checkScope(c.actor, domain.ActExternal); err != nil {
		return err
	}
	if _, err := c.snapshot.authorizer.AuthorizeGlobal(c.persons[0], domain.ActExternal); err != nil {
		return err
	}
	if !slices.Contains(c.persons[0].Queues, topic) {
		return domain.Errorf(domain.NotPermitted, "You were not given the topic %q.", topic).
			WithRemedy("Ask an administrator for the queue of that name.")
	}
	return nil
}

// LeaseExternalTasks takes work of a topic for a program. Whose lease runs out loses it: the work is offered again.
func (svc *Service) LeaseExternalTasks(ctx context.Context, actor domain.Actor, in LeaseExternal) ([]ExternalTask, error) {
	if err := svc.inScope(ctx, actor, "leaseExternal", domain.ActExternal); err != nil {
		return nil, err
	}
	if in.MaxTasks < 0 || in.MaxTasks > maxExternalLease {
		return nil, domain.Invalid("most", "Between 1 and %d tasks can be taken at once.", maxExternalLease)
	}
	if domain.Longer(in.Worker, 100) {
		return nil, domain.Invalid("worker", "The worker's name is longer than 100 characters.")
	}
	var leased []store.LeasedRun
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		cmd, err := svc.beginCommand(ctx, tx, actor)
		if err != nil {
			return err
		}
		if err := cmd.authorizeExternal(in.Topic); err != nil {
			return err
		}
		leased, err = tx.LeaseExternal(ctx, in.Topic, externalWorkerPrefix(actor)+in.Worker, max(in.MaxTasks, 1))
		return err
	})
	if err != nil {
		svc.logRefusal(ctx, actor, "leaseExternal", domain.NoID, err)
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
		svc.accessLog.write(ctx, store.AccessEntry{Actor: actor.UserID, Action: "leaseExternal", CaseID: l.Run.CaseID, Object: l.Run.ID.String(), RequestID: actor.RequestID})
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// externalTask gathers what a program needs to do the run.
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
	if task.Pages, err = r.Pages(ctx, l.Case.ID, l.Document.Revision); err != nil {
		return task, err
	}
	fields, err := r.Fields(ctx, l.Case.ID)
	task.Fields = fieldsFromRows(fields)
	return task, err
}

// failExpiredExternal fails a run on which too many programs have died.
func (svc *Service) failExpiredExternal(ctx context.Context, run domain.StageRun) error {
	return svc.asSystem(ctx, "external", run, func(c *command) error {
		return c.failRun(run, domain.Errorf(domain.TimedOut, "%d programs stopped while doing this step.", run.Expiries))
	})
}

// ExtendExternalTask is a program's sign of life: its time restarts. LeaseLost when it is over already.
func (svc *Service) ExtendExternalTask(ctx context.Context, actor domain.Actor, lease ExternalLease) (time.Time, error) {
	if err := svc.inScope(ctx, actor, "extendExternal", domain.ActExternal); err != nil {
		return time.Time{}, err
	}
	var until time.Time
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		cmd, err := svc.beginCommand(ctx, tx, actor)
		if err != nil {
			return err
		}
		run, err := cmd.externalRun(lease)
		if err != nil {
			return err
		}
		if err := cmd.authorizeExternal(run.Topic); err != nil {
			return err
		}
		var ours bool
		if until, ours, err = tx.ExtendExternal(ctx, lease.CaseID, lease.RunID, lease.Token); err == nil && !ours {
			err = leaseExpired()
		}
		return err
	})
	if err != nil {
		svc.logRefusal(ctx, actor, "extendExternal", lease.CaseID, err)
	}
	return until, err
}

func leaseExpired() *domain.Error {
	return domain.Errorf(domain.LeaseLost, "This task is not yours any more.").WithRemedy("Throw the result away and lease the next task.")
}

// externalRun reads the run that a program says it holds. It is the program's own person who must hold it.
func (c *command) externalRun(lease ExternalLease) (domain.StageRun, error) {
	run, err := c.tx.Run(c.ctx, lease.CaseID, lease.RunID)
	if domain.HasCode(err, domain.NotFound) {
		return run, leaseExpired()
	}
	if err != nil {
		return run, err
	}
	if run.Queue != domain.QueueExternal || run.Status != domain.RunLeased || lease.Token == domain.NoID || run.LeaseToken != lease.Token ||
		!strings.HasPrefix(run.Worker, externalWorkerPrefix(c.actor)) {
		return run, leaseExpired()
	}
	return run, nil
}

// CompleteExternal ends a task with one of its outcomes, "" being done, and the values that the program found.
type CompleteExternal struct {
	Once    Once
	Lease   ExternalLease
	Outcome string
	Fields  []ExternalField
}

// ExternalField is a value that a program found. Confidence is 0 to 1, Page 0 where it stands on none.
type ExternalField struct {
	Name       string
	Value      string
	Page       int
	Confidence float64
}

// CompleteExternalTask takes a program's result and moves the process on. A result that comes after the lease is over is
// refused, also when nobody has taken the task since.
func (svc *Service) CompleteExternalTask(ctx context.Context, actor domain.Actor, in CompleteExternal) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "completeExternal", domain.ActExternal); err != nil {
		return CaseResult{}, err
	}
	return svc.runExternalCommand(ctx, actor, "completeExternal", in.Lease, in.Once, in, func(c *command, run domain.StageRun) error {
		node, ok := c.def.Node(run.Node)
		if !ok {
			return domain.Errorf(domain.ProcessorNotFound, "The step %q is not in the process.", run.Node)
		}
		outcome := in.Outcome
		if outcome == "" {
			outcome = workflow.OutcomeDone
		}
		if !slices.Contains(node.Outcomes(), outcome) {
			return domain.Invalid("outcome", "The step %s ends in one of %s.", run.Node, strings.Join(node.Outcomes(), ", "))
		}
		if err := c.mergeExternalFields(in.Fields); err != nil {
			return err
		}
		told := len(c.bodies)
		count := int64(len(in.Fields))
		c.emit(generated.StageCompletedV1{Attempt: int64(run.Attempt), Behaviour: node.Behaviour, Node: run.Node, Outcome: outcome,
			Summary: &generated.StageCompletedV1Summary{Fields: &count}, Visit: int64(run.Visit)})
		facts, err := c.currentFacts()
		if err != nil {
			return err
		}
		err = c.advanceWithFacts(workflow.Event{Kind: workflow.StageEnded, Node: run.Node, Visit: run.Visit, Outcome: outcome}, facts)
		if domain.HasCode(err, domain.ExpressionFailed) {
			c.bodies = c.bodies[:told]
			c.openIncident(run, err) // the program did its part; a person mends what the process makes of it
			return nil
		}
		return err
	})
}

// FailExternal tells that a task could not be done. Code is a domain.Code of the kinds invalid (trying again is of no use)
// or unavailable; "" is EngineFailed.
type FailExternal struct {
	Once    Once
	Lease   ExternalLease
	Code    domain.Code
	Message string
}

// FailExternalTask gives a task up: it is offered again later, goes the way that the process has for such a failure, or
// becomes an incident, as the definition says.
func (svc *Service) FailExternalTask(ctx context.Context, actor domain.Actor, in FailExternal) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "failExternal", domain.ActExternal); err != nil {
		return CaseResult{}, err
	}
	if in.Code == "" {
		in.Code = domain.EngineFailed
	}
	kind := in.Code.Kind()
	if !slices.Contains(domain.Codes(), in.Code) || (kind != domain.KindInvalid && kind != domain.KindUnavailable) {
		return CaseResult{}, domain.Invalid("code", "%.40q is no failure that a task can have.", in.Code)
	}
	message := strings.TrimSpace(in.Message)
	if message == "" || domain.Longer(message, 1000) {
		return CaseResult{}, domain.Invalid("message", "A message of 1 to 1 000 characters is needed.")
	}
	return svc.runExternalCommand(ctx, actor, "failExternal", in.Lease, in.Once, in, func(c *command, run domain.StageRun) error {
		return c.failRun(run, domain.Errorf(in.Code, "%s", message))
	})
}

// runExternalCommand runs a program's command on the case whose task it holds.
func (svc *Service) runExternalCommand(ctx context.Context, actor domain.Actor, operation string, lease ExternalLease, once Once, request any,
	fn func(*command, domain.StageRun) error,
) (CaseResult, error) {
	done, err := runCaseCommand(ctx, svc, actor, operation, lease.CaseID, once, request, func(c *command) (CaseResult, error) {
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
		err = leaseExpired() // a case that is not there and one that is another's are the same
	}
	return done, err
}

// failRun decides what becomes of the failed run of the locked case.
func (c *command) failRun(run domain.StageRun, failure error) error {
	if err := c.lockReviews(); err != nil {
		return err
	}
	if err := c.loadIncidents(); err != nil {
		return err
	}
	c.loadReviews = func() ([]domain.Review, error) { return c.reviews, nil }
	return c.svc.handleFailure(c.ctx, c.transition, run, failure, c.currentFacts)
}

// currentFacts are what guards see of the locked case, as the command leaves it.
func (c *command) currentFacts() (domain.ProcessFacts, error) {
	fieldRows, err := c.tx.Fields(c.ctx, c.before.ID)
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	findingRows, err := c.tx.Findings(c.ctx, c.before.ID)
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	fields := fieldsFromRows(fieldRows)
	if len(c.change.Fields) > 0 {
		fields = c.change.Fields
	}
	found := findingsByStage(findingRows)
	for _, stage := range c.change.StageFindings {
		found[stage.Stage] = stage.Findings
	}
	return processFacts(c.change.Case, fields, found), nil
}
