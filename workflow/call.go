package workflow

import (
	"strings"

	"countersign/domain"
)

// callSeparator joins the id of a call and the ids of the nodes of the called process: kyc/identity. No
// id in a text contains it, so composed ids are unique and a text cannot lead into a called process.
const callSeparator = "/"

// Call is the call of another process, at the node by which the case enters it.
type Call struct {
	Process string
	// Version and SHA256 are those of the published text, which the definition contains; zero if the
	// definition does not have it.
	Version int
	SHA256  string
	// Results are the edges of the call as its text has them, by the ends of the called process. In the
	// graph these ends take them.
	Results []Edge
}

// Calls returns the nodes of the definition's own text that call another process.
func (d *Definition) Calls() (calls []*Node) {
	for _, node := range d.Nodes {
		if node.Call != nil && node.Within == "" {
			calls = append(calls, node)
		}
	}
	return calls
}

// EndNames returns the names of the ends of a callable process.
func (d *Definition) EndNames() (names []string) {
	for _, node := range d.Nodes {
		if node.Ends && node.Within == "" {
			names = append(names, node.ID)
		}
	}
	return names
}

// Shown returns the nodes without those that only close a callable process for its verification.
func (d *Definition) Shown() []*Node {
	shown := make([]*Node, 0, len(d.Nodes))
	for _, node := range d.Nodes {
		if !node.isClosing() {
			shown = append(shown, node)
		}
	}
	return shown
}

// ShownKind returns the kind of the node in the text. The engine runs calls, and the ends of called
// processes, as gateways with one edge.
func (n *Node) ShownKind() Kind {
	switch {
	case n.Call != nil:
		return KindCall
	case n.Ends:
		return KindEnd
	}
	return n.Kind
}

// Next returns the ids of the nodes that can follow, one for each edge.
func (n *Node) Next() []string {
	next := make([]string, 0, len(n.Edges))
	for _, edge := range n.Edges {
		if !edge.target.isClosing() {
			next = append(next, edge.To)
		}
	}
	return next
}

// endName returns the name of the end of a called process.
func (n *Node) endName() string { return n.ID[strings.LastIndex(n.ID, callSeparator)+1:] }

// callKind is the call of another process: a gateway that leads to the first node of that process, which
// compose has put behind it.
type callKind struct{ exclusiveKind }

func (callKind) attributes() []string { return []string{"process", "next", "on"} }

func (callKind) parse(b *builder, node *Node, text nodeText) {
	b.stageOutcomes(node, text)
	node.Call = &Call{Process: text.Process, Version: text.part.version, SHA256: text.part.sha256,
		Results: node.Edges}
	node.passTo(Edge{To: text.part.entry})
}

// passTo makes the node a gateway with one edge.
func (n *Node) passTo(edge Edge) {
	n.Kind, n.impl, n.Edges = KindExclusive, nodeKinds[KindExclusive], []Edge{edge}
}

// checkReturn refuses to leave a called process while work in it is open.
func (p *stepBuilder) checkReturn(node *Node) error {
	if !node.Ends || node.Within == "" {
		return nil
	}
	for _, token := range p.tokens {
		if strings.HasPrefix(token.Node, node.Within+callSeparator) {
			return unsoundError(node, "The called process ends while %s is still open.", token.Node)
		}
	}
	return nil
}

// closingMark begins the ids of the nodes that close a callable process for its verification.
const closingMark = "@"

func (n *Node) isClosing() bool { return strings.HasPrefix(n.ID, closingMark) }

// closeCallable adds what follows a callable process in the simplest process that calls it: the case is
// archived after each end. So the process is verified like any other, and work that is still open at one
// of its ends is found.
func closeCallable(text *definitionText) {
	const archive, archived = closingMark + "archive", closingMark + "archived"
	const abandon, abandoned = closingMark + "abandon", closingMark + "abandoned"
	for i := range text.Nodes {
		if node := &text.Nodes[i]; node.Kind == string(KindEnd) && node.part.end == nil {
			node.part.end = &targetText{To: archive}
		}
	}
	closing := nodePart{composed: true}
	text.OnAbandon = abandon
	text.Nodes = append(text.Nodes,
		nodeText{ID: archive, Kind: string(KindStage), Outcome: string(domain.Archived),
			Behaviour: domain.BehaviourArchive, Next: archived, part: closing},
		nodeText{ID: archived, Kind: string(KindEnd), Status: string(domain.Archived), part: closing},
		nodeText{ID: abandon, Kind: string(KindStage), Outcome: string(domain.Abandoned),
			Behaviour: domain.BehaviourArchive, Next: abandoned, part: closing},
		nodeText{ID: abandoned, Kind: string(KindEnd), Status: string(domain.Abandoned), part: closing})
}
