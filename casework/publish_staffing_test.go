package casework_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

func (env *testEnv) staffingProblems(key string) []workflow.Problem {
	env.t.Helper()
	known, err := env.db.Reader().Staffings(env.ctx)
	must(env.t, err)
	for _, one := range known {
		if one.Key == key {
			var problems []workflow.Problem
			must(env.t, json.Unmarshal(one.Problems, &problems))
			return problems
		}
	}
	env.t.Fatalf("nothing is known of %s", key)
	return nil
}

// Whether there are enough people is asked again when rights change, and not while they do not.
func TestStaffingCheckedOnPermissionChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	changed, err := env.svc.CheckStaffing(env.ctx, false)
	must(t, err)
	if !slices.Contains(changed, "document_approval") || len(env.staffingProblems("document_approval")) == 0 {
		t.Errorf("without anybody: %v", changed)
	}
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil || len(changed) != 0 {
		t.Errorf("asked again for nothing: %v %v", changed, err)
	}
	lea := env.person("lea", domain.RoleSenior)
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil || !slices.Contains(changed, "document_approval") || len(env.staffingProblems("document_approval")) != 0 {
		t.Errorf("with one: %v %v", changed, err)
	}
	// Whoever may submit too is one decider less for a document of their own.
	user, err := env.db.Reader().User(env.ctx, lea.UserID)
	must(t, err)
	user.Roles = append(user.Roles, domain.RoleSubmitter)
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil || !slices.Contains(changed, "document_approval") {
		t.Errorf("with one who submits: %v %v", changed, err)
	}
	if short := env.staffingProblems("document_approval"); len(short) == 0 || short[0].Node != "review_l1" {
		t.Errorf("the way: %+v", short)
	}
}

// The consistency check names a published version that no longer reads.
func TestConsistencyCheckReportsInvalidDefinition(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	_, err := env.owner.Exec(env.ctx, `INSERT INTO process_definitions (key, version, document, published_by) VALUES ('torn', 1, 'key: torn', $1)`, domain.SystemUserID)
	must(t, err)
	found, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}})
	must(t, err)
	if !slices.ContainsFunc(found, func(d casework.Inconsistency) bool {
		return d.Kind == casework.UnsoundDefinition && d.Object == "torn 1"
	}) {
		t.Errorf("found %+v", found)
	}
}

// noFiles is an empty store of files.
type noFiles struct{}

func (noFiles) Walk(context.Context, func(string, time.Time) error) error { return nil }
func (noFiles) Has(context.Context, string) (bool, error)                 { return false, nil }
func (noFiles) Remove(context.Context, string) error                      { return nil }
