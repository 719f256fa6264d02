package workflow

import (
	"maps"
	"slices"
	"strconv"

	"countersign/domain"
)

// YAML writes the draft as the text of a definition.
func (d *Draft) YAML() []byte {
	top := yamlMap{}
	top.add("key", d.Key)
	if d.Version > 0 {
		top.addPlain("version", strconv.Itoa(d.Version))
	}
	top.addTitle(d.Title)
	if d.Callable {
		top.addPlain("callable", "true")
	}
	top.addList("document_types", d.DocumentTypes)
	if d.NoAmount {
		top.addPlain("has_amount", "false")
	}
	top.addList("key_facts", d.KeyFacts)
	top.addList("needs", d.Needs)
	for _, entry := range []Attribute{{"order", d.Order}, {"re_enter", d.ReEnter},
		{"on_replace", d.OnReplace}, {"on_enter", d.OnEnter}, {"on_abandon", d.OnAbandon},
		{"remind_submitter", d.RemindSubmitter}} {
		if entry.Value != "" {
			top.add(entry.Name, entry.Value)
		}
	}
	top.addList("reopen", d.Reopen)
	if len(d.Attributes) > 0 {
		top.addValue("attributes", attributesYAML(d.Attributes))
	}
	if len(d.Documents) > 0 {
		top.addValue("documents", documentsYAML(d.Documents))
	}
	nodes := yamlList{block: true}
	for i := range d.Nodes {
		nodes.items = append(nodes.items, d.Nodes[i].yaml())
	}
	top.addValue("nodes", nodes)
	return writeYAML(top)
}

func (n *DraftNode) yaml() yamlMap {
	node := yamlMap{block: true}
	node.add("id", n.ID)
	node.add("kind", string(n.Kind))
	node.addTitle(n.Title)
	node.addAttributes(inOrder(n.Attributes))
	if len(n.QueueFor) > 0 {
		node.addValue("queue_for", sortedMap(n.QueueFor))
	}
	node.addList("remind", n.Remind)
	node.addList("skills", n.Skills)
	if len(n.Bulk) > 0 {
		bulk := yamlMap{}
		bulk.addAttributes(n.Bulk)
		node.addValue("bulk", bulk)
	}
	if len(n.Steps) > 0 {
		steps := yamlList{block: true}
		for _, step := range n.Steps {
			one := yamlMap{}
			one.add("id", step.ID)
			one.add("call", step.Call)
			if step.Undo != "" {
				one.add("undo", step.Undo)
			}
			steps.items = append(steps.items, one)
		}
		node.addValue("steps", steps)
	}
	n.addEdges(&node)
	return node
}

// addEdges adds the attributes that lead to other nodes.
func (n *DraftNode) addEdges(node *yamlMap) {
	ordinary := slices.DeleteFunc(slices.Clone(n.Edges), func(e Edge) bool { return e.Trigger != "" })
	switch n.Kind {
	case KindStart, KindJoin, KindTimer:
		for _, edge := range ordinary {
			node.add("next", edge.To)
		}
	case KindFork:
		var to []string
		for _, edge := range ordinary {
			to = append(to, edge.To)
		}
		node.addList("to", to)
	case KindExclusive:
		addBranches(node, ordinary)
	case KindStage, KindExternal, KindReview, KindSaga, KindCall:
		n.addOutcomes(node, ordinary)
	case KindEnd:
	}
	n.addBoundary(node)
}

func addBranches(node *yamlMap, edges []Edge) {
	branches := yamlList{block: true}
	for _, edge := range edges {
		if edge.On == branchWithoutGuard || edge.When != "" {
			one := yamlMap{block: true}
			one.add("when", edge.When)
			one.add("to", edge.To)
			branches.items = append(branches.items, one)
		}
	}
	if len(branches.items) > 0 {
		node.addValue("branches", branches)
	}
	for _, edge := range edges {
		if edge.On != branchWithoutGuard && edge.When == "" {
			node.add("default", edge.To)
		}
	}
}

// branchWithoutGuard marks the branch of a draft whose guard is still missing; without the mark it
// would be the default.
const branchWithoutGuard = "no guard"

// BranchWithoutGuard returns the branch of a gateway whose guard is still missing.
func BranchWithoutGuard(to string) Edge { return Edge{On: branchWithoutGuard, To: to} }

func (n *DraftNode) addOutcomes(node *yamlMap, edges []Edge) {
	stage := n.Kind == KindStage || n.Kind == KindExternal || n.Kind == KindCall
	if len(edges) == 1 && stage && edges[0].On == OutcomeDone && !edges[0].CancelsAll &&
		len(edges[0].Cancels) == 0 {
		node.add("next", edges[0].To)
		return
	}
	on := yamlMap{block: true}
	for _, edge := range edges {
		if edge.returnsFrom(n.Kind) {
			edge.CancelsAll = false // a return always does
		}
		on.addValue(edge.On, edge.targetValue())
	}
	if len(on.keys) > 0 {
		node.addValue("on", on)
	}
}

func (e *Edge) returnsFrom(kind Kind) bool {
	return kind == KindReview && e.On == string(domain.Return)
}

// targetValue returns the target of an outcome: a node's id, or a mapping if the edge withdraws work.
func (e *Edge) targetValue() yamlValue {
	if !e.CancelsAll && len(e.Cancels) == 0 {
		return yamlScalar{text: e.To}
	}
	target := yamlMap{}
	e.addTarget(&target)
	return target
}

func (e *Edge) addTarget(target *yamlMap) {
	target.add("to", e.To)
	if e.CancelsAll {
		target.add("cancel", "all")
	}
	target.addList("cancel", e.Cancels)
}

func (n *DraftNode) addBoundary(node *yamlMap) {
	failures := yamlList{block: true}
	for _, edge := range n.Edges {
		if edge.Trigger != TriggerError {
			continue
		}
		one := yamlMap{}
		var codes []string
		for _, code := range edge.Codes {
			codes = append(codes, string(code))
		}
		one.addList("codes", codes)
		edge.addTarget(&one)
		failures.items = append(failures.items, one)
	}
	if len(failures.items) > 0 {
		node.addValue("errors", failures)
	}
	for _, edge := range n.Edges {
		if edge.Trigger == TriggerTimeout {
			timeout := yamlMap{}
			timeout.add("after", n.Timeout)
			edge.addTarget(&timeout)
			node.addValue("timeout", timeout)
		}
	}
}

func (m *yamlMap) addTitle(title map[string]string) {
	if len(title) > 0 {
		m.addValue("title", sortedMap(title))
	}
}

func (m *yamlMap) addAttributes(attributes []Attribute) {
	for _, attribute := range attributes {
		if slices.Contains(numbers, attribute.Name) || slices.Contains(truths, attribute.Name) {
			m.addPlain(attribute.Name, attribute.Value)
		} else {
			m.add(attribute.Name, attribute.Value)
		}
	}
}

// inOrder returns the attributes of a node in the order in which a text has them.
func inOrder(attributes []Attribute) []Attribute {
	position := func(a Attribute) int {
		return slices.IndexFunc(nodeAttributes, func(one nodeAttribute) bool { return one.name == a.Name })
	}
	return slices.SortedStableFunc(slices.Values(attributes),
		func(a, b Attribute) int { return position(a) - position(b) })
}

func sortedMap(values map[string]string) yamlMap {
	result := yamlMap{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		result.add(key, values[key])
	}
	return result
}
