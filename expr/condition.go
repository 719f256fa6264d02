package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"countersign/domain"
)

// Condition is a compiled boolean expression. It is safe for concurrent use.
type Condition struct {
	source   string
	program  cel.Program
	ranges   SatisfiableRanges
	names    []string
	findings []string
	fields   []string
}

// Compile compiles a condition over the declared names. A text that is too long, does not parse,
// uses an undeclared name or is not boolean is InvalidExpression with the position and the reason.
func Compile(source string, declared Environment) (*Condition, error) {
	tree, err := parseAndCheck(source, declared)
	if err != nil {
		return nil, err
	}
	if tree.OutputType() != cel.BoolType {
		return nil, compileError(source, msgNotBoolean, tree.OutputType())
	}
	program, err := newProgram(tree, declared)
	if err != nil {
		return nil, compileError(source, msgNotCompiled).WithCause(err)
	}
	expression := tree.NativeRep().Expr()
	if name, key := declared.unknownChoice(expression); name != "" {
		return nil, compileError(source, "%s is never %q", name, shorten(key)).
			WithDetail("reason", "choice").WithDetail("name", name).
			WithRemedy("Use one of its choices: %s.", strings.Join(declared.choices[name], ", "))
	}
	return &Condition{source: source, program: program,
		ranges: declared.satisfiableRangesOf(expression, false), names: namesIn(tree),
		findings: findingRulesIn(expression), fields: fieldsIn(expression)}, nil
}

// Reasons of compileError that several functions use.
const (
	msgNotBoolean  = "it has the type %s, but a condition must be true or false"
	msgNotCompiled = "it cannot be compiled"
)

// Source returns the text of the condition.
func (c *Condition) Source() string { return c.source }

// Names returns the declared names that the condition uses, in alphabetical order.
func (c *Condition) Names() []string { return append([]string(nil), c.names...) }

