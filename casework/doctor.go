package casework

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// StoredFiles is the blob store as the consistency check accesses it; cmd provides it.
type StoredFiles interface {
	// Walk visits every stored file with the time it was written.
	Walk(ctx context.Context, visit func(key string, written time.Time) error) error
	// Has reports whether the file exists.
	Has(ctx context.Context, key string) (bool, error)
	Remove(ctx context.Context, key string) error
}

// Inconsistency is one finding of the consistency check: the object that it concerns and the
// remedy.
type Inconsistency struct {
	Kind      string    `json:"kind"`
	CaseID    domain.ID `json:"caseId,omitzero"`
	Reference string    `json:"reference,omitempty"`
	Object    string    `json:"object,omitempty"`
	Message   string    `json:"sentence"`
	Remedy    string    `json:"wayOut"` // the name in the output of --json
	// Repairable reports whether Repair can fix it.
	Repairable bool `json:"repairable"`
	// Count is the number of steps that wait in an unserved queue, and Waiting the first of them.
	Count   int64         `json:"count,omitempty"`
	Waiting []WaitingStep `json:"waiting,omitempty"`
}

// WaitingStep is a step that waits for a worker.
type WaitingStep struct {
	CaseID    domain.ID      `json:"caseId"`
	Reference string         `json:"reference"`
	Node      string         `json:"node"`
	Kind      domain.RunKind `json:"kind"`
	// Due is the earliest time at which the step may run.
	Due time.Time `json:"due"`
}

// The kinds of inconsistencies. The values are part of the output format of countersign doctor.
const (
	StalledCase         = "idle_case"
	MismatchedIncident  = "causeless_incident"
	OverdueRun          = "neglected_run"
	RunOfFinalCase      = "needless_run"
	OrphanRow           = "orphan_row"
	DefaultPartitionRow = "stray_row"
	MissingFile         = "missing_file"
	OrphanFile          = "orphan_file"
	UnservedQueue       = "unserved_queue"
	// UnsoundDefinition is a published process, rule set or document type that no longer parses or
	// verifies.
	UnsoundDefinition = "unsound_definition"
	DeadTask          = "dead_task"
	// AlteredRow is an event, a set of assertions or the evidence of a decision that does not match
	// the log.
	AlteredRow       = "altered_row"
	UnreachableQueue = "unreachable_queue"
	// HeldFeed is a feed of events that an old transaction holds back.
	HeldFeed = "held_feed"
	// FailingConnector is a connector that is disabled, fails, or has deliveries that need a person.
	FailingConnector = "failing_connector"
	// RefusedAddress is an address of a person that the mail server refused.
	RefusedAddress = "refused_address"
)

// ConsistencyCheck configures what is compared.
type ConsistencyCheck struct {
	Files StoredFiles
	// Grace is the age below which files without a row and runs that have become due are not
	// reported.
	Grace time.Duration
	// Limit is the maximum number of inconsistencies reported of each kind.
	Limit int
}

// CheckConsistency compares rows with each other and with the stored files, and returns all
// inconsistencies.
func (svc *Service) CheckConsistency(ctx context.Context,
	e ConsistencyCheck) ([]Inconsistency, error) {
	if e.Limit <= 0 {
		e.Limit = 1000
	}
	found, err := svc.checkRows(ctx, e)
	if err != nil {
		return found, err
	}
	unsound, err := svc.checkDefinitions(ctx)
	if found = append(found, unsound...); err != nil {
		return found, err
	}
	altered, err := svc.checkDraws(ctx, e.Limit)
	if found = append(found, altered...); err != nil {
		return found, err
	}
	lessons, err := svc.checkLessons(ctx, e.Limit)
	if found = append(found, lessons...); err != nil {
		return found, err
	}
	addresses, err := svc.checkAddresses(ctx)
	if found = append(found, addresses...); err != nil {
		return found, err
	}
	indexed, err := svc.checkSearch(ctx, e)
	if found = append(found, indexed...); err != nil {
		return found, err
	}
	connectors, err := svc.checkConnectors(ctx)
	if found = append(found, connectors...); err != nil {
		return found, err
	}
	held, err := svc.checkFeed(ctx, e.Grace)
	if found = append(found, held...); err != nil {
		return found, err
	}
	missing, err := svc.missingFiles(ctx, e)
	found = append(found, missing...)
	if err != nil {
		return found, err
	}
	orphans, err := svc.orphanFiles(ctx, e)
	return append(found, orphans...), err
}

