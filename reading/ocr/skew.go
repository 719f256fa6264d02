package ocr

import (
	"math"
	"slices"
)

const (
	// skewSide is the longer side of the picture in which the skew is searched. At 1000 pixels a
	// line of text is still several pixels high.
	skewSide = 1000
	// minSkew is the least angle in degrees that is corrected; docs/figures.md has the measurement.
	minSkew = 1.0
	// minSkewGain is how much clearer lines must be along the angle than along the best angle of an
	// upright page, and minSkewRise than along an arbitrary angle, because a photo without text has
	// no clear angle. The least rise of 299 receipts was 16.
	minSkewGain, minSkewRise = 1.2, 5
	// maxSkewPoints limits the work for a page full of specks.
	maxSkewPoints = 40_000
	// minSkewPoints is about three lines of text.
	minSkewPoints = 150
)

// skew returns the clockwise angle in degrees of the lines of text, between -45 and 45; 0 if it is
// too small to matter or not clear. A page on its side at 100 degrees has a skew of 10.
func (r raster) skew() float64 {
	points, width, height := r.shrink(skewSide).lowerEdges()
	if len(points) < minSkewPoints {
		return 0
	}
	profile := newSkewProfile(points, width, height)
	const coarse, fine = 0.5, 0.1
	var scores []float64
	best, at, upright := 0.0, 0.0, 0.0
	for angle := -90.0; angle < 90; angle += coarse {
		score := profile.score(angle)
		scores = append(scores, score)
		if score > best {
			best, at = score, angle
		}
	}
	for angle, end := at-coarse, at+coarse; angle <= end; angle += fine {
		if score := profile.score(angle); score > best {
			best, at = score, angle
		}
	}
	for angle := -minSkew; angle < minSkew+fine/2; angle += fine {
		upright = max(upright, profile.score(angle))
	}
	slices.Sort(scores)
	at = math.Round(10*(at-90*math.Round(at/90))) / 10
	if math.Abs(at) < minSkew || best < minSkewGain*upright ||
		best < minSkewRise*scores[len(scores)/2] {
		return 0
	}
	return at
}

// shrinkFactor is how many pixels of a picture make one whose longer side has at most so many.
func shrinkFactor(width, height, side int) int { return max(1, (max(width, height)+side-1)/side) }

// shrink returns the luminance of the raster, averaged so that the longer side has at most so many
// pixels.
func (r raster) shrink(side int) raster {
	factor := shrinkFactor(r.width, r.height, side)
	small := raster{width: r.width / factor, height: r.height / factor, channels: 1}
	small.data = make([]byte, small.width*small.height)
	sums := make([]int, small.width)
	for y := range small.height {
		clear(sums)
		for dy := range factor {
			row := r.data[(y*factor+dy)*r.width*r.channels:][:r.width*r.channels]
			for x := range small.width * factor {
				if r.channels == 1 {
					sums[x/factor] += int(row[x])
				} else {
					sums[x/factor] += (299*int(row[3*x]) + 587*int(row[3*x+1]) +
						114*int(row[3*x+2])) / 1000
				}
			}
		}
		for x, sum := range sums {
			small.data[y*small.width+x] = byte(sum / (factor * factor))
		}
	}
	return small
}

type point struct{ x, y int }

// lowerEdges returns the pixels that are darker than their surroundings and have a pixel below that
// is not. Letters have them on the base line; a shadow or a dark table around the page has few.
func (r raster) lowerEdges() (points []point, width, height int) {
	const around, contrast = 10, 24
	sums := make([]int64, (r.width+1)*(r.height+1)) // of all pixels above and to the left
	for y := range r.height {
		var row int64
		for x := range r.width {
			row += int64(r.data[y*r.width+x])
			sums[(y+1)*(r.width+1)+x+1] = sums[y*(r.width+1)+x+1] + row
		}
	}
	ink := make([]bool, r.width*r.height)
	for y := range r.height {
		top, bottom := max(0, y-around), min(r.height, y+around+1)
		for x := range r.width {
			left, right := max(0, x-around), min(r.width, x+around+1)
			sum := sums[bottom*(r.width+1)+right] - sums[bottom*(r.width+1)+left] -
				sums[top*(r.width+1)+right] + sums[top*(r.width+1)+left]
			area := int64((bottom - top) * (right - left))
			ink[y*r.width+x] = (int64(r.data[y*r.width+x])+contrast)*area < sum
		}
	}
	for y := range r.height - 1 {
		for x := range r.width {
			if ink[y*r.width+x] && !ink[(y+1)*r.width+x] {
				points = append(points, point{x, y})
			}
		}
	}
	if n := (len(points) + maxSkewPoints - 1) / maxSkewPoints; n > 1 {
		kept := points[:0]
		for i := 0; i < len(points); i += n {
			kept = append(kept, points[i])
		}
		points = kept
	}
	return points, r.width, r.height
}

// skewProfile counts points along lines of an angle.
type skewProfile struct {
	points []point
	bins   []int32
	middle int
}

func newSkewProfile(points []point, width, height int) *skewProfile {
	reach := int(math.Hypot(float64(width), float64(height))) + 2
	return &skewProfile{points: points, bins: make([]int32, 2*reach+1), middle: reach}
}

// score is the sum of squared differences of neighbouring lines of pixels at the angle. A point
// counts in parts for the two lines between which it lies: otherwise, at 45 degrees, every other line
// would hold twice the points of its neighbours, and specks would look like text.
func (p *skewProfile) score(degrees float64) float64 {
	const bits, part = 16, 4
	sine, cosine := math.Sincos(degrees * math.Pi / 180)
	sin, cos := int(math.Round(sine*(1<<bits))), int(math.Round(cosine*(1<<bits)))
	clear(p.bins)
	for _, at := range p.points {
		position := (p.middle<<bits + at.y*cos - at.x*sin) >> (bits - part)
		line, rest := position>>part, int32(position&(1<<part-1))
		p.bins[line] += 1<<part - rest
		p.bins[line+1] += rest
	}
	sum, last := 0.0, int32(0)
	for _, n := range p.bins {
		sum += float64(n-last) * float64(n-last)
		last = n
	}
	return sum
}
