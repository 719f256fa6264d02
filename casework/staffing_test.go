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

func (w *world) staffing(key string) []workflow.Problem {
	w.t.Helper()
	known, err := w.db.Reader().Staffings(w.ctx)
	must(w.t, err)
	for _, one := range known {
		if one.Key == key {
			var problems []workflow.Problem
			must(w.t, json.Unmarshal(one.Problems, &problems))
			return problems
		}
	}
	w.t.Fatalf("nothing is known of %s", key)
	return nil
}

// Whether there are enough people is asked again when rights change, and not while they do not.
func TestStaffingIsAskedWhenRightsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	changed, err := w.hall.AskStaffing(w.ctx, false)
	must(t, err)
	if !slices.Contains(changed, "document_approval") || len(w.staffing("document_approval")) == 0 {
		t.Errorf("without anybody: %v", changed)
	}
	if changed, err = w.hall.AskStaffing(w.ctx, false); err != nil || len(changed) != 0 {
		t.Errorf("asked again for nothing: %v %v", changed, err)
	}
	lea := w.person("lea", domain.RoleSenior)
	if changed, err = w.hall.AskStaffing(w.ctx, false); err != nil || !slices.Contains(changed, "document_approval") || len(w.staffing("document_approval")) != 0 {
		t.Errorf("with one: %v %v", changed, err)
	}
	// Whoever may submit too is one decider less for a document of their own.
	user, err := w.db.Reader().User(w.ctx, lea.UserID)
	must(t, err)
	user.Roles = append(user.Roles, domain.RoleSubmitter)
	_, err = w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	if changed, err = w.hall.AskStaffing(w.ctx, false); err != nil || !slices.Contains(changed, "document_approval") {
		t.Errorf("with one who submits: %v %v", changed, err)
	}
	if short := w.staffing("document_approval"); len(short) == 0 || short[0].Node != "review_l1" {
		t.Errorf("the way: %+v", short)
	}
}

// The doctor names a published version that no longer reads.
func TestTheDoctorNamesADefinitionThatNoLongerHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.owner.Exec(w.ctx, `INSERT INTO process_definitions (key, version, document, published_by) VALUES ('torn', 1, 'key: torn', $1)`, domain.SystemUserID)
	must(t, err)
	found, err := w.hall.Examine(w.ctx, casework.Examination{Files: noFiles{}})
	must(t, err)
	if !slices.ContainsFunc(found, func(d casework.Difference) bool { return d.Kind == casework.UnsoundDefinition && d.Object == "torn 1" }) {
		t.Errorf("found %+v", found)
	}
}

// noFiles is an empty store of files.
type noFiles struct{}

func (noFiles) Walk(context.Context, func(string, time.Time) error) error { return nil }
func (noFiles) Has(context.Context, string) (bool, error)                 { return false, nil }
func (noFiles) Remove(context.Context, string) error                      { return nil }
