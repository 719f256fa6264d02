package bpmn

import (
	"fmt"
	"slices"
	"strings"

	"countersign/workflow"
)

// longestName is how long a guard can be to be shown as the name of its sequence flow.
const longestName = 60

// connection is one edge of the definition on its way to become a sequence flow.
type connection struct {
	node   *workflow.DraftNode // nil for a start event where cases continue from any node
	edge   workflow.Edge
	source *shape
	target string
}

// addFlows adds the sequence flows. A parallel gateway of BPMN waits for each of its incoming flows, so
// that flows which are alternatives meet in an exclusive gateway before it.
func (x *exporter) addFlows() {
	connections := x.connections()
	into := map[string][]*connection{}
	for _, one := range connections {
		into[one.target] = append(into[one.target], one)
	}
	merges := map[*connection]string{}
	for i := range x.draft.Nodes {
		node := &x.draft.Nodes[i]
		switch node.Kind {
		case workflow.KindFork:
			x.mergeBefore(node.ID, "Merge_"+node.ID, into[node.ID], merges)
		case workflow.KindJoin: // a join waits once for each node that leads to it
			bySource := map[string][]*connection{}
			for _, one := range into[node.ID] {
				bySource[one.node.ID] = append(bySource[one.node.ID], one)
			}
			for j := range x.draft.Nodes {
				from := x.draft.Nodes[j].ID
				x.mergeBefore(node.ID, fmt.Sprintf("Merge_%s_%s", from, node.ID), bySource[from],
					merges)
			}
		default:
		}
	}
	for _, one := range connections {
		if merge := merges[one]; merge != "" {
			one.target = merge
		}
		x.addFlow(one)
	}
	for _, one := range x.order {
		if to := one.element.attribute("countersign:before"); to != "" {
			x.connect(one, to, newElement("bpmn:sequenceFlow"))
		}
	}
	x.listFlows()
}

// connections returns the edges in the order of the definition.
func (x *exporter) connections() []*connection {
	var connections []*connection
	for i := range x.draft.Nodes {
		node := &x.draft.Nodes[i]
		failures := 0
		for _, edge := range node.Edges {
			from := node.ID
			switch edge.Trigger {
			case workflow.TriggerTimeout:
				from = timeoutID(node.ID)
			case workflow.TriggerError:
				failures++
				from = errorID(node.ID, failures)
			}
			connections = append(connections, &connection{node: node, edge: edge,
				source: x.shapes[from], target: edge.To})
		}
	}
	return append(connections, x.starts...)
}

// mergeBefore adds an exclusive gateway in which several connections to a node meet.
func (x *exporter) mergeBefore(
	to, id string, connections []*connection, merges map[*connection]string,
) {
	if len(connections) < 2 {
		return
	}
	gateway := newElement("bpmn:exclusiveGateway", "id", id, "countersign:before", to)
	gateway.add(newElement("bpmn:incoming"), newElement("bpmn:outgoing"))
	x.addShape(gateway, gatewaySize, gatewaySize)
	for _, one := range connections {
		merges[one] = id
	}
}

func (x *exporter) addFlow(one *connection) {
	e := newElement("bpmn:sequenceFlow")
	edge := one.edge
	if one.node != nil && edge.Trigger == "" {
		switch one.node.Kind {
		case workflow.KindExclusive:
			if edge.When != "" && len(edge.When) <= longestName &&
				!strings.Contains(edge.When, "\n") {
				e.set("name", edge.When)
			}
		default:
			if edge.On != "" && (edge.On != workflow.OutcomeDone || outcomes(one.node) > 1) {
				e.set("name", edge.On)
			}
		}
		if edge.On != "" {
			e.set("countersign:on", edge.On)
		}
	}
	returns := one.node != nil && one.node.Kind == workflow.KindReview && edge.On == "return"
	if edge.CancelsAll && !returns {
		e.set("countersign:cancels_all", "true")
	}
	if len(edge.Cancels) > 0 {
		e.set("countersign:cancels", strings.Join(edge.Cancels, " "))
	}
	switch {
	case edge.When != "":
		e.add(expression("bpmn:conditionExpression", edge.When))
	case edge.On != "" && outcomes(one.node) > 1:
		e.add(expression("bpmn:conditionExpression", outcomeCondition(edge.On)))
	}
	x.connect(one.source, one.target, e)
	if one.node != nil && one.node.Kind == workflow.KindExclusive && edge.When == "" {
		one.source.element.set("default", e.attribute("id"))
	}
}

// outcomeCondition says that work has ended in an outcome: without it, BPMN would take all flows of a
// task together.
func outcomeCondition(outcome string) string { return fmt.Sprintf("outcome == %q", outcome) }

func outcomes(node *workflow.DraftNode) (count int) {
	for _, edge := range node.Edges {
		if edge.Trigger == "" {
			count++
		}
	}
	return count
}

func (x *exporter) connect(source *shape, to string, e *element) {
	number := 1
	for _, other := range x.flows {
		if other.source == source {
			number++
		}
	}
	target := x.shapes[to]
	e.attributes = append([]attribute{{"id", fmt.Sprintf("Flow_%s_%d", source.id, number)}},
		e.attributes...)
	e.set("sourceRef", source.id)
	e.set("targetRef", target.id)
	x.flows = append(x.flows, &flow{element: e, source: source, target: target})
}

// listFlows fills the lists of flows that each node of BPMN has.
func (x *exporter) listFlows() {
	for _, one := range x.order {
		var children []*element
		for _, child := range one.element.children {
			switch child.name {
			case "bpmn:incoming":
				children = append(children, x.references(child.name,
					func(f *flow) bool { return f.target == one })...)
			case "bpmn:outgoing":
				children = append(children, x.references(child.name,
					func(f *flow) bool { return f.source == one })...)
			default:
				children = append(children, child)
			}
		}
		one.element.children = slices.Clip(children)
	}
}

func (x *exporter) references(name string, holds func(*flow) bool) []*element {
	var found []*element
	for _, one := range x.flows {
		if holds(one) {
			e := newElement(name)
			e.text = one.element.attribute("id")
			found = append(found, e)
		}
	}
	return found
}
