package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/hibiken/asynq"

	"countersign/domain"
)

func TestEveryCodeHasADisposition(t *testing.T) {
	t.Parallel()
	for _, code := range domain.Codes() {
		if _, ok := dispositions[code]; !ok {
			t.Errorf("%s has no entry", code)
		}
	}
	if len(dispositions) != len(domain.Codes()) {
		t.Errorf("%d entries for %d codes", len(dispositions), len(domain.Codes()))
	}
}

func TestResponses(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	for name, tc := range map[string]struct {
		err        error
		nothing    bool
		neverAgain bool
	}{
		"done":        {nil, true, false},
		"lease lost":  {domain.Errorf(domain.LeaseLost, "gone"), true, false},
		"no database": {domain.Errorf(domain.Unavailable, "away"), false, false},
		"stranger":    {errors.New("unforeseen"), false, false},
		"bad payload": {domain.Invalid("payload", "not JSON"), false, true},
	} {
		got := asynqError(context.Background(), log, RunStagePayload{}, tc.err)
		if (got == nil) != tc.nothing || errors.Is(got, asynq.SkipRetry) != tc.neverAgain {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestStoppedTasksShowTheCauseAlone checks the text that Asynq stores for operators, and that of a
// task archived by an earlier version.
func TestStoppedTasksShowTheCauseAlone(t *testing.T) {
	t.Parallel()
	cause := domain.Invalid("payload", "The task's payload has no run id.")
	stopped := asynqError(t.Context(), slog.New(slog.DiscardHandler), RunStagePayload{}, cause)
	if !errors.Is(stopped, asynq.SkipRetry) || !errors.Is(stopped, cause) ||
		stopped.Error() != cause.Error() {
		t.Errorf("the task stops with %q", stopped)
	}
	for _, stored := range []string{cause.Error(),
		fmt.Errorf("%w: %w", cause, asynq.SkipRetry).Error()} {
		if got := causeText(stored); got != cause.Message {
			t.Errorf("%q is shown as %q", stored, got)
		}
	}
}

// Log lines of tasks carry the case id under the same key as all other log lines.
func TestTaskLogCarriesTheCaseID(t *testing.T) {
	t.Parallel()
	run := domain.PendingRun{RunID: domain.NewID(), CaseID: domain.NewID(),
		Queue:         domain.QueueLight,
		CorrelationID: "c-17"}
	task, _, err := newTask(run, domain.SystemClock{}.Now())
	if err != nil {
		t.Fatal(err)
	}
	payload, err := decode(task)
	if err != nil || payload.CorrelationID != "c-17" ||
		task.Headers()[correlationHeader] != "c-17" {
		t.Errorf("payload %+v, headers %v: %v", payload, task.Headers(), err)
	}
	for _, failure := range []error{domain.Errorf(domain.Unavailable, "away"),
		domain.Invalid("payload", "not JSON")} {
		var lines bytes.Buffer
		_ = asynqError(t.Context(), slog.New(slog.NewJSONHandler(&lines, nil)), payload, failure)
		if !strings.Contains(lines.String(), `"correlation_id":"c-17"`) {
			t.Errorf("the line lacks the id: %s", lines.String())
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"run":"01a1fe60-9fe5-7b4b-aa92-bae0fb539603","case":"01a1fe60-9fe5-7b4b-aa92-bae0fb539604","new":1}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, text []byte) {
		payload, err := decode(asynq.NewTask(TypeRunStage, text))
		if (err == nil) != (payload.RunID != domain.NoID && payload.CaseID != domain.NoID) &&
			err == nil {
			t.Errorf("%q was decoded as %+v", text, payload)
		}
	})
}

func TestReadersIgnoreFieldsTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	run, caseID := domain.NewID(), domain.NewID()
	payload, err := decode(asynq.NewTask(TypeRunStage,
		[]byte(`{"run":"`+run.String()+`","case":"`+caseID.String()+`","later":{"x":[1]}}`)))
	if err != nil || payload.RunID != run || payload.CaseID != caseID {
		t.Errorf("%+v %v", payload, err)
	}
}
