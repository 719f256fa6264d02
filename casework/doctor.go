package casework

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// StoredFiles is the store of files as the consistency check sees it; cmd fills it from blob.
type StoredFiles interface {
	// Walk visits every stored file with the time it was written.
	Walk(ctx context.Context, visit func(key string, written time.Time) error) error
	// Has reports whether the file is there.
	Has(ctx context.Context, key string) (bool, error)
	Remove(ctx context.Context, key string) error
}

// Inconsistency is one thing that does not fit: what it is about, and what can be done.
type Inconsistency struct {
	Kind      string    `json:"kind"`
	CaseID    domain.ID `json:"caseId,omitzero"`
	Reference string    `json:"reference,omitempty"`
	Object    string    `json:"object,omitempty"`
	Message   string    `json:"sentence"`
	Remedy    string    `json:"wayOut"`
	// Repairable says that Repair mends it.
	Repairable bool `json:"repairable"`
	// Count and Waiting are of an unserved queue: how many steps wait there, and the first of them.
	Count   int64         `json:"count,omitempty"`
	Waiting []WaitingStep `json:"waiting,omitempty"`
}

// WaitingStep is a step that waits for a worker.
type WaitingStep struct {
	CaseID    domain.ID      `json:"caseId"`
	Reference string         `json:"reference"`
	Node      string         `json:"node"`
	Kind      domain.RunKind `json:"kind"`
	// Due is from when on it may run.
	Due time.Time `json:"due"`
}

// The kinds of differences.
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
	// UnsoundDefinition is a published process or rule set that no longer reads or proves.
	UnsoundDefinition = "unsound_definition"
	DeadTask          = "dead_task"
	UnreachableQueue  = "unreachable_queue"
)

// ConsistencyCheck says what is compared and how patiently.
type ConsistencyCheck struct {
	Files StoredFiles
	// Grace is how long something may be on its way: younger files without a row and runs just due are in order.
	Grace time.Duration
	// Limit bounds the differences named of each kind.
	Limit int
}

// CheckConsistency compares rows with each other and with the stored files, and returns every difference.
func (svc *Service) CheckConsistency(ctx context.Context, e ConsistencyCheck) ([]Inconsistency, error) {
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
	for _, question := range []struct {
		ask    func() ([]store.Inconsistency, error)
		tell   func(store.Inconsistency) string
		kind   string
		wayOut string
		repair bool
	}{
		{func() ([]store.Inconsistency, error) { return r.StalledCases(ctx, e.Limit) }, func(a store.Inconsistency) string {
			return fmt.Sprintf("case %s is %s, but no step waits or runs and no review is open: nobody will run it", a.Reference, a.Detail)
		}, StalledCase, "Abandon it, or replace its document to begin anew; then tell the developers.", false},
		{func() ([]store.Inconsistency, error) { return r.MismatchedIncidents(ctx, e.Limit) }, func(a store.Inconsistency) string {
			return fmt.Sprintf("case %s (%s): its status and its failed step do not agree", a.Reference, a.Detail)
		}, MismatchedIncident, "Abandon or retry the case; then tell the developers.", false},
		{func() ([]store.Inconsistency, error) { return r.OverdueRuns(ctx, e.Grace, e.Limit) }, func(a store.Inconsistency) string {
			return fmt.Sprintf("step %s of case %s: due since %s and nobody came for it", a.Detail, referenceOrNone(a.Reference), a.Since.Format(time.RFC3339))
		}, OverdueRun, "Start a worker; its sweeper comes for it.", true},
		{func() ([]store.Inconsistency, error) { return r.RunsOfFinalCases(ctx, e.Limit) }, func(a store.Inconsistency) string {
			return fmt.Sprintf("step %s of case %s waits although the case is over", a.Detail, a.Reference)
		}, RunOfFinalCase, "It does nothing when it runs; tell the developers.", false},
		{func() ([]store.Inconsistency, error) { return r.OrphanRows(ctx, e.Limit) }, func(a store.Inconsistency) string {
			return fmt.Sprintf("%d rows of %s name case %s, which does not exist", a.Count, a.Object, a.CaseID)
		}, OrphanRow, "Restore the case's row from a backup; rows of the log are never deleted.", false},
		{func() ([]store.Inconsistency, error) { return r.DefaultPartitionRows(ctx) }, func(a store.Inconsistency) string {
			return fmt.Sprintf("%d rows of %s lie in its DEFAULT partition: no month was made for them", a.Count, a.Object)
		}, DefaultPartitionRow, "Run countersign migrate, then move the rows as the operations page says.", false},
	} {
		rows, err := question.ask()
		if err != nil {
			return found, err
		}
		for _, row := range rows {
			found = append(found, Inconsistency{Kind: question.kind, CaseID: row.CaseID, Reference: row.Reference, Object: row.Object,
				Message: question.tell(row), Remedy: question.wayOut, Repairable: question.repair})
		}
	}
	return found, nil
}

func referenceOrNone(reference string) string {
	if reference == "" {
		return "(no such case)"
	}
	return reference
}

// checkBatchSize is how many cases or files are compared in one question.
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
			there, err := e.Files.Has(ctx, row.Key)
			if err != nil {
				return found, err
			}
			if !there {
				found = append(found, Inconsistency{Kind: MissingFile, CaseID: row.CaseID, Reference: row.Reference, Object: row.Key,
					Message: fmt.Sprintf("the %s of case %s is not in the store (%s)", row.Kind, row.Reference, row.Key),
					Remedy:  "Restore the file from a backup."})
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
				found = append(found, Inconsistency{Kind: OrphanFile, Object: key, Repairable: true, Message: "no row names the stored file " + key,
					Remedy: "An upload that was not finished leaves one; countersign doctor --repair removes it."})
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

// Repair mends what can be mended without deciding anything: overdue runs are enqueued, files that no row names removed.
// It returns how many differences it mended.
func (svc *Service) Repair(ctx context.Context, files StoredFiles, differences []Inconsistency) (int, error) {
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

// maxNamedSteps is how many waiting steps of an unserved queue are named; all are counted.
const maxNamedSteps = 20

// UnservedQueues returns the queues in which steps wait although no worker serves them, and names the steps.
func (svc *Service) UnservedQueues(ctx context.Context, served func(queue string) bool) ([]Inconsistency, error) {
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
		Remedy: "Start a worker with COUNTERSIGN_QUEUES that names it."}
	names := make([]string, 0, len(runs)+1)
	for _, run := range runs {
		difference.Waiting = append(difference.Waiting, WaitingStep{CaseID: run.CaseID, Reference: run.Reference, Node: run.Node, Kind: run.Kind, Due: run.RunAfter})
		name := run.Node + " of " + referenceOrNone(run.Reference)
		if run.Kind != domain.RunKindStage {
			name = run.Node + " (" + string(run.Kind) + ") of " + referenceOrNone(run.Reference)
		}
		names = append(names, name)
	}
	if more := queue.Runs - int64(len(runs)); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	difference.Message = fmt.Sprintf("%d steps wait in queue %s and no living worker serves it", queue.Runs, queue.Queue)
	if len(names) > 0 { // a worker may have come for them between the two questions
		difference.Message += ": " + strings.Join(names, ", ")
	}
	return difference
}

// RunStates reads what became of runs; ids are in pairs of case and run.
func (svc *Service) RunStates(ctx context.Context, cases, runs []domain.ID) (map[domain.ID]domain.RunStatus, error) {
	return svc.db.Reader().RunStatuses(ctx, cases, runs)
}
