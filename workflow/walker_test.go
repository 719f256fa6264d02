package workflow

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"countersign/domain"
)

// referenceWalker is a second implementation for comparison: it moves tokens over the nodes and
// edges of a definition without the engine and decides soundness by brute force. It is slow and
// simple on purpose.
type referenceWalker struct {
	def    *Definition
	awaits map[string]map[string]bool // join -> nodes that lead to it
	states map[string]walkState
	seen   map[string]bool // nodes ever entered
	broken bool
}

// walkMarking holds the nodes with a token and their state: "" for plain work, seats for reviews,
// arrivals for joins, the call in progress for sagas, the target for a returned case.
type walkMarking map[string]string

type walkState struct {
	marking walkMarking
	ended   bool
	next    []string
}

func newWalker(def *Definition) *referenceWalker {
	w := &referenceWalker{def: def, awaits: map[string]map[string]bool{},
		states: map[string]walkState{}, seen: map[string]bool{}}
	for _, node := range def.Nodes {
		for _, edge := range node.Edges {
			if w.node(edge.To).Kind == KindJoin &&
				!(node.Kind == KindReview && edge.On == "return") {
				if w.awaits[edge.To] == nil {
					w.awaits[edge.To] = map[string]bool{}
				}
				w.awaits[edge.To][node.ID] = true
			}
		}
	}
	return w
}

func (w *referenceWalker) node(id string) *Node {
	for _, node := range w.def.Nodes {
		if node.ID == id {
			return node
		}
	}
	return nil
}

// walkResult is one result of a step.
type walkResult struct {
	marking walkMarking
	ended   bool
}

func (b walkMarking) with(place, memory string) walkMarking {
	next := walkMarking{}
	for k, v := range b {
		next[k] = v
	}
	next[place] = memory
	return next
}

func (b walkMarking) without(places ...string) walkMarking {
	next := walkMarking{}
	for k, v := range b {
		if !slices.Contains(places, k) {
			next[k] = v
		}
	}
	return next
}

func (b walkMarking) key() string {
	parts := make([]string, 0, len(b))
	for place, memory := range b {
		parts = append(parts, place+"="+memory)
	}
	sort.Strings(parts)
	return strings.Join(parts, ";")
}

// enter moves a token to a node and returns every possible result.
func (w *referenceWalker) enter(from walkResult, id, source string) []walkResult {
	node := w.node(id)
	_, taken := from.marking[id]
	w.seen[id] = true
	switch node.Kind {
	case KindJoin:
		arrived := map[string]bool{source: true}
		if taken {
			for _, name := range strings.Split(from.marking[id], ",") {
				if name == source {
					w.broken = true
					return nil
				}
				arrived[name] = true
			}
		}
		if len(arrived) == len(w.awaits[id]) {
			return w.enter(walkResult{from.marking.without(id), from.ended}, node.Edges[0].To, id)
		}
		names := []string{}
		for name := range arrived {
			names = append(names, name)
		}
		sort.Strings(names)
		return []walkResult{{from.marking.with(id, strings.Join(names, ",")), from.ended}}
	case KindExclusive:
		var results []walkResult
		for _, edge := range node.Edges {
			results = append(results, w.enter(from, edge.To, id)...)
		}
		return results
	case KindFork, KindStart:
		results := []walkResult{from}
		for _, edge := range node.Edges {
			var next []walkResult
			for _, one := range results {
				next = append(next, w.enter(one, edge.To, id)...)
			}
			results = next
		}
		return results
	case KindEnd:
		if from.ended {
			w.broken = true
			return nil
		}
		return []walkResult{{from.marking, true}}
	}
	if taken {
		w.broken = true
		return nil
	}
	memory := ""
	switch node.Kind {
	case KindReview:
		memory = seatsLeft(node.Seats, 0, 0)
	case KindSaga:
		memory = "do 0"
	}
	return []walkResult{{from.marking.with(id, memory), from.ended}}
}

func seatsLeft(plain, higher, approvals int) string {
	return fmt.Sprintf("%d %d %d", plain, higher, approvals)
}

