package expr

import (
	"slices"
	"sync"

	"cel.dev/cel-go/cel"

	"countersign/domain"
)

// PolicyUser holds the facts about a user that a policy condition can use.
type PolicyUser struct {
	ID     domain.ID
	Queues []string
	Roles  []domain.Role
	// LimitMinor is the limit in minor units of the base currency. The caller chooses it by action
	// and document type.
	LimitMinor int64
	Unlimited  bool
}

// PolicyCondition is a compiled policy condition over one user and one review. It is safe for
// concurrent use.
type PolicyCondition struct {
	source  string
	program cel.Program
	tree    clause
}

var policyNames = sync.OnceValue(func() Environment {
	declarations := make([]nameDeclaration, 0, len(reviewColumns)+len(userNames))
	for _, column := range reviewColumns {
		declarations = append(declarations, nameDeclaration{column.name, column.kind})
	}
	for _, name := range userNames {
		declarations = append(declarations, nameDeclaration{name.name, name.kind})
	}
	return newEnvironment(declarations)
})

// reviewColumn is a name for a column of a review's row.
type reviewColumn struct {
	name   string
	kind   *cel.Type
	column domain.Column
}

var reviewColumns = []reviewColumn{
	{"review.queue", cel.StringType, domain.ColQueue},
	{"review.level", cel.IntType, domain.ColLevel},
	{"review.document_type", cel.StringType, domain.ColDocumentType},
	{"review.country", cel.StringType, domain.ColCountry},
	{"review.base_minor", cel.IntType, domain.ColBaseMinor},
	{"review.amount_known", cel.BoolType, domain.ColAmountKnown},
	{"review.submitter", cel.StringType, domain.ColSubmitter},
	{"review.status", cel.StringType, domain.ColStatus},
}

var userNames = []nameDeclaration{
	{"user.id", cel.StringType},
	{"user.queues", cel.ListType(cel.StringType)},
	{"user.roles", cel.ListType(cel.StringType)},
	{"user.limit_minor", cel.IntType},
	{"user.unlimited", cel.BoolType},
}

// PolicyNames returns the names that a policy condition can use, for editors and messages.
func PolicyNames() []string { return policyNames().Names() }

// CompilePolicy compiles a policy condition. It allows only == != < <= > >= in && || ! over the
// names of PolicyNames and literals (texts only == != and in; at most one review name per
// comparison), so that every condition can be evaluated for a row and turned into a filter over
// rows. Anything else is InvalidExpression with the reason.
func CompilePolicy(source string) (*PolicyCondition, error) {
	declared := policyNames()
	tree, err := parseAndCheck(source, declared)
	if err != nil {
		return nil, err
	}
	if tree.OutputType() != cel.BoolType {
		return nil, compileError(source, msgNotBoolean, tree.OutputType()).
			WithDetail("reason", "no_truth").WithDetail("name", tree.OutputType().String())
	}
	clause, reason := toClause(tree.NativeRep().Expr())
	if reason != nil {
		return nil, compileError(source, "%s", reason.message).
			WithDetail("reason", reason.reason).WithDetail("name", reason.name).
			WithRemedy("Use only == != < <= > >= in && || ! over review and user names.")
	}
	program, err := declared.env.Program(tree)
	if err != nil {
		return nil, compileError(source, msgNotCompiled).WithDetail("reason", "unprepared").
			WithCause(err)
	}
	return &PolicyCondition{source: source, program: program, tree: clause}, nil
}

// Source returns the text of the condition.
func (c *PolicyCondition) Source() string { return c.source }

// Eval evaluates the condition for a user and one review with CEL, independently of Residual.
func (c *PolicyCondition) Eval(user PolicyUser, review domain.ReviewFacts) (bool, error) {
	return evaluate(c.program, c.source, &policyValues{user: &user, review: &review})
}

// Columns returns the review columns that the condition uses, each once, and whether it also uses
// facts about the user.
func (c *PolicyCondition) Columns() (columns []domain.Column, usesUser bool) {
	var walk func(part *clause)
	walk = func(part *clause) {
		for i := range part.parts {
			walk(&part.parts[i])
		}
		for _, side := range []operand{part.left, part.right} {
			if side.column != "" && !slices.Contains(columns, side.column) {
				columns = append(columns, side.column)
			}
			usesUser = usesUser || side.user != ""
		}
	}
	walk(&c.tree)
	return columns, usesUser
}

// Residual evaluates the parts about the user and returns the remaining condition as a filter. The
// filter matches exactly the rows for which Eval returns true.
func (c *PolicyCondition) Residual(user PolicyUser) (domain.Filter, error) {
	return c.tree.residual(&user)
}

// policyValues resolves the declared names from the user and the review.
type policyValues struct {
	user   *PolicyUser
	review *domain.ReviewFacts
}

// Parent returns nil: there are no outer names.
func (v *policyValues) Parent() cel.Activation { return nil }

// ResolveName returns the value of a declared name.
func (v *policyValues) ResolveName(name string) (any, bool) {
	switch name {
	case "review.queue":
		return v.review.Queue, true
	case "review.level":
		return int64(v.review.Level), true
	case "review.document_type":
		return v.review.DocumentType, true
	case "review.country":
		return v.review.Country, true
	case "review.base_minor":
		return v.review.BaseMinor, true
	case "review.amount_known":
		return v.review.AmountKnown, true
	case "review.submitter":
		return v.review.Submitter.String(), true
	case "review.status":
		return string(v.review.Status), true
	}
	return v.user.value(name)
}

// value returns the user's value of a name: a string, []string, int64 or bool.
func (u *PolicyUser) value(name string) (any, bool) {
	switch name {
	case "user.id":
		return u.ID.String(), true
	case "user.queues":
		if u.Queues == nil {
			return []string{}, true
		}
		return u.Queues, true
	case "user.roles":
		roles := make([]string, len(u.Roles))
		for i, role := range u.Roles {
			roles[i] = string(role)
		}
		return roles, true
	case "user.limit_minor":
		return u.LimitMinor, true
	case "user.unlimited":
		return u.Unlimited, true
	}
	return nil, false
}
