package ocr

import (
	"bytes"
	"fmt"
	"image/png"
	"math/rand/v2"
	"testing"
)

// Every raster comes out of the library's decoder as it was: drawn or full of noise, grey or in
// colour, smaller and larger than one chunk.
func TestPNGKeepsEveryPixel(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {3, 2}, {1, 500}, {640, 480}} {
		for _, channels := range []int{1, 3} {
			for _, noise := range []bool{false, true} {
				t.Run(fmt.Sprint(size, channels, noise), func(t *testing.T) {
					t.Parallel()
					checkPNG(t, size[0], size[1], channels, noise)
				})
			}
		}
	}
}

func checkPNG(t *testing.T, width, height, channels int, noise bool) {
	t.Helper()
	r := raster{width: width, height: height, channels: channels}
	r.data = bytes.Repeat([]byte{250}, width*height*channels)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range r.data {
		if noise || i%977 == 0 {
			r.data[i] = byte(random.Uint32())
		}
	}
	if width == 640 && r.isFlat() == noise {
		t.Errorf("flat: %v", r.isFlat())
	}
	var file bytes.Buffer
	if err := r.writePNG(&file); err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	if file.Len() != 0 || decoded.Bounds().Dx() != width || decoded.Bounds().Dy() != height {
		t.Fatalf("%v, %d bytes follow", decoded.Bounds(), file.Len())
	}
	for y := range height {
		for x := range width {
			at := (y*width + x) * channels
			red, green, blue, alpha := decoded.At(x, y).RGBA()
			want := [3]byte{r.data[at], r.data[at], r.data[at]}
			if channels == 3 {
				want = [3]byte(r.data[at : at+3])
			}
			if got := [3]byte{byte(red >> 8), byte(green >> 8), byte(blue >> 8)}; got != want ||
				alpha != 0xffff {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}
