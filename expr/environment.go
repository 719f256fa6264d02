package expr

import (
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
)

const (
	// maxSource bounds the text of a condition, in bytes.
	maxSource = 4096
	// maxOperators bounds its operators, brackets and commas.
	maxOperators = 600
	// MaxOperatorsInAll bounds those of all conditions of one document: a process, a rule set, a policy.
	MaxOperatorsInAll = 3000
	// costLimit bounds one evaluation, in CEL's cost units (about one per comparison or element visited).
	costLimit = 20_000
	// maxFacts bounds the texts of a case that one condition may ask about, in bytes: CEL counts what a search costs only
	// when it is over.
	maxFacts = 64 << 10
	// maxDepth bounds the nesting of a condition.
	maxDepth = 64
)

// Environment is a set of typed names that a condition may use.
type Environment struct {
	names []string
	env   *cel.Env
}

// Names returns the declared names in a fixed order, for editors and messages.
func (d Environment) Names() []string { return append([]string(nil), d.names...) }

type nameDeclaration struct {
	name string
	kind *cel.Type
}

var processFacts = sync.OnceValue(func() Environment {
	text, number, truth := cel.StringType, cel.IntType, cel.BoolType
	return newEnvironment([]nameDeclaration{
		{"amount_minor", number}, {"amount_known", truth}, {"base_minor", number}, {"currency", text},
		{"country", text}, {"document_type", text}, {"channel", text}, {"has_structured_data", truth},
		{"risk", number}, {"fields", cel.MapType(text, text)},
		{"findings", cel.ListType(cel.MapType(text, cel.DynType))}, {"blocking", number}, {"warnings", number},
		{"outcome", text},
	})
})

// ProcessFacts declares what guards of a process may ask (domain.ProcessFacts, flattened):
//
//	amount_minor, base_minor   int     amount in minor units of its currency and of the base currency
//	amount_known               bool    while false, the two names above have no value and asking them fails
//	currency, country, document_type, channel, outcome   string
//	has_structured_data        bool
//	risk                       int     0..100
//	fields                     map(string, string)   normalised values by field name
//	findings                   list of maps with rule, severity, score, message
//	blocking, warnings         int     findings of that severity
func ProcessFacts() Environment { return processFacts() }

// newEnvironment builds an environment; the declarations are ours, so a failure is a fault of this package's code.
func newEnvironment(declarations []nameDeclaration, functions ...cel.EnvOption) Environment {
	options := []cel.EnvOption{
		cel.ParserExpressionSizeLimit(maxSource),
		cel.ParserRecursionLimit(maxDepth),
		cel.ParserErrorRecoveryLimit(4),
		cel.ExpressionNestingDepthLimit(maxDepth),
		cel.RegexProgramSizeLimit(1000),
		cel.EagerlyValidateDeclarations(true),
	}
	declared := Environment{}
	for _, entry := range declarations {
		declared.names = append(declared.names, entry.name)
		options = append(options, cel.Variable(entry.name, entry.kind))
	}
	env, err := cel.NewEnv(append(options, functions...)...)
	if err != nil {
		panic(fmt.Sprintf("expr: the declared names do not form an environment: %v", err))
	}
	declared.env = env
	return declared
}

// unknownSizes tells the cost estimate nothing about sizes, so that every loop and text search counts as endless: only
// conditions that are cheap whatever the facts are go without the running cost count.
type unknownSizes struct{}

func (unknownSizes) EstimateSize(cost.AstNode) *cost.SizeEstimate { return nil }

func (unknownSizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}
