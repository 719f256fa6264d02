package bpmn

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"countersign/workflow"
)

// Bounds of a file. The export of a definition of the largest size stays below them.
const (
	MaxBytes    = 2 << 20
	maxElements = 60_000
	maxDepth    = 32
	maxOfOne    = 64 // attributes of one element
)

// readXML reads a file as elements. It refuses document types and entities, which encoding/xml would
// never resolve from outside, and every encoding but UTF-8.
func readXML(source []byte) (*element, *workflow.Problem) {
	if len(source) > MaxBytes {
		return nil, unreadable("bpmn_bytes", "The file has more than %s bytes.", MaxBytes)
	}
	decoder := xml.NewDecoder(bytes.NewReader(source))
	top := &element{}
	open := []*element{top}
	for count := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, unreadable("bpmn_unreadable", "The file cannot be read as XML: %s.",
				strings.TrimSuffix(err.Error(), "."))
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			if count++; count > maxElements {
				return nil, unreadable("bpmn_elements", "The file has more than %s elements.",
					maxElements)
			}
			if len(open) > maxDepth {
				return nil, unreadable("bpmn_depth", "Elements are nested more than %s deep.",
					maxDepth)
			}
			if len(token.Attr) > maxOfOne {
				return nil, unreadable("bpmn_attributes",
					"An element has more than %s attributes.", maxOfOne)
			}
			one, repeated := startElement(token)
			if repeated != "" {
				return nil, unreadable("bpmn_unreadable",
					"The file cannot be read as XML: the attribute %s is repeated.", repeated)
			}
			last.add(one)
			open = append(open, one)
		case xml.EndElement:
			last.text, last.chars = string(last.chars), nil
			open = open[:len(open)-1]
		case xml.CharData:
			last.chars = append(last.chars, token...)
		case xml.Directive:
			return nil, unreadable("bpmn_dtd", "The file has a document type (%s), which is not allowed.", "DOCTYPE")
		}
	}
	if len(top.children) != 1 || top.children[0].name != "bpmn:definitions" {
		return nil, unreadable("bpmn_root", "The file is not BPMN 2.0: its root element is not %s.",
			"definitions")
	}
	return top.children[0], nil
}

func unreadable(rule, format string, value any) *workflow.Problem {
	return &workflow.Problem{Rule: rule, Message: fmt.Sprintf(format, fmt.Sprint(value)),
		Values: map[string]string{"value": fmt.Sprint(value)}}
}

// startElement returns the element, and the name of an attribute that it has twice.
func startElement(token xml.StartElement) (one *element, repeated string) {
	one = &element{name: prefixed(token.Name)}
	for _, a := range token.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		name := prefixed(a.Name)
		if _, ok := one.lookup(name); ok {
			return one, name
		}
		one.set(name, a.Value)
	}
	return one, ""
}

// prefixed returns the name with the prefix of namespaces, whatever prefix the file uses.
func prefixed(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	for _, one := range namespaces {
		if one.uri == name.Space {
			return one.prefix + ":" + name.Local
		}
	}
	return "{" + name.Space + "}" + name.Local
}
