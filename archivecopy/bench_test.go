package archivecopy_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"testing"

	"countersign/archivecopy"
	"countersign/domain"
)

// BenchmarkPage writes copies of 100 pages: drawn ones, and scans with noise, with the words of an
// invoice, of a full page and of a hostile one. It reports the bytes that a page adds to its image.
func BenchmarkPage(b *testing.B) {
	for _, c := range []struct {
		name          string
		width, height int
		noise, words  int
	}{{"drawn", 1240, 1754, 0, 150}, {"scanned", 2480, 3508, 6, 150}, {"full", 1240, 1754, 0, 600},
		{"hostile", 1240, 1754, 0, 10_000}} {
		b.Run(c.name, func(b *testing.B) {
			raster := benchRaster(b, c.width, c.height, c.noise)
			page := archivecopy.Page{Width: c.width, Height: c.height, DPI: c.width * 10 / 83,
				Words: benchWords(c.words, c.width, c.height)}
			const pages = 100
			var size int64
			for b.Loop() {
				out := &counter{}
				w, err := archivecopy.NewWriter(out, info)
				for range pages {
					page.Image = bytes.NewReader(raster)
					if err == nil {
						err = w.AddPage(page)
					}
				}
				if err == nil {
					err = w.Close()
				}
				if err != nil {
					b.Fatal(err)
				}
				size = out.size
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/pages/float64(b.N), "ms/page")
			b.ReportMetric(float64(len(raster)), "image-bytes")
			b.ReportMetric(float64(size)/pages-float64(len(raster)), "more-bytes/page")
		})
	}
}

type counter struct{ size int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	return io.Discard.Write(p)
}

// benchRaster draws dark bars for words on white, with noise.
func benchRaster(b *testing.B, width, height, noise int) []byte {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = 250
		if x, y := i%width, i/width; y%40 < 20 && x%11 < 6 && (x/90+y/40)%4 != 0 {
			picture.Pix[i] = 20
		}
		if noise > 0 {
			picture.Pix[i] -= uint8(random.IntN(noise))
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, picture); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

func benchWords(count, width, height int) []domain.Word {
	words := make([]domain.Word, 0, count)
	for i := range count {
		line := i / 8
		words = append(words, word(fmt.Sprintf("Wort%d", i), 50+i%8*(width-100)/8, 20+line*30%height, 100, 24, line))
	}
	return words
}
