// Package tasks is the adapter of the queue, Asynq. Asynq delivers at least once; the row of the
// stage run in Postgres is authoritative.
//
// What may enter: task names and payloads of ids, handlers that decode a task and call casework
// once, the enqueuer that runs after a commit, the announcements that notify workers, the poller
// that finds due runs without Redis, and the sweeper that re-enqueues overdue runs. What never
// happens here: SQL, rules, results in Redis, and retries of work. A retry is a new row; Asynq's
// own retry applies only while Postgres is unreachable.
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

// TypeRunStage is the only task type: execute one run.
const TypeRunStage = "stage:run"

// CheckQueues returns an error if the list is empty or contains an unknown queue.
func CheckQueues(names []string) error {
	if len(names) == 0 {
		return domain.Invalid("queues", "Name at least one of the queues %v.", domain.WorkQueues())
	}
	for _, name := range names {
		if !slices.Contains(domain.WorkQueues(), name) {
			return domain.Invalid("queues", "Unknown queue %q. The queues are %v.", name, domain.WorkQueues())
		}
	}
	return nil
}

// RunStagePayload is the payload of the task: ids only. Unknown fields are ignored.
type RunStagePayload struct {
	RunID         domain.ID `json:"run"`
	CaseID        domain.ID `json:"case"`
	CorrelationID string    `json:"correlation,omitempty"`
	Traceparent   string    `json:"traceparent,omitempty"`
}

// correlationHeader is the task header with the correlation id, for tools that inspect tasks.
const correlationHeader = "correlation"

// maxRetry limits Asynq's own retries, which apply only while Postgres is unreachable. It must not
// be 0, because Asynq would then archive the task of a worker that died.
const maxRetry = 25

// newTask returns the task of a pending run. Its id contains the enqueue count, so that a task of
// an earlier count that Asynq still holds after a crash does not block the new one.
func newTask(run domain.PendingRun, now time.Time) (*asynq.Task, []asynq.Option, error) {
	payload, err := json.Marshal(RunStagePayload{RunID: run.RunID, CaseID: run.CaseID,
		CorrelationID: run.CorrelationID, Traceparent: run.Traceparent})
	if err != nil {
		return nil, nil, fmt.Errorf("tasks: encode payload: %w", err)
	}
	task := asynq.NewTaskWithHeaders(TypeRunStage, payload,
		map[string]string{correlationHeader: run.CorrelationID})
	options := []asynq.Option{asynq.TaskID(run.RunID.String() + ":" +
		strconv.Itoa(run.EnqueueCount)), asynq.Queue(run.Queue),
		asynq.MaxRetry(maxRetry), asynq.Timeout(runTimeout)}
	// Asynq schedules in whole seconds; rounding up prevents an early start
	if run.RunAfter.After(now) {
		options = append(options, asynq.ProcessAt(run.RunAfter.Add(time.Second-1).
			Truncate(time.Second)))
	}
	return task, options, nil
}

func decode(task *asynq.Task) (RunStagePayload, error) {
	var payload RunStagePayload
	if err := json.Unmarshal(task.Payload(), &payload); err != nil {
		return payload, domain.Invalid("payload", "The task's payload is not valid JSON.").
			WithCause(err)
	}
	if payload.RunID == domain.NoID || payload.CaseID == domain.NoID {
		return payload, domain.Invalid("payload", "The task's payload has no run id.")
	}
	return payload, nil
}
