package workflow

import (
	"slices"

	"countersign/domain"
)

// EvaluatesRoute reports whether the event makes Advance evaluate the route again. Its facts need
// verdicts then.
func EvaluatesRoute(def *Definition, marking domain.Marking, event Event) bool {
	switch event.Kind {
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
	p.recordLeft(left, edge)
	if p.facts.Verdicts == nil || left.Outcome != "" || !p.def.routeDecided(p.visits) {
		return p.takeEdge(left, edge)
	}
	resting, err := p.restingNode(edge)
	if err != nil {
		return err
	}
	if resting.Outcome != "" && resting.Outcome != domain.Archived ||
		left.Kind == KindJoin && resting.Kind != KindJoin && resting.scope != left.scope {
		p.dropResume(func(scope string) bool { return scope == left.scope })
		return p.takeEdge(left, edge)
	}
	return p.followRoute(left, edge)
}

// followRoute opens the first missing work of the route, or takes the edge if nothing is missing.
func (p *stepBuilder) followRoute(left *Node, edge *Edge) error {
	w := routeWalk{p: p, scope: left.scope, left: left, edge: edge}
	node, resume, resumes := p.resumeOf(left.scope)
	if w.resumes = resumes; resumes {
		w.resumeNode, w.resumeEdge = node, resume
	} else {
		node, resume = left, edge
	}
	found, err := w.run()
	if err != nil {
		return err
	}
	ofScope := func(scope string) bool { return scope == left.scope }
	if target := found.open; target != nil && !p.hasToken(target.ID) &&
		(w.passedLeft || p.def.routes.mayOpen(left, target)) {
		p.facts.Outcome = w.facts.Outcome
		if p.setResume(left.scope, node, resume); target == node {
			p.dropResume(ofScope)
		}
		return p.openOnRoute(target)
	}
	p.dropResume(ofScope)
	if !resumes {
		return p.takeEdge(left, edge)
	}
	if resume.On != "" {
		p.facts.Outcome = resume.On
	}
	return p.takeEdge(node, resume)
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
