package facts_test

import (
	"testing"

	"countersign/domain"
	"countersign/facts"
)

// A reviewer corrects what they mistyped as if they had not entered it. What another person has relied
// on, or the submitter stated, needs a second person, and so does an easier route.
func TestReviewerCorrectsOwnValue(t *testing.T) {
	t.Parallel()
	ann, bob, sam := domain.ID{1}, domain.ID{2}, domain.ID{3}
	entered := func(by domain.ID, resolves bool, pairs ...string) domain.AssertionSet {
		s := set(domain.SourceHuman, 2, pairs...)
		s.By = by
		if resolves {
			s = resolving(s)
		}
		return s
	}
	read := set(domain.SourceOCR, 1, domain.FieldNumber, "N-7", domain.FieldDate, "2026-01-01")
	declared := set(domain.SourceDeclared, 1, domain.FieldNumber, "N-7")
	const number = domain.FieldNumber
	mistyped := entered(ann, true, number, "N-8")
	behalf := entered(bob, true, number, "N-8")
	behalf.Assertions[0].OnBehalfOf = ann
	for name, row := range map[string]struct {
		history     facts.History
		field       string
		value       string
		onPage      bool
		route, want facts.NeedsSecondPerson
	}{
		"mistyped": {facts.History{read, mistyped}, number, "N-9", true,
			facts.NoSecondPerson, facts.NoSecondPerson},
		"the reading again": {facts.History{read, mistyped}, number, "N-7", true,
			facts.NoSecondPerson, facts.NoSecondPerson},
		"not on the page": {facts.History{read, mistyped}, number, "N-9", false,
			facts.NoSecondPerson, facts.StatementChanged},
		"a finding would disappear": {facts.History{read, mistyped}, number, "N-9", true,
			facts.RulesEasier, facts.RulesEasier},
		"declared as well": {facts.History{declared, entered(ann, false, number, "N-8")}, number, "N-9",
			true, facts.NoSecondPerson, facts.StatementChanged},
		"as declared": {facts.History{declared, entered(ann, false, number, "N-8")}, number, "N-7",
			true, facts.NoSecondPerson, facts.NoSecondPerson},
		"confirmed by another person": {facts.History{read, mistyped, entered(bob, true, number, "N-8")},
			number, "N-9", true, facts.NoSecondPerson, facts.StatementChanged},
		"entered by another person": {facts.History{read, entered(bob, true, number, "N-8")}, number,
			"N-9", true, facts.NoSecondPerson, facts.StatementChanged},
		"stated by the submitter": {facts.History{read, entered(sam, false, number, "N-8"),
			entered(ann, false, number, "N-6")}, number, "N-9", true, facts.NoSecondPerson,
			facts.StatementChanged},
		"entered by a delegate": {facts.History{read, behalf}, number, "N-9", true,
			facts.NoSecondPerson, facts.StatementChanged},
		"a first account": {facts.History{read, entered(ann, true, domain.FieldIBAN, "DE88")},
			domain.FieldIBAN, "DE89", true, facts.NoSecondPerson, facts.NoSecondPerson},
		"an account beside a read one": {facts.History{set(domain.SourceOCR, 1, domain.FieldIBAN, "DE87"),
			entered(ann, false, domain.FieldIBAN, "DE88")}, domain.FieldIBAN, "DE89", true,
			facts.NoSecondPerson, facts.AccountChanged},
	} {
		p := facts.Propose(row.history, domain.AssertionSet{Source: domain.SourceHuman, Revision: 9, By: ann},
			[]domain.Assertion{{Field: row.field, Value: row.value, Grounded: row.onPage}},
			facts.Proposers{Acting: []domain.ID{ann}, Submitter: sam},
			domain.UndefinedDocumentType("invoice"), noCountry)
		got := p.Judge(minor, func(int64, []domain.ID) bool { return true },
			func(bool) facts.NeedsSecondPerson { return row.route })
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
