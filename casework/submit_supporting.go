package casework

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// SupportingFile is a supporting document that is submitted with a document, or added to a returned case.
type SupportingFile struct {
	Kind string
	// Exactly one of File and UploadID, the id of a complete upload, is set.
	File     Upload
	UploadID domain.ID
}

// checkedFile is a supporting file whose size and kind of content were checked.
type checkedFile struct {
	SupportingFile

	mediaType string
}

// unstored returns the document of a file that is not stored yet.
func (f *checkedFile) unstored(caseID domain.ID) domain.SupportingDocument {
	return domain.SupportingDocument{CaseID: caseID, Kind: f.Kind, FileName: safeFileName(f.File.FileName),
		MediaType: f.mediaType, Size: f.File.Size, SHA256: f.File.SHA256}
}

// checkSupporting checks the files before anything is stored. Errors name the kind and the file.
func (svc *Service) checkSupporting(
	ctx context.Context, actor domain.Actor, files []SupportingFile,
) ([]checkedFile, error) {
	if len(files) > domain.MaxSupporting {
		return nil, domain.Invalid("documents", "A case has at most %d supporting documents.",
			domain.MaxSupporting)
	}
	checked := make([]checkedFile, 0, len(files))
	for _, file := range files {
		one, err := svc.checkSupportingFile(ctx, actor, file)
		if err != nil {
			return nil, atDocument(file, err)
		}
		checked = append(checked, one)
	}
	return checked, nil
}

func (svc *Service) checkSupportingFile(
	ctx context.Context, actor domain.Actor, file SupportingFile,
) (checkedFile, error) {
	if file.UploadID != domain.NoID {
		found, before, err := svc.findUpload(ctx, actor, file.UploadID, store.UploadSupporting)
		if err != nil {
			return checkedFile{}, err
		}
		if before != domain.NoID {
			return checkedFile{}, domain.Errorf(domain.StateMismatch,
				"The file is already a document of another case.").WithRemedy("Upload it again.")
		}
		file.File = found
	}
	mediaType, err := svc.checkFile(file.File)
	return checkedFile{SupportingFile: file, mediaType: mediaType}, err
}

// atDocument makes an error about a file name its kind and its file.
func atDocument(file SupportingFile, err error) error {
	var refused *domain.Error
	if !errors.As(err, &refused) || refused.Code.Kind() == domain.KindInternal {
		return err
	}
	at := *refused
	at.Field = domain.SupportingField(file.Kind)
	if name := safeFileName(file.File.FileName); file.File.FileName != "" {
		at.Message = name + ": " + refused.Message
	}
	return &at
}

// supportingFor returns the documents of a new case, or why its process refuses them. main is the hash of
// its document; nil compares none. Before the files are
// stored, the bytes of uploads are unknown; the transaction compares them.
func (s submission) supportingFor(
	def *workflow.Definition, main []byte,
) ([]domain.SupportingDocument, error) {
	var all []domain.SupportingDocument
	for _, next := range s.supporting {
		var err error
		if all, err = domain.NextSupporting(def.Documents, all, next, main); err != nil {
			return nil, err
		}
	}
	return all, domain.RequireSupporting(def.Documents, all)
}

// storeSupporting stores the files of a new case.
func (svc *Service) storeSupporting(
	ctx context.Context, actor domain.Actor, caseID domain.ID, files []checkedFile,
) ([]domain.SupportingDocument, error) {
	var stored []domain.SupportingDocument
	for i := range files {
		one, err := svc.storeSupportingFile(ctx, actor, caseID, &files[i])
		if err != nil {
			return nil, err
		}
		stored = append(stored, one)
	}
	return stored, nil
}

func (svc *Service) storeSupportingFile(
	ctx context.Context, actor domain.Actor, caseID domain.ID, file *checkedFile,
) (domain.SupportingDocument, error) {
	document, err := svc.storeFile(ctx, actor, caseID, 0, file.File, file.mediaType)
	if err != nil {
		return domain.SupportingDocument{}, atDocument(file.SupportingFile, err)
	}
	stored := file.unstored(caseID)
	stored.SHA256, stored.BlobKey, stored.CreatedBy = document.SHA256, document.BlobKey, actor.UserID
	return stored, nil
}

// addSupporting adds documents to the change of a case, with the event of each.
func (c *command) addSupporting(added []domain.SupportingDocument) {
	for _, d := range added {
		d.CaseID, d.CreatedAt = c.change.Case.ID, c.now
		c.change.Supporting = append(c.change.Supporting, d)
		body := generated.DocumentAddedV1{Number: int64(d.Number), Kind: d.Kind, FileName: d.FileName,
			MediaType: d.MediaType, SHA256: hex.EncodeToString(d.SHA256), Size: d.Size,
			ReadingRecorded: new(true)}
		if replaces := int64(d.Replaces); replaces > 0 {
			body.Replaces = &replaces
		}
		c.emit(body)
	}
}

// sameSupporting refuses to repeat a submission of an upload with other supporting documents than those of
// its case.
func (svc *Service) sameSupporting(
	ctx context.Context, actor domain.Actor, c domain.Case, files []SupportingFile,
) error {
	r := svc.db.Reader()
	stored, err := r.Supporting(ctx, c.ID)
	if err != nil {
		return err
	}
	stored = slices.DeleteFunc(stored,
		func(d domain.SupportingDocument) bool { return !d.CreatedAt.Equal(c.CreatedAt) })
	same := len(stored) == len(files)
	for i := 0; same && i < len(files); i++ {
		same = files[i].Kind == stored[i].Kind
		switch {
		case !same:
		case files[i].UploadID == domain.NoID:
			same = slices.Equal(files[i].File.SHA256, stored[i].SHA256)
		default:
			row, err := r.Upload(ctx, files[i].UploadID, actor.UserID)
			if err != nil && !domain.HasCode(err, domain.NotFound) {
				return err
			}
			same = err == nil && row.Case == c.ID
		}
	}
	if same {
		return nil
	}
	return domain.Errorf(domain.IdempotencyMismatch,
		"This file was submitted with other documents, as %s.", c.Reference).
		WithRemedy("Upload the file again to submit it with these documents.")
}

// removeUploads removes the bytes of the uploads that a case has as supporting documents.
func (svc *Service) removeUploads(ctx context.Context, files []SupportingFile) {
	for _, file := range files {
		svc.removeUpload(ctx, file.UploadID)
	}
}

// object names the file in the access log.
func (in OpenBlob) object() string {
	switch in.Kind {
	case BlobSupporting:
		return fmt.Sprintf("%s/%d", in.Kind, in.Number)
	case BlobSupportingPage:
		return fmt.Sprintf("%s/%d/%d", in.Kind, in.Number, in.Page)
	}
	return fmt.Sprintf("%s/%d/%d", in.Kind, in.Revision, in.Page)
}

// locateSupporting returns where a supporting document is stored.
func (svc *Service) locateSupporting(ctx context.Context, in OpenBlob) (string, OpenedBlob, error) {
	all, err := svc.db.Reader().Supporting(ctx, in.CaseID)
	if err != nil {
		return "", OpenedBlob{}, err
	}
	if in.Number < 1 || in.Number > len(all) || all[in.Number-1].BlobKey == "" {
		return "", OpenedBlob{}, domain.Errorf(domain.NotFound, "There is no such file.")
	}
	d := all[in.Number-1]
	return d.BlobKey, OpenedBlob{MediaType: d.MediaType, FileName: d.FileName,
		SHA256: hex.EncodeToString(d.SHA256)}, nil
}
