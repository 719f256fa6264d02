package casework

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// StoredFiles is the store of files as the doctor sees it; cmd fills it from blob.
type StoredFiles interface {
	// Walk visits every stored file with the time it was written.
	Walk(ctx context.Context, visit func(key string, written time.Time) error) error
	// Has reports whether the file is there.
	Has(ctx context.Context, key string) (bool, error)
	Remove(ctx context.Context, key string) error
}

// Difference is one thing that does not fit: what it is about, and what can be done.
type Difference struct {
	Kind      string    `json:"kind"`
	CaseID    domain.ID `json:"caseId,omitzero"`
	Reference string    `json:"reference,omitempty"`
	Object    string    `json:"object,omitempty"`
	Sentence  string    `json:"sentence"`
	WayOut    string    `json:"wayOut"`
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
	IdleCase      = "idle_case"
	CauselessRun  = "causeless_incident"
	NeglectedRun  = "neglected_run"
	NeedlessRun   = "needless_run"
	OrphanRow     = "orphan_row"
	StrayRow      = "stray_row"
	MissingFile   = "missing_file"
	OrphanFile    = "orphan_file"
	UnservedQueue = "unserved_queue"
	// UnsoundDefinition is a published process or rule set that no longer reads or proves.
	UnsoundDefinition = "unsound_definition"
	DeadTask          = "dead_task"
	UnreachableQueue  = "unreachable_queue"
)

// Examination says what is compared and how patiently.
type Examination struct {
	Files StoredFiles
	// Grace is how long something may be on its way: younger files without a row and runs just due are in order.
	Grace time.Duration
	// Most bounds the differences named of each kind.
	Most int
}

// Examine compares rows with each other and with the stored files, and returns every difference.
func (h *Hall) Examine(ctx context.Context, e Examination) ([]Difference, error) {
	if e.Most <= 0 {
		e.Most = 1000
	}
	found, err := h.examineRows(ctx, e)
	if err != nil {
		return found, err
	}
	unsound, err := h.examineDefinitions(ctx)
	if found = append(found, unsound...); err != nil {
		return found, err
	}
	missing, err := h.missingFiles(ctx, e)
	found = append(found, missing...)
	if err != nil {
		return found, err
	}
	orphans, err := h.orphanFiles(ctx, e)
	return append(found, orphans...), err
}

func (h *Hall) examineRows(ctx context.Context, e Examination) ([]Difference, error) {
	r := h.db.Reader()
	var found []Difference
	for _, question := range []struct {
		ask    func() ([]store.Ailing, error)
		tell   func(store.Ailing) string
		kind   string
		wayOut string
		repair bool
	}{
		{func() ([]store.Ailing, error) { return r.IdleCases(ctx, e.Most) }, func(a store.Ailing) string {
			return fmt.Sprintf("case %s is %s, but no step waits or runs and no review is open: nobody will run it", a.Reference, a.Detail)
		}, IdleCase, "Abandon it, or replace its document to begin anew; then tell the developers.", false},
		{func() ([]store.Ailing, error) { return r.CauselessIncidents(ctx, e.Most) }, func(a store.Ailing) string {
			return fmt.Sprintf("case %s (%s): its status and its failed step do not agree", a.Reference, a.Detail)
		}, CauselessRun, "Abandon or retry the case; then tell the developers.", false},
		{func() ([]store.Ailing, error) { return r.NeglectedRuns(ctx, e.Grace, e.Most) }, func(a store.Ailing) string {
			return fmt.Sprintf("step %s of case %s: due since %s and nobody came for it", a.Detail, dashed(a.Reference), a.Since.Format(time.RFC3339))
		}, NeglectedRun, "Start a worker; its sweeper comes for it.", true},
		{func() ([]store.Ailing, error) { return r.NeedlessRuns(ctx, e.Most) }, func(a store.Ailing) string {
			return fmt.Sprintf("step %s of case %s waits although the case is over", a.Detail, a.Reference)
		}, NeedlessRun, "It does nothing when it runs; tell the developers.", false},
		{func() ([]store.Ailing, error) { return r.OrphanRows(ctx, e.Most) }, func(a store.Ailing) string {
			return fmt.Sprintf("%d rows of %s name case %s, which does not exist", a.Count, a.Object, a.CaseID)
		}, OrphanRow, "Restore the case's row from a backup; rows of the log are never deleted.", false},
		{func() ([]store.Ailing, error) { return r.StrayRows(ctx) }, func(a store.Ailing) string {
			return fmt.Sprintf("%d rows of %s lie in its DEFAULT partition: no month was made for them", a.Count, a.Object)
		}, StrayRow, "Run countersign migrate, then move the rows as the operations page says.", false},
	} {
		rows, err := question.ask()
		if err != nil {
			return found, err
		}
		for _, row := range rows {
			found = append(found, Difference{Kind: question.kind, CaseID: row.CaseID, Reference: row.Reference, Object: row.Object,
				Sentence: question.tell(row), WayOut: question.wayOut, Repairable: question.repair})
		}
	}
	return found, nil
}

