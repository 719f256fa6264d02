// Package plane maps positions between a flat page and a picture of it that was taken from an angle.
//
// What may enter: formulas of plane geometry. What never happens here: pixels, files, a decision
// whether a picture shows a page.
package plane

// Point is a position in pixels, X to the right and Y down.
type Point struct{ X, Y float64 }

// Quad has the corners of a page in a picture, clockwise from its top left one.
type Quad [4]Point

// Projection maps positions of one plane to another (a homography). The zero value is not useful.
type Projection [9]float64

// Onto returns the projection that maps a page of the width and height onto the quad: (0, 0) to its
// first corner. Three corners in a line give positions that are not numbers. The formulas are those of
// Heckbert, Fundamentals of Texture Mapping and Image Warping, 1989, section 2.2.3.
func Onto(width, height float64, q Quad) Projection {
	dx1, dx2, sx := q[1].X-q[2].X, q[3].X-q[2].X, q[0].X-q[1].X+q[2].X-q[3].X
	dy1, dy2, sy := q[1].Y-q[2].Y, q[3].Y-q[2].Y, q[0].Y-q[1].Y+q[2].Y-q[3].Y
	area := dx1*dy2 - dx2*dy1
	g, h := (sx*dy2-dx2*sy)/area, (dx1*sy-sx*dy1)/area
	return Projection{
		(q[1].X - q[0].X + g*q[1].X) / width, (q[3].X - q[0].X + h*q[3].X) / height, q[0].X,
		(q[1].Y - q[0].Y + g*q[1].Y) / width, (q[3].Y - q[0].Y + h*q[3].Y) / height, q[0].Y,
		g / width, h / height, 1,
	}
}

// At maps a position.
func (p Projection) At(x, y float64) (float64, float64) {
	depth := p.Depth(x, y)
	return (p[0]*x + p[1]*y + p[2]) / depth, (p[3]*x + p[4]*y + p[5]) / depth
}

// Depth is the distance from the camera, in an arbitrary unit. Positions whose depths have different
// signs are on different sides of the horizon.
func (p Projection) Depth(x, y float64) float64 { return p[6]*x + p[7]*y + p[8] }

// Inverse returns the projection back.
func (p Projection) Inverse() Projection {
	return Projection{
		p[4]*p[8] - p[5]*p[7], p[2]*p[7] - p[1]*p[8], p[1]*p[5] - p[2]*p[4],
		p[5]*p[6] - p[3]*p[8], p[0]*p[8] - p[2]*p[6], p[2]*p[3] - p[0]*p[5],
		p[3]*p[7] - p[4]*p[6], p[1]*p[6] - p[0]*p[7], p[0]*p[4] - p[1]*p[3],
	}
}
