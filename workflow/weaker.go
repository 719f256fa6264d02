package workflow

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// maxComparedEvents limits the events of all routes that the comparison follows.
const maxComparedEvents = 200_000

// weakerByAttributes reports that a submitter could need fewer approvals by what they state. At each
// gateway a branch by an attribute must need at least as many approvals of each duty and level as the
// branch that the case takes if no guard about an attribute is true, for the same other facts, outcomes,
// failures and timeouts; behind the gateway both routes ignore attributes. By induction over the gateways of
// a route, every statement needs at least the approvals of the case without it: attributes add approvals and
// choose queues, and never remove an approval.
func weakerByAttributes(def *Definition) []Problem {
	c := comparison{def: def}
	for _, node := range def.Nodes {
		for i := range node.Edges {
			if edge := &node.Edges[i]; edge.usesAttributes() && len(c.problems) == 0 {
				c.compareAll(node, edge)
			}
		}
	}
	return c.problems
}

func (e *Edge) usesAttributes() bool {
	return e.guard != nil && len(e.guard.Attributes()) > 0
}

// comparison follows two routes of a case. Both have the same facts: what one route has decided about
// them holds for the other.
type comparison struct {
	def           *Definition
	script, width []int // the decisions of this pair of routes, and how many each has
	at            int
	followed      int // events

	region     []expr.Intervals // the numbers and choices that the case can still have
	truths     map[string]bool  // of guards
	events     map[string]Event // what happens at a node
	impossible bool
	problems   []Problem
}

// compareAll compares every route behind a branch by an attribute with that behind the gateway's other
// branches.
func (c *comparison) compareAll(gateway *Node, edge *Edge) {
	c.script = nil
	for len(c.problems) == 0 {
		if c.followed > maxComparedEvents {
			c.report(gateway, "attribute_routes", "There are too many routes behind the gateway to "+
				"prove that no attribute removes an approval.")
			return
		}
		c.compare(gateway, edge)
		if !c.next() {
			return
		}
	}
}

// next chooses the next pair of routes; it returns false after the last one.
func (c *comparison) next() bool {
	c.script = c.script[:c.at]
	last := c.at - 1
	for last >= 0 && c.script[last]+1 == c.width[last] {
		last--
	}
	if last < 0 {
		return false
	}
	c.script = append(c.script[:last], c.script[last]+1)
	return true
}

// decide returns the next decision of the script, between 0 and count-1.
func (c *comparison) decide(count int) int {
	if c.at == len(c.script) {
		c.script = append(c.script, 0)
	}
	c.width = append(c.width[:c.at], count)
	c.at++
	return c.script[c.at-1]
}

// compare follows one pair of routes.
func (c *comparison) compare(gateway *Node, edge *Edge) {
	c.at, c.impossible = 0, false
	c.region = []expr.Intervals{c.def.bounds}
	c.truths, c.events = map[string]bool{}, map[string]Event{}
	c.region = expr.Common(c.region, edge.guard.SatisfiableRanges().Alternatives)
	for i := range gateway.Edges { // a case that takes an earlier branch does not take this one
		if one := &gateway.Edges[i]; one == edge {
			break
		} else if !one.usesAttributes() && c.holds(gateway, one) {
			return
		}
	}
	without, rejectedWithout := c.route(gateway, &gateway.Edges[c.branch(gateway)])
	with, rejected := c.route(gateway, edge)
	if c.impossible || len(c.region) == 0 || rejected || rejectedWithout && len(with) > 0 {
		return
	}
	if rejectedWithout {
		without = []approval{{DutyApproval, 1}} // at least one
	}
	if missing, ok := firstMissing(without, with); ok {
		c.reportWeaker(gateway, edge, missing, without, with)
	}
}

// approval is one approval that a case needs.
type approval struct {
	duty  string
	level int
}

// firstMissing returns the first approval that the others do not cover: for each duty, the n-th highest
// level must be at least as high.
func firstMissing(without, with []approval) (approval, bool) {
	byDuty := func(list []approval, duty string) []approval {
		of := slices.DeleteFunc(slices.Clone(list), func(a approval) bool { return a.duty != duty })
		slices.SortFunc(of, func(a, b approval) int { return b.level - a.level })
		return of
	}
	for _, one := range without {
		needed, has := byDuty(without, one.duty), byDuty(with, one.duty)
		for i, need := range needed {
			if i >= len(has) || has[i].level < need.level {
				return need, true
			}
		}
	}
	return approval{}, false
}

