package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// HasPendingLessons reports whether any case waits to be learned from.
func (r Reader) HasPendingLessons(ctx context.Context) (bool, error) {
	return queryOne(ctx, r.q, "pending lessons", `SELECT EXISTS (SELECT FROM vendor_pending)`,
		pgx.RowTo[bool])
}

// PendingLesson is a case to be learned from.
type PendingLesson struct {
	CaseID domain.ID
	// MayTeach says that the case is archived and approved and was not found wrong.
	MayTeach bool
}

// LockPendingLessons locks cases that wait to be learned from, at most limit, the oldest first.
func (t *Tx) LockPendingLessons(ctx context.Context, limit int) ([]PendingLesson, error) {
	return queryAll(ctx, t.q, "pending lessons", `WITH p AS (SELECT case_id, since FROM vendor_pending
		ORDER BY since, case_id LIMIT $1 FOR UPDATE SKIP LOCKED)
		SELECT case_id, may_teach(case_id) FROM p ORDER BY since, case_id`,
		pgx.RowToStructByPos[PendingLesson], limit)
}

// EndPendingLessons removes cases from those that wait, and their lessons unless they were revoked.
func (t *Tx) EndPendingLessons(ctx context.Context, pending []PendingLesson) error {
	ids := make([]domain.ID, len(pending))
	for i, one := range pending {
		ids[i] = one.CaseID
	}
	_, err := t.exec(ctx, "end pending lessons", `WITH d AS (DELETE FROM vendor_pending
			WHERE case_id = ANY($1))
		DELETE FROM vendor_lessons WHERE case_id = ANY($1) AND revoked_at IS NULL`, ids)
	return err
}

// AddLesson stores what a case teaches, to be found by the keys, unless its lesson was revoked.
func (t *Tx) AddLesson(ctx context.Context, lesson domain.Lesson, keys []string) error {
	body, err := json.Marshal(lesson)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "lesson", `INSERT INTO vendor_lessons (id, case_id, vendor_key, keys, body)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (case_id) DO NOTHING`, domain.NewID(), lesson.Case,
		domain.PartyKey(lesson.Name), keys, string(body))
	return err
}

// ApprovalRow is an approving decision that counts.
type ApprovalRow struct {
	By, OnBehalfOf domain.ID
	At             time.Time
}

// CountingApprovals reads the approving decisions of a case whose votes count.
func (r Reader) CountingApprovals(ctx context.Context, caseID domain.ID) ([]ApprovalRow, error) {
	return queryAll(ctx, r.q, "approvals", `SELECT d.actor, d.on_behalf_of, d.at FROM decisions d
		WHERE d.case_id = $1 AND d.verdict = 'approve' AND EXISTS (SELECT FROM votes v
			WHERE v.case_id = d.case_id AND v.review_id = d.review_id) ORDER BY d.at`,
		pgx.RowToStructByPos[ApprovalRow], caseID)
}

// LessonsByKeys reads the lessons that share most keys with the given ones, at most limit, the oldest
// first. Revoked ones are left out.
func (r Reader) LessonsByKeys(
	ctx context.Context, keys []string, limit int,
) ([]domain.Lesson, error) {
	return queryAll(ctx, r.q, "lessons", `SELECT case_id, body FROM (
			SELECT case_id, body, learned_at FROM vendor_lessons
			WHERE keys && $1 AND revoked_at IS NULL
			ORDER BY cardinality(ARRAY(SELECT unnest(keys) INTERSECT SELECT unnest($1::text[]))) DESC,
				learned_at DESC, case_id DESC LIMIT $2) l ORDER BY learned_at, case_id`,
		scanLesson, keys, limit)
}

func scanLesson(row pgx.CollectableRow) (lesson domain.Lesson, err error) {
	var body []byte
	var caseID domain.ID
	if err := row.Scan(&caseID, &body); err != nil {
		return lesson, err
	}
	err = json.Unmarshal(body, &lesson)
	lesson.Case = caseID
	return lesson, err
}

// StoredLesson is a lesson as administrators see it.
type StoredLesson struct {
	ID        domain.ID
	CaseID    domain.ID
	Lesson    domain.Lesson
	LearnedAt time.Time
	RevokedAt time.Time // zero if it is in use
	RevokedBy domain.ID
	Reason    string
}

const storedLessonColumns = `id, case_id, body, learned_at, revoked_at, revoked_by, reason`

// StoredLessons reads lessons, also revoked ones, of the vendors whose names contain a text, ordered
// by vendor and the newest first, at most limit.
func (r Reader) StoredLessons(ctx context.Context, text string, limit int) ([]StoredLesson, error) {
	return queryAll(ctx, r.q, "stored lessons", `SELECT `+storedLessonColumns+` FROM vendor_lessons
		WHERE strpos(lower(body->>'name'), lower($1)) > 0
		ORDER BY vendor_key, learned_at DESC, id LIMIT $2`, scanStoredLesson, text, limit)
}

// LockLesson locks a lesson.
func (t *Tx) LockLesson(ctx context.Context, id domain.ID) (StoredLesson, error) {
	return queryOne(ctx, t.q, "lesson", `SELECT `+storedLessonColumns+` FROM vendor_lessons
		WHERE id = $1 FOR UPDATE`, scanStoredLesson, id)
}

func scanStoredLesson(row pgx.CollectableRow) (s StoredLesson, err error) {
	var body []byte
	var revoked *time.Time
	if err := row.Scan(&s.ID, &s.CaseID, &body, &s.LearnedAt, &revoked, &s.RevokedBy,
		&s.Reason); err != nil {
		return s, err
	}
	if revoked != nil {
		s.RevokedAt = revoked.UTC()
	}
	s.LearnedAt = s.LearnedAt.UTC()
	err = json.Unmarshal(body, &s.Lesson)
	s.Lesson.Case = s.CaseID
	return s, err
}

// RevokeLesson stops the use of a lesson permanently.
func (t *Tx) RevokeLesson(ctx context.Context, id, by domain.ID, reason string) error {
	_, err := t.exec(ctx, "revoke lesson", `UPDATE vendor_lessons SET revoked_at = clock(),
		revoked_by = $2, reason = $3 WHERE id = $1`, id, by, reason)
	return err
}

// MarkLessons makes every archived case, and every case with a lesson, wait to be learned from again.
func (t *Tx) MarkLessons(ctx context.Context) (int64, error) {
	return t.exec(ctx, "mark lessons", `INSERT INTO vendor_pending (case_id)
		SELECT id FROM cases WHERE status = 'archived' UNION SELECT case_id FROM vendor_lessons
		ON CONFLICT DO NOTHING`)
}

// LessonsAfter reads lessons in the order of their cases, after the given case, at most limit.
func (r Reader) LessonsAfter(
	ctx context.Context, after domain.ID, limit int,
) ([]StoredLesson, error) {
	return queryAll(ctx, r.q, "lessons", `SELECT `+storedLessonColumns+` FROM vendor_lessons
		WHERE case_id > $1 AND revoked_at IS NULL ORDER BY case_id LIMIT $2`, scanStoredLesson, after,
		limit)
}

// MayTeach reports whether a case is archived and approved and was not found wrong.
func (r Reader) MayTeach(ctx context.Context, caseID domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "may teach", `SELECT may_teach($1)`, pgx.RowTo[bool], caseID)
}
