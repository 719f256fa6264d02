package web

import (
	"log/slog"
	"net/http"
	"time"

	"countersign/domain"
	"countersign/internal/tracing"
)

// Bounds of the spans that a page sends.
const (
	maxPageSpans = 40
	maxSpanAge   = 5 * time.Minute
)

// pageSpan is a span of a page. Its times are relative to when it was sent, in milliseconds, because
// clocks of browsers can be wrong by hours.
type pageSpan struct {
	Kind        string  `json:"kind"`
	Traceparent string  `json:"traceparent"` // of the span itself
	Parent      string  `json:"parent"`      // id of the parent; empty for an action
	BeganAgo    float64 `json:"beganAgo"`
	EndedAgo    float64 `json:"endedAgo"`
}

// pageSpanKinds are the kinds of spans of pages. They are a closed set, so a page cannot write text
// into the operator's traces.
var pageSpanKinds = map[string]tracing.Kind{"action": tracing.Internal, "request": tracing.Client}

// takeSpans records the spans of a page, in the traces of which a request was recorded.
func (h *Handler) takeSpans(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.requireActor(r); err != nil {
		return err
	}
	var body struct {
		Spans []pageSpan `json:"spans"`
	}
	if err := readJSON(r, &body); err != nil {
		return err
	}
	if len(body.Spans) > maxPageSpans {
		return domain.Invalid("spans", "Send at most %d spans.", maxPageSpans)
	}
	now := h.clock.Now()
	finished := make([]tracing.Finished, 0, len(body.Spans))
	for _, span := range body.Spans {
		parsed, ok := span.finished(now)
		if !ok {
			return domain.Invalid("spans", "A span is not valid.")
		}
		finished = append(finished, parsed)
	}
	for _, span := range finished {
		tracing.Record(span)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// finished checks the span. It must have ended, and recently.
func (s pageSpan) finished(now time.Time) (tracing.Finished, bool) {
	at, valid := tracing.Parse(s.Traceparent)
	kind, known := pageSpanKinds[s.Kind]
	span := tracing.Finished{Name: "page " + s.Kind, Kind: kind, At: at, Began: ago(now, s.BeganAgo),
		Ended: ago(now, s.EndedAgo), Attributes: []slog.Attr{slog.String("countersign.source", "page")}}
	if s.Parent != "" {
		parent, ok := tracing.Parse(s.Traceparent[:min(36, len(s.Traceparent))] + s.Parent + "-01")
		valid = valid && ok
		span.Parent = parent.Span
	}
	inTime := s.EndedAgo >= 0 && s.BeganAgo >= s.EndedAgo &&
		s.BeganAgo <= float64(maxSpanAge.Milliseconds())
	return span, valid && known && inTime
}

func ago(now time.Time, milliseconds float64) time.Time {
	return now.Add(-time.Duration(milliseconds * float64(time.Millisecond)))
}
