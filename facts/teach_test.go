package facts_test

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/facts"
)

// Only a value that another person than the one who entered it approved teaches.
func TestTeaches(t *testing.T) {
	t.Parallel()
	sam, lea, max := domain.ID{1}, domain.ID{2}, domain.ID{3}
	start := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	at := func(hour int) time.Time { return start.Add(time.Duration(hour) * time.Hour) }
	says := func(source domain.FieldSource, by domain.ID, hour int, value string) domain.AssertionSet {
		return domain.AssertionSet{Source: source, By: by, At: at(hour), Revision: int64(hour + 1),
			Assertions: []domain.Assertion{{Field: domain.FieldVendor, Value: value,
				Resolves: source == domain.SourceHuman}}}
	}
	read := says(domain.SourceOCR, domain.NoID, 0, "ACME")
	remembered := says(domain.SourceOCR, domain.NoID, 0, "ACME")
	remembered.Assertions[0].LearnedFrom = domain.ID{9}
	onBehalfOf := func(delegator domain.ID, set domain.AssertionSet) domain.AssertionSet {
		set.Assertions[0].OnBehalfOf = delegator
		return set
	}
	by := func(person domain.ID, hour int) []facts.Approval {
		return []facts.Approval{{By: person, At: at(hour)}}
	}
	for name, test := range map[string]struct {
		history   facts.History
		approvals []facts.Approval
		want      bool
	}{
		"read and approved":               {facts.History{read}, by(lea, 3), true},
		"no approval":                     {facts.History{read}, nil, false},
		"approved by the submitter":       {facts.History{read}, by(sam, 3), false},
		"for the submitter":               {facts.History{read}, []facts.Approval{{By: lea, OnBehalfOf: sam, At: at(3)}}, false},
		"corrected and approved by one":   {facts.History{read, says(domain.SourceHuman, lea, 1, "ACMF")}, by(lea, 3), false},
		"on behalf of who corrected":      {facts.History{read, says(domain.SourceHuman, lea, 1, "ACMF")}, []facts.Approval{{By: max, OnBehalfOf: lea, At: at(3)}}, false},
		"corrected on behalf of them":     {facts.History{read, onBehalfOf(lea, says(domain.SourceHuman, max, 1, "ACMF"))}, by(lea, 3), false},
		"corrected for another":           {facts.History{read, onBehalfOf(sam, says(domain.SourceHuman, max, 1, "ACMF"))}, by(lea, 3), true},
		"corrected, approved by another":  {facts.History{read, says(domain.SourceHuman, lea, 1, "ACMF")}, by(max, 3), true},
		"corrected after the approval":    {facts.History{read, says(domain.SourceHuman, lea, 4, "ACMF")}, by(max, 3), false},
		"confirmed as it was read":        {facts.History{read, says(domain.SourceHuman, lea, 1, "ACME")}, by(lea, 3), true},
		"declared by the submitter":       {facts.History{says(domain.SourceDeclared, sam, 0, "ACME")}, by(lea, 3), true},
		"a difference remains":            {facts.History{read, says(domain.SourceDeclared, sam, 0, "ACMF")}, by(lea, 3), false},
		"from memory":                     {facts.History{remembered}, by(lea, 3), false},
		"from memory, repeated by one":    {facts.History{remembered, says(domain.SourceHuman, lea, 1, "ACME")}, by(lea, 3), false},
		"from memory, approved by others": {facts.History{remembered, says(domain.SourceHuman, lea, 1, "ACME")}, by(max, 3), true},
		"removed":                         {facts.History{read, says(domain.SourceHuman, lea, 1, "")}, by(max, 3), false},
	} {
		if got := test.history.Teaches(domain.FieldVendor, sam, test.approvals, nil); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	plain := facts.History{remembered, read}.WithoutMemory()
	if found := plain.Of(domain.FieldVendor); len(found) != 1 || len(remembered.Assertions) != 1 {
		t.Errorf("without memory: %+v", found)
	}
}
