package workflow

import "slices"

// caseWalk follows a case from a node to the nearest one at which the walk ends.
type caseWalk struct {
	def *Definition
	// left is the node of a fork's branch that the case leaves: it passes the joins around it, because the other
	// branches decide about other questions. It is nil if every branch of a join must arrive.
	left    *Node
	edges   func(*Node) []*Edge // by which the case can leave a node
	ends    func(*Node) bool
	reached map[*Node]*Node // each node that was reached, with the one before it
}

// find returns the node at which the walk ends, nil if there is none. reached then has every node of the walk.
func (w *caseWalk) find(starts ...*Node) *Node {
	w.reached = map[*Node]*Node{}
	for _, start := range starts {
		w.reached[start] = nil
	}
	for open := starts; len(open) > 0; {
		node := open[0]
		open = open[1:]
		if w.ends(node) {
			return node
		}
		for _, edge := range w.edges(node) {
			target := edge.target
			if _, seen := w.reached[target]; seen || !w.leavesBranch(target) && !w.arrivesAt(target) {
				continue
			}
			w.reached[target] = node
			open = append(open, target)
		}
	}
	return nil
}

// arrivesAt reports whether the node is no join, or the case arrives from every branch of the join.
func (w *caseWalk) arrivesAt(target *Node) bool {
	return target.Kind != KindJoin || !slices.ContainsFunc(target.joinSources,
		func(source *Node) bool {
			_, ok := w.reached[source]
			return !ok || !slices.Contains(targetsOf(w.edges(source)), target)
		})
}

// leavesBranch reports whether the target is the join of a fork around the node that was left, unless the
// case has entered that fork again.
func (w *caseWalk) leavesBranch(target *Node) bool {
	if w.left == nil || target.Kind != KindJoin {
		return false
	}
	around := forksAround(w.left)
	return slices.ContainsFunc(target.joinSources, func(source *Node) bool {
		_, fork, _ := splitScope(source.scope)
		if _, again := w.reached[w.def.index[fork]]; again {
			return false
		}
		return slices.Contains(around, fork)
	})
}

// forksAround returns the ids of the forks in whose branches the node is.
func forksAround(node *Node) []string {
	var forks []string
	for scope := node.scope; scope != ""; {
		outer, fork, _ := splitScope(scope)
		forks, scope = append(forks, fork), outer
	}
	return forks
}

// route lists the events that lead to the node.
func (w *caseWalk) route(node *Node) []string {
	var path []string
	for node != nil && w.reached[node] != nil {
		before := w.reached[node]
		for _, edge := range w.edges(before) {
			if edge.target != node {
				continue
			}
			label := edge.pathLabel(before)
			if label == "" && (before.Kind == KindStage || before.Kind == KindExternal) {
				label = before.ID + " " + OutcomeDone
			}
			if label != "" {
				path = append(path, label)
			}
			break
		}
		node = before
	}
	slices.Reverse(path)
	return path
}

// edgesBy returns the edges of the node that match.
func (n *Node) edgesBy(match func(*Edge) bool) []*Edge {
	var edges []*Edge
	for i := range n.Edges {
		if edge := &n.Edges[i]; edge.target != nil && match(edge) {
			edges = append(edges, edge)
		}
	}
	return edges
}

func targetsOf(edges []*Edge) []*Node {
	targets := make([]*Node, len(edges))
	for i, edge := range edges {
		targets[i] = edge.target
	}
	return targets
}