func (svc *Service) checkRows(ctx context.Context, e ConsistencyCheck) ([]Inconsistency, error) {
	r := svc.db.Reader()
	var found []Inconsistency
	for _, check := range rowChecks {
		rows, err := check.query(ctx, r, e)
		if err != nil {
			return found, err
		}
		for _, row := range rows {
			found = append(found, Inconsistency{
				Kind: check.kind, CaseID: row.CaseID, Reference: row.Reference, Object: row.Object,
				Message: check.message(row), Remedy: check.remedy, Repairable: check.repairable,
			})
		}
	}
	return found, nil
}

// rowCheck is a query for inconsistent rows and the texts that report them.
type rowCheck struct {
	kind       string
	query      func(context.Context, store.Reader, ConsistencyCheck) ([]store.Inconsistency, error)
	message    func(store.Inconsistency) string
	remedy     string
	repairable bool
}

var rowChecks = []rowCheck{
	{
		kind: StalledCase,
		query: func(ctx context.Context, r store.Reader, e ConsistencyCheck) ([]store.Inconsistency, error) {
			return r.StalledCases(ctx, e.Limit)
		},
		message: func(a store.Inconsistency) string {
			return fmt.Sprintf("Case %s is %s, but it has no pending step and no open review, so it cannot progress.",
				a.Reference, a.Detail)
		},
		remedy: "Abandon the case or replace its document, and report this to the developers.",
	},
	{
		kind: MismatchedIncident,
		query: func(ctx context.Context, r store.Reader, e ConsistencyCheck) ([]store.Inconsistency, error) {
			return r.MismatchedIncidents(ctx, e.Limit)
		},
		message: func(a store.Inconsistency) string {
			return fmt.Sprintf("The status of case %s (%s) does not match its failed step.",
				a.Reference, a.Detail)
		},
		remedy: "Abandon or retry the case, and report this to the developers.",
	},
	{
		kind: OverdueRun,
		query: func(ctx context.Context, r store.Reader, e ConsistencyCheck) ([]store.Inconsistency, error) {
			return r.OverdueRuns(ctx, e.Grace, e.Limit)
		},
		message: func(a store.Inconsistency) string {
			return fmt.Sprintf("Step %s of case %s has been due since %s, but no worker has run it.",
				a.Detail, referenceOrNone(a.Reference), a.Since.Format(time.RFC3339))
		},
		remedy:     "Start a worker; its sweeper enqueues the step again.",
		repairable: true,
	},
	{
		kind: RunOfFinalCase,
		query: func(ctx context.Context, r store.Reader, e ConsistencyCheck) ([]store.Inconsistency, error) {
			return r.RunsOfFinalCases(ctx, e.Limit)
		},
		message: func(a store.Inconsistency) string {
			return fmt.Sprintf("Step %s is pending although case %s has ended.", a.Detail,
				a.Reference)
		},
		remedy: "The step has no effect when it runs. Report this to the developers.",
	},
	{
		kind: OrphanRow,
		query: func(ctx context.Context, r store.Reader, e ConsistencyCheck) ([]store.Inconsistency, error) {
			return r.OrphanRows(ctx, e.Limit)
		},
		message: func(a store.Inconsistency) string {
			return fmt.Sprintf("%d rows of %s refer to case %s, which does not exist.", a.Count,
				a.Object, a.CaseID)
		},
		remedy: "Restore the row of the case from a backup. Rows of the log are never deleted.",
	},
	{
		kind: DefaultPartitionRow,
		query: func(ctx context.Context, r store.Reader, _ ConsistencyCheck) ([]store.Inconsistency, error) {
			return r.DefaultPartitionRows(ctx)
		},
		message: func(a store.Inconsistency) string {
			return fmt.Sprintf("%d rows of %s are in its DEFAULT partition, because the partition of their month is missing.",
				a.Count, a.Object)
		},
		remedy: "Run countersign migrate, then move the rows as the operations guide describes.",
	},
}

func referenceOrNone(reference string) string {
	if reference == "" {
		return "(no such case)"
	}
	return reference
}

// checkBatchSize is the number of cases or files that one query compares.
const checkBatchSize = 500

func (svc *Service) missingFiles(ctx context.Context, e ConsistencyCheck) ([]Inconsistency, error) {
	var found []Inconsistency
	for after := domain.NoID; len(found) < e.Limit; {
		rows, last, err := svc.db.Reader().BlobReferences(ctx, after, checkBatchSize)
		if err != nil || last == domain.NoID {
			return found, err
		}
		after = last
		for _, row := range rows {
			exists, err := e.Files.Has(ctx, row.Key)
			if err != nil {
				return found, err
			}
			if !exists {
				found = append(found, Inconsistency{Kind: MissingFile, CaseID: row.CaseID,
					Reference: row.Reference, Object: row.Key,
					Message: fmt.Sprintf("The %s of case %s is missing from the blob store (%s).",
						row.Kind, row.Reference, row.Key),
					Remedy: "Restore the file from a backup."})
			}
		}
	}
	return found, nil
}

