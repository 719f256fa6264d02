package workflow

import (
	"slices"

	"countersign/domain"
)

// takeEdge takes an edge: withdraws what it cancels, then enters its target.
func (p *stepBuilder) takeEdge(from *Node, edge *Edge) error {
	if p.onEdge != nil {
		p.onEdge(edge)
	}
	if edge.CancelsAll || len(edge.Cancels) > 0 {
		if err := p.withdrawTokens(edge.Cancels); err != nil {
			return err
		}
	}
	return p.enterNode(edge.target, from)
}

// enterNode brings a token to a node: it stays there, or passes through in the same step.
func (p *stepBuilder) enterNode(node, from *Node) error {
	if p.entries++; p.entries > maxEntries {
		return unsoundError(node, "the process goes round in circles at %s without any work", node.ID)
	}
	if node.Kind == KindJoin {
		return p.arriveAtJoin(node, from)
	}
	visit := p.visits[node.ID] + 1
	p.visits[node.ID] = visit
	switch node.Kind {
	case KindExclusive:
		edge, err := p.chooseEdge(node)
		if err != nil {
			return err
		}
		return p.takeEdge(node, edge)
	case KindStart, KindFork:
		for i := range node.Edges {
			if err := p.takeEdge(node, &node.Edges[i]); err != nil {
				return err
			}
		}
		return nil
	case KindEnd:
		if p.endNode != nil {
			return unsoundError(node, "two ends are reached at once: %s and %s", p.endNode.ID, node.ID)
		}
		p.endNode = node
		return nil
	}
	if err := p.placeToken(node, visit); err != nil {
		return err
	}
	if node.Kind == KindSaga {
		p.state.setSaga(node.ID, sagaState{Step: 1})
	}
	p.deferWork(node, visit)
	return nil
}

// deferWork asks for the work that a token at the node stands for, as the notes have it.
func (p *stepBuilder) deferWork(node *Node, visit int) {
	switch node.Kind {
	case KindStage, KindExternal:
		p.deferEffect(p.startStage(node, visit))
	case KindTimer:
		p.deferEffect(StartTimer{Node: node.ID, Visit: visit, After: node.After})
	case KindSaga:
		p.deferEffect(startStepEffect(node, visit, p.state.saga(node.ID)))
	case KindReview:
		if p.state.byNode[node.ID] == nil { // the usual case, without making a note of it first
			for seat := 1; seat <= node.Seats; seat++ {
				p.deferEffect(openReviewEffect(node, visit, seat, false))
			}
			break
		}
		for _, seat := range p.state.seats(node).Open {
			p.deferEffect(openReviewEffect(node, visit, seat.Seat, seat.Escalated))
		}
	}
	if node.Timeout > 0 {
		p.deferEffect(StartTimer{Node: node.ID, Visit: visit, After: node.Timeout, Boundary: true})
	}
}

// placeToken places a token; a second one at the same node is a fault of the definition.
func (p *stepBuilder) placeToken(node *Node, visit int) error {
	if p.hasToken(node.ID) {
		return unsoundError(node, "%s is entered while it is still open", node.ID)
	}
	p.tokens = append(p.tokens, domain.Token{Node: node.ID, Visit: visit})
	return nil
}

// chooseEdge returns the edge of a gateway: the first whose guard is true, else the default, which stands last.
func (p *stepBuilder) chooseEdge(node *Node) (*Edge, error) {
	if p.chooseBranch != nil {
		return &node.Edges[p.chooseBranch(node)], nil
	}
	for i := range node.Edges {
		edge := &node.Edges[i]
		if edge.guard == nil {
			return edge, nil
		}
		taken, err := edge.guard.EvalRef(p.facts)
		if err != nil {
			if failure := asDomainError(err); failure != nil {
				return nil, failure.WithDetail("node", node.ID)
			}
			return nil, err
		}
		if taken {
			return edge, nil
		}
	}
	return nil, unsoundError(node, "the gateway %s has no default", node.ID)
}

