package einvoice

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/audit"
	"countersign/domain"
)

// Past is a case of a vendor that was archived before the test: of the document type, with an account
// ("" for none), an old date and a small amount. It makes the vendor known. Its manifest is the empty
// file.
type Past struct {
	ID                    domain.ID
	Key, Vendor           string // of the party
	DocumentType, Account string
}

// Execer runs a statement as the owner of the database.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

const insertPast = `WITH p AS (
	INSERT INTO parties (id, key, name, group_id) VALUES ($1, $2, $3, $1)
	ON CONFLICT (key) DO UPDATE SET name = excluded.name RETURNING id), c AS (
	INSERT INTO cases (id, reference, process_key, process_version, document_type, channel,
		counterparty, party_id, marking, status, outcome, submitter, correlation_id, manifest_key,
		amount_known, amount_minor, currency, base_minor, document_date, document_account,
		fields_revision, last_seq, head_hash)
	SELECT $1::uuid, 'CS-0-' || right('' || $1, 12), 'document_approval', 1, $4, 'api', $3, p.id,
		'{"tokens":[]}', 'archived', 'archived', $1::uuid, '', $6,
		true, 100, 'EUR', 110, '2020-01-31', $5, 1, 1, $7 FROM p), e AS (
	INSERT INTO events (case_id, seq, type, schema_version, actor, on_behalf_of, correlation_id, at,
		status_before, status_after, marking_before, marking_after, prev_hash, body_hash, hash, salt, body,
		txid)
	VALUES ($1, 1, $8, 1, $9, $10, '', $11, 'processing', 'archived', $12, $12, $13, $14, $7, $15, $16,
		pg_current_xact_id()))
	INSERT INTO fields (case_id, name, raw, normalised, confidence, source, grounded, revision)
	SELECT $1, f.name, f.value, f.value, 1, 'xml', true, 1
	FROM (VALUES ('iban', $5), ('date', '2020-01-31')) AS f(name, value)`

// Insert adds the case with one event, so that its record verifies.
func (p Past) Insert(ctx context.Context, db Execer) error {
	empty := sha256.Sum256(nil)
	manifest := fmt.Sprintf("%s/%s", p.ID, hex.EncodeToString(empty[:]))
	event := domain.Event{Stream: p.ID, Type: domain.CaseArchived, SchemaVersion: 1,
		Actor: domain.SystemUserID, At: time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC),
		StatusBefore: domain.Processing, StatusAfter: domain.Archived,
		Body: fmt.Appendf(nil, `{"manifestKey":%q,"manifestSha256":"%x"}`, manifest, empty)}
	if _, err := audit.Chain(audit.ChainHead{}, rand.Reader, &event); err != nil {
		return err
	}
	_, err := db.Exec(ctx, insertPast, p.ID, p.Key, p.Vendor, p.DocumentType, p.Account, manifest,
		event.Hash, string(event.Type), event.Actor, event.OnBehalfOf, event.At, event.MarkingAfter,
		event.PrevHash, event.BodyHash, event.Salt, string(event.Body))
	return err
}
