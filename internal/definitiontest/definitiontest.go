// Package definitiontest draws random process definitions for tests. The definitions are sound by
// construction and use every kind of node.
//
// What may enter: more blocks of sound definitions. What never happens here: a check of a definition,
// use by the product.
package definitiontest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// generator builds random definitions from blocks that are sound by construction.
type generator struct {
	t            *rapid.T
	nodes        []string
	count        int
	restingNodes []string // nodes that can hold a token
	openForks    int      // forks around the block; a sibling could withdraw a saga within one
}

func (f *generator) id(kind string) string {
	f.count++
	return fmt.Sprintf("%s%d", kind, f.count)
}

// place is id for a node that can hold a token.
func (f *generator) place(kind string) string {
	id := f.id(kind)
	f.restingNodes = append(f.restingNodes, id)
	return id
}

func (f *generator) add(format string, args ...any) {
	f.nodes = append(f.nodes, fmt.Sprintf("  - {"+format+"}", args...))
}

func (f *generator) maybe(name, text string) string {
	if rapid.Bool().Draw(f.t, name) {
		return text
	}
	return ""
}

// block adds a block that leads to next and returns its first node.
func (f *generator) block(depth int, next string) string {
	kind := rapid.IntRange(0, 11).Draw(f.t, "block")
	if depth == 0 && kind > 6 {
		kind %= 7
	}
	switch kind {
	case 7, 8:
		return f.block(depth-1, f.block(depth-1, next))
	case 9:
		id, branches := f.id("choice"), ""
		for range rapid.IntRange(1, 2).Draw(f.t, "branches") {
			branches += fmt.Sprintf("{when: risk < %d, to: %s}, ",
				rapid.IntRange(0, 100).Draw(f.t, "risk"), f.block(depth-1, next))
		}
		f.add("id: %s, kind: exclusive, branches: [%s], default: %s", id,
			branches[:len(branches)-2], f.block(depth-1, next))
		return id
	case 10:
		return f.fork(depth, next)
	case 11:
		last := f.place("loop")
		inner := f.block(depth-1, last)
		f.add("id: %s, kind: stage, on: {done: %s, again: %s}", last, next, inner)
		return inner
	}
	return f.work(kind, next)
}

// work adds one node at which the case waits for work.
func (f *generator) work(kind int, next string) string {
	timeout := fmt.Sprintf(", timeout: {after: 1h, to: %s}", next)
	errors := fmt.Sprintf(
		", errors: [{codes: [TimedOut], to: %s}, {to: seal_no, cancel: all}]", next)
	switch {
	case kind == 2:
		id := f.place("review")
		seats := rapid.IntRange(1, 3).Draw(f.t, "seats")
		on := "approve: " + next + ", reject: {to: seal_no, cancel: all}" + f.maybe("return",
			", return: again")
		f.add("id: %s, kind: review, queue: L1, seats: %d, quorum: %d, on: {%s}%s", id, seats,
			rapid.IntRange(1, seats).Draw(f.t, "quorum"), on, f.maybe("timeout", timeout))
		return id
	case kind == 3:
		id := f.place("wait")
		f.add("id: %s, kind: timer, after: 1h, next: %s", id, next)
		return id
	case kind == 4:
		id := f.place("outside")
		f.add("id: %s, kind: external, topic: t, next: %s%s%s", id, next,
			f.maybe("timeout", timeout), f.maybe("errors", errors))
		return id
	case kind == 5 && f.openForks == 0:
		id := f.place("saga")
		f.add("id: %s, kind: saga, steps: [{id: a, call: a, undo: b}, {id: c, call: c}, {id: d, call: d, undo: e}], on: {done: %s, undone: seal_no}", id, next)
		return id
	}
	id := f.place("stage")
	on := "done: " + next + f.maybe("again", ", again: "+id) + f.maybe("bad",
		", bad: {to: seal_no, cancel: all}")
	f.add("id: %s, kind: stage, on: {%s}%s", id, on, f.maybe("errors", errors))
	return id
}

// fork adds branches that join. One of them may withdraw the region of the others and continue
// without them.
func (f *generator) fork(depth int, next string) string {
	fork, join := f.id("fork"), f.id("join")
	f.openForks++
	mark := len(f.restingNodes)
	var to []string
	for range rapid.IntRange(2, 3).Draw(f.t, "width") {
		merge := f.id("merge")
		f.add("id: %s, kind: exclusive, default: %s", merge, join)
		to = append(to, f.block(depth-1, merge))
	}
	if rapid.Bool().Draw(f.t, "alone") {
		region := append([]string{join}, f.restingNodes[mark:]...)
		id := f.place("alone")
		f.add("id: %s, kind: stage, on: {done: %s, alone: {to: %s, cancel: [%s]}}", id, join, next,
			strings.Join(region, ", "))
		to = append(to, id)
	}
	f.openForks--
	f.add("id: %s, kind: fork, to: [%s]", fork, strings.Join(to, ", "))
	f.add("id: %s, kind: join, next: %s", join, next)
	f.restingNodes = append(f.restingNodes, join)
	return fork
}

// Sound draws the text of a definition.
func Sound(t *rapid.T) string {
	f := &generator{t: t}
	first := f.block(3, "seal")
	return "key: drawn\non_abandon: seal_gone\nre_enter: again\nnodes:\n  - {id: start, kind: start, next: again}\n" +
		"  - {id: again, kind: exclusive, branches: [{when: risk > 200, to: seal_no}], default: " +
		first + "}\n" + strings.Join(f.nodes, "\n") + Tail
}

// Tail completes a definition with three sealing stages and their ends.
const Tail = `
  - {id: seal, kind: stage, outcome: archived, next: archived}
  - {id: seal_no, kind: stage, outcome: rejected, next: rejected}
  - {id: seal_gone, kind: stage, outcome: abandoned, next: gone}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: gone, kind: end, status: abandoned}
`
