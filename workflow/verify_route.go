package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// The events by which the verification moves tokens as an evaluation of the route may move them.
// The engine accepts them from the verification only.
const (
	rerouted EventKind = "rerouted" // Node, Outcome: the token at Node moves to the node Outcome
	resumed  EventKind = "resumed"  // Node, Outcome, Step: it takes an edge of the node Outcome
)

// rerouteTransitions lists where an evaluation of the route may move the tokens of a marking. It
// includes more moves than the engine makes: any target of the same scope that mayOpen allows, at
// any time. Moves that only differ in the node that the token leaves lead to the same marking and
// are listed once.
func (e *explorer) rerouteTransitions(at int) []transition {
	routes := e.def.routes
	if !routes.stable {
		return nil
	}
	var steps []transition
	marking := e.states[at].marking
	states := nodeStates{byNode: marking.Notes}
	for i, token := range marking.Tokens {
		node := e.def.index[token.Node]
		switch {
		case node == nil || node.refuses():
		case node.Kind == KindJoin:
			arrived := states.arrivals(node.ID)
			for _, id := range arrived {
				source := e.def.index[id]
				rest := otherTokens(marking, i) + node.ID + " without " + id + " of " +
					strings.Join(arrived, ",")
				if routes.sources[source.scope] == source {
					steps = e.addReroutes(steps, at, source, rest, true)
				}
			}
		case len(routes.targets[node.scope]) > 0:
			steps = e.addReroutes(steps, at, node, otherTokens(marking, i), false)
		}
	}
	return steps
}

// otherTokens identifies a marking without one of its tokens.
func otherTokens(marking domain.Marking, without int) string {
	return markingKey(domain.Marking{Notes: marking.Notes,
		Tokens: slices.Delete(slices.Clone(marking.Tokens), without, without+1)})
}

// addReroutes adds the moves of one token that were not listed before for the same other tokens.
func (e *explorer) addReroutes(
	steps []transition, at int, left *Node, rest string, arrived bool,
) []transition {
	routes := e.def.routes
	key := left.scope + " beside " + rest
	done := e.rerouted[key]
	if done == nil {
		done = newNodeSet(e.def)
		e.rerouted[key] = done
	}
	for _, target := range routes.targets[left.scope] {
		if done.has(target) || !routes.mayOpen(left, target) && !(arrived && target == left) {
			continue
		}
		done.add(target)
		steps = append(steps, transition{exception,
			Event{Kind: rerouted, Node: left.ID, Outcome: target.ID}, at})
	}
	if !routes.splitsScopes {
		return steps
	}
	// Only if an edge withdraws a part of a scope can the other tokens change in a way that they
	// could not while the token was still at the node after which it continues.
	key += " resumed"
	if done = e.rerouted[key]; done == nil {
		done = newNodeSet(e.def)
		e.rerouted[key] = done
	}
	for _, after := range routes.targets[left.scope] {
		if done.has(after) || after.Kind == KindFork || !routes.mayResume(left, after) {
			continue
		}
		done.add(after)
		for i := range after.Edges {
			if !after.Edges[i].returns(after) {
				steps = append(steps, transition{exception,
					Event{Kind: resumed, Node: left.ID, Outcome: after.ID, Step: i}, at})
			}
		}
	}
	return steps
}

// reroute moves a token, or an arrival at a join, as the verification asks.
func (p *stepBuilder) reroute(event Event) error {
	if p.chooseBranch == nil {
		return domain.Invalid("event", "Unknown event %q.", event.Kind)
	}
	target := p.def.index[event.Outcome]
	if at := p.tokenIndex(event.Node); at >= 0 {
		p.removeToken(at)
		p.state.drop(event.Node)
	} else {
		p.withdrawArrival(event.Node)
	}
	if event.Kind == resumed {
		return p.takeEdge(target, &target.Edges[event.Step])
	}
	if p.hasToken(target.ID) { // the engine does not move there
		return stateMismatch("%s is open.", target.ID)
	}
	return p.enterNode(target, nil)
}

// withdrawArrival removes the arrival from a node at its join.
func (p *stepBuilder) withdrawArrival(source string) {
	for at, token := range p.tokens {
		node := p.def.index[token.Node]
		if node == nil || node.Kind != KindJoin {
			continue
		}
		arrived := p.state.arrivals(node.ID)
		if !slices.Contains(arrived, source) {
			continue
		}
		arrived = slices.DeleteFunc(slices.Clone(arrived),
			func(id string) bool { return id == source })
		if len(arrived) > 0 {
			p.state.setArrivals(node.ID, arrived)
			return
		}
		p.removeToken(at)
		p.state.drop(node.ID)
		return
	}
}
