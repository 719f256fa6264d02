package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// RuleSetRow is one published version of a rule set.
type RuleSetRow struct {
	Key         string
	Version     int
	Document    string
	PublishedBy domain.ID
	PublishedAt time.Time
	ProposalID  domain.ID // NoID for built-in versions
}

const ruleSetColumns = `key, version, document, published_by, published_at,
	coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')`

// RuleSets reads every published version, by key, newest first.
func (r Reader) RuleSets(ctx context.Context) ([]RuleSetRow, error) {
	return queryAll(ctx, r.q, "rule sets", `SELECT `+ruleSetColumns+` FROM rule_sets
		ORDER BY key, version DESC`, pgx.RowToStructByPos[RuleSetRow])
}

// RuleSet reads one published version; NotFound if there is none.
func (r Reader) RuleSet(ctx context.Context, key string, version int) (RuleSetRow, error) {
	return queryOne(ctx, r.q, "rule set", `SELECT `+ruleSetColumns+` FROM rule_sets WHERE key = $1
		AND version = $2`,
		pgx.RowToStructByPos[RuleSetRow], key, version)
}

// RuleSetText returns a function that reads the document of a published version.
func (r Reader) RuleSetText(ctx context.Context) func(key string, version int) (string, error) {
	return func(key string, version int) (string, error) {
		row, err := r.RuleSet(ctx, key, version)
		return row.Document, err
	}
}

// NewestRuleSet returns the newest published version of a rule set, 0 for none.
func (r Reader) NewestRuleSet(ctx context.Context, key string) (int, error) {
	var version int
	err := r.q.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM rule_sets WHERE key = $1`, key).
		Scan(&version)
	return version, translate(err, "newest rule set")
}

// PublishRuleSet adds a version; false if the version already exists.
func (t *Tx) PublishRuleSet(ctx context.Context, row RuleSetRow) (bool, error) {
	n, err := t.exec(ctx, "publish rule set",
		`INSERT INTO rule_sets (key, version, document, published_by, proposal_id)
		VALUES ($1, $2, $3, $4, nullif($5, '00000000-0000-0000-0000-000000000000'::uuid))
		ON CONFLICT DO NOTHING`,
		row.Key, row.Version, row.Document, row.PublishedBy, row.ProposalID)
	return n == 1, err
}
