package bpmn

import "slices"

// The distances of the diagram. Horizontal lines run between the rows, vertical ones between the
// columns, so that no line crosses a shape.
const (
	margin      = 60
	columnGap   = 120 // between the shapes of two layers
	rowHeight   = 200 // from the middle of one row to that of the next
	boundaryGap = 10  // between boundary events of one task
	lineGap     = 6   // between lines side by side
	linesBeside = 8   // lines side by side, before their places repeat
)

// placeShapes places the shapes: the layer of a shape is the length of the longest path to it, and a
// branch stays in its row where there is room.
func placeShapes(shapes []*shape, flows []*flow) {
	var free []*shape
	for _, one := range shapes {
		if one.host == nil {
			free = append(free, one)
		}
	}
	forward := forwardFlows(free, flows)
	setLayers(free, forward)
	setRows(free, forward)
	left := columns(free)
	for _, one := range free {
		one.x = left[one.layer].x + (left[one.layer].width-one.width)/2
		one.y = margin + one.row*rowHeight + rowHeight/2 - one.height/2
	}
	next := map[*shape]int{}
	for _, one := range shapes {
		if one.host != nil {
			one.x = one.host.x + boundaryGap + next[one.host]*(eventSize+boundaryGap)
			one.y = one.host.y + one.host.height - eventSize/2
			next[one.host]++
		}
	}
	for i, one := range flows {
		one.points = route(one, left, i%linesBeside)
	}
}

// place is the shape that decides where a shape is: itself, or the task of a boundary event.
func (s *shape) place() *shape {
	if s.host != nil {
		return s.host
	}
	return s
}

// forwardFlows returns the flows of each shape without those that close a cycle.
func forwardFlows(shapes []*shape, flows []*flow) map[*shape][]*shape {
	all := map[*shape][]*shape{}
	for _, one := range flows {
		from := one.source.place()
		all[from] = append(all[from], one.target)
	}
	const visiting, done = 1, 2
	state := map[*shape]int{}
	forward := map[*shape][]*shape{}
	var visit func(from *shape)
	visit = func(from *shape) {
		state[from] = visiting
		for _, to := range all[from] {
			if state[to] == visiting {
				continue
			}
			forward[from] = append(forward[from], to)
			if state[to] == 0 {
				visit(to)
			}
		}
		state[from] = done
	}
	for _, one := range shapes {
		if state[one] == 0 {
			visit(one)
		}
	}
	return forward
}

// setLayers gives each shape the length of the longest path to it.
func setLayers(shapes []*shape, forward map[*shape][]*shape) {
	incoming := map[*shape]int{}
	for _, one := range shapes {
		for _, to := range forward[one] {
			incoming[to]++
		}
	}
	var open []*shape
	for _, one := range shapes {
		if incoming[one] == 0 {
			open = append(open, one)
		}
	}
	for ; len(open) > 0; open = open[1:] {
		for _, to := range forward[open[0]] {
			to.layer = max(to.layer, open[0].layer+1)
			if incoming[to]--; incoming[to] == 0 {
				open = append(open, to)
			}
		}
	}
}

// setRows gives each shape the row of the first shape that leads to it from the layer before, or the
// next free row below.
func setRows(shapes []*shape, forward map[*shape][]*shape) {
	wanted := map[*shape]int{}
	sorted := slices.Clone(shapes)
	slices.SortStableFunc(sorted, func(a, b *shape) int { return a.layer - b.layer })
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to].layer == sorted[from].layer {
			to++
		}
		layer := sorted[from:to]
		slices.SortStableFunc(layer, func(a, b *shape) int { return wanted[a] - wanted[b] })
		taken := map[int]bool{}
		for _, one := range layer {
			for one.row = wanted[one]; taken[one.row]; one.row++ {
			}
			taken[one.row] = true
			for _, next := range forward[one] {
				if _, ok := wanted[next]; !ok && next.layer == one.layer+1 {
					wanted[next] = one.row
				}
			}
		}
		from = to
	}
}

type column struct{ x, width int }

// columns returns the place of each layer.
func columns(shapes []*shape) []column {
	var found []column
	for _, one := range shapes {
		for len(found) <= one.layer {
			found = append(found, column{})
		}
		found[one.layer].width = max(found[one.layer].width, one.width)
	}
	x := margin
	for i := range found {
		found[i].x = x
		x += found[i].width + columnGap
	}
	return found
}

// route returns the points of a flow. Between neighbouring layers it bends once; otherwise it runs below
// the row of its source. Beside is its place among lines side by side.
func route(one *flow, left []column, beside int) []point {
	source, target := one.source, one.target
	end := point{target.x, target.y + target.height/2}
	in := left[target.layer].x - (beside+2)*lineGap
	below := margin + source.place().row*rowHeight + rowHeight/2 + taskHeight/2 + eventSize +
		beside*lineGap
	if source.host != nil {
		start := point{source.x + source.width/2, source.y + source.height}
		return []point{start, {start.x, below}, {in, below}, {in, end.y}, end}
	}
	start := point{source.x + source.width, source.y + source.height/2}
	switch {
	case target.layer == source.layer+1 && start.y == end.y:
		return []point{start, end}
	case target.layer == source.layer+1:
		return []point{start, {in, start.y}, {in, end.y}, end}
	}
	out := left[source.layer].x + left[source.layer].width + (beside+2)*lineGap
	return []point{start, {out, start.y}, {out, below}, {in, below}, {in, end.y}, end}
}
