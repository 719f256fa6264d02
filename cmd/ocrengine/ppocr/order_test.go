package ppocr

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Rectangles of a table come row by row and from left to right, whatever the order in which they were
// found, and if the page was scanned askew.
func TestReadingOrderOfATable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		angle := rapid.Float64Range(-0.12, 0.12).Draw(t, "angle")
		rows, columns := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		along := point{math.Cos(angle), math.Sin(angle)}
		down := point{-along.y, along.x}
		var all []rectangle
		for row := range rows {
			for column := range columns {
				all = append(all, rectangle{along: along, width: 100, height: 20,
					centre: along.times(float64(column) * 160).plus(down.times(float64(row) * 30))})
			}
		}
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(all), //nolint:gosec // repeatable
			func(i, j int) { all[i], all[j] = all[j], all[i] })
		lines := inReadingOrder(all)
		if len(lines) != rows {
			t.Fatalf("%d lines, want %d", len(lines), rows)
		}
		for row, line := range lines {
			if len(line) != columns {
				t.Fatalf("line %d has %d rectangles, want %d", row, len(line), columns)
			}
			for column, r := range line {
				want := along.times(float64(column) * 160).plus(down.times(float64(row) * 30))
				if r.centre.minus(want).length() > 1e-6 {
					t.Fatalf("line %d, rectangle %d is at %+v", row, column, r.centre)
				}
			}
		}
	})
}

// No rectangle is lost or doubled.
func TestReadingOrderKeepsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) rectangle {
			return rectangle{along: point{1, 0}, width: rapid.Float64Range(1, 200).Draw(t, "w"),
				height: rapid.Float64Range(1, 50).Draw(t, "h"),
				centre: point{rapid.Float64Range(0, 500).Draw(t, "x"),
					rapid.Float64Range(0, 500).Draw(t, "y")}}
		})).Draw(t, "rectangles")
		count := map[rectangle]int{}
		for _, r := range all {
			count[r]++
		}
		for _, line := range inReadingOrder(all) {
			for i, r := range line {
				count[r]--
				if i > 0 && line[i-1].centre.x > r.centre.x {
					t.Fatalf("not from left to right: %+v", line)
				}
			}
		}
		for r, left := range count {
			if left != 0 {
				t.Fatalf("%+v: %d", r, left)
			}
		}
	})
}

func TestHeightsOfOneLine(t *testing.T) {
	t.Parallel()
	large := rectangle{centre: point{100, 100}, along: point{1, 0}, width: 100, height: 40}
	small := rectangle{centre: point{300, 108}, along: point{1, 0}, width: 100, height: 16}
	below := rectangle{centre: point{100, 140}, along: point{1, 0}, width: 100, height: 30}
	lines := inReadingOrder([]rectangle{below, small, large})
	if len(lines) != 2 || len(lines[0]) != 2 || lines[0][1] != small || lines[1][0] != below {
		t.Errorf("got %+v", lines)
	}
}
