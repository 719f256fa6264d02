package workflow

// fireTimer moves a token on from its timer, or withdraws the work of a node whose boundary timer
// fired. The deadline of a committee counts the votes that were cast, if they decide.
func (p *stepBuilder) fireTimer(event Event) error {
	node, at, err := p.locateToken(event, KindTimer, KindReview, KindExternal)
	if err != nil {
		return err
	}
	token := p.tokens[at]
	if node.Kind == KindTimer {
		p.leaveNode(node, at)
		return p.leaveAlong(node, &node.Edges[0])
	}
	edge := node.timeoutEdge()
	if edge == nil {
		return stateMismatch("%s has no timeout.", node.ID).WithDetail("node", node.ID)
	}
	if node.Committee() {
		edge = p.deadlineEdge(node, edge)
	}
	if err := node.impl.cancelWork(p, node, token.Visit); err != nil {
		return err
	}
	p.removeToken(at)
	p.state.drop(node.ID)
	return p.leaveAlong(node, edge)
}
