package workflow

import (
	"slices"

	"countersign/domain"
)

// checkAttributes faults attributes that the node's kind has no use for: they would be read as a promise and do nothing.
func (b *builder) checkAttributes(node *Node, text nodeText) {
	stage, review, gateway := node.Kind == KindStage, node.Kind == KindReview, node.Kind == KindExclusive
	external, saga, timer := node.Kind == KindExternal, node.Kind == KindSaga, node.Kind == KindTimer
	used := []struct {
		name    string
		set, ok bool
	}{
		{"behaviour", text.Behaviour != "", stage || review || external || saga},
		{"queue", text.Queue != "", stage || review},
		{"queue_for", len(text.QueueFor) > 0, stage},
		{"attempts", text.Attempts != nil, stage || external || saga},
		{"backoff", text.Backoff != "", stage || external || saga},
		{"status", text.Status != "", stage || review || external || saga || timer || node.Kind == KindEnd},
		{"outcome", text.Outcome != "", stage},
		{"next", text.Next != "", stage || external || timer || node.Kind == KindStart || node.Kind == KindJoin},
		{"on", len(text.On) > 0, stage || external || review || saga},
		{"level", text.Level != nil, review},
		{"duty", text.Duty != "", review},
		{"seats", text.Seats != nil, review},
		{"quorum", text.Quorum != nil, review},
		{"claim_within", text.ClaimWithin != "", review},
		{"decide_within", text.DecideWithin != "", review},
		{"overdue", text.Overdue != "", review},
		{"escalate_to", text.EscalateTo != nil, review},
		{"escalate_level", text.EscalateLevel != nil, review},
		{"skills", len(text.Skills) > 0, review},
		{"undo", text.Undo != "", review},
		{"bulk", text.Bulk != nil, review},
		{"branches", len(text.Branches) > 0, gateway},
		{"default", text.Default != "", gateway},
		{"to", len(text.To) > 0, node.Kind == KindFork},
		{"topic", text.Topic != "", external},
		{"lease", text.Lease != "", external},
		{"after", text.After != "", timer},
		{"timeout", text.Timeout != nil, review || external},
		{"errors", len(text.Errors) > 0, stage || external},
		{"steps", len(text.Steps) > 0, saga},
	}
	for _, attribute := range used {
		if attribute.set && !attribute.ok {
			b.addProblem(node, "attribute", "a node of kind %q has no attribute %s", node.Kind, attribute.name)
		}
	}
}

// resolveEdges resolves every target and the definition's entry points.
func (b *builder) resolveEdges(text definitionText) {
	ends := 0
	for _, node := range b.def.Nodes {
		switch node.Kind {
		case KindEnd:
			ends++
		case KindStart:
			if b.def.start != nil {
				b.addProblem(node, "start", "a definition has one start, this is a second one")
			}
			b.def.start = node
		}
	}
	if b.def.start == nil {
		b.addProblem(nil, "start", "a definition has a node of kind start")
		return
	}
	if ends == 0 {
		b.addProblem(nil, "no_end", "a definition has at least one node of kind end")
	}
	b.resolveEntryPoints(text)
	for _, node := range b.def.Nodes {
		for i := range node.Edges {
			edge := &node.Edges[i]
			if edge.To == "" && node.Kind == KindReview && edge.On == string(domain.Return) {
				edge.To = b.def.ReEnter
			}
			b.resolveTarget(node, edge)
			b.checkCancels(node, edge)
		}
	}
}

// checkCancels checks that what an edge withdraws are places where work can be open.
func (b *builder) checkCancels(node *Node, edge *Edge) {
	for _, id := range edge.Cancels {
		other := b.def.index[id]
		switch {
		case other == nil:
			b.addProblem(node, "cancel", "it withdraws %q, which does not exist", id)
		case other == node:
			b.addProblem(node, "cancel", "it withdraws itself; leaving it is enough")
		case other.Kind == KindStart || other.Kind == KindExclusive || other.Kind == KindFork || other.Kind == KindEnd:
			b.addProblem(node, "cancel", "it withdraws %q, where nothing is ever open", id)
		}
	}
}

