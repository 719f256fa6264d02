package casework

import (
	"testing"

	"countersign/domain"
	"countersign/internal/tracing"
)

// A program continues the trace of its task, except where that would tell whether a person has
// decided on a case that could be in a confidential review.
func TestHandOutOfConfidentialCases(t *testing.T) {
	t.Parallel()
	request := tracing.Context{Trace: [16]byte{1}, Span: [8]byte{2}}
	ctx := tracing.WithContext(t.Context(), request)
	for name, stored := range map[string]string{"traced": tracing.Context{Trace: [16]byte{3},
		Span: [8]byte{4}}.String(), "without a trace": ""} {
		run := domain.StageRun{ID: domain.NewID(), Node: "translate", Traceparent: stored}
		if got := handOut(ctx, run, false); got != stored {
			t.Errorf("%s: the program gets %q, want %q", name, got, stored)
		}
		if got := handOut(ctx, run, true); got != request.String() {
			t.Errorf("%s, confidential: the program gets %q, want %q", name, got, request)
		}
	}
}
