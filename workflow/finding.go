package workflow

// FindingReference is a rule of whose finding a gateway asks.
type FindingReference struct {
	Node *Node
	Rule string
}

// FindingReferences are the rules whose findings the gateways wait for, in order of declaration, each once a gateway. A rule that a
// guard only lets pass is not among them.
func (d *Definition) FindingReferences() []FindingReference {
	var asked []FindingReference
	for _, node := range d.Nodes {
		known := map[string]bool{}
		for _, edge := range node.Edges {
			if edge.guard == nil {
				continue
			}
			for _, rule := range edge.guard.Findings() {
				if !known[rule] {
					known[rule] = true
					asked = append(asked, FindingReference{node, rule})
				}
			}
		}
	}
	return asked
}