// route follows the case from an edge of a gateway to its end, or to a join that waits for other
// branches. It returns the approvals, and whether the case ends without being approved.
func (c *comparison) route(gateway *Node, edge *Edge) (approvals []approval, rejected bool) {
	p := stepBuilder{def: c.def, facts: &domain.ProcessFacts{}, chooseBranch: c.branch,
		visits: map[string]int{}}
	if p.takeEdge(gateway, edge) != nil {
		return nil, true
	}
	step, err := p.finish(domain.Received)
	var open []Event
	for n := 0; ; n++ {
		c.followed++
		if err == nil { // otherwise the event is withdrawn, or not needed for the quorum
			for _, effect := range step.Effects {
				if ended, ok := effect.(Ended); ok {
					return approvals, ended.Status != domain.Archived
				}
				if next, ok := c.eventAfter(effect); ok {
					open = append(open, next)
				}
			}
		}
		if len(open) == 0 || c.impossible {
			return approvals, false
		}
		if n == maxSimulatedEvents { // it waits for other facts
			return approvals, true
		}
		event, marking := open[0], step.Marking
		open = open[1:]
		next, failed := advance(c.def, marking, event, &domain.ProcessFacts{}, c.branch)
		if err = failed; err != nil {
			continue
		}
		if step = next; event.Verdict == domain.Approve {
			node := c.def.index[event.Node]
			approvals = append(approvals, approval{node.Duty, node.Level})
		}
	}
}

// eventAfter returns what ends the work of an effect: the same in both routes.
func (c *comparison) eventAfter(effect Effect) (Event, bool) {
	event, ok := successEvent(c.def, effect)
	if !ok {
		return event, false
	}
	node := c.def.index[event.Node]
	chosen, known := c.events[node.ID]
	if !known {
		options := []Event{{}}
		if node.Kind == KindStage || node.Kind == KindExternal {
			options = nil
			for _, outcome := range node.Outcomes() {
				options = append(options, Event{Kind: StageEnded, Outcome: outcome})
			}
			for _, code := range node.catchableFailures() {
				options = append(options, Event{Kind: StageFailed, Code: code})
			}
		}
		if node.Timeout > 0 {
			options = append(options, Event{Kind: TimerFired})
		}
		if len(options) > 1 {
			chosen = options[c.decide(len(options))]
		} else {
			chosen = options[0]
		}
		c.events[node.ID] = chosen
	}
	if chosen.Kind != "" {
		event.Kind, event.Outcome, event.Code = chosen.Kind, chosen.Outcome, chosen.Code
		event.Seat, event.Verdict = 0, ""
	}
	return event, true
}

// branch returns the branch that the case takes at a gateway if no guard about an attribute is true.
func (c *comparison) branch(gateway *Node) int {
	for i := range gateway.Edges {
		edge := &gateway.Edges[i]
		if edge.guard == nil || !edge.usesAttributes() && c.holds(gateway, edge) {
			return i
		}
	}
	return len(gateway.Edges) - 1
}

// holds decides whether a guard is true for the case, as far as earlier decisions leave it open.
func (c *comparison) holds(gateway *Node, edge *Edge) bool {
	key := edge.When
	if slices.Contains(edge.guard.Names(), "outcome") { // another one at each gateway
		key = gateway.ID + ": " + key
	}
	if truth, known := c.truths[key]; known {
		return truth
	}
	ranges := edge.guard.SatisfiableRanges()
	inside := expr.Common(c.region, ranges.Alternatives)
	outside := c.region
	if ranges.Exact {
		for _, cut := range ranges.Alternatives {
			outside = expr.Outside(outside, cut)
		}
	}
	truth := len(inside) > 0
	if len(inside) > 0 && len(outside) > 0 {
		truth = c.decide(2) == 0
	}
	if truth {
		c.region = inside
	} else {
		c.region = outside
	}
	c.truths[key] = truth
	c.impossible = c.impossible || len(c.region) == 0 || len(c.region) > maxFragments
	return truth
}

func (c *comparison) report(node *Node, rule, format string, args ...any) {
	b := builder{def: c.def}
	b.addProblem(node, rule, format, args...)
	c.problems = append(c.problems, b.problems...)
}

func (c *comparison) reportWeaker(
	gateway *Node, edge *Edge, missing approval, without, with []approval,
) {
	c.report(gateway, "attribute_weakens",
		"The branch %q lets a submitter need fewer approvals: %s instead of %s. Let the default be "+
			"the branch that needs the fewest, or give the reviews the same level.",
		edge.When, levelsOf(with, missing.duty), levelsOf(without, missing.duty))
	c.problems[len(c.problems)-1].Values = map[string]string{"condition": edge.When,
		"with": levelsOf(with, missing.duty), "without": levelsOf(without, missing.duty)}
}

// levelsOf describes the approvals of a duty by their levels: 1+2+2, or 0 if there is none.
func levelsOf(list []approval, duty string) string {
	var levels []string
	for _, one := range list {
		if one.duty == duty {
			levels = append(levels, fmt.Sprint(one.level))
		}
	}
	if len(levels) == 0 {
		return "0"
	}
	slices.Sort(levels)
	return strings.Join(levels, "+")
}
