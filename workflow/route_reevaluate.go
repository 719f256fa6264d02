package workflow

// reevaluate evaluates the route before work that has not begun: a stage that archives the case, an
// external stage or a saga. If the route leads to missing work before it, the token moves there, and
// the withdrawn work is opened again afterwards. Otherwise nothing happens.
func (p *stepBuilder) reevaluate(event Event) error {
	node, at, err := p.locateToken(event, KindStage, KindExternal, KindSaga)
	if err != nil {
		return err
	}
	state := p.state.saga(node.ID)
	switch {
	case node.refuses():
		return stateMismatch("The case is already being closed as %s.", node.Outcome).
			WithDetail("node", node.ID)
	case node.Kind == KindSaga && (state.Step != 1 || state.Undo):
		return stateMismatch("The calls of %s have begun.", node.ID).WithDetail("node", node.ID)
	case p.facts.Verdicts == nil || !p.def.routes.stable:
		return nil
	}
	w := routeWalk{p: p, scope: node.scope}
	found, err := w.run()
	if err != nil {
		return err
	}
	target := found.open
	if target == nil || p.hasToken(target.ID) || !p.def.routes.mayOpen(node, target) {
		return nil
	}
	if err := p.withdrawUnstarted(node, at); err != nil {
		return err
	}
	if _, _, resumes := p.resumeOf(node.scope); !resumes {
		p.setResume(node.scope, node, nil)
	}
	return p.openOnRoute(target)
}

// withdrawUnstarted removes a token and withdraws its work, which has not begun.
func (p *stepBuilder) withdrawUnstarted(node *Node, at int) error {
	visit := p.tokens[at].Visit
	if node.Kind == KindSaga {
		p.addEffect(CancelStep{Node: node.ID, Visit: visit})
	} else if err := node.impl.cancelWork(p, node, visit); err != nil {
		return err
	}
	p.leaveNode(node, at)
	p.recordWithdrawn(node)
	return nil
}
