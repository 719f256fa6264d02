package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const ownersColumns = `process, version, owners, required, reason, set_by, valid_from, proposal_id`

// ProcessOwners reads the owners of a process; version 0 if none were ever named.
func (r Reader) ProcessOwners(ctx context.Context, process string) (domain.ProcessOwners, error) {
	owners, err := queryOne(ctx, r.q, "process owners", `SELECT `+ownersColumns+` FROM process_owners
		WHERE process = $1 ORDER BY version DESC LIMIT 1`, pgx.RowToStructByPos[domain.ProcessOwners],
		process)
	if domain.HasCode(err, domain.NotFound) {
		return domain.ProcessOwners{Process: process}, nil
	}
	return owners, err
}

// OwnedProcesses reads the owners of all processes that have some, by process.
func (r Reader) OwnedProcesses(ctx context.Context) ([]domain.ProcessOwners, error) {
	return queryAll(ctx, r.q, "owned processes", `SELECT `+ownersColumns+` FROM (
			SELECT DISTINCT ON (process) * FROM process_owners ORDER BY process, version DESC) present
		WHERE required > 0 ORDER BY process`, pgx.RowToStructByPos[domain.ProcessOwners])
}

// OwnsProcess reports whether the person owns any process.
func (r Reader) OwnsProcess(ctx context.Context, person domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "owner", `SELECT EXISTS (SELECT FROM process_owners o
		WHERE $1 = ANY (o.owners) AND NOT EXISTS (SELECT FROM process_owners later
			WHERE later.process = o.process AND later.version > o.version))`, pgx.RowTo[bool], person)
}

// AddProcessOwners names the owners of a process. The database refuses them without a confirmed proposal
// that the owners before them approved.
func (t *Tx) AddProcessOwners(ctx context.Context, o domain.ProcessOwners) error {
	_, err := t.exec(ctx, "process owners", `INSERT INTO process_owners (process, version, owners,
		required, reason, set_by, proposal_id) VALUES ($1, $2, $3, $4, $5, $6, $7)`, o.Process,
		o.Version, append([]domain.ID{}, o.Owners...), o.Required, o.Reason, o.SetBy, o.ProposalID)
	return err
}

// OwnerDecisions reads the newest decision of each of the owners about a proposal, oldest first.
func (r Reader) OwnerDecisions(ctx context.Context, proposal domain.ID, owners []domain.ID) (
	[]domain.OwnerDecision, error) {
	return queryAll(ctx, r.q, "owner decisions", `SELECT id, proposal_id, owner, approved, reason,
			sha256, at FROM (SELECT DISTINCT ON (owner) * FROM owner_decisions
			WHERE proposal_id = $1 AND owner = ANY($2) ORDER BY owner, id DESC) newest ORDER BY id`,
		pgx.RowToStructByPos[domain.OwnerDecision], proposal, owners)
}

// AddOwnerDecision records what an owner decided about an open proposal.
func (t *Tx) AddOwnerDecision(ctx context.Context, d domain.OwnerDecision) error {
	_, err := t.exec(ctx, "owner decision", `INSERT INTO owner_decisions (id, proposal_id, owner,
		approved, reason, sha256) VALUES ($1, $2, $3, $4, $5, $6)`, d.ID, d.ProposalID, d.Owner,
		d.Approved, d.Reason, d.SHA256)
	return err
}
