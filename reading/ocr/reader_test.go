package ocr_test

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// removeAtEnd are folders that several tests share.
var removeAtEnd []string

func TestMain(m *testing.M) {
	ocr.Child()
	code := m.Run()
	for _, folder := range removeAtEnd {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// newReader opens a Reader in the strongest available mode, and checks at the end that no files are
// left.
func newReader(t testing.TB, options ocr.Options) *ocr.Reader {
	t.Helper()
	options.Sandbox.AcceptLimitsOnly = true
	// A busy machine needs more time by the clock; limits of processor time hold.
	options.Limits.DrawWall = cmp.Or(options.Limits.DrawWall, 5*time.Minute)
	options.Limits.OCRWall = cmp.Or(options.Limits.OCRWall, 5*time.Minute)
	if options.Logger == nil {
		options.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	reader, err := ocr.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, err := filepath.Glob(filepath.Join(reader.Sandbox().Root(), "job-*"))
		if err != nil || len(left) != 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	return reader
}

func read(t *testing.T, reader *ocr.Reader, file []byte) *ocr.Reading {
	t.Helper()
	reading, err := reader.Read(
		t.Context(), bytes.NewReader(file), ocr.Request{CorrelationID: t.Name()},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reading.Close)
	return reading
}

// checkReading checks invariants of every page: numbers, boxes inside the page, words in the text,
// size of the PNG.
func checkReading(t *testing.T, reading *ocr.Reading) {
	t.Helper()
	for i, page := range reading.Pages {
		if page.Number != i+1 {
			t.Errorf("page %d has number %d", i+1, page.Number)
		}
		for _, word := range page.Words {
			if word.Box.X < 0 || word.Box.Y < 0 || word.Box.W < 1 || word.Box.H < 1 ||
				word.Box.X+word.Box.W > page.Width || word.Box.Y+word.Box.H > page.Height ||
				word.Confidence < 0 || word.Confidence > 1 {
				t.Errorf("page %d: word out of bounds: %+v", page.Number, word)
			}
			if !strings.Contains(page.Text, word.Text) {
				t.Errorf("page %d: %q is not in the text", page.Number, word.Text)
			}
		}
		raster, err := page.Raster()
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(raster))
		if err != nil || config.Width != page.Width || config.Height != page.Height {
			t.Errorf(
				"page %d: raster %dx%d (%v), page %dx%d", page.Number, config.Width, config.Height,
				err, page.Width, page.Height,
			)
		}
	}
}

func find(t *testing.T, page ocr.PageImage, text string) domain.Word {
	t.Helper()
	for _, word := range page.Words {
		if word.Text == text {
			return word
		}
	}
	t.Fatalf("%q was not read; the text is:\n%s", text, page.Text)
	return domain.Word{}
}

func TestReadPicture(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	scan := drawText(t, receipt)
	for name, file := range map[string][]byte{"image/png": asPNG(t, scan),
		"image/jpeg": asJPEG(t, scan)} {
		reading := read(t, reader, file)
		checkReading(t, reading)
		if reading.MediaType != name || len(reading.Pages) != 1 || reading.HasTextLayer ||
			reading.XML != nil {
			t.Errorf("%s: %+v", name, reading)
		}
		page := reading.Pages[0]
		if page.Source != domain.SourceOCR || page.Engine != "tesseract" ||
			page.Width != scan.Bounds().Dx() {
			t.Errorf("%s: source %s, engine %q, width %d", name, page.Source, page.Engine, page.Width)
		}
		total := find(t, page, "123.45")
		if total.Confidence < 0.5 || total.Box.X < 150 || total.Box.Y < 430 || total.Box.Y > 530 {
			t.Errorf("%s: the total lies at %+v with %.2f", name, total.Box, total.Confidence)
		}
	}
}

func TestReadPhotoHeldSideways(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	photo := withOrientation(asJPEG(t, turned(drawText(t, receipt), 3)), 6)
	reading := read(t, reader, photo)
	checkReading(t, reading)
	page := reading.Pages[0]
	if page.Rotation != 90 || page.Width != 1000 {
		t.Errorf("rotation %d, width %d", page.Rotation, page.Width)
	}
	find(t, page, "123.45")
}

func TestReadPageUpsideDown(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	long := append(append([]string{}, receipt...), receipt...)
	reading := read(t, reader, asPNG(t, turned(drawText(t, long), 2)))
	checkReading(t, reading)
	if reading.Pages[0].Rotation != 180 {
		t.Errorf("turned by %d", reading.Pages[0].Rotation)
	}
	find(t, reading.Pages[0], "123.45")
}

func TestReadTIFFOfSeveralPages(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	first, second := drawText(
		t, receipt,
	), drawText(
		t, []string{"SECOND PAGE OF THE INVOICE", "Amount due 987.60"},
	)
	thumbnail := image.NewGray(image.Rect(0, 0, 10, 10))
	reading := read(
		t, reader, asTIFF([]*image.Gray{first, thumbnail, second}, map[int]bool{1: true}),
	)
	checkReading(t, reading)
	if reading.MediaType != "image/tiff" || len(reading.Pages) != 2 {
		t.Fatalf("%s with %d pages", reading.MediaType, len(reading.Pages))
	}
	find(t, reading.Pages[0], "123.45")
	find(t, reading.Pages[1], "987.60")
}

var long = []string{
	"Example Works GmbH", "Harbour Street 7, 20457 Hamburg, Germany",
	"Invoice number RE-2025-118 dated 3 March 2025",
	"Consulting services as agreed in the order of January", "Net amount 1,000.00 EUR",
	"VAT 19 percent 190.00 EUR", "Total amount 1,190.00 EUR",
}

func TestReadTextLayer(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	reading := read(
		t, reader,
		asPDF(
			t,
			[]testPage{
				{width: 595, height: 842, lines: long},
				{width: 595, height: 842, rotate: 90, lines: long},
			},
			nil,
		),
	)
	checkReading(t, reading)
	if !reading.HasTextLayer || len(reading.Pages) != 2 || reading.MediaType != "application/pdf" {
		t.Fatalf("%+v", reading)
	}
	page := reading.Pages[0]
	if page.Source != domain.SourceText || page.Engine != "" || page.DPI != 150 ||
		page.Width != 1240 {
		t.Errorf("source %s, engine %q, dpi %d, width %d", page.Source, page.Engine, page.DPI, page.Width)
	}
	// The baseline of the first line is 60 points below the top and starts 60 points from the left.
	if word := find(t, page, "Example"); word.Box.X < 120 || word.Box.X > 130 || word.Box.Y < 95 ||
		word.Box.Y > 125 {
		t.Errorf("the first word lies at %+v", word.Box)
	}
	if side := reading.Pages[1]; side.Width != 1755 || side.Height != 1240 {
		t.Errorf("the turned page is %dx%d", side.Width, side.Height)
	} else if word := find(t, side, "Example"); inkIn(t, side, word.Box) == 0 {
		t.Errorf("no ink where the turned page's word should be: %+v", word.Box)
	}
}

// inkIn counts the dark pixels of the raster in the box.
func inkIn(t *testing.T, page ocr.PageImage, box domain.Box) int {
	t.Helper()
	seen, ink := decodeRaster(t, page), 0
	for y := box.Y; y < box.Y+box.H; y++ {
		for x := box.X; x < box.X+box.W; x++ {
			if r, _, _, _ := seen.At(x, y).RGBA(); r < 0x8000 {
				ink++
			}
		}
	}
	return ink
}

func TestReadScanInPDF(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	scan := drawText(t, receipt)
	wide := 360.0
	reading := read(
		t, reader,
		asPDF(
			t,
			[]testPage{
				{width: wide, height: wide * float64(scan.Bounds().Dy()) / 1000, scan: scan},
			},
			nil,
		),
	)
	checkReading(t, reading)
	page := reading.Pages[0]
	if reading.HasTextLayer || page.Source != domain.SourceOCR || page.DPI != 300 ||
		page.Width != 1500 {
		t.Errorf("source %s, dpi %d, width %d", page.Source, page.DPI, page.Width)
	}
	if total := find(t, page, "123.45"); inkIn(t, page, total.Box) < 100 {
		t.Errorf("no ink at %+v", total.Box)
	}
}

const ciiInvoice = `<?xml version="1.0" encoding="UTF-8"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"><rsm:ExchangedDocument/></rsm:CrossIndustryInvoice>`

func TestReadEInvoice(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	inside := read(t, reader, asPDF(t, []testPage{{width: 595, height: 842, lines: long}},
		attached("notes.xml", "<notes/>", "picture.png", "x", "factur-x.xml", ciiInvoice)))
	if string(inside.XML) != ciiInvoice {
		t.Errorf("attached: %q", inside.XML)
	}
	none := read(
		t, reader,
		asPDF(
			t, []testPage{{width: 595, height: 842, lines: long}},
			attached("notes.xml", "<notes/>"),
		),
	)
	if none.XML != nil {
		t.Errorf("no invoice: %q", none.XML)
	}
	alone := read(t, reader, []byte(ciiInvoice))
	if string(alone.XML) != ciiInvoice || alone.MediaType != "application/xml" ||
		len(alone.Pages) != 0 {
		t.Errorf("alone: %+v", alone)
	}
}

// countingEngine is a fixedEngine that counts its calls.
type countingEngine struct {
	fixedEngine
	calls *atomic.Int64
}

func (e countingEngine) Recognise(
	ctx context.Context, folder *sandbox.Folder, image ocr.Image,
) ([]domain.Word, error) {
	e.calls.Add(1)
	return e.fixedEngine.Recognise(ctx, folder, image)
}

// A scan can be rendered without the engine: it has pages and no words.
func TestPagesWithoutTheEngine(t *testing.T) {
	t.Parallel()
	asked := &atomic.Int64{}
	reader := newReader(t, ocr.Options{Engine: countingEngine{calls: asked}})
	scan := drawText(t, receipt)
	file := asPDF(
		t, []testPage{{width: 360, height: 360 * float64(scan.Bounds().Dy()) / 1000, scan: scan}},
		attached("factur-x.xml", ciiInvoice),
	)
	for _, recognise := range []bool{false, true} {
		reading, err := reader.Open(t.Context(), bytes.NewReader(file), ocr.Request{})
		if err != nil {
			t.Fatal(err)
		}
		defer reading.Close()
		if string(reading.XML) != ciiInvoice || len(reading.Pages) != 0 {
			t.Errorf("opened: %+v", reading)
		}
		if err := reading.ReadPages(t.Context(), recognise); err != nil {
			t.Fatal(err)
		}
		raster, err := reading.Pages[0].Raster()
		if err != nil || len(raster) == 0 || reading.Pages[0].Width == 0 {
			t.Errorf("recognise %v: %d bytes, %v", recognise, len(raster), err)
		}
		if got := asked.Load() > 0; got != recognise ||
			(len(reading.Pages[0].Words) > 0) != recognise {
			t.Errorf(
				"recognise %v: the engine was asked %d times for %q", recognise, asked.Load(),
				reading.Pages[0].Text,
			)
		}
	}
}

func TestReadInEveryMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []sandbox.Mode{sandbox.Bubblewrap, sandbox.Landlock, sandbox.LimitsOnly} {
		reader, err := ocr.New(
			t.Context(), ocr.Options{Sandbox: sandbox.Options{Modes: []sandbox.Mode{mode}}},
		)
		if domain.HasCode(err, domain.SandboxUnavailable) && mode != sandbox.LimitsOnly {
			t.Logf("%s does not hold here: %v", mode, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reader.Close() }()
		scan := read(t, reader, asPNG(t, drawText(t, receipt)))
		find(t, scan.Pages[0], "123.45")
		text := read(
			t, reader,
			asPDF(
				t, []testPage{{width: 595, height: 842, lines: long}},
				attached("factur-x.xml", ciiInvoice),
			),
		)
		if !text.HasTextLayer || string(text.XML) != ciiInvoice {
			t.Errorf("%s: %+v", mode, text)
		}
	}
}

func TestEveryChildLogsTheCorrelationID(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	reader := newReader(
		t, ocr.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Parallel: 1},
	)
	reading, err := reader.Read(
		t.Context(),
		bytes.NewReader(
			asPDF(t, []testPage{{width: 360, height: 300, scan: drawText(t, receipt)}}, nil),
		),
		ocr.Request{CorrelationID: "corr-4711"},
	)
	if err != nil {
		t.Fatal(err)
	}
	reading.Close()
	for _, program := range []string{"pdfinfo", "pdfdetach", "pdftotext", "pdftoppm", "call:image",
		"tesseract"} {
		if !strings.Contains(log.String(), "child="+program+" correlation_id=corr-4711") {
			t.Errorf("no line of %s carries the id:\n%s", program, log.String())
		}
	}
}

// fixedEngine is an engine with fixed results. It needs neither a child process nor tesseract.
type fixedEngine struct{}

func (fixedEngine) Name() string { return "fixed" }

func (fixedEngine) Recognise(context.Context, *sandbox.Folder, ocr.Image) ([]domain.Word, error) {
	return []domain.Word{
		{Text: "hello", Box: domain.Box{X: 1, Y: 1, W: 5, H: 5}, Confidence: 1, Line: 1},
	}, nil
}

func (fixedEngine) Orient(context.Context, *sandbox.Folder, ocr.Image) (ocr.Orientation, error) {
	return ocr.Orientation{}, nil
}

func TestAnotherEngineReplacesTesseract(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Engine: fixedEngine{}})
	reading := read(t, reader, asPNG(t, drawText(t, receipt)))
	if reading.Pages[0].Text != "hello" {
		t.Errorf("text %q", reading.Pages[0].Text)
	}
}
