package store

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const modelRunColumns = `id, case_id, run_id, node, document_revision, at, model, prompt_version,
	prompt_hash, parameters, outcome, error_code, error_text, calls, input_tokens, output_tokens,
	cost_micros, currency, took_ms, prompt, answer, input, images`

// AddModelRun keeps what a model was asked about a case.
func (t *Tx) AddModelRun(ctx context.Context, r domain.ModelRun) error {
	parameters, err := jsonText(r.Parameters)
	if err != nil {
		return err
	}
	if r.Calls == nil {
		r.Calls = []domain.ModelCall{}
	}
	calls, err := jsonText(r.Calls)
	if err != nil {
		return err
	}
	images, err := jsonText(r.Images)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "add model run", `INSERT INTO model_runs (`+modelRunColumns+`)
		VALUES ($1, $2, $3, $4, $5, clock(), $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
		$18, $19, $20, $21, $22)`, r.ID, r.CaseID, r.RunID, r.Node, r.DocumentRevision, r.Model, r.PromptVersion,
		r.PromptHash, parameters, r.Outcome, string(r.ErrorCode), r.ErrorText, calls, r.InputTokens,
		r.OutputTokens, r.CostMicros, r.Currency, r.Took.Milliseconds(), r.Prompt, r.Answer,
		cmp.Or(r.Input, domain.ModelText), images)
	return err
}

// ModelRuns reads the newest runs of models about a case, oldest first, at most limit.
func (r Reader) ModelRuns(ctx context.Context, caseID domain.ID, limit int) ([]domain.ModelRun, error) {
	return queryAll(ctx, r.q, "model runs", `SELECT `+modelRunColumns+` FROM (
		SELECT * FROM model_runs WHERE case_id = $1 ORDER BY at DESC, id DESC LIMIT $2) r ORDER BY at, id`, scanModelRun, caseID, limit)
}

// ModelAnswer reads the newest answer of a model to the same prompt about the case; false if there is
// none.
func (r Reader) ModelAnswer(ctx context.Context, caseID domain.ID, model string, promptHash []byte) (
	domain.ModelRun, bool, error) {
	found, err := queryAll(ctx, r.q, "model answer", `SELECT `+modelRunColumns+` FROM model_runs
		WHERE case_id = $1 AND model = $2 AND prompt_hash = $3 AND outcome = 'answered' AND answer <> ''
		ORDER BY at DESC LIMIT 1`, scanModelRun, caseID, model, promptHash)
	if err != nil || len(found) == 0 {
		return domain.ModelRun{}, false, err
	}
	return found[0], true, nil
}

func scanModelRun(row pgx.CollectableRow) (domain.ModelRun, error) {
	var r domain.ModelRun
	var took int64
	err := row.Scan(&r.ID, &r.CaseID, &r.RunID, &r.Node, &r.DocumentRevision, &r.At, &r.Model,
		&r.PromptVersion, &r.PromptHash, &r.Parameters, &r.Outcome, &r.ErrorCode, &r.ErrorText, &r.Calls,
		&r.InputTokens, &r.OutputTokens, &r.CostMicros, &r.Currency, &took, &r.Prompt, &r.Answer, &r.Input,
		&r.Images)
	r.At, r.Took = r.At.UTC(), time.Duration(took)*time.Millisecond
	return r, err
}

// ModelSpending is what calls of models used or reserved in one scope.
type ModelSpending struct {
	Scope      string // hour, day or case
	Subject    string // begin of the hour or day, or id of the case
	Tokens     int64
	CostMicros int64
}

// AddModelSpending adds an amount, which may be negative, to the spending of the case, and of the hour
// and the day of a time, and returns the new sums in that order. The rows stay locked to the end of the
// transaction, so that concurrent reservations are judged one after the other.
func (t *Tx) AddModelSpending(ctx context.Context, caseID domain.ID, at time.Time, tokens,
	costMicros int64) ([]ModelSpending, error) {
	subjects := []ModelSpending{{Scope: "case", Subject: caseID.String()},
		{Scope: "hour", Subject: at.UTC().Truncate(time.Hour).Format(time.RFC3339)},
		{Scope: "day", Subject: at.UTC().Format(time.DateOnly)}}
	for i := range subjects {
		one := &subjects[i]
		err := t.q.QueryRow(ctx, `INSERT INTO model_budget AS b (scope, subject, tokens, cost_micros)
			VALUES ($1, $2, greatest($3, 0), greatest($4, 0)) ON CONFLICT (scope, subject) DO UPDATE SET
			tokens = greatest(b.tokens + $3, 0), cost_micros = greatest(b.cost_micros + $4, 0)
			RETURNING tokens, cost_micros`, one.Scope, one.Subject, tokens, costMicros).
			Scan(&one.Tokens, &one.CostMicros)
		if err != nil {
			return nil, translate(err, "model spending")
		}
	}
	return subjects, nil
}