func dashed(reference string) string {
	if reference == "" {
		return "(no such case)"
	}
	return reference
}

// examinedAtOnce is how many cases or files are compared in one question.
const examinedAtOnce = 500

func (h *Hall) missingFiles(ctx context.Context, e Examination) ([]Difference, error) {
	var found []Difference
	for after := domain.NoID; len(found) < e.Most; {
		rows, last, err := h.db.Reader().BlobRows(ctx, after, examinedAtOnce)
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
				found = append(found, Difference{Kind: MissingFile, CaseID: row.CaseID, Reference: row.Reference, Object: row.Key,
					Sentence: fmt.Sprintf("the %s of case %s is not in the store (%s)", row.What, row.Reference, row.Key),
					WayOut:   "Restore the file from a backup."})
			}
		}
	}
	return found, nil
}

func (h *Hall) orphanFiles(ctx context.Context, e Examination) ([]Difference, error) {
	now, err := h.db.Reader().Clock(ctx)
	if err != nil {
		return nil, err
	}
	var found []Difference
	var keys []string
	compare := func() error {
		unknown, err := h.db.Reader().UnknownBlobs(ctx, keys)
		for _, key := range unknown {
			if len(found) < e.Most {
				found = append(found, Difference{Kind: OrphanFile, Object: key, Repairable: true, Sentence: "no row names the stored file " + key,
					WayOut: "An upload that was not finished leaves one; countersign doctor --repair removes it."})
			}
		}
		keys = keys[:0]
		return err
	}
	err = e.Files.Walk(ctx, func(key string, written time.Time) error {
		if written.After(now.Add(-e.Grace)) {
			return nil
		}
		if keys = append(keys, key); len(keys) < examinedAtOnce {
			return nil
		}
		return compare()
	})
	if err == nil && len(keys) > 0 {
		err = compare()
	}
	return found, err
}

// Repair mends what can be mended without deciding anything: neglected runs are rung, files that no row names removed.
// It returns how many differences it mended.
func (h *Hall) Repair(ctx context.Context, files StoredFiles, differences []Difference) (int, error) {
	mended, ring := 0, false
	for _, difference := range differences {
		switch difference.Kind {
		case NeglectedRun:
			ring = true
		case OrphanFile:
			if err := files.Remove(ctx, difference.Object); err != nil {
				return mended, err
			}
			mended++
		}
	}
	if !ring {
		return mended, nil
	}
	if _, err := h.Sweep(ctx); err != nil {
		return mended, err
	}
	n, err := h.RingAll(ctx)
	return mended + n, err
}

// stepsNamed is how many waiting steps of an unserved queue are named; all are counted.
const stepsNamed = 20

// UnservedQueues returns the queues in which steps wait although no worker serves them, and names the steps.
func (h *Hall) UnservedQueues(ctx context.Context, served func(queue string) bool) ([]Difference, error) {
	queues, err := h.db.Reader().WaitingQueues(ctx)
	if err != nil {
		return nil, err
	}
	var found []Difference
	for _, queue := range queues {
		if served(queue.Queue) {
			continue
		}
		runs, err := h.db.Reader().WaitingRuns(ctx, queue.Queue, stepsNamed)
		if err != nil {
			return found, err
		}
		found = append(found, unserved(queue, runs))
	}
	return found, nil
}

func unserved(queue store.WaitingQueue, runs []store.WaitingRun) Difference {
	difference := Difference{Kind: UnservedQueue, Object: queue.Queue, Count: queue.Runs,
		WayOut: "Start a worker with COUNTERSIGN_QUEUES that names it."}
	names := make([]string, 0, len(runs)+1)
	for _, run := range runs {
		difference.Waiting = append(difference.Waiting, WaitingStep{CaseID: run.CaseID, Reference: run.Reference, Node: run.Node, Kind: run.Kind, Due: run.RunAfter})
		name := run.Node + " of " + dashed(run.Reference)
		if run.Kind != domain.KindStage {
			name = run.Node + " (" + string(run.Kind) + ") of " + dashed(run.Reference)
		}
		names = append(names, name)
	}
	if more := queue.Runs - int64(len(runs)); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	difference.Sentence = fmt.Sprintf("%d steps wait in queue %s and no living worker serves it", queue.Runs, queue.Queue)
	if len(names) > 0 { // a worker may have come for them between the two questions
		difference.Sentence += ": " + strings.Join(names, ", ")
	}
	return difference
}

// RunStates reads what became of runs; ids are in pairs of case and run.
func (h *Hall) RunStates(ctx context.Context, cases, runs []domain.ID) (map[domain.ID]domain.RunStatus, error) {
	return h.db.Reader().RunState(ctx, cases, runs)
}
