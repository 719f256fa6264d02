package ppocr

import (
	"fmt"
	"math"
)

// Grey is a picture with one byte for each pixel, row by row without padding.
type Grey struct {
	Width, Height int
	Pix           []byte
}

// NewGrey returns a black picture.
func NewGrey(width, height int) Grey {
	return Grey{Width: width, Height: height, Pix: make([]byte, width*height)}
}

// check returns an error if the pixels do not fill the picture.
func (g Grey) check() error {
	if g.Width < 1 || g.Height < 1 || len(g.Pix) != g.Width*g.Height {
		return fmt.Errorf("ppocr: %d pixels do not fill %dx%d", len(g.Pix), g.Width, g.Height)
	}
	return nil
}

// at returns the brightness at a position by bilinear interpolation. Outside the picture the nearest
// pixel counts.
func (g Grey) at(x, y float64) float64 {
	x = max(0, min(x, float64(g.Width-1)))
	y = max(0, min(y, float64(g.Height-1)))
	left, top := int(x), int(y)
	right, bottom := min(left+1, g.Width-1), min(top+1, g.Height-1)
	fx, fy := x-float64(left), y-float64(top)
	upper := float64(g.Pix[top*g.Width+left])*(1-fx) + float64(g.Pix[top*g.Width+right])*fx
	lower := float64(g.Pix[bottom*g.Width+left])*(1-fx) + float64(g.Pix[bottom*g.Width+right])*fx
	return upper*(1-fy) + lower*fy
}

// turned returns the picture upside down.
func (g Grey) turned() Grey {
	result := NewGrey(g.Width, g.Height)
	for i, value := range g.Pix {
		result.Pix[len(g.Pix)-1-i] = value
	}
	return result
}

// share is a source pixel and its weight in a pixel of a resized picture.
type share struct {
	from   int
	weight []float64
}

// shares returns of which pixels each pixel of a resized row or column consists: a triangle that is
// as wide as two pixels of the coarser side, so that thin strokes do not vanish.
func shares(from, to int) []share {
	scale := float64(from) / float64(to)
	reach := max(1, scale)
	result := make([]share, to)
	for i := range result {
		centre := (float64(i) + 0.5) * scale
		first := max(0, int(math.Floor(centre-reach)))
		last := min(from-1, int(math.Ceil(centre+reach)))
		weights, sum := make([]float64, 0, last-first+1), 0.0
		for k := first; k <= last; k++ {
			weight := max(0, 1-math.Abs(float64(k)+0.5-centre)/reach)
			weights, sum = append(weights, weight), sum+weight
		}
		for k := range weights {
			weights[k] /= sum
		}
		result[i] = share{first, weights}
	}
	return result
}

// resize returns the picture in another size.
func (g Grey) resize(width, height int) Grey {
	if width == g.Width && height == g.Height {
		return g
	}
	rows, columns := shares(g.Height, height), shares(g.Width, width)
	result := NewGrey(width, height)
	sums := make([]float64, g.Width)
	for y, row := range rows {
		clear(sums)
		for k, weight := range row.weight {
			line := g.Pix[(row.from+k)*g.Width : (row.from+k+1)*g.Width]
			for x, value := range line {
				sums[x] += weight * float64(value)
			}
		}
		for x, column := range columns {
			sum := 0.0
			for k, weight := range column.weight {
				sum += weight * sums[column.from+k]
			}
			result.Pix[y*width+x] = byte(min(255, max(0, sum+0.5)))
		}
	}
	return result
}

// normalisation is what a network expects for each of the three channels: value/255 less the mean, by
// the deviation.
type normalisation struct{ mean, deviation [3]float32 }

var (
	forDetection   = normalisation{[3]float32{.485, .456, .406}, [3]float32{.229, .224, .225}}
	forRecognition = normalisation{[3]float32{.5, .5, .5}, [3]float32{.5, .5, .5}}
)

// tensor returns the picture as three equal channels, each normalised. Columns beyond the picture, up
// to width, are zero.
func (g Grey) tensor(n normalisation, width int) []float32 {
	result := make([]float32, 3*g.Height*width)
	for channel := range 3 {
		var table [256]float32
		for value := range table {
			table[value] = (float32(value)/255 - n.mean[channel]) / n.deviation[channel]
		}
		plane := result[channel*g.Height*width:]
		for y := range g.Height {
			for x, value := range g.Pix[y*g.Width : (y+1)*g.Width] {
				plane[y*width+x] = table[value]
			}
		}
	}
	return result
}
