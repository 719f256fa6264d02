package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// ErasedTogether reads the cases that are erased together with the given one: the parts of its file,
// and the corrections of them.
func (r Reader) ErasedTogether(ctx context.Context, root domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "erased together", `SELECT id FROM erased_together($1) AS id ORDER BY id`,
		pgx.RowTo[domain.ID], root)
}

// ErasureState is what decides whether a case may be erased.
type ErasureState struct {
	CaseID     domain.ID
	Reference  string
	Status     domain.Status
	ParentID   domain.ID // the case whose file was split; NoID for none
	EndedAt    time.Time // zero if the case has not ended
	Days       int       // retention period of its document type
	ErasableAt time.Time // EndedAt and the period; zero if the case has not ended
	OnHold     bool
	Erased     bool
	Sampled    bool // its quality check has not ended
}

// ErasureStates reads the states of the cases, by id.
func (r Reader) ErasureStates(ctx context.Context, cases []domain.ID) ([]ErasureState, error) {
	return queryAll(ctx, r.q, "erasure state", `SELECT c.id, c.reference, c.status, c.parent_id,
		coalesce(e.at, '0001-01-01Z'), d.days,
		coalesce(e.at + make_interval(days => d.days), '0001-01-01Z'),
		EXISTS (SELECT FROM legal_holds h WHERE h.case_id = c.id AND h.lifted_at IS NULL),
		c.erased_at IS NOT NULL,
		EXISTS (SELECT FROM quality_samples s WHERE s.case_id = c.id AND s.ended_at IS NULL)
		FROM cases c, ended_at(c.id) AS e(at), retention_days(c.document_type) AS d(days)
		WHERE c.id = ANY($1) ORDER BY c.id`, pgx.RowToStructByPos[ErasureState], cases)
}

// ActedOn reports whether a person acted on one of the cases.
func (r Reader) ActedOn(ctx context.Context, cases []domain.ID, person domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "acted on", `SELECT EXISTS (SELECT FROM unnest($1::uuid[]) AS id
		WHERE acted_on(id, $2))`, pgx.RowTo[bool], cases, person)
}

// EventsWithBodies reads the numbers of the events of a case whose bodies are not erased.
func (r Reader) EventsWithBodies(ctx context.Context, caseID domain.ID) ([]int64, error) {
	return queryAll(ctx, r.q, "events with bodies", `SELECT seq FROM events WHERE case_id = $1
		AND body <> '' ORDER BY seq`, pgx.RowTo[int64], caseID)
}

// FilesOf reads the keys of the files that rows of a case refer to.
func (r Reader) FilesOf(ctx context.Context, caseID domain.ID) ([]string, error) {
	return queryAll(ctx, r.q, "files of case", `SELECT DISTINCT key FROM (
		SELECT d.blob_key AS key FROM documents d WHERE d.case_id = $1
		UNION ALL SELECT d.structured_key FROM documents d WHERE d.case_id = $1
		UNION ALL SELECT p.raster_key FROM pages p WHERE p.case_id = $1
		UNION ALL SELECT a.blob_key FROM note_attachments a WHERE a.case_id = $1
		UNION ALL SELECT d.blob_key FROM supporting_documents d WHERE d.case_id = $1
		UNION ALL SELECT p.raster_key FROM supporting_pages p WHERE p.case_id = $1
		UNION ALL SELECT p.raster_key FROM kept_pages p WHERE p.case_id = $1
		UNION ALL SELECT c.manifest_key FROM cases c WHERE c.id = $1) k WHERE key <> '' ORDER BY key`,
		pgx.RowTo[string], caseID)
}

// CaseErasure is what an erasure leaves of the rows that the checkpoints contain.
type CaseErasure struct {
	CaseID    domain.ID
	Proposal  domain.ID
	Decisions []domain.Decision // erased
	Votes     []domain.Vote
	VoteHash  []string // by vote, in hexadecimal
}

// EraseCase erases the personal data of a case. Its newest event, of this transaction, records the
// erasure. The database checks the proposal, the retention period and holds again.
func (t *Tx) EraseCase(ctx context.Context, e CaseErasure) error {
	ids, hashes, signatures := []domain.ID{}, []string{}, []string{}
	for i := range e.Decisions {
		hash, err := json.Marshal(e.Decisions[i].Erased)
		if err != nil {
			return err
		}
		signature, err := json.Marshal(e.Decisions[i].Signature)
		if err != nil {
			return err
		}
		ids = append(ids, e.Decisions[i].ID)
		hashes, signatures = append(hashes, string(hash)), append(signatures, string(signature))
	}
	people, duties := []domain.ID{}, []string{}
	for _, vote := range e.Votes {
		people, duties = append(people, vote.Person), append(duties, vote.Duty)
	}
	_, err := t.exec(ctx, "erase case", `SELECT erase_case($1, $2, $3, $4::jsonb[], $5::jsonb[], $6, $7, $8)`,
		e.CaseID, e.Proposal, ids, hashes, signatures, people, duties, append([]string{}, e.VoteHash...))
	return err
}

