package authz

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// Object is what an action is allowed on, in relation to the user.
type Object string

// The objects. The value of GlobalObject is part of stored and hashed policies, so it stays "house".
const (
	GlobalObject Object = "house"        // not about a case: submit, people, policy, audit
	AnyCase      Object = "case"         // every case
	OwnCase      Object = "own_case"     // cases that the user submitted
	QueueCase    Object = "queue_case"   // cases with an open review in their queues, or decided by them
	AnyReview    Object = "review"       // every review, confidential ones only for those who may see them
	QueueReview  Object = "queue_review" // reviews in the user's queues
)

// Effect is the effect of a matching rule. One deny outweighs every allow.
type Effect string

// The effects.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
)

// Rule allows or denies a role an action on an object.
type Rule struct {
	Name   string        `json:"name"` // unique; shown in explanations
	Role   domain.Role   `json:"role"`
	Action domain.Action `json:"action"`
	Object Object        `json:"object"`
	// Condition is CEL over the names of expr.PolicyNames; "" is always true. On cases it can use
	// only document_type, country, base_minor, amount_known and submitter. It cannot use limits,
	// which are not part of the policy.
	Condition string `json:"condition,omitempty"`
	Effect    Effect `json:"effect,omitempty"` // "" is allow
}

// Policy is one version of the rules. Limits are not part of it; they are loaded with each user
// from the same locked rows.
type Policy struct {
	Version int64
	Rules   []Rule
}

// ParseRules decodes stored rules, a JSON list.
func ParseRules(version int64, text []byte) (Policy, error) {
	policy := Policy{Version: version}
	if err := json.Unmarshal(text, &policy.Rules); err != nil {
		return Policy{},
			domain.Invalid("rules", "The rules of the policy are not a list of rules.").
				WithCause(err)
	}
	return policy, nil
}

// objects lists the objects on which each action can be allowed.
var objects = map[domain.Action][]Object{
	domain.ActSubmit:       {GlobalObject},
	domain.ActVerify:       {GlobalObject},
	domain.ActReadAudit:    {GlobalObject},
	domain.ActManagePeople: {GlobalObject},
	domain.ActPublish:      {GlobalObject},
	domain.ActExternal:     {GlobalObject},
	domain.ActRead:         {AnyCase, OwnCase, QueueCase, AnyReview, QueueReview},
	domain.ActReplace:      {AnyCase, OwnCase, QueueCase},
	domain.ActResubmit:     {AnyCase, OwnCase, QueueCase},
	domain.ActRetry:        {AnyCase, OwnCase, QueueCase},
	domain.ActAbandon:      {AnyCase, OwnCase, QueueCase},
	domain.ActEnter:        {AnyCase, OwnCase, QueueCase, AnyReview, QueueReview},
	domain.ActCorrect:      {AnyReview, QueueReview},
	domain.ActClaim:        {AnyReview, QueueReview},
	domain.ActRelease:      {AnyReview, QueueReview},
	domain.ActDecide:       {AnyReview, QueueReview},
	domain.ActEscalate:     {AnyReview, QueueReview},
	domain.ActReassign:     {AnyReview, QueueReview},
}

// objectKind is the kind of facts that an object needs.
type objectKind int

const (
	objectGlobal objectKind = iota
	objectCase
	objectReview
)

func (o Object) kind() objectKind {
	switch o {
	case AnyCase, OwnCase, QueueCase:
		return objectCase
	case AnyReview, QueueReview:
		return objectReview
	}
	return objectGlobal
}

// reviewOnlyNames are not allowed in conditions on cases, limitNames in no condition.
var (
	reviewOnlyNames = []string{"review.queue", "review.level", "review.status"}
	limitNames      = []string{"user.limit_minor", "user.unlimited"}
)

