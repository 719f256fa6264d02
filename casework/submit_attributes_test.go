package casework_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

// expense routes the expenses of sales to a committee, large ones of others to the second level, and the
// rest to one reviewer.
const expense = `
key: expense
on_abandon: seal_abandoned
attributes:
  - {name: department, type: choice, required: true, choices: [sales, finance], label: {en: Department, zh: 部门}}
  - {name: budget, type: money, currency: EUR}
  - {name: note, type: text, max_length: 30}
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: aml_needed}
  - {id: aml_needed, kind: exclusive, branches: [{when: 'findings.exists(f, f.rule == "high_risk_country")', to: aml}], default: route}
  - {id: aml, kind: review, queue: AML, duty: aml, escalate_to: "", on: {approve: route, reject: seal_rejected}}
  - {id: route, kind: exclusive, branches: [{when: 'attributes.department == "sales"', to: committee}], default: one}
  - {id: one, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: validate}}
  - {id: committee, kind: review, queue: L1, seats: 5, quorum: 3, decide_by: count, on: {approve: archive, reject: seal_rejected, return: validate}}
` + sealNodes

// submitExpense submits an invoice with attributes given as name and value in turn.
func (env *testEnv) submitExpense(
	by domain.Actor, key string, pairs ...string,
) (casework.SubmitResult, error) {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML("120.00", "E-1")
	env.reader.mu.Unlock()
	in := casework.SubmitDocument{Process: "expense", File: upload("same file"),
		Once: casework.Once{Key: key}}
	for i := 0; i < len(pairs); i += 2 {
		in.Attributes = append(in.Attributes,
			domain.StatedAttribute{Name: pairs[i], Value: pairs[i+1]})
	}
	submitted, err := env.svc.SubmitDocument(env.ctx, by, in)
	if err == nil {
		env.drainQueue()
	}
	return submitted, err
}

// submittedBody returns the event of the submission.
func (env *testEnv) submittedBody(id domain.ID) (body generated.CaseSubmittedV1) {
	env.t.Helper()
	found, err := env.db.Reader().LastEventsOfTypes(env.ctx, 100,
		[]domain.EventType{domain.CaseSubmitted}, id)
	must(env.t, err)
	must(env.t, json.Unmarshal(found[0].Body, &body))
	return body
}

// The department that the submitter states leads to the committee, is stored with the case and in the
// event of the submission, and is part of the verified record.
func TestAttributesRouteTheCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(expense)
	sam := env.person("sam", domain.RoleSubmitter)
	sales, err := env.submitExpense(sam, "", "note", "<b>财务</b> && true", "department", "sales",
		"budget", "1,200.5")
	must(t, err)
	finance, err := env.submitExpense(sam, "", "department", "finance")
	must(t, err)
	env.requireState(finance.CaseID, domain.InReview, "one")
	if c := env.caseByID(sales.CaseID); len(env.undecidedReviews(c.ID)) != 5 {
		t.Errorf("the case of sales is at %+v", c.Marking)
	}
	want := []domain.Attribute{{Name: "department", Type: domain.AttributeChoice, Value: "sales"},
		{Name: "budget", Type: domain.AttributeMoney, Value: "1200.50", Currency: "EUR"},
		{Name: "note", Type: domain.AttributeText, Value: "<b>财务</b> && true"}}
	if got := env.caseByID(sales.CaseID).Attributes; !slices.Equal(got, want) {
		t.Errorf("stored %+v", got)
	}
	for i, has := range env.submittedBody(sales.CaseID).Attributes {
		if has.Name != want[i].Name || has.Value != want[i].Value || has.Currency != want[i].Currency {
			t.Errorf("event %+v", has)
		}
	}
	members := env.members("jo", "jill", "joe")
	for _, member := range members {
		env.decideNextSeat(member, sales.CaseID, domain.Approve)
	}
	env.drainQueue()
	env.requireState(sales.CaseID, domain.Archived)
	env.verifyRows(sales.CaseID)
	if m := env.verifyManifest(sales.CaseID); !slices.Equal(m.Attributes, env.caseByID(sales.CaseID).Attributes) ||
		len(m.Attributes) == 0 {
		t.Errorf("the manifest has the attributes %+v", m.Attributes)
	}
}

// A submission that the process does not accept is refused before its file is stored; the refusal names the
// attribute. A process without attributes accepts none.
func TestAttributesThatTheProcessDoesNotAcceptAreRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(expense)
	sam := env.person("sam", domain.RoleSubmitter)
	for field, pairs := range map[string][]string{
		"attributes.department": {"budget", "5"},
		"attributes.note":       {"department", "sales", "note", strings.Repeat("长", 31)},
		"attributes.budget":     {"department", "sales", "budget", "1e9"},
		"attributes":            {"department", "sales", "channel", "mail"},
	} {
		_, err := env.submitExpense(sam, "", pairs...)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != domain.InvalidInput || refused.Field != field {
			t.Errorf("%v: %+v", pairs, err)
		}
	}
	many := make([]string, 2*100)
	_, err := env.submitExpense(sam, "", many...)
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{File: upload("x"),
		Attributes: []domain.StatedAttribute{{Name: "department", Value: "sales"}}})
	wantCode(t, err, domain.InvalidInput)
	if stored, cases := env.storedFiles(), env.queryInt(`SELECT count(*) FROM cases`); stored != 0 ||
		cases != 0 {
		t.Errorf("%d files are stored of %d cases", stored, cases)
	}
}

