package ocr

import (
	"slices"

	"countersign/reading/plane"
)

// The limits within which a bright area of a picture counts as a page seen from an angle. A picture
// that misses one is read as it is.
const (
	cornersSide = 400 // longer side in pixels of the picture in which the page is searched
	// minPageArea and maxPageArea are shares of the picture.
	minPageArea, maxPageArea = 0.2, 0.95
	// secondArea is the part of the page from which another bright area can be a second document, which
	// lies at an angle of its own.
	secondArea = 0.05
	// minPageFill is the share of the quadrilateral that the bright area fills, and of the area that the
	// quadrilateral contains. A crumpled or covered page has less.
	minPageFill = 0.96
	// minPageContrast is how much brighter the page is than its surroundings, of 255.
	minPageContrast = 40
	// minConvergence is the least angle in degrees between opposite sides. Those of a page that is only
	// turned are parallel, and the corners are found within half a degree.
	minConvergence = 2.0
	// minCorner and maxCorner are the angles in degrees of corners.
	minCorner, maxCorner = 60, 120
	// maxPageGrowth limits the straightened copy of the whole picture.
	maxPageGrowth = 3
)

// corners returns the corners of a page that the picture shows from an angle, in front of a darker
// background; nil if it shows none, or one from above, or it is not clear.
func (r raster) corners() *plane.Quad {
	small := r.shrink(cornersSide)
	if small.width < 40 || small.height < 40 {
		return nil
	}
	page := small.brightArea()
	if page == nil {
		return nil
	}
	corners, ok := page.fit()
	if !ok || !page.fills(corners) || !converges(corners) {
		return nil
	}
	factor := float64(shrinkFactor(r.width, r.height, cornersSide))
	for i := range corners {
		corners[i] = plane.Point{X: factor * corners[i].X, Y: factor * corners[i].Y}
	}
	corners = fromTopLeft(corners)
	if !r.hasTextWithin(corners) {
		return nil
	}
	if _, ok := newFlattening(r.width, r.height, corners); !ok {
		return nil
	}
	return &corners
}

// area is a set of pixels of a picture.
type area struct {
	width, height int
	in            []bool
	size          int
}

// brightArea returns the largest connected bright area with its holes filled; nil if the picture has
// no two clear brightnesses or several areas, or the area has the wrong size or reaches the border.
func (r raster) brightArea() *area {
	threshold, contrast := r.threshold()
	if contrast < minPageContrast {
		return nil
	}
	label := make([]int, len(r.data))
	best, largest, second, next := 0, 0, 0, 0
	for i := range r.data {
		if label[i] == 0 && r.data[i] > threshold {
			next++
			if n := r.flood(i, func(j int) bool {
				if label[j] != 0 || r.data[j] <= threshold {
					return false
				}
				label[j] = next
				return true
			}); n > largest {
				best, largest, second = next, n, largest
			} else {
				second = max(second, n)
			}
		}
	}
	page := &area{width: r.width, height: r.height, in: make([]bool, len(r.data))}
	outside := make([]bool, len(r.data))
	border, touched := r.border(), 0
	for _, i := range border {
		if label[i] == best {
			touched++
			continue
		}
		r.flood(i, func(j int) bool {
			if outside[j] || label[j] == best {
				return false
			}
			outside[j] = true
			return true
		})
	}
	for i := range page.in {
		if page.in[i] = !outside[i]; page.in[i] {
			page.size++
		}
	}
	share := float64(page.size) / float64(len(r.data))
	if float64(second) > secondArea*float64(largest) || 50*touched > len(border) ||
		share < minPageArea || share > maxPageArea {
		return nil
	}
	return page
}

// threshold returns the brightness that divides the picture best (Otsu), and by how much the means of
// both parts differ.
func (r raster) threshold() (byte, float64) {
	var counts [256]int
	total := 0
	for _, value := range r.data {
		counts[value]++
		total += int(value)
	}
	best, bestSpread, contrast, dark, darkSum := byte(0), 0.0, 0.0, 0, 0
	for value := range 255 {
		dark, darkSum = dark+counts[value], darkSum+value*counts[value]
		bright := len(r.data) - dark
		if dark == 0 || bright == 0 {
			continue
		}
		gap := float64(total-darkSum)/float64(bright) - float64(darkSum)/float64(dark)
		if spread := float64(dark) * float64(bright) * gap * gap; spread > bestSpread {
			best, bestSpread, contrast = byte(value), spread, gap
		}
	}
	return best, contrast
}

// flood enters the pixel and its neighbours as long as enter accepts them, and returns how many it did.
func (r raster) flood(start int, enter func(int) bool) (n int) {
	if !enter(start) {
		return 0
	}
	for open := []int{start}; len(open) > 0; {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		n++
		x, y := i%r.width, i/r.width
		if x > 0 && enter(i-1) {
			open = append(open, i-1)
		}
		if x < r.width-1 && enter(i+1) {
			open = append(open, i+1)
		}
		if y > 0 && enter(i-r.width) {
			open = append(open, i-r.width)
		}
		if y < r.height-1 && enter(i+r.width) {
			open = append(open, i+r.width)
		}
	}
	return n
}

// border returns the pixels at the border.
func (r raster) border() (pixels []int) {
	for x := range r.width {
		pixels = append(pixels, x, (r.height-1)*r.width+x)
	}
	for y := 1; y < r.height-1; y++ {
		pixels = append(pixels, y*r.width, (y+1)*r.width-1)
	}
	return pixels
}

// edge returns the positions where rows and columns enter and leave the area.
func (a *area) edge() (points []plane.Point) {
	add := func(x, y float64) { points = append(points, plane.Point{X: x, Y: y}) }
	for y := range a.height {
		row := a.in[y*a.width : (y+1)*a.width]
		if first := slices.Index(row, true); first >= 0 {
			last := a.width - 1
			for !row[last] {
				last--
			}
			add(float64(first), float64(y)+0.5)
			add(float64(last+1), float64(y)+0.5)
		}
	}
	for x := range a.width {
		first, last := -1, -1
		for y := range a.height {
			if a.in[y*a.width+x] {
				if first < 0 {
					first = y
				}
				last = y
			}
		}
		if first >= 0 {
			add(float64(x)+0.5, float64(first))
			add(float64(x)+0.5, float64(last+1))
		}
	}
	return points
}

// hull returns the corners of the smallest convex area around the points, clockwise on the screen. It
// sorts the points.
func hull(points []plane.Point) []plane.Point {
	slices.SortFunc(points, func(p, q plane.Point) int {
		if p.X != q.X {
			return int(2 * (p.X - q.X))
		}
		return int(2 * (p.Y - q.Y))
	})
	chain := func(points []plane.Point) (kept []plane.Point) {
		for _, p := range points {
			for len(kept) >= 2 && cross(kept[len(kept)-2], kept[len(kept)-1], p) <= 0 {
				kept = kept[:len(kept)-1]
			}
			kept = append(kept, p)
		}
		return kept[:len(kept)-1]
	}
	lower := chain(points)
	slices.Reverse(points)
	return append(lower, chain(points)...)
}

// cross is positive if the way from a over b to c turns right on the screen.
func cross(a, b, c plane.Point) float64 {
	return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X)
}
