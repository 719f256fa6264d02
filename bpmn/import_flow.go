package bpmn

import (
	"fmt"
	"strings"

	"countersign/workflow"
)

// readFlows reads the sequence flows as the edges of their nodes.
func (m *importer) readFlows() {
	flows := m.process.named("bpmn:sequenceFlow")
	for _, one := range flows {
		source, target := m.nodes[one.attribute("sourceRef")], m.nodes[one.attribute("targetRef")]
		if source == nil || target == nil {
			m.lost(one)
			continue
		}
		source.out, target.in = append(source.out, one), append(target.in, one)
	}
	for _, one := range m.order {
		m.checkNode(one)
	}
	m.nameNodes()
	for _, one := range flows {
		m.checkFlow(one)
		if source := m.nodes[one.attribute("sourceRef")]; source != nil {
			m.readFlow(source, one)
		}
	}
	m.checkOutcomes()
}

// lost refuses a flow whose end is not in the process. If the element there is refused itself, that is
// said once.
func (m *importer) lost(flow *element) {
	for _, name := range []string{"sourceRef", "targetRef"} {
		id := flow.attribute(name)
		if m.nodes[id] != nil {
			continue
		}
		for _, other := range m.process.children {
			if id != "" && other.attribute("id") == id && other.name != "bpmn:sequenceFlow" {
				id = "\x00"
			}
		}
		if id != "\x00" {
			m.refuse(flow.attribute("id"), "bpmn_reference", "{id} does not exist.",
				"id", fmt.Sprintf("%.80q", id))
		}
	}
}

// checkNode checks how many flows lead to a node and leave it.
func (m *importer) checkNode(one *node) {
	switch {
	case one.element.name == "bpmn:boundaryEvent":
		m.attach(one)
		m.exactlyOne(one)
	case one.before != "", one.entry != "":
		m.exactlyOne(one)
	case one.draft.Kind == workflow.KindExclusive:
		m.checkDefault(one)
	case one.element.name == "bpmn:parallelGateway":
		kind := workflow.KindFork
		switch {
		case len(one.in) > 1 && len(one.out) == 1:
			kind = workflow.KindJoin
		case len(one.in) > 1 || len(one.out) < 2:
			m.refuse(one.id, "bpmn_gateway",
				"A parallel gateway must either divide one sequence flow or join several.")
		}
		if !one.unnamed && one.draft.Kind != kind {
			m.value(one.element, fmt.Sprintf("has the kind %s, but its flows are those of a %s",
				one.draft.Kind, kind))
		}
		one.draft.Kind = kind
		m.checkSources(one)
	}
}

// checkSources refuses a parallel gateway to which two flows lead from one node: BPMN waits for both,
// the engine once for the node.
func (m *importer) checkSources(one *node) {
	seen := map[string]bool{}
	for _, flow := range one.in {
		source := m.nodes[flow.attribute("sourceRef")]
		id := source.id
		if host, ok := source.element.lookup("attachedToRef"); ok {
			id = host
		}
		if seen[id] {
			m.refuse(one.id, "bpmn_sources",
				"Several sequence flows from {id} lead to this parallel gateway. Let them meet in an exclusive gateway before it.",
				"id", id)
			return
		}
		seen[id] = true
	}
}

// checkDefault refuses a default that is not one of the flows which leave the gateway.
func (m *importer) checkDefault(one *node) {
	id, ok := one.element.lookup("default")
	for _, flow := range one.out {
		ok = ok && flow.attribute("id") != id
	}
	if ok {
		m.refuse(one.id, "bpmn_reference", "{id} does not exist.", "id",
			fmt.Sprintf("%.80q", id))
	}
}

func (m *importer) exactlyOne(one *node) {
	if len(one.out) != 1 {
		m.refuse(one.id, "bpmn_flows", "Exactly one sequence flow must leave {element}.", "element",
			localName(one.element.name))
	}
}

// attach finds the task of a boundary event.
func (m *importer) attach(one *node) {
	one.host = m.nodes[one.element.attribute("attachedToRef")]
	if one.host == nil || one.host.draft.Kind == "" {
		one.host = nil
		m.refuse(one.id, "bpmn_reference", "{id} does not exist.", "id",
			fmt.Sprintf("%.80q", one.element.attribute("attachedToRef")))
		return
	}
	if one.boundary.Trigger == workflow.TriggerTimeout {
		if one.host.draft.Timeout != "" {
			m.refuse(one.id, "bpmn_boundary",
				"A boundary event is supported with one timer or with errors.")
		}
		one.host.draft.Timeout = one.draft.Timeout
	}
}

// checkFlow refuses the parts of a sequence flow that have no meaning in a definition.
func (m *importer) checkFlow(flow *element) {
	m.allow(flow, "sourceRef", "targetRef", "countersign:on", "countersign:cancels",
		"countersign:cancels_all=true")
	m.extension(flow, "")
	for _, child := range flow.children {
		switch child.name {
		case "bpmn:conditionExpression", "bpmn:extensionElements":
		case "bpmn:documentation":
			m.notKept(child, flow)
		default:
			m.unsupported(child, flow)
		}
	}
}

// target returns the node of the definition to which a flow leads, "" if there is none.
func (m *importer) target(flow *element) string {
	id := flow.attribute("targetRef")
	for range m.order { // gateways in which flows meet can follow each other
		one := m.nodes[id]
		if one == nil || one.before == "" || len(one.out) != 1 {
			break
		}
		id = one.out[0].attribute("targetRef")
	}
	one := m.nodes[id]
	if one == nil || one.draft.Kind == "" {
		m.refuse(flow.attribute("id"), "bpmn_target", "A sequence flow cannot lead to {id}.", "id",
			fmt.Sprintf("%.80q", id))
		return ""
	}
	return one.draft.ID
}

