package views

import (
	"context"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/workflow"
)

// PolicyMatrix is what each role may do, by document type and up to which amount.
type PolicyMatrix struct {
	Types []PolicyMatrixType
	Cells []authz.MatrixCell
}

// PolicyMatrixEntry is what a role may do by one action with documents of one type.
type PolicyMatrixEntry = authz.MatrixEntry

// PolicyMatrixType is a document type that a process takes, a limit is set for or a rule names. Limits and
// rules about a type that no process takes any more still apply to its cases.
type PolicyMatrixType struct {
	Name  string
	Taken bool // by the newest version of a process
}

// PolicyMatrix computes the matrix of a text with the limits that it changes, or of the policy in force if
// the text is "". It returns nil if the text has faults.
func (v *Views) PolicyMatrix(ctx context.Context, actor domain.Actor, text string) (*PolicyMatrix, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	if text == "" {
		inForce, err := v.Policy(ctx, actor, 0)
		if err != nil {
			return nil, err
		}
		text = inForce.Document
	}
	document, problems := authz.ParseDocument([]byte(text))
	problems = append(problems, authz.Check(document.Rules)...)
	if problems = append(problems, authz.CheckLimits(document.Limits)...); len(problems) > 0 {
		return nil, nil
	}
	policy, err := authz.New(document.Policy())
	if err != nil {
		return nil, err
	}
	limits, err := v.reader.Limits(ctx)
	if err != nil {
		return nil, err
	}
	changed := domain.User{Limits: limits}
	for _, change := range document.Limits {
		after, exists, err := change.Limit(change.After)
		if err != nil {
			return nil, err
		}
		changed = authz.WithLimit(changed, after, exists)
	}
	matrix := &PolicyMatrix{}
	if matrix.Types, err = v.matrixTypes(ctx, document.Rules, slices.Concat(limits, changed.Limits)); err != nil {
		return nil, err
	}
	roles, err := v.reader.Roles(ctx)
	if err != nil {
		return nil, err
	}
	names, types := make([]domain.Role, 0, len(roles)), make([]string, 0, len(matrix.Types))
	for _, role := range roles {
		names = append(names, role.Name)
	}
	for _, one := range matrix.Types {
		types = append(types, one.Name)
	}
	matrix.Cells = policy.Matrix(changed.Limits, names, types)
	return matrix, nil
}

// matrixTypes returns the document types that processes take, limits are set for or rules name.
func (v *Views) matrixTypes(ctx context.Context, rules []authz.Rule, limits []domain.Limit) (
	[]PolicyMatrixType, error) {
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var taken, all []string
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key { // not the newest
			continue
		}
		var def *workflow.Definition
		if def, err = v.parseDefinition(row); err != nil {
			continue // countersign doctor reports it
		}
		taken = append(taken, def.DocumentTypes...)
	}
	for _, limit := range limits {
		if limit.DocumentType != "" {
			all = append(all, limit.DocumentType)
		}
	}
	for _, rule := range rules {
		all = append(all, rule.TypesNamed()...)
	}
	all = append(all, taken...)
	slices.Sort(all)
	var types []PolicyMatrixType
	for _, name := range slices.Compact(all) {
		types = append(types, PolicyMatrixType{Name: name, Taken: slices.Contains(taken, name)})
	}
	return types, nil
}
