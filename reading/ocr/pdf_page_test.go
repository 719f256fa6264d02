package ocr_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// stamped returns a page with text and a red bar at its lower edge.
func stamped(t *testing.T, lines []string) *image.RGBA {
	t.Helper()
	text := drawText(t, lines)
	page := image.NewRGBA(text.Bounds())
	draw.Draw(page, page.Bounds(), text, image.Point{}, draw.Src)
	bar := image.Rect(0, page.Bounds().Dy()-40, page.Bounds().Dx(), page.Bounds().Dy())
	draw.Draw(page, bar, image.NewUniform(color.RGBA{R: 220, A: 255}), image.Point{}, draw.Src)
	return page
}

func scanned(t *testing.T, scan image.Image, rotate int) []byte {
	t.Helper()
	b := scan.Bounds()
	return asPDF(
		t,
		[]testPage{
			{
				width: 360, height: 360 * float64(b.Dy()) / float64(b.Dx()), rotate: rotate,
				scan: scan,
			},
		},
		nil,
	)
}

// decodeRaster returns the displayed raster of a page.
func decodeRaster(t *testing.T, page ocr.PageImage) image.Image {
	t.Helper()
	raster, err := page.Raster()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := png.Decode(bytes.NewReader(raster))
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// redAt counts the red pixels in the upper and lower half of the displayed raster.
func redAt(t *testing.T, page ocr.PageImage) (upper, lower int) {
	t.Helper()
	seen := decodeRaster(t, page)
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

// keepingEngine is a fixedEngine that records its input pixels.
type keepingEngine struct {
	fixedEngine
	pixels []byte
}

func (e *keepingEngine) Recognise(
	ctx context.Context, folder *sandbox.Folder, image ocr.Image,
) ([]domain.Word, error) {
	var err error
	if e.pixels, err = folder.ReadFile(image.File, 1<<30); err != nil {
		return nil, err
	}
	return e.fixedEngine.Recognise(ctx, folder, image)
}

// The engine reads the luminance of the displayed pixels, so a file cannot show different content
// to people and the engine.
func TestEngineReadsLuminanceOfDisplayedPixels(t *testing.T) {
	t.Parallel()
	engine := &keepingEngine{}
	reading := read(
		t, newReader(t, ocr.Options{Engine: engine}), scanned(t, stamped(t, receipt), 0),
	)
	checkReading(t, reading)
	page := reading.Pages[0]
	if upper, lower := redAt(t, page); upper != 0 || lower < 1000 {
		t.Errorf("red pixels: %d above, %d below", upper, lower)
	}
	seen := decodeRaster(t, page)
	head := fmt.Sprintf("P5\n%d %d\n255\n", page.Width, page.Height)
	if !bytes.HasPrefix(engine.pixels, []byte(head)) ||
		len(engine.pixels) != len(head)+page.Width*page.Height {
		t.Fatalf(
			"the engine was given %d bytes, beginning with %q", len(engine.pixels),
			engine.pixels[:min(20, len(engine.pixels))],
		)
	}
	for i, grey := range engine.pixels[len(head):] {
		r, g, b, _ := seen.At(i%page.Width, i/page.Width).RGBA()
		if want := (299*(r>>8) + 587*(g>>8) + 114*(b>>8) + 500) / 1000; uint32(grey) != want {
			t.Fatalf(
				"at %d,%d the engine saw %d, people %d", i%page.Width, i/page.Width, grey, want,
			)
		}
	}
}

func TestAScanUpsideDownIsTurnedWithItsColours(t *testing.T) {
	t.Parallel()
	reading := read(
		t, newReader(t, ocr.Options{}),
		scanned(t, stamped(t, append(append([]string{}, receipt...), receipt...)), 180),
	)
	checkReading(t, reading)
	page := reading.Pages[0]
	if page.Rotation != 180 {
		t.Errorf("turned by %d", page.Rotation)
	}
	find(t, page, "123.45")
	if upper, lower := redAt(t, page); upper != 0 || lower < 1000 {
		t.Errorf("red pixels: %d above, %d below", upper, lower)
	}
}

// A scan on its side is rotated together with its colours: the red bar is at the bottom again.
func TestRotatedScanKeepsItsColours(t *testing.T) {
	t.Parallel()
	for _, rotate := range []int{90, 270} {
		reading := read(
			t, newReader(t, ocr.Options{}),
			scanned(t, stamped(t, append(append([]string{}, receipt...), receipt...)), rotate),
		)
		checkReading(t, reading)
		page := reading.Pages[0]
		if page.Rotation != 360-rotate || page.Width > page.Height {
			t.Errorf(
				"lying at %d it was turned by %d to %dx%d", rotate, page.Rotation, page.Width,
				page.Height,
			)
		}
		if upper, lower := redAt(t, page); upper != 0 || lower < 1000 {
			t.Errorf("lying at %d it has red pixels: %d above, %d below", rotate, upper, lower)
		}
	}
}

// Rendering time counts against the document, even if each page is within its limit.
func TestPagesThatAreExpensiveToDraw(t *testing.T) {
	t.Parallel()
	// Runs until the shell has used one second of processor time for each page, on any machine.
	expensive := func(program string) string {
		return script(t, `used=0; last=; for own; do
	case $last in -f) first=$own;; -l) pages=$((own-first+1));; esac; last=$own
done; own=$own.used
while [ "$used" -lt "$pages" ]; do
	i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done
	times >"$own"; read -r user system <"$own"; user=${user#*m}; used=${user%%.*}
done
exec `+program+` "$@"`)
	}
	papers := make([]testPage, 30)
	for i := range papers {
		papers[i] = testPage{width: 595, height: 842, lines: long}
	}
	reader := newReader(
		t,
		ocr.Options{
			Programs: ocr.Programs{PDFToPPM: expensive("pdftoppm"),
				PDFToCairo: expensive("pdftocairo")},
			Limits: ocr.Limits{PageCPU: 2 * time.Second, DrawWall: 5 * time.Minute},
		},
	)
	reading, err := reader.Open(t.Context(), bytes.NewReader(asPDF(t, papers, nil)), ocr.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	err = reading.ReadPages(t.Context(), false)
	if !domain.HasCode(err, domain.FileTooComplex) ||
		!strings.Contains(err.Error(), "drawing used") {
		t.Errorf("got %v", err)
	}
}

// An engine that fails immediately, or a cancelled context, leaves no files behind while the raster
// is being decoded.
func TestAScanWhoseEngineFails(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Programs: ocr.Programs{Tesseract: script(t, "exit 1")}})
	reading, err := reader.Read(
		t.Context(), bytes.NewReader(scanned(t, stamped(t, receipt), 0)), ocr.Request{},
	)
	if err == nil {
		reading.Close()
	}
	if !domain.HasCode(err, domain.EngineFailed) {
		t.Errorf("got %v", err)
	}
}
