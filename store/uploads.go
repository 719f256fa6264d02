package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// UploadState says what became of a resumable upload.
type UploadState string

// The states: waited for, the file of a new case, or the new file of a case.
const (
	UploadOpen      UploadState = "open"
	UploadSubmitted UploadState = "submitted"
	UploadReplaced  UploadState = "replaced"
)

// UploadRow is a resumable upload: Case is NoID while it is open.
type UploadRow struct {
	ID    domain.ID
	Owner domain.ID
	Name  string
	Size  int64
	Case  domain.ID
	State UploadState
}

const uploadColumns = `id, owner, name, size, case_id, state`

// Upload reads an upload of the owner; NotFound for any other.
func (r Reader) Upload(ctx context.Context, id, owner domain.ID) (UploadRow, error) {
	return queryOne(ctx, r.q, "upload", `SELECT `+uploadColumns+` FROM uploads WHERE id = $1 AND owner = $2`,
		pgx.RowToStructByPos[UploadRow], id, owner)
}

// OpenUploadBounds are what one owner may have unfinished at one time: how many, and how large together as announced.
type OpenUploadBounds struct {
	Number, Bytes int64
}

// uploadLock is the first key of the advisory lock under which one owner's uploads are counted; the second is of the owner.
const uploadLock = 0x0B0D

// BeginUpload adds an upload unless the owner would then have more unfinished than they may. beyond names the bound that is
// reached, "number" or "bytes"; nothing is added then. An owner's concurrent beginnings take turns, so that none slips by.
func (t *Tx) BeginUpload(ctx context.Context, u UploadRow, most OpenUploadBounds) (beyond string, err error) {
	if _, err := t.exec(ctx, "count uploads", `SELECT pg_advisory_xact_lock($1, hashtext($2::uuid::text))`, uploadLock, u.Owner); err != nil {
		return "", err
	}
	var number, bytes int64
	err = t.q.QueryRow(ctx, `SELECT count(*), coalesce(sum(size), 0)::bigint FROM uploads WHERE owner = $1 AND state = 'open'`, u.Owner).Scan(&number, &bytes)
	switch {
	case err != nil:
		return "", translate(err, "count uploads")
	case number >= most.Number:
		return "number", nil
	case u.Size > most.Bytes-bytes:
		return "bytes", nil
	}
	_, err = t.exec(ctx, "begin upload", `INSERT INTO uploads (id, owner, name, size) VALUES ($1, $2, $3, $4)`, u.ID, u.Owner, u.Name, u.Size)
	return "", err
}

// TouchUpload notes a sign of the owner on an upload that no case took; false when there is none of theirs.
func (t *Tx) TouchUpload(ctx context.Context, id, owner domain.ID) (bool, error) {
	n, err := t.exec(ctx, "touch upload", `UPDATE uploads SET touched_at = clock() WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner)
	return n == 1, err
}

// AssignUpload gives the owner's upload to a case; false when another command took it before.
func (t *Tx) AssignUpload(ctx context.Context, id, owner, caseID domain.ID, state UploadState) (bool, error) {
	n, err := t.exec(ctx, "take upload", `UPDATE uploads SET state = $4, case_id = $3, touched_at = clock()
		WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner, caseID, string(state))
	return n == 1, err
}

// DeleteUpload forgets an upload of the owner that no case took; false when there is none of theirs.
func (t *Tx) DeleteUpload(ctx context.Context, id, owner domain.ID) (bool, error) {
	n, err := t.exec(ctx, "end upload", `DELETE FROM uploads WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner)
	return n == 1, err
}

// DeleteOldUploads deletes uploads that nobody came back to within the age, and those that a case took so long ago.
func (t *Tx) DeleteOldUploads(ctx context.Context, age time.Duration) (int64, error) {
	return t.exec(ctx, "forget uploads", `DELETE FROM uploads WHERE touched_at < clock() - make_interval(secs => $1)`, age.Seconds())
}

// PendingUploads returns those of the uploads that no case took.
func (r Reader) PendingUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "open uploads", `SELECT id FROM uploads WHERE id = ANY($1) AND state = 'open'`, pgx.RowTo[domain.ID], ids)
}
