package views

import "countersign/facts"

// FieldSuggestion is what a language model states about a field without a page that shows it.
type FieldSuggestion struct {
	Field string
	Value AssertedValue
}

// Suggestions returns the suggestions of the newest answer of a language model that the viewer may see.
func (viewer AssertionViewer) Suggestions(history facts.History) []FieldSuggestion {
	found := []FieldSuggestion{}
	for _, entry := range history.Suggestions() {
		if viewer.sees(entry) {
			found = append(found, FieldSuggestion{entry.Field, viewer.valueOf(history, entry, false)})
		}
	}
	return found
}
