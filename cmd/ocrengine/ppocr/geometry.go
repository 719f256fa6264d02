package ppocr

import (
	"cmp"
	"math"
	"slices"
)

// point is a position in a picture, in pixels.
type point struct{ x, y float64 }

func (p point) plus(q point) point         { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point        { return point{p.x - q.x, p.y - q.y} }
func (p point) times(factor float64) point { return point{p.x * factor, p.y * factor} }
func (p point) dot(q point) float64        { return p.x*q.x + p.y*q.y }
func (p point) cross(q point) float64      { return p.x*q.y - p.y*q.x }
func (p point) length() float64            { return math.Hypot(p.x, p.y) }

// rectangle is a rectangle at any angle: along is the direction of its width, a unit vector that
// points to the right or, if the rectangle lies on its side, down.
type rectangle struct {
	centre        point
	along         point
	width, height float64
}

// down is the direction of the height.
func (r rectangle) down() point { return point{-r.along.y, r.along.x} }

// at returns the point at the given distances from the centre, along the width and the height.
func (r rectangle) at(along, down float64) point {
	return r.centre.plus(r.along.times(along)).plus(r.down().times(down))
}

// corners returns the corners: top left, top right, bottom right, bottom left.
func (r rectangle) corners() [4]point {
	w, h := r.width/2, r.height/2
	return [4]point{r.at(-w, -h), r.at(w, -h), r.at(w, h), r.at(-w, h)}
}

// grown returns the rectangle with all sides moved outwards.
func (r rectangle) grown(by float64) rectangle {
	r.width, r.height = r.width+2*by, r.height+2*by
	return r
}

// scaled returns the rectangle in a picture scaled by different factors in x and y. If they differ,
// it is the nearest rectangle.
func (r rectangle) scaled(x, y float64) rectangle {
	scale := func(p point) point { return point{p.x * x, p.y * y} }
	along, down := scale(r.along), scale(r.down())
	return rectangle{centre: scale(r.centre), along: along.times(1 / along.length()),
		width: r.width * along.length(), height: r.height * down.length()}
}

// part returns the part between two distances from the left side, in pixels.
func (r rectangle) part(from, to float64) rectangle {
	r.centre = r.at((from+to)/2-r.width/2, 0)
	r.width = to - from
	return r
}

// hull returns the convex hull of the points, counterclockwise for a y axis that points up, without
// points on its edges.
func hull(points []point) []point {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	sorted = slices.Compact(sorted)
	if len(sorted) < 3 {
		return sorted
	}
	half := func(points []point) []point {
		var chain []point
		for _, p := range points {
			for len(chain) > 1 {
				last, before := chain[len(chain)-1], chain[len(chain)-2]
				if last.minus(before).cross(p.minus(before)) > 0 {
					break
				}
				chain = chain[:len(chain)-1]
			}
			chain = append(chain, p)
		}
		return chain[:len(chain)-1]
	}
	lower := half(sorted)
	slices.Reverse(sorted)
	return append(lower, half(sorted)...)
}

// smallestRectangle returns the rectangle of the smallest area that contains the points of a convex
// hull. One of its sides lies on an edge of the hull.
func smallestRectangle(hull []point) rectangle {
	if len(hull) == 0 {
		return rectangle{along: point{1, 0}}
	}
	best, found := rectangle{centre: hull[0], along: point{1, 0}}, false
	for i, from := range hull {
		edge := hull[(i+1)%len(hull)].minus(from)
		if edge.length() == 0 {
			continue
		}
		candidate := enclosing(hull, edge.times(1/edge.length()))
		if !found || candidate.width*candidate.height < best.width*best.height {
			best, found = candidate, true
		}
	}
	return best.upright()
}

// enclosing returns the smallest rectangle with the direction that contains the points.
func enclosing(points []point, along point) rectangle {
	down := point{-along.y, along.x}
	left, right := math.Inf(1), math.Inf(-1)
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		x, y := p.dot(along), p.dot(down)
		left, right = min(left, x), max(right, x)
		top, bottom = min(top, y), max(bottom, y)
	}
	centre := along.times((left + right) / 2).plus(down.times((top + bottom) / 2))
	return rectangle{centre: centre, along: along, width: right - left, height: bottom - top}
}

// upright returns the same rectangle with the direction that is nearest to the right.
func (r rectangle) upright() rectangle {
	if math.Abs(r.along.y) > math.Abs(r.along.x) {
		r.along, r.width, r.height = r.down(), r.height, r.width
	}
	if r.along.x < 0 {
		r.along = r.along.times(-1)
	}
	return r
}
