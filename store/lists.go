package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// CaseMatches reports whether the filter admits this case, by the same rule as CaseList.
func (r Reader) CaseMatches(ctx context.Context, filter domain.Filter,
	caseID domain.ID) (bool, error) {
	where, args, err := renderCases(filter, []any{caseID})
	if err != nil {
		return false, err
	}
	var yes bool
	err = r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM cases c WHERE c.id = $1 AND `+where+`)`,
		args...).Scan(&yes)
	return yes, translate(err, "may list")
}

// MatchingCases reads those of the cases that the filter admits, by the same rule as CaseList.
func (r Reader) MatchingCases(ctx context.Context, filter domain.Filter,
	ids []domain.ID) ([]domain.Case, error) {
	where, args, err := renderCases(filter, []any{ids})
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "matching cases", `SELECT `+caseColumns+` FROM cases c
		WHERE c.id = ANY($1) AND `+where, scanCase, args...)
}

// IdempotencyRecord is a stored outcome of a command.
type IdempotencyRecord struct {
	RequestHash []byte
	Outcome     json.RawMessage
}

// Outcome reads the stored outcome of a user's idempotency key; NotFound if the key is new.
func (r Reader) Outcome(ctx context.Context, person domain.ID,
	operation, key string) (IdempotencyRecord, error) {
	return queryOne(ctx, r.q, "idempotency", `SELECT request_hash, outcome FROM idempotency_keys
		WHERE person = $1 AND operation = $2 AND key = $3`,
		pgx.RowToStructByPos[IdempotencyRecord], person, operation, key)
}

// ReserveIdempotencyKey reserves the key in the command's transaction; false if a committed command
// has used it. It waits for a running command with the same key.
func (t *Tx) ReserveIdempotencyKey(ctx context.Context, person domain.ID, operation, key string,
	requestHash []byte) (bool, error) {
	n, err := t.exec(ctx, "reserve key",
		`INSERT INTO idempotency_keys (person, operation, key, request_hash, outcome)
		VALUES ($1, $2, $3, $4, '{}') ON CONFLICT DO NOTHING`, person, operation, key, requestHash)
	return n == 1, err
}

// SaveOutcome stores the outcome of the command with its reserved key.
func (t *Tx) SaveOutcome(ctx context.Context, person domain.ID, operation, key string,
	outcome []byte) error {
	_, err := t.exec(ctx, "keep outcome", `UPDATE idempotency_keys SET outcome = $4
		WHERE person = $1 AND operation = $2 AND key = $3`,
		person, operation, key, string(outcome))
	return err
}

// DeleteOldOutcomes deletes keys older than the age.
func (t *Tx) DeleteOldOutcomes(ctx context.Context, age time.Duration) error {
	_, err := t.exec(ctx, "delete outcomes", `DELETE FROM idempotency_keys
		WHERE created_at < clock() - make_interval(secs => $1)`, age.Seconds())
	return err
}

// DefinitionRow is one published version of a process.
type DefinitionRow struct {
	Key         string
	Version     int
	Document    string
	PublishedBy domain.ID
	PublishedAt time.Time
	ProposalID  domain.ID // NoID for built-in versions
}

// Definitions reads every published version, by key, newest first.
func (r Reader) Definitions(ctx context.Context) ([]DefinitionRow, error) {
	return queryAll(ctx, r.q, "definitions", `SELECT key, version, document, published_by,
		published_at, coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')
		FROM process_definitions
		WHERE status = 'published' ORDER BY key, version DESC`, pgx.RowToStructByPos[DefinitionRow])
}

// Definition reads one published version of a process; NotFound if there is none.
func (r Reader) Definition(ctx context.Context, key string, version int) (DefinitionRow, error) {
	return queryOne(ctx, r.q, "definition", `SELECT key, version, document, published_by,
		published_at, coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')
		FROM process_definitions
		WHERE status = 'published' AND key = $1 AND version = $2`,
		pgx.RowToStructByPos[DefinitionRow], key, version)
}

// NewestDefinition returns the newest published version of a process, 0 for none.
func (r Reader) NewestDefinition(ctx context.Context, key string) (int, error) {
	var version int
	err := r.q.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM process_definitions
		WHERE status = 'published' AND key = $1`, key).Scan(&version)
	return version, translate(err, "newest definition")
}

// NewestDefinitionText reads the newest published version of a process; its version is 0 if there is
// none.
func (r Reader) NewestDefinitionText(
	ctx context.Context, key string,
) (version int, document string, err error) {
	if version, err = r.NewestDefinition(ctx, key); err != nil || version == 0 {
		return 0, "", err
	}
	row, err := r.Definition(ctx, key, version)
	return version, row.Document, err
}

// NewDefinition is a version to publish. Without HasAmount no approval limit applies to its cases.
// With RequiresOrder no case without a payment order is archived as approved.
type NewDefinition struct {
	Key                      string
	Version                  int
	Document                 string
	HasAmount, RequiresOrder bool
	By                       domain.ID
	Proposal                 domain.ID // NoID for built-in versions
}

// PublishDefinition adds a version; false if the version already exists.
func (t *Tx) PublishDefinition(ctx context.Context, d NewDefinition) (bool, error) {
	n, err := t.exec(ctx, "publish",
		`INSERT INTO process_definitions (key, version, document, has_amount, requires_order,
		published_by, proposal_id)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, '00000000-0000-0000-0000-000000000000'::uuid))
		ON CONFLICT DO NOTHING`,
		d.Key, d.Version, d.Document, d.HasAmount, d.RequiresOrder, d.By, d.Proposal)
	return n == 1, err
}

// Policy reads the newest policy; NotFound when none was stored.
func (r Reader) Policy(ctx context.Context) (version int64, rules json.RawMessage, err error) {
	type row struct {
		Version int64
		Rules   json.RawMessage
	}
	p, err := queryOne(ctx, r.q, "policy", `SELECT version, rules FROM policies
		ORDER BY version DESC LIMIT 1`, pgx.RowToStructByPos[row])
	return p.Version, p.Rules, err
}

// PolicyAuthor reads the newest policy's version and its author; NotFound if none was stored.
func (r Reader) PolicyAuthor(ctx context.Context) (version int64, by domain.ID, err error) {
	type row struct {
		Version int64
		By      domain.ID
	}
	p, err := queryOne(ctx, r.q, "policy by", `SELECT version, created_by FROM policies
		ORDER BY version DESC LIMIT 1`, pgx.RowToStructByPos[row])
	return p.Version, p.By, err
}

// PutPolicy adds a version of the policy.
func (t *Tx) PutPolicy(ctx context.Context, version int64, rules json.RawMessage,
	by domain.ID) error {
	_, err := t.exec(ctx, "put policy", `INSERT INTO policies (version, rules, created_by)
		VALUES ($1, $2, $3)`, version, string(rules), by)
	return err
}
