package casework_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// authorityTampering changes a row that decides who may do what, and undoes the change. %[1]s is the
// reviewer and %[2]s their delegate.
type authorityTampering struct{ name, do, undo, want string }

var authorityTamperings = []authorityTampering{
	{"a role added", `INSERT INTO user_roles VALUES ('%[1]s', 'manager')`,
		`DELETE FROM user_roles WHERE user_id = '%[1]s' AND role = 'manager'`,
		`its roles are ["manager" "reviewer_l1"], by the events ["reviewer_l1"]`},
	{"a role taken", `DELETE FROM user_roles WHERE user_id = '%[1]s'`,
		`INSERT INTO user_roles VALUES ('%[1]s', 'reviewer_l1')`, `its roles are [], by the events ["reviewer_l1"]`},
	{"a queue added", `INSERT INTO user_queues VALUES ('%[1]s', 'aml')`,
		`DELETE FROM user_queues WHERE user_id = '%[1]s' AND queue = 'aml'`, "its queues are"},
	{"a skill added", `INSERT INTO user_skills VALUES ('%[1]s', 'latin')`,
		`DELETE FROM user_skills WHERE user_id = '%[1]s' AND skill = 'latin'`,
		`its skills are ["french" "latin"], by the events ["french"]`},
	{"an account enabled", `UPDATE users SET disabled = false WHERE id = (SELECT id FROM users WHERE email LIKE 'gone@%%')`,
		`UPDATE users SET disabled = true WHERE id = (SELECT id FROM users WHERE email LIKE 'gone@%%')`,
		"the events disable it, but it is enabled"},
	{"an account disabled", `UPDATE users SET disabled = true WHERE id = '%[1]s'`,
		`UPDATE users SET disabled = false WHERE id = '%[1]s'`, "it is disabled, but no event disables it"},
	{"the account of the system enabled", `UPDATE users SET disabled = false WHERE email = 'system@localhost'`,
		`UPDATE users SET disabled = true WHERE email = 'system@localhost'`, "the events disable it"},
	{"an employee id set", `UPDATE users SET employee_id = '1001' WHERE id = '%[1]s'`,
		`UPDATE users SET employee_id = NULL WHERE id = '%[1]s'`, `its employee id is "1001", by the events ""`},
	{"an address changed", `UPDATE users SET email = 'thief@example.com' WHERE id = '%[1]s'`,
		`UPDATE users SET email = (SELECT email FROM kept_email) WHERE id = '%[1]s'`,
		"its address is thief@example.com, by the events"},
	{"an account added", `INSERT INTO users (id, person, email, name)
		VALUES ('00000000-0000-7000-8000-00000000beef', '00000000-0000-7000-8000-00000000beef', 'x@example.com', 'X')`,
		`DELETE FROM users WHERE email = 'x@example.com'`, "the account x@example.com (00000000-0000-7000-8000-00000000beef) was added"},
	{"an account deleted", `UPDATE users SET id = '00000000-0000-7000-8000-00000000dead' WHERE id = '%[1]s'`,
		`UPDATE users SET id = '%[1]s' WHERE id = '00000000-0000-7000-8000-00000000dead'`, "the account %[1]s is missing"},
	{"a limit raised", `UPDATE limits SET base_minor = base_minor + 1 WHERE role = 'reviewer_l1'`,
		`UPDATE limits SET base_minor = base_minor - 1 WHERE role = 'reviewer_l1'`,
		"the limit of the role reviewer_l1 was changed: it is part of every new installation"},
	{"a changed limit raised", `UPDATE limits SET unlimited = true WHERE role = 'reviewer_senior'`,
		`UPDATE limits SET unlimited = false WHERE role = 'reviewer_senior'`,
		"the limit of the role reviewer_senior was changed: the row differs from event"},
	{"a limit added", `INSERT INTO limits VALUES ('submitter', 'decide', '', true, 0)`,
		`DELETE FROM limits WHERE role = 'submitter'`, "the limit of the role submitter was added"},
	{"a limit deleted", `DELETE FROM limits WHERE role = 'reviewer_aml'`,
		`INSERT INTO limits VALUES ('reviewer_aml', 'decide', '', true, 0)`,
		"the limit of the role reviewer_aml is missing"},
	{"a conflict ended", `UPDATE conflicts SET ended_at = '2100-01-01' WHERE ended_at IS NULL`,
		`UPDATE conflicts SET ended_at = NULL WHERE ended_at = '2100-01-01'`, "is missing: the row differs from event"},
	{"a conflict moved", `UPDATE conflicts SET person = '%[2]s' WHERE person = '%[1]s'`,
		`UPDATE conflicts SET person = '%[1]s' WHERE person = '%[2]s'`, "of %[2]s was changed"},
	{"a delegation widened", `UPDATE delegations SET base_minor = NULL, queues = '{}'`,
		`UPDATE delegations SET base_minor = 100, queues = '{L1}'`, "the delegation"},
	{"a delegation prolonged", `UPDATE delegations SET valid_until = valid_until + interval '1 day'`,
		`UPDATE delegations SET valid_until = valid_until - interval '1 day'`, "from %[1]s to %[2]s was changed"},
	{"a delegation given to another", `UPDATE delegations SET giver = taker, taker = giver`,
		`UPDATE delegations SET giver = taker, taker = giver`, "was changed"},
	{"a process altered", `UPDATE process_definitions SET document = document || ' ' WHERE key = 'document_approval'`,
		`UPDATE process_definitions SET document = left(document, -1) WHERE key = 'document_approval'`,
		"of the process document_approval was changed"},
	{"a process added", `INSERT INTO process_definitions (key, version, document, published_by)
		SELECT key, 99, document, published_by FROM process_definitions LIMIT 1`,
		`DELETE FROM process_definitions WHERE version = 99`, "version 99 of the process"},
	{"a rule set altered", `UPDATE rule_sets SET document = document || ' '`,
		`UPDATE rule_sets SET document = left(document, -1)`, "was changed"},
	{"a document type altered", `UPDATE document_types SET document = document || ' '`,
		`UPDATE document_types SET document = left(document, -1)`, "of the document type"},
	{"a policy altered", `UPDATE policies SET rules = rules #- '{0}'`,
		`UPDATE policies SET rules = (SELECT rules FROM kept_policies k WHERE k.version = policies.version)`,
		"of the policy"},
	{"a policy altered with its proposal", `UPDATE policies SET rules = rules #- '{1}' WHERE version = 2`,
		`UPDATE policies SET rules = (SELECT rules FROM kept_policies k WHERE k.version = policies.version)`,
		"version 2 of the policy"},
	{"a policy added", `INSERT INTO policies SELECT version + 7, rules, created_by FROM policies ORDER BY version LIMIT 1`,
		`DELETE FROM policies WHERE version > 7`, "of the policy"},
	{"an employee id removed", `UPDATE users SET employee_id = NULL WHERE employee_id = '2002'`,
		`UPDATE users SET employee_id = '2002' WHERE email LIKE 'gone@%%'`, `by the events "2002"`},
	{"a case without events", `INSERT INTO cases SELECT (jsonb_populate_record(c, '{"id":
		"00000000-0000-7000-8000-00000000beef", "reference": "CS-9", "last_seq": 0, "head_hash": "\\x0000000000000000000000000000000000000000000000000000000000000000"}')).* FROM cases c LIMIT 1`,
		`DELETE FROM cases WHERE id = '00000000-0000-7000-8000-00000000beef'`, "the case has no events"},
}

