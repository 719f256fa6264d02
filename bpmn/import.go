package bpmn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/workflow"
)

// Imported is what a BPMN file says as a definition. The Node of each problem is the id of an element
// of the file.
type Imported struct {
	// Text is the definition as YAML, "" if the file is refused. It can still lack what the file does
	// not say: the check of the text reports it.
	Text []byte
	// Refused are the parts of the file that the engine cannot run.
	Refused []workflow.Problem
	// Notes are the parts without effect that the text does not keep, and what the file does not say.
	Notes []workflow.Problem
}

// Import reads a BPMN file as the text of a definition.
func Import(source []byte) Imported {
	root, problem := readXML(source)
	if problem != nil {
		return Imported{Refused: []workflow.Problem{*problem}}
	}
	m := importer{byID: map[string]*element{}, nodes: map[string]*node{}, names: map[string]string{}}
	m.readRoot(root)
	m.readNodes()
	m.readFlows()
	if len(m.refused) > 0 {
		return Imported{Refused: m.refused, Notes: m.notes}
	}
	m.finish()
	if len(m.refused) > 0 {
		return Imported{Refused: m.refused, Notes: m.notes}
	}
	return Imported{Text: m.draft.YAML(), Notes: m.notes}
}

// importer collects the definition and the problems of a file.
type importer struct {
	draft          workflow.Draft
	refused, notes []workflow.Problem
	byID           map[string]*element // errors, nodes and flows
	process        *element
	language       string // of conditions that name none
	order          []*node
	nodes          map[string]*node  // by the id of their element
	names          map[string]string // ids of the definition by ids of the file
}

// node is a node of the file: one of the definition, a boundary event, a start event for cases at
// any node, or a gateway in which flows meet.
type node struct {
	id         string
	element    *element
	draft      workflow.DraftNode
	entry      string // the attribute of the definition that a start event draws
	before     string // the node before which flows meet
	host       *node  // of a boundary event
	boundary   workflow.Edge
	in, out    []*element
	unnamed    bool // the file does not have an extension for the node
	completion string
}

func (m *importer) refuse(id, rule, message string, values ...string) {
	m.refused = append(m.refused, problemOf(id, rule, message, values))
}

func (m *importer) note(id, rule, message string, values ...string) {
	m.notes = append(m.notes, problemOf(id, rule, message, values))
}

// problemOf makes a problem. Values are given as name and value in turn; the message refers to them in
// order.
func problemOf(id, rule, message string, values []string) workflow.Problem {
	problem := workflow.Problem{Node: id, Rule: rule, Message: message}
	if len(values) > 0 {
		problem.Values = map[string]string{}
	}
	for i := 0; i+1 < len(values); i += 2 {
		problem.Values[values[i]] = values[i+1]
		problem.Message = strings.ReplaceAll(problem.Message, "{"+values[i]+"}", values[i+1])
	}
	return problem
}

// place is the id of an element, or of the element around it.
func place(e, around *element) string {
	if id := e.attribute("id"); id != "" || around == nil {
		return id
	}
	return around.attribute("id")
}

// unsupported refuses an element that the engine does not run.
func (m *importer) unsupported(e, around *element) {
	m.refuse(place(e, around), "bpmn_element", "{element} is not supported.", "element",
		localName(e.name))
}

// localName is the name without the prefix of BPMN, as the specification calls the element, and without
// the namespace of another tool.
func localName(name string) string {
	return strings.TrimPrefix(name[strings.LastIndex(name, "}")+1:], "bpmn:")
}

// notKept notes an element without effect that the text of a definition cannot have.
func (m *importer) notKept(e, around *element) {
	m.note(place(e, around), "bpmn_not_kept", "{element} is not kept in the text.", "element",
		localName(e.name))
}

