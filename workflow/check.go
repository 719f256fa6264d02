package workflow

import (
	"maps"
	"slices"
	"strings"

	"countersign/domain"
)

// checkAttributes reports attributes that the node's kind does not have, because they would have no
// effect.
func (b *builder) checkAttributes(node *Node, text nodeText) {
	var accepted []string
	if node.impl != nil {
		accepted = node.impl.attributes()
	}
	for _, name := range text.attributes() {
		if !slices.Contains(accepted, name) {
			b.addProblem(node, "attribute", "A node of kind %q does not have the attribute %s.",
				node.Kind, name)
		}
	}
}

// attributes lists the attributes that are set, besides id, kind and title.
func (t *nodeText) attributes() []string {
	var names []string
	for _, attribute := range []struct {
		name string
		set  bool
	}{
		{"behaviour", t.Behaviour != ""},
		{"queue", t.Queue != ""},
		{"queue_for", len(t.QueueFor) > 0},
		{"required", t.Required != nil},
		{"waits_for_budget", t.WaitsForBudget != nil},
		{"attempts", t.Attempts != nil},
		{"backoff", t.Backoff != ""},
		{"status", t.Status != ""},
		{"outcome", t.Outcome != ""},
		{"next", t.Next != ""},
		{"on", len(t.On) > 0},
		{"level", t.Level != nil},
		{"duty", t.Duty != ""},
		{"seats", t.Seats != nil},
		{"quorum", t.Quorum != nil},
		{"decide_by", t.DecideBy != ""},
		{"abstain", t.Abstain != nil},
		{"votes", t.Votes != ""},
		{"chair_queue", t.ChairQueue != ""},
		{"chair_level", t.ChairLevel != nil},
		{"veto_queue", t.VetoQueue != ""},
		{"veto_level", t.VetoLevel != nil},
		{"claim_within", t.ClaimWithin != ""},
		{"decide_within", t.DecideWithin != ""},
		{"overdue", t.Overdue != ""},
		{"remind", len(t.Remind) > 0},
		{"escalate_to", t.EscalateTo != nil},
		{"escalate_level", t.EscalateLevel != nil},
		{"skills", len(t.Skills) > 0},
		{"undo", t.Undo != ""},
		{"bulk", t.Bulk != nil},
		{"signature_above", t.SignatureAbove != nil},
		{"branches", len(t.Branches) > 0},
		{"default", t.Default != ""},
		{"to", len(t.To) > 0},
		{"topic", t.Topic != ""},
		{"lease", t.Lease != ""},
		{"pays", t.Pays != nil},
		{"after", t.After != ""},
		{"timeout", t.Timeout != nil},
		{"errors", len(t.Errors) > 0},
		{"steps", len(t.Steps) > 0},
	} {
		if attribute.set {
			names = append(names, attribute.name)
		}
	}
	return names
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
				b.addProblem(node, "start",
					"A definition can have only one start; this is a second one.")
			}
			b.def.start = node
		}
	}
	if b.def.start == nil {
		b.addProblem(nil, "start", "A definition needs a node of kind start.")
		return
	}
	if ends == 0 {
		b.addProblem(nil, "no_end", "A definition needs at least one node of kind end.")
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

// checkCancels checks that an edge withdraws work only at nodes where work can be open.
func (b *builder) checkCancels(node *Node, edge *Edge) {
	for _, id := range edge.Cancels {
		other := b.def.index[id]
		switch {
		case other == nil:
			b.addProblem(node, "cancel", "An edge withdraws the node %q, which does not exist.", id)
		case other == node:
			b.addProblem(node, "cancel",
				"An edge withdraws its own node; it leaves that node anyway.")
		case other.impl != nil && !other.impl.holdsToken():
			b.addProblem(node, "cancel",
				"An edge withdraws the node %q, which never has open work.", id)
		}
	}
}

// resolveEntryPoints resolves the nodes where an interrupted case continues, with defaults for
// those not given.
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
		b.addProblem(node, "on_abandon", "on_abandon must name a stage with the outcome abandoned.")
	}
}

func (b *builder) resolveTarget(node *Node, edge *Edge) {
	edge.target = b.def.index[edge.To]
	switch {
	case edge.To == "":
		b.addProblem(node, "unknown_target", "An edge has no target.")
	case edge.target == nil:
		b.addProblem(node, "unknown_target", "An edge leads to %q, which does not exist.", edge.To)
	case edge.target.Kind == KindStart:
		b.addProblem(node, "unknown_target", "An edge cannot lead back to the start.")
	case edge.target.Kind == KindEnd && !edge.seals(node):
		// Every ended case has an archive manifest, so a stage that writes it must precede every
		// end.
		b.addProblem(node, "unsealed_end",
			"The end %s can be reached only from a stage with the outcome %s.", edge.To,
			edge.target.Status)
	case node.Outcome != "" && edge.target.Kind != KindEnd:
		b.addProblem(node, "unsealed_end", "A stage with an outcome must lead to an end.")
	case edge.target.Kind == KindJoin && !slices.Contains(edge.target.joinSources, node):
		edge.target.joinSources = append(edge.target.joinSources, node)
	}
	if edge.target != nil && edge.On == string(domain.Return) && node.Kind == KindReview &&
		edge.target.Kind == KindJoin {
		b.addProblem(node, "return", "A returned case cannot continue at a join.")
	}
}

