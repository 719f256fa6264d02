package workflow

// FindingReference is a rule whose finding a gateway's guard refers to.
type FindingReference struct {
	Node *Node
	Rule string
}

// FindingReferences returns the rules whose findings change the answer of a guard, in order of
// declaration and once for each gateway. A rule whose findings a guard only tolerates is not among
// them.
func (d *Definition) FindingReferences() []FindingReference {
	var references []FindingReference
	for _, node := range d.Nodes {
		known := map[string]bool{}
		for _, edge := range node.Edges {
			if edge.guard == nil {
				continue
			}
			for _, rule := range edge.guard.Findings() {
				if !known[rule] {
					known[rule] = true
					references = append(references, FindingReference{node, rule})
				}
			}
		}
	}
	return references
}

// FieldReference is a field that a gateway's guard names.
type FieldReference struct {
	Node  *Node
	Field string
}

// FieldReferences returns the fields that guards name literally, in order of declaration and once for
// each gateway.
func (d *Definition) FieldReferences() []FieldReference {
	var references []FieldReference
	for _, node := range d.Nodes {
		known := map[string]bool{}
		for _, edge := range node.Edges {
			if edge.guard == nil {
				continue
			}
			for _, field := range edge.guard.Fields() {
				if !known[field] {
					known[field] = true
					references = append(references, FieldReference{node, field})
				}
			}
		}
	}
	return references
}
