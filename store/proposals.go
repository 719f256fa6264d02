package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const proposalColumns = `id, kind, key, base_version, restores, document, report, note, status,
	proposed_by, proposed_at, coalesce(decided_by, '00000000-0000-0000-0000-000000000000'),
	coalesce(decided_at, '0001-01-01'), reason`

func scanProposal(row pgx.CollectableRow) (domain.Proposal, error) {
	var p domain.Proposal
	err := row.Scan(&p.ID, &p.Kind, &p.Key, &p.Base, &p.Restores, &p.Document, &p.Report, &p.Note,
		&p.Status, &p.ProposedBy, &p.ProposedAt, &p.DecidedBy, &p.DecidedAt, &p.Reason)
	p.ProposedAt, p.DecidedAt = p.ProposedAt.UTC(), p.DecidedAt.UTC()
	return p, err
}

// Proposal reads one proposal; NotFound if there is none.
func (r Reader) Proposal(ctx context.Context, id domain.ID) (domain.Proposal, error) {
	return queryOne(ctx, r.q, "proposal", `SELECT `+proposalColumns+` FROM proposals WHERE id = $1`,
		scanProposal, id)
}

// ProposalsByID reads proposals by their ids.
func (r Reader) ProposalsByID(ctx context.Context, ids []domain.ID) (
	map[domain.ID]domain.Proposal, error) {
	found, err := queryAll(ctx, r.q, "proposals by id", `SELECT `+proposalColumns+` FROM proposals
		WHERE id = ANY($1)`, scanProposal, ids)
	proposals := make(map[domain.ID]domain.Proposal, len(found))
	for i := range found {
		proposals[found[i].ID] = found[i]
	}
	return proposals, err
}

// ProposalQuery selects proposals; "" selects all.
type ProposalQuery struct {
	Kinds  []domain.ProposalKind // at least one
	Key    string
	Status domain.ProposalStatus
	Before domain.ID // keyset: proposals made before this one; NoID = from the newest
	Limit  int
}

// Proposals reads proposals, newest first.
func (r Reader) Proposals(ctx context.Context, q ProposalQuery) ([]domain.Proposal, error) {
	kinds := make([]string, 0, len(q.Kinds))
	for _, kind := range q.Kinds {
		kinds = append(kinds, string(kind))
	}
	return queryAll(ctx, r.q, "proposals", `SELECT `+proposalColumns+` FROM proposals
		WHERE kind = ANY($1) AND ($2 = '' OR key = $2) AND ($3 = '' OR status = $3)
			AND ($4 = '00000000-0000-0000-0000-000000000000'::uuid OR id < $4)
		ORDER BY id DESC LIMIT $5`, scanProposal, kinds, q.Key, string(q.Status), q.Before, q.Limit)
}

// LockProposal reads a proposal FOR UPDATE.
func (t *Tx) LockProposal(ctx context.Context, id domain.ID) (domain.Proposal, error) {
	return queryOne(ctx, t.q, "proposal", `SELECT `+proposalColumns+` FROM proposals
		WHERE id = $1 FOR UPDATE`, scanProposal, id)
}

// PutProposal adds an open proposal.
func (t *Tx) PutProposal(ctx context.Context, p domain.Proposal) error {
	_, err := t.exec(ctx, "propose",
		`INSERT INTO proposals (id, kind, key, base_version, restores, document, report, note,
		proposed_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, p.ID, string(p.Kind), p.Key, p.Base,
		p.Restores, p.Document, string(p.Report), p.Note, p.ProposedBy)
	return err
}

// EndProposal publishes or withdraws an open proposal.
func (t *Tx) EndProposal(ctx context.Context, id domain.ID, status domain.ProposalStatus,
	by domain.ID, reason string) error {
	_, err := t.exec(ctx, "end proposal", `UPDATE proposals SET status = $2, decided_by = $3,
		decided_at = clock(), reason = $4 WHERE id = $1`,
		id, string(status), by, reason)
	return err
}

// Staffing is the result of the last check whether a process's newest version has enough eligible
// people.
type Staffing struct {
	Key       string
	Version   int
	Problems  []byte // JSON list
	CheckedAt time.Time
}

// Staffings reads the results for all processes.
func (r Reader) Staffings(ctx context.Context) ([]Staffing, error) {
	return queryAll(ctx, r.q, "staffing", `SELECT key, version, problems, asked_at FROM staffing
		ORDER BY key`, pgx.RowToStructByPos[Staffing])
}

// PutStaffing stores the newest result; changed reports whether it differs from the previous one.
func (t *Tx) PutStaffing(ctx context.Context, s Staffing) (changed bool, err error) {
	err = t.q.QueryRow(ctx, `WITH before AS (SELECT problems FROM staffing WHERE key = $1)
		INSERT INTO staffing (key, version, problems) VALUES ($1, $2, $3)
		ON CONFLICT (key) DO UPDATE SET version = excluded.version, problems = excluded.problems,
		asked_at = clock()
		RETURNING coalesce((SELECT problems FROM before), '[]') <> $3::jsonb`, s.Key, s.Version,
		string(s.Problems)).Scan(&changed)
	return changed, translate(err, "staffing")
}