// RetentionPeriod is how long ended cases of a document type are kept; "" is every type without a
// period of its own.
type RetentionPeriod struct {
	DocumentType string
	Version      int
	Days         int
	ValidFrom    time.Time
	Reason       string
	SetBy        domain.ID
	ProposalID   domain.ID
	ProposedBy   domain.ID
}

const retentionColumns = `document_type, version, days,
	coalesce(nullif(valid_from, '-infinity'), '0001-01-01Z'), reason, set_by,
	coalesce(proposal_id, '00000000-0000-0000-0000-000000000000'),
	coalesce((SELECT p.proposed_by FROM proposals p WHERE p.id = proposal_id),
		'00000000-0000-0000-0000-000000000000')`

// RetentionPeriods reads the newest periods, at most limit.
func (r Reader) RetentionPeriods(ctx context.Context, limit int) ([]RetentionPeriod, error) {
	return queryAll(ctx, r.q, "retention", `SELECT `+retentionColumns+` FROM retention_periods
		ORDER BY document_type, version DESC LIMIT $1`, pgx.RowToStructByPos[RetentionPeriod], limit)
}

// PresentRetention is the period of a document type: the one in force, the longest that is in force or
// will be, and the newest version of the type's own, 0 if it has none.
type PresentRetention struct {
	Days    int
	Longest int
	Version int
	SetBy   domain.ID // who set the newest version; NoID for the built-in one
}

// PresentRetention reads the period of a document type.
func (r Reader) PresentRetention(ctx context.Context, documentType string) (PresentRetention, error) {
	return queryOne(ctx, r.q, "retention", `SELECT retention_days($1),
		greatest(retention_days($1), max(days) FILTER (WHERE valid_from > clock())),
		coalesce(max(version), 0), coalesce((SELECT n.set_by FROM retention_periods n
			WHERE n.document_type = $1 ORDER BY n.version DESC LIMIT 1),
			'00000000-0000-0000-0000-000000000000') FROM retention_periods WHERE document_type = $1`,
		pgx.RowToStructByPos[PresentRetention], documentType)
}

// AddRetentionPeriod adds a period and returns from when it applies. A shorter one needs a confirmed
// proposal, else FourEyes.
func (t *Tx) AddRetentionPeriod(ctx context.Context, p RetentionPeriod) (time.Time, error) {
	return queryOne(ctx, t.q, "retention", `INSERT INTO retention_periods (document_type, version, days,
		reason, set_by, proposal_id) VALUES ($1, $2, $3, $4, $5,
		nullif($6, '00000000-0000-0000-0000-000000000000'::uuid)) RETURNING valid_from`,
		pgx.RowTo[time.Time], p.DocumentType, p.Version, p.Days, p.Reason, p.SetBy, p.ProposalID)
}

// LegalHold keeps a case from being erased.
type LegalHold struct {
	ID       domain.ID
	CaseID   domain.ID
	Reason   string
	PlacedBy domain.ID
	PlacedAt time.Time
	LiftedAt time.Time // zero while it is in force
}

const holdColumns = `id, case_id, reason, placed_by, placed_at, coalesce(lifted_at, '0001-01-01Z')`

// LegalHold reads one hold; NotFound if there is none.
func (r Reader) LegalHold(ctx context.Context, id domain.ID) (LegalHold, error) {
	return queryOne(ctx, r.q, "legal hold", `SELECT `+holdColumns+` FROM legal_holds WHERE id = $1`,
		pgx.RowToStructByPos[LegalHold], id)
}

// LegalHolds reads the holds of a case, the newest first.
func (r Reader) LegalHolds(ctx context.Context, caseID domain.ID) ([]LegalHold, error) {
	return queryAll(ctx, r.q, "legal holds", `SELECT `+holdColumns+` FROM legal_holds WHERE case_id = $1
		ORDER BY placed_at DESC, id`, pgx.RowToStructByPos[LegalHold], caseID)
}

// PutLegalHold adds a hold.
func (t *Tx) PutLegalHold(ctx context.Context, h LegalHold) error {
	_, err := t.exec(ctx, "legal hold", `INSERT INTO legal_holds (id, case_id, reason, placed_by)
		VALUES ($1, $2, $3, $4)`, h.ID, h.CaseID, h.Reason, h.PlacedBy)
	return err
}

// LiftLegalHold ends a hold by a confirmed proposal, else FourEyes.
func (t *Tx) LiftLegalHold(ctx context.Context, id, proposal domain.ID) error {
	_, err := t.exec(ctx, "lift legal hold", `UPDATE legal_holds SET lifted_at = clock(), lift_id = $2
		WHERE id = $1`, id, proposal)
	return err
}

// Erasure is how a case was erased.
type Erasure struct {
	At          time.Time
	Reason      string
	ProposedBy  domain.ID
	ConfirmedBy domain.ID
}

// Erasure reads how a case was erased; NotFound if it was not.
func (r Reader) Erasure(ctx context.Context, caseID domain.ID) (Erasure, error) {
	return queryOne(ctx, r.q, "erasure", `SELECT c.erased_at, p.note, p.proposed_by, p.decided_by
		FROM cases c JOIN proposals p ON p.id = c.erasure_id WHERE c.id = $1`,
		pgx.RowToStructByPos[Erasure], caseID)
}
