package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/expr"
)

// The limits of the declaration of an attribute.
const (
	maxChoices           = 50
	defaultAttributeText = 200
	maxPattern           = 200
)

// attributeText is the YAML of an attribute of the submission.
type attributeText struct {
	Name      string            `yaml:"name"`
	Type      string            `yaml:"type"`
	Label     map[string]string `yaml:"label"`
	Required  bool              `yaml:"required"`
	Choices   []choiceText      `yaml:"choices"`
	MaxLength *int              `yaml:"max_length"`
	Pattern   string            `yaml:"pattern"`
	Currency  string            `yaml:"currency"`
}

// choiceText is the key of a choice, or {key, label}.
type choiceText struct {
	Key   string
	Label map[string]string
}

// UnmarshalYAML accepts both forms.
func (t *choiceText) UnmarshalYAML(decode func(any) error) error {
	if decode(&t.Key) == nil {
		return nil
	}
	var long struct {
		Key   string            `yaml:"key"`
		Label map[string]string `yaml:"label"`
	}
	if err := decode(&long); err != nil {
		return fmt.Errorf("a choice must be a key or {key, label}: %w", err)
	}
	t.Key, t.Label = long.Key, long.Label
	return nil
}

// submissionAttributes reads the attributes that a submitter states, and declares them for guards.
func (b *builder) submissionAttributes(texts []attributeText) {
	b.facts = expr.ProcessFacts()
	if len(texts) > domain.MaxAttributes {
		b.attributeProblem("", "A process can have at most %d attributes; this one has %d.",
			domain.MaxAttributes, len(texts))
		return
	}
	before := len(b.problems)
	for _, text := range texts {
		b.def.Attributes = append(b.def.Attributes, b.submissionAttribute(text))
	}
	if len(b.problems) > before {
		return
	}
	declared, err := expr.WithAttributes(b.def.Attributes)
	if err != nil {
		b.attributeProblem("", "The attributes cannot be used in conditions: %v.", err)
		return
	}
	b.facts, b.def.bounds = declared, declared.Bounds()
}

func (b *builder) attributeProblem(name, format string, args ...any) {
	problem := b.addProblem(nil, "attribute", format, args...)
	if name != "" {
		problem.Message = fmt.Sprintf("Attribute %s: %s", name, problem.Message)
	}
}

func (b *builder) submissionAttribute(text attributeText) domain.AttributeRule {
	rule := domain.AttributeRule{Name: text.Name, Type: domain.AttributeType(text.Type),
		Label: text.Label, Required: text.Required, Currency: text.Currency}
	switch {
	case !namePattern.MatchString(text.Name):
		b.attributeProblem("", "The name %q of an attribute is not valid: "+nameRule+".", text.Name)
	case slices.Contains(reservedWords, text.Name):
		b.attributeProblem(text.Name, "the name is reserved in conditions.")
	case slices.ContainsFunc(b.def.Attributes,
		func(r domain.AttributeRule) bool { return r.Name == text.Name }):
		b.attributeProblem(text.Name, "it is declared twice.")
	}
	if !slices.Contains(domain.AttributeTypes(), rule.Type) {
		b.attributeProblem(text.Name,
			"the type must be choice, text, integer, date, money or yes_no, not %q.", text.Type)
	}
	b.attributeChoices(&rule, text)
	b.attributeForm(&rule, text)
	return rule
}

// reservedWords are the words of CEL that cannot follow a dot, or that mean something else there.
var reservedWords = []string{"in", "true", "false", "null"}

func (b *builder) attributeChoices(rule *domain.AttributeRule, text attributeText) {
	for _, choice := range text.Choices {
		switch {
		case !namePattern.MatchString(choice.Key):
			b.attributeProblem(text.Name, "the choice %q is not valid: "+nameRule+".", choice.Key)
		case slices.Contains(rule.Keys(), choice.Key):
			b.attributeProblem(text.Name, "the choice %s is listed twice.", choice.Key)
		}
		rule.Choices = append(rule.Choices, domain.AttributeOption(choice))
	}
	isChoice := rule.Type == domain.AttributeChoice
	switch count := len(text.Choices); {
	case isChoice && (count == 0 || count > maxChoices):
		b.attributeProblem(text.Name, "a choice needs 1 to %d choices.", maxChoices)
	case !isChoice && count > 0:
		b.attributeProblem(text.Name, "only a choice has choices.")
	}
}

// attributeForm reads what a text or an amount must look like.
func (b *builder) attributeForm(rule *domain.AttributeRule, text attributeText) {
	isText, isMoney := rule.Type == domain.AttributeText, rule.Type == domain.AttributeMoney
	if isText {
		rule.MaxLength = b.number(nil, "max_length", text.MaxLength, defaultAttributeText, 1,
			domain.MaxAttributeText)
	}
	if !isText && (text.MaxLength != nil || text.Pattern != "") {
		b.attributeProblem(text.Name, "only a text has max_length and pattern.")
	}
	if text.Pattern != "" {
		pattern, err := regexp.Compile("^(?:" + text.Pattern + ")$")
		if err != nil || len(text.Pattern) > maxPattern {
			b.attributeProblem(text.Name,
				"the pattern must be a regular expression of at most %d characters.", maxPattern)
		}
		rule.Pattern = pattern
	}
	if _, known := domain.Exponent(text.Currency); isMoney != (text.Currency != "") ||
		isMoney && !known {
		b.attributeProblem(text.Name, "an amount, and nothing else, needs a currency such as EUR.")
	}
}

// attributesYAML writes the declarations of attributes.
func attributesYAML(rules []domain.AttributeRule) yamlList {
	list := yamlList{block: true}
	for i := range rules {
		rule := &rules[i]
		one := yamlMap{block: true}
		one.add("name", rule.Name)
		one.add("type", string(rule.Type))
		if len(rule.Label) > 0 {
			one.addValue("label", sortedMap(rule.Label))
		}
		if rule.Required {
			one.addPlain("required", "true")
		}
		if len(rule.Choices) > 0 {
			one.addValue("choices", choicesYAML(rule.Choices))
		}
		if rule.Type == domain.AttributeText && rule.MaxLength != defaultAttributeText {
			one.addPlain("max_length", strconv.Itoa(rule.MaxLength))
		}
		if rule.Pattern != nil {
			one.add("pattern", rule.PatternText())
		}
		if rule.Currency != "" {
			one.add("currency", rule.Currency)
		}
		list.items = append(list.items, one)
	}
	return list
}

func choicesYAML(choices []domain.AttributeOption) yamlList {
	list := yamlList{}
	for _, choice := range choices {
		if len(choice.Label) == 0 {
			list.items = append(list.items, yamlScalar{text: choice.Key})
			continue
		}
		one := yamlMap{}
		one.add("key", choice.Key)
		one.addValue("label", sortedMap(choice.Label))
		list.items = append(list.items, one)
	}
	return list
}
