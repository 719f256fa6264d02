package casework

import (
	"context"
	"io"
	"time"

	"countersign/domain"
	"countersign/store"
)

// Uploads stores resumable uploads until a case consumes them. The rows record the owner. An upload
// is complete when its stored size matches its row, so that no completion notice can be missed.
type Uploads interface {
	// Open returns the bytes received so far and their number; NotFound if there are none.
	Open(ctx context.Context, id domain.ID) (content io.ReadCloser, size int64, err error)
	// Remove deletes the bytes. It is no error if there are none.
	Remove(ctx context.Context, id domain.ID) error
}

// BeginUpload registers a resumable upload. The permission and the size are checked before the
// first byte is received.
func (svc *Service) BeginUpload(
	ctx context.Context, actor domain.Actor, name string, size int64,
) (domain.ID, error) {
	err := svc.MaySubmit(ctx, actor)
	if err == nil {
		err = svc.checkSize(size)
	}
	if err != nil {
		svc.logRefusal(ctx, actor, "upload", domain.NoID, err)
		return domain.NoID, err
	}
	row := store.UploadRow{ID: domain.NewID(), Owner: actor.UserID, Name: safeFileName(name),
		Size: size}
	var exceeded string
	err = svc.db.InTx(ctx, func(tx *store.Tx) error {
		exceeded, err = tx.BeginUpload(ctx, row, svc.settings.OpenUploads)
		return err
	})
	if err == nil && exceeded != "" {
		err = tooManyUploads(exceeded, svc.settings.OpenUploads)
		svc.logRefusal(ctx, actor, "upload", domain.NoID, err)
	}
	return row.ID, err
}

func tooManyUploads(exceeded string, limit store.OpenUploadBounds) error {
	refusal := domain.Errorf(domain.RateLimited, "You cannot have more than %d unfinished uploads.",
		limit.Number)
	if exceeded == "bytes" {
		refusal = domain.Errorf(domain.RateLimited,
			"Your unfinished uploads cannot exceed %d MB in total.", limit.Bytes>>20)
	}
	return refusal.WithRemedy("Finish or cancel some of them first.").WithDetail("limit", exceeded).
		WithRetryAfter(time.Minute)
}

// ContinueUpload checks whether the user may continue the upload. Another user's upload and one
// that a case has consumed are NotFound.
func (svc *Service) ContinueUpload(ctx context.Context, actor domain.Actor, id domain.ID) error {
	if err := checkScope(actor, domain.ActSubmit); err != nil {
		return err
	}
	return requireUpload(svc.db.Autocommit().TouchUpload(ctx, id, actor.UserID))
}

// CancelUpload deletes an upload at the request of its owner.
func (svc *Service) CancelUpload(ctx context.Context, actor domain.Actor, id domain.ID) error {
	if err := checkScope(actor, domain.ActSubmit); err != nil {
		return err
	}
	return requireUpload(svc.db.Autocommit().DeleteUpload(ctx, id, actor.UserID))
}

func requireUpload(found bool, err error) error {
	if err == nil && !found {
		return uploadNotFound()
	}
	return err
}

// uploadNotFound is the error for an upload that does not exist or belongs to another user.
func uploadNotFound() *domain.Error {
	return domain.Errorf(domain.NotFound, "Upload not found.").WithRemedy("Upload the file again.")
}

// DeleteOldUploads deletes the rows of uploads that were not continued within the age. The upload
// store removes the bytes.
func (svc *Service) DeleteOldUploads(ctx context.Context, age time.Duration) (int64, error) {
	return svc.db.Autocommit().DeleteOldUploads(ctx, age)
}

// PendingUploads returns those of the uploads that are still unfinished.
func (svc *Service) PendingUploads(ctx context.Context, ids []domain.ID) ([]domain.ID, error) {
	return svc.db.Reader().PendingUploads(ctx, ids)
}

// findUpload returns a complete upload of the actor. If a command of this kind has already consumed
// it, taken is its case, so that a repeated command returns the same result. Consumed in another
// way, it is NotFound.
func (svc *Service) findUpload(
	ctx context.Context, actor domain.Actor, id domain.ID, kind store.UploadState,
) (file Upload, taken domain.ID, err error) {
	row, err := svc.db.Reader().Upload(ctx, id, actor.UserID)
	switch {
	case domain.HasCode(err, domain.NotFound), err == nil &&
		(svc.ports.Uploads == nil || row.State != store.UploadOpen && row.State != kind):
		return Upload{}, domain.NoID, uploadNotFound()
	case err != nil || row.State == kind:
		return Upload{}, row.Case, err
	}
	content, size, err := svc.ports.Uploads.Open(ctx, id)
	if err != nil {
		return Upload{}, domain.NoID, err
	}
	_ = content.Close() // only its size is needed
	if size != row.Size {
		return Upload{}, domain.NoID,
			domain.Errorf(domain.StateMismatch,
				"The upload is incomplete: %d of %d bytes received.",
				size, row.Size).
				WithRemedy("Finish the upload, then submit it again.").WithDetail("status",
				"uploading")
	}
	return Upload{FileName: row.Name, Size: size, Open: func() (io.ReadCloser, error) {
		content, _, err := svc.ports.Uploads.Open(ctx, id)
		return content, err
	}}, domain.NoID, nil
}

// replaySubmission returns the result of a submission that has already consumed the upload. It refuses
// other attributes and documents, because the case keeps those that it was submitted with.
func (svc *Service) replaySubmission(
	ctx context.Context, actor domain.Actor, caseID domain.ID, in SubmitDocument,
) (SubmitResult, error) {
	c, err := svc.db.Reader().Case(ctx, caseID)
	if err != nil {
		return SubmitResult{}, err
	}
	def, err := svc.definitions.get(ctx, svc.db.Reader(), c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return SubmitResult{}, err
	}
	if err := firstError(sameAttributes(def, c, in.Attributes),
		svc.sameSupporting(ctx, actor, c, in.Documents)); err != nil {
		return SubmitResult{}, err
	}
	document, err := svc.db.Reader().Document(ctx, caseID)
	if err != nil {
		return SubmitResult{}, err
	}
	duplicates, err := svc.db.Reader().Duplicates(ctx, caseID, document.SHA256)
	return SubmitResult{CaseID: caseID, Reference: c.Reference, Twins: duplicates}, err
}

// consumeUpload assigns the upload to the case within the command. Of two concurrent commands, the
// second fails with Busy.
func (c *command) consumeUpload(id, caseID domain.ID, kind store.UploadState) error {
	if id == domain.NoID {
		return nil
	}
	taken, err := c.tx.AssignUpload(c.ctx, id, c.actor.UserID, caseID, kind)
	if err == nil && !taken {
		err = domain.Errorf(domain.Busy, "This file is already being submitted.").
			WithRemedy("Try again in a moment.")
	}
	return err
}

// removeUpload removes the bytes after the case has its own copy. If that fails, the cleanup of
// uploads removes them later.
func (svc *Service) removeUpload(ctx context.Context, id domain.ID) {
	if id == domain.NoID {
		return
	}
	if err := svc.ports.Uploads.Remove(context.WithoutCancel(ctx), id); err != nil {
		svc.log.WarnContext(ctx, "taken upload not removed", "error", err, "upload", id)
	}
}
