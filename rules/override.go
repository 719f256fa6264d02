package rules

import (
	"slices"
	"strings"

	"countersign/domain"
)

// Override is what an approval needs while a finding is open.
type Override string

// The overrides, from the weakest to the strongest.
const (
	OverrideNone         Override = "none"          // nothing
	OverrideReason       Override = "reason"        // a reason that one reviewer states
	OverrideSecondPerson Override = "second_person" // reasons of two reviewers
	OverrideQueue        Override = "queue"         // an approval in another queue
	OverrideNever        Override = "never"         // the finding has to go away
)

var overrides = []Override{
	OverrideNone, OverrideReason, OverrideSecondPerson, OverrideQueue, OverrideNever,
}

// defaultOverride returns the override of a rule that names none: a blocking finding needs a
// reason. It also applies to findings without a rule, for example of an external program.
func defaultOverride(severity domain.Severity) Override {
	if severity == domain.SeverityBlocking {
		return OverrideReason
	}
	return OverrideNone
}

// Requirement is what an approval needs because of one finding.
type Requirement struct {
	Rule  string
	Title string // of the rule, in English
	// FindingHash identifies what the finding says; an override of another hash does not count.
	FindingHash [32]byte
	Override    Override // never OverrideNone
	Queue       string   // of OverrideQueue
	// Given are the overrides of this finding so far, oldest first.
	Given []domain.FindingOverride
	// Satisfied says that the approval needs nothing else because of the finding.
	Satisfied bool
}

// RequirementOf returns what a finding requires of an approval, and false if it requires nothing.
// rule is the rule that raised it, nil if there is none; given are the overrides of the case, and
// approvedIn the queues in which reviewers approved it.
func RequirementOf(
	finding domain.Finding, rule *Rule, given []domain.FindingOverride, approvedIn []string,
) (Requirement, bool) {
	needs := Requirement{Rule: finding.Rule, FindingHash: finding.Hash(),
		Override: defaultOverride(finding.Severity)}
	if rule != nil {
		needs.Override, needs.Queue = rule.Override, rule.OverrideQueue
		needs.Title = rule.Title("en")
	} else {
		needs.Title = TitleOf(finding.Rule, "en")
	}
	if needs.Override == OverrideNone {
		return Requirement{}, false
	}
	for _, override := range given {
		if override.Rule == finding.Rule && override.FindingHash == needs.FindingHash {
			needs.Given = append(needs.Given, override)
		}
	}
	switch needs.Override {
	case OverrideReason:
		needs.Satisfied = len(needs.Given) > 0
	case OverrideSecondPerson:
		needs.Satisfied = twoPersons(needs.Given)
	case OverrideQueue:
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
	rule.Override, rule.OverrideQueue = Override(text.Override), strings.TrimSpace(text.OverrideQueue)
	if text.Override == "" {
		rule.Override = defaultOverride(rule.Severity)
	}
	switch {
	case !slices.Contains(overrides, rule.Override):
		b.addProblem(rule, "override",
			"override must be none, reason, second_person, queue or never, not %q", text.Override)
	case (rule.Override == OverrideQueue) != (rule.OverrideQueue != ""):
		b.addProblem(rule, "override", "override: queue and override_queue must be used together")
	}
}
