package main

import (
	"math"
	"testing"
)

// The bounds are those of the tables of the binomial distribution.
func TestUpperBound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wrong, count int
		want         float64
	}{
		{0, 0, 1}, {0, 1, 0.95}, {0, 299, 0.009969}, {0, 59, 0.049511}, {1, 10, 0.394163},
		{5, 100, 0.102253}, {10, 10, 1}, {19, 755, 0.036796},
	} {
		if got := upperBound(c.wrong, c.count); math.Abs(got-c.want) > 5e-4 {
			t.Errorf("upperBound(%d, %d) = %.6f, want %.6f", c.wrong, c.count, got, c.want)
		}
	}
}

func TestUpperBoundGrowsWithWrongValues(t *testing.T) {
	t.Parallel()
	for count := 1; count < 60; count++ {
		for wrong := range count {
			here, next := upperBound(wrong, count), upperBound(wrong+1, count)
			if here < float64(wrong)/float64(count) || here > next {
				t.Fatalf("%d and %d of %d: %f, %f", wrong, wrong+1, count, here, next)
			}
		}
	}
}
