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
	staffings, err := env.db.Reader().Staffings(env.ctx)
	must(env.t, err)
	for _, staffing := range staffings {
		if staffing.Key == key {
			var problems []workflow.Problem
			must(env.t, json.Unmarshal(staffing.Problems, &problems))
			return problems
		}
	}
	env.t.Fatalf("staffing of %s was not checked", key)
	return nil
}

// Staffing is checked again when permissions change, and not otherwise.
func TestStaffingCheckedOnPermissionChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	changed, err := env.svc.CheckStaffing(env.ctx, false)
	must(t, err)
	if !slices.Contains(changed, "document_approval") ||
		len(env.staffingProblems("document_approval")) == 0 {
		t.Errorf("without reviewers: %v", changed)
	}
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil || len(changed) != 0 {
		t.Errorf("checked again without a change: %v %v", changed, err)
	}
	lea := env.person("lea", domain.RoleSenior)
	changed, err = env.svc.CheckStaffing(env.ctx, false)
	alone := env.staffingProblems("document_approval")
	if err != nil || !slices.Contains(changed, "document_approval") || len(alone) == 0 ||
		slices.ContainsFunc(alone,
			func(p workflow.Problem) bool { return p.Rule != "no_second_person" }) {
		t.Errorf("with one reviewer: %v %v %+v", changed, err, alone)
	}
	leo := env.person("leo", domain.RoleSenior)
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil ||
		!slices.Contains(changed, "document_approval") ||
		len(env.staffingProblems("document_approval")) != 0 {
		t.Errorf("with two reviewers: %v %v", changed, err)
	}
	// Removing the second person warns again.
	off, err := env.db.Reader().User(env.ctx, leo.UserID)
	must(t, err)
	off.Disabled = true
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: off})
	must(t, err)
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil ||
		!slices.Contains(changed, "document_approval") ||
		len(env.staffingProblems("document_approval")) == 0 {
		t.Errorf("without the second reviewer: %v %v", changed, err)
	}
	// A reviewer who may also submit is not available for their own documents.
	user, err := env.db.Reader().User(env.ctx, lea.UserID)
	must(t, err)
	user.Roles = append(user.Roles, domain.RoleSubmitter)
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	if changed, err = env.svc.CheckStaffing(env.ctx, false); err != nil ||
		!slices.Contains(changed, "document_approval") {
		t.Errorf("with a reviewer who submits: %v %v", changed, err)
	}
	if short := env.staffingProblems("document_approval"); len(short) == 0 ||
		!slices.ContainsFunc(short,
			func(p workflow.Problem) bool { return p.Node == "review_l1" }) {
		t.Errorf("understaffed: %+v", short)
	}
}

// The consistency check reports a published version that no longer parses.
func TestConsistencyCheckReportsInvalidDefinition(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	_, err := env.owner.Exec(env.ctx,
		`INSERT INTO process_definitions (key, version, document, published_by) VALUES ('invalid', 1, 'key: invalid', $1)`, domain.SystemUserID)
	must(t, err)
	found, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}})
	must(t, err)
	if !slices.ContainsFunc(found, func(d casework.Inconsistency) bool {
		return d.Kind == casework.UnsoundDefinition && d.Object == "invalid 1"
	}) {
		t.Errorf("found %+v", found)
	}
}

// noFiles is an empty file store.
type noFiles struct{}

func (noFiles) Walk(context.Context, func(string, time.Time) error) error { return nil }
func (noFiles) Has(context.Context, string) (bool, error)                 { return false, nil }
func (noFiles) Remove(context.Context, string) error                      { return nil }
