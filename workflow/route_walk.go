package workflow

import "countersign/domain"

// routeWalk follows the route of a scope from its beginning: gateways by the present facts, reviews
// by verdicts that count, other work by its last outcome. It changes nothing.
type routeWalk struct {
	p     *stepBuilder
	scope string
	// left is the node whose work has just ended, with the edge that it takes; nil in a branch
	// whose token has arrived at its join.
	left *Node
	edge *Edge
	// resumeNode is the node after which the token continues if it is on an added part of the
	// route.
	resumes    bool
	resumeNode *Node
	resumeEdge *Edge

	facts *domain.ProcessFacts
	// changed reports whether the last nodes were gateways that the case has passed before, so that
	// unvisited work behind them is missing. Elsewhere, unvisited work was skipped when the case
	// continued at an entry point.
	changed    bool
	passedLeft bool
}

// routeResult is where a walk ends: at missing work, or at the edge that the token takes. Neither is
// set if the route does not lead to the node that was left.
type routeResult struct {
	open *Node
	from *Node
	edge *Edge
	ends bool // the walk ends at the edge
}

func (w *routeWalk) run() (routeResult, error) {
	facts := *w.p.facts
	w.facts = &facts
	if facts.Outcome = ""; w.scope != "" {
		w.changed = true // the case has passed the fork
	}
	seen := newNodeSet(w.p.def)
	node := w.p.def.scopeStart(w.scope)
	for node != nil && node.scope == w.scope && !seen.has(node) && node.Outcome == "" &&
		node.Kind != KindEnd {
		seen.add(node)
		if node == w.left && !w.resumes {
			return routeResult{from: w.left, edge: w.edge}, nil
		}
		if w.resumes && node == w.resumeNode && node != w.left && node.Kind != KindExclusive &&
			(node.Kind != KindReview || w.counts(node)) {
			return routeResult{from: node, edge: w.resumeEdge}, nil
		}
		found, err := w.pass(node)
		if err != nil || found.open != nil || found.edge == nil || found.ends {
			return found, err
		}
		if found.edge.target.Kind == KindJoin && (w.left == nil || w.resumes) {
			return found, nil
		}
		if w.passedLeft && found.from.scope == w.scope &&
			(found.edge.CancelsAll || len(found.edge.Cancels) > 0) {
			return routeResult{}, nil
		}
		node = found.edge.target
	}
	return routeResult{}, nil
}

// scopeStart returns the node at which a scope begins: that of a branch, or that behind the join of
// some branches; nil if there are several.
func (d *Definition) scopeStart(scope string) *Node {
	if scope == "" {
		return d.start
	}
	if join := d.routes.starts[scope]; join != nil {
		return join.Edges[0].target
	}
	_, id, _ := splitScope(scope)
	fork := d.index[id]
	for i := range fork.Edges {
		if branchScope(fork, i) == scope {
			return fork.Edges[i].target
		}
	}
	return nil
}

// pass returns the edge by which the route leaves a node, or the node if its work is missing.
func (w *routeWalk) pass(node *Node) (routeResult, error) {
	switch node.Kind {
	case KindStart:
		return routeResult{from: node, edge: &node.Edges[0]}, nil
	case KindExclusive:
		edge, err := w.choose(node)
		w.changed = w.changed || w.p.visits[node.ID] > 0 && len(node.Edges) > 1
		return routeResult{from: node, edge: edge}, err
	case KindFork:
		return w.passFork(node)
	}
	if node == w.left {
		w.passedLeft, w.facts.Outcome = true, w.p.facts.Outcome
		return routeResult{from: node, edge: w.edge}, nil
	}
	switch {
	case w.p.hasToken(node.ID):
		return routeResult{}, nil
	case node.Kind == KindReview && !w.counts(node),
		!w.p.completed(node) && (w.changed || w.passedLeft):
		return routeResult{open: node}, nil
	}
	edge := w.p.leftBy(node)
	w.changed, w.facts.Outcome = false, edge.On
	return routeResult{from: node, edge: edge}, nil
}

// choose evaluates a gateway with the outcome of the last node of the walk.
func (w *routeWalk) choose(node *Node) (*Edge, error) {
	before := w.p.facts
	w.p.facts = w.facts
	edge, err := w.p.chooseEdge(node)
	w.p.facts = before
	return edge, err
}

// passFork passes a fork by its join if nothing is missing in its branches.
func (w *routeWalk) passFork(fork *Node) (routeResult, error) {
	p, join := w.p, w.p.def.routes.joins[fork]
	if p.visits[fork.ID] == 0 && (w.changed || w.passedLeft) {
		return routeResult{open: fork}, nil
	}
	if p.hasRouteState() {
		if exit, ok := p.route().Skipped[fork.ID]; ok {
			return w.passSkipped(fork, exit)
		}
	}
	if join == nil {
		// Several joins unite the branches: their reviews are not asked again here.
		join = p.def.routes.closing[fork]
		if join == nil || join != w.left && p.visits[join.ID] == 0 {
			return routeResult{}, nil
		}
		return w.leaveFork(join, &join.Edges[0]), nil
	}
	if p.visits[fork.ID] > 0 && join != w.left {
		for i := range fork.Edges {
			branch := routeWalk{p: p, scope: branchScope(fork, i)}
			found, err := branch.run()
			if err != nil || found.open != nil {
				return routeResult{open: fork}, err
			}
			w.facts.Outcome = branch.facts.Outcome
		}
	}
	return w.leaveFork(join, &join.Edges[0]), nil
}

// leaveFork passes the edge by which the branches of a fork are left.
func (w *routeWalk) leaveFork(node *Node, edge *Edge) routeResult {
	w.changed = false
	if node == w.left {
		w.passedLeft, w.facts.Outcome = true, w.p.facts.Outcome
	}
	return routeResult{from: node, edge: edge,
		ends: node == w.left && !w.resumes || w.resumes && node == w.resumeNode}
}

// passSkipped passes a fork by the edge that left its branches without its join.
func (w *routeWalk) passSkipped(fork *Node, skipped routeExit) (routeResult, error) {
	node, edge := w.p.def.exit(skipped)
	if edge == nil || node.scope == w.scope || !within(node.scope, w.scope) {
		return routeResult{}, nil
	}
	branch := routeWalk{p: w.p, scope: node.scope, left: node, edge: edge}
	if found, err := branch.run(); err != nil || found.open != nil {
		return routeResult{open: fork}, err
	}
	w.facts.Outcome = edge.On
	return w.leaveFork(node, edge), nil
}

// counts reports whether the verdict of a review counts. A review that its boundary timer has left
// has no verdict and is not asked again. A repair counts while no needed fact is missing.
func (w *routeWalk) counts(node *Node) bool {
	if w.p.visits[node.ID] == 0 || w.p.hasToken(node.ID) {
		return false
	}
	if node.Repairs() {
		return len(w.p.facts.Missing) == 0
	}
	edge, verdicts := w.p.leftBy(node), w.p.facts.Verdicts[node.ID]
	switch {
	case edge.Trigger != "":
		return true
	case node.Committee(): // without one of its votes it may have decided otherwise
		return verdicts > 0 && verdicts >= w.p.route().Votes[node.ID]
	case edge.On == string(domain.Approve):
		return verdicts >= node.Quorum
	}
	return verdicts > 0
}
