package casework

import (
	"math"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// coverageOf returns what a vote given now on the case would cover, except its limit. value returns
// the value in force of a field.
func coverageOf(
	def *workflow.Definition, record domain.Case, value func(field string) string,
) facts.Coverage {
	covered := facts.Coverage{Revision: record.FactsRevision, BaseMinor: record.BaseMinor,
		Countries: record.Countries(), PartyID: record.PartyID, Parties: record.Parties(),
		Numbers: record.Numbers(), Account: value(domain.FieldIBAN), Values: map[string]string{}}
	if record.AmountKnown {
		covered.Amount = record.Amount
	}
	if record.AtRisk.Currency != "" {
		covered.Others = []domain.Money{record.AtRisk}
	}
	for _, name := range def.KeyFields() {
		if text := value(name); text != "" && name != domain.FieldCountry {
			covered.Values[name] = text
		}
	}
	return covered
}

// coverageToStore returns what the votes of everybody who acts cover, as it is stored.
func (c *command) coverageToStore(fields []domain.Field) (string, error) {
	covered := coverageOf(c.def, c.before,
		func(name string) string { return fieldValue(fields, name) })
	covered.Limit = math.MaxInt64
	for _, person := range c.persons {
		covered.Limit = min(covered.Limit, authz.LargestAmount(person, c.before.DocumentType))
	}
	return covered.Encode()
}

// voteCovers reports whether a vote counts for the present facts of a case: its person is not
// excluded, and it covers them. A vote from before coverages were stored covers them as long as no
// change of key facts has revoked it.
func voteCovers(vote domain.Vote, exclusions store.Exclusions, present facts.Coverage) bool {
	if slices.Contains(exclusions.Conflicted, vote.Person) ||
		slices.Contains(exclusions.Interested, vote.Person) {
		return false
	}
	covered, known := facts.DecodeCoverage(vote.Covered)
	return !known || covered.Covers(present)
}

// revokeUncovered revokes the votes that do not cover the facts of the case after the command, and
// returns their reviews. keyChanged says whether key facts have changed, which revokes every vote
// from before coverages were stored.
func (c *command) revokeUncovered(
	fields []domain.Field, keyChanged bool, why string,
) ([]domain.Review, error) {
	revoked, err := c.uncoveredReviews(fields, keyChanged)
	for _, review := range revoked {
		c.revokeVotesOf(review, why)
	}
	return revoked, err
}

// uncoveredReviews returns the reviews whose votes do not cover the facts of the case after the
// command.
func (c *command) uncoveredReviews(
	fields []domain.Field, keyChanged bool,
) ([]domain.Review, error) {
	exclusions, err := c.loadExclusions()
	if err != nil || len(exclusions.Votes) == 0 {
		return nil, err
	}
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	present := coverageOf(c.def, c.change.Case,
		func(name string) string { return fieldValue(fields, name) })
	var uncovered []domain.Review
	for _, review := range c.reviews {
		if slices.ContainsFunc(exclusions.VotesIn(review.ID), func(vote domain.Vote) bool {
			_, known := facts.DecodeCoverage(vote.Covered)
			return keyChanged && !known || !voteCovers(vote, *exclusions, present)
		}) {
			uncovered = append(uncovered, review)
		}
	}
	return uncovered, nil
}

// votedReviews returns the reviews of the case that have votes.
func (c *command) votedReviews() ([]domain.Review, error) {
	exclusions, err := c.loadExclusions()
	if err != nil || len(exclusions.Votes) == 0 {
		return nil, err
	}
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	var voted []domain.Review
	for _, review := range c.reviews {
		if len(exclusions.VotesIn(review.ID)) > 0 {
			voted = append(voted, review)
		}
	}
	return voted, nil
}
