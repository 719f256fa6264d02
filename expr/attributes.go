package expr

import (
	"math"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"countersign/domain"
)

// AttributePrefix precedes the name of an attribute of the submission in a condition, so that no
// attribute hides a fact of the case.
const AttributePrefix = "attributes."

var attributeTypes = map[domain.AttributeType]*cel.Type{
	domain.AttributeChoice: cel.StringType, domain.AttributeText: cel.StringType,
	domain.AttributeDate: cel.StringType, domain.AttributeInteger: cel.IntType,
	domain.AttributeMoney: cel.IntType, domain.AttributeYesNo: cel.BoolType,
}

// WithAttributes returns ProcessFacts and, as attributes.NAME, the attributes of the submission that a
// condition can use: an amount in minor units, a date as YYYY-MM-DD, an optional text, date or choice
// that is not stated as "". Attributes of other types must be required, because they have no value then.
func WithAttributes(rules []domain.AttributeRule) (Environment, error) {
	declared := ProcessFacts()
	if len(rules) == 0 {
		return declared, nil
	}
	declared.names = slices.Clone(declared.names)
	declared.bounds, declared.choices = Intervals{}, map[string][]string{}
	var variables []cel.EnvOption
	for i := range rules {
		rule := &rules[i]
		if !rule.Required && !rule.HasDefault() {
			continue
		}
		name := AttributePrefix + rule.Name
		declared.names = append(declared.names, name)
		variables = append(variables, cel.Variable(name, attributeTypes[rule.Type]))
		switch rule.Type {
		case domain.AttributeChoice:
			keys := rule.Keys()
			if !rule.Required {
				keys = append(keys, "")
			}
			declared.choices[name] = keys
			declared.bounds[name] = Range{0, int64(len(keys)) - 1}
		case domain.AttributeYesNo:
			declared.bounds[name] = Range{0, 1}
		case domain.AttributeInteger, domain.AttributeMoney:
			declared.bounds[name] = Range{math.MinInt64, math.MaxInt64}
		}
	}
	compileMutex.Lock()
	defer compileMutex.Unlock()
	env, err := declared.env.Extend(variables...)
	declared.env = env
	return declared, err
}

// Bounds returns the values that attributes can have: of a choice the index of its key, of yes or no 0
// and 1, of numbers all. They are the region in which ranges of conditions are compared.
func (d Environment) Bounds() Intervals { return d.bounds }

// Attributes returns the names of the attributes of the submission that the condition uses.
func (c *Condition) Attributes() []string {
	var names []string
	for _, name := range c.names {
		if attribute, ok := strings.CutPrefix(name, AttributePrefix); ok {
			names = append(names, attribute)
		}
	}
	return names
}

// bound returns the values of a name whose ranges are tracked.
func (d Environment) bound(name string) (Range, bool) {
	if found, ok := d.bounds[name]; ok {
		return found, true
	}
	found, ok := numericBounds[name]
	return found, ok
}

// choice returns the index of a key of a choice.
func (d Environment) choice(name, key string) (int64, bool) {
	at := slices.Index(d.choices[name], key)
	return int64(at), at >= 0
}

// unknownChoice returns the first literal that a choice is compared with and that it does not have.
func (d Environment) unknownChoice(e ast.Expr) (name, key string) {
	if len(d.choices) == 0 {
		return "", ""
	}
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || key != "" || name != "" {
			return
		}
		call := e.AsCall()
		op, args := call.FunctionName(), call.Args()
		if op != operators.Equals && op != operators.NotEquals && op != operators.In {
			return
		}
		for i, arg := range args {
			if arg.Kind() != ast.IdentKind || d.choices[arg.AsIdent()] == nil {
				continue
			}
			for _, literal := range literalTexts(args[1-i]) {
				if _, ok := d.choice(arg.AsIdent(), literal); !ok {
					name, key = arg.AsIdent(), literal
				}
			}
		}
	}))
	return name, key
}

// choiceRanges returns the ranges of name in [literals].
func (d Environment) choiceRanges(args []ast.Expr, negated bool) SatisfiableRanges {
	if len(args) != 2 || args[0].Kind() != ast.IdentKind || args[1].Kind() != ast.ListKind ||
		d.choices[args[0].AsIdent()] == nil {
		return unconstrained
	}
	name, keys := args[0].AsIdent(), literalTexts(args[1])
	if len(keys) != len(args[1].AsList().Elements()) {
		return unconstrained
	}
	result := SatisfiableRanges{Exact: true}
	for index, key := range d.choices[name] {
		if slices.Contains(keys, key) != negated {
			result.Alternatives = append(result.Alternatives,
				Intervals{name: {int64(index), int64(index)}})
		}
	}
	return result
}
