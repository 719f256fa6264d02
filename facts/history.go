package facts

import (
	"slices"

	"countersign/domain"
)

// History is everything asserted about one case, oldest first.
type History []domain.AssertionSet

// Entry is one assertion with the set that it belongs to.
type Entry struct {
	domain.Assertion
	Set *domain.AssertionSet
}

// entries returns the assertions of a field that can count, oldest first: all but the suggestions of a
// language model. What a model states never resolves, and never says that a value is undetermined.
func (h History) entries(field string) []Entry {
	found := slices.DeleteFunc(h.Of(field), Entry.IsSuggestion)
	for i := range found {
		if found[i].ofModel() {
			found[i].Resolves, found[i].Undetermined, found[i].Order = false, "", false
			found[i].Currency, found[i].OfTotals = "", false
		}
	}
	return found
}

// Of returns every assertion of a field, oldest first, for its history.
func (h History) Of(field string) []Entry {
	var found []Entry
	for i := range h {
		for _, assertion := range h[i].Assertions {
			if assertion.Field == field {
				found = append(found, Entry{assertion, &h[i]})
			}
		}
	}
	return found
}

// Unresolved returns the assertions of a field that count: those after the last one that resolves,
// and that one itself. Values of a payment order and of the document, its evidence, do not resolve
// each other.
func (h History) Unresolved(field string) []Entry {
	entries := h.entries(field)
	if slices.ContainsFunc(entries, func(e Entry) bool { return e.Order }) {
		return unresolvedBesideOrder(entries)
	}
	for at := len(entries) - 1; at >= 0; at-- {
		if entries[at].Resolves {
			return entries[at:]
		}
	}
	return entries
}

// unresolvedBesideOrder is Unresolved for assertions of which some are those of an order.
func unresolvedBesideOrder(entries []Entry) []Entry {
	var kept []Entry
	resolved := map[bool]bool{} // by whether the assertion is one of the order
	for _, entry := range slices.Backward(entries) {
		if !resolved[entry.Order] {
			kept = append(kept, entry)
		}
		resolved[entry.Order] = resolved[entry.Order] || entry.Resolves
	}
	slices.Reverse(kept)
	return kept
}

// Values returns the distinct normalised values of the unresolved assertions of a field, sorted.
func (h History) Values(field string) []string {
	var values []string
	for _, entry := range h.Unresolved(field) {
		if entry.Value != "" {
			values = append(values, entry.Value)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// precedence orders the sources: the value of the first one is in force. A declaration fills what the
// document does not state, and a language model only what no other source states.
var precedence = []domain.FieldSource{domain.SourceHuman, domain.SourceExternal, domain.SourceXML,
	domain.SourceText, domain.SourceOCR, domain.SourceDeclared, domain.SourceLLM}

// InForce returns the assertion whose value is in force. That of a payment order is what will be
// paid, whatever its evidence says; without one it is that of OfDocument. ok is false if there is
// none.
func (h History) InForce(field string) (chosen Entry, ok bool) {
	if h.hasOrder() {
		if ordered := h.orderEntries(field); len(ordered) > 0 {
			return ordered[len(ordered)-1], true
		}
	}
	return h.OfDocument(field)
}

// OfDocument returns the assertion about the document whose value is in force: of the unresolved
// ones the newest of the source with the highest precedence, where values read from an earlier
// revision of the document count after those of the newest. That a value cannot be determined is
// no value, and neither is a value outside the risk basis that waits for a second person, or one about the
// whole file of which the case is a part. ok is false if there is none.
func (h History) OfDocument(field string) (chosen Entry, ok bool) {
	newest := h.newestDocument()
	rank := func(e Entry) int {
		at := slices.Index(precedence, e.Set.Source)
		if fromDocument(e.Set.Source) && e.Set.DocumentRevision < newest {
			at += len(precedence)
		}
		if e.ofModel() {
			at += 2 * len(precedence)
		}
		return at
	}
	for _, entry := range h.Unresolved(field) {
		if entry.Order || entry.Undetermined != "" || entry.ofWholeFile() ||
			entry.Pending != "" && IsBesideRisk(field) {
			continue
		}
		if !ok || rank(entry) <= rank(chosen) {
			chosen, ok = entry, true
		}
	}
	return chosen, ok
}

// Pending returns the newest unresolved assertion of a field outside the risk basis that waits for a
// second person. ok is false if there is none.
func (h History) Pending(field string) (newest Entry, ok bool) {
	if !IsBesideRisk(field) {
		return newest, false
	}
	for _, entry := range h.Unresolved(field) {
		if entry.Pending != "" && !entry.Order {
			newest, ok = entry, true
		}
	}
	return newest, ok
}

// ofWholeFile reports whether the value was stated or read about the file of which the case is a part, so
// that it may belong to another part.
func (e Entry) ofWholeFile() bool {
	return e.InheritedFrom != domain.NoID && e.Set.Source != domain.SourceDeclared
}

// fromDocument reports whether values of the source belong to one revision of the document.
func fromDocument(source domain.FieldSource) bool {
	return source == domain.SourceXML || source.IsMachine()
}

// OfEarlierDocument reports whether the set was read from a document that another one has replaced.
func (h History) OfEarlierDocument(set *domain.AssertionSet) bool {
	return fromDocument(set.Source) && set.DocumentRevision < h.newestDocument()
}

// newestDocument returns the newest revision of the document that was read, 0 if none was. A language
// model reads nothing itself.
func (h History) newestDocument() int {
	newest := 0
	for i := range h {
		if fromDocument(h[i].Source) && h[i].Source != domain.SourceLLM {
			newest = max(newest, h[i].DocumentRevision)
		}
	}
	return newest
}

// Fields returns the names of all asserted fields, sorted.
func (h History) Fields() []string {
	var names []string
	for i := range h {
		for _, assertion := range h[i].Assertions {
			names = append(names, assertion.Field)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Inherits reports whether anything was stated or read about another case: the whole file of a part, or the
// archived case of a correction.
func (h History) Inherits() bool {
	return slices.ContainsFunc(h, func(set domain.AssertionSet) bool {
		return slices.ContainsFunc(set.Assertions,
			func(a domain.Assertion) bool { return a.InheritedFrom != domain.NoID })
	})
}
