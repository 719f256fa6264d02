package facts_test

import (
	"testing"

	"countersign/domain"
	"countersign/facts"
)

// A restatement that the submitter made on behalf of a reviewer is not that reviewer's to accept alone:
// a delegate and the delegator are one person.
func TestRestatementForAReviewer(t *testing.T) {
	t.Parallel()
	sam, ann, ben := domain.ID{1}, domain.ID{2}, domain.ID{3}
	says := func(source domain.FieldSource, by, onBehalfOf domain.ID, revision int64,
		total string) domain.AssertionSet {
		set := domain.AssertionSet{Source: source, By: by, Revision: revision}
		for field, value := range map[string]string{domain.FieldTotal: total,
			domain.FieldCurrency: "EUR"} {
			set.Assertions = append(set.Assertions, domain.Assertion{Field: field, Value: value,
				Raw: value, Confidence: 1, OnBehalfOf: onBehalfOf})
		}
		return set
	}
	for name, row := range map[string]struct {
		onBehalfOf, by domain.ID
		want           facts.NeedsSecondPerson
	}{
		"their own":             {domain.NoID, ann, facts.NoSecondPerson},
		"for the one who acts":  {ann, ann, facts.StatementChanged},
		"for another than that": {ann, ben, facts.NoSecondPerson},
	} {
		history := facts.History{says(domain.SourceDeclared, sam, domain.NoID, 1, "100.00"),
			says(domain.SourceHuman, sam, row.onBehalfOf, 2, "50.00")}
		change := says(domain.SourceHuman, row.by, domain.NoID, 3, "50.00")
		empty := change
		empty.Assertions = nil
		proposal := facts.Propose(history, empty, change.Assertions,
			facts.Proposers{Acting: []domain.ID{row.by}, Submitter: sam},
			domain.UndefinedDocumentType("invoice"), noCountry)
		got := proposal.Judge(minor, func(int64, []domain.ID) bool { return true },
			func(bool) facts.NeedsSecondPerson { return facts.NoSecondPerson })
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// What a person has replaced by another value is not their word any more: it confirms nothing, and a
// reviewer cannot accept it as the submitter's.
func TestReplacedValueConfirmsNothing(t *testing.T) {
	t.Parallel()
	sam, ann, ben := domain.ID{1}, domain.ID{2}, domain.ID{3}
	entered := func(by domain.ID, revision int64, total string) domain.AssertionSet {
		s := set(domain.SourceHuman, revision, domain.FieldTotal, total, domain.FieldCurrency, "EUR")
		s.By = by
		return s
	}
	read := set(domain.SourceOCR, 1, domain.FieldTotal, "900.00", domain.FieldCurrency, "EUR")
	declared := set(domain.SourceDeclared, 1, domain.FieldTotal, "900.00", domain.FieldCurrency, "EUR")
	declared.By = sam
	for name, row := range map[string]struct {
		history facts.History
		want    facts.NeedsSecondPerson
	}{
		"confirmed": {facts.History{read, entered(ann, 2, "50.00")}, facts.NoSecondPerson},
		"replaced": {facts.History{read, entered(ann, 2, "50.00"), entered(ann, 3, "70.00")},
			facts.StatementChanged},
		"entered again": {facts.History{read, entered(ann, 2, "50.00"), entered(ann, 3, "70.00"),
			entered(ann, 4, "50.00")}, facts.NoSecondPerson},
		"restated": {facts.History{declared, entered(sam, 2, "50.00")}, facts.NoSecondPerson},
		"restated again": {facts.History{declared, entered(sam, 2, "50.00"),
			entered(sam, 3, "70.00")},
			facts.StatementChanged},
	} {
		change := entered(ben, 9, "50.00")
		asserted := change.Assertions
		change.Assertions = nil
		proposal := facts.Propose(row.history, change, asserted,
			facts.Proposers{Acting: []domain.ID{ben}, Submitter: sam},
			domain.UndefinedDocumentType("invoice"), noCountry)
		got := proposal.Judge(minor, func(int64, []domain.ID) bool { return true },
			func(bool) facts.NeedsSecondPerson { return facts.NoSecondPerson })
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The total of one person in the currency of another was stated by none: it needs a second person. Both
// from one person confirm.
func TestConfirmedAmountIsOfOnePerson(t *testing.T) {
	t.Parallel()
	ann, ben, carl := domain.ID{2}, domain.ID{3}, domain.ID{4}
	entered := func(by domain.ID, revision int64, total, currency string) domain.AssertionSet {
		s := set(domain.SourceHuman, revision, domain.FieldTotal, total, domain.FieldCurrency, currency)
		s.By = by
		return s
	}
	read := set(domain.SourceOCR, 1, domain.FieldTotal, "900.00", domain.FieldCurrency, "EUR")
	for name, row := range map[string]struct {
		history facts.History
		want    facts.NeedsSecondPerson
	}{
		"one": {facts.History{read, entered(carl, 2, "50.00", "USD")}, facts.NoSecondPerson},
		"two": {facts.History{read, entered(ann, 2, "50.00", "EUR"), entered(carl, 3, "900.00", "USD")},
			facts.StatementChanged},
	} {
		change := entered(ben, 9, "50.00", "USD")
		asserted := change.Assertions
		change.Assertions = nil
		proposal := facts.Propose(row.history, change, asserted,
			facts.Proposers{Acting: []domain.ID{ben}}, domain.UndefinedDocumentType("invoice"), noCountry)
		got := proposal.Judge(minor, func(int64, []domain.ID) bool { return true },
			func(bool) facts.NeedsSecondPerson { return facts.NoSecondPerson })
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
