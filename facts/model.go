package facts

import "countersign/domain"

// What a language model states can only add to the risk basis: it resolves nothing, states no needed
// fact, supports no order, and is in force only where no other source has a value.

// ofModel reports whether a language model stated the value.
func (e Entry) ofModel() bool { return e.Set.Source == domain.SourceLLM }

// IsSuggestion reports whether a language model stated the value without a page that shows it.
func (e Entry) IsSuggestion() bool { return e.ofModel() && e.Suggestion }

// WithoutModels returns the history without what language models stated.
func (h History) WithoutModels() History {
	others := make(History, 0, len(h))
	for _, set := range h {
		if set.Source != domain.SourceLLM {
			others = append(others, set)
		}
	}
	return others
}
