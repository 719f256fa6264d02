package facts

import (
	"slices"

	"countersign/domain"
)

// Suggestions returns what the newest answer of a language model states about the newest document
// without a page that shows it. A value that is in force anyway is left out.
func (h History) Suggestions() []Entry {
	revision := 0
	for i := range h {
		revision = max(revision, h[i].DocumentRevision)
	}
	for i, set := range slices.Backward(h) {
		if set.Source != domain.SourceLLM {
			continue
		}
		if set.DocumentRevision < revision {
			return nil
		}
		return h.suggestionsOf(&h[i])
	}
	return nil
}

func (h History) suggestionsOf(set *domain.AssertionSet) []Entry {
	var found []Entry
	for _, assertion := range set.Assertions {
		entry := Entry{assertion, set}
		if !entry.IsSuggestion() || assertion.Value == "" && assertion.Raw == "" {
			continue
		}
		if inForce, ok := h.InForce(assertion.Field); ok && inForce.Value != "" &&
			inForce.Value == assertion.Value {
			continue
		}
		found = append(found, entry)
	}
	return found
}
