package ocr_test

import (
	"context"
	"image"
	"image/color"
	"math"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
	"countersign/reading/plane"
)

// askew returns the page turned clockwise on a larger one of the given grey.
func askew(page *image.Gray, degrees float64, around uint8) *image.Gray {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(page.Bounds().Dx()), float64(page.Bounds().Dy())
	wide, high := w*math.Abs(cos)+h*math.Abs(sin), w*math.Abs(sin)+h*math.Abs(cos)
	out := image.NewGray(image.Rect(0, 0, int(wide)+40, int(high)+40))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.Gray{Y: around}), image.Point{}, draw.Src)
	middleX, middleY := float64(out.Bounds().Dx())/2, float64(out.Bounds().Dy())/2
	draw.BiLinear.Transform(out, f64.Aff3{cos, -sin, middleX - cos*w/2 + sin*h/2,
		sin, cos, middleY - sin*w/2 - cos*h/2}, page, page.Bounds(), draw.Src, nil)
	return out
}

// A skewed page is read whole, and its words lie where people see them.
func TestSkewedPages(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	page := drawText(t, append(append([]string{}, receipt...), receipt...))
	slight, dark, steep := askew(page, 6, 255), askew(page, -13, 40), askew(page, 38, 255)
	wide := 300.0
	for name, file := range map[string][]byte{
		"picture": asPNG(t, slight), "photo on a dark table": asJPEG(t, dark),
		"steep": asPNG(t, steep), "TIFF": asTIFF([]*image.Gray{slight}, nil),
		"PDF": asPDF(t, []testPage{{width: wide, scan: slight,
			height: wide * float64(slight.Bounds().Dy()) / float64(slight.Bounds().Dx())}}, nil),
		"photo held sideways": withOrientation(asJPEG(t, turned(slight, 3)), 6),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reading := read(t, reader, file)
			checkReading(t, reading)
			found := reading.Pages[0]
			for _, text := range []string{"123.45", "14/03/2025", "INV-20417"} {
				if word := find(t, found, text); inkIn(t, found, word.Box) < 100 {
					t.Errorf("no ink at %q: %+v", text, word.Box)
				}
			}
			if !strings.Contains(found.Text, "TOTAL 123.45") {
				t.Errorf("lines are torn:\n%s", found.Text)
			}
		})
	}
}

// fromAnAngle returns a photo of the page on a dark table, with its corners at the quad.
func fromAnAngle(page *image.Gray, corners plane.Quad, width, height int) *image.Gray {
	photo := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(photo, photo.Bounds(), image.NewUniform(color.Gray{Y: 50}), image.Point{}, draw.Src)
	size := page.Bounds().Size()
	back := plane.Onto(float64(size.X), float64(size.Y), corners).Inverse()
	for y := range height {
		for x := range width {
			fx, fy := back.At(float64(x)+0.5, float64(y)+0.5)
			if at := image.Pt(int(math.Floor(fx)), int(math.Floor(fy))); at.In(page.Bounds()) {
				photo.SetGray(x, y, page.GrayAt(at.X, at.Y))
			}
		}
	}
	return photo
}

// A page seen from an angle is read whole, and its words lie where people see them.
func TestPagesFromAnAngle(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	page := drawText(t, append(append([]string{}, receipt...), receipt...))
	w, h := float64(page.Bounds().Dx()), float64(page.Bounds().Dy())
	width, height := int(w)+120, int(h)+100
	photo := fromAnAngle(page, plane.Quad{{X: 60, Y: 50}, {X: 60 + 0.9*w, Y: 50 + 0.14*h},
		{X: 60 + 0.9*w, Y: 50 + 0.85*h}, {X: 60, Y: 50 + h}}, width, height)
	wide := 300.0
	for name, file := range map[string][]byte{
		"photo": asJPEG(t, photo), "photo held sideways": withOrientation(asJPEG(t, turned(photo, 3)), 6),
		"PDF": asPDF(t, []testPage{{width: wide, scan: photo,
			height: wide * float64(height) / float64(width)}}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reading := read(t, reader, file)
			checkReading(t, reading)
			found := reading.Pages[0]
			for _, text := range []string{"123.45", "14/03/2025", "INV-20417"} {
				if word := find(t, found, text); inkIn(t, found, word.Box) < 100 {
					t.Errorf("no ink at %q: %+v", text, word.Box)
				}
			}
		})
	}
}

