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
	return one(ctx, r.q, "upload", `SELECT `+uploadColumns+` FROM uploads WHERE id = $1 AND owner = $2`,
		pgx.RowToStructByPos[UploadRow], id, owner)
}

// BeginUpload adds an upload unless the owner has as many unfinished ones as they may; false then.
func (t *Tx) BeginUpload(ctx context.Context, u UploadRow, most int) (bool, error) {
	n, err := t.exec(ctx, "begin upload", `INSERT INTO uploads (id, owner, name, size) SELECT $1, $2, $3, $4
		WHERE (SELECT count(*) FROM uploads WHERE owner = $2 AND state = 'open') < $5`, u.ID, u.Owner, u.Name, u.Size, most)
	return n == 1, err
}

// TouchUpload notes a sign of the owner on an upload that no case took; false when there is none of theirs.
func (t *Tx) TouchUpload(ctx context.Context, id, owner domain.ID) (bool, error) {
	n, err := t.exec(ctx, "touch upload", `UPDATE uploads SET touched_at = clock() WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner)
	return n == 1, err
}

// TakeUpload gives the owner's upload to a case; false when another command took it before.
func (t *Tx) TakeUpload(ctx context.Context, id, owner, caseID domain.ID, state UploadState) (bool, error) {
	n, err := t.exec(ctx, "take upload", `UPDATE uploads SET state = $4, case_id = $3, touched_at = clock()
		WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner, caseID, string(state))
	return n == 1, err
}

// EndUpload forgets an upload of the owner that no case took; false when there is none of theirs.
func (t *Tx) EndUpload(ctx context.Context, id, owner domain.ID) (bool, error) {
	n, err := t.exec(ctx, "end upload", `DELETE FROM uploads WHERE id = $1 AND owner = $2 AND state = 'open'`, id, owner)
	return n == 1, err
}

// ForgetUploads deletes uploads that nobody came back to within the age, and those that a case took so long ago.
func (t *Tx) ForgetUploads(ctx context.Context, age time.Duration) (int64, error) {
	return t.exec(ctx, "forget uploads", `DELETE FROM uploads WHERE touched_at < clock() - make_interval(secs => $1)`, age.Seconds())
}

// OpenUploads returns those of the uploads that no case took.
func (r Reader) OpenUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error) {
	return collect(ctx, r.q, "open uploads", `SELECT id FROM uploads WHERE id = ANY($1) AND state = 'open'`, pgx.RowTo[domain.ID], ids)
}
