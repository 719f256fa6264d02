package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/reading/ocr"
)

// documentReader adapts the reader of documents to the service layer.
type documentReader struct {
	reader   *ocr.Reader
	settings config.Reading
	metrics  *workerMetrics
	log      *slog.Logger
}

// Open opens a file; each of opening it and reading its pages may take the time that one document
// may take.
func (d documentReader) Open(ctx context.Context,
	request casework.ReadRequest) (casework.OpenedDocument, error) {
	d.log.InfoContext(ctx, "reading a document", "correlation_id", request.CorrelationID,
		"media_type", request.MediaType, "bytes", request.Size)
	opened := d.metrics.startReading()
	limited, cancel := d.withReadTimeout(ctx)
	defer cancel()
	content, err := request.Open()
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	defer func() { _ = content.Close() }()
	var kept []casework.ScannedPage
	asked := ocr.Request{Languages: languages(d.settings.Languages),
		CorrelationID: request.CorrelationID, FileName: request.FileName,
		FirstPage: request.FirstPage, LastPage: request.LastPage}
	if request.Keeper != nil {
		d.keepPages(&asked, request.Keeper, &kept)
	}
	reading, err := d.reader.Open(limited, content, asked)
	if err != nil {
		opened(err)
		return casework.OpenedDocument{}, err
	}
	pages := func(ctx context.Context, recognise bool) ([]casework.ScannedPage, error) {
		err := d.pages(ctx, reading, recognise)
		took := opened(err)
		if err == nil {
			d.log.InfoContext(ctx, "document read", "correlation_id", request.CorrelationID,
				"pages", len(reading.Pages), "kept", len(kept), "xml", reading.XML != nil, "ms", took.Milliseconds())
		}
		return withKept(scannedPages(reading), kept), err
	}
	return casework.OpenedDocument{XML: reading.XML, Pages: pages, Close: reading.Close}, nil
}

func (d documentReader) withReadTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.settings.Timeout,
		fmt.Errorf("%w: %s", casework.ErrReadingTime, d.settings.Timeout))
}

// keepPages passes the pages to the keeper while they are read, and asks it for those that are known.
func (d documentReader) keepPages(asked *ocr.Request, keeper casework.PageKeeper,
	kept *[]casework.ScannedPage) {
	asked.Known = func(ctx context.Context, pages int) map[int]bool {
		*kept = keeper.Kept(ctx, d.reader.Fingerprint(asked.Languages), pages)
		known := map[int]bool{}
		for _, page := range *kept {
			known[page.Page.Number] = true
		}
		return known
	}
	asked.OnPage = func(ctx context.Context, page ocr.PageImage) { keeper.Keep(ctx, scannedPage(page)) }
}

// withKept adds pages that were kept to those that were read, in the order of their numbers.
func withKept(read, kept []casework.ScannedPage) []casework.ScannedPage {
	all := append(read, kept...)
	slices.SortFunc(all, func(a, b casework.ScannedPage) int { return a.Page.Number - b.Page.Number })
	return all
}

func (d documentReader) pages(ctx context.Context, reading *ocr.Reading, recognise bool) error {
	limited, cancel := d.withReadTimeout(ctx)
	defer cancel()
	return reading.ReadPages(limited, recognise)
}

// scannedPages are the pages as the service layer takes them.
func scannedPages(reading *ocr.Reading) []casework.ScannedPage {
	list := make([]casework.ScannedPage, 0, len(reading.Pages))
	for _, page := range reading.Pages {
		list = append(list, scannedPage(page))
	}
	return list
}

func scannedPage(page ocr.PageImage) casework.ScannedPage {
	return casework.ScannedPage{Page: page.Page, Hash: page.Hash,
		OpenRaster: func() (io.ReadCloser, error) { return page.OpenRaster() }}
}

// languages splits tesseract's own way of naming several.
func languages(joined string) []string {
	return strings.FieldsFunc(joined, func(r rune) bool { return r == '+' || r == ' ' })
}

var _ casework.DocumentReader = documentReader{}

// outcomeLabel names how something ended, for the metrics: the code of the error, or ok.
func outcomeLabel(err error) string {
	if err == nil {
		return "ok"
	}
	return string(domain.CodeOf(err))
}
