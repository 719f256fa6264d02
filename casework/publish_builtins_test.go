package casework_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// versionsOf returns the published versions of a process, newest first, and whether each references
// the country rule.
func (env *testEnv) versionsOf(key string) (list []string) {
	env.t.Helper()
	rows, err := env.db.Reader().Definitions(env.ctx)
	must(env.t, err)
	for _, row := range rows {
		if row.Key == key {
			list = append(list,
				fmt.Sprintf("%d by system %v: %v", row.Version,
					row.PublishedBy == domain.SystemUserID,
					strings.Contains(row.Document, `f.rule == "high_risk_country"`)))
		}
	}
	return list
}

// restoreEarlierBuiltin changes the database to the state of an earlier release, whose text is
// version 1 of the process. It returns the present text.
func (env *testEnv) restoreEarlierBuiltin(key string) (present string) {
	env.t.Helper()
	row, err := env.db.Reader().Definition(env.ctx, key, 1)
	must(env.t, err)
	older := strings.Replace(row.Document, "order: required\n", "", 1)
	older = strings.Replace(older, `findings.exists(f, f.rule == "high_risk_country")`,
		`country in ["IR", "KP", "MM"]`, 1)
	if older == row.Document {
		env.t.Fatal("the built-in process has changed: update the earlier text in this test")
	}
	env.alterPublished(
		`UPDATE process_definitions SET document = $doc$` + older +
			`$doc$, requires_order = false WHERE key = '` + key +
			`' AND version = 1`)
	return row.Document
}

// alterPublished changes published rows, which triggers normally prevent.
func (env *testEnv) alterPublished(statement string) {
	env.t.Helper()
	for _, sql := range []string{`ALTER TABLE process_definitions DISABLE TRIGGER USER`, statement,
		`ALTER TABLE process_definitions ENABLE TRIGGER USER`} {
		_, err := env.owner.Exec(env.ctx, sql)
		must(env.t, err)
	}
}

// A database of an earlier release: its cases keep their version, new cases use the new text as the
// next version, and publishing again, by this release or the earlier one, adds nothing.
func TestChangedBuiltinBecomesNextVersion(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	env.approvedBefore("Werk B-1 GmbH", "remittance", "")
	const account = "IR-4711"
	env.approvedBefore("Werk B-2 GmbH", "remittance", account)
	const key = "cross_border_remittance"
	present := env.restoreEarlierBuiltin(key) // before anything loads the version
	sam, al := env.person("sam", domain.RoleSubmitter), env.amlOfficer("al")
	env.reader.xml = riskyXML("B-1")
	before := env.submitTo(sam, key, "remittance", "before")
	for range 2 {
		must(t, env.svc.PublishBuiltins(env.ctx))
	}
	if got := strings.Join(env.versionsOf(key),
		"; "); got != "2 by system true: true; 1 by system true: false" {
		t.Fatalf("versions %s", got)
	}
	row, err := env.db.Reader().Definition(env.ctx, key, 2)
	must(t, err)
	if row.Document != string(workflow.WithVersion([]byte(present), 2)) {
		t.Errorf("version 2 is\n%s", row.Document)
	}
	env.reader.xml = riskyXML("B-2")
	_, err = env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{File: upload("without"),
		Process: key, DocumentType: "remittance"})
	wantCode(t, err, domain.OrderRequired)
	in := order("120.00", "EUR", "B-2")
	in.Payee, in.Account, in.Country = "Werk B-2 GmbH", account, "IR"
	after := env.mustOrder(sam, in)
	for id, version := range map[domain.ID]int{before: 1, after: 2} {
		if c := env.caseByID(id); c.ProcessVersion != version {
			t.Errorf("the case has version %d, want %d", c.ProcessVersion, version)
		}
		must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
		env.requireState(id, domain.Archived)
	}
	env.verifyStream(domain.DefinitionStream(key), 2)
}

// A version published by a user stays in force.
func TestCustomVersionsOutrankBuiltins(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	const key = "cross_border_remittance"
	present := env.restoreEarlierBuiltin(key)
	ada := env.person("ada", domain.RoleAdmin)
	own := strings.Replace(string(workflow.WithVersion([]byte(present), 2)),
		"{en: Cross-border remittance,", "{en: Our remittances,", 1)
	env.publish(own)
	env.alterPublished(
		`UPDATE process_definitions SET published_by = '` + ada.UserID.String() +
			`' WHERE key = '` + key + `' AND version = 2`)
	must(t, env.svc.PublishBuiltins(env.ctx))
	if got := strings.Join(env.versionsOf(key),
		"; "); got != "2 by system false: true; 1 by system true: false" {
		t.Errorf("versions %s", got)
	}
}

// The list of risky countries is data: a country that is added goes to AML, one that is removed
// does not.
func TestCountryRiskIsConfigurable(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	eased, err := env.setCountry(ada, "IR", "")
	must(t, err)
	must(t, env.confirm(adam, eased.ProposalID))
	_, err = env.setCountry(ada, "AE", "high")
	must(t, err)
	for country, want := range map[string]domain.Status{"IR": domain.Archived,
		"AE": domain.InReview} {
		text := strings.ReplaceAll(string(invoiceXML("120.00", "C-"+country)), "<ram:CountryID>DE",
			"<ram:CountryID>"+country)
		if country == "IR" { // a country without IBANs
			text = strings.ReplaceAll(string(riskyXML("C-"+country)), "<ram:CountryID>IR",
				"<ram:CountryID>"+country)
		}
		env.reader.xml = []byte(strings.Replace(text, "DE89370400440532013000",
			"AE070331234567890123456", 1))
		env.approvedBefore("Werk C-"+country+" GmbH", "remittance", "")
		id := env.submitTo(sam, "cross_border_remittance", "remittance", country)
		if c := env.caseByID(id); c.Status != want ||
			want == domain.InReview && env.openReview(id).Node != "review_aml" {
			t.Errorf("%s: %s at %+v", country, c.Status, c.Marking.Tokens)
		}
	}
}

// riskyXML returns a clean order to its own payee in a high-risk country without IBANs.
func riskyXML(number string) []byte {
	text := strings.ReplaceAll(string(invoiceXML("120.00", number)), "<ram:CountryID>DE",
		"<ram:CountryID>IR")
	text = strings.Replace(text, "<ram:IBANID>DE89370400440532013000</ram:IBANID>", "", 1)
	return []byte(strings.Replace(text, "Muster Werke", "Werk "+number, 1))
}
