package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// UploadState is the state of a resumable upload.
type UploadState string

// The states of an upload: unfinished, used as the file of a new case, as the new file of a case, or as a
// supporting document.
const (
	UploadOpen       UploadState = "open"
	UploadSubmitted  UploadState = "submitted"
	UploadReplaced   UploadState = "replaced"
	UploadSupporting UploadState = "supporting"
)

// UploadRow is a resumable upload; Case is NoID while it is open.
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
	return queryOne(ctx, r.q, "upload", `SELECT `+uploadColumns+` FROM uploads WHERE id = $1
		AND owner = $2`,
		pgx.RowToStructByPos[UploadRow], id, owner)
}

// OpenUploadBounds limits the unfinished uploads of one owner: their number and their announced
// total size.
type OpenUploadBounds struct {
	Number, Bytes int64
}

// uploadLock is the first key of the advisory lock for counting an owner's uploads; the second is
// derived from the owner.
const uploadLock = 0x0B0D

// BeginUpload adds an upload unless it would exceed the owner's bounds. beyond names the exceeded
// bound, "number" or "bytes"; nothing is added then. Concurrent calls for an owner are serialized,
// so that together they cannot exceed a bound.
func (t *Tx) BeginUpload(ctx context.Context, u UploadRow,
	most OpenUploadBounds) (beyond string, err error) {
	if _, err := t.exec(ctx, "count uploads",
		`SELECT pg_advisory_xact_lock($1, hashtext($2::uuid::text))`, uploadLock,
		u.Owner); err != nil {
		return "", err
	}
	var number, bytes int64
	err = t.q.QueryRow(ctx, `SELECT count(*), coalesce(sum(size), 0)::bigint FROM uploads
		WHERE owner = $1 AND state = 'open'`, u.Owner).Scan(&number, &bytes)
	switch {
	case err != nil:
		return "", translate(err, "count uploads")
	case number >= most.Number:
		return "number", nil
	case u.Size > most.Bytes-bytes:
		return "bytes", nil
	}
	_, err = t.exec(ctx, "begin upload", `INSERT INTO uploads (id, owner, name, size)
		VALUES ($1, $2, $3, $4)`, u.ID, u.Owner, u.Name, u.Size)
	return "", err
}

// TouchUpload records activity of the owner on an open upload; false if the owner has no such
// upload.
func (t *Tx) TouchUpload(ctx context.Context, id, owner domain.ID) (bool, error) {
	n, err := t.exec(ctx, "touch upload", `UPDATE uploads SET touched_at = clock() WHERE id = $1
		AND owner = $2 AND state = 'open'`, id, owner)
	return n == 1, err
}

// AssignUpload assigns the owner's upload to a case; false if another command used it before.
func (t *Tx) AssignUpload(ctx context.Context, id, owner, caseID domain.ID,
	state UploadState) (bool, error) {
	n, err := t.exec(ctx, "assign upload", `UPDATE uploads SET state = $4, case_id = $3,
		touched_at = clock()
		WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner, caseID, string(state))
	return n == 1, err
}

// DeleteUpload deletes an open upload of the owner; false if the owner has no such upload.
func (t *Tx) DeleteUpload(ctx context.Context, id, owner domain.ID) (bool, error) {
	n, err := t.exec(ctx, "end upload", `DELETE FROM uploads WHERE id = $1 AND owner = $2
		AND state = 'open'`, id, owner)
	return n == 1, err
}

// DeleteOldUploads deletes uploads without activity for the given time, and those that a case used
// as long ago.
func (t *Tx) DeleteOldUploads(ctx context.Context, age time.Duration) (int64, error) {
	return t.exec(ctx, "delete uploads",
		`DELETE FROM uploads WHERE touched_at < clock() - make_interval(secs => $1)`, age.Seconds())
}

// PendingUploads returns which of the uploads are still open.
func (r Reader) PendingUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "open uploads", `SELECT id FROM uploads WHERE id = ANY($1)
		AND state = 'open'`, pgx.RowTo[domain.ID], ids)
}
