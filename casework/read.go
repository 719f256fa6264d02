package casework

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// mediaXML is the media type of a file that is an e-invoice and nothing else.
const mediaXML = "application/xml"

// turning is the work of reading a file's pages: text, words, rasters, and the e-invoice in it.
type turning struct {
	hall     *Hall
	pass     *pass
	document domain.Document
	pages    []domain.Page
}

// readSteps read the pages of a file; pages without text of their own by the OCR engine.
func readSteps(h *Hall) steps[*turning] {
	return steps[*turning]{
		begin: func(p *pass, _ *workflow.Node) *turning { return &turning{hall: h, pass: p} },
		prepare: func(ctx context.Context, work *turning) error {
			err := h.openFile(ctx, work.pass)
			if err == nil {
				work.document = *work.pass.document
				work.document.ReadAt = work.pass.now
			}
			return err
		},
		act:     func(ctx context.Context, work *turning) error { return work.turn(ctx, true) },
		plugins: []plugin[*turning]{{name: "e-invoice", run: keepInvoice}},
		save: func(work *turning, t *transition) {
			t.change.Pages, t.change.Read = work.pages, &work.document
		},
		summary: func(work *turning) *generated.StageCompletedV1Summary {
			count := int64(len(work.pages))
			return &generated.StageCompletedV1Summary{Pages: &count, Source: mainSource(work.pages, work.pass.invoice)}
		},
	}
}

// structuredReadSteps read a file that tells its values as data: its pages are drawn for people, and no engine guesses at
// them.
func structuredReadSteps(h *Hall) steps[*turning] {
	read := readSteps(h)
	read.act = func(ctx context.Context, work *turning) error { return work.turn(ctx, false) }
	return read
}

// structured says whether the file holds an e-invoice that can be read. A damaged one leaves the pages to speak.
func structured(ctx context.Context, p *pass) (bool, error) {
	if err := p.hall.openFile(ctx, p); err != nil || len(p.scan.XML) == 0 {
		return false, err
	}
	if p.document.MediaType == mediaXML {
		return true, nil
	}
	told, err := p.invoice.read()
	return err == nil && fieldValue(told, domain.FieldTotal) != "", nil
}

// openFile opens the newest document's file, once a run; it is closed when the run's processor is done.
func (h *Hall) openFile(ctx context.Context, p *pass) error {
	if p.scan != nil {
		return nil
	}
	if err := h.loadDocument(ctx, p); err != nil {
		return err
	}
	document := p.document
	scan, err := h.ports.Reader.Open(ctx, ReadRequest{FileName: document.FileName, MediaType: document.MediaType, Size: document.Size,
		CorrelationID: p.kase.CorrelationID, Open: func() (io.ReadCloser, error) {
			content, _, err := h.ports.Blobs.Open(ctx, document.BlobKey)
			return content, err
		}})
	if err != nil {
		return err
	}
	p.scan, p.invoice = &scan, &invoice{xml: scan.XML}
	p.take(func() {
		p.scan = nil
		if scan.Close != nil {
			scan.Close()
		}
	})
	return nil
}

// turn reads the pages and keeps them.
func (work *turning) turn(ctx context.Context, recognise bool) error {
	var scanned []ScannedPage
	var err error
	if work.pass.scan.Pages != nil {
		if scanned, err = work.pass.scan.Pages(ctx, recognise); err != nil {
			return err
		}
	}
	if work.pages, err = work.keepPages(ctx, scanned); err != nil {
		return err
	}
	p := work.pass
	p.document, p.pages, p.readDone = &work.document, work.pages, true
	return nil
}

// keepInvoice writes the e-invoice beside the file that it was found in.
func keepInvoice(ctx context.Context, work *turning) (err error) {
	if xml := work.pass.scan.XML; len(xml) > 0 {
		work.document.StructuredKey, _, _, err = work.hall.ports.Blobs.Put(ctx, work.document.CaseID, bytes.NewReader(xml))
	}
	return err
}

// keepPages writes each raster to the blobs.
func (work *turning) keepPages(ctx context.Context, found []ScannedPage) ([]domain.Page, error) {
	pages := make([]domain.Page, 0, len(found))
	for _, scanned := range found {
		page := scanned.Page
		page.CaseID, page.Revision = work.document.CaseID, work.document.Revision
		page.Text = strings.ReplaceAll(page.Text, "\x00", "")
		for i := range page.Words {
			page.Words[i].Text = strings.ReplaceAll(page.Words[i].Text, "\x00", "")
		}
		if scanned.OpenRaster != nil {
			key, err := work.keepRaster(ctx, scanned)
			if err != nil {
				return nil, fmt.Errorf("casework: raster of page %d: %w", page.Number, err)
			}
			page.RasterKey = key
		}
		pages = append(pages, page)
	}
	return pages, nil
}

func (work *turning) keepRaster(ctx context.Context, scanned ScannedPage) (string, error) {
	raster, err := scanned.OpenRaster()
	if err != nil {
		return "", err
	}
	defer func() { _ = raster.Close() }()
	key, _, _, err := work.hall.ports.Blobs.Put(ctx, work.document.CaseID, raster)
	return key, err
}

func mainSource(pages []domain.Page, told *invoice) string {
	if len(told.xml) > 0 {
		return string(domain.SourceXML)
	}
	for _, page := range pages {
		if page.Source == domain.SourceOCR {
			return string(domain.SourceOCR)
		}
	}
	return string(domain.SourceText)
}
