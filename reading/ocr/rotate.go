package ocr

import (
	"math"

	"countersign/domain"
)

// rotation maps positions of a page that was turned clockwise, onto a larger one that it fits on,
// back to the page as it was.
type rotation struct {
	sin, cos            float64
	width, height       int // before
	outWidth, outHeight int // after
}

func newRotation(width, height int, degrees float64) rotation {
	t := rotation{width: width, height: height}
	t.sin, t.cos = math.Sincos(degrees * math.Pi / 180)
	w, h := float64(width), float64(height)
	sin, cos := math.Abs(t.sin), math.Abs(t.cos)
	t.outWidth, t.outHeight = int(math.Ceil(w*cos+h*sin)), int(math.Ceil(w*sin+h*cos))
	return t
}

// back returns the position on the page before it was turned.
func (t rotation) back(x, y float64) (float64, float64) {
	x, y = x-float64(t.outWidth)/2, y-float64(t.outHeight)/2
	return x*t.cos + y*t.sin + float64(t.width)/2, y*t.cos - x*t.sin + float64(t.height)/2
}

// backBox returns the box that contains the corners of a box before the page was turned; false if
// it lies outside of the page.
func (t rotation) backBox(box domain.Box) (domain.Box, bool) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, corner := range [4][2]int{{box.X, box.Y}, {box.X + box.W, box.Y},
		{box.X, box.Y + box.H}, {box.X + box.W, box.Y + box.H}} {
		x, y := t.back(float64(corner[0]), float64(corner[1]))
		left, right = min(left, x), max(right, x)
		top, bottom = min(top, y), max(bottom, y)
	}
	x, y := int(math.Floor(left)), int(math.Floor(top))
	return clip(domain.Box{X: x, Y: y, W: int(math.Ceil(right)) - x, H: int(math.Ceil(bottom)) - y},
		t.width, t.height)
}

// rotate returns a grey raster turned clockwise by the angle, on white.
func (r raster) rotate(degrees float64) raster {
	turn := newRotation(r.width, r.height, degrees)
	out := raster{width: turn.outWidth, height: turn.outHeight, channels: 1}
	out.data = make([]byte, out.width*out.height)
	const one = 1 << 16
	stepX, stepY := int(math.Round(turn.cos*one)), -int(math.Round(turn.sin*one))
	for y := range out.height {
		row := out.data[y*out.width : (y+1)*out.width]
		fromX, fromY := turn.back(0.5, float64(y)+0.5)
		x, y := int((fromX-0.5)*one), int((fromY-0.5)*one)
		for i := range row {
			row[i] = r.between(x, y)
			x, y = x+stepX, y+stepY
		}
	}
	return out
}

// between returns the value at a position between pixels, in units of 1/65536 of a pixel; white
// outside of the raster.
func (r raster) between(x, y int) byte {
	left, top := x>>16, y>>16
	if left < 0 || top < 0 || left > r.width-1 || top > r.height-1 {
		return 255
	}
	at := top*r.width + left
	right, below := at, 0
	if left < r.width-1 {
		right++
	}
	if top < r.height-1 {
		below = r.width
	}
	partX, partY := x>>8&255, y>>8&255
	upper := int(r.data[at])*(256-partX) + int(r.data[right])*partX
	lower := int(r.data[at+below])*(256-partX) + int(r.data[right+below])*partX
	return byte((upper*(256-partY) + lower*partY + 1<<15) >> 16)
}
