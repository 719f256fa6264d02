package plane_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"countersign/reading/plane"
)

// A page is mapped onto its corners, straight lines stay straight, and the inverse maps back.
func TestProjection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.Float64Range(50, 4000).Draw(t, "w"), rapid.Float64Range(50, 4000).Draw(t, "h")
		moved := func(x, y float64, name string) plane.Point {
			return plane.Point{X: x + w*rapid.Float64Range(-0.2, 0.2).Draw(t, name),
				Y: y + h*rapid.Float64Range(-0.2, 0.2).Draw(t, name)}
		}
		corners := plane.Quad{moved(0, 0, "a"), moved(w, 0, "b"), moved(w, h, "c"), moved(0, h, "d")}
		onto := plane.Onto(w, h, corners)
		back := onto.Inverse()
		near := func(x, y, wantX, wantY float64) {
			if math.Hypot(x-wantX, y-wantY) > 1e-6*(w+h) {
				t.Fatalf("%v, %v, want %v, %v", x, y, wantX, wantY)
			}
		}
		for i, at := range []plane.Point{{X: 0, Y: 0}, {X: w, Y: 0}, {X: w, Y: h}, {X: 0, Y: h}} {
			x, y := onto.At(at.X, at.Y)
			near(x, y, corners[i].X, corners[i].Y)
		}
		ax, ay := onto.At(0, 0)
		mx, my := onto.At(w/2, h/3)
		bx, by := onto.At(w, 2*h/3)
		if cross := (mx-ax)*(by-ay) - (my-ay)*(bx-ax); math.Abs(cross) > 1e-6*(w+h)*(w+h) {
			t.Fatalf("a straight line is bent by %v", cross)
		}
		x, y := back.At(mx, my)
		near(x, y, w/2, h/3)
	})
}