// A retry with another attribute is a conflict: the first case is not replaced.
func TestRetryWithOtherAttributesIsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(expense)
	sam := env.person("sam", domain.RoleSubmitter)
	first, err := env.submitExpense(sam, "k", "department", "sales")
	must(t, err)
	again, err := env.submitExpense(sam, "k", "department", "sales")
	must(t, err)
	_, err = env.submitExpense(sam, "k", "department", "finance")
	wantCode(t, err, domain.IdempotencyMismatch)
	if again.CaseID != first.CaseID || env.queryInt(`SELECT count(*) FROM cases`) != 1 {
		t.Errorf("first %v, again %v", first, again)
	}
}

// A submitter who states a department to reach a colleague gets the people of that queue with unchanged
// rules: the submitter cannot decide, a limit holds, a conflict of interest excludes, and the review for
// the country remains.
func TestAttributesChangeNoRight(t *testing.T) {
	t.Parallel()
	for _, department := range []string{"sales", "finance"} {
		env := newTestEnv(t)
		env.publish(expense)
		sam := env.person("sam", domain.RoleSubmitter, domain.RoleL1)
		friend := env.limitedReviewers(100, 100_000_000)[0]
		submitted, err := env.submitExpense(sam, "", "department", department)
		must(t, err)
		review := casework.ReviewTarget{ReviewID: env.undecidedReviews(submitted.CaseID)[0].ID}
		_, err = env.svc.ClaimReview(env.ctx, sam, review)
		wantCode(t, err, domain.OwnDocument)
		_, err = env.svc.ClaimReview(env.ctx, friend, review)
		wantCode(t, err, domain.ApprovalLimit)

		must(t, errOf(env.setCountry(env.person("ada", domain.RoleAdmin), "DE", "high")))
		risky, err := env.submitExpense(sam, "", "department", department)
		must(t, err)
		env.requireState(risky.CaseID, domain.InReview, "aml")
	}
}

// The attributes of a case never change, not even by a statement of the application; a part of its file and
// its correction have them too, the correction in a version that still accepts them.
func TestAttributesStayWithTheCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(expense)
	sam, lia := env.person("sam", domain.RoleSubmitter), env.person("lia", domain.RoleL1)
	id, err := env.submitExpense(sam, "", "department", "finance")
	must(t, err)
	want := env.caseByID(id.CaseID).Attributes
	for _, changed := range []string{`[]`, `[{"name": "department", "type": "choice", "value": "sales"}]`} {
		_, err := env.appPool().Exec(env.ctx, `UPDATE cases SET attributes = $1`, changed)
		if failure := (*pgconn.PgError)(nil); !errors.As(err, &failure) || failure.Code != "CS009" {
			t.Errorf("changed to %s: %v", changed, err)
		}
	}
	must(t, env.claimAndDecide(lia, id.CaseID, "one", domain.Approve))
	env.requireState(id.CaseID, domain.Archived)
	env.publishNext("expense", 1, "choices: [sales, finance]", "choices: [sales]")
	corrected, err := env.correctArchived(lia, id.CaseID, "k")
	must(t, err)
	env.drainQueue()
	correction := env.caseByID(corrected.CorrectionID)
	if !slices.Equal(correction.Attributes, want) || correction.ProcessVersion != 1 {
		t.Errorf("version %d with %+v", correction.ProcessVersion, correction.Attributes)
	}
}

// A part of a split file has the attributes of the whole.
func TestPartsInheritAttributes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(expense)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	env.members("jo") // decides the parts
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, invoiceLines("Alpha Supplies GmbH", "A-1001", "120.00")
	env.reader.others = [][]string{invoiceLines("Beta Trading GmbH", "B-2002", "80.00")}
	env.reader.mu.Unlock()
	whole, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{Process: "expense",
		File: upload("two"), Attributes: []domain.StatedAttribute{{Name: "department", Value: "finance"}}})
	must(t, err)
	env.drainQueue()
	env.claim(rita, whole.CaseID)
	parts, err := env.split(rita, whole.CaseID, "", twoParts...)
	must(t, err)
	for _, part := range parts.Parts {
		if got := env.caseByID(part).Attributes; !slices.Equal(got, env.caseByID(whole.CaseID).Attributes) {
			t.Errorf("a part has %+v", got)
		}
	}
}

// A running case moves to a version only if it has what that version requires.
func TestMigrationRefusesACaseWithoutARequiredAttribute(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(strings.Replace(expense, "{name: note, type: text, max_length: 30}",
		"{name: note, type: text, max_length: 30}\n  - {name: project, type: integer}", 1))
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	without, err := env.submitExpense(sam, "", "department", "finance")
	must(t, err)
	with, err := env.submitExpense(sam, "", "department", "finance", "project", "7")
	must(t, err)
	env.publishNext("expense", 1, "{name: project, type: integer}",
		"{name: project, type: integer, required: true}")
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: "expense", From: 1, To: 2})
	if progress.Count(domain.Moved) != 1 || progress.Count(domain.NotMoved) != 1 ||
		env.caseByID(with.CaseID).ProcessVersion != 2 {
		t.Errorf("progress %+v", progress.Counts)
	}
	if result := env.resultOf(progress.ID, without.CaseID); result.Reason != "attributes" {
		t.Errorf("the case without a project: %+v", result)
	}
}
