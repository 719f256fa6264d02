package store_test

import (
	"testing"

	"countersign/domain"
)

// A condition on the country is about every country of the risk basis, and a conflict about every
// party, in the database as in the policy.
func TestFiltersUseTheWholeRiskBasis(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	person, inForce, other := w.person(), w.party("in force"), w.party("other")
	c, review := w.underReview()
	w.asOwner(`UPDATE cases SET country = 'DE', other_countries = '{FR,IR}', party_id = $2,
		other_party_ids = ARRAY[$3]::uuid[] WHERE id = $1`, c.ID, inForce, other)
	w.asOwner(`UPDATE reviews SET country = 'DE', other_countries = '{FR,IR}', party_id = $2,
		other_party_ids = ARRAY[$3]::uuid[] WHERE id = $1`, review.ID, inForce, other)
	w.conflict(person.ID, other)
	c, err := w.read().Case(w.ctx, c.ID)
	w.must(err)
	european := domain.Filter{Compare: &domain.Comparison{Column: domain.ColCountry, Op: "in",
		Values: []string{"DE", "FR"}}}
	iranian := domain.Where(domain.ColCountry, "==", "IR")
	notIranian := domain.Filter{Not: &iranian}
	known := domain.Where(domain.ColCountry, "!=", "")
	for name, row := range map[string]struct {
		filter domain.Filter
		want   bool
	}{
		"the one in force alone":     {european, true},
		"all of them":                {domain.Filter{EveryCountry: &european}, false},
		"none is Iran":               {domain.Filter{EveryCountry: &notIranian}, false},
		"all are known":              {domain.Filter{EveryCountry: &known}, true},
		"a conflict with one party":  {domain.Without(domain.AntiConflict, person.ID), false},
		"nobody else has a conflict": {domain.Without(domain.AntiConflict, w.person().ID), true},
	} {
		got, err := w.read().ReviewMatches(w.ctx, row.filter, review.ID)
		w.must(err)
		if got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
	exclusions, err := w.read().Exclusions(w.ctx, c.ID, c.Parties())
	w.must(err)
	if len(exclusions.Conflicted) != 1 || exclusions.Conflicted[0] != person.ID {
		t.Errorf("excluded %v", exclusions.Conflicted)
	}
	vote := `INSERT INTO votes (case_id, duty, person, review_id) VALUES ($1, $2, $3, $4)`
	if _, err := w.owner.Exec(w.ctx, vote, c.ID, review.Duty, person.ID, review.ID); err == nil {
		t.Error("the database accepts the vote of a person with a conflict with another party")
	}
}
