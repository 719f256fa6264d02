package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"countersign/casework"
	"countersign/domain"
)

// file is what a made-up file says. It is the file's content, so that reading it needs no engine.
type file struct {
	Source domain.FieldSource
	Rows   []fileRow
	XML    []byte
	Image  uint64
}

// fileRow is a row of the page as it was read.
type fileRow struct {
	Text       string
	Confidence float64
}

const fileHead = "%PDF-1.7\n"

func (f file) bytes() ([]byte, error) {
	text, err := json.Marshal(f)
	return append([]byte(fileHead), text...), err
}

// reader reads made-up files.
type reader struct{}

func (reader) Open(
	_ context.Context, request casework.ReadRequest,
) (casework.OpenedDocument, error) {
	content, err := request.Open()
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	var f file
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte(fileHead)), &f); err != nil {
		return casework.OpenedDocument{}, err
	}
	page := f.page()
	return casework.OpenedDocument{XML: f.XML, Close: func() {},
		Pages: func(context.Context, bool) ([]casework.ScannedPage, error) {
			return []casework.ScannedPage{{Page: page, Hash: f.Image,
				OpenRaster: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader("\x89PNG\r\n\x1a\n")), nil
				}}}, nil
		}}, nil
}

// page returns the rows with a box for each word.
func (f file) page() domain.Page {
	page := domain.Page{Number: 1, Width: 1000, Height: 1400, DPI: 150, Source: f.Source}
	texts := make([]string, 0, len(f.Rows))
	for at, row := range f.Rows {
		texts = append(texts, row.Text)
		x := 50
		for _, word := range strings.Fields(row.Text) {
			width := 12 * len(word)
			page.Words = append(page.Words, domain.Word{Text: word, Confidence: row.Confidence,
				Line: at, Box: domain.Box{X: x, Y: 50 + 30*at, W: width, H: 20}})
			x += width + 12
		}
	}
	page.Text = strings.Join(texts, "\n")
	return page
}
