package workflow

import (
	"slices"

	"countersign/domain"
)

// takeEdge withdraws the work that the edge cancels, then enters the edge's target.
func (p *stepBuilder) takeEdge(from *Node, edge *Edge) error {
	if p.onEdge != nil {
		p.onEdge(edge)
	}
	if edge.CancelsAll || len(edge.Cancels) > 0 {
		if err := p.withdrawTokens(edge.Cancels); err != nil {
			return err
		}
	}
	if p.chooseBranch == nil && p.recordSkipped(from, edge) {
		return p.leaveFork(from, edge)
	}
	return p.enterNode(edge.target, from)
}

// takeAllEdges passes a token through a node onto every edge that leaves it.
func (p *stepBuilder) takeAllEdges(node *Node) error {
	p.countVisit(node)
	for i := range node.Edges {
		if err := p.takeEdge(node, &node.Edges[i]); err != nil {
			return err
		}
	}
	return nil
}

// enterNode moves a token to a node, where it stays or passes through in the same step.
func (p *stepBuilder) enterNode(node, from *Node) error {
	if p.entries++; p.entries > maxEntries {
		return unsoundError(node, "The process loops at %s without doing any work.", node.ID)
	}
	return node.impl.enter(p, node, from)
}

// countVisit counts one more entry of the node and returns its number.
func (p *stepBuilder) countVisit(node *Node) int {
	visit := p.visits[node.ID] + 1
	p.visits[node.ID] = visit
	return visit
}

// openWork adds the effects that start the work of a token at the node, including its boundary
// timer.
func (p *stepBuilder) openWork(node *Node, visit int) {
	node.impl.openWork(p, node, visit)
	if node.Timeout > 0 {
		p.deferEffect(StartTimer{Node: node.ID, Visit: visit, After: node.Timeout, Boundary: true})
	}
}

// placeToken places a token at the node and returns the number of the visit. A second token at the
// same node is a fault of the definition.
func (p *stepBuilder) placeToken(node *Node) (visit int, err error) {
	visit = p.countVisit(node)
	if p.hasToken(node.ID) {
		return 0, unsoundError(node, "%s is entered while it is still open.", node.ID)
	}
	p.tokens = append(p.tokens, domain.Token{Node: node.ID, Visit: visit})
	return visit, nil
}

// chooseEdge returns the edge of a gateway by its guards, or another one that leads to more of the
// reviews that a part of a file keeps.
func (p *stepBuilder) chooseEdge(node *Node) (*Edge, error) {
	if p.chooseBranch != nil {
		return &node.Edges[p.chooseBranch(node)], nil
	}
	edge, err := p.guardedEdge(node)
	if err != nil {
		return edge, err
	}
	edge = p.seenEdge(node, p.cautiousEdge(node, edge))
	if len(p.facts.KeptReviews) == 0 {
		return edge, nil
	}
	return p.keptEdge(node, edge)
}

// guardedEdge returns the first edge of a gateway whose guard is true, else the default, which is
// the last edge.
func (p *stepBuilder) guardedEdge(node *Node) (*Edge, error) {
	for i := range node.Edges {
		edge := &node.Edges[i]
		if edge.guard == nil {
			return edge, nil
		}
		matched, err := edge.guard.EvalRef(p.facts)
		if err != nil {
			if failure := asDomainError(err); failure != nil {
				return nil, failure.WithDetail("node", node.ID)
			}
			return nil, err
		}
		if matched {
			return edge, nil
		}
	}
	return nil, unsoundError(node, "The gateway %s has no default.", node.ID)
}