// seals reports whether an edge that leads to an end leaves a stage that seals the case with that
// end's status.
func (e *Edge) seals(from *Node) bool {
	return e.Trigger == "" && from.Kind == KindStage && from.Outcome == e.target.Status
}

// resolveEntryPoint resolves one of the definition's entry points; usual is its default.
func (b *builder) resolveEntryPoint(name, id, usual string) string {
	if id == "" {
		id = usual
	}
	node := b.def.index[id]
	switch {
	case id == "":
		b.addProblem(nil, name, "%s is missing: name the node where such a case continues.", name)
	case node == nil:
		b.addProblem(nil, "unknown_target", "%s names %q, which does not exist.", name, id)
	case node.Kind == KindStart || node.Kind == KindEnd || node.Kind == KindJoin:
		b.addProblem(node, name, "%s cannot be a node of kind %s.", name, node.Kind)
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
			b.addProblem(node, "unreachable", "No edge leads to this node.")
		case !leading[node]:
			b.addProblem(node, "no_end", "No end can be reached from this node.")
		}
		if node.Kind == KindFork && len(node.Edges) < 2 {
			b.addProblem(node, "fork", "A fork needs at least two branches.")
		}
		if node.Kind == KindFork && b.hasDuplicateTarget(node) {
			b.addProblem(node, "fork", "Two branches of the fork lead to the same node.")
		}
		if node.Kind == KindJoin && len(node.joinSources) < 2 {
			b.addProblem(node, "join", "A join must be reached from at least two nodes.")
		}
	}
	b.checkGatewayCycles()
	b.checkNeeds()
	b.checkModelStages()
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

// markReachable marks every node that can be reached from a node.
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

// nodesReachingEnd returns the nodes from which some end can be reached.
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

// checkGatewayCycles reports cycles of gateways, in which a token would move forever.
func (b *builder) checkGatewayCycles() {
	const visiting, done = 1, 2
	state := map[*Node]int{}
	var walk func(node *Node) bool
	walk = func(node *Node) bool {
		if state[node] == visiting {
			return true
		}
		if state[node] == done || (node.Kind != KindExclusive && node.Kind != KindFork &&
			node.Kind != KindJoin) {
			return false
		}
		state[node] = visiting
		for _, edge := range node.Edges {
			if walk(edge.target) {
				return true
			}
		}
		state[node] = done
		return false
	}
	for _, node := range b.def.Nodes {
		if walk(node) {
			b.addProblem(node, "circle", "The gateways form a cycle without any work in it.")
			return
		}
	}
}

// addProblemPaths adds to each problem at a node the path that leads there, as far as the targets
// are resolved.
func (b *builder) addProblemPaths() {
	if b.def.start == nil {
		return
	}
	paths := map[*Node][]string{b.def.start: {string(Started)}}
	for open := []*Node{b.def.start}; len(open) > 0; open = open[1:] {
		for i := range open[0].Edges {
			edge := &open[0].Edges[i]
			if _, known := paths[edge.target]; known || edge.target == nil {
				continue
			}
			path := slices.Clone(paths[open[0]])
			if label := edge.pathLabel(open[0]); label != "" {
				path = append(path, label)
			}
			paths[edge.target] = path
			open = append(open, edge.target)
		}
	}
	for i := range b.problems {
		if problem := &b.problems[i]; problem.Path == nil && problem.Node != "" {
			problem.Path = paths[b.def.index[problem.Node]]
		}
	}
}

// pathLabel names an edge on a counter-example's path with the labels that Verify uses, "" for an
// edge that is the only one.
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

// UnknownQueues reports the stages whose work queue is not one of the known ones: no worker would
// ever execute them. External stages have no work queue.
func (d *Definition) UnknownQueues(known []string) []Problem {
	b := builder{def: d}
	for _, node := range d.Nodes {
		if node.Kind != KindStage {
			continue
		}
		named := append([]string{node.Queue}, slices.Sorted(maps.Values(node.QueueFor))...)
		for _, queue := range slices.Compact(named) {
			if !slices.Contains(known, queue) {
				b.addProblem(node, "queue",
					"No worker serves the queue %q. The work queues are %s.", queue,
					strings.Join(known, ", "))
			}
		}
	}
	return b.problems
}

// UncoveredOutcomes reports the outcomes of a behaviour for which its stages have no edge.
// outcomesOf returns nil for an unknown behaviour, which is a problem too.
func (d *Definition) UncoveredOutcomes(outcomesOf func(behaviour string) []string) []Problem {
	b := builder{def: d}
	for _, node := range d.Nodes {
		if node.Kind != KindStage { // the outcomes of external programs are unknown
			continue
		}
		outcomes := outcomesOf(node.Behaviour)
		if len(outcomes) == 0 {
			b.addProblem(node, "behaviour", "No processor is registered for the behaviour %q.",
				node.Behaviour)
		}
		for _, outcome := range outcomes {
			if node.outcomeEdge(outcome) == nil {
				b.addProblem(node, "outcomes",
					"The behaviour %s can end in the outcome %q, which has no target.",
					node.Behaviour, outcome)
			}
		}
	}
	return b.problems
}
