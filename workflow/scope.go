package workflow

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A scope is the list of fork branches around a node, outermost first: "" outside every fork,
// "checks.0" in the first branch of the fork checks, "checks.0/inner.1" in a fork within it. In a
// sound definition a scope has at most one token that is not in a scope within it.

// maxScopeRounds limits the propagation of scopes. If they are still not stable, the definition's
// routes are never evaluated again.
const maxScopeRounds = 600

// routeMap is what is known statically about the routes of a definition.
type routeMap struct {
	stable bool
	// joins holds the join of each fork whose branches all lead to one; sources holds, by branch,
	// the node that leads there.
	joins   map[*Node]*Node
	sources map[string]*Node
	// closing holds the last join of each fork whose branches several joins unite; starts holds, by
	// scope, the join of some branches at which it begins.
	closing map[*Node]*Node
	starts  map[string]*Node
	// anchors are the gateways, reviews and forks of each scope. reach holds the nodes that can be
	// reached from each of them within its scope.
	anchors map[string][]*Node
	reach   map[*Node]nodeSet
	// targets are the nodes of each scope that an evaluation of the route can open.
	targets map[string][]*Node
	// splitsScopes reports whether an edge withdraws only a part of a scope.
	splitsScopes bool
}

// nodeSet is a set of nodes of one definition, by their numbers.
type nodeSet []uint64

func newNodeSet(def *Definition) nodeSet { return make(nodeSet, (len(def.Nodes)+63)/64) }

func (s nodeSet) add(node *Node)      { s[node.number/64] |= 1 << (node.number % 64) }
func (s nodeSet) has(node *Node) bool { return s[node.number/64]&(1<<(node.number%64)) != 0 }

func newRouteMap(def *Definition) *routeMap {
	m := &routeMap{joins: map[*Node]*Node{}, sources: map[string]*Node{},
		closing: map[*Node]*Node{}, starts: map[string]*Node{},
		anchors: map[string][]*Node{}, reach: map[*Node]nodeSet{}, targets: map[string][]*Node{}}
	if m.stable = def.findScopes(); !m.stable {
		return m
	}
	for _, node := range def.Nodes {
		switch node.Kind {
		case KindJoin:
			m.addJoin(def, node)
		case KindExclusive, KindReview, KindFork:
			if len(node.Edges) == 1 {
				continue // no choice
			}
			m.anchors[node.scope] = append(m.anchors[node.scope], node)
			m.reach[node] = def.reachableInScope(node)
		}
		if node.Kind == KindFork || node.impl.holdsToken() && node.Kind != KindJoin &&
			node.Outcome == "" {
			m.targets[node.scope] = append(m.targets[node.scope], node)
		}
		m.splitsScopes = m.splitsScopes || slices.ContainsFunc(node.Edges, def.splitsScope)
	}
	return m
}

// addJoin records the fork whose branches the join unites, if it is all branches of one fork.
// Otherwise it records where the scope of these branches begins, or that the join is the last one.
func (m *routeMap) addJoin(def *Definition, join *Node) {
	if _, _, branch := splitScope(join.scope); strings.Contains(branch, "+") {
		scope := join.scope
		if _, several := m.starts[scope]; several {
			join = nil // the scope begins at none of them alone
		}
		m.starts[scope] = join
		return
	}
	for _, source := range join.joinSources {
		outer, fork, branch := splitScope(source.scope)
		if fork == "" || outer != join.scope {
			return
		}
		if strings.Contains(branch, "+") {
			m.closing[def.index[fork]] = join
			return
		}
	}
	for _, source := range join.joinSources {
		_, fork, _ := splitScope(source.scope)
		m.joins[def.index[fork]] = join
		m.sources[source.scope] = source
	}
}

