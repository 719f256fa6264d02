package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/domain"
)

// hiddenVote is the condition that a row with a review and a person is of a hidden vote of that person.
func hiddenVote(review, person string) string {
	return `EXISTS (SELECT FROM reviews h WHERE h.vote_hidden AND h.id = ` + review +
		` AND h.assignee = ` + person + `)`
}

// hiddenOverride is the condition that an override was made by a hidden vote. One that the person made
// before is in an event, so everyone sees it.
func hiddenOverride(override string) string {
	return `(` + hiddenVote(override+".review_id", override+".person") + ` AND NOT EXISTS (SELECT FROM decisions h
		WHERE h.review_id = ` + override + `.review_id AND h.at > ` + override + `.at))`
}

// Decisions reads the decisions of the cases, oldest first, without hidden votes.
func (r Reader) Decisions(ctx context.Context, cases ...domain.ID) ([]domain.Decision, error) {
	if len(cases) == 1 {
		return batchedOr(ctx, r.availableBatchers().decisions, cases[0],
			func() ([]domain.Decision, error) { return r.decisions(ctx, cases...) })
	}
	return r.decisions(ctx, cases...)
}

func (r Reader) decisions(ctx context.Context, cases ...domain.ID) ([]domain.Decision, error) {
	return r.decisionsWhere(ctx, "NOT d.hidden", rangeArgs(cases)...)
}

// DecisionsAndHiddenVotes reads all decisions of the cases, oldest first. No page, file or answer may
// contain anything of a hidden vote, so only what counts votes reads them.
func (r Reader) DecisionsAndHiddenVotes(ctx context.Context, cases ...domain.ID) (
	[]domain.Decision, error) {
	return r.decisionsWhere(ctx, "true", rangeArgs(cases)...)
}

// RecordedDecisions reads all decisions of the cases, oldest first, with the hash of a hidden vote
// instead of its content.
func (r Reader) RecordedDecisions(ctx context.Context, cases ...domain.ID) ([]domain.Decision, error) {
	decisions, err := r.DecisionsAndHiddenVotes(ctx, cases...)
	for i := range decisions {
		if err == nil && decisions[i].Hidden {
			decisions[i], err = audit.HideDecision(decisions[i])
		}
	}
	return decisions, err
}

// DecisionsFor reads the decisions of the cases that the person may read, oldest first: of hidden votes
// only those that the person cast, or that were cast on behalf of the person. They are one head, because
// neither can vote again.
func (r Reader) DecisionsFor(ctx context.Context, person domain.ID, cases ...domain.ID) (
	[]domain.Decision, error) {
	return r.decisionsWhere(ctx, "NOT d.hidden OR $4 IN (d.actor, d.on_behalf_of)",
		append(rangeArgs(cases), person)...)
}

func (r Reader) decisionsWhere(ctx context.Context, where string, args ...any) (
	[]domain.Decision, error) {
	return queryAll(ctx, r.q, "decisions", `SELECT id, case_id, review_id, actor, on_behalf_of,
		verdict, reason, evidence, signature, at, salt, erased, hidden
		FROM (SELECT *, `+hiddenVote("decisions.review_id", "decisions.actor")+` AS hidden FROM decisions
			WHERE case_id = ANY($1) AND case_id BETWEEN $2 AND $3) d
		WHERE `+where+` ORDER BY case_id, at, id`, scanDecision, args...)
}

func scanDecision(row pgx.CollectableRow) (domain.Decision, error) {
	var d domain.Decision
	var evidence, signature, erased []byte
	err := row.Scan(&d.ID, &d.CaseID, &d.ReviewID, &d.Actor, &d.OnBehalfOf, &d.Verdict, &d.Reason,
		&evidence, &signature, &d.At, &d.Salt, &erased, &d.Hidden)
	if err != nil {
		return d, err
	}
	d.At = d.At.UTC()
	if signature != nil {
		if err := json.Unmarshal(signature, &d.Signature); err != nil {
			return d, err
		}
	}
	if erased != nil {
		if err := json.Unmarshal(erased, &d.Erased); err != nil {
			return d, err
		}
	}
	return d, json.Unmarshal(evidence, &d.Evidence)
}