// arriveAtJoin records a token's arrival at a join; the last of the expected arrivals takes the
// join's edge.
func (p *stepBuilder) arriveAtJoin(node, from *Node) error {
	if from == nil || !slices.Contains(node.joinSources, from) {
		return unsoundError(node,
			"The join %s is entered from a node that does not lead to it.", node.ID)
	}
	arrived := p.state.arrivals(node.ID)
	if slices.Contains(arrived, from.ID) {
		return unsoundError(node, "The join %s is reached twice from %s.", node.ID, from.ID)
	}
	arrived = append(arrived, from.ID)
	if len(arrived) == 1 {
		p.tokens = append(p.tokens, domain.Token{Node: node.ID, Visit: p.countVisit(node)})
	}
	if len(arrived) == len(node.joinSources) {
		var err error
		if arrived, err = p.reopenBranches(node, from, arrived); err != nil {
			return err
		}
	}
	if len(arrived) < len(node.joinSources) {
		slices.Sort(arrived)
		p.state.setArrivals(node.ID, arrived)
		return nil
	}
	p.removeToken(p.tokenIndex(node.ID))
	p.state.drop(node.ID)
	return p.leaveAlong(node, &node.Edges[0])
}

// leaveNode removes the token of a node whose work is done, and withdraws its boundary timer.
func (p *stepBuilder) leaveNode(node *Node, at int) {
	if node.Timeout > 0 {
		p.addEffect(CancelTimer{Node: node.ID, Visit: p.tokens[at].Visit})
	}
	p.removeToken(at)
	p.state.drop(node.ID)
}

// withdrawTokens removes the tokens at the nodes of a region, or all of them if region is nil, and
// withdraws their work.
func (p *stepBuilder) withdrawTokens(region []string) error {
	kept := p.tokens[:0]
	for _, token := range p.tokens {
		if region != nil && !slices.Contains(region, token.Node) {
			kept = append(kept, token)
			continue
		}
		if err := p.cancelWork(token); err != nil {
			return err
		}
		p.state.drop(token.Node)
		if node := p.def.index[token.Node]; node != nil {
			p.dropResume(func(scope string) bool { return scope == node.scope })
			p.recordWithdrawn(node)
		}
	}
	p.tokens = kept
	if region == nil {
		p.dropResume(func(string) bool { return true })
	}
	return nil
}

// cancelWork withdraws the open work of one token, including its boundary timer. A returned case
// has no work.
func (p *stepBuilder) cancelWork(token domain.Token) error {
	node := p.def.index[token.Node]
	if node == nil {
		return nil
	}
	if err := node.impl.cancelWork(p, node, token.Visit); err != nil {
		return err
	}
	if node.Timeout > 0 {
		p.addEffect(CancelTimer{Node: node.ID, Visit: token.Visit})
	}
	return nil
}

// OpenWork returns the effects whose rows must exist for a marking: its open stages, timers, calls
// and seats. It serves repair and comparison; deadlines and attempts are those of the first
// opening.
func OpenWork(def *Definition, marking domain.Marking, facts domain.ProcessFacts) []Effect {
	p := stepBuilder{def: def, facts: &facts, state: nodeStates{byNode: marking.Notes}}
	for _, token := range marking.Tokens {
		if node := def.index[token.Node]; node != nil {
			p.openWork(node, token.Visit)
		}
	}
	return p.deferred
}

func (p *stepBuilder) startStage(node *Node, visit int) StartStage {
	return StartStage{Node: node.ID, Visit: visit, Behaviour: node.Behaviour,
		Queue: node.QueueOf(p.facts.DocumentType), Attempts: node.Attempts, Backoff: node.Backoff,
		Outcome: node.Outcome, Topic: node.Topic, Lease: node.Lease}
}

func openReviewEffect(node *Node, visit int, seat openSeat) OpenReview {
	node = node.atSeat(seat.Role)
	opened := OpenReview{Node: node.ID, Visit: visit, Seat: seat.Seat, Queue: node.Queue,
		Level: node.Level, Duty: node.Duty, ClaimWithin: node.ClaimWithin,
		DecideWithin: node.DecideWithin, Overdue: node.Overdue, Escalated: seat.Escalated}
	if seat.Escalated {
		opened.Queue, opened.Level = node.EscalateTo, node.EscalateLevel
	}
	return opened
}