// mayOpen reports whether an evaluation of the route may open the target when a token leaves a node
// of the same scope, or a fork in it: a gateway leads to both, or the target leads to the node. The verification
// explores exactly these moves.
func (m *routeMap) mayOpen(left, target *Node) bool {
	if reach, ok := m.reach[target]; ok && target.Kind != KindExclusive && reach.has(left) {
		return true
	}
	return slices.ContainsFunc(m.anchors[target.scope], func(anchor *Node) bool {
		reach := m.reach[anchor]
		return anchor.Kind == KindExclusive && reach.has(left) && reach.has(target)
	})
}

// mayResume reports whether a token that leaves one node may continue after another: one anchor
// leads to both.
func (m *routeMap) mayResume(left, after *Node) bool {
	return slices.ContainsFunc(m.anchors[left.scope], func(anchor *Node) bool {
		reach := m.reach[anchor]
		return (anchor == left || reach.has(left)) && reach.has(after)
	})
}

// branchScope returns the scope of one branch of a fork.
func branchScope(fork *Node, branch int) string {
	return innerScope(fork.scope, fork, strconv.Itoa(branch))
}

// innerScope returns the scope of a fork's branches within another scope.
func innerScope(outer string, fork *Node, branches string) string {
	if outer != "" {
		outer += "/"
	}
	return outer + fork.ID + "." + branches
}

// splitScope returns the innermost fork and branch of a scope and the scope around them.
func splitScope(scope string) (outer, fork, branch string) {
	parts := scopeParts(scope)
	fork, branch, _ = strings.Cut(parts[len(parts)-1], ".")
	return strings.Join(parts[:len(parts)-1], "/"), fork, branch
}

// scopeParts returns the forks and branches of a scope, outermost first. The id of a fork in a called
// process contains slashes; a branch ends at the next one.
func scopeParts(scope string) (parts []string) {
	for {
		fork, rest, _ := strings.Cut(scope, ".")
		branches, inner, more := strings.Cut(rest, "/")
		if !more {
			return append(parts, scope)
		}
		parts, scope = append(parts, fork+"."+branches), inner
	}
}

// within reports whether a scope is another one or inside it.
func within(scope, outer string) bool {
	return outer == "" || scope == outer || strings.HasPrefix(scope, outer+"/")
}

// commonScope returns the innermost scope around both.
func commonScope(a, b string) string {
	for !within(b, a) {
		a, _, _ = splitScope(a)
	}
	return a
}

// findScopes sets the scope of every node: the innermost one around all edges that lead to it. It
// reports whether the scopes became stable.
func (d *Definition) findScopes() bool {
	known := map[*Node]string{d.start: ""}
	// A join waits for the scopes of all nodes that lead to it, and an edge for those of the nodes
	// that it withdraws, unless one of them depends on it.
	partial := false
	for range maxScopeRounds {
		next := d.propagateScopes(known, partial)
		stable := maps.Equal(next, known)
		if known = next; !stable {
			continue
		}
		if len(known) < len(d.Nodes) && !partial {
			partial = true
			continue
		}
		for _, node := range d.Nodes {
			node.scope = known[node]
		}
		return true
	}
	return false
}

// propagateScopes computes the scopes from those of the preceding nodes.
func (d *Definition) propagateScopes(known map[*Node]string, partial bool) map[*Node]string {
	next := map[*Node]string{d.start: ""}
	add := func(node *Node, scope string) {
		if present, ok := next[node]; ok {
			scope = commonScope(present, scope)
		}
		next[node] = scope
	}
	for _, entry := range []string{d.OnEnter, d.OnReplace, d.OnAbandon, d.ReEnter} {
		add(d.index[entry], "")
	}
	for _, node := range d.Nodes {
		scope, ok := known[node]
		if !ok {
			continue
		}
		for i := range node.Edges {
			edge := &node.Edges[i]
			switch {
			case edge.returns(node):
				add(edge.target, "")
			case edge.target.Kind == KindJoin: // see joinScope
			case node.Kind == KindFork:
				add(edge.target, innerScope(scope, node, strconv.Itoa(i)))
			default:
				if after, ok := d.scopeAfter(edge, scope, known, partial); ok {
					add(edge.target, after)
				}
			}
		}
	}
	for _, node := range d.Nodes {
		if scope, ok := d.joinScope(node, known, partial); ok {
			add(node, scope)
		}
	}
	return next
}

