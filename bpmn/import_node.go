package bpmn

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/workflow"
)

// kindsOf are the kinds of nodes that an element can be, the first one if the file does not say which.
// The kind of a parallel gateway follows from its sequence flows.
var kindsOf = map[string][]workflow.Kind{
	"bpmn:startEvent":             {workflow.KindStart},
	"bpmn:endEvent":               {workflow.KindEnd},
	"bpmn:serviceTask":            {workflow.KindStage, workflow.KindExternal, workflow.KindSaga},
	"bpmn:userTask":               {workflow.KindReview},
	"bpmn:exclusiveGateway":       {workflow.KindExclusive},
	"bpmn:parallelGateway":        {workflow.KindFork, workflow.KindJoin},
	"bpmn:intermediateCatchEvent": {workflow.KindTimer},
	"bpmn:callActivity":           {workflow.KindCall},
}

// readNodes reads the nodes of the process; their sequence flows are read afterwards.
func (m *importer) readNodes() {
	m.readProcess()
	for _, child := range m.process.children {
		switch child.name {
		case "bpmn:extensionElements":
		case "bpmn:documentation", "bpmn:textAnnotation", "bpmn:association", "bpmn:group":
			m.notKept(child, m.process)
		case "bpmn:laneSet":
			m.readLanes(child)
		case "bpmn:sequenceFlow":
			m.register(child)
		case "bpmn:task":
			m.refuse(child.attribute("id"), "bpmn_task",
				"A task without a type does not say who does it. Make it a user task (a review) or a service task (a stage).")
		case "bpmn:boundaryEvent":
			m.readBoundaryEvent(child)
		default:
			if kindsOf[child.name] == nil {
				m.unsupported(child, m.process)
				continue
			}
			m.readNode(child)
		}
	}
}

// readLanes accepts a single lane, which does not divide the process.
func (m *importer) readLanes(set *element) {
	lanes := set.named("bpmn:lane")
	for _, lane := range lanes {
		if len(lanes) > 1 || len(lane.named("bpmn:childLaneSet")) > 0 {
			m.refuse(place(lane, set), "bpmn_lane",
				"Lanes do not assign work here. Remove the lane and name the queue of each review.")
			continue
		}
		m.notKept(lane, set)
	}
}

func (m *importer) addNode(e *element) *node {
	if !m.register(e) {
		return nil
	}
	one := &node{id: e.attribute("id"), element: e}
	m.order, m.nodes[one.id] = append(m.order, one), one
	return one
}

func (m *importer) readNode(e *element) {
	one := m.addNode(e)
	if one == nil {
		return
	}
	if before, ok := e.lookup("countersign:before"); ok && e.name == "bpmn:exclusiveGateway" {
		one.before = before
		m.allow(e, "countersign:before", "gatewayDirection")
		if e.attribute("name") != "" {
			m.notKept(newElement("name"), e)
		}
		m.extension(e, "")
		m.readChildren(one)
		return
	}
	if entry, ok := e.lookup("countersign:entry"); ok && e.name == "bpmn:startEvent" {
		m.readEntry(one, entry)
		return
	}
	m.allow(e, "gatewayDirection", attributeOf(e), "isForCompensation=false", "startQuantity=1",
		"completionQuantity=1", "isInterrupting=true", "parallelMultiple=false",
		"implementation=##unspecified", "implementation=##WebService")
	extension := m.extension(e, "countersign:node")
	one.unnamed = extension.name == ""
	kinds := kindsOf[e.name]
	one.draft.Kind = kinds[0]
	if kind, ok := extension.lookup("kind"); ok {
		if !slices.Contains(kinds, workflow.Kind(kind)) {
			m.value(e, fmt.Sprintf("cannot have the kind %.80q", kind))
			return
		}
		one.draft.Kind = workflow.Kind(kind)
	}
	if one.draft.Kind == workflow.KindCall && !m.readCalled(one) {
		return
	}
	one.draft.Title = titleOf(e, extension, usualName(one.id))
	m.readChildren(one)
	m.readExtension(one, extension)
}

// attributeOf returns the attribute that only elements of this name have here: the default flow of a
// gateway, or the process that is called.
func attributeOf(e *element) string {
	switch e.name {
	case "bpmn:exclusiveGateway":
		return "default"
	case "bpmn:callActivity":
		return "calledElement"
	}
	return ""
}

// readCalled reads which process is called. Other tools call processes that are not known here.
func (m *importer) readCalled(one *node) bool {
	process, ok := strings.CutPrefix(one.element.attribute("calledElement"), processID(""))
	if one.unnamed || !ok {
		m.unsupported(one.element, m.process)
		return false
	}
	one.draft.Attributes = append(one.draft.Attributes,
		workflow.Attribute{Name: "process", Value: process})
	return true
}

