package ocr_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
)

const endless = "while :; do :; done"

// A page that the usual renderer finds too complex is rendered by the quick one, and the pages after
// it are not tried twice.
func TestPagesTooComplexForTheUsualRenderer(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"text layer": asPDF(t, []testPage{{width: 595, height: 842, lines: long},
			{width: 595, height: 842, lines: long, rotate: 90}}, nil),
		"scan": scanned(t, stamped(t, receipt), 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			reader := newReader(t, ocr.Options{Programs: ocr.Programs{PDFToPPM: script(t, endless)},
				Limits: ocr.Limits{PageCPU: 2 * time.Second, DrawWall: 5 * time.Minute}, Parallel: 1,
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			reading := read(t, reader, file)
			checkReading(t, reading)
			if tried := strings.Count(log.String(), "child=program "); tried != 1 {
				t.Errorf("the usual renderer was tried %d times", tried)
			}
			page := reading.Pages[0]
			if name == "scan" {
				find(t, page, "123.45")
				if upper, lower := redAt(t, page); upper != 0 || lower < 1000 {
					t.Errorf("red pixels: %d above, %d below", upper, lower)
				}
				return
			}
			for _, page := range reading.Pages {
				if word := find(t, page, "Example"); inkIn(t, page, word.Box) == 0 {
					t.Errorf("no ink at %+v", word.Box)
				}
			}
		})
	}
}

// Attack: a page that both renderers find too complex is refused once; output of the quick one is
// checked like that of the usual one.
func TestPagesTooComplexForBothRenderers(t *testing.T) {
	t.Parallel()
	file := asPDF(t, []testPage{{width: 576, height: 816, lines: long}}, nil)
	for name, c := range map[string]struct {
		quick string
		code  domain.Code
	}{
		"also too complex": {endless, domain.FileTooComplex},
		"draws nothing":    {"exit 0", domain.DamagedFile},
		"fails":            {"exit 1", domain.DamagedFile},
		"draws no TIFF":    {"echo nothing > page-1.tif", domain.DamagedFile},
		"draws half a TIFF": {`printf 'II*\0\010\0\0\0' > page-1.tif`,
			domain.DamagedFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader := newReader(t, ocr.Options{
				Programs: ocr.Programs{PDFToPPM: script(t, endless), PDFToCairo: script(t, c.quick)},
				Limits:   ocr.Limits{PageCPU: time.Second, DrawWall: 5 * time.Minute}})
			reading, err := reader.Read(t.Context(), bytes.NewReader(file), ocr.Request{})
			if err == nil {
				reading.Close()
			}
			if !domain.HasCode(err, c.code) || ocr.Transient(err) {
				t.Errorf("got %v, want %s", err, c.code)
			}
		})
	}
}

// A page whose text takes too long is refused once, with the reason.
func TestPageThatTheEngineCannotFinish(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Programs: ocr.Programs{Tesseract: script(t, endless)},
		Limits: ocr.Limits{OCRCPU: time.Second, OCRWall: 5 * time.Minute}})
	reading, err := reader.Read(t.Context(), bytes.NewReader(asPNG(t, drawText(t, receipt))),
		ocr.Request{})
	if err == nil {
		reading.Close()
	}
	if !domain.HasCode(err, domain.FileTooComplex) || ocr.Transient(err) ||
		!strings.Contains(err.Error(), "could not be recognised within 1 s") ||
		domain.RemedyOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

// A second attempt that cannot be finished does not discard the first one.
func TestSecondAttemptThatTheEngineCannotFinish(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]string{"orientation": "*'psm 0'*", "reading": "*turned*"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := script(t, `case "$*" in
`+slow+`) while :; do :; done;;
*'psm 0'*) printf 'Rotate: 180\nOrientation confidence: 9\nScript: Latin\nScript confidence: 9\n';;
*) printf 'level\tpage_num\tb\tp\tl\tw\tx\ty\tw\th\tc\ttext\n'
	printf '5\t1\t1\t1\t1\t1\t80\t80\t200\t30\t40\tACMESTATIONERY\n';;
esac`)
			reader := newReader(t, ocr.Options{Programs: ocr.Programs{Tesseract: program},
				Limits: ocr.Limits{OCRCPU: time.Second, OCRWall: 5 * time.Minute}})
			reading := read(t, reader, asPNG(t, drawText(t, receipt)))
			checkReading(t, reading)
			if page := reading.Pages[0]; page.Text != "ACMESTATIONERY" || page.Rotation != 0 {
				t.Errorf("%q turned by %d", page.Text, page.Rotation)
			}
		})
	}
}