// readRoot finds the process and everything that it refers to.
func (m *importer) readRoot(root *element) {
	m.language = root.attribute("expressionLanguage")
	var processes []*element
	for _, child := range root.children {
		switch child.name {
		case "bpmn:process":
			processes = append(processes, child)
		case "bpmn:error":
			m.register(child)
		case "bpmn:signal", "bpmndi:BPMNDiagram": // start events of entries; the drawing
		case "bpmn:collaboration":
			m.readCollaboration(child)
		case "bpmn:category", "bpmn:message", "bpmn:escalation", "bpmn:itemDefinition",
			"bpmn:dataStore": // declarations; their use is refused
			m.notKept(child, root)
		default:
			m.unsupported(child, root)
		}
	}
	if len(processes) != 1 {
		m.refuse(root.attribute("id"), "bpmn_processes",
			"A definition is exactly one process; the file has {count}.", "count",
			fmt.Sprint(len(processes)))
		for _, one := range processes {
			m.refuse(one.attribute("id"), "bpmn_element", "{element} is not supported.", "element",
				"process")
		}
		m.process = &element{}
		return
	}
	m.process = processes[0]
}

// readCollaboration accepts the pool around a single process.
func (m *importer) readCollaboration(e *element) {
	for i, child := range e.children {
		if child.name != "bpmn:participant" || i > 0 || len(child.children) > 0 {
			m.unsupported(child, e)
			continue
		}
		m.notKept(child, e)
	}
}

// register remembers an element by its id; an id can be used once.
func (m *importer) register(e *element) bool {
	id := e.attribute("id")
	switch {
	case id == "":
		m.refuse("", "bpmn_no_id", "{element} has no id.", "element", localName(e.name))
		return false
	case m.byID[id] != nil:
		m.refuse(id, "bpmn_duplicate_id", "The id is used twice.")
		return false
	}
	m.byID[id] = e
	return true
}

// allow refuses the attributes of an element that have a meaning and are not in the list, which has
// entries of the form name or name=value.
func (m *importer) allow(e *element, allowed ...string) {
	for _, a := range e.attributes {
		if a.name == "id" || a.name == "name" || slices.Contains(allowed, a.name) ||
			slices.Contains(allowed, a.name+"="+a.value) {
			continue
		}
		name := a.name
		if at := strings.Index(name, "}"); at > 0 {
			name = name[1:at] + " " + name[at+1:]
		}
		m.refuse(e.attribute("id"), "bpmn_attribute",
			"The attribute {attribute} of {element} is not supported with the value {value}.",
			"attribute", name, "element", localName(e.name), "value", fmt.Sprintf("%.80q", a.value))
	}
}

// readProcess reads the header of the definition.
func (m *importer) readProcess() {
	m.allow(m.process, "isExecutable", "processType", "isClosed=false")
	extension := m.extension(m.process, "countersign:process")
	m.draft.Title = titleOf(m.process, extension, "")
	for _, a := range extension.attributes {
		switch a.name {
		case "key":
			m.draft.Key = a.value
		case "version":
			if _, err := fmt.Sscanf(a.value, "%d", &m.draft.Version); err != nil ||
				fmt.Sprint(m.draft.Version) != a.value || m.draft.Version < 1 {
				m.value(m.process, "needs a number as version")
			}
		case "has_amount":
			if m.draft.NoAmount = a.value == "false"; a.value != "false" && a.value != "true" {
				m.value(m.process, "needs true or false as has_amount")
			}
		case "callable":
			if m.draft.Callable = a.value == "true"; !m.draft.Callable {
				m.value(m.process, "needs true as callable")
			}
		case "order":
			m.draft.Order = a.value
		case "remind_submitter":
			m.draft.RemindSubmitter = a.value
		case "re_enter", "on_replace", "on_enter", "lang":
		default:
			m.value(m.process, "cannot have the attribute "+fmt.Sprintf("%.80q", a.name))
		}
	}
	lists := listsOf(&m.draft)
	for _, entry := range extension.named("countersign:entry") {
		at := slices.IndexFunc(lists, func(l namedList) bool {
			return l.name == entry.attribute("list")
		})
		if at < 0 {
			m.value(m.process, "cannot have the list "+fmt.Sprintf("%.80q", entry.attribute("list")))
			continue
		}
		*lists[at].values = append(*lists[at].values, entry.attribute("value"))
	}
	m.readAttributes(extension)
	m.readDocuments(extension)
	m.onlyChildren(extension, m.process, "countersign:entry", "countersign:title",
		"countersign:attribute", "countersign:document")
}

// value refuses an extension that has no meaning in a definition.
func (m *importer) value(e *element, message string) {
	m.refuse(e.attribute("id"), "bpmn_value", "The extension {problem}.", "problem", message)
}

