package workflow

import (
	"slices"

	"countersign/domain"
)

// foreign faults attributes that the node's kind has no use for: they would be read as a promise and do nothing.
func (b *builder) foreign(node *Node, text nodeText) {
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
			b.fault(node, "attribute", "a node of kind %q has no attribute %s", node.Kind, attribute.name)
		}
	}
}

// connect resolves every target and the definition's entry points.
func (b *builder) connect(text definitionText) {
	ends := 0
	for _, node := range b.def.Nodes {
		switch node.Kind {
		case KindEnd:
			ends++
		case KindStart:
			if b.def.start != nil {
				b.fault(node, "start", "a definition has one start, this is a second one")
			}
			b.def.start = node
		}
	}
	if b.def.start == nil {
		b.fault(nil, "start", "a definition has a node of kind start")
		return
	}
	if ends == 0 {
		b.fault(nil, "no_end", "a definition has at least one node of kind end")
	}
	b.entries(text)
	for _, node := range b.def.Nodes {
		for i := range node.Edges {
			edge := &node.Edges[i]
			if edge.To == "" && node.Kind == KindReview && edge.On == string(domain.Return) {
				edge.To = b.def.ReEnter
			}
			b.target(node, edge)
			b.region(node, edge)
		}
	}
}

// region checks that what an edge withdraws are places where work can be open.
func (b *builder) region(node *Node, edge *Edge) {
	for _, id := range edge.Cancels {
		other := b.def.index[id]
		switch {
		case other == nil:
			b.fault(node, "cancel", "it withdraws %q, which does not exist", id)
		case other == node:
			b.fault(node, "cancel", "it withdraws itself; leaving it is enough")
		case other.Kind == KindStart || other.Kind == KindExclusive || other.Kind == KindFork || other.Kind == KindEnd:
			b.fault(node, "cancel", "it withdraws %q, where nothing is ever open", id)
		}
	}
}

// entries resolves where a case starts anew or goes on; text left out has a default.
func (b *builder) entries(text definitionText) {
	first := b.def.start.Edges[0].To
	reEnter := first
	if b.def.index["validate"] != nil {
		reEnter = "validate"
	}
	b.def.ReEnter = b.entry("re_enter", text.ReEnter, reEnter)
	b.def.OnReplace = b.entry("on_replace", text.OnReplace, first)
	b.def.OnEnter = b.entry("on_enter", text.OnEnter, b.def.ReEnter)
	b.def.OnAbandon = b.entry("on_abandon", text.OnAbandon, "")
	if node := b.def.index[b.def.OnAbandon]; node != nil && node.Outcome != domain.Abandoned {
		b.fault(node, "on_abandon", "on_abandon leads to a stage with outcome abandoned")
	}
}

func (b *builder) target(node *Node, edge *Edge) {
	edge.target = b.def.index[edge.To]
	switch {
	case edge.To == "":
		b.fault(node, "unknown_target", "it does not say where it leads")
	case edge.target == nil:
		b.fault(node, "unknown_target", "it leads to %q, which does not exist", edge.To)
	case edge.target.Kind == KindStart:
		b.fault(node, "unknown_target", "nothing leads back to the start")
	case edge.target.Kind == KindEnd && (edge.Trigger != "" || node.Kind != KindStage || node.Outcome != edge.target.Status):
		// Every final case has an archive manifest, so the last thing before an end is the stage that writes it.
		b.fault(node, "unsealed_end", "the end %s is reached only from a stage with outcome %s", edge.To, edge.target.Status)
	case node.Outcome != "" && edge.target.Kind != KindEnd:
		b.fault(node, "unsealed_end", "a stage with an outcome leads to an end and nowhere else")
	case edge.target.Kind == KindJoin && !slices.Contains(edge.target.awaits, node):
		edge.target.awaits = append(edge.target.awaits, node)
	}
	if edge.target != nil && edge.On == string(domain.Return) && node.Kind == KindReview && edge.target.Kind == KindJoin {
		b.fault(node, "return", "a returned case cannot go on at a join")
	}
}

// entry resolves one of the definition's entry points.
func (b *builder) entry(name, given, usual string) string {
	id := given
	if id == "" {
		id = usual
	}
	node := b.def.index[id]
	switch {
	case id == "":
		b.fault(nil, name, "%s names the node where such a case goes on", name)
	case node == nil:
		b.fault(nil, "unknown_target", "%s is %q, which does not exist", name, id)
	case node.Kind == KindStart || node.Kind == KindEnd || node.Kind == KindJoin:
		b.fault(node, name, "%s cannot be a node of kind %s", name, node.Kind)
	}
	return id
}

// shape checks the graph as a whole; it needs resolved targets.
func (b *builder) shape() {
	reached := map[*Node]bool{}
	spread(b.def.start, reached)
	for _, id := range []string{b.def.OnAbandon, b.def.OnReplace, b.def.OnEnter, b.def.ReEnter} {
		spread(b.def.index[id], reached)
	}
	leading := b.leadingToEnd()
	for _, node := range b.def.Nodes {
		switch {
		case !reached[node]:
			b.fault(node, "unreachable", "nothing leads to it")
		case !leading[node]:
			b.fault(node, "no_end", "no end can be reached from it")
		}
		if node.Kind == KindFork && len(node.Edges) < 2 {
			b.fault(node, "fork", "a fork has at least two branches")
		}
		if node.Kind == KindFork && b.repeats(node) {
			b.fault(node, "fork", "two branches of a fork lead to the same node")
		}
		if node.Kind == KindJoin && len(node.awaits) < 2 {
			b.fault(node, "join", "a join is reached from at least two nodes")
		}
	}
	b.circles()
}

func (b *builder) repeats(node *Node) bool {
	seen := map[*Node]bool{}
	for _, edge := range node.Edges {
		if seen[edge.target] {
			return true
		}
		seen[edge.target] = true
	}
	return false
}

// spread marks what can be reached from a node.
func spread(from *Node, reached map[*Node]bool) {
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

// leadingToEnd marks the nodes from which some end can be reached.
func (b *builder) leadingToEnd() map[*Node]bool {
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

// circles faults rings of nodes that are only passed through: a token there would never rest.
func (b *builder) circles() {
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
			b.fault(node, "circle", "gateways lead round in a circle without any work between them")
			return
		}
	}
}

// ways gives each fault at a node the way that leads there, as far as the targets are known.
func (b *builder) ways() {
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
			if label := edge.label(open[0]); label != "" {
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

// label names an edge on the way of a counter-example, in the words of the proof's; "" where nothing is decided.
func (e *Edge) label(from *Node) string {
	switch {
	case e.Trigger == TriggerTimeout || from.Kind == KindTimer:
		return labelOf(Event{Kind: TimerFired, Node: from.ID})
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

// Uncovered compares the outcomes a behaviour may end in with those its stages lead on from, and names what is missing.
// outcomesOf returns nil for a behaviour that is not known; that is a problem too.
func (d *Definition) Uncovered(outcomesOf func(behaviour string) []string) []Problem {
	b := builder{def: d}
	for _, node := range d.Nodes {
		if node.Kind != KindStage { // what a program outside does is its own to know
			continue
		}
		outcomes := outcomesOf(node.Behaviour)
		if len(outcomes) == 0 {
			b.fault(node, "behaviour", "nothing is known that does %q", node.Behaviour)
		}
		for _, outcome := range outcomes {
			if node.edge(outcome) == nil {
				b.fault(node, "outcomes", "%s may end in %q, which leads nowhere", node.Behaviour, outcome)
			}
		}
	}
	return b.problems
}
