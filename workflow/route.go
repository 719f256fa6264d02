package workflow

import (
	"slices"

	"countersign/domain"
)

// EvaluatesRoute reports whether the event makes Advance evaluate the route again. Its facts need
// verdicts then.
func EvaluatesRoute(def *Definition, marking domain.Marking, event Event) bool {
	switch event.Kind {
	case Reevaluated:
		return def.routeDecided(marking.Visits)
	case StageEnded, StageFailed, TimerFired, StepEnded, ReviewDecided:
	case StepFailed:
		return EndsSaga(def, marking, event)
	default:
		return false
	}
	node := def.index[event.Node]
	return node != nil && node.Outcome == "" && def.routeDecided(marking.Visits)
}

// routeDecided reports whether a gateway or review was passed, so that the route can change.
func (d *Definition) routeDecided(visits map[string]int) bool {
	return d.routes.stable && slices.ContainsFunc(d.Nodes, func(node *Node) bool {
		return (node.Kind == KindExclusive || node.Kind == KindReview) && visits[node.ID] > 0
	})
}

// leaveAlong moves a token on from a node whose work has ended. The route is evaluated again first:
// if it leads to work that is missing before this node, the token moves there and takes the edge
// later. A rejection is not delayed.
func (p *stepBuilder) leaveAlong(left *Node, edge *Edge) error {
	if p.chooseBranch != nil { // the verification explores these moves as separate transitions
		return p.takeEdge(left, edge)
	}
	if p.recordLeft(left, edge); left.Outcome != "" || left.Repairs() && !p.resumes(left.scope) {
		// a repair that the process has reached itself: it is no longer on the route when it ends
		return p.takeEdge(left, edge)
	}
	return p.followRoute(left.scope, left, edge,
		func() error { return p.takeEdge(left, edge) })
}

// leaveFork moves a token on that has left the branches of a fork by an edge that withdraws the
// others.
func (p *stepBuilder) leaveFork(from *Node, edge *Edge) error {
	return p.followRoute(edge.target.scope, from, edge,
		func() error { return p.enterNode(edge.target, from) })
}

// followRoute opens the first missing work of a scope's route, or continues if nothing is missing.
func (p *stepBuilder) followRoute(
	scope string, left *Node, edge *Edge, proceed func() error,
) error {
	evaluated, err := p.evaluatesRoute(scope, left, edge)
	if err != nil {
		return err
	}
	ofScope := func(other string) bool { return other == scope }
	if !evaluated {
		p.dropResume(ofScope)
		return proceed()
	}
	w := routeWalk{p: p, scope: scope, left: left, edge: edge}
	w.resumeNode, w.resumeEdge, w.resumes = p.resumeOf(scope)
	found, err := w.run()
	if err != nil {
		return err
	}
	if target := found.open; target != nil && !p.hasToken(target.ID) &&
		(w.passedLeft || p.def.routes.mayOpen(left, target)) {
		p.facts.Outcome = w.facts.Outcome
		switch {
		case target == w.resumeNode:
			p.dropResume(ofScope)
		case !w.resumes:
			p.setResume(scope, left, edge)
		}
		return p.openOnRoute(target)
	}
	p.dropResume(ofScope)
	if !w.resumes {
		return proceed()
	}
	if w.resumeEdge == nil {
		return p.enterNode(w.resumeNode, nil)
	}
	if w.resumeEdge.On != "" {
		p.facts.Outcome = w.resumeEdge.On
	}
	return p.takeEdge(w.resumeNode, w.resumeEdge)
}

// evaluatesRoute reports whether the route is evaluated before a token takes an edge: not if no
// gateway or review was passed yet, nor if the edge rejects the case.
func (p *stepBuilder) evaluatesRoute(scope string, left *Node, edge *Edge) (bool, error) {
	if p.facts.Verdicts == nil || !p.def.routeDecided(p.visits) {
		return false, nil
	}
	resting, err := p.restingNode(edge)
	if err != nil {
		return false, err
	}
	if resting.refuses() {
		return false, nil
	}
	leavesFork := left.Kind == KindJoin || left.scope != scope
	return !leavesFork || resting.Kind == KindJoin || resting.scope == scope, nil
}

// restingNode returns the node at which a token that takes the edge stops.
func (p *stepBuilder) restingNode(edge *Edge) (*Node, error) {
	node := edge.target
	for range len(p.def.Nodes) {
		if node.Kind != KindExclusive {
			break
		}
		next, err := p.chooseEdge(node)
		if err != nil {
			return nil, err
		}
		node = next.target
	}
	return node, nil
}

// openOnRoute enters a node that the evaluation of the route has found missing. In a fork that was
// passed before, only the branches where something is missing are asked again.
func (p *stepBuilder) openOnRoute(target *Node) error {
	if target.Kind != KindFork || p.visits[target.ID] == 0 || p.def.routes.joins[target] == nil {
		return p.enterNode(target, nil)
	}
	p.countVisit(target)
	p.forgetBranches(target)
	for i := range target.Edges {
		edge := &target.Edges[i]
		scope := branchScope(target, i)
		w := routeWalk{p: p, scope: scope}
		found, err := w.run()
		switch {
		case err != nil:
			return err
		case found.open != nil:
			source := p.def.routes.sources[scope]
			if found.open != source {
				p.setResume(scope, source, source.edgeTo(p.def.routes.joins[target]))
			}
			err = p.openOnRoute(found.open)
		case found.edge != nil:
			err = p.takeEdge(found.from, found.edge)
		default:
			err = p.enterNode(edge.target, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) edgeTo(target *Node) *Edge {
	at := slices.IndexFunc(n.Edges, func(edge Edge) bool { return edge.target == target })
	return &n.Edges[at]
}

// reopenBranches opens what is missing in the branches that have arrived at a join, except the one
// that arrives now. It returns the arrivals that remain.
func (p *stepBuilder) reopenBranches(join, last *Node, arrived []string) ([]string, error) {
	if p.chooseBranch != nil || p.facts.Verdicts == nil || !p.def.routes.stable {
		return arrived, nil
	}
	remaining := arrived
	for _, id := range arrived {
		source := p.def.index[id]
		if source == last || p.def.routes.sources[source.scope] != source {
			continue
		}
		w := routeWalk{p: p, scope: source.scope}
		found, err := w.run()
		if err != nil {
			return nil, err
		}
		if found.open == nil || found.open != source && !p.def.routes.mayOpen(source, found.open) {
			continue
		}
		remaining = slices.DeleteFunc(slices.Clone(remaining),
			func(other string) bool { return other == id })
		if found.open != source {
			p.setResume(source.scope, source, source.edgeTo(join))
		}
		if err := p.openOnRoute(found.open); err != nil {
			return nil, err
		}
	}
	return remaining, nil
}
