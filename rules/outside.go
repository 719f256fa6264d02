package rules

import (
	"slices"
)

// Outside is something that a rule depends on and that changes without its case.
type Outside string

// What changes without the case.
const (
	OtherCases Outside = "other cases"
	Countries  Outside = "country risks"
	Rates      Outside = "exchange rates"
	Today      Outside = "date"
)

// outsideFacts are the facts that change without the case.
var outsideFacts = map[Outside][]string{
	Countries: {"country_risk", "risk_country"},
	Rates:     {"base_minor", "base_text"},
	Today:     {"today", "date_age"},
	OtherCases: slices.Concat(vendorFacts, []string{"same_number", "same_number_text", "same_number_earlier",
		"same_bytes", "similar_number", "same_content", "similar_image", "rejected_before", "linked_cases",
		submittedAgain, submittedAgainAs, "order_exceeded", "order_cases", "order_sum_text", "order_limit_text"}),
}

// Outside returns what the condition of the rule depends on and changes without the case, in order.
func (r *Rule) Outside() []Outside {
	var found []Outside
	for outside, facts := range outsideFacts {
		names := func(name string) bool { return slices.Contains(facts, name) }
		if slices.ContainsFunc(r.when.Names(), names) || outside == OtherCases && len(r.sums) > 0 {
			found = append(found, outside)
		}
	}
	slices.Sort(found)
	return found
}
