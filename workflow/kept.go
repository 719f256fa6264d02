package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// keptEdge returns the edge of a gateway by which a part of a file leaves it: the chosen one, or another
// one that leads to more of the kept reviews and to every review that the chosen one would lead to. A file
// must not get easier by being split, and a part not easier by the reviews of the file. Reviews before the
// gateway do not count: the case would return to them for ever. If a kept review can no longer be reached
// by the edge, keptEdge fails, so that the part waits for a person.
func (p *stepBuilder) keptEdge(gateway *Node, chosen *Edge) (*Edge, error) {
	ahead := slices.DeleteFunc(slices.Clone(p.facts.KeptReviews), func(id string) bool {
		review := p.def.index[id]
		return review == nil || slices.Contains(p.def.following(review), gateway)
	})
	if len(ahead) == 0 {
		return chosen, nil
	}
	best, most := chosen, p.def.countAhead(chosen, ahead)
	needed, err := p.reviewsBehind(chosen)
	if err != nil {
		return nil, err
	}
	for i := range gateway.Edges {
		edge := &gateway.Edges[i]
		count := p.def.countAhead(edge, ahead)
		if edge == chosen || count <= most {
			continue
		}
		found, err := p.reviewsBehind(edge)
		misses := func(id string) bool { return !slices.Contains(found, id) }
		if err == nil && !slices.ContainsFunc(needed, misses) {
			best, most = edge, count
		}
	}
	return best, p.checkKept(gateway, best, ahead)
}

// checkKept refuses an edge that leads past a kept review which another edge of the gateway leads to.
func (p *stepBuilder) checkKept(gateway *Node, best *Edge, ahead []string) error {
	var missed []string
	for i := range gateway.Edges {
		for _, id := range p.def.reached(&gateway.Edges[i], ahead) {
			if !slices.Contains(p.def.reached(best, ahead), id) && !slices.Contains(missed, id) {
				missed = append(missed, id)
			}
		}
	}
	return missedError(gateway, missed)
}

// checkVisited refuses to archive a part of a file before it was at every review that it keeps.
func (p *stepBuilder) checkVisited(archive *Node) error {
	var missed []string
	for _, id := range p.facts.KeptReviews {
		if p.def.index[id] != nil && p.visits[id] == 0 {
			missed = append(missed, id)
		}
	}
	return missedError(archive, missed)
}

func missedError(node *Node, missed []string) error {
	if len(missed) == 0 {
		return nil
	}
	slices.Sort(missed)
	return domain.Errorf(domain.FourEyes,
		"This part of a file needs the reviews of the file, and the process leads past %s.",
		strings.Join(missed, ", ")).
		WithDetail("node", node.ID).WithDetail("reason", "kept_review").
		WithRemedy("Abandon the part, or merge the parts and return the file to its submitter.")
}

// reviewsBehind returns the reviews behind an edge that the facts require, without kept ones.
func (p *stepBuilder) reviewsBehind(edge *Edge) ([]string, error) {
	return p.reviewsFrom(edge.target, p.guardedEdge)
}

// countAhead returns how many of the nodes the edge leads to.
func (d *Definition) countAhead(edge *Edge, nodes []string) int {
	return len(d.reached(edge, nodes))
}

// reached returns the nodes that the edge leads to.
func (d *Definition) reached(edge *Edge, nodes []string) (found []string) {
	behind := append(d.following(edge.target), edge.target)
	for _, id := range nodes {
		if slices.Contains(behind, d.index[id]) {
			found = append(found, id)
		}
	}
	return found
}

// following returns the nodes that can follow a node without a return to the submitter.
func (d *Definition) following(node *Node) (found []*Node) {
	for next := []*Node{node}; len(next) > 0; {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		for i := range last.Edges {
			edge := &last.Edges[i]
			if edge.target == nil || edge.On == string(domain.Return) ||
				slices.Contains(found, edge.target) {
				continue
			}
			found, next = append(found, edge.target), append(next, edge.target)
		}
	}
	return found
}
