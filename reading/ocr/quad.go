package ocr

import (
	"math"
	"slices"

	"countersign/reading/plane"
)

// line holds the points at which A*X + B*Y = C, with A*A + B*B = 1.
type line struct{ A, B, C float64 }

// meet returns where two lines cross; false if they are parallel.
func (l line) meet(m line) (plane.Point, bool) {
	determinant := l.A*m.B - m.A*l.B
	if math.Abs(determinant) < 1e-9 {
		return plane.Point{}, false
	}
	return plane.Point{X: (l.C*m.B - m.C*l.B) / determinant, Y: (l.A*m.C - m.A*l.C) / determinant}, true
}

// through returns the line with the least squared distances from the points.
func through(points []plane.Point) line {
	var x, y float64
	for _, p := range points {
		x, y = x+p.X, y+p.Y
	}
	x, y = x/float64(len(points)), y/float64(len(points))
	var xx, xy, yy float64
	for _, p := range points {
		dx, dy := p.X-x, p.Y-y
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	sin, cos := math.Sincos(math.Atan2(2*xy, xx-yy) / 2) // the direction of the line
	return line{A: -sin, B: cos, C: -sin*x + cos*y}
}

// fit returns the four sides that contain the area most tightly, moved to its edge.
func (a *area) fit() (plane.Quad, bool) {
	edge := a.edge()
	rough, ok := fourSides(hull(slices.Clone(edge)))
	if !ok {
		return plane.Quad{}, false
	}
	const near, corner, least = 4.0, 0.1, 10 // pixels, share of a side, points
	var sides [4]line
	for i := range sides {
		from, to := rough[i], rough[(i+1)%4]
		length := math.Hypot(to.X-from.X, to.Y-from.Y)
		var points []plane.Point
		for _, p := range edge {
			along := ((p.X-from.X)*(to.X-from.X) + (p.Y-from.Y)*(to.Y-from.Y)) / (length * length)
			if along > corner && along < 1-corner && math.Abs(cross(from, to, p)) < near*length {
				points = append(points, p)
			}
		}
		if len(points) < least {
			return plane.Quad{}, false
		}
		sides[i] = through(points)
	}
	var q plane.Quad
	for i := range q {
		if q[i], ok = sides[(i+3)%4].meet(sides[i]); !ok {
			return q, false
		}
	}
	return q, true
}

// fourSides removes sides of a convex polygon until four remain, each time the one whose neighbours
// meet with the least additional area; false if that cannot be.
func fourSides(hull []plane.Point) (plane.Quad, bool) {
	if len(hull) < 4 {
		return plane.Quad{}, false
	}
	for len(hull) > 4 {
		best, least := -1, math.Inf(1)
		var at plane.Point
		n := len(hull)
		for i := range hull {
			before, from, to, after := hull[(i+n-1)%n], hull[i], hull[(i+1)%n], hull[(i+2)%n]
			p, ok := through([]plane.Point{before, from}).meet(through([]plane.Point{to, after}))
			// Neighbours that meet on the inner side do not contain the polygon.
			if added := cross(from, p, to); ok && added >= 0 && added < least {
				best, least, at = i, added, p
			}
		}
		if best < 0 {
			return plane.Quad{}, false
		}
		next := (best + 1) % n
		hull[best] = at
		hull = append(hull[:next:next], hull[next+1:]...)
	}
	return plane.Quad(hull), true
}

// fills reports whether the area and the quadrilateral cover each other.
func (a *area) fills(q plane.Quad) bool {
	both, all := 0, 0
	for y := range a.height {
		for x := range a.width {
			if contains(q, float64(x)+0.5, float64(y)+0.5) {
				all++
				if a.in[y*a.width+x] {
					both++
				}
			}
		}
	}
	return float64(both) >= minPageFill*float64(all) && float64(both) >= minPageFill*float64(a.size)
}

func contains(q plane.Quad, x, y float64) bool {
	for i := range q {
		if cross(q[i], q[(i+1)%4], plane.Point{X: x, Y: y}) < 0 {
			return false
		}
	}
	return true
}

// converges reports whether the corners can be those of a page, and opposite sides are not parallel.
func converges(q plane.Quad) bool {
	var directions [4]float64
	for i := range q {
		to := q[(i+1)%4]
		directions[i] = math.Atan2(to.Y-q[i].Y, to.X-q[i].X) * 180 / math.Pi
	}
	turn := func(from, to float64) float64 { return math.Mod(to-from+720, 360) }
	for i := range directions {
		inner := 180 - turn(directions[i], directions[(i+1)%4])
		if inner < minCorner || inner > maxCorner {
			return false
		}
	}
	return max(math.Abs(turn(directions[0], directions[2])-180),
		math.Abs(turn(directions[1], directions[3])-180)) >= minConvergence
}

// fromTopLeft turns the corners so that the first side is the one whose direction is nearest to the
// right.
func fromTopLeft(q plane.Quad) plane.Quad {
	first, best := 0, -2.0
	for i := range q {
		to := q[(i+1)%4]
		if right := (to.X - q[i].X) / math.Hypot(to.X-q[i].X, to.Y-q[i].Y); right > best {
			first, best = i, right
		}
	}
	return plane.Quad{q[first], q[(first+1)%4], q[(first+2)%4], q[(first+3)%4]}
}

// hasTextWithin reports whether the quadrilateral has ink and the picture around it less.
func (r raster) hasTextWithin(q plane.Quad) bool {
	points, _, _ := r.shrink(skewSide).lowerEdges()
	factor := float64(shrinkFactor(r.width, r.height, skewSide))
	inside := 0
	for _, p := range points {
		if contains(q, factor*float64(p.x), factor*float64(p.y)) {
			inside++
		}
	}
	return inside >= minSkewPoints && 2*inside > len(points)
}
