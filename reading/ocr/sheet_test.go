package ocr_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// stamped is the written page with a red bar at its lower edge.
func stamped(t *testing.T, lines []string) *image.RGBA {
	t.Helper()
	text := written(t, lines)
	page := image.NewRGBA(text.Bounds())
	draw.Draw(page, page.Bounds(), text, image.Point{}, draw.Src)
	bar := image.Rect(0, page.Bounds().Dy()-40, page.Bounds().Dx(), page.Bounds().Dy())
	draw.Draw(page, bar, image.NewUniform(color.RGBA{R: 220, A: 255}), image.Point{}, draw.Src)
	return page
}

func scanned(t *testing.T, scan image.Image, rotate int) []byte {
	t.Helper()
	b := scan.Bounds()
	return asPDF(t, []paper{{width: 360, height: 360 * float64(b.Dy()) / float64(b.Dx()), rotate: rotate, scan: scan}}, nil)
}

// redAt counts the red pixels of the upper and of the lower half of the raster that people see.
func redAt(t *testing.T, page ocr.PageImage) (upper, lower int) {
	t.Helper()
	raster, err := page.Raster()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := png.Decode(bytes.NewReader(raster))
	if err != nil {
		t.Fatal(err)
	}
	b := seen.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			if r, g, _, _ := seen.At(x, y).RGBA(); r < 0x8000 || g > 0x4000 {
				continue
			}
			if y < b.Dy()/2 {
				upper++
			} else {
				lower++
			}
		}
	}
	return upper, lower
}

// headEngine is the fixed one, and keeps the first two bytes of what it is given.
type headEngine struct {
	fixedEngine
	head []byte
}

func (e *headEngine) Recognise(ctx context.Context, folder *sandbox.Folder, image ocr.Image) ([]domain.Word, error) {
	file, err := folder.Open(image.File, 1<<30)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	e.head = make([]byte, 2)
	if _, err := io.ReadFull(file, e.head); err != nil {
		return nil, err
	}
	return e.fixedEngine.Recognise(ctx, folder, image)
}

func TestTheEngineReadsGreyAndPeopleSeeColours(t *testing.T) {
	t.Parallel()
	engine := &headEngine{}
	reading := read(t, newReader(t, ocr.Options{Engine: engine}), scanned(t, stamped(t, receipt), 0))
	sound(t, reading)
	if string(engine.head) != "P5" {
		t.Errorf("the engine was given %q", engine.head)
	}
	if upper, lower := redAt(t, reading.Pages[0]); upper != 0 || lower < 1000 {
		t.Errorf("red pixels: %d above, %d below", upper, lower)
	}
}

func TestAScanUpsideDownIsTurnedWithItsColours(t *testing.T) {
	t.Parallel()
	reading := read(t, newReader(t, ocr.Options{}), scanned(t, stamped(t, append(append([]string{}, receipt...), receipt...)), 180))
	sound(t, reading)
	page := reading.Pages[0]
	if page.Rotation != 180 {
		t.Errorf("turned by %d", page.Rotation)
	}
	find(t, page, "123.45")
	if upper, lower := redAt(t, page); upper != 0 || lower < 1000 {
		t.Errorf("red pixels: %d above, %d below", upper, lower)
	}
}

func TestColoursThatCostTooMuchAreLeftOut(t *testing.T) {
	t.Parallel()
	onlyGrey := script(t, `case " $* " in *" -gray "*) exec pdftoppm "$@";; esac; while :; do :; done`)
	reader := newReader(t, ocr.Options{Programs: ocr.Programs{PDFToPPM: onlyGrey}, Limits: ocr.Limits{PageCPU: time.Second}})
	reading := read(t, reader, scanned(t, stamped(t, receipt), 0))
	sound(t, reading)
	find(t, reading.Pages[0], "123.45")
	if upper, lower := redAt(t, reading.Pages[0]); upper+lower != 0 {
		t.Errorf("red pixels: %d above, %d below", upper, lower)
	}
}
