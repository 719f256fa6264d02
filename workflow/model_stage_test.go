package workflow

import (
	"strings"
	"testing"

	"countersign/domain"
)

// modelExample returns the built-in example with some text replaced.
func modelExample(t *testing.T, replaced ...string) string {
	t.Helper()
	text, err := definitions.ReadFile("definitions/document_approval_model.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(replaced...).Replace(string(text))
}

func TestModelStage(t *testing.T) {
	t.Parallel()
	def, err := Parse([]byte(modelExample(t, "    queue: model\n", "", "required: false", "required: true",
		"waits_for_budget: false", "waits_for_budget: true")))
	if err != nil {
		t.Fatal(err)
	}
	if node, _ := def.Node("parse"); node.Queue != domain.QueueModel || !node.Required || !node.WaitsForBudget {
		t.Errorf("the stage is %+v", node)
	}
	for name, row := range map[string]struct{ from, to, rule string }{
		"another queue": {"queue: model", "queue: ocr", "queue"},
		"queues by type": {"queue: model", "queue_for: {invoice: light}",
			"queue"},
		"required elsewhere": {"behaviour: validate\n", "behaviour: validate\n    required: true\n", "attribute"},
		"on a review":        {"    queue: L1\n", "    queue: L1\n    required: true\n", "attribute"},
		"after an approval":  {"      approve: archive\n", "      approve: parse\n", "model_after_review"},
		"after a repair":     {"      repaired: route\n", "      repaired: parse\n", "model_after_review"},
	} {
		_, problems := Check([]byte(modelExample(t, row.from, row.to)))
		found := false
		for _, problem := range problems {
			found = found || problem.Rule == row.rule
		}
		if !found {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}
