package graph

import (
	"testing"

	"countersign/domain"
)

// Staff see to which trace an event belongs, and the correlation id; the submitter sees neither.
func TestTracesAreForStaff(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("rita", domain.RoleL1)
	id := w.submit("sam", "2100.00")
	w.runPending()
	const query = `query($i: ID!) { case(id: $i) { correlationId lastEvents(last: 50) { type traceparent } } }`
	seen := w.mustExecute("rita", query, "i", id)
	if got, want := seen.text("case", "correlationId"), caseIDOf(t, id).String(); got != want {
		t.Errorf("staff see the correlation id %q, want %q", got, want)
	}
	if got, want := seen.text("case", "lastEvents", 0, "traceparent"), traceOf("sam").String(); got != want {
		t.Errorf("the submission has the trace %q, want %q", got, want)
	}
	hidden := w.mustExecute("sam", query, "i", id)
	if at := hidden.at("case", "correlationId"); at != nil {
		t.Errorf("the submitter sees the correlation id %v", at)
	}
	events, _ := hidden.at("case", "lastEvents").([]any)
	if len(events) == 0 {
		t.Fatal("the submitter sees no events")
	}
	for _, event := range events {
		if trace := event.(map[string]any)["traceparent"]; trace != nil {
			t.Errorf("the submitter sees the trace %v", trace)
		}
	}
}
