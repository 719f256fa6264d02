package ocr

import (
	"errors"
	"math"

	"countersign/domain"
	"countersign/reading/plane"
)

// pose is how a page lies in its picture.
type pose struct {
	Skew float64 // of its lines, clockwise in degrees; 0 = none
	// Corners are those of a page that is seen from an angle; nil = from above. Then the skew is that of
	// the lines in the middle of the page at best.
	Corners *plane.Quad
}

func (p pose) isStraight() bool { return p.Skew == 0 && p.Corners == nil }

// flattening maps positions of a straightened page, on a picture that all of the page as it was fits
// on, back to the page as it was.
type flattening struct {
	width, height       int // before
	outWidth, outHeight int // after
	back                func(x, y float64) (float64, float64)
}

// straightening returns how a page is straightened; false if it cannot be.
func (p pose) straightening(width, height int) (flattening, bool) {
	if p.Corners != nil {
		return newFlattening(width, height, *p.Corners)
	}
	return newRotation(width, height, -p.Skew).flattening, true
}

// newFlattening returns how a picture becomes one of the page from above, in the size of its nearest
// sides. The surroundings stay, so a second document beside the page is not lost. It returns false if
// the picture shows the horizon of the page, or the copy would be more than maxPageGrowth times as large.
func newFlattening(width, height int, q plane.Quad) (flattening, bool) {
	side := func(i int) float64 {
		return math.Hypot(q[(i+1)%4].X-q[i].X, q[(i+1)%4].Y-q[i].Y)
	}
	wide, high := max(side(0), side(2)), max(side(1), side(3))
	onto := plane.Onto(wide, high, q)
	from := onto.Inverse()
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	middle := from.Depth((q[0].X+q[2].X)/2, (q[0].Y+q[2].Y)/2)
	for _, corner := range [4]plane.Point{{}, {X: float64(width)}, {X: float64(width), Y: float64(height)},
		{Y: float64(height)}} {
		if !(from.Depth(corner.X, corner.Y)/middle > 0.1) { // not a number is no depth either
			return flattening{}, false
		}
		x, y := from.At(corner.X, corner.Y)
		left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
	}
	t := flattening{width: width, height: height, outWidth: int(math.Ceil(right - left)),
		outHeight: int(math.Ceil(bottom - top)), back: func(x, y float64) (float64, float64) {
			return onto.At(x+left, y+top)
		}}
	return t, t.outWidth*t.outHeight <= maxPageGrowth*width*height
}

// rotation is the flattening of a page that was turned clockwise.
type rotation struct {
	flattening
	sin, cos float64
}

func newRotation(width, height int, degrees float64) rotation {
	t := rotation{flattening: flattening{width: width, height: height}}
	t.sin, t.cos = math.Sincos(degrees * math.Pi / 180)
	w, h := float64(width), float64(height)
	sin, cos := math.Abs(t.sin), math.Abs(t.cos)
	t.outWidth, t.outHeight = int(math.Ceil(w*cos+h*sin)), int(math.Ceil(w*sin+h*cos))
	outWidth, outHeight := float64(t.outWidth), float64(t.outHeight)
	t.back = func(x, y float64) (float64, float64) {
		x, y = x-outWidth/2, y-outHeight/2
		return x*t.cos + y*t.sin + w/2, y*t.cos - x*t.sin + h/2
	}
	return t
}

// backBox returns the box that contains the corners of a box before the page was straightened; false
// if it lies outside of the page.
func (t flattening) backBox(box domain.Box) (domain.Box, bool) {
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

// straighten returns a straightened grey raster.
func (r raster) straighten(p pose) (raster, error) {
	if p.Corners == nil {
		return r.rotate(-p.Skew), nil
	}
	turn, ok := p.straightening(r.width, r.height)
	if !ok {
		return raster{}, errors.New("the page cannot be straightened")
	}
	const one = 1 << 16
	out := raster{width: turn.outWidth, height: turn.outHeight, channels: 1}
	out.data = make([]byte, out.width*out.height)
	for i := range out.data {
		x, y := turn.back(float64(i%out.width)+0.5, float64(i/out.width)+0.5)
		out.data[i] = r.between(int((x-0.5)*one), int((y-0.5)*one))
	}
	return out, nil
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
