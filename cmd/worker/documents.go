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

// Read reads a file's pages within the time that one document may take.
func (d documents) Read(ctx context.Context, request casework.ReadRequest) (casework.Scan, error) {
	done := d.sight.reading()
	d.log.InfoContext(ctx, "reading a document", "correlation_id", request.CorrelationID, "media_type", request.MediaType, "bytes", request.Size)
	limited, cancel := context.WithTimeoutCause(ctx, d.settings.Timeout, fmt.Errorf("longer than %s", d.settings.Timeout))
	defer cancel()
	content, err := request.Open()
	if err != nil {
		return casework.Scan{}, err
	}
	defer func() { _ = content.Close() }()
	reading, err := d.reader.Read(limited, content, ocr.Request{Languages: languages(d.settings.Languages), CorrelationID: request.CorrelationID})
	took := done(err)
	if err != nil {
		return casework.Scan{}, err
	}
	d.log.InfoContext(ctx, "document read", "correlation_id", request.CorrelationID, "pages", len(reading.Pages), "xml", reading.XML != nil, "ms", took.Milliseconds())
	scan := casework.Scan{XML: reading.XML, Close: reading.Close}
	for _, page := range reading.Pages {
		scan.Pages = append(scan.Pages, casework.ScannedPage{Page: page.Page, OpenRaster: func() (io.ReadCloser, error) { return page.OpenRaster() }})
	}
	return scan, nil
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
