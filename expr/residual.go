package expr

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// residual evaluates the parts about the user and returns the rest as a filter. It folds constants.
func (c clause) residual(user *PolicyUser) (domain.Filter, error) {
	switch c.op {
	case "&&", "||":
		return c.connectiveResidual(user)
	case "!":
		part, err := c.parts[0].residual(user)
		if err != nil {
			return domain.Filter{}, err
		}
		if part.Const != nil {
			return domain.Constant(!*part.Const), nil
		}
		return domain.Filter{Not: &part}, nil
	}
	right := c.right.valueFor(user)
	if c.left.column == "" {
		return domain.Constant(compareValues(c.op, c.left.valueFor(user), right)), nil
	}
	if c.op == "in" {
		return membershipFilter(c.left.column, right), nil
	}
	return comparisonFilter(c.left.column, c.op, right)
}

func (c clause) connectiveResidual(user *PolicyUser) (domain.Filter, error) {
	neutral := c.op == "&&"
	var open []domain.Filter
	decided := false
	for _, part := range c.parts {
		filter, err := part.residual(user)
		if err != nil {
			return domain.Filter{}, err
		}
		switch {
		case filter.Const == nil:
			open = append(open, filter)
		case *filter.Const != neutral:
			decided = true
		}
	}
	switch {
	case decided:
		return domain.Constant(!neutral), nil
	case len(open) == 0:
		return domain.Constant(neutral), nil
	case len(open) == 1:
		return open[0], nil
	case neutral:
		return domain.All(open...), nil
	}
	return domain.Any(open...), nil
}

// valueFor returns the operand's value for a user.
func (o operand) valueFor(user *PolicyUser) any {
	if o.user != "" {
		value, _ := user.value(o.user)
		return value
	}
	return o.literal
}

// membershipFilter returns the filter "column in list". A list of numbers or users becomes
// alternatives; an empty list matches no row.
func membershipFilter(column domain.Column, list any) domain.Filter {
	var alternatives []domain.Filter
	switch values := list.(type) {
	case []string:
		if column != domain.ColSubmitter {
			if len(values) == 0 {
				return domain.Constant(false)
			}
			return domain.Filter{Compare: &domain.Comparison{Column: column, Op: "in",
				Values: slices.Clone(values)}}
		}
		for _, text := range values {
			if id, err := domain.ParseID(text); err == nil && id.String() == text {
				alternatives = append(alternatives, domain.Where(column, "==", id))
			}
		}
	case []int64:
		for _, value := range values {
			alternatives = append(alternatives, domain.Where(column, "==", value))
		}
	}
	switch len(alternatives) {
	case 0:
		return domain.Constant(false)
	case 1:
		return alternatives[0]
	}
	return domain.Any(alternatives...)
}

func comparisonFilter(column domain.Column, op string, value any) (domain.Filter, error) {
	if text, ok := value.(string); ok && column == domain.ColSubmitter {
		id, err := domain.ParseID(text)
		if err != nil {
			return domain.Filter{}, fmt.Errorf("expr.Residual: %w", err)
		}
		return domain.Where(column, op, id), nil
	}
	return domain.Where(column, op, value), nil
}

// compareValues compares two values of the same type.
func compareValues(op string, left, right any) bool {
	switch list := right.(type) {
	case []string:
		text, ok := left.(string)
		return ok && slices.Contains(list, text)
	case []int64:
		number, ok := left.(int64)
		return ok && slices.Contains(list, number)
	}
	if a, ok := left.(int64); ok {
		b, _ := right.(int64)
		return compareInts(op, a, b)
	}
	return (left == right) == (op == "==")
}

func compareInts(op string, a, b int64) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}