// arriveAtJoin notes a token at a join; the last awaited one sets off the join's own.
func (p *stepBuilder) arriveAtJoin(node, from *Node) error {
	if from == nil || !slices.Contains(node.joinSources, from) {
		return unsoundError(node, "the join %s is entered from a node it does not await", node.ID)
	}
	arrived := p.state.arrivals(node.ID)
	if slices.Contains(arrived, from.ID) {
		return unsoundError(node, "the join %s is reached twice from %s", node.ID, from.ID)
	}
	arrived = append(arrived, from.ID)
	if len(arrived) == 1 {
		p.visits[node.ID]++
		p.tokens = append(p.tokens, domain.Token{Node: node.ID, Visit: p.visits[node.ID]})
	}
	if len(arrived) < len(node.joinSources) {
		slices.Sort(arrived)
		p.state.setArrivals(node.ID, arrived)
		return nil
	}
	p.removeToken(p.tokenIndex(node.ID))
	p.state.drop(node.ID)
	return p.takeEdge(node, &node.Edges[0])
}

// leaveNode takes the token at a node away whose work is done, and the boundary timer with it.
func (p *stepBuilder) leaveNode(node *Node, at int) {
	if node.Timeout > 0 {
		p.addEffect(CancelTimer{Node: node.ID, Visit: p.tokens[at].Visit})
	}
	p.removeToken(at)
	p.state.drop(node.ID)
}

// withdrawTokens takes the tokens at the nodes of a region away, or all of them, and calls back what is open there.
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
	}
	p.tokens = kept
	return nil
}

// cancelWork withdraws the open work of one token.
func (p *stepBuilder) cancelWork(token domain.Token) error {
	node := p.def.index[token.Node]
	if node == nil {
		return nil
	}
	switch node.Kind {
	case KindStage, KindExternal:
		p.addEffect(CancelStage{Node: node.ID, Visit: token.Visit})
	case KindTimer:
		p.addEffect(CancelTimer{Node: node.ID, Visit: token.Visit})
	case KindReview:
		if open := p.state.seats(node).openSeats(); len(open) > 0 {
			p.addEffect(CancelReview{Node: node.ID, Visit: token.Visit, Seats: open})
		}
	case KindSaga:
		return unsoundError(node, "the saga %s may be withdrawn while other systems are being told; nobody would undo it", node.ID)
	}
	if node.Timeout > 0 {
		p.addEffect(CancelTimer{Node: node.ID, Visit: token.Visit})
	}
	return nil
}

// OpenWork returns what must be open for a marking: the stages, timers, calls and seats whose rows have to exist. It serves
// repair and comparison; deadlines and attempts are as at the first opening.
func OpenWork(def *Definition, marking domain.Marking, facts domain.ProcessFacts) []Effect {
	p := stepBuilder{def: def, facts: &facts, state: nodeStates{byNode: marking.Notes}}
	for _, token := range marking.Tokens {
		if node := def.index[token.Node]; node != nil {
			p.deferWork(node, token.Visit)
		}
	}
	return p.deferred
}

func (p *stepBuilder) startStage(node *Node, visit int) StartStage {
	return StartStage{Node: node.ID, Visit: visit, Behaviour: node.Behaviour, Queue: node.QueueOf(p.facts.DocumentType),
		Attempts: node.Attempts, Backoff: node.Backoff, Outcome: node.Outcome, Topic: node.Topic, Lease: node.Lease}
}

func openReviewEffect(node *Node, visit, seat int, escalated bool) OpenReview {
	opened := OpenReview{Node: node.ID, Visit: visit, Seat: seat, Queue: node.Queue, Level: node.Level, Duty: node.Duty,
		ClaimWithin: node.ClaimWithin, DecideWithin: node.DecideWithin, Overdue: node.Overdue, Escalated: escalated}
	if escalated {
		opened.Queue, opened.Level = node.EscalateTo, node.EscalateLevel
	}
	return opened
}
