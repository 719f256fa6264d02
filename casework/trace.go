package casework

import (
	"context"
	"log/slog"
	"time"

	"countersign/domain"
	"countersign/internal/tracing"
)

// endedWork is a finished stage or a decision, for its log line.
type endedWork struct {
	what, node, outcome string
	took                time.Duration
}

// The messages of the two log lines.
const (
	stageFinished = "stage finished"
	decisionMade  = "decision made"
)

// stopwatch returns how long it has been running.
func stopwatch() func() time.Duration {
	began := time.Now() //nolint:forbidigo // a duration, never a time of day
	return func() time.Duration { return time.Since(began) }
}

// addTraceparents adds the span of the change to the case and to new runs.
func (t *transition) addTraceparents() {
	if t.traceparent == "" {
		return
	}
	t.change.Case.Traceparent = t.traceparent
	for i := range t.change.Runs {
		if t.change.Runs[i].Traceparent == "" {
			t.change.Runs[i].Traceparent = t.traceparent
		}
	}
}

// logEnded writes the line of each finished stage and decision of a committed change. The lines have
// ids and names of the process, and no values, because readers of a log need no right.
func (svc *Service) logEnded(ctx context.Context, t *transition) {
	for _, work := range t.ended {
		svc.log.LogAttrs(ctx, slog.LevelInfo, work.what, slog.Any("case", t.change.Case.ID),
			slog.String("correlation_id", t.change.Case.CorrelationID),
			slog.String("trace_id", tracing.TraceID(ctx)), slog.String("node", work.node),
			slog.String("outcome", work.outcome),
			slog.Float64("ms", float64(work.took.Microseconds())/1000))
	}
}

// handOut records that a program got the run, and returns the span that the program continues. The
// trace of a case that could have been in a confidential review would tell whether a person has
// decided since the submission, so the program then gets that of its own request, linked to it.
func handOut(ctx context.Context, run domain.StageRun, confidential bool) string {
	attributes := []slog.Attr{slog.Any("case", run.CaseID), slog.String("topic", run.Topic)}
	if confidential {
		ctx, span := tracing.Begin(ctx, "hand out "+run.Node, attributes...)
		tracing.LinkStored(ctx, span, run.Traceparent)
		span.End("")
		return tracing.Traceparent(ctx)
	}
	if run.Traceparent == "" {
		return ""
	}
	ctx, span := tracing.Continue(ctx, tracing.Producer, "hand out "+run.Node, run.Traceparent,
		attributes...)
	span.End("")
	return tracing.Traceparent(ctx)
}

// spanCode returns the code with which a span ends; the message may contain values.
func spanCode(err error) string {
	if err == nil {
		return ""
	}
	return string(domain.CodeOf(err))
}
