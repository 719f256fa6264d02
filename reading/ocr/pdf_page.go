package ocr

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

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
	t.findKnown(ctx, len(t.pdfPages))
	var batches [][]int
	if err := t.eachPage(ctx, 1, func(ctx context.Context, _ int) error {
		batches = t.batches(ctx)
		return nil
	}); err != nil {
		return err
	}
	pages := make([]PageImage, len(t.pdfPages))
	if err := t.eachPage(ctx, len(batches), func(ctx context.Context, i int) error {
		return t.readBatch(ctx, batches[i], pages)
	}); err != nil {
		return err
	}
	t.addAll(pages)
	return nil
}

// needsEngine reports whether the engine reads a page with the text layer.
func (t *task) needsEngine(ctx context.Context, number int, layer textWords) bool {
	return t.recognises && (!layer.isReadable() || layer.isSparse() || layer.overlaps() ||
		t.isOverImage(ctx, number))
}

// shown returns the words of the text layer that the page gets: unreadable text is ignored.
func (l textWords) shown() textWords {
	if !l.isReadable() {
		l.words = nil
	}
	return l
}

// readPDFPage uses the text layer of the page if it is readable, otherwise the engine. It renders
// the page in both cases. share is the processor time for a page that is only displayed which does not
// count against the budget of the document.
func (t *task) readPDFPage(
	ctx context.Context, number int, s pdfPage, share time.Duration,
) (domain.Page, picture, error) {
	layer, err := t.textLayer(ctx, number)
	if err != nil {
		return domain.Page{}, picture{}, err
	}
	if t.needsEngine(ctx, number, layer) {
		return t.recognisePDFPage(ctx, number, s, layer)
	}
	pic, err := t.draw(ctx, number, s, s.dpi(textDPI), share)
	if err != nil {
		return domain.Page{}, pic, err
	}
	if layer, err = t.visible(layer.shown(), pic); err != nil {
		return domain.Page{}, pic, err
	}
	if t.needsEngine(ctx, number, layer) { // too little is left
		t.removeFiles(pic, pic)
		return t.recognisePDFPage(ctx, number, s, layer)
	}
	if layer, err = t.compareNumbers(ctx, layer, pic, number); err != nil {
		return domain.Page{}, pic, err
	}
	err = t.encode(ctx, pic, false)
	t.removeFiles(pic, pic)
	return layer.toPage(pic), pic, err
}

// recognisePDFPage reads a page with the engine, and keeps the words of its sparse text layer if
// the engine does not find clearly more, and those of one over an image if the engine confirms them. The engine reads the displayed pixels in grey, which takes
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
	own := textWords{}
	if layer.isReadable() && !layer.overlaps() {
		own, err = t.visible(layer, pic)
	}
	if err != nil {
		return domain.Page{}, pic, err
	}
	aside, cancel := context.WithCancel(ctx)
	defer cancel()
	encoded := make(chan error, 1)
	go func() { encoded <- t.encode(aside, drawn, true) }()
	ready := sync.OnceValues(func() (pose, error) { return pic.pose, <-encoded })
	page, read, err := t.recognise(ctx, pic, pic.pixels, ready)
	if err != nil {
		cancel()
	}
	if _, failed := ready(); err == nil {
		err = failed
	}
	_ = t.job.Remove(drawn.pixels) // removed with the folder otherwise
	if err == nil && len(page.Words) < 2*len(own.words) &&
		(!t.isOverImage(ctx, number) || isConfirmed(own.toPage(pic).Words, page.Words)) {
		if !t.isOverImage(ctx, number) {
			own, err = t.compareNumbers(ctx, own, pic, number)
		}
		t.removeFiles(read, read)
		page, read = own.toPage(pic), pic
	}
	t.removeFiles(pic, read)
	return page, read, err
}

// drawGrey converts a rendered page to grey for the engine, and estimates its pose.
func (t *task) drawGrey(ctx context.Context, drawn picture) (picture, error) {
	grey := drawn
	grey.pixels = strings.TrimSuffix(drawn.png, ".png") + ".pgm"
	size, err := t.image(
		ctx, imageJob{In: drawn.pixels, MediaType: mediaPNM, Grey: true, PNM: grey.pixels, Pose: true},
	)
	grey.pose = size.Pose
	return grey, err
}
