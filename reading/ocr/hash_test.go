package ocr

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// drawnPage is a white page with lines of words as dark bars, arranged by the seed.
func drawnPage(seed uint64) *image.Gray {
	page := image.NewGray(image.Rect(0, 0, 620, 877))
	draw.Draw(page, page.Bounds(), image.White, image.Point{}, draw.Src)
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // repeatable
	for y := 60; y < 800; y += 22 + random.IntN(40) {
		for x := 50 + random.IntN(200); x < 560; {
			end := min(x+20+random.IntN(90), 570)
			draw.Draw(page, image.Rect(x, y, end, y+9), image.NewUniform(color.Gray{Y: 40}),
				image.Point{}, draw.Src)
			x = end + 8 + random.IntN(120)
		}
	}
	return page
}

// copied returns the page turned by degrees, scaled, and with changed brightness.
func copied(page *image.Gray, degrees, scale float64, bright func(float64) float64) *image.Gray {
	width, height := float64(page.Rect.Dx()), float64(page.Rect.Dy())
	result := image.NewGray(image.Rect(0, 0, int(width*scale), int(height*scale)))
	draw.Draw(result, result.Bounds(), image.White, image.Point{}, draw.Src)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	sin, cos = sin*scale, cos*scale
	xdraw.ApproxBiLinear.Transform(result, f64.Aff3{
		cos, -sin, scale*width/2 - cos*width/2 + sin*height/2,
		sin, cos, scale*height/2 - sin*width/2 - cos*height/2,
	}, page, page.Bounds(), draw.Src, nil)
	for i, value := range result.Pix {
		result.Pix[i] = byte(max(0, min(255, bright(float64(value)))))
	}
	return result
}

// A copy that was brightened, scanned again or put on the glass a little askew has nearly the same
// hash, another page has not.
func TestHashOfCopies(t *testing.T) {
	t.Parallel()
	const bound = 8 // as in the comparison of duplicates
	same := func(v float64) float64 { return v }
	for seed := range uint64(5) {
		page := drawnPage(seed)
		hash := flatten(page).hash()
		for name, other := range map[string]*image.Gray{
			"brightened": copied(page, 0, 1, func(v float64) float64 { return v*0.8 + 45 }),
			"scaled":     copied(page, 0, 1.6, same),
			"turned":     copied(page, 0.5, 1, same),
			"rescanned":  copied(page, -0.4, 0.8, func(v float64) float64 { return v*0.9 + 10 }),
		} {
			if far := bits.OnesCount64(hash ^ flatten(other).hash()); hash == 0 || far > bound {
				t.Errorf("page %d %s: %d bits", seed, name, far)
			}
		}
		if far := bits.OnesCount64(hash ^ flatten(drawnPage(seed+100)).hash()); far <= bound {
			t.Errorf("page %d and another one: %d bits", seed, far)
		}
	}
}

// Blank pages are all alike, so they have no hash: white, grey, with noise, or without pixels.
func TestHashOfBlankPages(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 1)) //nolint:gosec // repeatable
	for name, shade := range map[string]func() byte{
		"white": func() byte { return 255 }, "black": func() byte { return 0 },
		"noise": func() byte { return byte(235 + random.IntN(20)) },
	} {
		for _, size := range []image.Point{{620, 877}, {1, 1}, {3, 2000}} {
			page := image.NewGray(image.Rectangle{Max: size})
			for i := range page.Pix {
				page.Pix[i] = shade()
			}
			if hash := flatten(page).hash(); hash != 0 && size.X > 10 {
				t.Errorf("%s: %x", name, hash)
			}
		}
	}
}
