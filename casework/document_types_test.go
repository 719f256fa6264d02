package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// documentType returns the newest text of a document type.
func (env *testEnv) documentType(key string) string {
	env.t.Helper()
	version, err := env.db.Reader().NewestDocumentType(env.ctx, key)
	must(env.t, err)
	row, err := env.db.Reader().DocumentType(env.ctx, key, version)
	must(env.t, err)
	return row.Document
}

// publishType proposes a document type as one administrator and publishes it as another.
func (env *testEnv) publishType(by, second domain.Actor, document string) error {
	env.t.Helper()
	proposed, err := env.svc.ProposeDocumentType(env.ctx, by, casework.Propose{Document: document})
	if err != nil {
		return err
	}
	_, err = env.svc.PublishDocumentType(env.ctx, second,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	return err
}

// acceptRefunds publishes the type of refunds, and a version of document_approval that accepts them.
func (env *testEnv) acceptRefunds(by, second domain.Actor) {
	env.t.Helper()
	must(env.t, env.publishType(by, second, refundType))
	sources, err := workflow.Builtin()
	must(env.t, err)
	for _, source := range sources {
		if source.Key == "document_approval" {
			env.publish(strings.NewReplacer("version: 1", "version: 2",
				"document_types: [invoice, receipt]", "document_types: [invoice, receipt, refund]").
				Replace(string(source.YAML)))
		}
	}
}

// withoutField returns the text of a document type without the line of a field.
func withoutField(document, field string) string {
	lines := strings.Split(document, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "  - {name: "+field)
	}), "\n")
}

const refundType = `key: refund
title: {en: Refund, zh: 退款}
fields:
  - {name: vendor, required: true}
  - {name: number}
  - {name: date}
  - {name: currency}
  - {name: total, required: true}
  - {name: iban}
  - {name: country}
  - name: reason_code
    type: choice
    label: {en: Reason, zh: 原因}
    required: true
    labels: [Reason]
    options:
      - {value: damaged, label: {en: Damaged, zh: 损坏}}
      - {value: late, label: {en: Late, zh: 迟到}}
  - name: ticket
    type: text
    label: {en: Ticket, zh: 工单}
    labels: [Ticket]
    max_length: 12
`

// One administrator alone publishes nothing, and two publish no type without the amount that the
// limits of a process apply to, or without a field that its rules read.
func TestTypeWithoutItsAmountIsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	invoice := env.documentType("invoice")
	for field, named := range map[string]string{"total": "document_approval",
		"currency": "document_approval", "vendor": "document_approval",
		"iban": "document_approval", "due_date": "rule date_order", "net": "rule arithmetic"} {
		err := env.publishType(ada, abe, withoutField(invoice, field))
		wantCode(t, err, domain.UnsoundDefinition)
		if err == nil || !strings.Contains(err.Error(), named) ||
			!strings.Contains(err.Error(), "has no field") {
			t.Errorf("without %s: %v", field, err)
		}
	}
	proposed, err := env.svc.ProposeDocumentType(env.ctx, ada, casework.Propose{Document: invoice})
	must(t, err)
	_, err = env.svc.PublishDocumentType(env.ctx, ada,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	wantCode(t, err, domain.FourEyes)
	sam := env.person("sam", domain.RoleSubmitter)
	_, err = env.svc.ProposeDocumentType(env.ctx, sam, casework.Propose{Document: invoice})
	wantCode(t, err, domain.NotPermitted)
	if _, err = env.owner.Exec(env.ctx, `INSERT INTO document_types (key, version, document,
		published_by) VALUES ('invoice', 9, 'x', $1)`, ada.UserID); err == nil {
		t.Error("the database accepts a version without a proposal")
	}
}

