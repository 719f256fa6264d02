package workflow

// nodeKind is everything that the package knows about one kind of node. A new kind of node is a
// type that implements nodeKind and an entry in nodeKinds.
type nodeKind interface {
	// attributes lists the YAML attributes that a node of this kind accepts besides id, kind and
	// title.
	attributes() []string
	// parse reads the node's attributes and adds its edges.
	parse(b *builder, node *Node, text nodeText)
	// enter handles a token that arrives at the node from another node, which is nil at an entry
	// point. The token stays at the node or moves on in the same step.
	enter(p *stepBuilder, node, from *Node) error
	// openWork adds the effects that start the work of a token at the node, as the node's state
	// describes it.
	openWork(p *stepBuilder, node *Node, visit int)
	// cancelWork adds the effects that withdraw the open work of a token at the node.
	cancelWork(p *stepBuilder, node *Node, visit int) error
	// possibleEvents lists the events that the work at the node can produce, in a fixed order.
	possibleEvents(node *Node, states *nodeStates) []Event
	// draw returns the node's declaration in a Mermaid state diagram, "" if it needs none.
	draw(node *Node) string
	// holdsToken reports whether a token can stay at a node of this kind.
	holdsToken() bool
}

// nodeKinds is the registry of the kinds of nodes. The boundary timer of a node is the same for
// every kind and is handled where the registry is used.
var nodeKinds = map[Kind]nodeKind{
	KindStart:     startKind{},
	KindStage:     stageKind{},
	KindExternal:  externalKind{},
	KindSaga:      sagaKind{},
	KindTimer:     timerKind{},
	KindReview:    reviewKind{},
	KindExclusive: exclusiveKind{},
	KindFork:      forkKind{},
	KindJoin:      joinKind{},
	KindEnd:       endKind{},
	KindCall:      callKind{},
}

// workKind holds what the kinds of nodes that wait for work have in common.
type workKind struct{}

func (workKind) enter(p *stepBuilder, node, _ *Node) error {
	visit, err := p.placeToken(node)
	if err != nil {
		return err
	}
	p.openWork(node, visit)
	return nil
}

func (workKind) holdsToken() bool { return true }

// gatewayKind holds what the kinds of nodes without work have in common.
type gatewayKind struct{}

func (gatewayKind) openWork(*stepBuilder, *Node, int) {}

func (gatewayKind) cancelWork(*stepBuilder, *Node, int) error { return nil }

func (gatewayKind) possibleEvents(*Node, *nodeStates) []Event { return nil }

func (gatewayKind) draw(*Node) string { return "" }

func (gatewayKind) holdsToken() bool { return false }
