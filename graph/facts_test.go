package graph

import (
	"fmt"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
)

const differencesOfCase = `query($id: ID!) { case(id: $id) { amount { amount currency }
	amountAtRisk { amount currency } countries differingFields
	differences { field pending values { value currency source by { name } at documentRevision
		confidence resolved } }
	total: fieldHistory(field: "total") { value source by { name } resolved }
	openReview { id version } } }`

// submitDeclared submits an invoice over the total with a declared amount and country, and returns
// the case's id.
func (w *testEnv) submitDeclared(by, total, amount, currency, country string) string {
	w.t.Helper()
	answer := w.upload(by, submitMutation, map[string]any{"country": country,
		"amount": map[string]any{"amount": amount, "currency": currency}},
		"%PDF-1.7\n"+total+"\n")
	id := answer.text("submitDocument", "case", "id")
	if id == "" {
		w.t.Fatalf("not submitted: %+v", answer)
	}
	w.runPending()
	return id
}

const confirmMutation = `mutation($in: ConfirmFieldsInput!) { confirmFields(input: $in) {
	review { version case { amountAtRisk { amount currency } differences { field pending values {
		value source by { name } } } } }
	userErrors { ... on Refusal { code field message } } } }`

func (w *testEnv) confirm(by, review string, names ...string) result {
	w.t.Helper()
	return w.mustExecute(by, confirmMutation, "in",
		map[string]any{"reviewId": review, "names": names, "confirm": true})
}

// What the submitter declared stays visible beside the document until two people confirmed another
// value, and each of them sees why the second one is needed.
func TestDifferencesUntilTwoPeopleConfirmed(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("sid", domain.RoleSenior)
	w.person("mia", domain.RoleManager)
	id := w.submitDeclared("sam", "717.97", "158980", "USD", "DE")
	found := w.mustExecute("sid", differencesOfCase, "id", id)
	if found.text("case", "amountAtRisk", "amount") != "158980.00" ||
		found.text("case", "amountAtRisk", "currency") != "USD" ||
		found.text("case", "amount", "amount") != "717.97" ||
		fmt.Sprint(found.at("case", "differingFields")) != "[currency total]" ||
		fmt.Sprint(found.at("case", "countries")) != "[DE]" {
		t.Fatalf("the case is %+v", found.Data)
	}
	total := func(path ...any) any {
		return found.at(append([]any{"case", "differences", 1}, path...)...)
	}
	if total("field") != "total" || total("values", 0, "value") != "717.97" ||
		total("values", 0, "currency") != "EUR" || total("values", 0, "source") != "XML" ||
		total("values", 1, "value") != "158980.00" || total("values", 1, "currency") != "USD" ||
		total("values", 1, "source") != "DECLARED" ||
		total("values", 1, "by", "name") != "sam" || total("pending") != nil {
		t.Errorf("the difference is %+v", total())
	}
	review := found.text("case", "openReview", "id")
	claim(w, "sid", review)
	first := w.confirm("sid", review, "total", "currency")
	if first.text("confirmFields", "review", "case", "differences", 1,
		"pending") != "STATEMENT" || first.text("confirmFields", "review", "case",
		"differences", 1, "values", 0, "by", "name") != "sid" {
		t.Fatalf("after one person: %+v", first.Data)
	}
	w.requireSubmitterView(id)
	w.mustExecute("sid", `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) { userErrors {
		... on Refusal { code } } } }`, "id", review)
	claim(w, "mia", review)
	second := w.confirm("mia", review, "total", "currency")
	if left := second.at("confirmFields", "review", "case", "differences"); second.at(
		"confirmFields", "userErrors", 0) != nil || len(left.([]any)) != 0 || second.at(
		"confirmFields", "review", "case", "amountAtRisk") != nil {
		t.Errorf("after two people: %+v", second.Data)
	}
	history := w.mustExecute("mia", differencesOfCase, "id", id).at("case", "total").([]any)
	var lines []string
	for _, line := range history {
		value := line.(map[string]any)
		by, _ := value["by"].(map[string]any)
		lines = append(lines, fmt.Sprint(value["source"], " ", value["value"], " ", by["name"], " ",
			value["resolved"]))
	}
	if want := []string{"DECLARED 158980.00 sam true", "XML 717.97 <nil> true",
		"HUMAN 717.97 sid true", "HUMAN 717.97 mia false"}; !slices.Equal(lines, want) {
		t.Errorf("the history is %q, want %q", lines, want)
	}
}

