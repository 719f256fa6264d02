package workflow

import (
	"slices"

	"countersign/domain"
)

// ExpectedReviews returns the review nodes that a new case with these facts would visit if every
// stage ended as usual and every reviewer approved, sorted. Callers compare the answers for two
// sets of facts to see whether one of them leads to fewer reviews. Unlike Simulate, which takes the
// first outcome of a stage, it follows all of them, because a review behind any may be avoided.
func ExpectedReviews(def *Definition, facts domain.ProcessFacts) ([]string, error) {
	p := stepBuilder{def: def, facts: &facts}
	return p.reviewsFrom(def.start, p.chooseEdge)
}

// reviewsFrom is ExpectedReviews from a node on; choose returns the edge of a gateway.
func (p *stepBuilder) reviewsFrom(
	node *Node, choose func(*Node) (*Edge, error),
) ([]string, error) {
	var reviews []string
	visited := map[string]bool{}
	pending := []*Node{node}
	for len(pending) > 0 {
		node := pending[0]
		pending = pending[1:]
		if visited[node.ID] {
			continue
		}
		visited[node.ID] = true
		if node.Kind == KindReview {
			reviews = append(reviews, node.ID)
		}
		edges, err := p.usualEdges(node, choose)
		if err != nil {
			return nil, err
		}
		for _, edge := range edges {
			pending = append(pending, edge.target)
		}
	}
	slices.Sort(reviews)
	return reviews, nil
}

// usualEdges returns the edges by which a token leaves the node if nothing goes wrong: of a gateway the
// chosen one.
func (p *stepBuilder) usualEdges(
	node *Node, choose func(*Node) (*Edge, error),
) ([]*Edge, error) {
	if node.Kind == KindExclusive {
		edge, err := choose(node)
		return []*Edge{edge}, err
	}
	return node.usualEdges(), nil
}

// usualEdges returns the edges by which a token can leave the node if nothing goes wrong.
func (n *Node) usualEdges() []*Edge {
	switch n.Kind {
	case KindEnd:
		return nil
	case KindReview:
		return []*Edge{n.usualEdge()}
	}
	var edges []*Edge
	for i := range n.Edges {
		if edge := &n.Edges[i]; edge.Trigger == "" && edge.On != SagaUndone {
			edges = append(edges, edge)
		}
	}
	return edges
}