// Whatever the owner of the database changes in the rights of people, in limits and in published versions
// is found by the events, without a checkpoint.
func TestTamperingsWithAuthorityAreFound(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, dina, gone := env.person("rita", domain.RoleL1), env.person("dina", domain.RoleL1),
		env.person("gone", domain.RoleL2)
	env.submit(env.person("sub", domain.RoleSubmitter), "file")
	env.changeAuthority(rita, dina, gone)
	env.asAdmin(fmt.Sprintf(`CREATE TABLE kept_email AS SELECT email FROM users WHERE id = '%s'`, rita.UserID),
		`CREATE TABLE kept_policies AS SELECT * FROM policies`)
	if problems := env.verifyProblems(); problems != "" {
		t.Fatalf("an untouched record: %s", problems)
	}
	fill := func(text string) string {
		if !strings.Contains(text, "%") {
			return text
		}
		return strings.ReplaceAll(fmt.Sprintf(text+"%[1]s%[2]s", rita.UserID, dina.UserID),
			rita.UserID.String()+dina.UserID.String(), "")
	}
	for _, kind := range authorityTamperings {
		env.asAdmin(fill(kind.do))
		if problems := env.verifyProblems(); !strings.Contains(problems, fill(kind.want)) {
			t.Errorf("%s: %q, want %q", kind.name, problems, fill(kind.want))
		}
		env.asAdmin(fill(kind.undo))
		if problems := env.verifyProblems(); problems != "" {
			t.Fatalf("%s was undone, but: %s", kind.name, problems)
		}
	}
}

