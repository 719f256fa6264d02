package casework

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/store"
)

// storeAttachments stores the files of a note. Their content is never read by the program.
func (svc *Service) storeAttachments(ctx context.Context, note *domain.Note, files []Upload) error {
	for i := range files {
		stored, err := svc.storeAttachment(ctx, note.CaseID, files[i])
		if err != nil {
			return err
		}
		stored.Number = i + 1
		note.Attachments = append(note.Attachments, stored)
	}
	return nil
}

func (svc *Service) storeAttachment(ctx context.Context, caseID domain.ID, file Upload) (
	domain.NoteAttachment, error) {
	content, err := file.Open()
	if err != nil {
		return domain.NoteAttachment{}, fmt.Errorf("casework: open upload: %w", err)
	}
	defer func() { _ = content.Close() }()
	key, hash, size, err := svc.ports.Blobs.Put(ctx, caseID, content)
	if err != nil {
		return domain.NoteAttachment{}, err
	}
	if size != file.Size || file.SHA256 != nil && !slices.Equal(hash, file.SHA256) {
		return domain.NoteAttachment{}, domain.Errorf(domain.Unavailable,
			"The file changed while it was being stored.").WithRemedy("Send it again.")
	}
	return domain.NoteAttachment{Name: safeFileName(domain.CleanNote(file.FileName)), Size: size,
		SHA256: hash, BlobKey: key}, nil
}

// OpenAttachment identifies one file of a note.
type OpenAttachment struct {
	CaseID domain.ID
	NoteID domain.ID
	Number int
}

// OpenAttachment checks the right to read the note, records the access before the first byte, and opens
// the file. The files of a withdrawn note cannot be opened.
func (svc *Service) OpenAttachment(ctx context.Context, actor domain.Actor, in OpenAttachment) (OpenedBlob,
	error) {
	if err := svc.inScope(ctx, actor, "open", domain.ActRead); err != nil {
		return OpenedBlob{}, err
	}
	note, err := svc.db.Reader().Note(ctx, in.NoteID)
	if err == nil {
		err = svc.authorizeNote(ctx, actor, &note)
	}
	if err == nil && (note.CaseID != in.CaseID || note.Withdrawn() || in.Number < 1 || in.Number > len(note.Attachments) ||
		note.Attachments[in.Number-1].BlobKey == "") {
		err = domain.NewNotFound()
	}
	if err != nil {
		svc.logRefusal(ctx, actor, "open", note.CaseID, err)
		return OpenedBlob{}, err
	}
	file := note.Attachments[in.Number-1]
	svc.accessLog.write(ctx, store.AccessEntry{Actor: actor.UserID, Action: store.AccessOpen,
		CaseID: note.CaseID, Object: fmt.Sprintf("note/%s/%d", note.ID, in.Number),
		RequestID: actor.RequestID})
	opened := OpenedBlob{FileName: file.Name, MediaType: domain.AttachmentType,
		SHA256: hex.EncodeToString(file.SHA256)}
	opened.Content, opened.Size, err = svc.ports.Blobs.Open(ctx, file.BlobKey)
	return opened, err
}

// authorizeNote checks from current rows, without a transaction, whether the actor may read a note.
func (svc *Service) authorizeNote(ctx context.Context, actor domain.Actor, note *domain.Note) error {
	r := svc.db.Reader()
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	c, err := r.Case(ctx, note.CaseID)
	if err != nil {
		return err
	}
	access, err := svc.accessTo(ctx, r, c)
	if err != nil {
		return err
	}
	reader, reads, err := access.of(user)
	if err == nil && (!reads || !reader.Reads(note.Audience)) {
		err = domain.NewNotFound()
	}
	return err
}