func (m *importer) onlyChildren(extension, e *element, names ...string) {
	for _, child := range extension.children {
		if !slices.Contains(names, child.name) {
			m.value(e, "cannot have the element "+fmt.Sprintf("%.80q", child.name))
		}
	}
}

// extension returns the extension of an element that this package defines, an empty one if there is
// none. Extensions of other tools are refused.
func (m *importer) extension(e *element, name string) *element {
	found := &element{}
	for _, extensions := range e.named("bpmn:extensionElements") {
		for _, child := range extensions.children {
			if child.name != name || found.name != "" {
				m.refuse(e.attribute("id"), "bpmn_extension",
					"The extension {element} of another tool is not supported. Remove it.",
					"element", child.name[strings.Index(child.name, "}")+1:])
				continue
			}
			found = child
		}
	}
	return found
}

// titleOf returns the titles of an element. A name without an extension is in Chinese if it has a
// Chinese character, otherwise in English. Usual is the name of an element without a title.
func titleOf(e, extension *element, usual string) map[string]string {
	title := map[string]string{}
	name := e.attribute("name")
	language, ok := extension.lookup("lang")
	switch {
	case ok:
		title[language] = name
	case name != "" && (extension.attribute("untitled") == "" || name != usual):
		title[languageOf(name)] = name
	}
	maps.Copy(title, labelsOf(extension))
	if len(title) == 0 {
		return nil
	}
	return title
}

// finish writes the references between nodes into the definition.
func (m *importer) finish() {
	extension := m.extension(m.process, "countersign:process")
	for name, target := range map[string]*string{"re_enter": &m.draft.ReEnter,
		"on_replace": &m.draft.OnReplace, "on_enter": &m.draft.OnEnter} {
		if id, ok := extension.lookup(name); ok {
			*target = m.name(id)
		}
	}
	m.readEntries()
	if m.draft.Key == "" {
		m.draft.Key = slug(m.process.attribute("name"), m.process.attribute("id"))
	}
	if m.draft.OnAbandon == "" && !m.draft.Callable {
		m.missing(m.process.attribute("id"), "on_abandon")
	}
	for _, one := range m.order {
		if one.draft.Kind == "" {
			continue
		}
		sortFailures(one.draft.Edges)
		m.noteMissing(one)
		m.draft.Nodes = append(m.draft.Nodes, one.draft)
	}
}

// name returns the id in the definition of a node of the file.
func (m *importer) name(id string) string {
	if name, ok := m.names[id]; ok {
		return name
	}
	return id
}

func (m *importer) missing(id, attribute string) {
	m.note(id, "bpmn_missing", "The file does not say {attribute}. Add it to the text.",
		"attribute", attribute)
}

// noteMissing notes what a definition needs and BPMN without the extension cannot say.
func (m *importer) noteMissing(one *node) {
	needed := map[workflow.Kind][]string{workflow.KindStage: {"behaviour"},
		workflow.KindReview: {"queue"}, workflow.KindEnd: m.statusOfEnds(),
		workflow.KindExternal: {"topic"}}
	if one.unnamed {
		for _, name := range needed[one.draft.Kind] {
			if _, ok := one.draft.Attribute(name); !ok {
				m.missing(one.id, name)
			}
		}
	}
	if one.draft.Kind == workflow.KindReview && one.unnamed &&
		!slices.ContainsFunc(one.draft.Edges,
			func(e workflow.Edge) bool { return e.On == "reject" }) {
		m.missing(one.id, "reject")
	}
}

// statusOfEnds returns what the end of a process needs: a status, unless another process calls it.
func (m *importer) statusOfEnds() []string {
	if m.draft.Callable {
		return nil
	}
	return []string{"status"}
}

// sortFailures moves the edge for every failure behind the others, because they go first in BPMN.
func sortFailures(edges []workflow.Edge) {
	slices.SortStableFunc(edges, func(a, b workflow.Edge) int {
		return boolInt(a.Trigger == workflow.TriggerError && len(a.Codes) == 0) -
			boolInt(b.Trigger == workflow.TriggerError && len(b.Codes) == 0)
	})
}

func boolInt(value bool) int {
	if value {
		return 1
	}
	return 0
}
