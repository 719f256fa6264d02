package expr

import (
	"math"
	"slices"

	"countersign/domain"
)

// Thresholds returns the base amounts, in minor units, at which a comparison of the condition
// changes its result, each once and ascending. Between two thresholds every comparison of the
// amount has the same result. It returns nil and false if the condition compares the amount with a
// value that is not a literal, such as a value of the user.
func (c *PolicyCondition) Thresholds() ([]int64, bool) {
	thresholds, constant := c.tree.thresholds(nil)
	if !constant {
		return nil, false
	}
	slices.Sort(thresholds)
	return slices.Compact(thresholds), true
}

func (c clause) thresholds(found []int64) ([]int64, bool) {
	constant := true
	for _, part := range c.parts {
		if found, constant = part.thresholds(found); !constant {
			return nil, false
		}
	}
	if c.left.column != domain.ColBaseMinor {
		return found, true
	}
	switch value := c.right.literal.(type) {
	case int64:
		return addThresholds(found, c.op, value), true
	case []int64:
		for _, element := range value {
			found = addThresholds(found, "==", element)
		}
		return found, true
	}
	return nil, false
}

// addThresholds adds the integers at which a comparison with the value changes its result: the
// value, the next one, or both.
func addThresholds(found []int64, op string, value int64) []int64 {
	if op != "<=" && op != ">" {
		found = append(found, value)
	}
	if op != "<" && op != ">=" && value < math.MaxInt64 {
		found = append(found, value+1)
	}
	return found
}
