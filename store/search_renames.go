package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// casesOfPerson are the cases c whose row of the search index contains the name of the person n.
const casesOfPerson = `SELECT o.id FROM cases o WHERE o.submitter = n.person
	UNION SELECT w.case_id FROM reviews w WHERE w.assignee = n.person
	UNION SELECT d.case_id FROM decisions d WHERE d.actor = n.person OR d.on_behalf_of = n.person`

// QueueRenamed queues the cases of renamed people for the search index. A rename that is not committed
// is waited for, so that none is lost.
func (t *Tx) QueueRenamed(ctx context.Context) error {
	_, err := t.exec(ctx, "queue renamed", `WITH n AS (DELETE FROM search_renames RETURNING person)
		INSERT INTO search_due (case_id) SELECT DISTINCT c.id FROM n CROSS JOIN LATERAL (`+casesOfPerson+`) c(id)
		ON CONFLICT DO NOTHING`)
	return err
}

// TakeRenamed removes cases from the queue of the search index and returns them. They are locked until
// the end of the transaction, so a rename that is queued meanwhile queues them again.
func (t *Tx) TakeRenamed(ctx context.Context, limit int) ([]domain.ID, error) {
	return queryAll(ctx, t.q, "take renamed", `DELETE FROM search_due WHERE case_id IN (
		SELECT case_id FROM search_due ORDER BY case_id LIMIT $1) RETURNING case_id`, pgx.RowTo[domain.ID], limit)
}
