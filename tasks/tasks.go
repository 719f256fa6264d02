// Package tasks is the adapter   # graph, web, tasks; in test/browser "the server" of the queue: Asynq is an at-least-once doorbell, the truth is the stage run's row.
//
// What may enter: task names and payloads of ids, handlers that decode and make one call of casework, the enqueuer that
// enqueues after a commit, the announcements that wake workers, the poller that finds due runs without Redis, the sweeper that
// enqueues again.
// What never happens here: SQL, rules, results kept in Redis, retries of work (a retry is a new row; Asynq's own retry
// serves only when Postgres cannot be reached).
package tasks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hibiken/asynq"

	"countersign/domain"
)

// TypeRunStage names the one task: do this run.
const TypeRunStage = "stage:run"

// The work queues. A stage of any other name is refused when its definition is published.
const (
	QueueLight   = "light"   // computes only; watched closely
	QueueOCR     = "ocr"     // reading documents
	QueueModel   = "model"   // language models
	QueueTimers  = "timers"  // deadlines
	QueueConnect = "connect" // calls to the outside
)

// Queues returns every work queue.
func Queues() []string { return []string{QueueLight, QueueOCR, QueueModel, QueueTimers, QueueConnect} }

// CheckQueues refuses a list of queues that names one that does not exist, or none.
func CheckQueues(names []string) error {
	if len(names) == 0 {
		return domain.Invalid("queues", "name at least one queue of %v", Queues())
	}
	for _, name := range names {
		if !slices.Contains(Queues(), name) {
			return domain.Invalid("queues", "there is no queue %q; there are %v", name, Queues())
		}
	}
	return nil
}

// RunStagePayload is what the task carries: ids only. Readers ignore fields they do not know.
type RunStagePayload struct {
	RunID         domain.ID `json:"run"`
	CaseID        domain.ID `json:"case"`
	CorrelationID string    `json:"correlation,omitempty"`
}

// correlationHeader carries the correlation id beside the payload, for tools that look at tasks.
const correlationHeader = "correlation"

// maxRetry bounds Asynq's own retries, which serve only while Postgres cannot be reached. Never 0: Asynq would archive a
// task whose worker died.
const maxRetry = 25

// newTask makes the task of a wake. Its id contains the ring, so that a task of an earlier ring that Asynq still holds
// after a crash does not stand in the way.
func newTask(run domain.PendingRun, now time.Time) (*asynq.Task, []asynq.Option, error) {
	payload, err := json.Marshal(RunStagePayload{RunID: run.RunID, CaseID: run.CaseID, CorrelationID: run.CorrelationID})
	if err != nil {
		return nil, nil, fmt.Errorf("tasks: encode payload: %w", err)
	}
	task := asynq.NewTaskWithHeaders(TypeRunStage, payload, map[string]string{correlationHeader: run.CorrelationID})
	options := []asynq.Option{asynq.TaskID(run.RunID.String() + ":" + strconv.Itoa(run.EnqueueCount)), asynq.Queue(run.Queue),
		asynq.MaxRetry(maxRetry), asynq.Timeout(runTimeout)}
	if run.RunAfter.After(now) { // Asynq knows whole seconds: rounded up, so that no task comes before its time
		options = append(options, asynq.ProcessAt(run.RunAfter.Add(time.Second-1).Truncate(time.Second)))
	}
	return task, options, nil
}

func decode(task *asynq.Task) (RunStagePayload, error) {
	var payload RunStagePayload
	if err := json.Unmarshal(task.Payload(), &payload); err != nil {
		return payload, domain.Invalid("payload", "the task's payload is not JSON").WithCause(err)
	}
	if payload.RunID == domain.NoID || payload.CaseID == domain.NoID {
		return payload, domain.Invalid("payload", "the task names no run")
	}
	return payload, nil
}
