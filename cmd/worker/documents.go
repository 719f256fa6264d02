package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
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
	reading, err := d.reader.Open(limited, content,
		ocr.Request{Languages: languages(d.settings.Languages),
			CorrelationID: request.CorrelationID, FileName: request.FileName,
			FirstPage: request.FirstPage, LastPage: request.LastPage})
	if err != nil {
		opened(err)
		return casework.OpenedDocument{}, err
	}
	pages := func(ctx context.Context, recognise bool) ([]casework.ScannedPage, error) {
		err := d.pages(ctx, reading, recognise)
		took := opened(err)
		if err == nil {
			d.log.InfoContext(ctx, "document read", "correlation_id", request.CorrelationID,
				"pages", len(reading.Pages), "xml", reading.XML != nil, "ms", took.Milliseconds())
		}
		return scannedPages(reading), err
	}
	return casework.OpenedDocument{XML: reading.XML, Pages: pages, Close: reading.Close}, nil
}

func (d documentReader) withReadTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.settings.Timeout,
		fmt.Errorf("longer than %s", d.settings.Timeout))
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
		list = append(list, casework.ScannedPage{Page: page.Page, Hash: page.Hash,
			OpenRaster: func() (io.ReadCloser, error) { return page.OpenRaster() }})
	}
	return list
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
