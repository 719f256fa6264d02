package workflow

// fireTimer takes a token away from its timer, or out of the work that its boundary timer watched.
func (p *stepBuilder) fireTimer(event Event) error {
	node, at, err := p.locateToken(event, KindTimer, KindReview, KindExternal)
	if err != nil {
		return err
	}
	token := p.tokens[at]
	if node.Kind == KindTimer {
		p.leaveNode(node, at)
		return p.takeEdge(node, &node.Edges[0])
	}
	edge := node.timeoutEdge()
	if edge == nil {
		return stateMismatch("No timer watches %s.", node.ID).WithDetail("node", node.ID)
	}
	if node.Kind == KindExternal {
		p.addEffect(CancelStage{Node: node.ID, Visit: token.Visit})
	} else if open := p.state.seats(node).openSeats(); len(open) > 0 {
		p.addEffect(CancelReview{Node: node.ID, Visit: token.Visit, Seats: open})
	}
	p.removeToken(at)
	p.state.drop(node.ID)
	return p.takeEdge(node, edge)
}
