package bpmn

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"
)

// Namespace is the namespace of the extension elements and attributes.
const Namespace = "https://countersign.example/schema/bpmn"

// celLanguage names CEL, the language of the conditions.
const celLanguage = "https://cel.dev"

// namespaces are the namespaces by the prefix that this package uses for them, whatever prefix a file
// has.
var namespaces = []struct{ prefix, uri string }{
	{"bpmn", "http://www.omg.org/spec/BPMN/20100524/MODEL"},
	{"bpmndi", "http://www.omg.org/spec/BPMN/20100524/DI"},
	{"dc", "http://www.omg.org/spec/DD/20100524/DC"},
	{"di", "http://www.omg.org/spec/DD/20100524/DI"},
	{"xsi", "http://www.w3.org/2001/XMLSchema-instance"},
	{"countersign", Namespace},
}

// element is an element of XML. Names have the prefix of namespaces, or {uri} for other namespaces.
type element struct {
	name       string
	attributes []attribute
	text       string
	chars      []byte // the text of an element that is being read
	children   []*element
}

type attribute struct{ name, value string }

// newElement makes an element with attributes given as name and value in turn. Attributes without a
// value are left out.
func newElement(name string, attributes ...string) *element {
	e := &element{name: name}
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			e.set(attributes[i], attributes[i+1])
		}
	}
	return e
}

func (e *element) set(name, value string) {
	e.attributes = append(e.attributes, attribute{name, value})
}

func (e *element) add(children ...*element) *element {
	e.children = append(e.children, children...)
	return e
}

func (e *element) attribute(name string) string {
	value, _ := e.lookup(name)
	return value
}

func (e *element) lookup(name string) (value string, ok bool) {
	at := slices.IndexFunc(e.attributes, func(a attribute) bool { return a.name == name })
	if at < 0 {
		return "", false
	}
	return e.attributes[at].value, true
}

// named returns the children with the name.
func (e *element) named(name string) []*element {
	var found []*element
	for _, child := range e.children {
		if child.name == name {
			found = append(found, child)
		}
	}
	return found
}

// write writes the element and its children with indentation. An element has either text or children.
func (e *element) write(out *bytes.Buffer, depth int) {
	indent := strings.Repeat("  ", depth)
	out.WriteString(indent + "<" + e.name)
	for _, a := range e.attributes {
		out.WriteString(" " + a.name + `="`)
		_ = xml.EscapeText(out, []byte(a.value)) // a Buffer does not fail
		out.WriteByte('"')
	}
	switch {
	case len(e.children) > 0:
		out.WriteString(">\n")
		for _, child := range e.children {
			child.write(out, depth+1)
		}
		out.WriteString(indent + "</" + e.name + ">\n")
	case e.text != "":
		out.WriteByte('>')
		_ = xml.EscapeText(out, []byte(e.text))
		out.WriteString("</" + e.name + ">\n")
	default:
		out.WriteString(" />\n")
	}
}
