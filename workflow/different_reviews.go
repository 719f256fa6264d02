package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// The facts and fields whose other values a gateway considers.
var (
	countryNames, countryFields = []string{"country"}, []string{domain.FieldCountry}
	amountNames, amountFields   = []string{"currency", "amount_minor"}, []string{domain.FieldCurrency, domain.FieldTotal}
)

// checkDifferentReviews warns about a branch by country, currency or amount that leads to other reviews than
// another branch. If the sources of a case differ, it meets only the reviews of the value in force. Of branches
// by an amount the one that demands more is taken, so they need no warning.
func (b *builder) checkDifferentReviews(gateway *Node) {
	for i := range gateway.Edges {
		edge := &gateway.Edges[i]
		byCountry := edge.uses(countryNames, countryFields)
		if !byCountry && !edge.uses(amountNames, amountFields) {
			continue
		}
		for j := range gateway.Edges {
			these, others := b.def.onlyBehind(edge, &gateway.Edges[j])
			ordered := !byCountry && (b.def.demandMore(these, others) || b.def.demandMore(others, these))
			if len(these) == 0 || len(others) == 0 || ordered {
				continue
			}
			b.addProblem(gateway, "different_reviews",
				"The branch %q leads to %s, another one to %s. A case whose sources state different values meets "+
					"only those of the value in force. Let one branch lead to both.",
				edge.When, strings.Join(these, ", "), strings.Join(others, ", ")).Values = map[string]string{"condition": edge.When,
				"reviews": strings.Join(these, ", "), "others": strings.Join(others, ", ")}
			return
		}
	}
}

// uses reports whether the guard of the edge names one of the facts or fields.
func (e *Edge) uses(facts, fields []string) bool {
	if e.guard == nil {
		return false
	}
	names := e.guard.Names()
	in := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	return slices.ContainsFunc(names, in(facts)) ||
		slices.Contains(names, "fields") && slices.ContainsFunc(e.guard.Fields(), in(fields))
}

// onlyBehind returns the reviews that only one of two edges can lead to if nothing goes wrong.
func (d *Definition) onlyBehind(one, other *Edge) (these, others []string) {
	behindOne, behindOther := d.reviewsAhead(one), d.reviewsAhead(other)
	return without(behindOne, behindOther), without(behindOther, behindOne)
}

// reviewsAhead returns the reviews that an edge can lead to if nothing goes wrong, by any branch.
func (d *Definition) reviewsAhead(edge *Edge) (reviews []string) {
	pending, seen := []*Node{edge.target}, newNodeSet(d)
	for len(pending) > 0 {
		node := pending[0]
		pending = pending[1:]
		if node == nil || seen.has(node) {
			continue
		}
		seen.add(node)
		if node.Kind == KindReview && !node.Repairs() {
			reviews = append(reviews, node.ID)
		}
		for _, next := range node.usualEdges() {
			pending = append(pending, next.target)
		}
	}
	slices.Sort(reviews)
	return reviews
}

func without(list, removed []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return slices.Contains(removed, one) })
}