// A skewed page that also lies on its side or upside down is turned for people and read.
func TestSkewedPagesOnTheirSide(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	page := drawText(t, append(append([]string{}, receipt...), receipt...))
	for _, degrees := range []float64{97, 186} {
		reading := read(t, reader, asPNG(t, askew(page, degrees, 255)))
		checkReading(t, reading)
		found := reading.Pages[0]
		if want := 360 - int(degrees)/90*90; found.Rotation != want {
			t.Errorf("%.0f degrees: turned by %d, want %d", degrees, found.Rotation, want)
		}
		if word := find(t, found, "123.45"); inkIn(t, found, word.Box) < 100 {
			t.Errorf("no ink at %+v", word.Box)
		}
	}
}

// imagesEngine is a fixedEngine that records the images that it was given. It waits for the end of its
// context if it is to, because a real engine takes longer than decoding.
type imagesEngine struct {
	fixedEngine
	waits bool
	mu    sync.Mutex
	asked []ocr.Image
}

func (e *imagesEngine) Recognise(
	ctx context.Context, folder *sandbox.Folder, page ocr.Image,
) ([]domain.Word, error) {
	e.mu.Lock()
	e.asked = append(e.asked, page)
	first := len(e.asked) == 1
	e.mu.Unlock()
	if e.waits && first {
		<-ctx.Done()
		return nil, domain.Errorf(domain.TimedOut, "stopped")
	}
	return e.fixedEngine.Recognise(ctx, folder, page)
}

// skewedEngine reads skewed pages itself, up to 10 degrees.
type skewedEngine struct{ imagesEngine }

func (*skewedEngine) MaxSkew() float64 { return 10 }

// An upright page is read once, from the file itself. A skewed one is read from a straightened copy,
// and the engine that has begun with the file is stopped.
func TestWhatTheEngineIsGiven(t *testing.T) {
	t.Parallel()
	page := drawText(t, append(append([]string{}, receipt...), receipt...))
	upright, skewed := &imagesEngine{}, &imagesEngine{waits: true}
	read(t, newReader(t, ocr.Options{Engine: upright}), asPNG(t, page))
	if len(upright.asked) != 1 || upright.asked[0].File != "../in/document" {
		t.Errorf("upright: %+v", upright.asked)
	}
	turned := askew(page, 6, 255)
	read(t, newReader(t, ocr.Options{Engine: skewed}), asPNG(t, turned))
	if len(skewed.asked) != 2 || skewed.asked[1].File == "../in/document" ||
		skewed.asked[1].Width <= turned.Bounds().Dx() {
		t.Errorf("skewed: %+v", skewed.asked)
	}
	able, second := &skewedEngine{}, &imagesEngine{}
	read(t, newReader(t, ocr.Options{Engine: able, Second: second}), asPNG(t, turned))
	if len(able.asked) != 1 || able.asked[0].File != "../in/document" {
		t.Errorf("reads skewed pages itself: %+v", able.asked)
	}
	steep := &skewedEngine{}
	steep.waits = true
	read(t, newReader(t, ocr.Options{Engine: steep}), asPNG(t, askew(page, 20, 255)))
	if len(steep.asked) != 2 || steep.asked[1].File == "../in/document" {
		t.Errorf("does not read steep pages itself: %+v", steep.asked)
	}
	if len(second.asked) != 1 || second.asked[0].Width <= turned.Bounds().Dx() {
		t.Errorf("second engine: %+v", second.asked)
	}
}

// Attack: a copy of a skewed page that would exceed the limit of pixels is not made.
func TestSkewedPageAtTheLimitOfPixels(t *testing.T) {
	t.Parallel()
	turned := askew(drawText(t, append(append([]string{}, receipt...), receipt...)), 6, 255)
	pixels := int64(turned.Bounds().Dx() * turned.Bounds().Dy())
	engine := &imagesEngine{}
	reader := newReader(t, ocr.Options{Engine: engine, Limits: ocr.Limits{Pixels: pixels + 1}})
	read(t, reader, asPNG(t, turned))
	for _, image := range engine.asked {
		if int64(image.Width)*int64(image.Height) > pixels+1 {
			t.Errorf("read %dx%d pixels", image.Width, image.Height)
		}
	}
}
