package workflow

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// MigrationPlan says at which nodes of another version running cases of a process continue.
type MigrationPlan struct {
	From int `json:"from"`
	To   int `json:"to"`
	// Nodes maps nodes of the version From to those of the version To.
	Nodes map[string]string `json:"nodes"`
	// Stays are nodes of the version From; a case that waits at one of them does not move.
	Stays []string `json:"stays,omitempty"`
}

// NewMigrationPlan maps the nodes that have the same id and kind in both versions, then applies the
// chosen ones. A node that is chosen as "" stays.
func NewMigrationPlan(from, to *Definition, chosen map[string]string) MigrationPlan {
	plan := MigrationPlan{From: from.Version, To: to.Version, Nodes: map[string]string{}}
	for _, node := range from.Nodes {
		target, ok := chosen[node.ID]
		if other := to.index[node.ID]; !ok && other != nil && other.Kind == node.Kind {
			target, ok = node.ID, true
		}
		switch {
		case ok && target != "":
			plan.Nodes[node.ID] = target
		case ok:
			plan.Stays = append(plan.Stays, node.ID)
		}
	}
	for id, target := range chosen {
		if from.index[id] == nil && target != "" { // CheckPlan reports it
			plan.Nodes[id] = target
		}
	}
	return plan
}

// Movable reports whether a case that waits at the node can move at all: not while a decision is
// being executed.
func (n *Node) Movable() bool {
	return n.impl.holdsToken() && n.Kind != KindSaga && n.Outcome == ""
}

// CheckPlan reports why a plan cannot be used, at the nodes of the version From. The plan is sound
// if there are no problems: every marking of the version From that can move becomes one that the version To can
// reach. Both definitions must be sound.
func CheckPlan(from, to *Definition, plan MigrationPlan) []Problem {
	c := planCheck{from: from, to: to, plan: plan}
	c.checkVersions()
	taken := map[string]string{}
	for _, node := range from.Nodes {
		target, mapped := plan.Nodes[node.ID]
		switch {
		case mapped && slices.Contains(plan.Stays, node.ID):
			c.report(node, "migration_both", nil, "The node is mapped and also named as staying.")
		case mapped && taken[target] != "":
			c.report(node, "migration_twice", map[string]string{"target": target, "other": taken[target]},
				"%s already takes the cases at %s; only one node can.", target, taken[target])
		case mapped:
			taken[target] = node.ID
			c.checkNode(node, target)
		case node.Movable() && !slices.Contains(plan.Stays, node.ID):
			c.report(node, "migration_unmapped", nil,
				"Version %d has no such node. Choose where its cases continue, or that they stay.", plan.To)
		}
	}
	for id := range plan.Nodes {
		if from.index[id] == nil {
			c.report(nil, "migration_unknown", map[string]string{"node": id},
				"Version %d has no node %s.", plan.From, id)
		}
	}
	if len(c.problems) == 0 {
		c.prove()
	}
	return c.problems
}

type planCheck struct {
	from, to *Definition
	plan     MigrationPlan
	problems []Problem
}

func (c *planCheck) report(
	node *Node, rule string, values map[string]string, format string, args ...any,
) {
	problem := Problem{Rule: rule, Message: fmt.Sprintf(format, args...), Values: values}
	if node != nil {
		problem.Node, problem.Line = node.ID, node.Line
	}
	c.problems = append(c.problems, problem)
}

// checkVersions checks what both versions must have in common as a whole.
func (c *planCheck) checkVersions() {
	switch {
	case c.from.Key != c.to.Key || c.plan.From == c.plan.To:
		c.report(nil, "migration_versions", nil, "The plan needs two versions of one process.")
	case c.plan.From > c.plan.To:
		c.report(nil, "migration_backwards", nil, "Cases only move to a newer version.")
	case c.from.HasAmount != c.to.HasAmount || c.from.Order != c.to.Order:
		c.report(nil, "migration_amount", nil,
			"Both versions must have an amount and payment orders, or neither.")
	case !c.from.routes.stable || !c.to.routes.stable:
		c.report(nil, "migration_routes", nil,
			"The parallel branches of a version are too deeply nested to move its cases.")
	}
	for i := range c.to.Attributes {
		rule := &c.to.Attributes[i]
		at := slices.IndexFunc(c.from.Attributes,
			func(r domain.AttributeRule) bool { return r.Name == rule.Name })
		lacks := at < 0 && rule.Required
		if lacks || at >= 0 && (c.from.Attributes[at].Type != rule.Type ||
			c.from.Attributes[at].Currency != rule.Currency) {
			c.report(nil, "migration_attribute", map[string]string{"attribute": rule.Name},
				"Version %d has no attribute %s of this type, so none of its cases has what version %d "+
					"requires.", c.plan.From, rule.Name, c.plan.To)
		}
	}
	for i := range c.to.Documents {
		rule := &c.to.Documents[i]
		if rule.Required && !slices.ContainsFunc(c.from.Documents,
			func(r domain.DocumentRule) bool { return r.Kind == rule.Kind }) {
			c.report(nil, "migration_document", map[string]string{"kind": rule.Kind},
				"Version %d has no document of the kind %s, so none of its cases has what version %d "+
					"requires.", c.plan.From, rule.Kind, c.plan.To)
		}
	}
}

