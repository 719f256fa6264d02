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

// BeginUpload makes room for a file that will come in pieces. It is refused by who may submit and by its size before
// the first byte.
func (svc *Service) BeginUpload(ctx context.Context, actor domain.Actor, name string, size int64) (domain.ID, error) {
	err := svc.MaySubmit(ctx, actor)
	if err == nil {
		err = svc.checkSize(size)
	}
	if err != nil {
		svc.logRefusal(ctx, actor, "upload", domain.NoID, err)
		return domain.NoID, err
	}
	row := store.UploadRow{ID: domain.NewID(), Owner: actor.UserID, Name: safeFileName(name), Size: size}
	var beyond string
	err = svc.db.InTx(ctx, func(tx *store.Tx) error {
		beyond, err = tx.BeginUpload(ctx, row, svc.settings.OpenUploads)
		return err
	})
	if err == nil && beyond != "" {
		err = tooManyUploads(beyond, svc.settings.OpenUploads)
		svc.logRefusal(ctx, actor, "upload", domain.NoID, err)
	}
	return row.ID, err
}

func tooManyUploads(beyond string, most store.OpenUploadBounds) error {
	refusal := domain.Errorf(domain.RateLimited, "You cannot have more than %d unfinished uploads.", most.Number)
	if beyond == "bytes" {
		refusal = domain.Errorf(domain.RateLimited, "Your unfinished uploads cannot be larger than %d MB together.", most.Bytes>>20)
	}
	return refusal.WithRemedy("Finish or cancel some of them first.").WithDetail("limit", beyond).WithRetryAfter(time.Minute)
}

// ContinueUpload says whether the person may go on with the upload. One of another person, or one that a case took, is
// NotFound.
func (svc *Service) ContinueUpload(ctx context.Context, actor domain.Actor, id domain.ID) error {
	if err := checkScope(actor, domain.ActSubmit); err != nil {
		return err
	}
	return requireUpload(svc.db.Autocommit().TouchUpload(ctx, id, actor.UserID))
}

// CancelUpload forgets an upload that its owner gave up.
func (svc *Service) CancelUpload(ctx context.Context, actor domain.Actor, id domain.ID) error {
	if err := checkScope(actor, domain.ActSubmit); err != nil {
		return err
	}
	return requireUpload(svc.db.Autocommit().DeleteUpload(ctx, id, actor.UserID))
}

func requireUpload(theirs bool, err error) error {
	if err == nil && !theirs {
		return uploadNotFound()
	}
	return err
}

// uploadNotFound is the answer for an upload that there is not, or that is another person's.
func uploadNotFound() *domain.Error {
	return domain.Errorf(domain.NotFound, "There is no such upload.").WithRemedy("Send the file again.")
}

// DeleteOldUploads forgets what nobody came back to within the age. The bytes are removed by whoever keeps them.
func (svc *Service) DeleteOldUploads(ctx context.Context, age time.Duration) (int64, error) {
	return svc.db.Autocommit().DeleteOldUploads(ctx, age)
}

// PendingUploads returns those of the uploads that are still waited for.
func (svc *Service) PendingUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error) {
	return svc.db.Reader().PendingUploads(ctx, ids)
}

// findUpload finds a whole upload of the actor's. One that a command of this kind has taken before comes with its case in
// taken, which answers the command sent again; one taken otherwise is NotFound.
func (svc *Service) findUpload(ctx context.Context, actor domain.Actor, id domain.ID, kind store.UploadState) (file Upload, taken domain.ID, err error) {
	row, err := svc.db.Reader().Upload(ctx, id, actor.UserID)
	switch {
	case domain.HasCode(err, domain.NotFound), err == nil && (svc.ports.Uploads == nil || row.State != store.UploadOpen && row.State != kind):
		return Upload{}, domain.NoID, uploadNotFound()
	case err != nil || row.State == kind:
		return Upload{}, row.Case, err
	}
	content, size, err := svc.ports.Uploads.Open(ctx, id)
	if err != nil {
		return Upload{}, domain.NoID, err
	}
	_ = content.Close() // only its size was asked
	if size != row.Size {
		return Upload{}, domain.NoID, domain.Errorf(domain.StateMismatch, "The file has not come whole yet: %d of %d bytes.", size, row.Size).
			WithRemedy("Go on with the upload, then send it in.").WithDetail("status", "uploading")
	}
	return Upload{FileName: row.Name, Size: size, Open: func() (io.ReadCloser, error) {
		content, _, err := svc.ports.Uploads.Open(ctx, id)
		return content, err
	}}, domain.NoID, nil
}

// replaySubmission answers a submission whose upload was taken by the same command before.
func (svc *Service) replaySubmission(ctx context.Context, caseID domain.ID) (SubmitResult, error) {
	c, err := svc.db.Reader().Case(ctx, caseID)
	if err != nil {
		return SubmitResult{}, err
	}
	document, err := svc.db.Reader().Document(ctx, caseID)
	if err != nil {
		return SubmitResult{}, err
	}
	twins, err := svc.db.Reader().Duplicates(ctx, caseID, document.SHA256)
	return SubmitResult{CaseID: caseID, Reference: c.Reference, Twins: twins}, err
}

// consumeUpload gives the upload to the case within the command; of two commands at one time the second is told to ask again.
func (c *command) consumeUpload(id, caseID domain.ID, kind store.UploadState) error {
	if id == domain.NoID {
		return nil
	}
	taken, err := c.tx.AssignUpload(c.ctx, id, c.actor.UserID, caseID, kind)
	if err == nil && !taken {
		err = domain.Errorf(domain.Busy, "This file is just being sent in.").WithRemedy("Look again in a moment.")
	}
	return err
}

// removeUpload removes the bytes after the case has its own copy; what stays is swept.
func (svc *Service) removeUpload(ctx context.Context, id domain.ID) {
	if id == domain.NoID {
		return
	}
	if err := svc.ports.Uploads.Remove(context.WithoutCancel(ctx), id); err != nil {
		svc.log.WarnContext(ctx, "taken upload not removed", "error", err, "upload", id)
	}
}
