package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
)

func (r caseResolver) Attributes(ctx context.Context, c *shape.Case) (
	[]donotuse.StatedAttribute, error) {
	shown := []donotuse.StatedAttribute{}
	if len(c.Case.Attributes) == 0 {
		return shown, nil
	}
	rules, err := r.views.AttributeRules(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	for _, stated := range c.Case.Attributes {
		rule := rules[stated.Name]
		one := donotuse.StatedAttribute{Name: stated.Name, Type: stated.Type, Value: stated.Value,
			Label: titleOf(rule.Label, stated.Name), Labels: namedValues(rule.Label),
			Currency: optional(stated.Currency), ValueLabels: []donotuse.NameValue{}}
		for _, choice := range rule.Choices {
			if choice.Key == stated.Value {
				one.ValueLabels = namedValues(choice.Label)
			}
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// attributeDeclarations returns the attributes that a process declares.
func attributeDeclarations(rules []domain.AttributeRule) []donotuse.AttributeDeclaration {
	shown := []donotuse.AttributeDeclaration{}
	for i := range rules {
		rule := &rules[i]
		one := donotuse.AttributeDeclaration{Name: rule.Name, Type: rule.Type, Required: rule.Required,
			Label: titleOf(rule.Label, rule.Name), Labels: namedValues(rule.Label),
			Choices: []donotuse.AttributeOption{}, Currency: optional(rule.Currency)}
		if rule.MaxLength > 0 {
			one.MaxLength = &rule.MaxLength
		}
		if rule.Pattern != nil {
			pattern := rule.Pattern.String()
			one.Pattern = &pattern
		}
		for _, choice := range rule.Choices {
			one.Choices = append(one.Choices, donotuse.AttributeOption{Key: choice.Key,
				Label: titleOf(choice.Label, choice.Key), Labels: namedValues(choice.Label)})
		}
		shown = append(shown, one)
	}
	return shown
}

func statedAttributes(in []donotuse.StatedAttributeInput) []domain.StatedAttribute {
	var stated []domain.StatedAttribute
	for _, one := range in {
		stated = append(stated, domain.StatedAttribute(one))
	}
	return stated
}
