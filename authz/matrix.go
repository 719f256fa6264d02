package authz

import (
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// Verdict is what the policy and the limits say about one role, action and document type.
type Verdict string

// The verdicts, for a person who has this role only and to whom no hard rule other than the limit applies.
const (
	VerdictNone        Verdict = "none"        // never allowed
	VerdictDenied      Verdict = "denied"      // never allowed, because a rule denies it
	VerdictNoLimit     Verdict = "no_limit"    // rules allow it, but the role has no limit, so it is never allowed
	VerdictConditional Verdict = "conditional" // allowed on some objects, if a condition holds
	VerdictAllowed     Verdict = "allowed"     // always allowed on some objects, up to the limit
)

// MatrixCell says what one role may do by one action.
type MatrixCell struct {
	Role    domain.Role
	Action  domain.Action
	Limited bool // limits apply to the action
	// Others is about the document types without an entry of their own in Types.
	Others MatrixEntry
	Types  []MatrixEntry
}

// MatrixEntry says what one role may do by one action with documents of a type.
type MatrixEntry struct {
	DocumentType string
	Verdict      Verdict
	Grants       []MatrixGrant
	// Limit is the limit that applies; nil if the action has none or the role has none. Its document type
	// is "" if it is that of every type without a limit of its own.
	Limit *domain.Limit
}

// MatrixGrant is an object on which a rule allows the action.
type MatrixGrant struct {
	Object      Object
	Conditional bool
}

// Matrix returns what each role may do with documents of each type, by the rules of the authority and the
// limits. It asks the rules and the limits that decide.
func (a *Authority) Matrix(limits []domain.Limit, roles []domain.Role, types []string) []MatrixCell {
	e := a.snapshot.Load()
	var cells []MatrixCell
	for _, role := range roles {
		holder := domain.User{Roles: []domain.Role{role}, Limits: limits}
		for _, action := range domain.Actions() {
			cell := MatrixCell{Role: role, Action: action, Limited: HasLimit(action),
				Others: e.matrixEntry(&holder, action, unlistedText)}
			cell.Others.DocumentType = ""
			for _, name := range types {
				if entry := e.matrixEntry(&holder, action, name); !entry.says(cell.Others) {
					cell.Types = append(cell.Types, entry)
				}
			}
			cells = append(cells, cell)
		}
	}
	return cells
}

func (m MatrixEntry) says(other MatrixEntry) bool {
	sameLimit := m.Limit == other.Limit || m.Limit != nil && other.Limit != nil && *m.Limit == *other.Limit
	return m.Verdict == other.Verdict && sameLimit && slices.Equal(m.Grants, other.Grants)
}

func (e *policySnapshot) matrixEntry(
	holder *domain.User, action domain.Action, documentType string,
) MatrixEntry {
	entry := MatrixEntry{DocumentType: documentType}
	var denies []MatrixGrant
	for _, rule := range e.policy.Rules {
		if rule.Action != action || rule.Role != holder.Roles[0] {
			continue
		}
		truth := expr.Always
		if rule.Condition != "" {
			truth = e.conditions[rule.Condition].ForDocumentType(documentType)
		}
		if truth == expr.Never {
			continue
		}
		one := MatrixGrant{Object: rule.Object, Conditional: truth == expr.Depends}
		if rule.Effect == Deny {
			denies = append(denies, one)
		} else {
			entry.Grants = addGrant(entry.Grants, one)
		}
	}
	granted := len(entry.Grants) > 0
	entry.Grants = withoutDenied(entry.Grants, denies)
	switch {
	case len(entry.Grants) == 0 && granted:
		entry.Verdict = VerdictDenied
	case len(entry.Grants) == 0:
		entry.Verdict = VerdictNone
	case slices.ContainsFunc(entry.Grants, func(one MatrixGrant) bool { return !one.Conditional }):
		entry.Verdict = VerdictAllowed
	default:
		entry.Verdict = VerdictConditional
	}
	if len(entry.Grants) > 0 && HasLimit(action) {
		entry.Limit = appliedLimit(holder, documentType)
		if entry.Limit == nil {
			entry.Verdict = VerdictNoLimit
		}
	}
	return entry
}

// addGrant adds a grant. Of two on one object, the one without a condition counts.
func addGrant(grants []MatrixGrant, one MatrixGrant) []MatrixGrant {
	for i := range grants {
		if grants[i].Object == one.Object {
			grants[i].Conditional = grants[i].Conditional && one.Conditional
			return grants
		}
	}
	return append(grants, one)
}

// withoutDenied removes the grants that a rule always denies. A grant that a rule may deny is conditional.
func withoutDenied(grants, denies []MatrixGrant) []MatrixGrant {
	var left []MatrixGrant
	for _, grant := range grants {
		denied := false
		for _, deny := range denies {
			if deny.Object.kind() != grant.Object.kind() {
				continue
			}
			covers := deny.Object == grant.Object || deny.Object == AnyCase
			denied = denied || covers && !deny.Conditional
			grant.Conditional = true
		}
		if !denied {
			left = append(left, grant)
		}
	}
	return left
}

// appliedLimit returns the limit of the holder's role that applies to documents of the type, nil for none.
func appliedLimit(holder *domain.User, documentType string) *domain.Limit {
	found := limitOf(holder, documentType)
	if !found.granted {
		return nil
	}
	limit := domain.Limit{Role: holder.Roles[0], Action: domain.ActDecide, Unlimited: found.unlimited,
		BaseMinor: found.baseMinor}
	if slices.ContainsFunc(holder.Limits, func(row domain.Limit) bool {
		return row.Role == limit.Role && row.Action == limit.Action && row.DocumentType == documentType
	}) {
		limit.DocumentType = documentType
	}
	return &limit
}
