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