// checkNode checks one pair of nodes.
func (c *planCheck) checkNode(node *Node, target string) {
	other := c.to.index[target]
	named := map[string]string{"target": target}
	switch {
	case other == nil:
		c.report(node, "migration_target", named, "Version %d has no node %s.", c.plan.To, target)
	case node.Kind != other.Kind || node.Repairs() != other.Repairs():
		c.report(node, "migration_kind", named, "%s is of another kind.", target)
	case node.Outcome != other.Outcome || node.Kind == KindEnd && node.Status != other.Status:
		c.report(node, "migration_outcome", named,
			"%s closes a case in another way; a migration cannot close one.", target)
	case target != node.ID && c.from.index[target] != nil:
		c.report(node, "migration_name_taken", named,
			"Version %d also has a node %s, so the cases of another node cannot take its name.",
			c.plan.From, target)
	case node.Movable() && node.Kind != KindJoin && node.Status != other.Status:
		c.report(node, "migration_status", named, "Cases at %s have another status.", target)
	case node.Kind == KindFork && len(node.Edges) != len(other.Edges):
		c.report(node, "migration_branches", named, "%s has another number of branches.", target)
	case node.Kind == KindJoin:
		c.checkScope(node, other)
		c.checkJoin(node, other)
	case node.Movable() || node.Kind == KindFork:
		c.checkScope(node, other)
	}
}

// checkScope requires that both nodes are in the same branches of forks that are mapped to each
// other.
func (c *planCheck) checkScope(node, other *Node) {
	if slices.Contains(c.plan.Stays, node.ID) {
		return
	}
	if scope, ok := c.plan.scope(node.scope); !ok || scope != other.scope {
		c.report(node, "migration_branch", map[string]string{"target": other.ID},
			"%s is not in the same branch of the same parallel part.", other.ID)
	}
}

// checkJoin requires that both joins wait for the same nodes.
func (c *planCheck) checkJoin(join, other *Node) {
	for _, source := range join.joinSources {
		target := c.to.index[c.plan.Nodes[source.ID]]
		if target == nil || !slices.Contains(other.joinSources, target) ||
			len(join.joinSources) != len(other.joinSources) {
			c.report(join, "migration_join", map[string]string{"target": other.ID, "source": source.ID},
				"%s does not wait for the node to which %s is mapped.", other.ID, source.ID)
			return
		}
	}
}

// prove checks every marking that a case of the version From can have, and reports the first
// counterexample.
func (c *planCheck) prove() {
	reached := map[string]bool{}
	newer, problem := exploreAll(c.to)
	if problem != nil {
		c.problems = append(c.problems, *problem)
		return
	}
	for at := range newer.states {
		reached[projectedKey(c.to, newer.states[at].marking)] = true
	}
	older, problem := exploreAll(c.from)
	if problem != nil {
		c.problems = append(c.problems, *problem)
		return
	}
	for at := range older.states {
		marking := older.states[at].marking
		moved, err := MigrateMarking(c.from, c.to, c.plan, marking)
		if err != nil || reached[projectedKey(c.to, moved)] {
			continue // a case that does not move needs no proof
		}
		node := c.from.index[marking.Tokens[0].Node]
		c.report(node, "migration_unreachable", nil,
			"A case that waits here could not have reached the same place in version %d.", c.plan.To)
		c.problems[len(c.problems)-1].Path = older.path(at)
		return
	}
}

// exploreAll returns every marking of a definition.
func exploreAll(def *Definition) (*explorer, *Problem) {
	e := newExplorer(def, maxMarkings)
	if e.explore(); e.failure == nil {
		e.exploreReroutes()
	}
	return e, e.failure
}

// projectedKey identifies a marking without the seats of its reviews: they differ between versions,
// and MigrateMarking keeps enough of them open.
func projectedKey(def *Definition, marking domain.Marking) string {
	tokens := slices.Clone(marking.Tokens)
	slices.SortFunc(tokens, func(a, b domain.Token) int { return strings.Compare(a.Node, b.Node) })
	states := nodeStates{byNode: marking.Notes}
	for _, token := range tokens {
		if node := def.index[token.Node]; node != nil && node.Kind == KindReview {
			states.drop(token.Node)
		}
	}
	return markingKey(domain.Marking{Tokens: tokens, Notes: states.byNode})
}
