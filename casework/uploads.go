package casework

import (
	"context"
	"io"
	"time"

	"countersign/domain"
	"countersign/store"
)

// Uploads keeps files that come in pieces, until a case takes them. The rows say whose each is; that one is whole is
// told by its size and by nothing else, so that no notice of it can be missed.
type Uploads interface {
	// Open gives the bytes that have come so far, and how many; NotFound when there are none.
	Open(ctx context.Context, id domain.ID) (content io.ReadCloser, size int64, err error)
	// Remove forgets the bytes; there being none is no error.
	Remove(ctx context.Context, id domain.ID) error
}

// maxOpenUploads bounds what one person has under way: 200 files dropped at once go through, a filled disk does not.
const maxOpenUploads = 300

// BeginUpload makes room for a file that will come in pieces. It is refused by who may submit and by its size before
// the first byte.
func (h *Hall) BeginUpload(ctx context.Context, actor domain.Actor, name string, size int64) (domain.ID, error) {
	err := h.MaySubmit(ctx, actor)
	if err == nil {
		err = h.checkSize(size)
	}
	if err != nil {
		h.refused(ctx, actor, "upload", domain.NoID, err)
		return domain.NoID, err
	}
	row := store.UploadRow{ID: domain.NewID(), Owner: actor.UserID, Name: safeFileName(name), Size: size}
	begun, err := h.db.Alone().BeginUpload(ctx, row, maxOpenUploads)
	if err == nil && !begun {
		err = domain.Fail(domain.RateLimited, "You have %d unfinished uploads already.", maxOpenUploads).
			WithWayOut("Finish or cancel some of them first.").WithDetail("limit", "uploads")
	}
	return row.ID, err
}

// ContinueUpload says whether the person may go on with the upload. One of another person, or one that a case took, is
// NotFound.
func (h *Hall) ContinueUpload(ctx context.Context, actor domain.Actor, id domain.ID) error {
	if err := scope(actor, domain.ActSubmit); err != nil {
		return err
	}
	return upheld(h.db.Alone().TouchUpload(ctx, id, actor.UserID))
}

// EndUpload forgets an upload that its owner gave up.
func (h *Hall) EndUpload(ctx context.Context, actor domain.Actor, id domain.ID) error {
	if err := scope(actor, domain.ActSubmit); err != nil {
		return err
	}
	return upheld(h.db.Alone().EndUpload(ctx, id, actor.UserID))
}

func upheld(theirs bool, err error) error {
	if err == nil && !theirs {
		return noUpload()
	}
	return err
}

// noUpload is the answer for an upload that there is not, or that is another person's.
func noUpload() *domain.Error {
	return domain.Fail(domain.NotFound, "There is no such upload.").WithWayOut("Send the file again.")
}

// ForgetUploads forgets what nobody came back to within the age. The bytes are removed by whoever keeps them.
func (h *Hall) ForgetUploads(ctx context.Context, age time.Duration) (int64, error) {
	return h.db.Alone().ForgetUploads(ctx, age)
}

// OpenUploads returns those of the uploads that are still waited for.
func (h *Hall) OpenUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error) {
	return h.db.Reader().OpenUploads(ctx, ids)
}

// uploaded finds a whole upload of the actor's. One that a command of this kind has taken before comes with its case in
// taken, which answers the command sent again; one taken otherwise is NotFound.
func (h *Hall) uploaded(ctx context.Context, actor domain.Actor, id domain.ID, kind store.UploadState) (file Upload, taken domain.ID, err error) {
	row, err := h.db.Reader().Upload(ctx, id, actor.UserID)
	switch {
	case domain.HasCode(err, domain.NotFound), err == nil && (h.ports.Uploads == nil || row.State != store.UploadOpen && row.State != kind):
		return Upload{}, domain.NoID, noUpload()
	case err != nil || row.State == kind:
		return Upload{}, row.Case, err
	}
	content, size, err := h.ports.Uploads.Open(ctx, id)
	if err != nil {
		return Upload{}, domain.NoID, err
	}
	_ = content.Close() // only its size was asked
	if size != row.Size {
		return Upload{}, domain.NoID, domain.Fail(domain.StateMismatch, "The file has not come whole yet: %d of %d bytes.", size, row.Size).
			WithWayOut("Go on with the upload, then send it in.").WithDetail("status", "uploading")
	}
	return Upload{FileName: row.Name, Size: size, Open: func() (io.ReadCloser, error) {
		content, _, err := h.ports.Uploads.Open(ctx, id)
		return content, err
	}}, domain.NoID, nil
}

// submittedBefore answers a submission whose upload was taken by the same command before.
func (h *Hall) submittedBefore(ctx context.Context, caseID domain.ID) (Submitted, error) {
	kase, err := h.db.Reader().Case(ctx, caseID)
	if err != nil {
		return Submitted{}, err
	}
	document, err := h.db.Reader().Document(ctx, caseID)
	if err != nil {
		return Submitted{}, err
	}
	twins, err := h.db.Reader().Twins(ctx, caseID, document.SHA256)
	return Submitted{CaseID: caseID, Reference: kase.Reference, Twins: twins}, err
}

// take gives the upload to the case within the command; of two commands at one time the second is told to ask again.
func (c *command) take(id, caseID domain.ID, kind store.UploadState) error {
	if id == domain.NoID {
		return nil
	}
	taken, err := c.tx.TakeUpload(c.ctx, id, c.actor.UserID, caseID, kind)
	if err == nil && !taken {
		err = domain.Fail(domain.Busy, "This file is just being sent in.").WithWayOut("Look again in a moment.")
	}
	return err
}

// dropUpload removes the bytes after the case has its own copy; what stays is swept.
func (h *Hall) dropUpload(ctx context.Context, id domain.ID) {
	if id == domain.NoID {
		return
	}
	if err := h.ports.Uploads.Remove(context.WithoutCancel(ctx), id); err != nil {
		h.log.WarnContext(ctx, "taken upload not removed", "error", err, "upload", id)
	}
}
