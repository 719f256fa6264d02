package rules

import (
	"maps"
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// Topic is the subject of a rule. It follows from the facts that its condition names.
type Topic string

// The topics.
const (
	Account    Topic = "account"    // the bank account: its IBAN, whether it has changed, whose it is
	Duplicates Topic = "duplicates" // other cases with the same document
	Copies     Topic = "copies"     // cases that have the finding about this document and theirs
	General    Topic = "general"    // everything else
)

// topicFacts lists the facts that determine a topic. A rule has the first topic that matches.
var topicFacts = []struct {
	topic Topic
	names []string
}{
	{Account, []string{
		"iban", "iban_country", "iban_fault", "iban_length", "iban_length_due", "account", "account_country", "account_before",
		"account_changed", "account_new", "account_cases", "account_vendors",
	}},
	{Duplicates, []string{"same_number", "same_number_text", "same_number_earlier", "same_bytes", "similar_number", "same_content",
		"similar_image", "rejected_before", "linked_cases"}},
	{Copies, []string{submittedAgain, submittedAgainAs}},
}

func topicOf(names []string) Topic {
	for _, candidate := range topicFacts {
		named := func(name string) bool { return slices.Contains(candidate.names, name) }
		if slices.ContainsFunc(names, named) {
			return candidate.topic
		}
	}
	return General
}

// PreparedFacts are the facts of an input, computed once for all rules. It is safe for concurrent
// use.
type PreparedFacts struct {
	facts expr.Facts
	input *Input
}

// PrepareFacts computes the facts of an input.
func PrepareFacts(input Input) PreparedFacts {
	return PreparedFacts{newInputIndex(&input).facts(), &input}
}

// WithSubmittedAgain returns the facts with other cases that have the finding about the document.
func (p PreparedFacts) WithSubmittedAgain(copies []Copy) PreparedFacts {
	p.facts = maps.Clone(p.facts)
	addCopies(p.facts, copies)
	return p
}

// Score returns the total score of findings, 0..100.
func Score(findings ...[]domain.Finding) int { return newResult(slices.Concat(findings...)).Score }

// Sort sorts findings of the set by the order of its rules.
func (s *Set) Sort(findings []domain.Finding) {
	at := func(f domain.Finding) int {
		return slices.IndexFunc(s.Rules, func(r *Rule) bool { return r.ID == f.Rule })
	}
	slices.SortStableFunc(findings, func(a, b domain.Finding) int { return at(a) - at(b) })
}