func (svc *Service) orphanFiles(ctx context.Context, e ConsistencyCheck) ([]Inconsistency, error) {
	now, err := svc.db.Reader().Clock(ctx)
	if err != nil {
		return nil, err
	}
	var found []Inconsistency
	var keys []string
	compare := func() error {
		unknown, err := svc.db.Reader().UnreferencedBlobs(ctx, keys)
		for _, key := range unknown {
			if len(found) < e.Limit {
				found = append(found, Inconsistency{Kind: OrphanFile, Object: key, Repairable: true,
					Message: "No row refers to the stored file " + key + ".",
					Remedy:  "Run countersign doctor --repair to remove it. Unfinished uploads leave such files."})
			}
		}
		keys = keys[:0]
		return err
	}
	err = e.Files.Walk(ctx, func(key string, written time.Time) error {
		if written.After(now.Add(-e.Grace)) {
			return nil
		}
		if keys = append(keys, key); len(keys) < checkBatchSize {
			return nil
		}
		return compare()
	})
	if err == nil && len(keys) > 0 {
		err = compare()
	}
	return found, err
}

// Repair fixes the inconsistencies that need no decision: it enqueues overdue runs and removes
// orphan files. It returns how many it fixed.
func (svc *Service) Repair(
	ctx context.Context, files StoredFiles, differences []Inconsistency,
) (int, error) {
	repaired, enqueue := 0, false
	for _, difference := range differences {
		switch difference.Kind {
		case OverdueRun:
			enqueue = true
		case OrphanFile:
			if err := files.Remove(ctx, difference.Object); err != nil {
				return repaired, err
			}
			repaired++
		}
	}
	if !enqueue {
		return repaired, nil
	}
	if _, err := svc.Sweep(ctx); err != nil {
		return repaired, err
	}
	n, err := svc.EnqueueAllPending(ctx)
	return repaired + n, err
}

// maxNamedSteps is how many waiting steps of an unserved queue are listed; all are counted.
const maxNamedSteps = 20

// UnservedQueues returns the queues that have waiting steps but no worker, and lists the steps.
func (svc *Service) UnservedQueues(
	ctx context.Context, served func(queue string) bool,
) ([]Inconsistency, error) {
	queues, err := svc.db.Reader().WaitingQueues(ctx)
	if err != nil {
		return nil, err
	}
	var found []Inconsistency
	for _, queue := range queues {
		if served(queue.Queue) {
			continue
		}
		runs, err := svc.db.Reader().WaitingRuns(ctx, queue.Queue, maxNamedSteps)
		if err != nil {
			return found, err
		}
		found = append(found, unservedQueue(queue, runs))
	}
	return found, nil
}

func unservedQueue(queue store.WaitingQueue, runs []store.WaitingRun) Inconsistency {
	difference := Inconsistency{Kind: UnservedQueue, Object: queue.Queue, Count: queue.Runs,
		Remedy: "Start a worker whose COUNTERSIGN_QUEUES includes this queue."}
	names := make([]string, 0, len(runs)+1)
	for _, run := range runs {
		difference.Waiting = append(difference.Waiting,
			WaitingStep{CaseID: run.CaseID, Reference: run.Reference, Node: run.Node,
				Kind: run.Kind, Due: run.RunAfter})
		name := run.Node + " of " + referenceOrNone(run.Reference)
		if run.Kind != domain.RunKindStage {
			name = run.Node + " (" + string(run.Kind) + ") of " + referenceOrNone(run.Reference)
		}
		names = append(names, name)
	}
	if more := queue.Runs - int64(len(runs)); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	difference.Message = fmt.Sprintf("%d steps wait in queue %s, which no running worker serves",
		queue.Runs, queue.Queue)
	if len(names) > 0 { // a worker may have leased them between the two queries
		difference.Message += ": " + strings.Join(names, ", ")
	}
	difference.Message += "."
	return difference
}

// RunStates returns the statuses of runs. cases and runs are parallel slices.
func (svc *Service) RunStates(
	ctx context.Context, cases, runs []domain.ID,
) (map[domain.ID]domain.RunStatus, error) {
	return svc.db.Reader().RunStatuses(ctx, cases, runs)
}
