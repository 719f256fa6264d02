package ocr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
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
	pages := make([]PageImage, len(t.sheets))
	err := t.eachPage(ctx, len(t.sheets), func(ctx context.Context, i int) error {
		page, pic, err := t.readSheet(ctx, i+1, t.sheets[i])
		if err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		pages[i] = PageImage{Page: page, raster: pic.png}
		return nil
	})
	if err != nil {
		return err
	}
	for _, page := range pages {
		t.reading.HasTextLayer = t.reading.HasTextLayer || page.Source == domain.SourceText
		t.add(page.Page, page.raster)
	}
	return nil
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
	pic, err := t.draw(ctx, drawing{number: number, sheet: s, dpi: s.dpi(textDPI)})
	if err != nil {
		return domain.Page{}, pic, err
	}
	err = t.encode(ctx, pic)
	t.drop(pic, pic)
	return layer.page(pic), pic, err
}

// recogniseSheet reads a page with the engine, and keeps its few own words if the engine does not find clearly more. The
// engine reads the page drawn in grey, which is drawn and read in a fraction of the time that colours take.
func (t *task) recogniseSheet(ctx context.Context, number int, s sheet, layer layer) (domain.Page, picture, error) {
	grey := drawing{number: number, sheet: s, dpi: s.dpi(ocrDPI), grey: true}
	pic, err := t.draw(ctx, grey)
	if err != nil {
		return domain.Page{}, pic, err
	}
	shown := make(chan error, 1)
	go func() { shown <- t.show(ctx, grey, pic) }()
	ready := sync.OnceValue(func() error { return <-shown })
	page, read, err := t.recognise(ctx, pic, pic.pixels, ready)
	if failed := ready(); err == nil {
		err = failed
	}
	if own := layer.page(pic); layer.sane() && len(page.Words) < 2*len(own.Words) {
		page, read = own, pic
	}
	t.drop(pic, read)
	return page, read, err
}

// show makes what people see of a page that is read in grey: the same drawing in its colours, or the grey one where these
// would cost more than a page may.
func (t *task) show(ctx context.Context, grey drawing, pic picture) error {
	colours := grey
	colours.grey, colours.aside = false, true
	coloured, err := t.draw(ctx, colours)
	if err != nil || coloured.width != pic.width || coloured.height != pic.height {
		return t.encode(ctx, pic)
	}
	defer func() { _ = t.job.Remove(coloured.pixels) }()
	return t.encode(ctx, coloured)
}

// drawing is one page to be drawn.
type drawing struct {
	number int
	sheet
	dpi   int
	grey  bool // for the engine
	aside bool // while the page is read already: the document does not depend on it
}

// draw rasterises one page; its success is the file itself, of the size that was to be expected.
func (t *task) draw(ctx context.Context, d drawing) (picture, error) {
	base := "page-" + strconv.Itoa(d.number)
	pic := picture{pixels: base + ".ppm", png: base + ".png", dpi: d.dpi}
	args := []string{"-r", strconv.Itoa(d.dpi), "-f", strconv.Itoa(d.number), "-l", strconv.Itoa(d.number), "-singlefile"}
	if d.grey {
		pic.pixels = base + ".pgm"
		args = append(args, "-gray")
	}
	result, err := t.job.Run(ctx, sandbox.Spec{Program: t.programs.PDFToPPM, Args: append(args, inputPath, base), Background: d.aside,
		CorrelationID: t.req.CorrelationID, Limits: sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall, Memory: t.limits.Memory}})
	if err != nil {
		return picture{}, engineFailed(err)
	}
	if err := decoderFailed(ctx, "pdftoppm", result); err != nil {
		return picture{}, err
	}
	if err := t.spend(d, result.CPU); err != nil {
		return picture{}, err
	}
	if pic.width, pic.height, err = t.pixelSize(pic.pixels); err != nil {
		return picture{}, damaged(fmt.Errorf("pdftoppm drew no page: %w: %s", err, tail(result.Stderr)))
	}
	if wide, high, ok := d.fits(pic); !ok {
		return picture{}, damaged(fmt.Errorf("pdftoppm drew %dx%d instead of %.0fx%.0f", pic.width, pic.height, wide, high))
	}
	return pic, nil
}

// What a page may take to be drawn before it counts against the document: one for people, and one that is read, which
// takes seconds whatever drawing it takes.
const (
	shownCPU = time.Second / 2
	readCPU  = 3 * time.Second / 2
)

// spend counts the processor time of a drawing. Errors: FileTooComplex once the pages so far took too much together.
func (t *task) spend(d drawing, cpu time.Duration) error {
	fair := shownCPU
	switch {
	case d.aside:
		return nil
	case d.grey:
		fair = readCPU
	}
	if over := time.Duration(t.overspent.Add(int64(cpu - fair))); over > 2*t.limits.PageCPU {
		return tooComplex().Because(fmt.Errorf("at page %d drawing used %s more than it may", d.number, over))
	}
	return nil
}

// fits reports whether the picture has the size that the page should have, upright or turned.
func (d drawing) fits(pic picture) (wide, high float64, ok bool) {
	wide, high = d.width/pointsInch*float64(d.dpi), d.height/pointsInch*float64(d.dpi)
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