// changeAuthority makes each change of rights that verification follows, some twice.
func (env *testEnv) changeAuthority(rita, dina, gone domain.Actor) {
	env.t.Helper()
	system := domain.SystemActor()
	user, err := env.db.Reader().User(env.ctx, gone.UserID)
	must(env.t, err)
	for _, change := range []func(){func() { user.Disabled = true }, func() { user.Email = "gone@example.net" },
		func() { user.Disabled = false; user.Roles = append(user.Roles, domain.RoleManager) },
		func() { user.Disabled = true; user.Queues = []string{"L2"} }} {
		change()
		_, err := env.svc.PutUser(env.ctx, system, casework.PutUser{User: user})
		must(env.t, err)
	}
	for _, amount := range []int64{7, 9} {
		for _, documentType := range []string{"", "invoice"} {
			must(env.t, env.svc.SetLimit(env.ctx, system, domain.Limit{Role: domain.RoleSenior,
				Action: domain.ActDecide, DocumentType: documentType, BaseMinor: amount}))
		}
	}
	_, err = env.svc.PutLimit(env.ctx, system, casework.PutLimit{Drop: true,
		Limit: domain.Limit{Role: domain.RoleSenior, Action: domain.ActDecide, DocumentType: "invoice"}})
	must(env.t, err)
	ada, abe := env.admins()
	for _, party := range []string{"Alte Werft GmbH", "Hafen GmbH"} {
		conflict, err := env.svc.DeclareConflict(env.ctx, system, casework.DeclareConflict{
			Person: rita.UserID, Party: party, Reason: "family"})
		must(env.t, err)
		if party == "Alte Werft GmbH" {
			must(env.t, env.endConflict(ada, abe, conflict))
		}
	}
	bound := int64(100)
	for _, until := range []time.Duration{time.Hour, 2 * time.Hour} {
		result, err := env.svc.CreateDelegation(env.ctx, rita, casework.CreateDelegation{
			Delegator: rita.UserID, Delegate: dina.UserID, Until: time.Now().Add(until), Reason: "holiday",
			Scope: domain.Scope{Queues: []string{"L1"}, BaseMinor: &bound}})
		must(env.t, err)
		if until == time.Hour {
			must(env.t, env.svc.EndDelegation(env.ctx, rita, casework.EndDelegation{ID: result.ID}))
		}
	}
	_, err = env.svc.SetSkills(env.ctx, system, casework.SetSkills{Person: rita.UserID, Skills: []string{"french"}})
	must(env.t, err)
	employee := "2002"
	_, err = env.svc.PutUser(env.ctx, system, casework.PutUser{User: user, EmployeeID: &employee})
	must(env.t, err)
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{
		Document: policyText(env.t, func(d *authz.Document) { d.Rules = d.Rules[:len(d.Rules)-1] })})
	must(env.t, err)
	_, err = env.svc.PublishPolicy(env.ctx, abe, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(env.t, err)
}

// verifyProblems verifies everything without checkpoints.
func (env *testEnv) verifyProblems() string {
	env.t.Helper()
	result, err := env.newViews().Verify(env.ctx, domain.NoID)
	must(env.t, err)
	return problemsOf(result)
}
