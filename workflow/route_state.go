package workflow

import "countersign/domain"

// routeNote is the key of the route's state in a marking's notes; no node can have this id.
const routeNote = "@route"

// routeState is what an evaluation of the route needs besides visits and verdicts. It is empty in
// most markings, because every event stores it.
type routeState struct {
	// Left is the edge by which a node was last left, if that is not its usual edge; withdrawn if
	// its work was withdrawn.
	Left map[string]int `json:"left,omitempty"`
	// Resume is, by scope, where a token continues after the work that an evaluation added.
	Resume map[string]routeExit `json:"resume,omitempty"`
	// Skipped is, by fork, the edge by which its branches were left without its join.
	Skipped map[string]routeExit `json:"skipped,omitempty"`
	// Votes is, by committee, the number of votes that decided it.
	Votes map[string]int `json:"votes,omitempty"`
}

func (s *routeState) isEmpty() bool {
	return len(s.Left)+len(s.Resume)+len(s.Skipped)+len(s.Votes) == 0
}

// withdrawn is the number of no edge.
const withdrawn = -1

// enterAgain is the number of the edge of a routeExit at whose node a token continues, instead of
// leaving it.
const enterAgain = -1

// routeExit is an edge by which a token leaves a node.
type routeExit struct {
	Node string `json:"node"`
	Edge int    `json:"edge"`
}

// route returns the route's state for reading and writing; saveRoute stores it.
func (p *stepBuilder) route() *routeState {
	if p.routeState == nil {
		p.routeState = &routeState{}
		p.state.read(routeNote, p.routeState)
	}
	return p.routeState
}

// saveRoute stores the route's state if it was changed. A case that is being closed keeps it only if
// it can be reopened.
func (p *stepBuilder) saveRoute() {
	if p.endNode != nil || len(p.tokens) == 1 && p.def.index[p.tokens[0].Node] != nil &&
		p.def.index[p.tokens[0].Node].Outcome != "" {
		p.dropResume(func(string) bool { return true })
		if len(p.def.Reopen) == 0 {
			p.dropRoute()
			return
		}
	}
	if !p.routeChanged {
		return
	}
	if !p.routeState.isEmpty() {
		p.state.set(routeNote, p.routeState)
		return
	}
	p.state.drop(routeNote)
}

// dropRoute removes the route's state, except what an evaluation needs before the case is archived.
func (p *stepBuilder) dropRoute() {
	if p.endNode == nil && p.hasRouteState() && len(p.route().Votes) > 0 {
		p.state.set(routeNote, routeState{Votes: p.route().Votes})
		return
	}
	p.state.drop(routeNote)
}

// hasRouteState reports whether any state was stored, without decoding it.
func (p *stepBuilder) hasRouteState() bool {
	return p.routeState != nil || p.state.byNode[routeNote] != nil
}

// recordLeft records the edge by which a node is left, unless it is its usual edge or refuses
// the case.
func (p *stepBuilder) recordLeft(node *Node, edge *Edge) {
	at := node.edgeIndex(edge)
	if edge.target.refuses() || at == node.edgeIndex(node.usualEdge()) {
		if p.hasRouteState() {
			if _, ok := p.route().Left[node.ID]; ok {
				delete(p.route().Left, node.ID)
				p.routeChanged = true
			}
		}
		return
	}
	p.setLeft(node, at)
}

func (p *stepBuilder) setLeft(node *Node, edge int) {
	if p.route().Left == nil {
		p.route().Left = map[string]int{}
	}
	p.route().Left[node.ID], p.routeChanged = edge, true
}

// recordVotes records how many votes decided a committee.
func (p *stepBuilder) recordVotes(node *Node, votes int) {
	if p.chooseBranch != nil {
		return
	}
	if p.route().Votes == nil {
		p.route().Votes = map[string]int{}
	}
	p.route().Votes[node.ID], p.routeChanged = votes, true
}

// recordWithdrawn records that the work of a node did not end. Reviews need no record, because they
// have no verdict then.
func (p *stepBuilder) recordWithdrawn(node *Node) {
	if p.chooseBranch == nil && node.Kind != KindReview && node.Kind != KindJoin &&
		node.Outcome == "" {
		p.setLeft(node, withdrawn)
	}
}

// completed reports whether the last work of a node has ended.
func (p *stepBuilder) completed(node *Node) bool {
	if p.visits[node.ID] == 0 {
		return false
	}
	if !p.hasRouteState() {
		return true
	}
	at, ok := p.route().Left[node.ID]
	return !ok || at != withdrawn
}

