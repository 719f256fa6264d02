package workflow

// AskedFinding is a rule of whose finding a gateway asks.
type AskedFinding struct {
	Node *Node
	Rule string
}

// Findings are the rules whose findings the gateways wait for, in order of declaration, each once a gateway. A rule that a
// guard only lets pass is not among them.
func (d *Definition) Findings() []AskedFinding {
	var asked []AskedFinding
	for _, node := range d.Nodes {
		known := map[string]bool{}
		for _, edge := range node.Edges {
			if edge.guard == nil {
				continue
			}
			for _, rule := range edge.guard.Findings() {
				if !known[rule] {
					known[rule] = true
					asked = append(asked, AskedFinding{node, rule})
				}
			}
		}
	}
	return asked
}
