package bpmn

import (
	"fmt"
	"strconv"

	"countersign/domain"
)

// documentElement returns the declaration of a kind of supporting documents.
func documentElement(rule *domain.DocumentRule) *element {
	e := newElement("countersign:document", "kind", rule.Kind)
	if rule.Required {
		e.set("required", "true")
	}
	if rule.Max != 1 {
		e.set("max", strconv.Itoa(rule.Max))
	}
	addLabels(e, rule.Label)
	return e
}

// readDocuments reads the declarations of supporting documents. What they mean is checked with the text.
func (m *importer) readDocuments(extension *element) {
	for _, e := range extension.named("countersign:document") {
		rule := domain.DocumentRule{Label: labelsOf(e), Max: 1}
		for _, a := range e.attributes {
			var err error
			switch a.name {
			case "kind":
				rule.Kind = a.value
			case "required":
				rule.Required, err = strconv.ParseBool(a.value)
			case "max":
				rule.Max, err = strconv.Atoi(a.value)
			default:
				m.value(m.process, fmt.Sprintf("cannot have the attribute %.80q", a.name))
			}
			if err != nil {
				m.value(m.process, fmt.Sprintf("cannot have the %s %.80q", a.name, a.value))
			}
		}
		m.onlyChildren(e, m.process, "countersign:title")
		m.draft.Documents = append(m.draft.Documents, rule)
	}
}
