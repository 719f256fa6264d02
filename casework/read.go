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

// readStage reads the file's pages: text, words, rasters, and the e-invoice in it.
type readStage struct{ hall *Hall }

func (s readStage) run(ctx context.Context, p *pass, _ *workflow.Node) (*stageResult, error) {
	if err := s.hall.loadDocument(ctx, p); err != nil {
		return nil, err
	}
	document := *p.document
	scan, err := s.hall.ports.Reader.Read(ctx, ReadRequest{FileName: document.FileName, MediaType: document.MediaType, Size: document.Size,
		CorrelationID: p.kase.CorrelationID, Open: func() (io.ReadCloser, error) {
			content, _, err := s.hall.ports.Blobs.Open(ctx, document.BlobKey)
			return content, err
		}})
	if err != nil {
		return nil, err
	}
	if scan.Close != nil {
		defer scan.Close()
	}
	document.ReadAt = p.now
	pages, err := s.keepPages(ctx, document, scan)
	if err != nil {
		return nil, err
	}
	if len(scan.XML) > 0 {
		if document.StructuredKey, _, _, err = s.hall.ports.Blobs.Put(ctx, p.kase.ID, bytes.NewReader(scan.XML)); err != nil {
			return nil, err
		}
	}
	p.document, p.pages, p.xml, p.readDone = &document, pages, scan.XML, true
	count := int64(len(pages))
	return &stageResult{Outcome: workflow.OutcomeDone,
		Summary: &generated.StageCompletedV1Summary{Pages: &count, Source: mainSource(pages, scan.XML)},
		edits: func(t *transition) {
			t.change.Pages, t.change.Read = pages, &document
		}}, nil
}

// keepPages writes each raster to the blobs.
func (s readStage) keepPages(ctx context.Context, document domain.Document, scan Scan) ([]domain.Page, error) {
	pages := make([]domain.Page, 0, len(scan.Pages))
	for _, scanned := range scan.Pages {
		page := scanned.Page
		page.CaseID, page.Revision = document.CaseID, document.Revision
		page.Text = strings.ReplaceAll(page.Text, "\x00", "")
		for i := range page.Words {
			page.Words[i].Text = strings.ReplaceAll(page.Words[i].Text, "\x00", "")
		}
		if scanned.OpenRaster != nil {
			key, err := s.keepRaster(ctx, document.CaseID, scanned)
			if err != nil {
				return nil, fmt.Errorf("casework: raster of page %d: %w", page.Number, err)
			}
			page.RasterKey = key
		}
		pages = append(pages, page)
	}
	return pages, nil
}

func (s readStage) keepRaster(ctx context.Context, caseID domain.ID, scanned ScannedPage) (string, error) {
	raster, err := scanned.OpenRaster()
	if err != nil {
		return "", err
	}
	defer func() { _ = raster.Close() }()
	key, _, _, err := s.hall.ports.Blobs.Put(ctx, caseID, raster)
	return key, err
}

func mainSource(pages []domain.Page, xml []byte) string {
	if len(xml) > 0 {
		return string(domain.SourceXML)
	}
	for _, page := range pages {
		if page.Source == domain.SourceOCR {
			return string(domain.SourceOCR)
		}
	}
	return string(domain.SourceText)
}
