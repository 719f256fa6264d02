package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// cautiousEdge returns the edge of a gateway for values that count beside those in force: the one that the
// guards choose for one of them if it leads to every review of the chosen edge and to further ones, so that
// a value which waits for a second person avoids no review. An edge that leads to others of the reviews is
// not taken, because the case cannot take both. Guards that cannot be evaluated for other values choose
// nothing: only the values in force can fail a case.
func (p *stepBuilder) cautiousEdge(gateway *Node, chosen *Edge) *Edge {
	others := otherFacts(p.facts)
	if len(others) == 0 {
		return chosen
	}
	best, err := p.reviewsBehind(chosen)
	if err != nil {
		return chosen
	}
	for i := range others {
		edge, found, err := p.edgeFor(gateway, &others[i])
		misses := func(id string) bool { return !slices.Contains(found, id) }
		if err == nil && len(found) > len(best) && !slices.ContainsFunc(best, misses) {
			chosen, best = edge, found
		}
	}
	return chosen
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

// otherFacts returns the facts with each other combination of a country and an amount that count.
func otherFacts(inForce *domain.ProcessFacts) (others []domain.ProcessFacts) {
	amounts := []domain.Money{inForce.Amount}
	if amount := inForce.AtRisk; amount.Currency != "" && amount != inForce.Amount {
		amounts = append(amounts, amount)
	}
	if len(amounts)+len(inForce.OtherCountries) == 1 {
		return nil
	}
	for _, country := range append([]string{inForce.Country}, inForce.OtherCountries...) {
		for i, amount := range amounts {
			if country == inForce.Country && i == 0 {
				continue // the values in force
			}
			other := *inForce
			other.OtherCountries, other.AtRisk = nil, domain.Money{}
			if other.Fields = maps.Clone(inForce.Fields); other.Fields == nil {
				other.Fields = map[string]string{}
			}
			if country != inForce.Country {
				other.Country, other.Fields[domain.FieldCountry] = country, country
			}
			if i > 0 {
				other.Amount, other.AmountKnown, other.Currency = amount, true, amount.Currency
				other.Fields[domain.FieldTotal] = amount.Decimal()
				other.Fields[domain.FieldCurrency] = amount.Currency
			}
			others = append(others, other)
		}
	}
	return others
}