// A submission cannot choose a type without the fields that the process depends on.
func TestSubmissionOfTypeWithoutAmountIsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.publish("key: any_type\nversion: 1\ntitle: {en: A}\n" + anySteps)
	_, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{
		Process: "any_type", DocumentType: "content", File: upload("one")})
	wantCode(t, err, domain.InvalidInput)
	if err == nil || !strings.Contains(err.Error(), "has no field total") {
		t.Errorf("%v", err)
	}
	ada, abe := env.admins()
	must(t, env.publishType(ada, abe, strings.Replace(refundType, "  - {name: total, required: true}\n",
		"", 1)))
	_, err = env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{
		Process: "any_type", DocumentType: "refund", File: upload("two")})
	wantCode(t, err, domain.InvalidInput)
}

// A process whose type lacks a needed fact or an amount is not published; nor is a rule set that
// reads a field which no type has.
func TestProcessAndRulesNeedTheFieldsOfTheirTypes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	must(t, env.publishType(ada, abe, strings.Replace(refundType, "  - {name: currency}\n", "", 1)))
	row, err := env.db.Reader().Definition(env.ctx, "document_approval", 1)
	must(t, err)
	process := strings.Replace(row.Document, "document_types: [invoice, receipt]",
		"document_types: [invoice, refund]", 1)
	_, err = env.svc.ProposeProcess(env.ctx, ada, casework.Propose{Document: process})
	wantCode(t, err, domain.UnsoundDefinition)
	if err == nil || !strings.Contains(err.Error(), "refund has no field currency") {
		t.Errorf("%v", err)
	}
	must(t, env.publishType(ada, abe, refundType))
	rule := `key: refund
title: {en: Refunds, zh: 退款}
document_types: [refund]
rules:
  - id: late
    title: {en: Late, zh: 迟到}
    phase: risk
    severity: warning
    score: 5
    asks: {en: "Is it late?", zh: "是否迟到？"}
    when: '"%s" in fields && fields.%[1]s == "late"'
    message: {en: "It is late.", zh: "迟到。"}
`
	must(t, errOf(env.svc.ProposeRuleSet(env.ctx, ada, casework.Propose{
		Document: fmt.Sprintf(rule, "reason_code")})))
	_, err = env.svc.ProposeRuleSet(env.ctx, ada, casework.Propose{
		Document: fmt.Sprintf(rule, "reason_kode")})
	wantCode(t, err, domain.UnsoundDefinition)
	if err == nil || !strings.Contains(err.Error(), "reason_kode") {
		t.Errorf("%v", err)
	}
}

// A running case keeps the version of its type: a field of a later version is refused there, and one
// that the later version dropped stays.
func TestRunningCaseKeepsItsDocumentType(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	ada, abe := r.admins()
	r.acceptRefunds(ada, abe)
	r.reader.lines = []string{"Acme Trading", "REFUND", "Invoice number: P-1234",
		"Invoice date: 2026-11-02", "Reason: Late", "Ticket: T-77", "Total USD 700.00"}
	id := r.submitDeclared(r.sam, "document_approval", "refund", "700", "USD", "DE")
	must(t, r.publishType(ada, abe, strings.Replace(refundType, "name: ticket", "name: parcel", 1)))
	c := r.caseByID(id)
	if c.DocumentTypeVersion != 1 {
		t.Fatalf("the case has version %d", c.DocumentTypeVersion)
	}
	fields := map[string]domain.Field{}
	rows, err := r.db.Reader().Fields(r.ctx, id)
	must(t, err)
	for _, row := range rows {
		fields[row.Name] = row.Field
	}
	if fields["reason_code"].Normalised != "late" || fields["ticket"].Normalised != "T-77" ||
		fields["ticket"].Source != domain.SourceOCR {
		t.Fatalf("fields: %+v", fields)
	}
	if _, invented := fields["vat_id"]; invented {
		t.Error("a field that the type does not have was extracted")
	}
	review := r.claim(r.jan, id)
	set := func(name, value string) error {
		return errOf(r.svc.CorrectFields(r.ctx, r.jan, casework.CorrectFields{
			ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Confirm: true,
			Fields: []casework.FieldInput{{Name: name, Value: value}}}))
	}
	for name, value := range map[string]string{"parcel": "P-1", "due_date": "2026-12-01",
		"__proto__": "x", "reason_code": "unknown", "ticket": strings.Repeat("9", 13)} {
		wantCode(t, set(name, value), domain.InvalidInput)
	}
	must(t, set("ticket", "T-77"))
	if _, err = r.owner.Exec(r.ctx, `UPDATE cases SET document_type_version = 2 WHERE id = $1`,
		id); err == nil {
		t.Error("the database changes the document type of a case")
	}
}

