package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// cautiousEdge returns the edge of a gateway for values that count beside those in force: the one that the
// guards choose for one of them if it leads to every review of the chosen edge and to further ones, so that
// a value which waits for a second person avoids no review. An edge that leads to others of the reviews is
// not taken, because the case cannot take both.
func (p *stepBuilder) cautiousEdge(gateway *Node, chosen *Edge) (*Edge, error) {
	others := otherFacts(p.facts)
	if len(others) == 0 {
		return chosen, nil
	}
	best, err := p.reviewsBehind(chosen)
	if err != nil {
		return nil, err
	}
	for i := range others {
		edge, found, err := p.edgeFor(gateway, &others[i])
		if err != nil {
			return nil, err
		}
		misses := func(id string) bool { return !slices.Contains(found, id) }
		if edge != chosen && len(found) > len(best) && !slices.ContainsFunc(best, misses) {
			chosen, best = edge, found
		}
	}
	return chosen, nil
}

// edgeFor returns the edge of a gateway that the guards choose for other facts, and the reviews behind it.
func (p *stepBuilder) edgeFor(gateway *Node, facts *domain.ProcessFacts) (*Edge, []string, error) {
	alternative := stepBuilder{def: p.def, facts: facts}
	edge, err := alternative.guardedEdge(gateway)
	if err != nil {
		return nil, nil, err
	}
	found, err := alternative.reviewsBehind(edge)
	return edge, found, err
}

// otherFacts returns the facts with each country, and with the amount, that count beside those in force.
func otherFacts(inForce *domain.ProcessFacts) (others []domain.ProcessFacts) {
	with := func(values map[string]string) domain.ProcessFacts {
		other := *inForce
		other.OtherCountries, other.AtRisk = nil, domain.Money{}
		other.Fields = maps.Clone(inForce.Fields)
		if other.Fields == nil {
			other.Fields = map[string]string{}
		}
		maps.Copy(other.Fields, values)
		return other
	}
	for _, country := range inForce.OtherCountries {
		other := with(map[string]string{domain.FieldCountry: country})
		other.Country = country
		others = append(others, other)
	}
	if amount := inForce.AtRisk; amount.Currency != "" && amount != inForce.Amount {
		other := with(map[string]string{domain.FieldTotal: amount.Decimal(),
			domain.FieldCurrency: amount.Currency})
		other.Amount, other.AmountKnown, other.Currency = amount, true, amount.Currency
		others = append(others, other)
	}
	return others
}
