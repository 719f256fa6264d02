package graph

import (
	"testing"

	"countersign/domain"
)

// The pages read country risks and rates, see which changes wait, and who proposed and confirmed
// them.
func TestControlData(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "adam"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("rita", domain.RoleL1)
	const countries = `mutation { setCountryRisks(input: {reason: "sanctions", countries: [
		{country: "ae", level: HIGH}, {country: "IR", level: ELEVATED}]}) {
		results { kind key applied proposal { id kind subject before after reason status } }
		userErrors { ... on Refusal { code message } } } }`
	done := w.mustExecute("ada", countries)
	if done.at("setCountryRisks", "results", 0, "applied") != true ||
		done.text("setCountryRisks", "results", 1, "proposal", "after") != "elevated" {
		t.Errorf("set %+v", done)
	}
	const rates = `mutation { setExchangeRates(input: {reason: "market", rates: [
		{currency: "EUR", rate: "1.12"}, {currency: "chf", rate: "1.13"}]}) {
		results { key applied proposal { id before after } }
		userErrors { ... on Refusal { code message } } } }`
	set := w.mustExecute("ada", rates)
	proposal := set.text("setExchangeRates", "results", 1, "proposal", "id")
	if set.at("setExchangeRates", "results", 0, "applied") != true || proposal == "" ||
		set.text("setExchangeRates", "results", 1, "proposal", "after") != "1.13" {
		t.Errorf("set %+v", set)
	}
	const withdraw = `mutation($id: ID!) { withdrawControlChange(input: {proposalId: $id,
		reason: "typing error"}) { results { applied proposal { status withdrawalReason
		decidedBy { name } } } userErrors { ... on Refusal { code } } } }`
	ended := w.mustExecute("adam", withdraw, "id", proposal)
	if ended.text("withdrawControlChange", "results", 0, "proposal", "status") != "WITHDRAWN" ||
		ended.at("withdrawControlChange", "results", 0, "applied") != false {
		t.Errorf("withdrawn %+v", ended)
	}
	const read = `{ countryRisks { country level reason changedBy { name } }
		exchangeRates { percent baseCurrency rates { currency rate confirmedRate since
			setBy { name } } }
		controlChanges(first: 1, filter: {kind: COUNTRY_RISK, status: PROPOSED}) { nodes { subject
			before after proposedBy { name } decidedBy { name } decidedAt } pageInfo {
			hasNextPage } }
		proposals(first: 5) { nodes { id } } }`
	seen := w.mustExecute("adam", read)
	if seen.text("countryRisks", 0, "country") != "AE" ||
		seen.text("countryRisks", 0, "changedBy", "name") != "ada" ||
		seen.text("exchangeRates", "percent") != "5" ||
		seen.text("exchangeRates", "rates", 0, "rate") != "1.12" ||
		seen.text("exchangeRates", "rates", 0, "confirmedRate") != "1.1" ||
		seen.at("exchangeRates", "rates", 1, "since") != nil ||
		seen.text("controlChanges", "nodes", 0, "before") != "high" ||
		seen.at("controlChanges", "nodes", 0, "decidedAt") != nil {
		t.Errorf("read %+v", seen)
	}
	if list, _ := seen.at("proposals", "nodes").([]any); len(list) != 0 {
		t.Errorf("control changes among the proposals of definitions: %+v", list)
	}
	node := w.mustExecute("adam", `query($id: ID!) { node(id: $id) { id } }`, "id", proposal)
	if node.at("node") != nil {
		t.Errorf("a control change is read as a proposal of a definition: %+v", node)
	}
	again := w.execute(w.token("ada", "manage_people"), `mutation { setExchangeRates(input: {
		reason: "market", rates: [{currency: "CHF", rate: "1.14"}]}) { results { proposal { after } }
		userErrors { ... on Refusal { code } } } }`)
	if len(again.Errors) > 0 ||
		again.text("setExchangeRates", "results", 0, "proposal", "after") != "1.14" {
		t.Errorf("by a token that may only manage people: %+v", again)
	}
	for _, query := range []string{`{ countryRisks { country } }`, `{ exchangeRates { percent } }`,
		`{ controlChanges { nodes { id } } }`} {
		if refused := w.execute("rita", query); len(refused.Errors) == 0 {
			t.Errorf("a reviewer reads %s: %+v", query, refused)
		}
	}
}
