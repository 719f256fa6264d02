package casework

import (
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
)

// correctionGroup is corrections that are judged together, with the assertions that they make.
type correctionGroup struct {
	corrections []*generated.FieldsCorrectedV1Field
	asserted    []domain.Assertion
	fields      []domain.Field // as corrected
}

func (g correctionGroup) undetermined() bool { return g.corrections[0].Undetermined != "" }

// besideRisk reports whether the group is of a field outside the risk basis.
func (g correctionGroup) besideRisk() bool { return facts.IsBesideRisk(g.corrections[0].Name) }

// applyTo returns the fields with the corrected ones in force.
func (g correctionGroup) applyTo(fields []domain.Field) []domain.Field {
	applied := slices.Clone(fields)
	for _, field := range g.fields {
		at := slices.IndexFunc(applied,
			func(f domain.Field) bool { return f.Name == field.Name })
		if at < 0 {
			applied = append(applied, field)
			continue
		}
		applied[at] = field
	}
	return applied
}

// assertGroups returns the groups with their assertions, in the order in which they are judged. Those of
// fields outside the risk basis follow, first those that the page shows: each is judged beside what
// is in force by then, so that a value which the page does not show needs a second person only for
// findings that disappear by itself.
func (c *command) assertGroups(
	groups [][]*generated.FieldsCorrectedV1Field, page printedPage, after []domain.Field,
) []correctionGroup {
	judged := make([]correctionGroup, len(groups))
	order := make(map[string]int, len(groups))
	for i, corrections := range groups {
		group, onPage := correctionGroup{corrections: corrections}, true
		for _, correction := range corrections {
			if group.undetermined() {
				group.asserted = append(group.asserted, domain.Assertion{Field: correction.Name,
					Undetermined: correction.Undetermined,
					OnBehalfOf:   c.actor.OnBehalfOf})
				continue
			}
			at := slices.IndexFunc(after,
				func(f domain.Field) bool { return f.Name == correction.Name })
			asserted := facts.AssertionOf(after[at])
			asserted.OnBehalfOf = c.actor.OnBehalfOf
			asserted.Grounded = page.shows(correction.Name, correction.After,
				fieldValue(after, domain.FieldCurrency))
			group.asserted = append(group.asserted, asserted)
			group.fields = append(group.fields, after[at])
			onPage = onPage && asserted.Grounded
		}
		switch {
		case !group.besideRisk():
		case onPage:
			order[corrections[0].Name] = 1
		default:
			order[corrections[0].Name] = 2
		}
		judged[i] = group
	}
	slices.SortStableFunc(judged, func(a, b correctionGroup) int {
		return order[a.corrections[0].Name] - order[b.corrections[0].Name]
	})
	return judged
}

// correctionGroups returns the corrections in the order in which they are judged, which depends on
// their fields only. A total and its currency are judged together, because otherwise an amount would
// count that was never stated: the total of one source in the currency of another.
func correctionGroups(
	corrections []generated.FieldsCorrectedV1Field,
) [][]*generated.FieldsCorrectedV1Field {
	ordered := make([]*generated.FieldsCorrectedV1Field, len(corrections))
	for i := range corrections {
		ordered[i] = &corrections[i]
	}
	slices.SortFunc(ordered,
		func(a, b *generated.FieldsCorrectedV1Field) int { return strings.Compare(a.Name, b.Name) })
	var amount []*generated.FieldsCorrectedV1Field
	var groups [][]*generated.FieldsCorrectedV1Field
	for _, correction := range ordered {
		if correction.Undetermined == "" && (correction.Name == domain.FieldTotal ||
			correction.Name == domain.FieldCurrency) {
			amount = append(amount, correction)
			continue
		}
		groups = append(groups, []*generated.FieldsCorrectedV1Field{correction})
	}
	if len(amount) > 0 {
		groups = append(groups, amount)
	}
	return groups
}

// withoutPending returns the fields after corrections. One outside the risk basis that waits for a second
// person keeps its earlier value, because rules judge only the value in force.
func withoutPending(before, after []domain.Field, set domain.AssertionSet) []domain.Field {
	for _, assertion := range set.Assertions {
		if assertion.Pending == "" || !facts.IsBesideRisk(assertion.Field) {
			continue
		}
		named := func(f domain.Field) bool { return f.Name == assertion.Field }
		after = slices.DeleteFunc(after, named)
		if at := slices.IndexFunc(before, named); at >= 0 {
			after = append(after, before[at])
		}
	}
	return after
}
