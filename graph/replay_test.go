package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

func TestReplayOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	const question = `query($change: ReplayChange) { replay(weeks: 4, zone: "Europe/Berlin", change: $change) {
		from to scope removed added error { weeks } unknownQueues
		queues { queue } days { day recorded replayed changed } } }`
	got := w.mustExecute("ma", question, "change", map[string]any{"queue": "L1", "reviewers": 1,
		"process": "document_approval", "reviewFrom": "2,000.00"})
	days, _ := got.at("replay", "days").([]any)
	if got.text("replay", "scope") != "QUEUES" || len(days) != 28 || got.at("replay", "error") != nil ||
		got.text("replay", "from") != got.text("replay", "days", 0, "day") {
		t.Errorf("%+v", got.Data)
	}
	for name, refused := range map[string]result{
		"a reviewer":      w.execute("lea", question),
		"no amount":       w.execute("ma", question, "change", map[string]any{"reviewFrom": "much"}),
		"negative amount": w.execute("ma", question, "change", map[string]any{"reviewFrom": "-5"}),
	} {
		if len(refused.Errors) != 1 || strings.Contains(refused.Errors[0].Message, "nternal") {
			t.Errorf("%s: %+v", name, refused)
		}
	}
}
