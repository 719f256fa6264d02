package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// The rules run immediately after a correction: the response contains the new findings.
func TestCorrectionReturnsFindings(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("lars", domain.RoleL1) // decides after lea has set a payee
	id := w.submit("sam", "90000.00\n\n"+withoutXML)
	w.runPending()
	review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
	claim(w, "lea", review)
	const correct = `mutation($a: CorrectFieldsInput!, $b: CorrectFieldsInput!) {
		first: correctFields(input: $a) { review { version case { version findings { rule evidence { name value } } fieldForm { name doubts } } } userErrors { ... on Refusal { code field message values { name value } } } }
		second: correctFields(input: $b) { review { version case { version findings { rule } } } userErrors { ... on Refusal { code } } } }`
	set := func(name, value string) map[string]any {
		return map[string]any{"reviewId": review,
			"fields": []any{map[string]any{"name": name, "value": value}}}
	}
	future := domain.SystemClock{}.Now().AddDate(0, 2, 0).Format(time.DateOnly)
	got := w.mustExecute("lea", correct, "a", set("net", "1.00"), "b", set("date", future))
	rules := func(answer string) string {
		found := ""
		for i := range got.at(answer, "review", "case", "findings").([]any) {
			found += " " + got.text(answer, "review", "case", "findings", i, "rule")
		}
		return found
	}
	if first, second := rules("first"), rules("second"); !strings.Contains(first, "arithmetic") ||
		!strings.Contains(second, "arithmetic") || strings.Contains(first, "date_future") ||
		!strings.Contains(second, "date_future") {
		t.Errorf("after the first: %s; after the second: %s", first, second)
	}
	if got.text("first", "review", "version") == got.text("second", "review", "version") ||
		got.text("first", "review", "case", "version") == got.text("second", "review", "case",
			"version") {
		t.Errorf("both commands of one request return the same version: %+v", got.Data)
	}
	for i := range got.at("first", "review", "case", "fieldForm").([]any) {
		line := got.at("first", "review", "case", "fieldForm", i).(map[string]any)
		want := line["name"] == "net" || line["name"] == "tax" || line["name"] == "total"
		if doubted := fmt.Sprint(line["doubts"]) == "[FINDING]"; doubted != want {
			t.Errorf("doubts of %v: %v", line["name"], line["doubts"])
		}
	}
	for _, c := range []struct{ name, value, reason string }{{"date", "yesterday", "form"},
		{"total", "1,2,3", "form"}, {"currency", "XXQ", "form"}} {
		got := w.mustExecute("lea", correct, "a", set(c.name, c.value), "b", set(c.name, c.value))
		values := map[string]string{}
		for i := range got.at("first", "userErrors", 0, "values").([]any) {
			values[got.text("first", "userErrors", 0, "values", i, "name")] = got.text("first",
				"userErrors", 0, "values", i, "value")
		}
		if got.text("first", "userErrors", 0, "field") != c.name || values["reason"] != c.reason ||
			values["value"] != c.value {
			t.Errorf("%+v: %+v", c, got.at("first", "userErrors"))
		}
	}
	other := set("iban", "DE00370400440532013000")
	// the payee was neither declared nor read, so another reviewer must decide
	other["confirm"] = true
	got = w.mustExecute("lea", correct, "a", other, "b", set("iban", "DE89370400440532013000"))
	for i := range got.at("first", "review", "case", "findings").([]any) {
		if got.text("first", "review", "case", "findings", i, "rule") == "iban_check" &&
			!strings.Contains(fmt.Sprint(got.at("first", "review", "case", "findings", i,
				"evidence")), "name:fault value:check_digits") {
			t.Errorf("the finding has no name: %+v",
				got.at("first", "review", "case", "findings", i))
		}
	}
}
