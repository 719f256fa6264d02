package facts

import (
	"slices"

	"countersign/domain"
)

// Difference is a field whose unresolved assertions have different values.
type Difference struct {
	Field string
	// Values are the distinct values, the one in force first, each with its newest assertion.
	Values []Entry
}

// Differences returns the fields among the given ones whose unresolved values differ.
func (h History) Differences(fields ...string) []Difference {
	var found []Difference
	for _, field := range fields {
		if values := h.distinct(field); len(values) > 1 {
			found = append(found, Difference{field, values})
		}
	}
	return found
}

// distinct returns the newest unresolved assertion of each value of a field, the one in force
// first. A reading without a value does not contradict anybody, a value that a person removed does.
func (h History) distinct(field string) []Entry {
	inForce, ok := h.InForce(field)
	if !ok {
		return nil
	}
	values := []Entry{inForce}
	unresolved := h.Unresolved(field)
	for _, entry := range slices.Backward(unresolved) {
		if entry.Value == "" &&
			(entry.Set.Source != domain.SourceHuman || entry.Undetermined != "") {
			continue
		}
		if !slices.ContainsFunc(values, func(e Entry) bool { return e.Value == entry.Value }) {
			values = append(values, entry)
		}
	}
	return values
}
