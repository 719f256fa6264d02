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

// documents lends the hall the reader of documents.
type documents struct {
	reader   *ocr.Reader
	settings config.Reading
	sight    *sight
	log      *slog.Logger
}

// Open opens a file; each of opening it and reading its pages may take the time that one document may take.
func (d documents) Open(ctx context.Context, request casework.ReadRequest) (casework.Scan, error) {
	d.log.InfoContext(ctx, "reading a document", "correlation_id", request.CorrelationID, "media_type", request.MediaType, "bytes", request.Size)
	opened := d.sight.reading()
	limited, cancel := d.limit(ctx)
	defer cancel()
	content, err := request.Open()
	if err != nil {
		return casework.Scan{}, err
	}
	defer func() { _ = content.Close() }()
	reading, err := d.reader.Open(limited, content, ocr.Request{Languages: languages(d.settings.Languages), CorrelationID: request.CorrelationID})
	if err != nil {
		opened(err)
		return casework.Scan{}, err
	}
	pages := func(ctx context.Context, recognise bool) ([]casework.ScannedPage, error) {
		err := d.pages(ctx, reading, recognise)
		took := opened(err)
		if err == nil {
			d.log.InfoContext(ctx, "document read", "correlation_id", request.CorrelationID, "pages", len(reading.Pages), "xml", reading.XML != nil, "ms", took.Milliseconds())
		}
		return scanned(reading), err
	}
	return casework.Scan{XML: reading.XML, Pages: pages, Close: reading.Close}, nil
}

func (d documents) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.settings.Timeout, fmt.Errorf("longer than %s", d.settings.Timeout))
}

func (d documents) pages(ctx context.Context, reading *ocr.Reading, recognise bool) error {
	limited, cancel := d.limit(ctx)
	defer cancel()
	return reading.ReadPages(limited, recognise)
}

// scanned are the pages as the hall takes them.
func scanned(reading *ocr.Reading) []casework.ScannedPage {
	list := make([]casework.ScannedPage, 0, len(reading.Pages))
	for _, page := range reading.Pages {
		list = append(list, casework.ScannedPage{Page: page.Page, OpenRaster: func() (io.ReadCloser, error) { return page.OpenRaster() }})
	}
	return list
}

// languages splits tesseract's own way of naming several.
func languages(joined string) []string {
	return strings.FieldsFunc(joined, func(r rune) bool { return r == '+' || r == ' ' })
}

var _ casework.DocumentReader = documents{}

// outcomeLabel names how something ended, for the metrics: the code of the error, or ok.
func outcomeLabel(err error) string {
	if err == nil {
		return "ok"
	}
	return string(domain.CodeOf(err))
}
