package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// operatorKey makes and enrolls a key, and returns its file.
func (o *operatorTool) operatorKey(name string) string {
	o.t.Helper()
	file := filepath.Join(o.t.TempDir(), name)
	o.ok("operator", "keygen", file)
	o.ok("operator", "enroll", name, file+".pub")
	return file
}

// waiting executes a command whose change must wait, and returns the id of the request.
func (o *operatorTool) waiting(args ...string) string {
	o.t.Helper()
	code, out, messages := o.run(append([]string{"--json"}, args...)...)
	var request struct{ ID, Status string }
	decode(o.t, out, &request)
	if code != exitWaiting || request.Status != "requested" {
		o.t.Fatalf("%v: exit code %d, output %q, messages %q", args, code, out, messages)
	}
	return request.ID
}

// After the setup one operator waits for another one; before it the commands act immediately.
func TestSecondOperator(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	one, two := o.operatorKey("one"), o.operatorKey("two")
	o.ok("user", "add", "ada@example.test", "--name", "ada", "--role", "administrator")
	o.ok("user", "add", "rita@example.test", "--name", "Rita", "--role", "reviewer_l1")
	o.operator(func(op *operator) {
		err := op.db.InTx(t.Context(), func(tx *store.Tx) error { return tx.EndSetup(t.Context(), -time.Second) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := op.service.PutUser(t.Context(), domain.SystemActor(), casework.PutUser{User: domain.User{
			Email: "adam@example.test", Name: "adam", Roles: []domain.Role{domain.RoleAdmin}}}); err != nil {
			t.Fatal(err)
		}
	})
	o.refused(exitUsage, "Enter a reason", "user", "set", "rita@example.test", "--role", "administrator")
	request := o.waiting("user", "set", "rita@example.test", "--role", "reviewer_l1,administrator", "--reason",
		"an emergency", "--key", one)
	o.refused(exitFailed, "The key one has signed this request already.", "operator", "approve", request, "--key", one)
	if list := o.ok("operator", "requests"); !strings.Contains(list, request) || !strings.Contains(list, "one") {
		t.Errorf("the list is %q", list)
	}
	o.waiting("token", "create", "ada@example.test", "--name", "x", "--reason", "an emergency")
	o.waiting("user", "password", "ada@example.test", "--reason", "an emergency")
	o.waiting("limit", "set", "reviewer_l1", "unlimited", "--reason", "an emergency")
	o.waiting("user", "disable", "ada@example.test", "--reason", "an emergency")
	if out := o.ok("operator", "approve", request, "--key", two); !strings.Contains(out, "in effect: rita@example.test") {
		t.Errorf("approved: %q", out)
	}
	if out := o.ok("operator", "withdraw", request, "--reason", "over"); !strings.Contains(out, "ended") {
		t.Errorf("withdrawn: %q", out)
	}
	if list := o.ok("user", "list"); !strings.Contains(list, "Rita  reviewer_l1  ") {
		t.Errorf("after taking it back: %q", list)
	}
	o.ok("user", "disable", "rita@example.test")
	o.refused(exitUsage, "The file", "operator", "approve", request, "--key", one+".pub")
	o.ok("operator", "revoke", "one")
	if keys := o.ok("operator", "keys"); !strings.Contains(keys, "countersign-operator-public:") {
		t.Errorf("keys: %q", keys)
	}
	// The private key stays as it is.
	o.refused(exitUsage, "The file "+one+" already exists.", "operator", "keygen", one)
}