// readEntry reads a start event where cases continue from any node.
func (m *importer) readEntry(one *node, entry string) {
	m.allow(one.element, "countersign:entry="+entry, "isInterrupting=true", "parallelMultiple=false")
	if !slices.Contains(entries, entry) {
		m.value(one.element, fmt.Sprintf("cannot have the entry %.80q", entry))
	}
	one.entry = entry
	m.extension(one.element, "")
	for _, child := range one.element.children {
		switch child.name {
		case "bpmn:incoming", "bpmn:outgoing", "bpmn:signalEventDefinition",
			"bpmn:extensionElements":
		default:
			m.unsupported(child, one.element)
		}
	}
}

// readChildren reads the parts of an element that say in BPMN what a node does.
func (m *importer) readChildren(one *node) {
	for _, child := range one.element.children {
		switch {
		case child.name == "bpmn:incoming", child.name == "bpmn:outgoing",
			child.name == "bpmn:extensionElements":
		case child.name == "bpmn:documentation":
			m.notKept(child, one.element)
		case child.name == "bpmn:timerEventDefinition" && one.draft.Kind == workflow.KindTimer:
			if _, ok := one.draft.Attribute("after"); ok {
				m.unsupported(child, one.element)
			} else if after := m.readTimer(child, one.element); after != "" {
				one.draft.Attributes = append(one.draft.Attributes,
					workflow.Attribute{Name: "after", Value: after})
			}
		case child.name == "bpmn:multiInstanceLoopCharacteristics" &&
			one.draft.Kind == workflow.KindReview:
			m.readSeats(one, child)
		default:
			m.unsupported(child, one.element)
		}
	}
	if one.draft.Kind == workflow.KindTimer && len(one.element.named("bpmn:timerEventDefinition")) == 0 {
		m.refuse(one.id, "bpmn_event", "An intermediate event is supported only with a timer.")
	}
}

// readTimer reads the duration of a timer, "" if it has none that is supported.
func (m *importer) readTimer(e, around *element) string {
	m.extension(e, "")
	lengths := e.named("bpmn:timeDuration")
	for _, child := range e.children {
		if child.name != "bpmn:timeDuration" && child.name != "bpmn:extensionElements" {
			m.unsupported(child, around)
			return ""
		}
	}
	if len(lengths) != 1 {
		m.refuse(place(e, around), "bpmn_duration",
			"The duration {value} is not supported. Use days, hours, minutes and seconds, such as P1DT2H.",
			"value", `""`)
		return ""
	}
	length, ok := parseISO(lengths[0].text)
	if !ok {
		m.refuse(place(e, around), "bpmn_duration",
			"The duration {value} is not supported. Use days, hours, minutes and seconds, such as P1DT2H.",
			"value", fmt.Sprintf("%.80q", lengths[0].text))
		return ""
	}
	return workflow.ShortDuration(length)
}

// readSeats reads how many people are asked in a review.
func (m *importer) readSeats(one *node, loop *element) {
	m.allow(loop, "isSequential=false")
	for _, child := range loop.children {
		switch child.name {
		case "bpmn:loopCardinality":
			seats := workflow.Attribute{Name: "seats", Value: strings.TrimSpace(child.text)}
			if _, ok := one.draft.Attribute("seats"); ok || workflow.ValueProblem(seats) != "" {
				m.refuse(place(child, one.element), "bpmn_seats",
					"The number of instances must be a number, not {value}.", "value",
					fmt.Sprintf("%.80q", child.text))
				continue
			}
			one.draft.Attributes = append(one.draft.Attributes, seats)
		case "bpmn:completionCondition":
			one.completion = child.text
		default:
			m.unsupported(child, one.element)
		}
	}
	if len(loop.named("bpmn:loopCardinality")) == 0 {
		m.refuse(one.id, "bpmn_seats", "The number of instances must be a number, not {value}.",
			"value", `""`)
	}
}

// readExtension reads what BPMN has no word for.
func (m *importer) readExtension(one *node, extension *element) {
	for _, a := range extension.attributes {
		if slices.Contains([]string{"kind", "lang", "untitled"}, a.name) {
			continue
		}
		attribute := workflow.Attribute{Name: a.name, Value: a.value}
		problem := workflow.AttributeProblem(one.draft.Kind, attribute)
		if slices.Contains(inBPMN, a.name) {
			problem = "cannot have the attribute " + a.name + ", which BPMN has a word for"
		}
		if problem != "" {
			m.value(one.element, problem)
			continue
		}
		one.draft.Attributes = append(one.draft.Attributes, attribute)
	}
	m.readLists(one, extension)
	if one.completion != "" && one.completion != quorumCondition(&one.draft) {
		m.refuse(one.id, "bpmn_condition", "The condition {condition} is not supported here.",
			"condition", fmt.Sprintf("%.80q", one.completion))
	}
}

