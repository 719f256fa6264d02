package ocr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"countersign/reading/ocr/sandbox"
)

// draw renders one page and verifies that the output has the expected size. share is the processor
// time that does not count against the budget of the document. A page that pdftoppm cannot render
// within its processor time is rendered by pdftocairo, which needs 14 to 70 % of the time for such
// pages (docs/figures.md).
func (t *task) draw(
	ctx context.Context, number int, s pdfPage, dpi int, share time.Duration,
) (picture, error) {
	base := "page-" + strconv.Itoa(number)
	pic := picture{pixels: base + ".ppm", png: base + ".png", dpi: dpi}
	program, err := "pdftoppm", error(nil)
	var result sandbox.Result
	if !t.drawQuickly.Load() {
		if result, err = t.renderPage(ctx, t.programs.PDFToPPM, number, dpi); err != nil {
			return picture{}, err
		}
		if result.Ending == sandbox.CPULimit {
			t.drawQuickly.Store(true)
		}
	}
	quickly := t.drawQuickly.Load() && (result.Ending == "" || result.Ending == sandbox.CPULimit)
	if quickly {
		program = "pdftocairo"
		if result, err = t.renderPage(ctx, t.programs.PDFToCairo, number, dpi,
			"-tiff", "-tiffcompression", "none"); err != nil {
			return picture{}, err
		}
	}
	if err := decoderError(ctx, program, result); err != nil {
		return picture{}, err
	}
	if err := t.chargeCPU(number, result.CPU, share); err != nil {
		return picture{}, err
	}
	if quickly {
		if err := t.convertTIFF(ctx, base+".tif", pic.pixels); err != nil {
			return picture{}, err
		}
	}
	return t.checkDrawn(pic, s, program, result)
}

// renderPage runs a program of poppler that renders one page to a file in the job's folder.
func (t *task) renderPage(
	ctx context.Context, program string, number, dpi int, format ...string,
) (sandbox.Result, error) {
	page := strconv.Itoa(number)
	args := append(format, "-r", strconv.Itoa(dpi), "-f", page, "-l", page, "-singlefile", inputPath,
		"page-"+page)
	return t.pdf(ctx, program,
		sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall}, args...)
}

// convertTIFF converts a page that pdftocairo has rendered, whose formats do not include PNM.
func (t *task) convertTIFF(ctx context.Context, from, to string) error {
	file, err := t.job.Open(from, 4*maxDrawnPixels+1<<20)
	if err != nil {
		return damagedError(fmt.Errorf("pdftocairo drew no page: %w", err))
	}
	_, at, err := tiffHead(file)
	_ = file.Close()
	if err != nil {
		return damagedError(fmt.Errorf("pdftocairo drew no page: %w", err))
	}
	_, err = t.image(ctx, imageJob{In: from, MediaType: mediaTIFF, At: at, PNM: to})
	_ = t.job.Remove(from) // removed with the folder otherwise
	return err
}

// checkDrawn sets the size of a rendered page, and returns an error if it is not that of the page or
// if the file is not complete.
func (t *task) checkDrawn(
	pic picture, s pdfPage, program string, result sandbox.Result,
) (picture, error) {
	var err error
	if pic.width, pic.height, err = t.pixelSize(pic.pixels); err != nil {
		return picture{}, damagedError(
			fmt.Errorf("%s drew no page: %w: %s", program, err, shortenOutput(result.Stderr)),
		)
	}
	if wide, high, ok := s.matchesSize(pic); !ok {
		return picture{}, damagedError(
			fmt.Errorf("%s drew %dx%d instead of %.0fx%.0f", program, pic.width, pic.height, wide,
				high),
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
// FileTooComplex if the budget is exceeded. An attempt of pdftoppm that reached its limit is not charged:
// it happens at most once for each page that is rendered concurrently.
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