// along takes an edge after its node's token was removed.
func (w *referenceWalker) along(b walkMarking, edge Edge, source string) []walkResult {
	visited := []string{}
	for place := range b {
		if edge.CancelsAll || slices.Contains(edge.Cancels, place) {
			if node := w.node(place); node != nil && node.Kind == KindSaga {
				w.broken = true
				return nil
			}
			visited = append(visited, place)
		}
	}
	if edge.On == "return" && w.node(source).Kind == KindReview {
		return []walkResult{{walkMarking{Returned: edge.To}, false}}
	}
	return w.enter(walkResult{b.without(visited...), false}, edge.To, source)
}

// possibleResults lists the results of every event that the process itself can cause.
func (w *referenceWalker) possibleResults(b walkMarking) []walkResult {
	var results []walkResult
	for place, memory := range b {
		node := w.node(place)
		if node == nil {
			results = append(results, w.enter(walkResult{b.without(place), false}, memory, "")...)
			results = append(results,
				w.enter(walkResult{b.without(place), false}, w.def.OnReplace, "")...)
			continue
		}
		rest := b.without(place)
		switch node.Kind {
		case KindStage, KindExternal, KindTimer:
			for _, edge := range node.Edges {
				results = append(results, w.along(rest, edge, place)...)
			}
		case KindReview:
			results = append(results, w.verdicts(b, node, memory)...)
		case KindSaga:
			results = append(results, w.calls(b, node, memory)...)
		}
	}
	return results
}

func (w *referenceWalker) verdicts(b walkMarking, node *Node, memory string) []walkResult {
	var plain, higher, approvals int
	if _, err := fmt.Sscanf(memory, "%d %d %d", &plain, &higher, &approvals); err != nil {
		panic(err)
	}
	var results []walkResult
	rest := b.without(node.ID)
	for _, edge := range node.Edges {
		if edge.Trigger != "" {
			results = append(results, w.along(rest, edge, node.ID)...)
			continue
		}
		if edge.On == "approve" && approvals+1 < node.Quorum {
			if plain > 0 {
				results = append(results,
					walkResult{b.with(node.ID, seatsLeft(plain-1, higher, approvals+1)), false})
			}
			if higher > 0 {
				results = append(results,
					walkResult{b.with(node.ID, seatsLeft(plain, higher-1, approvals+1)), false})
			}
			continue
		}
		results = append(results, w.along(rest, edge, node.ID)...)
	}
	if node.EscalateTo != "" && plain > 0 {
		results = append(results,
			walkResult{b.with(node.ID, seatsLeft(plain-1, higher+1, approvals)), false})
	}
	return results
}

// calls lists the results of a saga's call. The state "do n" has made n calls; "undo n" undoes call
// n now.
func (w *referenceWalker) calls(b walkMarking, node *Node, memory string) []walkResult {
	var direction string
	var n int
	if _, err := fmt.Sscanf(memory, "%s %d", &direction, &n); err != nil {
		panic(err)
	}
	edges := map[string]Edge{}
	for _, edge := range node.Edges {
		edges[edge.On] = edge
	}
	back := func(n int) []walkResult {
		for ; n > 0; n-- {
			if node.Steps[n-1].Undo != "" {
				return []walkResult{{b.with(node.ID, fmt.Sprintf("undo %d", n)), false}}
			}
		}
		return w.along(b.without(node.ID), edges["undone"], node.ID)
	}
	if direction == "undo" {
		return back(n - 1)
	}
	if n+1 == len(node.Steps) {
		return append(w.along(b.without(node.ID), edges["done"], node.ID), back(n+1)...)
	}
	return append([]walkResult{{b.with(node.ID, fmt.Sprintf("do %d", n+1)), false}}, back(n+1)...)
}

// interruptions lists the results of what people can do at any time: abandon, replace, enter by
// hand.
func (w *referenceWalker) interruptions(b walkMarking) []walkResult {
	back := false
	for place := range b {
		node := w.node(place)
		if node == nil {
			back = true
		} else if node.Outcome != "" || node.Kind == KindSaga {
			return nil
		}
	}
	targets := []string{w.def.OnAbandon}
	if !back {
		targets = append(targets, w.def.OnReplace, w.def.OnEnter)
	}
	var results []walkResult
	for _, target := range targets {
		results = append(results, w.enter(walkResult{walkMarking{}, false}, target, "")...)
	}
	return results
}

