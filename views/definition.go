package views

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// definition returns the process version that the case was started with. It parses each version
// once.
func (v *Views) definition(ctx context.Context, c domain.Case) (*workflow.Definition, error) {
	if def, ok := v.definitions.Load(c.ProcessKey, c.ProcessVersion); ok {
		return def, nil
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Key == c.ProcessKey && row.Version == c.ProcessVersion {
			return v.parseDefinition(row)
		}
	}
	return nil, domain.Errorf(domain.ProcessorNotFound, "Process %s version %d is not published.",
		c.ProcessKey, c.ProcessVersion)
}

// SignsApproval reports whether approving the review needs the reviewer's signature.
func (v *Views) SignsApproval(ctx context.Context, c domain.Case, review domain.Review) (bool, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return false, err
	}
	node, known := def.Node(review.Node)
	return known && node.SignsApproval(c.AmountKnown, c.BaseMinor), nil
}

// DocumentRules returns the kinds of supporting documents that the process version of the case declares.
func (v *Views) DocumentRules(ctx context.Context, c domain.Case) (
	map[string]domain.DocumentRule, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	rules := map[string]domain.DocumentRule{}
	for _, rule := range def.Documents {
		rules[rule.Kind] = rule
	}
	return rules, nil
}

// AttributeRules returns the attributes that the process version of the case declares, by name.
func (v *Views) AttributeRules(ctx context.Context, c domain.Case) (
	map[string]domain.AttributeRule, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	rules := map[string]domain.AttributeRule{}
	for _, rule := range def.Attributes {
		rules[rule.Name] = rule
	}
	return rules, nil
}

// hasAmount reports whether the case's process has an amount, in which case decision limits apply.
func (v *Views) hasAmount(ctx context.Context, c domain.Case) (bool, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return false, err
	}
	return def.HasAmount, nil
}