// readLists reads the parts of an extension that have several values.
func (m *importer) readLists(one *node, extension *element) {
	kind := one.draft.Kind
	for _, child := range extension.children {
		switch {
		case child.name == "countersign:title":
		case child.name == "countersign:queue" && kind == workflow.KindStage:
			if one.draft.QueueFor == nil {
				one.draft.QueueFor = map[string]string{}
			}
			one.draft.QueueFor[child.attribute("document_type")] = child.attribute("queue")
		case child.name == "countersign:remind" && kind == workflow.KindReview:
			one.draft.Remind = append(one.draft.Remind, child.attribute("before"))
		case child.name == "countersign:skill" && kind == workflow.KindReview:
			one.draft.Skills = append(one.draft.Skills, child.attribute("name"))
		case child.name == "countersign:bulk" && kind == workflow.KindReview &&
			len(one.draft.Bulk) == 0:
			m.readBulk(one, child)
		case child.name == "countersign:step" && kind == workflow.KindSaga:
			one.draft.Steps = append(one.draft.Steps, workflow.SagaStep{ID: child.attribute("id"),
				Call: child.attribute("call"), Undo: child.attribute("undo")})
		default:
			m.value(one.element, fmt.Sprintf("cannot have the element %.80q", child.name))
		}
	}
}

func (m *importer) readBulk(one *node, bulk *element) {
	for _, a := range bulk.attributes {
		attribute := workflow.Attribute{Name: a.name, Value: a.value}
		problem := workflow.ValueProblem(attribute)
		if !slices.Contains([]string{"max_amount", "max_risk", "undo"}, a.name) {
			problem = fmt.Sprintf("cannot have the attribute %.80q", a.name)
		}
		if problem != "" {
			m.value(one.element, problem)
			continue
		}
		one.draft.Bulk = append(one.draft.Bulk, attribute)
	}
}

// readBoundaryEvent reads a timeout or the failures that lead to another node.
func (m *importer) readBoundaryEvent(e *element) {
	one := m.addNode(e)
	if one == nil {
		return
	}
	m.allow(e, "attachedToRef", "cancelActivity=true", "parallelMultiple=false")
	m.extension(e, "")
	if e.attribute("name") != "" {
		m.notKept(newElement("name"), e)
	}
	kinds := map[string]bool{}
	for _, child := range e.children {
		switch child.name {
		case "bpmn:incoming", "bpmn:outgoing", "bpmn:extensionElements":
		case "bpmn:documentation":
			m.notKept(child, e)
		case "bpmn:timerEventDefinition":
			kinds[child.name] = true
			one.boundary.Trigger = workflow.TriggerTimeout
			one.draft.Timeout = m.readTimer(child, e)
		case "bpmn:errorEventDefinition":
			kinds[child.name] = true
			one.boundary.Trigger = workflow.TriggerError
			m.readError(one, child)
		default:
			m.unsupported(child, e)
		}
	}
	if len(kinds) != 1 || len(e.named("bpmn:timerEventDefinition")) > 1 {
		m.refuse(one.id, "bpmn_boundary",
			"A boundary event is supported with one timer or with errors.")
	}
}

func (m *importer) readError(one *node, definition *element) {
	m.extension(definition, "")
	ref, ok := definition.lookup("errorRef")
	if !ok {
		if len(one.element.named("bpmn:errorEventDefinition")) > 1 {
			m.unsupported(definition, one.element)
		}
		return
	}
	// The id can have a prefix of the file's own namespace.
	failure := m.byID[ref[strings.LastIndex(ref, ":")+1:]]
	if failure == nil || failure.name != "bpmn:error" || failure.attribute("errorCode") == "" {
		m.refuse(one.id, "bpmn_reference", "{id} does not exist.", "id",
			fmt.Sprintf("%.80q", ref))
		return
	}
	code := domain.Code(failure.attribute("errorCode"))
	if !workflow.KnownCode(code) {
		m.refuse(one.id, "bpmn_code", "The failure code {code} is unknown.", "code",
			fmt.Sprintf("%.80q", string(code)))
		return
	}
	one.boundary.Codes = append(one.boundary.Codes, code)
}
