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
	textDPI  = 150 // of the raster people see, where the words come from the text layer
	ocrDPI   = 300
	leastDPI = 40 // a page so large that it fits the pixel limit only below this is no document
	maxDrawn = 25_000_000
)

// sheet is one page of a PDF as pdfinfo tells it, before rotation, in points.
type sheet struct {
	width, height float64
}

// dpi returns the resolution wanted, or the one that fits the pixel limit; 0 if none is sane.
func (s sheet) dpi(wanted int) int {
	area := s.width / pointsInch * s.height / pointsInch
	if area*float64(wanted)*float64(wanted) <= maxDrawn {
		return wanted
	}
	dpi := int(math.Sqrt(maxDrawn / area))
	if dpi < leastDPI {
		return 0
	}
	return dpi
}

// readSheets reads the pages of a PDF.
func (t *task) readSheets(ctx context.Context) error {
	return t.readEach(ctx, len(t.sheets), func(ctx context.Context, i int) (domain.Page, picture, error) {
		return t.readSheet(ctx, i+1, t.sheets[i])
	})
}

// readSheet takes the page's text layer if it is sane, else reads it with the engine. Either way the page is drawn.
func (t *task) readSheet(ctx context.Context, number int, s sheet) (domain.Page, picture, error) {
	layer, err := t.textLayer(ctx, number)
	if err != nil {
		return domain.Page{}, picture{}, err
	}
	if t.recognises && (!layer.sane() || layer.sparse()) {
		return t.recogniseSheet(ctx, number, s, layer)
	}
	if !layer.sane() {
		layer.words = nil // nonsense is no text
	}
	pic, err := t.draw(ctx, number, s, s.dpi(textDPI), shownCPU)
	if err != nil {
		return domain.Page{}, pic, err
	}
	err = t.encode(ctx, pic, false)
	t.drop(pic, pic)
	return layer.page(pic), pic, err
}

// recogniseSheet reads a page with the engine, and keeps its few own words if the engine does not find clearly more. The
// engine reads the grey of the very pixels that people see, which takes it two thirds of the time that colours take.
func (t *task) recogniseSheet(ctx context.Context, number int, s sheet, layer layer) (domain.Page, picture, error) {
	drawn, err := t.draw(ctx, number, s, s.dpi(ocrDPI), readCPU)
	if err != nil {
		return domain.Page{}, drawn, err
	}
	pic, err := t.inGrey(ctx, drawn)
	if err != nil {
		return domain.Page{}, pic, err
	}
	aside, cancel := context.WithCancel(ctx)
	defer cancel()
	encoded := make(chan error, 1)
	go func() { encoded <- t.encode(aside, drawn, true) }()
	ready := sync.OnceValue(func() error { return <-encoded })
	page, read, err := t.recognise(ctx, pic, pic.pixels, ready)
	if err != nil {
		cancel()
	}
	if failed := ready(); err == nil {
		err = failed
	}
	_ = t.job.Remove(drawn.pixels) // what stays goes with the folder
	if own := layer.page(pic); layer.sane() && len(page.Words) < 2*len(own.Words) {
		t.drop(read, read)
		page, read = own, pic
	}
	t.drop(pic, read)
	return page, read, err
}

// inGrey makes the engine's pixels of a drawn page.
func (t *task) inGrey(ctx context.Context, drawn picture) (picture, error) {
	grey := drawn
	grey.pixels = strings.TrimSuffix(drawn.png, ".png") + ".pgm"
	_, err := t.image(ctx, imagePlan{In: drawn.pixels, MediaType: mediaPNM, Grey: true, PNM: grey.pixels})
	return grey, err
}

// draw rasterises one page; its success is the file itself, of the size that was to be expected. share is the processor time
// that counts against nobody.
func (t *task) draw(ctx context.Context, number int, s sheet, dpi int, share time.Duration) (picture, error) {
	base := "page-" + strconv.Itoa(number)
	pic := picture{pixels: base + ".ppm", png: base + ".png", dpi: dpi}
	result, err := t.pdf(ctx, t.programs.PDFToPPM, sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall},
		"-r", strconv.Itoa(dpi), "-f", strconv.Itoa(number), "-l", strconv.Itoa(number), "-singlefile", inputPath, base)
	if err != nil {
		return picture{}, err
	}
	if err := decoderFailed(ctx, "pdftoppm", result); err != nil {
		return picture{}, err
	}
	if err := t.spend(number, result.CPU, share); err != nil {
		return picture{}, err
	}
	if pic.width, pic.height, err = t.pixelSize(pic.pixels); err != nil {
		return picture{}, damaged(fmt.Errorf("pdftoppm drew no page: %w: %s", err, tail(result.Stderr)))
	}
	if wide, high, ok := s.fits(pic); !ok {
		return picture{}, damaged(fmt.Errorf("pdftoppm drew %dx%d instead of %.0fx%.0f", pic.width, pic.height, wide, high))
	}
	return pic, nil
}

// What a page may take to be drawn before it counts against the document: one for people, and one that is read, which
// takes seconds whatever drawing it takes.
const (
	shownCPU = time.Second / 2
	readCPU  = 5 * time.Second / 2
)

// spend counts the processor time of a drawing. Errors: FileTooComplex once the pages so far took too much together.
func (t *task) spend(number int, cpu, share time.Duration) error {
	if over := time.Duration(t.overspent.Add(int64(cpu - share))); over > 2*t.limits.PageCPU {
		return tooComplex().Because(fmt.Errorf("at page %d drawing used %s more than it may", number, over))
	}
	return nil
}

// fits reports whether the picture has the size that the page should have, upright or turned.
func (s sheet) fits(pic picture) (wide, high float64, ok bool) {
	wide, high = s.width/pointsInch*float64(pic.dpi), s.height/pointsInch*float64(pic.dpi)
	near := func(a int, b float64) bool { return math.Abs(float64(a)-b) <= 2+b/100 }
	return wide, high, near(pic.width, wide) && near(pic.height, high) || near(pic.width, high) && near(pic.height, wide)
}

// pixelSize reads the head of a PNM and checks that the pixels are all there.
func (t *task) pixelSize(name string) (width, height int, err error) {
	file, err := t.job.Open(name, 4*maxDrawn)
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
	if info.Size() < int64(shape.offset)+int64(shape.width)*int64(shape.height)*int64(shape.channels) {
		return 0, 0, io.ErrUnexpectedEOF
	}
	return shape.width, shape.height, nil
}