// One person corrects a machine's reading of an own field to what the page shows; another value, and
// one that replaces what a person stated, needs a second person.
func TestCorrectionOfAnOwnField(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	ada, abe := r.admins()
	r.acceptRefunds(ada, abe)
	r.reader.lines = []string{"Acme Trading", "REFUND", "Invoice number: P-1234",
		"Invoice date: 2026-11-02", "Reason: Late", "Ticket: T-77", "Parcel T-78 of 2",
		"Total USD 700.00"}
	id := r.submitDeclared(r.sam, "document_approval", "refund", "700", "USD", "DE")
	correct := func(by domain.Actor, value string) {
		t.Helper()
		review := r.openReview(id)
		if review.Assignee != by.UserID || review.Status != domain.ReviewClaimed {
			review = r.claim(by, id)
		}
		must(t, errOf(r.svc.CorrectFields(r.ctx, by, casework.CorrectFields{
			ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Confirm: true,
			Fields: []casework.FieldInput{{Name: "ticket", Value: value}}})))
	}
	differs := func() bool { return slices.Contains(r.caseByID(id).DifferingFields, "ticket") }
	correct(r.jan, "T-78")
	if differs() {
		t.Fatal("a reading corrected to what the page shows needs a second person")
	}
	correct(r.jan, "T-79")
	if !differs() {
		t.Fatal("a value that the page does not show counts alone")
	}
}

// A required own field that is missing is reported like the others, and is not certain.
func TestMissingOwnFieldIsReported(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	ada, abe := r.admins()
	r.acceptRefunds(ada, abe)
	r.reader.lines = []string{"Acme Trading", "REFUND", "Total USD 700.00"}
	id := r.submitDeclared(r.sam, "document_approval", "refund", "700", "USD", "DE")
	found := r.finding(id, "required_missing")
	if found == nil || !strings.Contains(found.Evidence["fields"], "reason_code") ||
		strings.Contains(found.Evidence["fields"], "number") {
		t.Errorf("%+v", found)
	}
}

// A document of a type that states which kinds it accepts is stopped if it looks like none of them; of
// a type that states none, no document is judged.
func TestAcceptedKindsOfADocumentType(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	sam := env.person("sam", domain.RoleSubmitter)
	receipt := []string{"Hafen Logistik GmbH", "RECEIPT", "Date: 2026-11-02", "Total EUR 42.00"}
	order := []string{"Purchase order", "Hafen Logistik GmbH", "2026-11-02", "Total EUR 43.00"}
	env.acceptRefunds(ada, abe)
	for _, lines := range [][]string{articleLines(), order} {
		if id := env.submitLines(sam, "refund", lines...); env.finding(id,
			"document_type_mismatch") != nil {
			t.Errorf("%q is judged", lines[0])
		}
	}
	must(t, env.publishType(ada, abe, strings.Replace(refundType, "fields:",
		"accepts: [receipt, invoice]\nfields:", 1)))
	for _, row := range []struct {
		lines []string
		stops bool
	}{{articleLines(), true}, {order, true}, {receipt, false}} {
		id := env.submitLines(sam, "refund", row.lines...)
		found := env.finding(id, "document_type_mismatch")
		if row.stops != (found != nil && found.Severity == domain.SeverityBlocking) {
			t.Errorf("%q: %+v", row.lines[0], found)
		}
		if row.stops {
			env.requireState(id, domain.InReview, "review_l1")
		}
	}
}