// scopeAfter returns the scope of a token that has taken an edge: an edge that withdraws other
// branches leaves the forks around them.
func (d *Definition) scopeAfter(
	edge *Edge, scope string, known map[*Node]string, partial bool,
) (string, bool) {
	if edge.CancelsAll {
		return "", true
	}
	for _, id := range edge.Cancels {
		node := d.index[id]
		other, ok := known[node]
		switch {
		case node.Kind == KindJoin || ok && (within(scope, other) || within(other, scope)):
		case ok:
			scope = d.uniteScopes(scope, other)
		case !partial:
			return "", false
		}
	}
	return scope, true
}

// joinScope returns the scope of a join, which unites those of the nodes that lead to it.
func (d *Definition) joinScope(
	join *Node, known map[*Node]string, partial bool,
) (scope string, ok bool) {
	for _, source := range join.joinSources {
		from, reached := known[source]
		switch {
		case !reached && !partial:
			return "", false
		case !reached:
		case !ok:
			scope, ok = from, true
		default:
			scope = d.uniteScopes(scope, from)
		}
	}
	return scope, ok
}

// uniteScopes returns the scope of a token that replaces the tokens of two scopes: around the fork
// if these are all of its branches, otherwise a scope of these branches, such as "checks.0+1".
func (d *Definition) uniteScopes(a, b string) string {
	common := commonScope(a, b)
	if common == a || common == b {
		return common
	}
	forkA, branchesA := firstBranch(a, common)
	forkB, branchesB := firstBranch(b, common)
	if forkA != forkB {
		return common
	}
	branches := slices.Concat(branchesA, branchesB)
	slices.Sort(branches)
	if branches = slices.Compact(branches); len(branches) == len(d.index[forkA].Edges) {
		return common
	}
	return innerScope(common, d.index[forkA], strings.Join(branches, "+"))
}

// firstBranch returns the outermost fork of a scope that lies within another scope, and the
// branches.
func firstBranch(scope, outer string) (fork string, branches []string) {
	first := scopeParts(strings.TrimPrefix(strings.TrimPrefix(scope, outer), "/"))[0]
	fork, list, _ := strings.Cut(first, ".")
	return fork, strings.Split(list, "+")
}

// reachableInScope returns the nodes that can be reached from a node within its scope, without a
// return.
func (d *Definition) reachableInScope(from *Node) nodeSet {
	reached := newNodeSet(d)
	for open := []*Node{from}; len(open) > 0; {
		node := open[len(open)-1]
		open = open[:len(open)-1]
		for i := range node.Edges {
			edge := &node.Edges[i]
			if target := edge.target; !edge.returns(node) && within(target.scope, from.scope) &&
				!reached.has(target) {
				reached.add(target)
				open = append(open, target)
			}
		}
	}
	return reached
}

// splitsScope reports whether an edge withdraws some nodes of a scope that can hold a token, and
// leaves others.
func (d *Definition) splitsScope(edge Edge) bool {
	if len(edge.Cancels) == 0 {
		return false
	}
	withdrawn, kept := map[string]bool{}, map[string]bool{}
	for _, node := range d.Nodes {
		if node.Kind == KindJoin || !node.impl.holdsToken() {
			continue
		}
		if slices.Contains(edge.Cancels, node.ID) {
			withdrawn[node.scope] = true
		} else {
			kept[node.scope] = true
		}
	}
	for scope := range withdrawn {
		for other := range kept {
			if within(other, scope) {
				return true
			}
		}
	}
	return false
}