// sound explores every marking and reports whether the definition is sound; ok is false if there
// are more than limit.
func (w *referenceWalker) sound(limit int) (sound, ok bool) {
	start := ""
	for _, node := range w.def.Nodes {
		if node.Kind == KindStart {
			start = node.ID
		}
	}
	first := w.add(w.enter(walkResult{walkMarking{}, false}, start, ""))
	if !w.explore(first, limit, false) {
		return false, false
	}
	// The seal of abandonment is required even if no case can be abandoned.
	w.seen[w.def.OnAbandon], w.seen[w.node(w.def.OnAbandon).Edges[0].To] = true, true
	if w.broken || !w.allEnd() || len(w.seen) < len(w.def.Nodes) {
		return false, true
	}
	all := make([]string, 0, len(w.states))
	for key := range w.states {
		all = append(all, key)
	}
	if !w.explore(all, limit, true) {
		return false, false
	}
	return !w.broken && w.allEnd(), true
}

// explore adds the markings that can be reached from the open ones; reroutes includes those that an
// evaluation of the route can lead to. It returns false if there are more than limit.
func (w *referenceWalker) explore(open []string, limit int, reroutes bool) bool {
	for len(open) > 0 && !w.broken {
		if len(w.states) > limit {
			return false
		}
		at := w.states[open[0]]
		if at.ended {
			open = open[1:]
			continue
		}
		reached := w.possibleResults(at.marking)
		next := w.add(reached)
		for _, one := range reached {
			at.next = append(at.next, one.marking.key())
		}
		w.states[open[0]] = at
		open = append(append(open[1:], next...), w.add(w.interruptions(at.marking))...)
		if reroutes {
			open = append(open, w.add(w.reroutes(at.marking))...)
		}
	}
	return true
}

// reroutes lists the results of an evaluation of the route with changed facts: every token, and
// every arrival at a join, can move to any node that mayOpen allows, or continue after any node that
// mayResume allows.
func (w *referenceWalker) reroutes(b walkMarking) []walkResult {
	var results []walkResult
	routes := w.def.routes
	move := func(left *Node, rest walkMarking, arrived bool) {
		for _, target := range w.def.Nodes {
			_, taken := rest[target.ID]
			mayHold := target.Kind == KindFork || target.impl.holdsToken() &&
				target.Kind != KindJoin && target.Outcome == ""
			if !mayHold || target.scope != left.scope {
				continue
			}
			if !taken && (routes.mayOpen(left, target) || arrived && target == left) {
				results = append(results, w.enter(walkResult{rest, false}, target.ID, "")...)
			}
			if routes.splitsScopes && target.Kind != KindFork && routes.mayResume(left, target) {
				for _, edge := range target.Edges {
					if edge.On != "return" {
						results = append(results, w.along(rest, edge, target.ID)...)
					}
				}
			}
		}
	}
	for place, memory := range b {
		node := w.node(place)
		switch {
		case !routes.stable || node == nil ||
			node.Outcome != "" && node.Outcome != domain.Archived:
		case node.Kind != KindJoin:
			move(node, b.without(place), false)
		default:
			arrived := strings.Split(memory, ",")
			for _, id := range arrived {
				others := slices.DeleteFunc(slices.Clone(arrived),
					func(other string) bool { return other == id })
				rest := b.without(place)
				if len(others) > 0 {
					rest = rest.with(place, strings.Join(others, ","))
				}
				if source := w.node(id); routes.sources[source.scope] == source {
					move(source, rest, true)
				}
			}
		}
	}
	return results
}

// add adds new markings and returns their keys. An end with open work breaks the definition.
func (w *referenceWalker) add(results []walkResult) []string {
	var added []string
	for _, one := range results {
		if one.ended && len(one.marking) > 0 {
			w.broken = true
		}
		key := one.marking.key()
		if _, known := w.states[key]; !known {
			w.states[key] = walkState{marking: one.marking, ended: one.ended}
			added = append(added, key)
		}
	}
	return added
}

// allEnd reports whether an end can be reached from every marking, by repeated passes until nothing
// changes.
func (w *referenceWalker) allEnd() bool {
	good := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for key, at := range w.states {
			if good[key] {
				continue
			}
			if at.ended ||
				slices.ContainsFunc(at.next, func(next string) bool { return good[next] }) {
				good[key], changed = true, true
			}
		}
	}
	return len(good) == len(w.states)
}