// requireSubmitterView checks that the submitter sees their own value and the document's, but not
// who reviewed.
func (w *testEnv) requireSubmitterView(id string) {
	w.t.Helper()
	own := w.mustExecute("sam", differencesOfCase, "id", id)
	if own.text("case", "amountAtRisk", "amount") != "158980.00" ||
		own.at("case", "differences", 1, "pending") != nil ||
		own.at("case", "differences", 1, "values", 0, "by") != nil ||
		own.text("case", "differences", 1, "values", 1, "by", "name") != "sam" {
		w.t.Errorf("the submitter sees %+v", own.Data)
	}
}

// Every country that rules check is shown with its role, its field and who stated it. The submitter
// does not see what a reviewer stated.
func TestCountryRolesOfCase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("sid", domain.RoleSenior)
	const query = `query($id: ID!) { case(id: $id) { countries openReview { id }
		countryRoles { code role field source } } }`
	id := w.submitDeclared("sam", "717.97", "158980", "USD", "FR")
	review := w.mustExecute("sid", query, "id", id).text("case", "openReview", "id")
	claim(w, "sid", review)
	done := w.mustExecute("sid", `mutation($in: CorrectFieldsInput!) { correctFields(input: $in) {
		userErrors { ... on Refusal { code message } } } }`, "in", map[string]any{
		"reviewId": review, "confirm": true, "fields": []any{map[string]any{
			"name": domain.FieldDeliveryCountry, "value": "TR"}}})
	if done.at("correctFields", "userErrors", 0) != nil {
		t.Fatalf("refused: %+v", done.Data)
	}
	const delivery = "TR DELIVERY delivery_country HUMAN"
	for by, sees := range map[string]bool{"sid": true, "sam": false} {
		found := w.mustExecute(by, query, "id", id)
		var lines []string
		for _, role := range found.at("case", "countryRoles").([]any) {
			row := role.(map[string]any)
			lines = append(lines, fmt.Sprint(row["code"], " ", row["role"], " ", row["field"], " ",
				row["source"]))
		}
		if !slices.Contains(lines, "FR DECLARED country DECLARED") ||
			!slices.Contains(lines, "DE PAYEE_BANK iban XML") ||
			slices.Contains(lines, delivery) != sees ||
			fmt.Sprint(found.at("case", "countries")) != "[FR DE TR]" &&
				fmt.Sprint(found.at("case", "countries")) != "[DE FR TR]" {
			t.Errorf("%s sees %q of %v", by, lines, found.at("case", "countries"))
		}
	}
}

// A correction that another one replaced is part of the review work.
func TestSubmitterSeesNoReplacedCorrection(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("sid", domain.RoleSenior)
	id := w.submitDeclared("sam", "717.97", "158980", "EUR", "DE")
	review := w.mustExecute("sid", differencesOfCase, "id", id).text("case", "openReview", "id")
	claim(w, "sid", review)
	const correct = `mutation($in: CorrectFieldsInput!) { correctFields(input: $in) { userErrors {
		... on Refusal { code message } } } }`
	for _, value := range []string{"158980.00", "717.97"} {
		done := w.mustExecute("sid", correct, "in", map[string]any{"reviewId": review,
			"fields":  []any{map[string]any{"name": "total", "value": value}},
			"confirm": true})
		if done.at("correctFields", "userErrors", 0) != nil {
			t.Fatalf("refused: %+v", done.Data)
		}
	}
	for by, want := range map[string]int{"sid": 4, "sam": 3} {
		found := w.mustExecute(by, differencesOfCase, "id", id)
		if got := len(found.at("case", "total").([]any)); got != want {
			t.Errorf("%s sees %d values of the total, want %d", by, got, want)
		}
	}
}