// resolveEntryPoints resolves where a case starts again or goes on; text left out has a default.
func (b *builder) resolveEntryPoints(text definitionText) {
	first := b.def.start.Edges[0].To
	reEnter := first
	if b.def.index["validate"] != nil {
		reEnter = "validate"
	}
	b.def.ReEnter = b.resolveEntryPoint("re_enter", text.ReEnter, reEnter)
	b.def.OnReplace = b.resolveEntryPoint("on_replace", text.OnReplace, first)
	b.def.OnEnter = b.resolveEntryPoint("on_enter", text.OnEnter, b.def.ReEnter)
	b.def.OnAbandon = b.resolveEntryPoint("on_abandon", text.OnAbandon, "")
	if node := b.def.index[b.def.OnAbandon]; node != nil && node.Outcome != domain.Abandoned {
		b.addProblem(node, "on_abandon", "on_abandon leads to a stage with outcome abandoned")
	}
}

func (b *builder) resolveTarget(node *Node, edge *Edge) {
	edge.target = b.def.index[edge.To]
	switch {
	case edge.To == "":
		b.addProblem(node, "unknown_target", "it does not say where it leads")
	case edge.target == nil:
		b.addProblem(node, "unknown_target", "it leads to %q, which does not exist", edge.To)
	case edge.target.Kind == KindStart:
		b.addProblem(node, "unknown_target", "nothing leads back to the start")
	case edge.target.Kind == KindEnd && (edge.Trigger != "" || node.Kind != KindStage || node.Outcome != edge.target.Status):
		// Every final case has an archive manifest, so the last thing before an end is the stage that writes it.
		b.addProblem(node, "unsealed_end", "the end %s is reached only from a stage with outcome %s", edge.To, edge.target.Status)
	case node.Outcome != "" && edge.target.Kind != KindEnd:
		b.addProblem(node, "unsealed_end", "a stage with an outcome leads to an end and nowhere else")
	case edge.target.Kind == KindJoin && !slices.Contains(edge.target.joinSources, node):
		edge.target.joinSources = append(edge.target.joinSources, node)
	}
	if edge.target != nil && edge.On == string(domain.Return) && node.Kind == KindReview && edge.target.Kind == KindJoin {
		b.addProblem(node, "return", "a returned case cannot go on at a join")
	}
}

// resolveEntryPoint resolves one of the definition's entry points.
func (b *builder) resolveEntryPoint(name, given, usual string) string {
	id := given
	if id == "" {
		id = usual
	}
	node := b.def.index[id]
	switch {
	case id == "":
		b.addProblem(nil, name, "%s names the node where such a case goes on", name)
	case node == nil:
		b.addProblem(nil, "unknown_target", "%s is %q, which does not exist", name, id)
	case node.Kind == KindStart || node.Kind == KindEnd || node.Kind == KindJoin:
		b.addProblem(node, name, "%s cannot be a node of kind %s", name, node.Kind)
	}
	return id
}

// checkGraph checks the graph as a whole; it needs resolved targets.
func (b *builder) checkGraph() {
	reached := map[*Node]bool{}
	markReachable(b.def.start, reached)
	for _, id := range []string{b.def.OnAbandon, b.def.OnReplace, b.def.OnEnter, b.def.ReEnter} {
		markReachable(b.def.index[id], reached)
	}
	leading := b.nodesReachingEnd()
	for _, node := range b.def.Nodes {
		switch {
		case !reached[node]:
			b.addProblem(node, "unreachable", "nothing leads to it")
		case !leading[node]:
			b.addProblem(node, "no_end", "no end can be reached from it")
		}
		if node.Kind == KindFork && len(node.Edges) < 2 {
			b.addProblem(node, "fork", "a fork has at least two branches")
		}
		if node.Kind == KindFork && b.hasDuplicateTarget(node) {
			b.addProblem(node, "fork", "two branches of a fork lead to the same node")
		}
		if node.Kind == KindJoin && len(node.joinSources) < 2 {
			b.addProblem(node, "join", "a join is reached from at least two nodes")
		}
	}
	b.checkGatewayCycles()
}

func (b *builder) hasDuplicateTarget(node *Node) bool {
	seen := map[*Node]bool{}
	for _, edge := range node.Edges {
		if seen[edge.target] {
			return true
		}
		seen[edge.target] = true
	}
	return false
}

