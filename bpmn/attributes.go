package bpmn

import (
	"fmt"
	"regexp"
	"strconv"

	"countersign/domain"
)

// The pattern of an attribute matches the whole value; the format has the part in between.
const patternStart, patternEnd = "^(?:", ")$"

// attributeElement returns the declaration of an attribute of the submission.
func attributeElement(rule *domain.AttributeRule) *element {
	e := newElement("countersign:attribute", "name", rule.Name, "type", string(rule.Type),
		"currency", rule.Currency)
	if rule.Required {
		e.set("required", "true")
	}
	if rule.Type == domain.AttributeText {
		e.set("max_length", strconv.Itoa(rule.MaxLength))
	}
	if rule.Pattern != nil {
		e.set("pattern", rule.PatternText())
	}
	addLabels(e, rule.Label)
	for _, choice := range rule.Choices {
		one := newElement("countersign:choice", "key", choice.Key)
		addLabels(one, choice.Label)
		e.add(one)
	}
	return e
}

func addLabels(e *element, labels map[string]string) {
	for _, language := range sortedKeys(labels) {
		e.add(titleElement(language, labels[language]))
	}
}

// titleElement returns a title or label in one language.
func titleElement(language, text string) *element {
	return newElement("countersign:title", "lang", language, "text", text)
}

// labelsOf returns the titles in an extension, or the labels of a declaration.
func labelsOf(e *element) map[string]string {
	labels := map[string]string{}
	for _, one := range e.named("countersign:title") {
		labels[one.attribute("lang")] = one.attribute("text")
	}
	return labels
}

// readAttributes reads the declarations of attributes. What they mean is checked with the text.
func (m *importer) readAttributes(extension *element) {
	for _, e := range extension.named("countersign:attribute") {
		rule := domain.AttributeRule{Label: labelsOf(e)}
		for _, a := range e.attributes {
			m.readAttribute(&rule, a)
		}
		for _, choice := range e.named("countersign:choice") {
			rule.Choices = append(rule.Choices, domain.AttributeOption{Key: choice.attribute("key"),
				Label: labelsOf(choice)})
			m.onlyChildren(choice, m.process, "countersign:title")
		}
		m.onlyChildren(e, m.process, "countersign:title", "countersign:choice")
		m.draft.Attributes = append(m.draft.Attributes, rule)
	}
}

// readAttribute reads one value of a declaration.
func (m *importer) readAttribute(rule *domain.AttributeRule, a attribute) {
	var err error
	switch a.name {
	case "name":
		rule.Name = a.value
	case "type":
		rule.Type = domain.AttributeType(a.value)
	case "currency":
		rule.Currency = a.value
	case "required":
		rule.Required, err = strconv.ParseBool(a.value)
	case "max_length":
		rule.MaxLength, err = strconv.Atoi(a.value)
	case "pattern":
		rule.Pattern, err = regexp.Compile(patternStart + a.value + patternEnd)
	default:
		m.value(m.process, fmt.Sprintf("cannot have the attribute %.80q", a.name))
	}
	if err != nil {
		m.value(m.process, fmt.Sprintf("cannot have the %s %.80q", a.name, a.value))
	}
}
