package ppocr

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the size of a page, the searched picture stays within the memory, and has sides that the
// network takes.
func TestSearchSizeIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 60_000).Draw(t, "width")
		height := rapid.IntRange(1, 60_000).Draw(t, "height")
		w, h := searchSize(width, height)
		if w%step != 0 || h%step != 0 || w < step || h < step || w > maxSide || h > maxSide {
			t.Fatalf("%dx%d becomes %dx%d", width, height, w, h)
		}
		// Rounding to the step may add half a step to each side.
		if float64(w-step/2)*float64(h-step/2) > maxArea && w > step && h > step {
			t.Fatalf("%dx%d becomes %dx%d", width, height, w, h)
		}
	})
	for _, c := range []struct{ width, height, wantW, wantH int }{
		{640, 960, 640, 960}, {1654, 2339, 960, 1344}, {5000, 7000, 960, 1344}, {10, 10, 32, 32},
		{200, 20_000, 32, 4096},
	} {
		if w, h := searchSize(c.width, c.height); w != c.wantW || h != c.wantH {
			t.Errorf("%dx%d becomes %dx%d", c.width, c.height, w, h)
		}
	}
}

// fill sets the probability inside the rectangle.
func (p probabilities) fill(r rectangle, value float32) {
	for i := range p.values {
		if r.inside(point{float64(i % p.width), float64(i / p.width)}) {
			p.values[i] = value
		}
	}
}

func blank(width, height int) probabilities {
	return probabilities{width, height, make([]float32, width*height)}
}

func TestLinesOfProbabilities(t *testing.T) {
	t.Parallel()
	p := blank(400, 300)
	p.fill(rectangle{centre: point{200, 60}, along: point{1, 0}, width: 200, height: 12}, 0.9)
	askew := rectangle{centre: point{200, 160}, along: point{math.Cos(0.1), math.Sin(0.1)},
		width: 240, height: 14}
	p.fill(askew, 0.9)
	p.fill(rectangle{centre: point{200, 250}, along: point{1, 0}, width: 200, height: 12}, 0.4)
	p.fill(rectangle{centre: point{20, 20}, along: point{1, 0}, width: 1, height: 1}, 0.9)
	lines := linesOf(p)
	if len(lines) != 2 {
		t.Fatalf("%d lines: %+v", len(lines), lines)
	}
	// Each side moves out by area * 1.5 / perimeter.
	first := lines[0]
	if by := 200 * 12 * 1.5 / (2 * 212); first.centre.minus(point{200, 60}).length() > 1 ||
		math.Abs(first.width-200-2*by) > 2 || math.Abs(first.height-12-2*by) > 2 {
		t.Errorf("first %+v", first)
	}
	if second := lines[1]; math.Abs(math.Atan2(second.along.y, second.along.x)-0.1) > 0.01 ||
		second.centre.minus(askew.centre).length() > 1 {
		t.Errorf("second %+v", second)
	}
}

// A page full of specks must not occupy the machine.
func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	p := blank(1200, 1200)
	for y := 2; y < 1200; y += 8 {
		for x := 2; x < 1200; x += 8 {
			p.fill2(x, y, 4, 4)
		}
	}
	if lines := linesOf(p); len(lines) != maxLines {
		t.Errorf("%d lines", len(lines))
	}
}

func (p probabilities) fill2(x, y, width, height int) {
	for row := range height {
		for column := range width {
			p.values[(y+row)*p.width+x+column] = 1
		}
	}
}

// Any result of a network gives rectangles that are finite, and no panic.
func TestLinesOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := blank(rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height"))
		for i := range p.values {
			p.values[i] = rapid.Float32().Draw(t, "value")
		}
		for _, line := range linesOf(p) {
			for _, v := range []float64{line.centre.x, line.centre.y, line.width, line.height} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%+v", line)
				}
			}
		}
	})
}

func TestDetectionReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	page := NewGrey(64, 64)
	failed := errors.New("no memory")
	if _, err := findLines(page, func([]float32, []int64) ([]float32, []int64, error) {
		return nil, nil, failed
	}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if _, err := findLines(page, func([]float32, []int64) ([]float32, []int64, error) {
		return []float32{1}, []int64{1}, nil
	}); err == nil {
		t.Error("a result of another shape is taken")
	}
}