func (m *importer) readFlow(source *node, flow *element) {
	edge := workflow.Edge{To: m.target(flow), On: flow.attribute("countersign:on"),
		CancelsAll: flow.attribute("countersign:cancels_all") != ""}
	for _, id := range strings.Fields(flow.attribute("countersign:cancels")) {
		edge.Cancels = append(edge.Cancels, m.name(id))
	}
	condition := ""
	if expressions := flow.named("bpmn:conditionExpression"); len(expressions) > 0 {
		condition = expressions[0].text
		if len(expressions) > 1 || condition == "" {
			m.wrongCondition(flow, condition)
		}
	}
	kind := source.draft.Kind
	cancels := edge.CancelsAll || len(edge.Cancels) > 0
	switch {
	case source.host != nil:
		edge.Trigger, edge.Codes = source.boundary.Trigger, source.boundary.Codes
		m.plain(flow, edge.On != "" || condition != "")
		source.host.draft.Edges = append(source.host.draft.Edges, edge)
		return
	case kind == "":
		m.plain(flow, edge.On != "" || condition != "" || cancels)
		return
	case kind == workflow.KindExclusive:
		m.plain(flow, edge.On != "" || cancels)
		edge = m.branch(source, flow, edge, condition)
	case kind == workflow.KindEnd:
		m.refuse(source.id, "bpmn_flows_end", "No sequence flow can leave an end event.")
	case kind == workflow.KindStart || kind == workflow.KindFork || kind == workflow.KindJoin ||
		kind == workflow.KindTimer:
		m.plain(flow, edge.On != "" || condition != "" || cancels)
		if kind != workflow.KindFork && len(source.out) > 1 {
			m.split(source)
		}
	default:
		edge = m.outcome(source, flow, edge, condition)
	}
	m.flowName(flow, edge)
	source.draft.Edges = append(source.draft.Edges, edge)
}

// plain refuses a flow whose outcome, condition or withdrawal has no meaning where it begins.
func (m *importer) plain(flow *element, wrong bool) {
	if wrong {
		m.wrongCondition(flow, flow.attribute("countersign:on"))
	}
}

func (m *importer) wrongCondition(flow *element, condition string) {
	m.refuse(flow.attribute("id"), "bpmn_condition",
		"The condition {condition} is not supported here.", "condition",
		fmt.Sprintf("%.80q", condition))
}

func (m *importer) split(source *node) {
	m.refuse(source.id, "bpmn_split",
		"Several sequence flows leave {element} without outcomes. Use a gateway.", "element",
		localName(source.element.name))
}

// branch reads a flow that leaves an exclusive gateway.
func (m *importer) branch(source *node, flow *element, edge workflow.Edge, condition string) workflow.Edge {
	switch id := flow.attribute("id"); {
	case source.element.attribute("default") == id || len(source.out) == 1:
		if condition != "" {
			m.wrongCondition(flow, condition)
		}
	case condition == "":
		m.missing(id, "when")
		return workflow.BranchWithoutGuard(edge.To)
	default:
		edge.When = condition
		language, ok := flow.named("bpmn:conditionExpression")[0].lookup("language")
		if !ok {
			language = m.language
		}
		if language != celLanguage {
			m.note(id, "bpmn_language", "The condition {condition} must be written in CEL.",
				"condition", fmt.Sprintf("%.80q", condition))
		}
	}
	return edge
}

// outcome reads a flow that leaves work.
func (m *importer) outcome(source *node, flow *element, edge workflow.Edge, condition string) workflow.Edge {
	if edge.On != "" {
		if condition != "" && condition != outcomeCondition(edge.On) {
			m.wrongCondition(flow, condition)
		}
		return edge
	}
	if condition != "" {
		m.wrongCondition(flow, condition)
	}
	if len(source.out) > 1 {
		m.split(source)
	}
	edge.On = workflow.OutcomeDone
	if source.draft.Kind == workflow.KindReview {
		edge.On = "approve"
	}
	return edge
}

// flowName notes the name of a flow that says something else than its outcome or guard.
func (m *importer) flowName(flow *element, edge workflow.Edge) {
	name := flow.attribute("name")
	if name != "" && name != edge.On && name != edge.When {
		m.notKept(newElement(fmt.Sprintf("%.80q", name)), flow)
	}
}

// checkOutcomes refuses a node that two flows leave with the same outcome.
func (m *importer) checkOutcomes() {
	for _, one := range m.order {
		seen := map[string]bool{}
		for _, edge := range one.draft.Edges {
			if edge.Trigger != "" || edge.On == "" || one.draft.Kind == workflow.KindExclusive {
				continue
			}
			if seen[edge.On] {
				m.split(one)
				break
			}
			seen[edge.On] = true
		}
	}
}

// readEntries reads the start events where cases continue from any node.
func (m *importer) readEntries() {
	targets := map[string]*string{"on_abandon": &m.draft.OnAbandon, "re_enter": &m.draft.ReEnter,
		"on_replace": &m.draft.OnReplace, "on_enter": &m.draft.OnEnter}
	seen := map[string]bool{}
	for _, one := range m.order {
		if one.entry == "" {
			continue
		}
		if seen[one.entry] {
			m.value(one.element, "has the entry "+one.entry+" a second time")
		}
		seen[one.entry] = true
		*targets[one.entry] = m.target(one.out[0])
	}
}
