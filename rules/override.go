package rules

import (
	"slices"
	"strings"

	"countersign/domain"
)

var overrides = []domain.Override{
	domain.OverrideNone, domain.OverrideReason, domain.OverrideSecondPerson, domain.OverrideQueue, domain.OverrideNever,
}

// defaultOverride returns the override of a rule that names none: a blocking finding needs a
// reason. It also applies to findings without a rule, for example of an external program.
func defaultOverride(severity domain.Severity) domain.Override {
	if severity == domain.SeverityBlocking {
		return domain.OverrideReason
	}
	return domain.OverrideNone
}

// RequirementOf returns what a finding requires of an approval, and false if it requires nothing.
// rule is the rule that raised it, nil if there is none; given are the overrides of the case, and
// approvedIn the queues in which reviewers approved it.
func RequirementOf(
	finding domain.Finding, rule *Rule, given []domain.FindingOverride, approvedIn []string,
) (domain.ApprovalRequirement, bool) {
	needs := domain.ApprovalRequirement{Rule: finding.Rule, FindingHash: finding.Hash(),
		Override: defaultOverride(finding.Severity)}
	if rule != nil {
		needs.Override, needs.Queue = rule.Override, rule.OverrideQueue
		needs.Title = rule.Title("en")
	} else {
		needs.Title = TitleOf(finding.Rule, "en")
	}
	if needs.Override == domain.OverrideNone {
		return domain.ApprovalRequirement{}, false
	}
	for _, override := range given {
		if override.Rule == finding.Rule && override.FindingHash == needs.FindingHash {
			needs.Given = append(needs.Given, override)
		}
	}
	switch needs.Override {
	case domain.OverrideReason:
		needs.Satisfied = len(needs.Given) > 0
	case domain.OverrideSecondPerson:
		needs.Satisfied = twoPersons(needs.Given)
	case domain.OverrideQueue:
		needs.Satisfied = slices.Contains(approvedIn, needs.Queue)
	}
	return needs, true
}

// twoPersons reports whether two of the overrides share no person, neither as the one who acted nor
// as the one on whose behalf.
func twoPersons(given []domain.FindingOverride) bool {
	for i, first := range given {
		for _, second := range given[i+1:] {
			if !slices.ContainsFunc(second.Persons(), func(id domain.ID) bool {
				return slices.Contains(first.Persons(), id)
			}) {
				return true
			}
		}
	}
	return false
}

// override checks what the text of a rule says about overrides.
func (b *builder) override(rule *Rule, text ruleText) {
	rule.Override, rule.OverrideQueue = domain.Override(text.Override), strings.TrimSpace(text.OverrideQueue)
	if text.Override == "" {
		rule.Override = defaultOverride(rule.Severity)
	}
	switch {
	case !slices.Contains(overrides, rule.Override):
		b.addProblem(rule, "override",
			"override must be none, reason, second_person, queue or never, not %q", text.Override)
	case (rule.Override == domain.OverrideQueue) != (rule.OverrideQueue != ""):
		b.addProblem(rule, "override", "override: queue and override_queue must be used together")
	}
}
