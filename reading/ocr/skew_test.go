package ocr

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"countersign/domain"
)

// textRaster draws lines of small type, black on light grey.
func textRaster(width, height int) raster {
	page := image.NewGray(image.Rect(0, 0, width, height))
	for i := range page.Pix {
		page.Pix[i] = 230
	}
	lines := []string{"Paper A4 white five boxes   100.00", "Total amount due  123.45",
		"Thank you for shopping with us, please come again"}
	for y := 60; y < height-40; y += 24 {
		drawer := font.Drawer{Dst: page, Src: image.Black, Face: basicfont.Face7x13,
			Dot: fixed.P(40, y)}
		drawer.DrawString(lines[y/24%len(lines)])
	}
	return flatten(page)
}

func TestSkewOfText(t *testing.T) {
	t.Parallel()
	page := textRaster(500, 700)
	if got := page.skew(); got != 0 {
		t.Errorf("an upright page has a skew of %.1f", got)
	}
	for _, degrees := range []float64{-40, -20, -6, -2, -0.3, 0.3, 2, 6, 20, 40, 84, 90, 96, 180, 186} {
		want := degrees - 90*math.Round(degrees/90)
		if math.Abs(want) < minSkew {
			want = 0
		}
		if got := page.rotate(degrees).skew(); math.Abs(got-want) > 0.4 {
			t.Errorf("turned by %.1f: %.1f, want %.1f", degrees, got, want)
		}
	}
}

// Attack: pages without text, or nearly, have no skew, whatever they show.
func TestSkewWithoutText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	filled := func(width, height int, at func(x, y int) int) raster {
		r := raster{width: width, height: height, channels: 1, data: make([]byte, width*height)}
		for i := range r.data {
			r.data[i] = byte(at(i%width, i/width))
		}
		return r
	}
	for name, page := range map[string]raster{
		"one pixel": filled(1, 1, func(int, int) int { return 0 }),
		"a line":    filled(3000, 1, func(x, _ int) int { return x % 2 * 255 }),
		"a column":  filled(1, 3000, func(_, y int) int { return y % 2 * 255 }),
		"white":     filled(600, 800, func(int, int) int { return 255 }),
		"black":     filled(600, 800, func(int, int) int { return 0 }),
		"noise":     filled(600, 800, func(int, int) int { return random.IntN(256) }),
		"specks": filled(600, 800, func(int, int) int {
			return 255 - 255*(1-min(1, random.IntN(300)))
		}),
		"gradient": filled(600, 800, func(x, y int) int { return (x + y) / 6 }),
		"rings": filled(600, 800, func(x, y int) int {
			return int(128 + 127*math.Sin(math.Hypot(float64(x-300), float64(y-400))/4))
		}),
	} {
		if got := page.skew(); got != 0 {
			t.Errorf("%s has a skew of %.1f", name, got)
		}
	}
}

// A box on the turned page maps onto the box before.
func TestBoxesOfATurnedPage(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{-44, -6, 1, 12, 30} {
		page := raster{width: 400, height: 300, channels: 1, data: make([]byte, 400*300)}
		for i := range page.data {
			page.data[i] = 255
		}
		for y := 100; y < 110; y++ {
			for x := 250; x < 280; x++ {
				page.data[y*400+x] = 0
			}
		}
		out := page.rotate(degrees)
		left, top, right, bottom := out.width, out.height, 0, 0
		for i, value := range out.data {
			if x, y := i%out.width, i/out.width; value < 128 {
				left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
			}
		}
		turn := newRotation(400, 300, degrees)
		got, ok := turn.backBox(domain.Box{X: left, Y: top, W: right - left + 1, H: bottom - top + 1})
		if !ok || got.X > 251 || got.Y > 101 || got.X+got.W < 279 || got.Y+got.H < 109 ||
			got.W > 70 || got.H > 70 {
			t.Errorf("%.0f degrees: %+v", degrees, got)
		}
	}
	outside := domain.Box{X: 0, Y: 0, W: 3, H: 3}
	if box, ok := newRotation(400, 300, 30).backBox(outside); ok {
		t.Errorf("a corner of the turned page is no part of the page: %+v", box)
	}
}