// recordSkipped records that an edge leaves the branches of a fork without its join, and reports
// whether it does.
func (p *stepBuilder) recordSkipped(from *Node, edge *Edge) bool {
	target := edge.target
	if from.Kind == KindFork || target.Kind == KindJoin || target.refuses() ||
		target.scope == from.scope || !within(from.scope, target.scope) {
		return false
	}
	scope, fork := from.scope, ""
	for scope != target.scope {
		scope, fork, _ = splitScope(scope)
	}
	if p.route().Skipped == nil {
		p.route().Skipped = map[string]routeExit{}
	}
	p.route().Skipped[fork] = routeExit{from.ID, from.edgeIndex(edge)}
	p.routeChanged = true
	return true
}

// setResume records where a token of the scope continues: after a node, by an edge, or at the node
// itself if the edge is nil.
func (p *stepBuilder) setResume(scope string, from *Node, edge *Edge) {
	if p.route().Resume == nil {
		p.route().Resume = map[string]routeExit{}
	}
	exit := routeExit{from.ID, enterAgain}
	if edge != nil {
		exit.Edge = from.edgeIndex(edge)
	}
	p.route().Resume[scope] = exit
	p.routeChanged = true
}

// dropResume forgets where the tokens of the scopes continue.
func (p *stepBuilder) dropResume(matches func(scope string) bool) {
	if !p.hasRouteState() {
		return
	}
	for scope := range p.route().Resume {
		if matches(scope) {
			delete(p.route().Resume, scope)
			p.routeChanged = true
		}
	}
}

// forgetBranches forgets what was recorded about the branches of a fork that is entered again.
func (p *stepBuilder) forgetBranches(fork *Node) {
	if !p.hasRouteState() {
		return
	}
	for i := range fork.Edges {
		p.dropResume(func(scope string) bool { return within(scope, branchScope(fork, i)) })
	}
	if _, ok := p.route().Skipped[fork.ID]; ok {
		delete(p.route().Skipped, fork.ID)
		p.routeChanged = true
	}
}

// resumeOf returns the node and edge with which a token of the scope continues, a nil edge if it
// continues at the node itself, and false if it is not on an added part of the route.
func (p *stepBuilder) resumeOf(scope string) (*Node, *Edge, bool) {
	if !p.hasRouteState() {
		return nil, nil, false
	}
	exit, ok := p.route().Resume[scope]
	if !ok {
		return nil, nil, false
	}
	node, edge := p.def.exit(exit)
	return node, edge, edge != nil || exit.Edge == enterAgain && p.def.index[exit.Node] != nil
}

// resumes reports whether the token of the scope is on an added part of the route.
func (p *stepBuilder) resumes(scope string) bool {
	_, _, resumes := p.resumeOf(scope)
	return resumes
}

// exit returns the node and edge of a stored exit, nil if the definition does not have them. An exit
// without an edge has only a node.
func (d *Definition) exit(exit routeExit) (*Node, *Edge) {
	node := d.index[exit.Node]
	if exit.Edge == enterAgain {
		return node, nil
	}
	if node == nil || exit.Edge < 0 || exit.Edge >= len(node.Edges) {
		return nil, nil
	}
	return node, &node.Edges[exit.Edge]
}

// leftBy returns the edge by which the node was last left.
func (p *stepBuilder) leftBy(node *Node) *Edge {
	if p.hasRouteState() {
		if at, ok := p.route().Left[node.ID]; ok && at >= 0 && at < len(node.Edges) {
			return &node.Edges[at]
		}
	}
	return node.usualEdge()
}

// usualEdge returns the edge that a node takes if its work succeeds: that of its approval, repair
// or outcome done, otherwise its first edge.
func (n *Node) usualEdge() *Edge {
	for _, on := range []string{string(domain.Approve), string(domain.Repaired), OutcomeDone} {
		if edge := n.outcomeEdge(on); edge != nil {
			return edge
		}
	}
	return &n.Edges[0]
}

// refuses reports whether a node closes the case without approving it.
func (n *Node) refuses() bool { return n.Outcome != "" && n.Outcome != domain.Archived }

func (n *Node) edgeIndex(edge *Edge) int {
	for i := range n.Edges {
		if &n.Edges[i] == edge {
			return i
		}
	}
	return -1
}
