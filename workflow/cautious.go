package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// cautiousEdge returns the edge of a gateway for values that count beside those in force: the one that the
// guards choose for one of them if it leads to every review of the chosen edge and to further ones, so that a
// value which waits for a second person avoids no review. For another amount it is also one with more
// approvals, or of higher levels. Another country never replaces a review: otherwise a harmless one that a
// submitter states would lead past the review of a high-risk one. The case cannot take both edges, so the value
// in force decides, and Warnings reports it to the author of the process. Guards that cannot be evaluated for other
// values choose nothing: only the values in force can fail a case.
func (p *stepBuilder) cautiousEdge(gateway *Node, chosen *Edge) *Edge {
	others := otherFacts(p.facts)
	if len(others) == 0 {
		return chosen
	}
	best, err := p.reviewsBehind(chosen)
	if err != nil {
		return chosen
	}
	country := p.facts.Country
	for i := range others {
		edge, found, err := p.edgeFor(gateway, &others[i])
		if err != nil {
			continue
		}
		if includesMore(found, best) || others[i].Country == country && p.def.demandMore(found, best) {
			chosen, best, country = edge, found, others[i].Country
		}
	}
	return chosen
}

// includesMore reports whether the reviews include the others and further ones.
func includesMore(reviews, others []string) bool {
	return len(reviews) > len(others) && len(without(others, reviews)) == 0
}

// demandMore reports whether the reviews need at least the approvals of the others for each duty and level, and
// further or higher ones.
func (d *Definition) demandMore(reviews, others []string) bool {
	these, those := d.approvalsAt(reviews), d.approvalsAt(others)
	_, fewer := firstMissing(those, these)
	_, more := firstMissing(these, those)
	return more && !fewer
}

// approvalsAt returns the approvals that the reviews need. A repair needs none.
func (d *Definition) approvalsAt(reviews []string) (needed []approval) {
	for _, id := range reviews {
		if review := d.index[id]; !review.Repairs() {
			needed = append(needed, slices.Repeat([]approval{{review.Duty, review.Level}}, review.Quorum)...)
		}
	}
	return needed
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
