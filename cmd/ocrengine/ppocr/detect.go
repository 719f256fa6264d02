package ppocr

import (
	"fmt"
	"math"
)

// Network passes a tensor of a shape (batch, channels, height, width) through a neural network, and
// returns the result with its shape.
type Network func(data []float32, shape []int64) ([]float32, []int64, error)

const (
	// maxArea and maxSide bound the picture in which lines are searched, because the memory of the
	// network grows with its area.
	maxArea = 1_300_000
	maxSide = 4096
	// step is what the sides of that picture must be multiples of.
	step = 32
	// inkLevel is the probability above which a pixel belongs to a line.
	inkLevel = 0.3
	// minScore is the least mean probability of a line.
	minScore = 0.6
	// unclipRatio says how much a line is larger than the pixels found, which are its inner part.
	unclipRatio = 1.5
	// minLine is the least height of a line in the searched picture.
	minLine = 3
	// maxLines bounds the lines of a page, for pages full of specks.
	maxLines = 3000
)

// searchSize returns the size of the picture in which lines are searched.
func searchSize(width, height int) (int, int) {
	w, h := float64(width), float64(height)
	scale := min(1, math.Sqrt(maxArea/(w*h)), maxSide/max(w, h))
	fit := func(side float64) int {
		return max(step, min(maxSide, int(math.Round(side*scale/step))*step))
	}
	return fit(w), fit(h)
}

// findLines returns the lines of text of a page in no order, in pixels of the page.
func findLines(page Grey, network Network) ([]rectangle, error) {
	width, height := searchSize(page.Width, page.Height)
	small := page.resize(width, height)
	result, shape, err := network(small.tensor(forDetection, width),
		[]int64{1, 3, int64(height), int64(width)})
	if err != nil {
		return nil, fmt.Errorf("ppocr: detection: %w", err)
	}
	if len(result) != width*height || len(shape) != 4 {
		return nil, fmt.Errorf("ppocr: detection: the result has the shape %v", shape)
	}
	lines := linesOf(probabilities{width, height, result})
	for i, line := range lines {
		lines[i] = line.scaled(float64(page.Width)/float64(width),
			float64(page.Height)/float64(height))
	}
	return lines, nil
}

// probabilities says of each pixel how likely it belongs to a line.
type probabilities struct {
	width, height int
	values        []float32
}

// linesOf returns the rectangles around connected pixels.
func linesOf(p probabilities) []rectangle {
	var lines []rectangle
	seen := make([]bool, len(p.values))
	for start := range p.values {
		if seen[start] || p.values[start] <= inkLevel {
			continue
		}
		around := smallestRectangle(hull(p.component(start, seen)))
		if min(around.width, around.height) < minLine-1 || p.score(around) < minScore {
			continue
		}
		area, length := around.width*around.height, 2*(around.width+around.height)
		line := around.grown(area * unclipRatio / length)
		if lines = append(lines, line); len(lines) == maxLines {
			break
		}
	}
	return lines
}

// component marks the pixels connected with the first one, and returns the outermost of each row.
func (p probabilities) component(start int, seen []bool) []point {
	type span struct{ left, right int }
	rows := map[int]span{}
	seen[start] = true
	for stack := []int{start}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x, y := at%p.width, at/p.width
		row, ok := rows[y]
		if !ok {
			row = span{x, x}
		}
		rows[y] = span{min(row.left, x), max(row.right, x)}
		for ny := max(0, y-1); ny <= min(p.height-1, y+1); ny++ {
			for nx := max(0, x-1); nx <= min(p.width-1, x+1); nx++ {
				if next := ny*p.width + nx; !seen[next] && p.values[next] > inkLevel {
					seen[next] = true
					stack = append(stack, next)
				}
			}
		}
	}
	points := make([]point, 0, 2*len(rows))
	for y, row := range rows {
		points = append(points, point{float64(row.left), float64(y)},
			point{float64(row.right), float64(y)})
	}
	return points
}

// score returns the mean probability inside the rectangle.
func (p probabilities) score(r rectangle) float64 {
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	for _, corner := range r.corners() {
		left, right = min(left, corner.x), max(right, corner.x)
		top, bottom = min(top, corner.y), max(bottom, corner.y)
	}
	sum, count := 0.0, 0
	down := r.down()
	for y := max(0, int(top)); y <= min(p.height-1, int(math.Ceil(bottom))); y++ {
		for x := max(0, int(left)); x <= min(p.width-1, int(math.Ceil(right))); x++ {
			from := point{float64(x), float64(y)}.minus(r.centre)
			if math.Abs(from.dot(r.along)) <= r.width/2+0.5 &&
				math.Abs(from.dot(down)) <= r.height/2+0.5 {
				sum += float64(p.values[y*p.width+x])
				count++
			}
		}
	}
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}
