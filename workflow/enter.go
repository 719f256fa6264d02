package workflow

import (
	"slices"

	"countersign/domain"
)

// follow takes an edge: withdraws what it cancels, then enters its target.
func (p *pass) follow(from *Node, edge *Edge) error {
	if p.seen != nil {
		p.seen(edge)
	}
	if edge.CancelsAll || len(edge.Cancels) > 0 {
		if err := p.withdraw(edge.Cancels); err != nil {
			return err
		}
	}
	return p.enter(edge.target, from)
}

// enter brings a token to a node: it stays there, or passes through in the same step.
func (p *pass) enter(node, from *Node) error {
	if p.entries++; p.entries > maxEntries {
		return unsound(node, "the process goes round in circles at %s without any work", node.ID)
	}
	if node.Kind == KindJoin {
		return p.arrive(node, from)
	}
	visit := p.visits[node.ID] + 1
	p.visits[node.ID] = visit
	switch node.Kind {
	case KindExclusive:
		edge, err := p.branch(node)
		if err != nil {
			return err
		}
		return p.follow(node, edge)
	case KindStart, KindFork:
		for i := range node.Edges {
			if err := p.follow(node, &node.Edges[i]); err != nil {
				return err
			}
		}
		return nil
	case KindEnd:
		if p.ended != nil {
			return unsound(node, "two ends are reached at once: %s and %s", p.ended.ID, node.ID)
		}
		p.ended = node
		return nil
	}
	if err := p.put(node, visit); err != nil {
		return err
	}
	if node.Kind == KindSaga {
		p.notes.setSaga(node.ID, sagaNote{Step: 1})
	}
	p.open(node, visit)
	return nil
}

// open asks for the work that a token at the node stands for, as the notes have it.
func (p *pass) open(node *Node, visit int) {
	switch node.Kind {
	case KindStage, KindExternal:
		p.begin(p.stageOf(node, visit))
	case KindTimer:
		p.begin(StartTimer{Node: node.ID, Visit: visit, After: node.After})
	case KindSaga:
		p.begin(stepOf(node, visit, p.notes.saga(node.ID)))
	case KindReview:
		if p.notes.kept[node.ID] == nil { // the usual case, without making a note of it first
			for seat := 1; seat <= node.Seats; seat++ {
				p.begin(seatOf(node, visit, seat, false))
			}
			break
		}
		for _, seat := range p.notes.seats(node).Open {
			p.begin(seatOf(node, visit, seat.Seat, seat.Escalated))
		}
	}
	if node.Timeout > 0 {
		p.begin(StartTimer{Node: node.ID, Visit: visit, After: node.Timeout, Boundary: true})
	}
}

// put places a token; a second one at the same node is a fault of the definition.
func (p *pass) put(node *Node, visit int) error {
	if p.holds(node.ID) {
		return unsound(node, "%s is entered while it is still open", node.ID)
	}
	p.tokens = append(p.tokens, domain.Token{Node: node.ID, Visit: visit})
	return nil
}

// branch returns the edge of a gateway: the first whose guard is true, else the default, which stands last.
func (p *pass) branch(node *Node) (*Edge, error) {
	if p.ask != nil {
		return &node.Edges[p.ask(node)], nil
	}
	for i := range node.Edges {
		edge := &node.Edges[i]
		if edge.guard == nil {
			return edge, nil
		}
		taken, err := edge.guard.EvalAt(p.facts)
		if err != nil {
			if failure := asFailure(err); failure != nil {
				return nil, failure.WithDetail("node", node.ID)
			}
			return nil, err
		}
		if taken {
			return edge, nil
		}
	}
	return nil, unsound(node, "the gateway %s has no default", node.ID)
}

// arrive notes a token at a join; the last awaited one sets off the join's own.
func (p *pass) arrive(node, from *Node) error {
	if from == nil || !slices.Contains(node.awaits, from) {
		return unsound(node, "the join %s is entered from a node it does not await", node.ID)
	}
	arrived := p.notes.arrivals(node.ID)
	if slices.Contains(arrived, from.ID) {
		return unsound(node, "the join %s is reached twice from %s", node.ID, from.ID)
	}
	arrived = append(arrived, from.ID)
	if len(arrived) == 1 {
		p.visits[node.ID]++
		p.tokens = append(p.tokens, domain.Token{Node: node.ID, Visit: p.visits[node.ID]})
	}
	if len(arrived) < len(node.awaits) {
		slices.Sort(arrived)
		p.notes.setArrivals(node.ID, arrived)
		return nil
	}
	p.remove(p.indexOf(node.ID))
	p.notes.drop(node.ID)
	return p.follow(node, &node.Edges[0])
}

// leave takes the token at a node away whose work is done, and the boundary timer with it.
func (p *pass) leave(node *Node, at int) {
	if node.Timeout > 0 {
		p.note(CancelTimer{Node: node.ID, Visit: p.tokens[at].Visit})
	}
	p.remove(at)
	p.notes.drop(node.ID)
}

// withdraw takes the tokens at the nodes of a region away, or all of them, and calls back what is open there.
func (p *pass) withdraw(region []string) error {
	kept := p.tokens[:0]
	for _, token := range p.tokens {
		if region != nil && !slices.Contains(region, token.Node) {
			kept = append(kept, token)
			continue
		}
		if err := p.callBack(token); err != nil {
			return err
		}
		p.notes.drop(token.Node)
	}
	p.tokens = kept
	return nil
}

// callBack withdraws the open work of one token.
func (p *pass) callBack(token domain.Token) error {
	node := p.def.index[token.Node]
	if node == nil {
		return nil
	}
	switch node.Kind {
	case KindStage, KindExternal:
		p.note(CancelStage{Node: node.ID, Visit: token.Visit})
	case KindTimer:
		p.note(CancelTimer{Node: node.ID, Visit: token.Visit})
	case KindReview:
		if open := p.notes.seats(node).openSeats(); len(open) > 0 {
			p.note(CancelReview{Node: node.ID, Visit: token.Visit, Seats: open})
		}
	case KindSaga:
		return unsound(node, "the saga %s may be withdrawn while other systems are being told; nobody would undo it", node.ID)
	}
	if node.Timeout > 0 {
		p.note(CancelTimer{Node: node.ID, Visit: token.Visit})
	}
	return nil
}

// Open returns what must be open for a marking: the stages, timers, calls and seats whose rows have to exist. It serves
// repair and comparison; deadlines and attempts are as at the first opening.
func Open(def *Definition, marking domain.Marking, facts domain.ProcessFacts) []Effect {
	p := pass{def: def, facts: &facts, notes: notes{kept: marking.Notes}}
	for _, token := range marking.Tokens {
		if node := def.index[token.Node]; node != nil {
			p.open(node, token.Visit)
		}
	}
	return p.starts
}

func (p *pass) stageOf(node *Node, visit int) StartStage {
	return StartStage{Node: node.ID, Visit: visit, Behaviour: node.Behaviour, Queue: node.QueueOf(p.facts.DocumentType),
		Attempts: node.Attempts, Backoff: node.Backoff, Outcome: node.Outcome, Topic: node.Topic, Lease: node.Lease}
}

func seatOf(node *Node, visit, seat int, escalated bool) OpenReview {
	opened := OpenReview{Node: node.ID, Visit: visit, Seat: seat, Queue: node.Queue, Level: node.Level, Duty: node.Duty,
		ClaimWithin: node.ClaimWithin, DecideWithin: node.DecideWithin, Overdue: node.Overdue, Escalated: escalated}
	if escalated {
		opened.Queue, opened.Level = node.EscalateTo, node.EscalateLevel
	}
	return opened
}
