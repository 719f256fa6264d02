package ocr

import (
	"context"
	"math"
	"strings"
	"sync"

	"countersign/domain"
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
