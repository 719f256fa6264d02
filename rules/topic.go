package rules

import (
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// Topic is what a rule asks about: it follows from the facts that its condition names.
type Topic string

// The topics.
const (
	Account    Topic = "account"    // the account to pay into: its IBAN, and whether it is the one paid into before
	Duplicates Topic = "duplicates" // other cases with the same document
	General    Topic = "general"    // all else
)

// topicFacts are the facts that make a rule one of a topic; the first topic that fits is the rule's.
var topicFacts = []struct {
	topic Topic
	names []string
}{
	{Account, []string{"iban", "iban_country", "iban_fault", "iban_length", "iban_length_due", "account_before", "account_changed"}},
	{Duplicates, []string{"same_number", "same_bytes"}},
}

func topicOf(names []string) Topic {
	for _, of := range topicFacts {
		if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(of.names, name) }) {
			return of.topic
		}
	}
	return General
}

// PreparedFacts are the facts of an input, laid out once for every rule that asks them. It is safe for concurrent use.
type PreparedFacts struct{ facts expr.Facts }

// PrepareFacts lays the facts out.
func PrepareFacts(input Input) PreparedFacts { return PreparedFacts{newInputIndex(&input).facts()} }

// Score is what findings weigh together, 0..100.
func Score(findings ...[]domain.Finding) int { return newResult(slices.Concat(findings...)).Score }

// Sort brings findings of the set into the order of its rules.
func (s *Set) Sort(findings []domain.Finding) {
	at := func(f domain.Finding) int {
		return slices.IndexFunc(s.Rules, func(r *Rule) bool { return r.ID == f.Rule })
	}
	slices.SortStableFunc(findings, func(a, b domain.Finding) int { return at(a) - at(b) })
}
