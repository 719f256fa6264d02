package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const commentColumns = `c.id, c.proposal_id, c.author, c.part, c.text, c.at,
	coalesce(c.resolved_by, '00000000-0000-0000-0000-000000000000'),
	coalesce(c.resolved_at, '0001-01-01'), q.proposed_by, q.status`

func scanComment(row pgx.CollectableRow) (domain.ProposalComment, error) {
	var c domain.ProposalComment
	err := row.Scan(&c.ID, &c.ProposalID, &c.Author, &c.Part, &c.Text, &c.At, &c.ResolvedBy,
		&c.ResolvedAt, &c.Proposer, &c.Status)
	c.At, c.ResolvedAt = c.At.UTC(), c.ResolvedAt.UTC()
	return c, err
}

// ProposalComments reads the comments that a proposal has: those on its text, and those on earlier
// texts of the same key that were not published. Of texts for an earlier version only the unresolved
// ones remain.
func (r Reader) ProposalComments(ctx context.Context, p domain.Proposal) (
	[]domain.ProposalComment, error) {
	return queryAll(ctx, r.q, "proposal comments", `SELECT `+commentColumns+`
		FROM proposals q JOIN proposal_comments c ON c.proposal_id = q.id
		WHERE q.kind = $1 AND q.key = $2 AND (q.id = $3 OR q.id < $3 AND q.status <> 'published'
			AND (q.base_version = $4 OR c.resolved_at IS NULL))
		ORDER BY c.id`, scanComment, string(p.Kind), p.Key, p.ID, p.Base)
}

// ProposalComment reads one comment; NotFound if there is none.
func (r Reader) ProposalComment(ctx context.Context, id domain.ID) (domain.ProposalComment, error) {
	return queryOne(ctx, r.q, "proposal comment", `SELECT `+commentColumns+`
		FROM proposal_comments c JOIN proposals q ON q.id = c.proposal_id WHERE c.id = $1`,
		scanComment, id)
}

// CountComments counts the comments on a proposal's own text, and those that a person wrote within
// the period.
func (r Reader) CountComments(ctx context.Context, proposal, author domain.ID, period time.Duration,
) (onText, written int, err error) {
	counts, err := queryOne(ctx, r.q, "count comments", `SELECT
		(SELECT count(*)::int FROM proposal_comments WHERE proposal_id = $1),
		(SELECT count(*)::int FROM proposal_comments WHERE author = $2
			AND at > clock() - make_interval(secs => $3))`,
		pgx.RowToStructByPos[struct{ OnText, Written int }], proposal, author, period.Seconds())
	return counts.OnText, counts.Written, err
}

// InsertComment adds a comment on an open proposal.
func (t *Tx) InsertComment(ctx context.Context, c domain.ProposalComment) error {
	_, err := t.exec(ctx, "comment", `INSERT INTO proposal_comments (id, proposal_id, author, part, text)
		VALUES ($1, $2, $3, $4, $5)`, c.ID, c.ProposalID, c.Author, c.Part, c.Text)
	return err
}

// ResolveComment records who resolved a comment.
func (t *Tx) ResolveComment(ctx context.Context, id, by domain.ID) error {
	_, err := t.exec(ctx, "resolve comment", `UPDATE proposal_comments SET resolved_by = $2,
		resolved_at = clock() WHERE id = $1`, id, by)
	return err
}
