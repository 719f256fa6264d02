package workflow

import (
	"fmt"
	"strings"

	"countersign/expr"
)

// startKind is the node where a case begins.
type startKind struct{ gatewayKind }

func (startKind) attributes() []string { return []string{"next"} }

func (startKind) parse(_ *builder, node *Node, text nodeText) {
	node.Edges = []Edge{{To: text.Next}}
}

func (startKind) enter(p *stepBuilder, node, _ *Node) error { return p.takeAllEdges(node) }

// exclusiveKind is a gateway that takes the first branch whose guard is true, else its default.
type exclusiveKind struct{ gatewayKind }

func (exclusiveKind) attributes() []string { return []string{"branches", "default"} }

func (exclusiveKind) parse(b *builder, node *Node, text nodeText) {
	for _, branch := range text.Branches {
		guard, err := expr.Compile(branch.When, b.facts)
		if err != nil {
			b.guardProblem(node, branch.When, err)
		}
		node.Edges = append(node.Edges, Edge{When: branch.When, To: branch.To, guard: guard})
	}
	if text.Default == "" {
		b.addProblem(node, "no_default",
			"A gateway needs a default for the case that no branch is true.")
		return
	}
	node.Edges = append(node.Edges, Edge{To: text.Default})
}

// guardProblem reports a guard that does not compile. A guard about an attribute needs its declaration.
func (b *builder) guardProblem(node *Node, when string, err error) {
	failure := asDomainError(err)
	if failure != nil && failure.Detail["reason"] == "unknown_name" &&
		failure.Detail["name"] == strings.TrimSuffix(expr.AttributePrefix, ".") {
		b.addProblem(node, "undeclared_attribute", "The condition %q uses an attribute that the "+
			"process does not declare, or an optional one that has no value if it is not stated.", when).
			Values = map[string]string{"condition": when}
		return
	}
	b.addProblem(node, "guard", "%s", messageOf(err))
}

func (exclusiveKind) enter(p *stepBuilder, node, _ *Node) error {
	p.countVisit(node)
	if err := p.checkReturn(node); err != nil {
		return err
	}
	edge, err := p.chooseEdge(node)
	if err != nil {
		return err
	}
	return p.takeEdge(node, edge)
}

func (exclusiveKind) draw(node *Node) string { return fmt.Sprintf("state %s <<choice>>", node.ID) }

// forkKind puts a token on every branch.
type forkKind struct{ gatewayKind }

func (forkKind) attributes() []string { return []string{"to"} }

func (forkKind) parse(_ *builder, node *Node, text nodeText) {
	for _, to := range text.To {
		node.Edges = append(node.Edges, Edge{To: to})
	}
}

func (forkKind) enter(p *stepBuilder, node, _ *Node) error {
	p.forgetBranches(node)
	return p.takeAllEdges(node)
}

func (forkKind) draw(node *Node) string { return fmt.Sprintf("state %s <<fork>>", node.ID) }

// joinKind waits until a token has arrived from every branch.
type joinKind struct{ gatewayKind }

func (joinKind) attributes() []string { return []string{"next"} }

func (joinKind) parse(_ *builder, node *Node, text nodeText) {
	node.Edges = []Edge{{To: text.Next}}
}

func (joinKind) enter(p *stepBuilder, node, from *Node) error { return p.arriveAtJoin(node, from) }

func (joinKind) draw(node *Node) string { return fmt.Sprintf("state %s <<join>>", node.ID) }

func (joinKind) holdsToken() bool { return true }

// endKind removes the last token and gives the case its final status.
type endKind struct{ gatewayKind }

func (endKind) attributes() []string { return []string{"status"} }

// parse makes the end of a called process a gateway that leads on in the calling one.
func (endKind) parse(b *builder, node *Node, text nodeText) {
	end := text.part.end
	if end == nil {
		b.finalStatus(node, text.Status)
		return
	}
	node.Ends = true
	node.passTo(b.cancels(node, Edge{To: end.To}, end.Cancel))
}

func (endKind) enter(p *stepBuilder, node, _ *Node) error {
	p.countVisit(node)
	if p.endNode != nil {
		return unsoundError(node, "Two ends are reached in the same step: %s and %s.",
			p.endNode.ID, node.ID)
	}
	p.endNode = node
	return nil
}
