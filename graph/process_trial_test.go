package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const tried = `query($d: String!, $c: TriedCaseInput!) { t: tryProcessDefinition(document: $d, case: $c) {
	nodes reviews { node queue level } status problem problemNode } }`

// A made-up case takes the route that its facts choose, also in a text that was never published.
func TestMadeUpCasesAreTried(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("sam", domain.RoleSubmitter)
	document := w.mustExecute("ada", newestOf, "key", "document_approval").
		text("processDefinitions", "nodes", 0, "document")
	vendor := []any{map[string]any{"name": "vendor", "value": "Kiefer"}}
	usd := func(amount string) map[string]any {
		return map[string]any{"amount": map[string]any{"amount": amount, "currency": "USD"},
			"documentType": "invoice", "fields": vendor}
	}
	try := func(document string, made map[string]any) result {
		return w.execute("ada", tried, "d", document, "c", made)
	}
	queues := func(got result) (queues string) {
		for _, review := range got.at("t", "reviews").([]any) {
			queues += review.(map[string]any)["queue"].(string) + " "
		}
		return queues
	}
	if got := try(document, usd("500.00")); queues(got) != "" || got.text("t", "status") != "ARCHIVED" {
		t.Errorf("500: %+v", got)
	}
	if got := try(document, usd("-500000.00")); queues(got) != "L1 " {
		t.Errorf("a credit of 500,000 needs the review of its absolute value: %+v", got)
	}
	remittance := w.mustExecute("ada", newestOf, "key", "cross_border_remittance").
		text("processDefinitions", "nodes", 0, "document")
	abroad := usd("1200000.00")
	abroad["country"], abroad["fields"] = "DE", append(vendor,
		map[string]any{"name": "iban", "value": "DE89370400440532013000"})
	if got := try(remittance, abroad); queues(got) != "L1 L2 " {
		t.Errorf("1,200,000 to Germany: %+v", got)
	}
	abroad["findings"] = []any{map[string]any{"rule": "high_risk_country", "severity": "WARNING"}}
	if got := try(remittance, abroad); queues(got) != "AML L1 L2 " {
		t.Errorf("1,200,000 to a high-risk country: %+v", got)
	}
	doubtful := usd("500.00")
	doubtful["findings"] = []any{map[string]any{"rule": "weekend_date", "severity": "WARNING"}}
	if got := try(document, doubtful); queues(got) != "L1 " {
		t.Errorf("500 with a warning: %+v", got)
	}
	unknown := map[string]any{"documentType": "invoice", "fields": vendor}
	if got := try(document, unknown); !strings.HasPrefix(queues(got), "repair ") ||
		got.text("t", "status") != "ARCHIVED" {
		t.Errorf("an unknown amount is named by a person: %+v", got)
	}
	stricter := strings.Replace(document, "base_minor < 100000", "base_minor < 50000", 1)
	if got := try(stricter, usd("500.00")); queues(got) != "L1 " {
		t.Errorf("500 of the stricter text: %+v", got)
	}
	for name, change := range map[string]map[string]any{
		"risk": {"risk": 101}, "amount": {"amount": map[string]any{"amount": "1,2.3,4", "currency": "USD"}},
		"currency": {"amount": map[string]any{"amount": "1", "currency": "XQQ"}},
	} {
		if got := try(document, change); len(got.Errors) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := w.execute("sam", tried, "d", document, "c", usd("1")); len(got.Errors) != 1 ||
		got.Errors[0].Extensions["code"] != "NotPermitted" {
		t.Errorf("a submitter: %+v", got)
	}
}
