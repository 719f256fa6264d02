package casework_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/workflow"
)

// versionsOf are the published versions of a process, newest first, and whether each asks the rule for the country.
func (w *world) versionsOf(key string) (list []string) {
	w.t.Helper()
	rows, err := w.db.Reader().Definitions(w.ctx)
	must(w.t, err)
	for _, row := range rows {
		if row.Key == key {
			list = append(list, fmt.Sprintf("%d by system %v: %v", row.Version, row.PublishedBy == domain.SystemUserID, strings.Contains(row.Document, "exists(f, f.rule")))
		}
	}
	return list
}

// earlier makes the database one that an earlier program left: its own text is version 1 of the process.
func (w *world) earlier(key string) (now string) {
	w.t.Helper()
	row, err := w.db.Reader().Definition(w.ctx, key, 1)
	must(w.t, err)
	older := strings.Replace(row.Document, `findings.exists(f, f.rule == "high_risk_country")`, `country in ["IR", "KP", "MM"]`, 1)
	if older == row.Document {
		w.t.Fatal("the built-in process has changed: say here what the earlier one was")
	}
	w.alter(`UPDATE process_definitions SET document = $doc$` + older + `$doc$ WHERE key = '` + key + `' AND version = 1`)
	return row.Document
}

// alter changes what is published, which nobody may.
func (w *world) alter(statement string) {
	w.t.Helper()
	for _, one := range []string{`ALTER TABLE process_definitions DISABLE TRIGGER USER`, statement, `ALTER TABLE process_definitions ENABLE TRIGGER USER`} {
		_, err := w.owner.Exec(w.ctx, one)
		must(w.t, err)
	}
}

// A database of an earlier program: its cases go on by what they began with, new ones take the new text as the next version,
// and publishing again, by this program or by the earlier one, adds nothing.
func TestAChangedBuiltinBecomesTheNextVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const key = "cross_border_remittance"
	sam, al := w.person("sam", domain.RoleSubmitter), w.aml("al")
	now := w.earlier(key)
	w.desk.xml = riskyXML("B-1")
	before := w.submitTo(sam, key, "remittance", "before")
	for range 2 {
		must(t, w.hall.PublishBuiltins(w.ctx))
	}
	if got := strings.Join(w.versionsOf(key), "; "); got != "2 by system true: true; 1 by system true: false" {
		t.Fatalf("versions %s", got)
	}
	row, err := w.db.Reader().Definition(w.ctx, key, 2)
	must(t, err)
	if row.Document != string(workflow.WithVersion([]byte(now), 2)) {
		t.Errorf("version 2 is\n%s", row.Document)
	}
	w.desk.xml = riskyXML("B-2")
	after := w.submitTo(sam, key, "remittance", "after")
	for id, version := range map[domain.ID]int{before: 1, after: 2} {
		if c := w.kase(id); c.ProcessVersion != version {
			t.Errorf("the case is of version %d, want %d", c.ProcessVersion, version)
		}
		must(t, w.settle(al, id, "review_aml", domain.Approve))
		w.at(id, domain.Archived)
	}
	w.verifyStream(domain.DefinitionStream(key), 2)
}

// Where people have published a version of their own, theirs stays in force.
func TestOwnVersionsStayThoughTheBuiltinChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const key = "cross_border_remittance"
	now := w.earlier(key)
	ada := w.person("ada", domain.RoleAdmin)
	own := strings.Replace(string(workflow.WithVersion([]byte(now), 2)), "{en: Cross-border remittance,", "{en: Our remittances,", 1)
	w.publish(own)
	w.alter(`UPDATE process_definitions SET published_by = '` + ada.UserID.String() + `' WHERE key = '` + key + `' AND version = 2`)
	must(t, w.hall.PublishBuiltins(w.ctx))
	if got := strings.Join(w.versionsOf(key), "; "); got != "2 by system false: true; 1 by system true: false" {
		t.Errorf("versions %s", got)
	}
}

// The list of countries is data: one that is put on it goes to AML, one that is taken off does not.
func TestTheListOfCountriesIsData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	must(t, w.hall.SetCountryRisk(w.ctx, domain.SystemActor(), "IR", ""))
	must(t, w.hall.SetCountryRisk(w.ctx, domain.SystemActor(), "AE", "high"))
	for country, end := range map[string]domain.Status{"IR": domain.Archived, "AE": domain.InReview} {
		w.desk.xml = []byte(strings.ReplaceAll(string(riskyXML("C-"+country)), "<ram:CountryID>IR", "<ram:CountryID>"+country))
		id := w.submitTo(sam, "cross_border_remittance", "remittance", country)
		if c := w.kase(id); c.Status != end || end == domain.InReview && w.openReview(id).Node != "review_aml" {
			t.Errorf("%s: %s at %+v", country, c.Status, c.Marking.Tokens)
		}
	}
}

// riskyXML is a clean order to a payee of its own in a high-risk country without IBANs.
func riskyXML(number string) []byte {
	text := strings.ReplaceAll(string(invoiceXML("120.00", number)), "<ram:CountryID>DE", "<ram:CountryID>IR")
	text = strings.Replace(text, "<ram:IBANID>DE89370400440532013000</ram:IBANID>", "", 1)
	return []byte(strings.Replace(text, "Muster Werke", "Werk "+number, 1))
}
