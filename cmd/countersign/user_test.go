package main

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// personRow is a person of user list --json.
type personRow struct {
	ID, Email, Name, Locale string
	Disabled                bool
	Roles, Queues           []string
}

func (o *operatorTool) people() []personRow {
	o.t.Helper()
	var rows []personRow
	o.decoded(&rows, "user", "list")
	return rows
}

// A command about roles leaves the queues alone and vice versa, and an empty value removes all.
func TestRolesAndQueuesChangeApart(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	bob := o.person("bob", domain.RoleL1)
	for _, step := range []struct{ args, roles, queues string }{
		{"--queue L1,L2", "reviewer_l1", "L1,L2"},
		{"--role reviewer_l2,manager", "manager,reviewer_l2", "L1,L2"},
		{"--queue=", "manager,reviewer_l2", ""},
		{"--role=", "", ""},
		{"", "", ""},
		{"--role submitter --queue L2", "submitter", "L2"},
	} {
		var changed personRow
		o.decoded(&changed, append([]string{"user", "set", strings.ToUpper(anna)},
			strings.Fields(step.args)...)...)
		people := o.people()
		listed := people[slices.IndexFunc(people, func(p personRow) bool { return p.Email == anna })]
		for _, row := range []personRow{changed, listed} {
			if row.Roles == nil || row.Queues == nil ||
				strings.Join(row.Roles, ",") != step.roles ||
				strings.Join(row.Queues, ",") != step.queues {
				t.Errorf("%s: %+v", step.args, row)
			}
		}
		if other := people[slices.IndexFunc(people, func(p personRow) bool {
			return p.Email == bob
		})]; !slices.Equal(other.Roles, []string{"reviewer_l1"}) {
			t.Errorf("%s changed another person: %+v", step.args, other)
		}
	}
	o.refused(exitUsage, `Unknown role "boss".`, "user", "set", anna, "--role", "boss")
	if got := o.ok("user", "set", anna); got !=
		anna+"  roles: submitter  queues: L2  active\n" {
		t.Errorf("%q", got)
	}
}

// Disabling and enabling twice is the same as once, and changes nothing else.
func TestAccountsAreDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	for _, command := range []string{"disable", "disable", "enable", "enable"} {
		var row personRow
		o.decoded(&row, "user", command, anna)
		if row.Disabled != (command == "disable") || row.Name != "anna" ||
			!slices.Equal(row.Roles, []string{"reviewer_l1"}) ||
			!slices.Equal(row.Queues, []string{"L1"}) {
			t.Errorf("%s: %+v", command, row)
		}
	}
	o.ok("user", "disable", anna)
	if table := o.ok("user", "list"); !strings.Contains(table, "L1      disabled\n") {
		t.Errorf("the table is\n%s", table)
	}
	for _, args := range [][]string{{"set"}, {"disable"}, {"enable"}} {
		o.refused(exitFailed, "No person has the e-mail address x@example.test.", "user", args[0],
			"x@example.test")
	}
}

// A second account with the same address is refused, in whatever case it is written, and does not
// replace the first person's roles or password.
func TestAddressesAreUnique(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	var added struct{ ID, Email, Password string }
	o.decoded(&added, "user", "add", "Anna@Example.test", "--name", "Anna", "--role", "reviewer_l1",
		"--queue", "L1", "--locale", "zh")
	if added.ID == "" || len(added.Password) < 16 {
		t.Fatalf("%+v", added)
	}
	hash := func() (hash string) {
		o.operator(func(op *operator) {
			var err error
			if _, hash, err = op.db.Reader().UserByEmail(t.Context(), "anna@example.test"); err != nil {
				t.Fatal(err)
			}
		})
		return hash
	}
	before := hash()
	o.refused(exitUsage, "anna@example.test already has an account.", "user", "add",
		"ANNA@example.test", "--name", "Other", "--role", "administrator")
	people := o.people()
	if len(people) != 1 || people[0].Name != "Anna" || people[0].Locale != "zh" ||
		!slices.Equal(people[0].Roles, []string{"reviewer_l1"}) || hash() != before ||
		strings.Contains(before, added.Password) {
		t.Errorf("the people are %+v", people)
	}
	for args, message := range map[string]string{
		"x --name X":                          `"x" is not an e-mail address.`,
		"x@example.test --name X --role boss": `Unknown role "boss".`,
	} {
		o.refused(exitUsage, message, append([]string{"user", "add"}, strings.Fields(args)...)...)
	}
	if code, _, messages := o.run("user", "add", "x@example.test"); code != exitUsage ||
		!strings.Contains(messages, "--name") {
		t.Errorf("without a name: exit code %d: %s", code, messages)
	}
	if people := o.people(); len(people) != 1 {
		t.Errorf("a refused person was added: %+v", people)
	}
}

// Generated passwords differ and are long enough to sign in with.
func TestGeneratedPasswords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		password := randomPassword()
		if len(password) != 20 || seen[password] || strings.ContainsAny(password, " \n") {
			t.Fatalf("%q is not a new password", password)
		}
		seen[password] = true
	}
}

// Without a database, or with one that is not reachable, every operator's command says so.
func TestOperatorsNeedADatabase(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"user list", "user set x", "user disable x", "token list x",
		"token create x --name n", "limit list", "limit set manager 3", "rate list", "rate seed EUR 1",
		"country list", "conflict list",
		"conflict declare x y --reason z", "audit verify", "doctor"} {
		args := strings.Fields(command)
		if code, output := runCommand(t, args...); code != exitUsage || !strings.HasPrefix(output,
			"countersign: No database is configured. Set DATABASE_URL.") {
			t.Errorf("%s: exit code %d: %s", command, code, output)
		}
	}
	if code, output := runCommand(t, "migrate"); code != exitUsage || !strings.HasPrefix(output,
		"countersign: No database is configured. Set MIGRATE_DATABASE_URL") {
		t.Errorf("migrate: exit code %d: %s", code, output)
	}
}