// markReachable marks what can be reached from a node.
func markReachable(from *Node, reached map[*Node]bool) {
	open := []*Node{from}
	for len(open) > 0 {
		node := open[len(open)-1]
		if open = open[:len(open)-1]; reached[node] {
			continue
		}
		reached[node] = true
		for _, edge := range node.Edges {
			open = append(open, edge.target)
		}
	}
}

// nodesReachingEnd marks the nodes from which some end can be reached.
func (b *builder) nodesReachingEnd() map[*Node]bool {
	before := map[*Node][]*Node{}
	var open []*Node
	for _, node := range b.def.Nodes {
		for _, edge := range node.Edges {
			before[edge.target] = append(before[edge.target], node)
		}
		if node.Kind == KindEnd {
			open = append(open, node)
		}
	}
	leading := map[*Node]bool{}
	for len(open) > 0 {
		node := open[len(open)-1]
		if open = open[:len(open)-1]; !leading[node] {
			leading[node] = true
			open = append(open, before[node]...)
		}
	}
	return leading
}

// checkGatewayCycles faults rings of nodes that are only passed through: a token there would never rest.
func (b *builder) checkGatewayCycles() {
	const visiting, left = 1, 2
	state := map[*Node]int{}
	var walk func(node *Node) bool
	walk = func(node *Node) bool {
		if state[node] == visiting {
			return true
		}
		if state[node] == left || (node.Kind != KindExclusive && node.Kind != KindFork && node.Kind != KindJoin) {
			return false
		}
		state[node] = visiting
		for _, edge := range node.Edges {
			if walk(edge.target) {
				return true
			}
		}
		state[node] = left
		return false
	}
	for _, node := range b.def.Nodes {
		if walk(node) {
			b.addProblem(node, "circle", "gateways lead round in a circle without any work between them")
			return
		}
	}
}

// addProblemPaths gives each fault at a node the way that leads there, as far as the targets are known.
func (b *builder) addProblemPaths() {
	if b.def.start == nil {
		return
	}
	way := map[*Node][]string{b.def.start: {string(Started)}}
	for open := []*Node{b.def.start}; len(open) > 0; open = open[1:] {
		for i := range open[0].Edges {
			edge := &open[0].Edges[i]
			if _, known := way[edge.target]; known || edge.target == nil {
				continue
			}
			path := slices.Clone(way[open[0]])
			if label := edge.pathLabel(open[0]); label != "" {
				path = append(path, label)
			}
			way[edge.target] = path
			open = append(open, edge.target)
		}
	}
	for i := range b.problems {
		if problem := &b.problems[i]; problem.Path == nil && problem.Node != "" {
			problem.Path = way[b.def.index[problem.Node]]
		}
	}
}

// pathLabel names an edge on the way of a counter-example, in the words of the proof's; "" where nothing is decided.
func (e *Edge) pathLabel(from *Node) string {
	switch {
	case e.Trigger == TriggerTimeout || from.Kind == KindTimer:
		return eventLabel(Event{Kind: TimerFired, Node: from.ID})
	case e.Trigger == TriggerError:
		return from.ID + " fails"
	case from.Kind == KindExclusive && e.When == "":
		return from.ID + " otherwise"
	case from.Kind == KindExclusive:
		return from.ID + " when " + e.When
	case e.On != "":
		return from.ID + " " + e.On
	}
	return ""
}

// UncoveredOutcomes compares the outcomes a behaviour may end in with those its stages lead on from, and names what is missing.
// outcomesOf returns nil for a behaviour that is not known; that is a problem too.
func (d *Definition) UncoveredOutcomes(outcomesOf func(behaviour string) []string) []Problem {
	b := builder{def: d}
	for _, node := range d.Nodes {
		if node.Kind != KindStage { // what a program outside does is its own to know
			continue
		}
		outcomes := outcomesOf(node.Behaviour)
		if len(outcomes) == 0 {
			b.addProblem(node, "behaviour", "nothing is known that does %q", node.Behaviour)
		}
		for _, outcome := range outcomes {
			if node.outcomeEdge(outcome) == nil {
				b.addProblem(node, "outcomes", "%s may end in %q, which leads nowhere", node.Behaviour, outcome)
			}
		}
	}
	return b.problems
}
