package workflow

import (
	"slices"
	"strconv"

	"countersign/domain"
)

// documentText is the YAML of a kind of supporting documents.
type documentText struct {
	Kind     string            `yaml:"kind"`
	Label    map[string]string `yaml:"label"`
	Required bool              `yaml:"required"`
	Max      *int              `yaml:"max"`
}

// supportingDocuments reads the kinds of supporting documents.
func (b *builder) supportingDocuments(texts []documentText) {
	if len(texts) > domain.MaxDocumentKinds {
		b.addProblem(nil, "document", "A process can have at most %d kinds of documents; this one has %d.",
			domain.MaxDocumentKinds, len(texts))
		return
	}
	for _, text := range texts {
		switch {
		case !namePattern.MatchString(text.Kind):
			b.addProblem(nil, "document", "The kind %q of a document is not valid: "+nameRule+".", text.Kind)
		case slices.ContainsFunc(b.def.Documents,
			func(r domain.DocumentRule) bool { return r.Kind == text.Kind }):
			b.addProblem(nil, "document", "The kind %s of documents is declared twice.", text.Kind)
		}
		b.def.Documents = append(b.def.Documents, domain.DocumentRule{Kind: text.Kind, Label: text.Label,
			Required: text.Required, Max: b.number(nil, "max", text.Max, 1, 1, domain.MaxSupporting)})
	}
}

// documentsYAML writes the declarations of supporting documents.
func documentsYAML(rules []domain.DocumentRule) yamlList {
	list := yamlList{block: true}
	for i := range rules {
		rule := &rules[i]
		one := yamlMap{block: true}
		one.add("kind", rule.Kind)
		if len(rule.Label) > 0 {
			one.addValue("label", sortedMap(rule.Label))
		}
		if rule.Required {
			one.addPlain("required", "true")
		}
		if rule.Max != 1 {
			one.addPlain("max", strconv.Itoa(rule.Max))
		}
		list.items = append(list.items, one)
	}
	return list
}