// namesIn returns the names that a checked text refers to.
func namesIn(tree *cel.Ast) []string {
	var names []string
	for _, reference := range tree.NativeRep().ReferenceMap() {
		if reference.Name != "" && !slices.Contains(names, reference.Name) {
			names = append(names, reference.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Eval evaluates the condition for the facts. A division by zero, a missing field, an unknown
// amount or an exceeded cost limit is ExpressionFailed; the caller opens an incident for it.
func (c *Condition) Eval(facts domain.ProcessFacts) (bool, error) {
	return c.EvalRef(&facts)
}

// EvalRef is Eval without a copy of the facts, which it only reads.
func (c *Condition) EvalRef(facts *domain.ProcessFacts) (bool, error) {
	return evaluate(c.program, c.source, (*processActivation)(facts))
}

// compileMutex serializes the type check, because CEL writes a list of names into the shared
// environment when a text uses an undeclared name (cel-go 0.33.2).
var compileMutex sync.Mutex

// parseAndCheck parses and type-checks a text.
func parseAndCheck(source string, declared Environment) (*cel.Ast, error) {
	if strings.TrimSpace(source) == "" {
		return nil, compileError(source, "it is empty").WithDetail("reason", "empty")
	}
	if len(source) > maxSource {
		return nil, compileError(source, "it is longer than %d bytes", maxSource).
			WithDetail("reason", "long").WithDetail("name", fmt.Sprint(maxSource))
	}
	if Operators(source) > maxOperators {
		return nil, compileError(source, "it has more than %d operators", maxOperators).
			WithDetail("reason", "long").WithDetail("name", fmt.Sprint(maxOperators))
	}
	compileMutex.Lock()
	tree, issues := declared.env.Compile(source)
	compileMutex.Unlock()
	if err := issues.Err(); err != nil {
		reason := compileReason(issues)
		refused := compileError(source, "%s", reason).WithCause(err)
		if _, named, found := strings.Cut(reason, "undeclared reference to '"); found {
			name, _, _ := strings.Cut(named, "'")
			return nil, refused.WithDetail("reason", "unknown_name").WithDetail("name", name)
		}
		return nil, refused.WithDetail("reason", "syntax").WithDetail("name", reason)
	}
	return tree, nil
}

// Operators counts the operators, brackets and commas of a text, including those in quotes. The
// parser uses up to 14 kB of memory for each, so their number is limited before parsing: per
// condition here, and per document by its parser.
func Operators(source string) (n int) {
	for _, char := range source {
		if strings.ContainsRune("|&!+-*/%<>=?:.,[({`", char) {
			n++
		}
	}
	return n
}

// compileReason shortens CEL's report to the position and reason in its first line.
func compileReason(issues *cel.Issues) string {
	errors := issues.Errors()
	if len(errors) == 0 {
		return "it does not parse"
	}
	first := errors[0]
	reason, _, _ := strings.Cut(first.Message, "\n")
	if first.Location.Line() < 1 {
		return reason
	}
	return fmt.Sprintf("at %d:%d: %s", first.Location.Line(), first.Location.Column()+1, reason)
}

// newProgram prepares a checked text. It enforces the cost limit at run time, which is several
// times slower, only if the estimated worst case is above the limit.
func newProgram(tree *cel.Ast, declared Environment) (cel.Program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	estimate, err := declared.env.EstimateCost(tree, unknownSizes{})
	if err != nil || estimate.Max > costLimit {
		options = append(options, cel.CostLimit(costLimit))
	}
	return declared.env.Program(tree, options...)
}

// evaluate runs a program. Any result other than true or false is ExpressionFailed.
func evaluate(program cel.Program, source string, names cel.Activation) (bool, error) {
	value, _, err := program.Eval(names)
	if err != nil {
		return false, evaluationError(source, err)
	}
	answer, ok := value.(types.Bool)
	if !ok {
		return false, evaluationError(source, errors.New("the result is not true or false"))
	}
	return bool(answer), nil
}

// compileError returns InvalidExpression for a text. For translations, the caller adds a stable
// "reason" and the "name" that it refers to as details.
func compileError(source, format string, args ...any) *domain.Error {
	err := domain.Errorf(domain.InvalidExpression, "The condition %q is not valid: %s.",
		shorten(source), fmt.Sprintf(format, args...)).
		WithDetail("condition", shorten(source))
	err.Op = "expr.Compile"
	return err
}

// The reasons why a condition could not be evaluated, as the detail "reason" of ExpressionFailed.
const (
	ReasonTooExpensive   = "too_expensive"    // the cost limit is exceeded, or the facts are too long
	ReasonDivisionByZero = "division_by_zero" // or a remainder by zero
	ReasonMissingFact    = "missing_fact"     // an unknown amount, or a missing field or finding
	ReasonUnfitValue     = "unfit_value"      // a text that is not a number or date, or an overflow
)

// evaluationError returns the ExpressionFailed error for a failed evaluation. CEL distinguishes its
// failures only by their text; the tests check these texts.
func evaluationError(source string, cause error) *domain.Error {
	text := cause.Error()
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool {
			return strings.Contains(text,
				part)
		})
	}
	reason, detail, remedy, unknown := ReasonUnfitValue, text,
		"Correct the values of the case, or change the condition.", ""
	switch {
	case has("cost limit", errTextTooLong, "program size"):
		reason, detail = ReasonTooExpensive, "it takes too long to evaluate"
		remedy = "Simplify the condition, or use shorter texts."
	case has("by zero"):
		reason, detail = ReasonDivisionByZero, "it divides by zero"
	case has("no such key", "no such attribute", "index out of bounds"):
		reason, remedy = ReasonMissingFact,
			"Complete the missing values of the case, or change the condition."
		if name, found := strings.CutPrefix(text, "no such attribute(s): "); found {
			detail, unknown = name+" is unknown", name
		}
	}
	err := domain.Errorf(domain.ExpressionFailed,
		"The condition %q could not be evaluated for this case: %s.",
		shorten(source), detail).
		WithRemedy("%s", remedy).WithDetail("reason", reason).WithCause(cause)
	if unknown != "" {
		err = err.WithDetail("facts", unknown)
	}
	err.Op = "expr.Eval"
	return err
}

func shorten(source string) string {
	if runes := []rune(source); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return source
}
