package expr

import (
	"slices"
	"sync"

	"cel.dev/cel-go/cel"

	"countersign/domain"
)

// PolicyUser is what a policy condition may ask about the person.
type PolicyUser struct {
	ID         domain.ID
	Queues     []string
	Roles      []domain.Role
	LimitMinor int64 // base minor units of the limit that applies; the caller chooses it by action and document type
	Unlimited  bool
}

// PolicyCondition is a compiled condition of the policy over one person and one review. Safe for concurrent use.
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

// reviewColumn is a name over the row, with the column that store knows it by.
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

// PolicyNames returns the names a policy condition may use, for editors and messages.
func PolicyNames() []string { return policyNames().Names() }

// CompilePolicy compiles a condition of the policy. Only == != < <= > >= in && || ! over the names of PolicyNames and
// literals are allowed (texts only == != and in; a comparison has at most one review name), so that every condition can
// be both judged on a row and turned into a filter over rows. All else is InvalidExpression with the reason.
func CompilePolicy(source string) (*PolicyCondition, error) {
	declared := policyNames()
	tree, err := parseAndCheck(source, declared)
	if err != nil {
		return nil, err
	}
	if tree.OutputType() != cel.BoolType {
		return nil, compileError(source, "it answers %s, but a condition must answer true or false", tree.OutputType()).
			WithDetail("reason", "no_truth").WithDetail("name", tree.OutputType().String())
	}
	clause, reason := toClause(tree.NativeRep().Expr())
	if reason != nil {
		return nil, compileError(source, "%s", reason.message).WithDetail("reason", reason.reason).WithDetail("name", reason.name).
			WithRemedy("Use only == != < <= > >= in && || ! over review and user names.")
	}
	program, err := declared.env.Program(tree)
	if err != nil {
		return nil, compileError(source, "it cannot be prepared").WithDetail("reason", "unprepared").WithCause(err)
	}
	return &PolicyCondition{source: source, program: program, tree: clause}, nil
}

// Source returns the text the condition was compiled from.
func (c *PolicyCondition) Source() string { return c.source }

// Eval asks the condition about a person and one review. It is CEL's own evaluation, apart from the filter's making.
func (c *PolicyCondition) Eval(user PolicyUser, review domain.ReviewFacts) (bool, error) {
	return evaluate(c.program, c.source, &policyValues{user: &user, review: &review})
}

// Columns are the columns of the review that the condition asks, each once, and whether it asks about the person too.
func (c *PolicyCondition) Columns() (columns []domain.Column, aboutPerson bool) {
	var walk func(part *clause)
	walk = func(part *clause) {
		for i := range part.parts {
			walk(&part.parts[i])
		}
		for _, side := range []operand{part.left, part.right} {
			if side.column != "" && !slices.Contains(columns, side.column) {
				columns = append(columns, side.column)
			}
			aboutPerson = aboutPerson || side.user != ""
		}
	}
	walk(&c.tree)
	return columns, aboutPerson
}

// Residual is what is left of the condition once the person is known: a filter that holds for exactly the rows for
// which Judge would answer true.
func (c *PolicyCondition) Residual(user PolicyUser) (domain.Filter, error) {
	return c.tree.residual(&user)
}

// policyValues answers the declared names from the person and the review.
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

// value returns what the person has under a name: a string, []string, int64 or bool.
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
