package casework

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// mediaTypeXML is the media type of a file that consists only of an e-invoice.
const mediaTypeXML = "application/xml"

// readWork is the state of the read stage: text, words, rasters and the embedded e-invoice.
type readWork struct {
	svc      *Service
	session  *stageSession
	document domain.Document
	pages    []domain.Page
	image    uint64 // perceptual hash of the first page
}

// newReadProcessor returns the processor that reads the pages of a file, with OCR for pages that
// have no text layer.
func newReadProcessor(svc *Service) stageProcessor[*readWork] {
	return stageProcessor[*readWork]{
		newWork: func(p *stageSession, _ *workflow.Node) *readWork {
			return &readWork{svc: svc, session: p}
		},
		prepare: func(ctx context.Context, work *readWork) error {
			err := svc.openFile(ctx, work.session)
			if err == nil {
				work.document = *work.session.document
				work.document.ReadAt = work.session.now
			}
			return err
		},
		execute: func(ctx context.Context, work *readWork) error {
			return work.readPages(ctx,
				true)
		},
		plugins: []plugin[*readWork]{{name: "e-invoice", run: storeInvoice}},
		save: func(work *readWork, t *transition) {
			t.change.Pages, t.change.ReadDocument = work.pages, &work.document
			t.change.Case.ImageHash = work.image
		},
		summary: func(work *readWork) *generated.StageCompletedV1Summary {
			count := int64(len(work.pages))
			return &generated.StageCompletedV1Summary{Pages: &count, PageImages: imageHashes(work.pages),
				Source: mainSource(work.pages, work.session.invoice)}
		},
	}
}

// newStructuredReadProcessor returns the processor for a file with structured data: its pages are
// rendered for display but not sent to the OCR engine.
func newStructuredReadProcessor(svc *Service) stageProcessor[*readWork] {
	structured := newReadProcessor(svc)
	structured.execute = func(ctx context.Context, work *readWork) error {
		return work.readPages(ctx, false)
	}
	return structured
}

// hasReadableInvoice reports whether the file contains a parsable e-invoice. If it is damaged, the
// pages are used instead.
func hasReadableInvoice(ctx context.Context, p *stageSession) (bool, error) {
	if err := p.svc.openFile(ctx, p); err != nil || len(p.opened.XML) == 0 {
		return false, err
	}
	if p.document.MediaType == mediaTypeXML {
		return true, nil
	}
	fields, err := p.invoice.parse()
	return err == nil && fieldValue(fields, domain.FieldTotal) != "", nil
}

// openFile opens the file of the newest document, once per run. It is closed when the run's
// processor has finished.
func (svc *Service) openFile(ctx context.Context, p *stageSession) error {
	if p.opened != nil {
		return nil
	}
	if err := svc.loadDocument(ctx, p); err != nil {
		return err
	}
	document := p.document
	request := ReadRequest{FileName: document.FileName, MediaType: document.MediaType,
		Size: document.Size, CorrelationID: p.record.CorrelationID,
		Open: func() (io.ReadCloser, error) {
			content, _, err := svc.ports.Blobs.Open(ctx, document.BlobKey)
			return content, err
		}}
	part := p.record.Part
	if part.PagesOf(*document) {
		request.FirstPage, request.LastPage = part.First, part.Last
	}
	p.keeper = svc.newPageKeeper(p, store.KeptFile{CaseID: document.CaseID, Revision: document.Revision,
		SHA256: document.SHA256})
	request.Keeper = p.keeper
	opened, err := svc.ports.Reader.Open(ctx, request)
	if err != nil {
		return err
	}
	if part.PagesOf(*document) {
		opened.XML = nil // it is about one of the documents in the file, and not known which
	}
	p.opened, p.invoice = &opened, &invoice{xml: opened.XML}
	p.addCleanup(func() {
		p.opened = nil
		if opened.Close != nil {
			opened.Close()
		}
	})
	return nil
}

// readPages reads the pages and stores them.
func (work *readWork) readPages(ctx context.Context, recognise bool) error {
	var scanned []ScannedPage
	var err error
	if work.session.opened.Pages != nil {
		if scanned, err = work.session.opened.Pages(ctx, recognise); err != nil {
			return work.session.keeper.failure(err)
		}
		work.session.keeper.withStoredRasters(scanned)
	}
	if part := work.session.record.Part; part.PagesOf(work.document) {
		scanned = pagesOfPart(scanned, part)
	}
	of := domain.Page{CaseID: work.document.CaseID, Revision: work.document.Revision}
	if work.pages, err = work.svc.storePages(ctx, of, scanned); err != nil {
		return err
	}
	for _, page := range scanned {
		if page.Number == 1 {
			work.image = page.Hash
		}
	}
	p := work.session
	p.document, p.pages, p.pagesLoaded = &work.document, work.pages, true
	return nil
}

// pagesOfPart returns the pages of a part of the file, numbered from 1. A reader that does not know ranges
// may return all pages of the file.
func pagesOfPart(scanned []ScannedPage, part domain.CasePart) []ScannedPage {
	var pages []ScannedPage
	for _, page := range scanned {
		if page.Page.Number >= part.First && page.Page.Number <= part.Last {
			page.Page.Number -= part.First - 1
			pages = append(pages, page)
		}
	}
	return pages
}

// storeInvoice stores the embedded e-invoice as a separate blob.
func storeInvoice(ctx context.Context, work *readWork) (err error) {
	if xml := work.session.opened.XML; len(xml) > 0 {
		work.document.StructuredKey, _, _, err = work.svc.ports.Blobs.Put(ctx, work.document.CaseID,
			bytes.NewReader(xml))
	}
	return err
}

// storePages stores the raster of each page, and returns the pages as those of a file.
func (svc *Service) storePages(ctx context.Context, of domain.Page, found []ScannedPage) ([]domain.Page, error) {
	pages := make([]domain.Page, 0, len(found))
	for _, scanned := range found {
		page := scanned.Page
		page.CaseID, page.Revision, page.Supporting = of.CaseID, of.Revision, of.Supporting
		page.Text = strings.ReplaceAll(page.Text, "\x00", "")
		for i := range page.Words {
			word := &page.Words[i]
			word.Text = strings.ReplaceAll(word.Text, "\x00", "")
			word.Alternative = strings.ReplaceAll(word.Alternative, "\x00", "")
		}
		if scanned.OpenRaster != nil {
			key, err := svc.storeRaster(ctx, of.CaseID, scanned)
			if err != nil {
				return nil, fmt.Errorf("casework: raster of page %d: %w", page.Number, err)
			}
			page.RasterKey = key
		}
		pages = append(pages, page)
	}
	return pages, nil
}

func (svc *Service) storeRaster(ctx context.Context, caseID domain.ID, scanned ScannedPage) (string, error) {
	raster, err := scanned.OpenRaster()
	if err != nil {
		return "", err
	}
	defer func() { _ = raster.Close() }()
	key, _, _, err := svc.ports.Blobs.Put(ctx, caseID, raster)
	return key, err
}

// imageHashes returns the hashes of the images of the pages, which are the ends of their keys.
func imageHashes(pages []domain.Page) []string {
	var hashes []string
	for i := range pages {
		if pages[i].RasterKey != "" {
			hashes = append(hashes, path.Base(pages[i].RasterKey))
		}
	}
	return hashes
}

func mainSource(pages []domain.Page, embedded *invoice) string {
	if len(embedded.xml) > 0 {
		return string(domain.SourceXML)
	}
	for _, page := range pages {
		if page.Source == domain.SourceOCR {
			return string(domain.SourceOCR)
		}
	}
	return string(domain.SourceText)
}
