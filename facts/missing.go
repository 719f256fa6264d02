package facts

import (
	"slices"

	"countersign/domain"
)

// Missing returns, of the facts that a process needs, those without a value, and the unstated ones:
// the missing ones and those whose value only people other than the submitter have named or found impossible
// to determine. A value that could not be normalised is none, and neither is one that only a language model
// states, because a text in a document that steers the model would decide that no person is asked. An account is needed only
// if a country of the counterparty is known and usesIBAN reports that it has IBANs.
func Missing(
	h History, needs []string, submitter domain.ID, usesIBAN func(country string) bool,
) (missing, unstated []string) {
	for _, fact := range domain.NeededFacts() {
		if !slices.Contains(needs, fact) || fact == domain.FactAccount &&
			!slices.ContainsFunc(h.Values(domain.FieldCountry), usesIBAN) {
			continue
		}
		switch known, stated := h.states(domain.FieldOfFact(fact), submitter); {
		case stated:
		case known:
			unstated = append(unstated, fact)
		default:
			missing, unstated = append(missing, fact), append(unstated, fact)
		}
	}
	return missing, unstated
}

// states reports whether a field has a value or was found impossible to determine, and whether
// anybody but a reviewer has ever stated one of its present values, apart from language models. A value about the whole file of which
// the case is a part does not count, because the document of the part may lack it.
func (h History) states(field string, submitter domain.ID) (known, stated bool) {
	var values []string
	for _, entry := range h.Unresolved(field) {
		if entry.Value != "" && !entry.ofWholeFile() && !entry.ofModel() {
			values = append(values, entry.Value)
		}
	}
	if len(values) == 0 {
		return h.undetermined(field), false
	}
	return true, slices.ContainsFunc(h.entries(field), func(entry Entry) bool {
		return slices.Contains(values, entry.Value) && !entry.ofWholeFile() && !entry.ofModel() &&
			(entry.Set.Source != domain.SourceHuman || entry.Set.By == submitter)
	})
}

// undetermined reports whether the last person who judged a field without a value found that it
// cannot be determined. That applies to the document that they saw.
func (h History) undetermined(field string) bool {
	unresolved := h.Unresolved(field)
	for _, entry := range slices.Backward(unresolved) {
		if entry.Set.Source == domain.SourceHuman && !entry.ofWholeFile() {
			return entry.Undetermined != "" && entry.Set.DocumentRevision >= h.newestDocument()
		}
	}
	return false
}