// compile checks the rule and compiles its condition. It returns nil for a rule without one.
func (r Rule) compile() (*expr.PolicyCondition, error) {
	switch {
	case r.Name == "" || r.Role == "":
		return nil, domain.Invalid("rules", "A rule needs a name and a role.").
			WithDetail("reason", "nameless")
	case r.Effect != "" && r.Effect != Allow && r.Effect != Deny:
		return nil, domain.Invalid("rules", "The effect of rule %s must be allow or deny, not %q.",
			r.Name, r.Effect).
			WithDetail("reason", "effect").WithDetail("effect", string(r.Effect))
	case !slices.Contains(objects[r.Action], r.Object):
		return nil, domain.Invalid("rules",
			"The action %[2]q of rule %[1]s does not apply to the object %[3]q.", r.Name, r.Action,
			r.Object).WithDetail("reason", "meaningless").
			WithDetail("action", string(r.Action)).WithDetail("object", string(r.Object))
	case r.Condition == "":
		return nil, nil
	case r.Object == GlobalObject:
		return nil, domain.Invalid("rules",
			"The rule %s does not apply to cases, so it cannot have a condition.", r.Name).
			WithDetail("reason", "house")
	}
	forbidden := limitNames
	if r.Object.kind() == objectCase {
		forbidden = append(slices.Clone(forbidden), reviewOnlyNames...)
	}
	for _, name := range forbidden {
		if strings.Contains(r.Condition, name) {
			return nil, domain.Invalid("rules", "The condition of rule %s cannot use %s.",
				r.Name, name).
				WithDetail("reason", "name").WithDetail("name", name)
		}
	}
	condition, err := expr.CompilePolicy(r.Condition)
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	return condition, nil
}

// DefaultPolicy returns the built-in rules, version 1.
func DefaultPolicy() Policy {
	var rules []Rule
	add := func(role domain.Role, object Object, condition string, actions ...domain.Action) {
		for _, action := range actions {
			name := fmt.Sprintf("%s may %s %s", role, action, object)
			rules = append(rules,
				Rule{Name: name, Role: role, Action: action, Object: object, Condition: condition,
					Effect: Allow})
		}
	}
	add(domain.RoleSubmitter, GlobalObject, "", domain.ActSubmit)
	add(domain.RoleSubmitter, OwnCase, "", domain.ActRead, domain.ActReplace, domain.ActEnter,
		domain.ActResubmit, domain.ActRetry, domain.ActAbandon)
	// Reviewers work the queues assigned to them. The condition limits the damage of a queue
	// assigned by mistake.
	for role, condition := range map[domain.Role]string{
		domain.RoleL1:      `review.queue != "L2" && review.queue != "AML"`,
		domain.RoleSenior:  `review.queue != "L2" && review.queue != "AML"`,
		domain.RoleL2:      `review.queue != "AML"`,
		domain.RoleAML:     `review.queue == "AML"`,
		domain.RoleManager: `review.queue != "AML"`,
	} {
		add(role, QueueReview, condition, domain.ActClaim, domain.ActRelease, domain.ActCorrect,
			domain.ActEnter, domain.ActDecide, domain.ActEscalate)
		if role == domain.RoleManager {
			continue
		}
		add(role, QueueReview, condition, domain.ActRead)
		add(role, QueueCase, "", domain.ActRead, domain.ActEnter)
	}
	add(domain.RoleManager, AnyCase, "", domain.ActRead, domain.ActEnter, domain.ActRetry,
		domain.ActAbandon)
	add(domain.RoleManager, AnyReview, "", domain.ActRead, domain.ActReassign)
	add(domain.RoleManager, GlobalObject, "", domain.ActReadAudit)
	for _, role := range []domain.Role{domain.RoleAuditor, domain.RoleAdmin} {
		add(role, AnyCase, "", domain.ActRead)
		add(role, AnyReview, "", domain.ActRead)
		add(role, GlobalObject, "", domain.ActReadAudit)
	}
	add(domain.RoleAuditor, GlobalObject, "", domain.ActVerify)
	add(domain.RoleAdmin, GlobalObject, "", domain.ActManagePeople, domain.ActPublish)
	add(domain.RoleExternal, GlobalObject, "", domain.ActExternal)
	slices.SortStableFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return Policy{Version: 1, Rules: rules}
}
