package workflow

// fire takes a token away from its timer, or out of the work that its boundary timer watched.
func (p *pass) fire(event Event) error {
	node, at, err := p.locate(event, KindTimer, KindReview, KindExternal)
	if err != nil {
		return err
	}
	token := p.tokens[at]
	if node.Kind == KindTimer {
		p.leave(node, at)
		return p.follow(node, &node.Edges[0])
	}
	edge := node.timeout()
	if edge == nil {
		return mismatch("No timer watches %s.", node.ID).WithDetail("node", node.ID)
	}
	if node.Kind == KindExternal {
		p.note(CancelStage{Node: node.ID, Visit: token.Visit})
	} else if open := p.notes.seats(node).openSeats(); len(open) > 0 {
		p.note(CancelReview{Node: node.ID, Visit: token.Visit, Seats: open})
	}
	p.remove(at)
	p.notes.drop(node.ID)
	return p.follow(node, edge)
}
