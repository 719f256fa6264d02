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

// Condition is a compiled yes-or-no expression over the facts of a process. It is safe for concurrent use.
type Condition struct {
	source   string
	program  cel.Program
	ranges   SatisfiableRanges
	names    []string
	findings []string
}

// Compile checks the text against the declared names and prepares it. A text that is too long, does not parse, uses a
// name that is not declared or does not answer yes or no is InvalidExpression with the place and the reason.
func Compile(source string, declared Environment) (*Condition, error) {
	tree, err := parseAndCheck(source, declared)
	if err != nil {
		return nil, err
	}
	if tree.OutputType() != cel.BoolType {
		return nil, compileError(source, "it answers %s, but a condition must answer true or false", tree.OutputType())
	}
	program, err := newProgram(tree, declared)
	if err != nil {
		return nil, compileError(source, "it cannot be prepared").WithCause(err)
	}
	return &Condition{source: source, program: program, ranges: satisfiableRangesOf(tree.NativeRep().Expr(), false), names: namesIn(tree),
		findings: findingRulesIn(tree.NativeRep().Expr())}, nil
}

// Source returns the text the condition was compiled from.
func (c *Condition) Source() string { return c.source }

// Names are the declared facts that the condition asks, in order of the alphabet.
func (c *Condition) Names() []string { return append([]string(nil), c.names...) }

// namesIn are the names that a checked text refers to.
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

// Eval asks the condition about the facts. A division by zero, a missing field, an amount that is not known or an
// exceeded cost limit is ExpressionFailed; the caller makes an incident of it.
func (c *Condition) Eval(facts domain.ProcessFacts) (bool, error) {
	return c.EvalRef(&facts)
}

// EvalRef is Eval without the copy of the facts; it reads them and keeps nothing.
func (c *Condition) EvalRef(facts *domain.ProcessFacts) (bool, error) {
	return evaluate(c.program, c.source, (*processActivation)(facts))
}

// compileMutex lets one text at a time be checked: when a text names what is not declared, CEL writes a catalogue of the names
// into the environment that another check may be copying (cel-go 0.33.2).
var compileMutex sync.Mutex

// parseAndCheck parses and type-checks a text.
func parseAndCheck(source string, declared Environment) (*cel.Ast, error) {
	if strings.TrimSpace(source) == "" {
		return nil, compileError(source, "it is empty").WithDetail("reason", "empty")
	}
	if len(source) > maxSource {
		return nil, compileError(source, "it is longer than %d bytes", maxSource).WithDetail("reason", "long").WithDetail("name", fmt.Sprint(maxSource))
	}
	if Operators(source) > maxOperators {
		return nil, compileError(source, "it has more than %d operators", maxOperators).WithDetail("reason", "long").WithDetail("name", fmt.Sprint(maxOperators))
	}
	compileMutex.Lock()
	tree, issues := declared.env.Compile(source)
	compileMutex.Unlock()
	if err := issues.Err(); err != nil {
		said := compileReason(issues)
		if _, named, found := strings.Cut(said, "undeclared reference to '"); found {
			name, _, _ := strings.Cut(named, "'")
			return nil, compileError(source, "%s", said).WithDetail("reason", "unknown_name").WithDetail("name", name).WithCause(err)
		}
		return nil, compileError(source, "%s", said).WithDetail("reason", "syntax").WithDetail("name", said).WithCause(err)
	}
	return tree, nil
}

// Operators counts the operators, brackets and commas of a text, those in quotes too. The parser takes up to 14 kB of memory
// for each, so they are bounded before it begins: in one condition here, and in all conditions of a document where it is read.
func Operators(source string) (n int) {
	for _, char := range source {
		if strings.ContainsRune("|&!+-*/%<>=?:.,[({`", char) {
			n++
		}
	}
	return n
}

// compileReason shortens CEL's report to its first line: place and reason, without the drawing under it.
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

// newProgram chooses how the cost limit is held: a text whose worst case lies below the limit runs bare, every other one
// counts as it goes (several times slower).
func newProgram(tree *cel.Ast, declared Environment) (cel.Program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	estimate, err := declared.env.EstimateCost(tree, unknownSizes{})
	if err != nil || estimate.Max > costLimit {
		options = append(options, cel.CostLimit(costLimit))
	}
	return declared.env.Program(tree, options...)
}

// evaluate runs a program; whatever does not end in true or false is ExpressionFailed.
func evaluate(program cel.Program, source string, names cel.Activation) (bool, error) {
	value, _, err := program.Eval(names)
	if err != nil {
		return false, evaluationError(source, err)
	}
	answer, ok := value.(types.Bool)
	if !ok {
		return false, evaluationError(source, errors.New("the answer is not true or false"))
	}
	return bool(answer), nil
}

// compileError refuses a text. Detail "reason" is a stable name of why, "name" the word that it is about, for sentences in another
// language.
func compileError(source, format string, args ...any) *domain.Error {
	err := domain.Errorf(domain.InvalidExpression, "The condition %q is refused: %s.", shorten(source), fmt.Sprintf(format, args...)).
		WithDetail("condition", shorten(source))
	err.Op = "expr.Compile"
	return err
}

// Why a condition has no answer, as Detail "reason" of ExpressionFailed.
const (
	ReasonTooExpensive   = "too_expensive"    // the cost limit, or facts too long to be asked
	ReasonDivisionByZero = "division_by_zero" // or a remainder by zero
	ReasonMissingFact    = "missing_fact"     // an amount that is not known, a field or finding that is not there
	ReasonUnfitValue     = "unfit_value"      // a text that is no number or date, an overflow
)

// evaluationError makes the typed error of a condition without an answer. CEL tells its failures apart by text alone; the tests
// hold the texts.
func evaluationError(source string, cause error) *domain.Error {
	text := cause.Error()
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	reason, says, wayOut := ReasonUnfitValue, text, "Correct the values of the case, or change the condition."
	switch {
	case has("cost limit", errTextTooLong, "program size"):
		reason, says, wayOut = ReasonTooExpensive, "it takes too much work", "Change the condition: ask less, or shorter texts."
	case has("by zero"):
		reason, says = ReasonDivisionByZero, "it divides by zero"
	case has("no such key", "no such attribute", "index out of bounds"):
		reason, wayOut = ReasonMissingFact, "Complete the missing values of the case, or change the condition."
		if name, found := strings.CutPrefix(text, "no such attribute(s): "); found {
			says = name + " is not known"
		}
	}
	err := domain.Errorf(domain.ExpressionFailed, "The condition %q could not be answered for this case: %s.", shorten(source), says).
		WithRemedy("%s", wayOut).WithDetail("reason", reason).WithCause(cause)
	err.Op = "expr.Eval"
	return err
}

func shorten(source string) string {
	if runes := []rune(source); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return source
}
