package ocr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

const (
	textDPI        = 150 // of the raster for display if the words come from the text layer
	ocrDPI         = 300
	minDPI         = 40 // a page that fits the pixel limit only below this is rejected
	maxDrawnPixels = 25_000_000
)

// pdfPage is the size and rotation of a page as reported by pdfinfo, in points before rotation.
type pdfPage struct {
	width, height float64
}

// dpi returns the wanted resolution, reduced to fit the pixel limit; 0 if it would be below minDPI.
func (s pdfPage) dpi(wanted int) int {
	area := s.width / pointsInch * s.height / pointsInch
	if area*float64(wanted)*float64(wanted) <= maxDrawnPixels {
		return wanted
	}
	dpi := int(math.Sqrt(maxDrawnPixels / area))
	if dpi < minDPI {
		return 0
	}
	return dpi
}

// readPDFPages reads the pages of a PDF.
func (t *task) readPDFPages(ctx context.Context) error {
	return t.readEach(
		ctx, len(t.pdfPages),
		func(ctx context.Context, i int) (domain.Page, picture, error) {
			return t.readPDFPage(ctx, i+1, t.pdfPages[i])
		},
	)
}

// readPDFPage uses the text layer of the page if it is readable, otherwise the engine. It renders
// the page in both cases.
func (t *task) readPDFPage(
	ctx context.Context, number int, s pdfPage,
) (domain.Page, picture, error) {
	layer, err := t.textLayer(ctx, number)
	if err != nil {
		return domain.Page{}, picture{}, err
	}
	if t.recognises && (!layer.isReadable() || layer.isSparse()) {
		return t.recognisePDFPage(ctx, number, s, layer)
	}
	if !layer.isReadable() {
		layer.words = nil // unreadable text is ignored
	}
	pic, err := t.draw(ctx, number, s, s.dpi(textDPI), shownCPU)
	if err != nil {
		return domain.Page{}, pic, err
	}
	err = t.encode(ctx, pic, false)
	t.removeFiles(pic, pic)
	return layer.toPage(pic), pic, err
}

// recognisePDFPage reads a page with the engine, and keeps the words of its sparse text layer if
// the engine does not find clearly more. The engine reads the displayed pixels in grey, which takes
// two thirds of the time of colours.
func (t *task) recognisePDFPage(
	ctx context.Context, number int, s pdfPage, layer textWords,
) (domain.Page, picture, error) {
	drawn, err := t.draw(ctx, number, s, s.dpi(ocrDPI), readCPU)
	if err != nil {
		return domain.Page{}, drawn, err
	}
	pic, err := t.drawGrey(ctx, drawn)
	if err != nil {
		return domain.Page{}, pic, err
	}
	aside, cancel := context.WithCancel(ctx)
	defer cancel()
	encoded := make(chan error, 1)
	go func() { encoded <- t.encode(aside, drawn, true) }()
	ready := sync.OnceValues(func() (float64, error) { return pic.skew, <-encoded })
	page, read, err := t.recognise(ctx, pic, pic.pixels, ready)
	if err != nil {
		cancel()
	}
	if _, failed := ready(); err == nil {
		err = failed
	}
	_ = t.job.Remove(drawn.pixels) // removed with the folder otherwise
	if own := layer.toPage(pic); layer.isReadable() && len(page.Words) < 2*len(own.Words) {
		t.removeFiles(read, read)
		page, read = own, pic
	}
	t.removeFiles(pic, read)
	return page, read, err
}

// drawGrey converts a rendered page to grey for the engine, and estimates its skew.
func (t *task) drawGrey(ctx context.Context, drawn picture) (picture, error) {
	grey := drawn
	grey.pixels = strings.TrimSuffix(drawn.png, ".png") + ".pgm"
	size, err := t.image(
		ctx, imageJob{In: drawn.pixels, MediaType: mediaPNM, Grey: true, PNM: grey.pixels, Skew: true},
	)
	grey.skew = size.Skew
	return grey, err
}

// draw renders one page and verifies that the output has the expected size. share is the processor
// time that does not count against the budget of the document.
func (t *task) draw(
	ctx context.Context, number int, s pdfPage, dpi int, share time.Duration,
) (picture, error) {
	base := "page-" + strconv.Itoa(number)
	pic := picture{pixels: base + ".ppm", png: base + ".png", dpi: dpi}
	result, err := t.pdf(
		ctx, t.programs.PDFToPPM, sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall},
		"-r", strconv.Itoa(dpi), "-f", strconv.Itoa(number), "-l", strconv.Itoa(number),
		"-singlefile", inputPath, base,
	)
	if err != nil {
		return picture{}, err
	}
	if err := decoderError(ctx, "pdftoppm", result); err != nil {
		return picture{}, err
	}
	if err := t.chargeCPU(number, result.CPU, share); err != nil {
		return picture{}, err
	}
	if pic.width, pic.height, err = t.pixelSize(pic.pixels); err != nil {
		return picture{}, damagedError(
			fmt.Errorf("pdftoppm drew no page: %w: %s", err, shortenOutput(result.Stderr)),
		)
	}
	if wide, high, ok := s.matchesSize(pic); !ok {
		return picture{}, damagedError(
			fmt.Errorf(
				"pdftoppm drew %dx%d instead of %.0fx%.0f", pic.width, pic.height, wide, high,
			),
		)
	}
	return pic, nil
}

// Processor time for rendering a page that does not count against the budget of the document: for
// display only, and for a page that the engine reads, which takes seconds anyway.
const (
	shownCPU = time.Second / 2
	readCPU  = 5 * time.Second / 2
)

// chargeCPU adds the processor time of rendering a page to the budget of the document. It returns
// FileTooComplex if the budget is exceeded.
func (t *task) chargeCPU(number int, cpu, share time.Duration) error {
	if over := time.Duration(t.excessCPU.Add(int64(cpu - share))); over > 2*t.limits.PageCPU {
		return tooComplexError().WithCause(fmt.Errorf("at page %d drawing used %s more than it may",
			number, over))
	}
	return nil
}

// matchesSize reports whether the picture has the expected size of the page, upright or rotated.
func (s pdfPage) matchesSize(pic picture) (wide, high float64, ok bool) {
	wide, high = s.width/pointsInch*float64(pic.dpi), s.height/pointsInch*float64(pic.dpi)
	near := func(a int, b float64) bool { return math.Abs(float64(a)-b) <= 2+b/100 }
	return wide, high, near(pic.width, wide) && near(pic.height, high) ||
		near(pic.width, high) && near(pic.height, wide)
}

// pixelSize reads the header of a PNM and checks that the file is complete.
func (t *task) pixelSize(name string) (width, height int, err error) {
	file, err := t.job.Open(name, 4*maxDrawnPixels)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 64)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, 0, err
	}
	shape, err := parsePNMHead(head[:n])
	if err != nil {
		return 0, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	if info.Size() < int64(
		shape.offset,
	)+int64(
		shape.width,
	)*int64(
		shape.height,
	)*int64(
		shape.channels,
	) {
		return 0, 0, io.ErrUnexpectedEOF
	}
	return shape.width, shape.height, nil
}
