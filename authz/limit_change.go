package authz

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// LimitChange is another limit of a role in the text of a policy. It names the limit that it replaces,
// so that a text changes nothing else than it shows. The limits themselves are not part of the policy.
type LimitChange struct {
	Role         domain.Role `json:"role"`
	DocumentType string      `json:"documentType,omitempty"` // "" is every type without a limit of its own
	// Before and After are "none", "unlimited", or an amount of the base currency such as "5000.00 USD".
	Before string `json:"before"`
	After  string `json:"after"`
}

// The texts of limits that are not amounts.
const (
	NoLimit        = "none"
	UnlimitedLimit = "unlimited"
)

// maxLimitChanges bounds the limits that one text changes.
const maxLimitChanges = 100

// LimitText returns a limit as the text of a policy writes it.
func LimitText(limit domain.Limit, exists bool) string {
	switch {
	case !exists:
		return NoLimit
	case limit.Unlimited:
		return UnlimitedLimit
	}
	return domain.Money{Minor: limit.BaseMinor, Currency: domain.BaseCurrency}.String()
}

// Limit returns the limit that a text of the change names. It returns false for none.
func (c LimitChange) Limit(text string) (limit domain.Limit, exists bool, err error) {
	limit = domain.Limit{Role: c.Role, DocumentType: c.DocumentType, Action: domain.ActDecide}
	switch text {
	case NoLimit:
		return limit, false, nil
	case UnlimitedLimit:
		limit.Unlimited = true
		return limit, true, nil
	}
	decimal, isBase := strings.CutSuffix(text, " "+domain.BaseCurrency)
	if !isBase {
		return limit, false, domain.Invalid("limits", "Write %q as none, unlimited or an amount like 5000.00 %s.",
			text, domain.BaseCurrency)
	}
	amount, err := domain.ParseDecimal(decimal, domain.BaseCurrency)
	if err == nil && amount.Minor < 0 {
		err = domain.Invalid("limits", "The limit must not be negative.")
	}
	limit.BaseMinor = amount.Minor
	return limit, err == nil, err
}

// WithLimits returns the user with the changed limits of their roles.
func WithLimits(user domain.User, changes []LimitChange) domain.User {
	for _, change := range changes {
		after, exists, err := change.Limit(change.After)
		if err != nil || !user.HasRole(change.Role) {
			continue
		}
		user = WithLimit(user, after, exists)
	}
	return user
}

// WithLimit returns the user with the limit in place of the one of the same role and document type, or
// without it.
func WithLimit(user domain.User, limit domain.Limit, exists bool) domain.User {
	user.Limits = slices.DeleteFunc(slices.Clone(user.Limits), func(old domain.Limit) bool {
		return old.Role == limit.Role && old.Action == limit.Action && old.DocumentType == limit.DocumentType
	})
	if exists {
		user.Limits = append(user.Limits, limit)
	}
	return user
}

// HasLimit reports whether limits of roles apply to the action.
func HasLimit(action domain.Action) bool {
	return hardRulesFor(action, objectReview)&hardRuleWithinLimit != 0 &&
		slices.Contains(kindsOf(action), objectReview)
}

// CheckLimits reports the faults of the changed limits of a text.
func CheckLimits(changes []LimitChange) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, change := range changes {
		name := change.Name()
		add := func(check, message string, values map[string]string) {
			problems = append(problems, Problem{Rule: name, Message: message, Check: check, Values: values})
		}
		if seen[name] {
			add("policy_limit_twice", "This limit is changed twice.", nil)
		}
		seen[name] = true
		before, existed, err := change.Limit(change.Before)
		after, exists, afterErr := change.Limit(change.After)
		text := change.Before
		if err == nil {
			err, text = afterErr, change.After
		}
		if err != nil {
			add("policy_limit_amount", fmt.Sprintf(
				"%q is not a limit. Write none, unlimited or an amount like 5000.00 %s.", text, domain.BaseCurrency),
				map[string]string{"text": text, "currency": domain.BaseCurrency})
		} else if before == after && existed == exists {
			add("policy_limit_same", "This limit is not changed.", nil)
		}
	}
	return problems
}

// Name names the limit in problems.
func (c LimitChange) Name() string {
	if c.DocumentType == "" {
		return string(c.Role)
	}
	return string(c.Role) + "/" + c.DocumentType
}
