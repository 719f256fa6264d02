package bpmn

import (
	"bytes"
	"fmt"
	"strings"

	"countersign/workflow"
)

// Export writes a definition as BPMN 2.0 XML with a diagram.
func Export(def *workflow.Definition) []byte {
	draft := workflow.DraftOf(def)
	x := exporter{draft: &draft, shapes: map[string]*shape{}, errors: map[string]bool{}}
	process := x.process(def)
	placeShapes(x.order, x.flows)
	definitions := newElement("bpmn:definitions")
	for _, one := range namespaces {
		definitions.set("xmlns:"+one.prefix, one.uri)
	}
	definitions.set("id", "Definitions_"+draft.Key)
	definitions.set("targetNamespace", Namespace)
	definitions.set("expressionLanguage", celLanguage)
	definitions.set("exporter", "Countersign")
	definitions.add(x.roots...).add(process, diagram(draft.Key, x.order, x.flows))
	var out bytes.Buffer
	out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	definitions.write(&out, 0)
	return out.Bytes()
}

// exporter collects the elements of a process, and what the diagram shows.
type exporter struct {
	draft  *workflow.Draft
	roots  []*element // errors and signals, which the process refers to
	errors map[string]bool
	shapes map[string]*shape // by id
	order  []*shape
	flows  []*flow
	starts []*connection // from start events where cases continue from any node
}

// shape is a drawn node of the process.
type shape struct {
	id            string
	element       *element
	width, height int
	host          *shape // of a boundary event
	layer, row    int
	x, y          int
}

// flow is a drawn sequence flow.
type flow struct {
	element        *element
	source, target *shape
	points         []point
}

type point struct{ x, y int }

func (x *exporter) process(def *workflow.Definition) *element {
	process := newElement("bpmn:process", "id", processID(x.draft.Key))
	extension := newElement("countersign:process", "key", x.draft.Key)
	if x.draft.Version > 0 {
		extension.set("version", fmt.Sprint(x.draft.Version))
	}
	x.title(process, extension, x.draft.Title, "")
	if x.draft.Callable {
		extension.set("callable", "true")
	}
	if x.draft.NoAmount {
		extension.set("has_amount", "false")
	}
	for _, one := range []workflow.Attribute{{Name: "order", Value: x.draft.Order},
		{Name: "re_enter", Value: x.draft.ReEnter}, {Name: "on_replace", Value: x.draft.OnReplace},
		{Name: "on_enter", Value: x.draft.OnEnter},
		{Name: "remind_submitter", Value: x.draft.RemindSubmitter}} {
		if one.Value != "" {
			extension.set(one.Name, one.Value)
		}
	}
	for _, list := range x.lists() {
		for _, value := range *list.values {
			extension.add(newElement("countersign:entry", "list", list.name, "value", value))
		}
	}
	for i := range x.draft.Attributes {
		extension.add(attributeElement(&x.draft.Attributes[i]))
	}
	for i := range x.draft.Documents {
		extension.add(documentElement(&x.draft.Documents[i]))
	}
	process.set("isExecutable", "false")
	process.add(newElement("bpmn:extensionElements").add(extension))
	for i := range x.draft.Nodes {
		x.addNode(&x.draft.Nodes[i])
	}
	x.addEntries(def)
	x.addFlows()
	for _, one := range x.order {
		process.add(one.element)
	}
	for _, one := range x.flows {
		process.add(one.element)
	}
	return process
}

func processID(key string) string { return "Process_" + key }

type namedList struct {
	name   string
	values *[]string
}

func (x *exporter) lists() []namedList { return listsOf(x.draft) }

// listsOf returns the lists of a definition's header.
func listsOf(draft *workflow.Draft) []namedList {
	return []namedList{{"document_types", &draft.DocumentTypes}, {"key_facts", &draft.KeyFacts},
		{"needs", &draft.Needs}, {"reopen", &draft.Reopen}}
}

// title gives an element its name: the title in English or in another language. The extension says
// which language it is and has the other titles. An element without a title is named usual.
func (x *exporter) title(e, extension *element, title map[string]string, usual string) {
	languages := sortedKeys(title)
	if len(languages) == 0 {
		if usual != "" {
			e.set("name", usual)
			extension.set("untitled", "true")
		}
		return
	}
	main := languages[0]
	if _, ok := title["en"]; ok {
		main = "en"
	}
	e.set("name", title[main])
	extension.set("lang", main)
	for _, language := range languages {
		if language != main {
			extension.add(titleElement(language, title[language]))
		}
	}
}

// usualName is the name of a task or event without a title.
func usualName(id string) string { return strings.ReplaceAll(id, "_", " ") }

func (x *exporter) addShape(e *element, width, height int) *shape {
	one := &shape{id: e.attribute("id"), element: e, width: width, height: height}
	x.shapes[one.id], x.order = one, append(x.order, one)
	return one
}

// entries are the attributes of a definition that name where a case continues from any node.
var entries = []string{"on_abandon", "re_enter", "on_replace", "on_enter"}

// addEntries adds a start event for each node where cases continue from any node and to which no
// sequence flow leads. Abandoned cases always have one.
func (x *exporter) addEntries(def *workflow.Definition) {
	led := map[string]bool{}
	for i := range x.draft.Nodes {
		for _, edge := range x.draft.Nodes[i].Edges {
			led[edge.To] = true
		}
	}
	if def.Callable { // cases continue in the calling process
		return
	}
	for i, target := range []string{def.OnAbandon, def.ReEnter, def.OnReplace, def.OnEnter} {
		if i == 0 || !led[target] {
			x.addEntry(entries[i], target)
			led[target] = true
		}
	}
}

func (x *exporter) addEntry(entry, target string) {
	signal, id := "Signal_"+entry, "Start_"+entry
	x.roots = append(x.roots, newElement("bpmn:signal", "id", signal, "name", entry))
	event := newElement("bpmn:startEvent", "id", id, "name", usualName(entry),
		"countersign:entry", entry)
	event.add(newElement("bpmn:outgoing"), newElement("bpmn:signalEventDefinition", "id",
		id+"_signal", "signalRef", signal))
	x.starts = append(x.starts, &connection{source: x.addShape(event, eventSize, eventSize),
		target: target})
}
