package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"countersign/domain"
)

// Redis parses the queue's address (redis://, rediss://, unix sockets). Its error has the code
// InvalidInput.
func Redis(url string) (asynq.RedisConnOpt, error) {
	option, err := asynq.ParseRedisURI(url)
	if err != nil {
		return nil, domain.Invalid("REDIS_URL", "REDIS_URL is not a valid Redis address.").
			WithCause(err)
	}
	return option, nil
}

// clientOf returns a client for the connection. Its error has the code InvalidInput.
func clientOf(connection asynq.RedisConnOpt) (redis.UniversalClient, error) {
	client, ok := connection.MakeRedisClient().(redis.UniversalClient)
	if !ok {
		return nil, domain.Invalid("REDIS_URL", "REDIS_URL is not a valid Redis address.")
	}
	return client, nil
}

// QueueState is the queue's state as Redis reports it. It is a hint for operators; the rows in
// Postgres are authoritative.
type QueueState struct {
	Workers []QueueWorker
	// Counts holds the number of tasks by queue and state: pending, active, scheduled, retry,
	// archived.
	Counts map[string]map[string]int
	// Archived lists the tasks that Asynq stopped retrying. Their runs must have ended, or the
	// sweeper enqueues them again.
	Archived []ArchivedTask
}

// QueueWorker is a process that pulls from queues.
type QueueWorker struct {
	Host   string
	PID    int
	Queues []string
}

// ArchivedTask is a task in Asynq's archive.
type ArchivedTask struct {
	Queue, TaskID string
	RunID, CaseID domain.ID
	LastError     string
}

// Serves reports whether a worker pulls from the queue.
func (s QueueState) Serves(queue string) bool {
	return slices.ContainsFunc(s.Workers, func(w QueueWorker) bool {
		return slices.Contains(w.Queues, queue)
	})
}

// maxArchived limits the archived tasks read per queue.
const maxArchived = 1000

// Inspect reads the state of all queues. It returns Unavailable if Redis does not answer.
func Inspect(redis asynq.RedisConnOpt) (QueueState, error) {
	inspector := asynq.NewInspector(redis)
	defer func() { _ = inspector.Close() }()
	state := QueueState{Counts: map[string]map[string]int{}}
	servers, err := inspector.Servers()
	if err != nil {
		return state, unreachableError(err)
	}
	for _, server := range servers {
		worker := QueueWorker{Host: server.Host, PID: server.PID}
		for queue := range server.Queues {
			worker.Queues = append(worker.Queues, queue)
		}
		slices.Sort(worker.Queues)
		state.Workers = append(state.Workers, worker)
	}
	for _, queue := range domain.WorkQueues() {
		info, err := inspector.GetQueueInfo(queue)
		if isNotFound(err) {
			continue // the queue has never been used
		}
		if err != nil {
			return state, unreachableError(err)
		}
		state.Counts[queue] = map[string]int{"pending": info.Pending, "active": info.Active,
			"scheduled": info.Scheduled,
			"retry":     info.Retry, "archived": info.Archived}
		if err := state.readArchived(inspector, queue); err != nil {
			return state, err
		}
	}
	return state, nil
}

func (s *QueueState) readArchived(inspector *asynq.Inspector, queue string) error {
	archived, err := inspector.ListArchivedTasks(queue, asynq.PageSize(maxArchived))
	if err != nil {
		return unreachableError(err)
	}
	for _, task := range archived {
		entry := ArchivedTask{Queue: queue, TaskID: task.ID, LastError: causeText(task.LastErr)}
		var payload RunStagePayload
		if json.Unmarshal(task.Payload, &payload) == nil {
			entry.RunID, entry.CaseID = payload.RunID, payload.CaseID
		}
		s.Archived = append(s.Archived, entry)
	}
	return nil
}

// DeleteArchived removes tasks from Asynq's archive. The rows keep the outcome of their runs.
func DeleteArchived(redis asynq.RedisConnOpt, archived []ArchivedTask) error {
	inspector := asynq.NewInspector(redis)
	defer func() { _ = inspector.Close() }()
	for _, task := range archived {
		if err := inspector.DeleteTask(task.Queue, task.TaskID); err != nil && !isNotFound(err) {
			return unreachableError(err)
		}
	}
	return nil
}

func isNotFound(err error) bool {
	return errors.Is(err, asynq.ErrQueueNotFound) || errors.Is(err, asynq.ErrTaskNotFound) ||
		err != nil && strings.Contains(err.Error(), "NOT_FOUND")
}

func unreachableError(err error) error {
	return fmt.Errorf("tasks: inspect the queue: %w",
		domain.Errorf(domain.Unavailable, "The queue cannot be reached.").
			WithRemedy("Is Redis running, and is REDIS_URL right?").WithCause(err))
}
