package views

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"countersign/authz"
	"countersign/domain"
	"countersign/expr"
	"countersign/store"
)

// PolicyVersion is one version of the policy.
type PolicyVersion struct {
	Version     int64
	Rules       []authz.Rule
	Document    string // the source text
	PublishedBy domain.ID
	PublishedAt time.Time
	ProposalID  domain.ID
	Newest      bool
}

// Policies reads a page of policy versions before the given one (0 means from the newest), newest
// first, for publishers, people administrators and auditors.
func (v *Views) Policies(ctx context.Context, actor domain.Actor, before int64, first int) (
	versions []PolicyVersion, more bool, err error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, false, err
	}
	newest, err := v.reader.AuthorityVersion(ctx)
	if err != nil {
		return nil, false, err
	}
	size := pageSize(first)
	rows, err := v.reader.Policies(ctx, before, size+1)
	for _, row := range rows[:min(len(rows), size)] {
		version, parseErr := policyVersion(row, newest.PolicyVersion)
		if parseErr != nil {
			return nil, false, parseErr
		}
		versions = append(versions, version)
	}
	return versions, len(rows) > size, err
}

// Policy reads one version of the policy; 0 means the active one.
func (v *Views) Policy(ctx context.Context, actor domain.Actor, version int64) (
	PolicyVersion, error) {
	if version > 0 {
		version++
	}
	found, _, err := v.Policies(ctx, actor, version, 1)
	if err == nil && (len(found) == 0 || version > 0 && found[0].Version != version-1) {
		err = domain.Errorf(domain.NotFound, "Policy version not found.")
	}
	if err != nil {
		return PolicyVersion{}, err
	}
	return found[0], nil
}

func policyVersion(row store.PolicyRow, newest int64) (PolicyVersion, error) {
	document := authz.Document{Version: row.Version}
	if err := json.Unmarshal(row.Rules, &document.Rules); err != nil {
		return PolicyVersion{}, fmt.Errorf("views: policy version %d: %w", row.Version, err)
	}
	text, err := document.Text()
	return PolicyVersion{Version: row.Version, Rules: document.Rules, Document: text,
		PublishedBy: row.CreatedBy, PublishedAt: row.CreatedAt,
		ProposalID: row.ProposalID, Newest: row.Version == newest}, err
}

// requirePolicyAccess returns an error unless the actor may publish, manage people or read the
// audit trail. A token needs one of the scopes, by default the one for reading.
func (v *Views) requirePolicyAccess(ctx context.Context, actor domain.Actor,
	scopes ...domain.Action) error {
	viewer, err := v.loadViewer(ctx, actor, scopes...)
	if err != nil {
		return err
	}
	return viewer.policyAccess()
}

// policyAccess returns an error unless the user may see how the installation is set up.
func (viewer viewer) policyAccess() (err error) {
	for _, action := range []domain.Action{domain.ActPublish, domain.ActManagePeople,
		domain.ActReadAudit} {
		if _, err = viewer.policy.AuthorizeGlobal(viewer.user, action); err == nil {
			return nil
		}
	}
	return err
}

// PolicyTerm is an action with the objects on which it can be allowed.
type PolicyTerm struct {
	Action  domain.Action
	Objects []string
	Limited bool // limits of roles apply to it
}

// PolicyTerms returns the vocabulary of policy rules: the actions with their objects, and the names
// of conditions.
func PolicyTerms() (terms []PolicyTerm, names []string) {
	for _, action := range domain.Actions() {
		term := PolicyTerm{Action: action, Objects: []string{}, Limited: authz.HasLimit(action)}
		for _, object := range authz.ObjectsOf(action) {
			term.Objects = append(term.Objects, string(object))
		}
		terms = append(terms, term)
	}
	return terms, expr.PolicyNames()
}

// Roles reads all roles with their number of members, for actors who may read policies.
func (v *Views) Roles(ctx context.Context, actor domain.Actor) ([]store.Role, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.Roles(ctx)
}

// Limits reads all decision limits, for actors who may read policies.
func (v *Views) Limits(ctx context.Context, actor domain.Actor) ([]domain.Limit, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.Limits(ctx)
}
