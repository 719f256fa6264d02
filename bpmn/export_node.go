package bpmn

import (
	"fmt"
	"maps"
	"slices"

	"countersign/workflow"
)

// The sizes of shapes.
const (
	eventSize   = 36
	gatewaySize = 50
	taskWidth   = 100
	taskHeight  = 80
)

// elementOf is the BPMN element of a kind of node.
var elementOf = map[workflow.Kind]string{
	workflow.KindStart:     "bpmn:startEvent",
	workflow.KindStage:     "bpmn:serviceTask",
	workflow.KindExternal:  "bpmn:serviceTask",
	workflow.KindSaga:      "bpmn:serviceTask",
	workflow.KindTimer:     "bpmn:intermediateCatchEvent",
	workflow.KindReview:    "bpmn:userTask",
	workflow.KindExclusive: "bpmn:exclusiveGateway",
	workflow.KindFork:      "bpmn:parallelGateway",
	workflow.KindJoin:      "bpmn:parallelGateway",
	workflow.KindEnd:       "bpmn:endEvent",
	workflow.KindCall:      "bpmn:callActivity",
}

// inBPMN are the attributes of nodes that BPMN itself has a word for.
var inBPMN = []string{"after", "seats", "process"}

func (x *exporter) addNode(node *workflow.DraftNode) {
	e := newElement(elementOf[node.Kind], "id", node.ID)
	extension := newElement("countersign:node", "kind", string(node.Kind))
	usual, width, height := "", gatewaySize, gatewaySize
	switch node.Kind {
	case workflow.KindStart:
		width, height = eventSize, eventSize
	case workflow.KindEnd, workflow.KindTimer:
		usual, width, height = usualName(node.ID), eventSize, eventSize
	case workflow.KindStage, workflow.KindExternal, workflow.KindSaga, workflow.KindReview,
		workflow.KindCall:
		usual, width, height = usualName(node.ID), taskWidth, taskHeight
	case workflow.KindExclusive, workflow.KindFork, workflow.KindJoin:
	}
	x.title(e, extension, node.Title, usual)
	addDetails(extension, node)
	e.add(newElement("bpmn:extensionElements").add(extension), newElement("bpmn:incoming"),
		newElement("bpmn:outgoing"))
	x.addMeaning(e, node)
	drawn := x.addShape(e, width, height)
	x.addBoundaryEvents(node, drawn)
}

// addDetails adds what BPMN has no word for.
func addDetails(extension *element, node *workflow.DraftNode) {
	for _, one := range node.Attributes {
		if !slices.Contains(inBPMN, one.Name) {
			extension.set(one.Name, one.Value)
		}
	}
	for _, documentType := range sortedKeys(node.QueueFor) {
		extension.add(newElement("countersign:queue", "document_type", documentType, "queue",
			node.QueueFor[documentType]))
	}
	for _, before := range node.Remind {
		extension.add(newElement("countersign:remind", "before", before))
	}
	for _, skill := range node.Skills {
		extension.add(newElement("countersign:skill", "name", skill))
	}
	if len(node.Bulk) > 0 {
		bulk := newElement("countersign:bulk")
		for _, one := range node.Bulk {
			bulk.set(one.Name, one.Value)
		}
		extension.add(bulk)
	}
	for _, step := range node.Steps {
		extension.add(newElement("countersign:step", "id", step.ID, "call", step.Call, "undo",
			step.Undo))
	}
}

// addMeaning adds the parts of an element that say in BPMN what the node does.
func (x *exporter) addMeaning(e *element, node *workflow.DraftNode) {
	if after, ok := node.Attribute("after"); ok {
		e.add(timerDefinition(node.ID+"_timer", after))
	}
	if process, ok := node.Attribute("process"); ok {
		e.set("calledElement", processID(process))
	}
	seats, ok := node.Attribute("seats")
	if !ok {
		return
	}
	loop := newElement("bpmn:multiInstanceLoopCharacteristics", "isSequential", "false")
	cardinality := newElement("bpmn:loopCardinality", "xsi:type", "bpmn:tFormalExpression")
	cardinality.text = seats
	loop.add(cardinality, expression("bpmn:completionCondition", quorumCondition(node)))
	e.add(loop)
}

// quorumCondition says when the seats of a review have decided.
func quorumCondition(node *workflow.DraftNode) string {
	quorum, ok := node.Attribute("quorum")
	if !ok {
		quorum, _ = node.Attribute("seats")
	}
	if rule, ok := node.Attribute("decide_by"); ok {
		return fmt.Sprintf("decided_by_%s(quorum = %s) || returns > 0", rule, quorum)
	}
	return fmt.Sprintf("approvals >= %s || rejections > 0 || returns > 0", quorum)
}

func expression(name, text string) *element {
	e := newElement(name, "xsi:type", "bpmn:tFormalExpression", "language", celLanguage)
	e.text = text
	return e
}

func timerDefinition(id, after string) *element {
	length := newElement("bpmn:timeDuration", "xsi:type", "bpmn:tFormalExpression")
	length.text = isoDuration(after)
	return newElement("bpmn:timerEventDefinition", "id", id).add(length)
}

// addBoundaryEvents adds one boundary event for each boundary edge, side by side at the lower border of
// the task, which is widened for them.
func (x *exporter) addBoundaryEvents(node *workflow.DraftNode, host *shape) {
	failures := 0
	var events []*shape
	for _, edge := range node.Edges {
		var id string
		var definitions []*element
		switch edge.Trigger {
		case workflow.TriggerTimeout:
			id = timeoutID(node.ID)
			definitions = []*element{timerDefinition(id+"_timer", node.Timeout)}
		case workflow.TriggerError:
			failures++
			id = errorID(node.ID, failures)
			definitions = x.errorDefinitions(id, edge)
		default:
			continue
		}
		e := newElement("bpmn:boundaryEvent", "id", id, "attachedToRef", node.ID,
			"cancelActivity", "true")
		e.add(newElement("bpmn:outgoing")).add(definitions...)
		event := x.addShape(e, eventSize, eventSize)
		event.host = host
		events = append(events, event)
	}
	host.width = max(host.width, len(events)*(eventSize+boundaryGap)+boundaryGap)
}

func timeoutID(node string) string { return "Timeout_" + node }

func errorID(node string, number int) string { return fmt.Sprintf("Error_%d_%s", number, node) }

// errorDefinitions returns one definition per failure code, or one for every failure.
func (x *exporter) errorDefinitions(id string, edge workflow.Edge) []*element {
	if len(edge.Codes) == 0 {
		return []*element{newElement("bpmn:errorEventDefinition", "id", id+"_any")}
	}
	var definitions []*element
	for _, code := range edge.Codes {
		ref := "Failure_" + string(code)
		if !x.errors[ref] {
			x.errors[ref] = true
			x.roots = append(x.roots, newElement("bpmn:error", "id", ref, "name", string(code),
				"errorCode", string(code)))
		}
		definitions = append(definitions, newElement("bpmn:errorEventDefinition", "id",
			id+"_"+string(code), "errorRef", ref))
	}
	return definitions
}

func sortedKeys(values map[string]string) []string { return slices.Sorted(maps.Keys(values)) }
