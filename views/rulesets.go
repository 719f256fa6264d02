package views

import (
	"context"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
)

// RuleSet is one published version of a rule set, with what the viewer may see of it.
type RuleSet struct {
	store.RuleSetRow
	Parsed  *rules.Set
	Newest  bool
	Trusted bool // may see the source text and the publisher
}

// RuleSets reads the published rule sets by key, newest version first, for staff.
func (v *Views) RuleSets(ctx context.Context, actor domain.Actor, filter DefinitionFilter) (
	[]RuleSet, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if audienceOf(viewer.user) != domain.AudienceStaff {
		return nil, domain.Errorf(domain.NotPermitted, "Only staff can see the rules.")
	}
	rows, err := v.reader.RuleSets(ctx)
	if err != nil {
		return nil, err
	}
	sets := make([]RuleSet, 0, len(rows))
	for i, row := range rows {
		newest := i == 0 || rows[i-1].Key != row.Key
		if !filter.matches(row.Key, row.Version, newest) {
			continue
		}
		parsed, err := rules.CompilePublished(v.ruleSets, row.Key, row.Version, row.Document)
		if err != nil {
			continue // `countersign doctor` reports it
		}
		sets = append(sets, RuleSet{RuleSetRow: row, Parsed: parsed, Newest: newest,
			Trusted: viewer.seesDefinitions()})
	}
	return sets, nil
}

// FindingSentence returns the sentence of a finding in a language, filled with its values. It falls
// back to English. The caller must have checked that the actor may read the case.
func (v *Views) FindingSentence(ctx context.Context, finding domain.Finding,
	language string) (string, error) {
	if language == "en" {
		return finding.Message, nil
	}
	if finding.Rule == domain.RuleCorrection && language == "zh" {
		return "本案件更正被错误归档的 " + finding.Evidence["case"] + "：" + finding.Evidence["reason"] +
			"。批准后只归档更正的数据，不会付款，因为 " + finding.Evidence["case"] +
			" 可能已付款。如需再次付款，请提交新的付款指令。", nil
	}
	rule, err := v.ruleOf(ctx, finding)
	if err != nil || rule == nil {
		return finding.Message, err
	}
	return rule.Render(language, finding.Evidence), nil
}

// FindingTitle returns the short name of the rule of a finding in a language, from the version of
// the rule set that raised it. The caller must have checked that the actor may read the case.
func (v *Views) FindingTitle(ctx context.Context, finding domain.Finding,
	language string) (string, error) {
	if finding.Rule == domain.RuleCorrection {
		if language == "zh" {
			return "更正案件", nil
		}
		return "Correction of an archived case", nil
	}
	rule, err := v.ruleOf(ctx, finding)
	if err != nil || rule == nil {
		return rules.TitleOf(finding.Rule, language), err
	}
	return rule.Title(language), nil
}

// ruleOf returns the rule that raised a finding, nil for findings stored before rule sets were data.
func (v *Views) ruleOf(ctx context.Context, finding domain.Finding) (*rules.Rule, error) {
	return rules.RuleOf(v.ruleSets, finding, v.reader.RuleSetText(ctx))
}

// ApprovalRequirements returns what the findings of a case require of an approval; given are its
// overrides, and approvedIn the queues in which it was approved. The caller must have checked that
// the actor may read the findings.
func (v *Views) ApprovalRequirements(ctx context.Context, findings []domain.Finding,
	given []domain.FindingOverride, approvedIn []string) ([]domain.ApprovalRequirement, error) {
	var requirements []domain.ApprovalRequirement
	for _, finding := range findings {
		rule, err := v.ruleOf(ctx, finding)
		if err != nil {
			return nil, err
		}
		if needs, any := rules.RequirementOf(finding, rule, given, approvedIn); any {
			requirements = append(requirements, needs)
		}
	}
	return requirements, nil
}
