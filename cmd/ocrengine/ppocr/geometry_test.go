package ppocr

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawPoints draws pixels.
func drawPoints(t *rapid.T) []point {
	coordinate := rapid.IntRange(0, 500)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) point {
		return point{float64(coordinate.Draw(t, "x")), float64(coordinate.Draw(t, "y"))}
	}), 1, 40).Draw(t, "points")
}

// inside reports whether the rectangle contains the point.
func (r rectangle) inside(p point) bool {
	const slack = 1e-6
	from := p.minus(r.centre)
	return math.Abs(from.dot(r.along)) <= r.width/2+slack &&
		math.Abs(from.dot(r.down())) <= r.height/2+slack
}

// The smallest rectangle contains every point, is no larger than the upright one, and points right.
func TestSmallestRectangle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		around := smallestRectangle(hull(points))
		for _, p := range points {
			if !around.inside(p) {
				t.Fatalf("%+v is outside %+v", p, around)
			}
		}
		upright := enclosing(points, point{1, 0})
		if area := around.width * around.height; area > upright.width*upright.height+1e-6 {
			t.Fatalf("area %f, upright %f", area, upright.width*upright.height)
		}
		if math.Abs(around.along.length()-1) > 1e-9 || around.along.x < math.Abs(around.along.y)-1e-9 {
			t.Fatalf("direction %+v", around.along)
		}
	})
}

// A hull turns always in the same direction, and its corners are points.
func TestHullIsConvex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		corners := hull(points)
		known := map[point]bool{}
		for _, p := range points {
			known[p] = true
		}
		for i, corner := range corners {
			next := corners[(i+1)%len(corners)]
			after := corners[(i+2)%len(corners)]
			if !known[corner] || len(corners) > 2 && next.minus(corner).cross(after.minus(corner)) <= 0 {
				t.Fatalf("corner %d of %+v", i, corners)
			}
		}
	})
}

// A rectangle at any angle is found again from its corners.
func TestRectangleAtAnAngle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		angle := rapid.Float64Range(-0.7, 0.7).Draw(t, "angle")
		want := rectangle{centre: point{100, 50}, along: point{math.Cos(angle), math.Sin(angle)},
			width:  rapid.Float64Range(30, 300).Draw(t, "width"),
			height: rapid.Float64Range(5, 20).Draw(t, "height")}
		corners := want.corners()
		got := smallestRectangle(hull(corners[:]))
		if got.centre.minus(want.centre).length() > 1e-6 || math.Abs(got.width-want.width) > 1e-6 ||
			math.Abs(got.height-want.height) > 1e-6 || got.along.minus(want.along).length() > 1e-6 {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		middle := want.part(want.width/4, want.width/2)
		if wanted := want.at(-want.width/8, 0); middle.centre.minus(wanted).length() > 1e-6 ||
			math.Abs(middle.width-want.width/4) > 1e-6 {
			t.Fatalf("part %+v", middle)
		}
	})
}

func TestScaledRectangle(t *testing.T) {
	t.Parallel()
	upright := rectangle{centre: point{10, 20}, along: point{1, 0}, width: 8, height: 4}
	if got := upright.scaled(2, 3); got != (rectangle{centre: point{20, 60}, along: point{1, 0},
		width: 16, height: 12}) {
		t.Errorf("got %+v", got)
	}
}
