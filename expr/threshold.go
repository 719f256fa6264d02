package expr

import (
	"math"
	"slices"

	"countersign/domain"
)

// Thresholds are the base amounts, in minor units, from which on the condition may answer otherwise than just below: each
// once, ascending. Between two of them every comparison of the amount has one answer. None and false when the condition
// compares the amount with what is not written in it, such as a value of the person.
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

// addThresholds adds where a comparison of whole numbers with the value turns: at the value, just above it, or at both.
func addThresholds(found []int64, op string, value int64) []int64 {
	if op != "<=" && op != ">" {
		found = append(found, value)
	}
	if op != "<" && op != ">=" && value < math.MaxInt64 {
		found = append(found, value+1)
	}
	return found
}
