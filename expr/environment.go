package expr

import (
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
)

const (
	// maxSource limits the text of a condition, in bytes.
	maxSource = 4096
	// maxOperators limits the operators, brackets and commas of a condition.
	maxOperators = 600
	// MaxOperatorsInAll limits those of all conditions of one document: a process, a rule set, a
	// policy.
	MaxOperatorsInAll = 3000
	// costLimit limits one evaluation, in CEL's cost units (about one per comparison or element
	// visited).
	costLimit = 20_000
	// maxFacts limits the texts of a case that one condition can use, in bytes, because CEL counts
	// the cost of a text search only after the search.
	maxFacts = 64 << 10
	// maxDepth limits the nesting of a condition.
	maxDepth = 64
)

// Environment is the set of typed names that a condition can use.
type Environment struct {
	names []string
	env   *cel.Env
	// bounds and choices are those of attributes of the submission; see WithAttributes.
	bounds  Intervals
	choices map[string][]string
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
		{"amount_minor", number}, {"amount_known", truth}, {"base_minor", number},
		{"currency", text}, {"country", text}, {"document_type", text}, {"channel", text},
		{"has_structured_data", truth}, {"risk", number}, {"fields", cel.MapType(text, text)},
		{"findings", cel.ListType(cel.MapType(text, cel.DynType))}, {"blocking", number},
		{"warnings", number}, {"outcome", text}, {"missing", cel.ListType(text)},
		{"unstated", cel.ListType(text)}, {"unsure_fields", cel.ListType(text)},
	})
})

// ProcessFacts declares the names that guards of a process can use (domain.ProcessFacts,
// flattened):
//
// amount_minor, base_minor   int     amount in minor units of its currency and of the base currency
// amount_known               bool    while false, the two names above have no value and using them
// fails
//
//	currency, country, document_type, channel, outcome   string
//	has_structured_data        bool
//	risk                       int     0..100
//	fields                     map(string, string)   normalised values by field name
//	findings                   list of maps with rule, severity, score, message
//	blocking, warnings         int     findings of that severity
//	missing                    list(string)  needed facts without a value
//	unstated                   list(string)  those, and needed facts that only a reviewer has named or
//	                                         found impossible to determine
//	unsure_fields              list(string)  key fields whose values are not certain
func ProcessFacts() Environment { return processFacts() }

// newEnvironment builds an environment. It panics on an error, because the declarations are part of
// this package.
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

// unknownSizes gives the cost estimate no sizes, so that every loop and text search counts as
// unlimited. Only conditions that are cheap for any facts then run without the cost count.
type unknownSizes struct{}

func (unknownSizes) EstimateSize(cost.AstNode) *cost.SizeEstimate { return nil }

func (unknownSizes) EstimateCallCost(
	string, string, *cost.AstNode, []cost.AstNode,
) *cost.CallEstimate {
	return nil
}
