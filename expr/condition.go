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
	span     Span
	names    []string
	findings []string
}

// Compile checks the text against the declared names and prepares it. A text that is too long, does not parse, uses a
// name that is not declared or does not answer yes or no is InvalidExpression with the place and the reason.
func Compile(source string, declared Declared) (*Condition, error) {
	tree, err := check(source, declared)
	if err != nil {
		return nil, err
	}
	if tree.OutputType() != cel.BoolType {
		return nil, invalid(source, "it answers %s, but a condition must answer true or false", tree.OutputType())
	}
	program, err := plan(tree, declared)
	if err != nil {
		return nil, invalid(source, "it cannot be prepared").Because(err)
	}
	return &Condition{source: source, program: program, span: spanOf(tree.NativeRep().Expr(), false), names: namesIn(tree),
		findings: findingsIn(tree.NativeRep().Expr())}, nil
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
	return c.EvalAt(&facts)
}

// EvalAt is Eval without the copy of the facts; it reads them and keeps nothing.
func (c *Condition) EvalAt(facts *domain.ProcessFacts) (bool, error) {
	return judge(c.program, c.source, (*factNames)(facts))
}

// checking lets one text at a time be checked: when a text names what is not declared, CEL writes a catalogue of the names
// into the environment that another check may be copying (cel-go 0.33.2).
var checking sync.Mutex

// check parses and type-checks a text.
func check(source string, declared Declared) (*cel.Ast, error) {
	if strings.TrimSpace(source) == "" {
		return nil, invalid(source, "it is empty").WithDetail("reason", "empty")
	}
	if len(source) > maxSource {
		return nil, invalid(source, "it is longer than %d bytes", maxSource).WithDetail("reason", "long").WithDetail("name", fmt.Sprint(maxSource))
	}
	checking.Lock()
	tree, issues := declared.env.Compile(source)
	checking.Unlock()
	if err := issues.Err(); err != nil {
		said := reasonOf(issues)
		if _, named, found := strings.Cut(said, "undeclared reference to '"); found {
			name, _, _ := strings.Cut(named, "'")
			return nil, invalid(source, "%s", said).WithDetail("reason", "unknown_name").WithDetail("name", name).Because(err)
		}
		return nil, invalid(source, "%s", said).WithDetail("reason", "syntax").WithDetail("name", said).Because(err)
	}
	return tree, nil
}

// reasonOf shortens CEL's report to its first line: place and reason, without the drawing under it.
func reasonOf(issues *cel.Issues) string {
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

// plan chooses how the cost limit is held: a text whose worst case lies below the limit runs bare, every other one
// counts as it goes (several times slower).
func plan(tree *cel.Ast, declared Declared) (cel.Program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	estimate, err := declared.env.EstimateCost(tree, unknownSizes{})
	if err != nil || estimate.Max > costLimit {
		options = append(options, cel.CostLimit(costLimit))
	}
	return declared.env.Program(tree, options...)
}

// judge runs a program; whatever does not end in true or false is ExpressionFailed.
func judge(program cel.Program, source string, names cel.Activation) (bool, error) {
	value, _, err := program.Eval(names)
	if err != nil {
		return false, failed(source, err)
	}
	answer, ok := value.(types.Bool)
	if !ok {
		return false, failed(source, errors.New("the answer is not true or false"))
	}
	return bool(answer), nil
}

// invalid refuses a text. Detail "reason" is a stable name of why, "name" the word that it is about, for sentences in another
// language.
func invalid(source, format string, args ...any) *domain.Error {
	err := domain.Fail(domain.InvalidExpression, "The condition %q is refused: %s.", shorten(source), fmt.Sprintf(format, args...)).
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

// failed makes the typed error of a condition without an answer. CEL tells its failures apart by text alone; the tests
// hold the texts.
func failed(source string, cause error) *domain.Error {
	text := cause.Error()
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	reason, says, wayOut := ReasonUnfitValue, text, "Correct the values of the case, or change the condition."
	switch {
	case has("cost limit", tooLong, "program size"):
		reason, says, wayOut = ReasonTooExpensive, "it takes too much work", "Change the condition: ask less, or shorter texts."
	case has("by zero"):
		reason, says = ReasonDivisionByZero, "it divides by zero"
	case has("no such key", "no such attribute", "index out of bounds"):
		reason, wayOut = ReasonMissingFact, "Complete the missing values of the case, or change the condition."
		if name, found := strings.CutPrefix(text, "no such attribute(s): "); found {
			says = name + " is not known"
		}
	}
	err := domain.Fail(domain.ExpressionFailed, "The condition %q could not be answered for this case: %s.", shorten(source), says).
		WithWayOut("%s", wayOut).WithDetail("reason", reason).Because(cause)
	err.Op = "expr.Eval"
	return err
}

func shorten(source string) string {
	if runes := []rune(source); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return source
}
