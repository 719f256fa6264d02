package casework

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strconv"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// readSupporting reads the supporting documents of a case before its document is read, each into rows of its
// own, so that a repeated step reads only those that are missing. It runs before the document is opened,
// because an open file occupies one of the folders of the sandbox. No value is read from them. A process
// that declares none reads nothing.
func (svc *Service) readSupporting(
	ctx context.Context, p *stageSession, def *workflow.Definition, node *workflow.Node,
) error {
	if node.Behaviour != domain.BehaviourRead || len(def.Documents) == 0 {
		return nil
	}
	unread, err := svc.db.Reader().SupportingToRead(ctx, p.record.ID)
	if err != nil {
		return err
	}
	for i := range unread {
		if err := svc.readSupportingFile(ctx, p, &unread[i]); err != nil {
			return ofSupporting(ctx, &unread[i], err)
		}
	}
	return nil
}

// readSupportingFile reads the pages of one document and stores them under the lease of the run.
func (svc *Service) readSupportingFile(
	ctx context.Context, p *stageSession, d *domain.SupportingDocument,
) error {
	keeper := svc.newPageKeeper(p, store.KeptFile{CaseID: d.CaseID, Supporting: d.Number, SHA256: d.SHA256})
	opened, err := svc.ports.Reader.Open(ctx, ReadRequest{Keeper: keeper, FileName: d.FileName,
		MediaType: d.MediaType, Size: d.Size, CorrelationID: p.record.CorrelationID,
		Open: func() (io.ReadCloser, error) {
			content, _, err := svc.ports.Blobs.Open(ctx, d.BlobKey)
			return content, err
		}})
	if err != nil {
		return err
	}
	if opened.Close != nil {
		defer opened.Close()
	}
	var scanned []ScannedPage
	if opened.Pages != nil {
		if scanned, err = opened.Pages(ctx, true); err != nil {
			return keeper.failure(err)
		}
		keeper.withStoredRasters(scanned)
	}
	pages, err := svc.storePages(ctx, domain.Page{CaseID: d.CaseID, Supporting: d.Number}, scanned)
	if err != nil {
		return err
	}
	before := p.record.Version
	// The lease of the first run: the database has no other one.
	read, err := svc.recordReading(ctx, p.leasedRun, d, pages)
	if err == nil && read.Version == before+1 {
		p.record = read // the stage continues with the case as it is
	}
	return err
}

// recordReading stores the pages of a document with the event that lists their images, under the lease of a
// run. It returns the case after the event. A document that was read before keeps its pages.
func (svc *Service) recordReading(ctx context.Context, run domain.StageRun, d *domain.SupportingDocument,
	pages []domain.Page) (after domain.Case, err error) {
	const operation = "readDocument"
	spec := workSpec{operation: operation, lock: lockShared, loggedCase: d.CaseID}
	err = svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		c := w.command
		if err := c.lock(d.CaseID); err != nil {
			return err
		}
		if err := w.tx.HoldRun(ctx, run); err != nil {
			return err
		}
		read, err := w.tx.SupportingRead(ctx, d.CaseID, d.Number)
		if err != nil || read {
			return err
		}
		c.automatic = true
		c.emit(generated.DocumentReadV1{Number: int64(d.Number), SHA256: hex.EncodeToString(d.SHA256),
			Pages: int64(len(pages)), PageImages: imageHashes(pages)})
		if err := w.write(c); err != nil {
			return err
		}
		after = c.change.Case
		return w.tx.PutSupportingReading(ctx, *d, pages, after.LastSeq)
	})
	return after, err
}

// ofSupporting makes a failure one of a supporting document: its message begins with the name of the file.
// A lost lease and a worker that stops are no failures of the file.
func ofSupporting(ctx context.Context, d *domain.SupportingDocument, err error) error {
	if ctx.Err() != nil || domain.HasCode(err, domain.LeaseLost) {
		return err
	}
	message, remedy := failureText(err)
	of := domain.Errorf(domain.CodeOf(err), "%s: %s", d.FileName, message).WithCause(err)
	if isPermanent(err) {
		remedy = "The submitter can add another file in its place."
	}
	var known *domain.Error
	if errors.As(err, &known) {
		for name, value := range known.Detail {
			of = of.WithDetail(name, value)
		}
	}
	of.Remedy = remedy
	return of.WithDetail("document", strconv.Itoa(d.Number))
}
