package ppocr

import (
	"cmp"
	"math"
	"slices"
)

// sameLine is the share of the lower rectangle's height by which two rectangles of one line of text
// overlap at least.
const sameLine = 0.5

// inReadingOrder returns the rectangles of each line of text from left to right, the lines from the
// top down. Lines follow the usual angle of the rectangles, so that those of a page that was scanned
// askew stay together.
func inReadingOrder(rectangles []rectangle) [][]rectangle {
	if len(rectangles) == 0 {
		return nil
	}
	along := usualDirection(rectangles)
	down := point{-along.y, along.x}
	sorted := slices.Clone(rectangles)
	slices.SortFunc(sorted, func(a, b rectangle) int {
		return cmp.Or(cmp.Compare(a.centre.dot(down), b.centre.dot(down)),
			cmp.Compare(a.centre.dot(along), b.centre.dot(along)))
	})
	var lines [][]rectangle
	for _, r := range sorted {
		// The nearest line that it overlaps; lines are few near each other, so the last ones are
		// enough.
		best, most := -1, sameLine
		for i := len(lines) - 1; i >= max(0, len(lines)-8); i-- {
			if share := lineOverlap(lines[i], r, along, down); share >= most {
				best, most = i, share
			}
		}
		if best < 0 {
			lines = append(lines, []rectangle{r})
		} else {
			lines[best] = append(lines[best], r)
		}
	}
	for _, line := range lines {
		slices.SortFunc(line, func(a, b rectangle) int {
			return cmp.Compare(a.centre.dot(along), b.centre.dot(along))
		})
	}
	slices.SortStableFunc(lines, func(a, b []rectangle) int {
		return cmp.Compare(a[0].centre.dot(down), b[0].centre.dot(down))
	})
	return lines
}

// lineOverlap returns by which share of the lower height the rectangle overlaps the nearest one of
// the line, 0 if it lies above or below one of them.
func lineOverlap(line []rectangle, r rectangle, along, down point) float64 {
	share, distance := 0.0, math.Inf(1)
	for _, other := range line {
		apart := math.Abs(r.centre.dot(along) - other.centre.dot(along))
		if apart < (min(r.width, other.width))/2 {
			return 0
		}
		if apart >= distance {
			continue
		}
		y, otherY := r.centre.dot(down), other.centre.dot(down)
		overlap := min(y+r.height/2, otherY+other.height/2) -
			max(y-r.height/2, otherY-other.height/2)
		distance, share = apart, overlap/max(1, min(r.height, other.height))
	}
	return share
}

// usualDirection returns the median direction of the rectangles, by their widths.
func usualDirection(rectangles []rectangle) point {
	long := slices.DeleteFunc(slices.Clone(rectangles),
		func(r rectangle) bool { return r.width < 3*r.height })
	if len(long) == 0 {
		return point{1, 0}
	}
	angle := func(r rectangle) float64 { return math.Atan2(r.along.y, r.along.x) }
	slices.SortFunc(long, func(a, b rectangle) int { return cmp.Compare(angle(a), angle(b)) })
	total, sum := 0.0, 0.0
	for _, r := range long {
		total += r.width
	}
	for _, r := range long {
		if sum += r.width; 2*sum >= total {
			return r.along
		}
	}
	return point{1, 0}
}
