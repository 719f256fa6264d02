package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const sagaColumns = `case_id, node, visit, step, undo, name, call, key, status, attempts, reference,
	error_code, error_text, started_at, coalesce(ended_at, '0001-01-01Z')`

// BeginSagaStep records that the call is about to be made; a repetition counts as another attempt.
func (t *Tx) BeginSagaStep(ctx context.Context, s domain.SagaStep) error {
	_, err := t.exec(ctx, "begin saga step",
		`INSERT INTO saga_steps (case_id, node, visit, step, undo, name, call, key, status)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'calling')
		ON CONFLICT (case_id, node, visit, step, undo) DO UPDATE SET
		attempts = saga_steps.attempts + 1, status = 'calling', error_code = '', error_text = '',
		ended_at = NULL
		WHERE saga_steps.status <> 'done'`, s.CaseID, s.Node, s.Visit, s.Step, s.Undo, s.Name,
		s.Call, s.Key)
	return err
}

// EndSagaStep records the result of the call.
func (t *Tx) EndSagaStep(ctx context.Context, s domain.SagaStep) error {
	_, err := t.exec(ctx, "end saga step", `UPDATE saga_steps SET status = $6, reference = $7,
		error_code = $8, error_text = $9, ended_at = clock()
		WHERE case_id = $1 AND node = $2 AND visit = $3 AND step = $4 AND undo = $5`, s.CaseID,
		s.Node, s.Visit, s.Step, s.Undo, string(s.Status), s.Reference, string(s.ErrorCode),
		s.ErrorText)
	return err
}

// SagaSteps reads the calls of the case's sagas to other systems, in the order in which they began.
func (r Reader) SagaSteps(ctx context.Context, caseID domain.ID) ([]domain.SagaStep, error) {
	return queryAll(ctx, r.q, "saga steps", `SELECT `+sagaColumns+` FROM saga_steps
		WHERE case_id = $1 ORDER BY started_at, step, undo`,
		scanSagaStep, caseID)
}

func scanSagaStep(row pgx.CollectableRow) (domain.SagaStep, error) {
	var s domain.SagaStep
	err := row.Scan(&s.CaseID, &s.Node, &s.Visit, &s.Step, &s.Undo, &s.Name, &s.Call, &s.Key,
		&s.Status, &s.Attempts, &s.Reference, &s.ErrorCode, &s.ErrorText, &s.StartedAt, &s.EndedAt)
	for _, at := range []*time.Time{&s.StartedAt, &s.EndedAt} {
		*at = at.UTC()
	}
	return s, err
}