func TestConfirmRefusesWhatHasNoValue(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	id := w.submit("sam", "1700.00")
	w.runPending()
	found := w.mustExecute("lea", `query($id: ID!) { case(id: $id) { openReview { id } fieldForm {
		name field { raw } } } }`, "id", id)
	absent := ""
	for _, line := range found.at("case", "fieldForm").([]any) {
		if value := line.(map[string]any); value["field"] == nil {
			absent = value["name"].(string)
		}
	}
	review := found.text("case", "openReview", "id")
	claim(w, "lea", review)
	if got := w.confirm("lea", review, "unknown"); got.text("confirmFields", "userErrors", 0,
		"field") != "unknown" {
		t.Errorf("an unknown field: %+v", got.Data)
	}
	if got := w.confirm("lea", review, absent); got.text("confirmFields", "userErrors", 0,
		"field") != absent {
		t.Errorf("a field without a value: %+v", got.Data)
	}
	if got := w.execute("lea", `query($id: ID!) { case(id: $id) { fieldHistory(field: "unknown") {
		value } } }`, "id", id); len(got.Errors) != 1 ||
		got.Errors[0].Extensions["code"] != "InvalidInput" {
		t.Errorf("the history of an unknown field: %+v", got)
	}
}

// Lists show the amount at risk, the differing fields and their values with the same number of
// statements whatever their length.
func TestDifferencesStatementsDoNotGrowWithLength(t *testing.T) {
	t.Parallel()
	m := pgmeter.New(t, pgtest.New(t).AppURL)
	w := newTestEnvOn(t, m.URL)
	w.person("sam", domain.RoleSubmitter)
	w.person("mia", domain.RoleManager)
	for i := range 12 {
		w.submitDeclared("sam", fmt.Sprintf("%d.00", 90_000+i), fmt.Sprint(100_000+i), "USD", "DE")
	}
	const list = `query($first: Int!) { reviews(first: $first) { nodes { id case {
		amountAtRisk { amount currency } differingFields differences { field values { value by {
			name } } } } } } }`
	w.mustExecute("mia", list, "first", 3) // prepares the statements
	// A batch that waits too long on a busy machine becomes two, so the fewest of several counts.
	took := map[int]int64{}
	for range 5 {
		for _, first := range []int{1, 12} {
			before := m.Executed()
			rows := w.mustExecute("mia", list, "first", first).at("reviews", "nodes").([]any)
			statements := int64(m.Executed() - before)
			if fewest, ok := took[first]; !ok || statements < fewest {
				took[first] = statements
			}
			if len(rows) != first {
				t.Fatalf("%d rows, want %d", len(rows), first)
			}
		}
	}
	if took[12] > took[1] {
		t.Errorf("1 review took %d statements, 12 took %d", took[1], took[12])
	}
}

// An unreadable amount and no amount at all are different: a person must look for the one.
func TestAProcessWithoutAmountsSaysSo(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	for process, has := range map[string]bool{"content_review": false, "document_approval": true} {
		answer := w.upload("sam", submitMutation, map[string]any{"process": process},
			"%PDF-1.7\nno total for "+process+"\n")
		id := answer.text("submitDocument", "case", "id")
		found := w.mustExecute("sam", `query($id: ID!) { case(id: $id) { hasAmount amount { amount } } }`,
			"id", id)
		if found.at("case", "hasAmount") != has || found.at("case", "amount") != nil {
			t.Errorf("%s: %+v", process, found)
		}
		listed := w.mustExecute("sam", `{ cases(first: 1) { nodes { id hasAmount amount { amount } } } }`)
		if listed.at("cases", "nodes", 0, "hasAmount") != has {
			t.Errorf("%s in the list: %+v", process, listed)
		}
	}
}
