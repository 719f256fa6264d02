package ocr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"countersign/domain"
	"countersign/reading/plane"
)

// onTable returns a picture of the page on a table of the brightness, with its corners at the quad.
func onTable(page raster, q plane.Quad, width, height int, table func(x, y int) byte) raster {
	out := raster{width: width, height: height, channels: 1, data: make([]byte, width*height)}
	back := plane.Onto(float64(page.width), float64(page.height), q).Inverse()
	for i := range out.data {
		x, y := back.At(float64(i%width)+0.5, float64(i/width)+0.5)
		if x < 0 || y < 0 || x >= float64(page.width) || y >= float64(page.height) {
			out.data[i] = table(i%width, i/width)
			continue
		}
		out.data[i] = page.between(int((x-0.5)*65536), int((y-0.5)*65536))
	}
	return out
}

func even(value byte) func(int, int) byte { return func(int, int) byte { return value } }

// The corners of pages seen from an angle are found within a hundredth of the picture, and a word on
// the straightened copy maps onto the word in the picture. There are few pictures, because the race
// detector makes each take more than half a second.
func TestCornersOfPages(t *testing.T) {
	t.Parallel()
	page := textRaster(500, 700)
	random := rand.New(rand.NewPCG(5, 6))
	between := func(low, high float64) float64 { return low + (high-low)*random.Float64() }
	for range 12 {
		scale, slant, turn := between(1.2, 1.5), between(0.05, 0.15), between(-0.35, 0.35)
		checkCorners(t, page, scale, slant, turn)
	}
	for _, slant := range []float64{0.05, 0.15} {
		for _, turn := range []float64{-0.35, 0.35} {
			checkCorners(t, page, 1.5, slant, turn)
		}
	}
}

func checkCorners(t *testing.T, page raster, scale, slant, turn float64) {
	t.Helper()
	named := fmt.Sprintf("scale %.2f, slant %.2f, turn %.2f", scale, slant, turn)
	q := plane.Quad{{X: -250 + 500*slant, Y: -350}, {X: 250 - 500*slant, Y: -350 + 350*slant},
		{X: 250, Y: 350}, {X: -250, Y: 340}}
	width, height := 1300, 1400
	sin, cos := math.Sincos(turn)
	for i, p := range q {
		q[i] = plane.Point{X: scale*(p.X*cos-p.Y*sin) + float64(width)/2,
			Y: scale*(p.X*sin+p.Y*cos) + float64(height)/2}
	}
	noise := rand.New(rand.NewPCG(1, 2))
	photo := onTable(page, q, width, height, func(x, y int) byte {
		return byte(70 + 20*math.Sin(float64(x)/9+3*math.Sin(float64(y)/70)) + float64(noise.IntN(12)))
	})
	found := photo.corners()
	if found == nil {
		t.Fatalf("%s: no corners", named)
	}
	for i, p := range found {
		if away := math.Hypot(p.X-q[i].X, p.Y-q[i].Y); away > 13 {
			t.Errorf("%s: corner %d is off by %.1f pixels", named, i, away)
		}
	}
	seen := pose{Corners: found}
	straight, err := photo.straighten(seen)
	if err != nil {
		t.Fatal(err)
	}
	if skew := straight.skew(); skew != 0 {
		t.Errorf("%s: the copy has a skew of %.1f", named, skew)
	}
	how, _ := seen.straightening(width, height)
	box, ok := how.backBox(domain.Box{X: straight.width/2 - 3, Y: straight.height/2 - 3, W: 6, H: 6})
	if !ok || box.W > 20 || box.H > 20 || box.X < width/4 || box.X > 3*width/4 {
		t.Errorf("%s: the middle is at %+v", named, box)
	}
}

// Attack: what is no page seen from an angle is read as it is.
func TestPicturesWithoutCorners(t *testing.T) {
	t.Parallel()
	page := textRaster(500, 700)
	random := rand.New(rand.NewPCG(3, 4))
	above := plane.Quad{{X: 150, Y: 100}, {X: 650, Y: 100}, {X: 650, Y: 800}, {X: 150, Y: 800}}
	slanted := plane.Quad{{X: 210, Y: 100}, {X: 590, Y: 120}, {X: 650, Y: 800}, {X: 150, Y: 790}}
	round := onTable(page, slanted, 800, 900, even(60))
	for i := range round.data {
		if x, y := float64(i%800), float64(i/800); math.Hypot(x-400, y-450) > 300 {
			round.data[i] = 60
		}
	}
	beyond := plane.Quad{{X: -60, Y: 100}, {X: 700, Y: 120}, {X: 900, Y: 800}, {X: -150, Y: 790}}
	blank := textRaster(500, 60)
	onSlant := onTable(page, slanted, 800, 900, even(60))
	noisy := textRaster(500, 700)
	for i := range noisy.data {
		noisy.data[i] = byte(random.IntN(256))
	}
	for name, picture := range map[string]raster{
		"one pixel":         {width: 1, height: 1, channels: 1, data: []byte{9}},
		"a scan":            page,
		"noise":             noisy,
		"from above":        onTable(page, above, 800, 900, even(60)),
		"turned":            onTable(page, above, 800, 900, even(60)).rotate(9),
		"a bright table":    onTable(page, slanted, 800, 900, even(200)),
		"a round page":      round,
		"cut at the border": onTable(page, beyond, 800, 900, even(60)),
		"a small page":      onTable(page, slanted, 2400, 2700, even(60)),
		"without text":      onTable(blank, slanted, 800, 900, even(60)),
		// It lies at an angle of its own, and would be distorted.
		"a second document": onTable(textRaster(300, 200), plane.Quad{{X: 200, Y: 830},
			{X: 500, Y: 830}, {X: 500, Y: 1000}, {X: 200, Y: 1000}}, 800, 1100, func(x, y int) byte {
			if y < 820 {
				return onSlant.data[y*800+x]
			}
			return 60
		}),
		"text around it": onTable(page, slanted, 800, 900, func(x, y int) byte {
			if x/3%4 == 0 && y/9%2 == 0 {
				return 5
			}
			return 90
		}),
	} {
		if got := picture.corners(); got != nil {
			t.Errorf("%s has corners: %v", name, *got)
		}
	}
	if got := onSlant.corners(); got == nil {
		t.Error("the slanted page has no corners")
	}
}

// Attack: a picture that shows the horizon of its page is not straightened.
func TestHorizon(t *testing.T) {
	t.Parallel()
	steep := plane.Quad{{X: 490, Y: 480}, {X: 510, Y: 480}, {X: 900, Y: 990}, {X: 100, Y: 990}}
	if how, ok := newFlattening(1000, 1000, steep); ok {
		t.Errorf("%+v", how)
	}
	flat := plane.Quad{{X: 1, Y: 1}, {X: 2, Y: 2}, {X: 3, Y: 3}, {X: 4, Y: 4}}
	if how, ok := newFlattening(1000, 1000, flat); ok {
		t.Errorf("%+v", how)
	}
}
