package views

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/rules"
	"countersign/workflow"
)

// RehearsedRule counts what one rule would have found.
type RehearsedRule struct {
	Rule string
	rule *rules.Rule // of the changed set, otherwise of one that judged a case; nil if there is none
	// Before and After are cases with its finding; Appears and Disappears those that have it on one side.
	Before, After, Appears, Disappears int
	// Unknown are cases for which its result cannot be determined, because Facts are not recorded. They
	// keep their recorded result.
	Unknown int
	Facts   []string
	// Unlike are cases of which the earlier version finds something else now than was recorded.
	Unlike int
}

// Title returns the short name of the rule in a language.
func (r RehearsedRule) Title(language string) string {
	if r.rule == nil {
		return rules.TitleOf(r.Rule, language)
	}
	return r.rule.Title(language)
}

// rehearsedRules is a changed rule set beside the published ones.
type rehearsedRules struct {
	set       *rules.Set
	sets      []*rules.Set      // the changed one and the newest of other keys
	published [][]publishedRule // by key, newest version first
	oneOf     []string          // document types whose cases are rehearsed; nil means any but noneOf
	noneOf    []string
	counts    map[string]*RehearsedRule
}

type publishedRule struct {
	*rules.Set
	at time.Time
}

// applyRules reads the published rule sets beside the changed one. Cases of the document types are rehearsed
// that the set covers now or covered in its published version.
func (r *rehearsal) applyRules(ctx context.Context, document string) error {
	set, err := rules.ParsePublished([]byte(document))
	if err != nil {
		return err
	}
	rows, err := r.views.reader.RuleSets(ctx)
	if err != nil {
		return err
	}
	changed := &rehearsedRules{set: set, sets: []*rules.Set{set}, counts: map[string]*RehearsedRule{}}
	covered := slices.Clone(set.DocumentTypes)
	for i, row := range rows {
		compiled, err := rules.CompilePublished(r.views.ruleSets, row.Key, row.Version, row.Document)
		if err != nil {
			return err
		}
		if newest := i == 0 || rows[i-1].Key != row.Key; newest {
			changed.published = append(changed.published, nil)
			if row.Key == set.Key {
				covered = append(covered, compiled.DocumentTypes...)
			} else {
				changed.sets = append(changed.sets, compiled)
				changed.noneOf = append(changed.noneOf, compiled.DocumentTypes...)
			}
		}
		last := len(changed.published) - 1
		changed.published[last] = append(changed.published[last], publishedRule{compiled, row.PublishedAt})
	}
	changed.noneOf = slices.DeleteFunc(changed.noneOf, func(one string) bool {
		return one == rules.AnyType || slices.Contains(covered, one)
	})
	if !slices.Contains(covered, rules.AnyType) {
		changed.oneOf, changed.noneOf = covered, nil
	}
	r.rules = changed
	return nil
}

// judgedBy returns the version that judged a case: that of its findings, otherwise the newest one at that
// time. It is nil if none covered its type.
func (c *rehearsedRules) judgedBy(p *pastCase) *rules.Set {
	var sets []*rules.Set
	for _, versions := range c.published {
		at := slices.IndexFunc(versions, func(v publishedRule) bool {
			return slices.ContainsFunc(p.facts.Findings, func(f domain.Finding) bool {
				return f.RuleSet == v.Key && f.RuleVersion == v.Version
			})
		})
		if at >= 0 {
			return versions[at].Set
		}
		if at = slices.IndexFunc(versions, func(v publishedRule) bool { return !v.at.After(p.input.Today) }); at < 0 {
			at = len(versions) - 1
		}
		sets = append(sets, versions[at].Set)
	}
	judged, err := rules.SetFor(sets, p.DocumentType)
	if err != nil {
		return nil
	}
	return judged
}

// judge replaces the findings and the risk by those of the changed set. An error says why the case would
// have an incident.
func (r *rehearsal) judge(p *pastCase, def *workflow.Definition, facts *domain.ProcessFacts,
	one *RehearsedCase) error {
	set, err := rules.SetFor(r.rules.sets, p.DocumentType)
	if err != nil {
		return err
	}
	judged := r.rules.judgedBy(p)
	result, err := set.EvaluatePast(rules.PastCase{Input: p.input, HasOrder: p.OrderRevision > 0,
		Judged: judged, Findings: p.facts.Findings, Phases: phasesOf(def)})
	if err != nil {
		return err
	}
	facts.Findings, facts.Risk = result.Findings, rules.Score(result.Findings)
	before, after := rulesOf(p.facts.Findings), rulesOf(result.Findings)
	one.Found, one.Lost = without(after, before), without(before, after)
	one.RiskBefore, one.RiskAfter = p.facts.Risk, facts.Risk
	for _, unknown := range result.Unknown {
		one.Unknown = append(one.Unknown, unknown.Rule)
	}
	r.rules.count(one, before, after, result)
	for _, rule := range slices.Concat(before, after) {
		if counted := r.rules.counts[rule]; counted.rule == nil && judged != nil {
			counted.rule, _ = judged.Rule(rule)
		}
	}
	return nil
}

// phasesOf returns the phases of rules that a process evaluates.
func phasesOf(def *workflow.Definition) []rules.Phase {
	var phases []rules.Phase
	for _, node := range def.Nodes {
		switch node.Behaviour {
		case domain.BehaviourValidate:
			phases = append(phases, rules.Validation)
		case domain.BehaviourAssess:
			phases = append(phases, rules.Risk)
		}
	}
	return phases
}

func rulesOf(findings []domain.Finding) []string {
	var found []string
	for _, finding := range findings {
		if !slices.Contains(found, finding.Rule) {
			found = append(found, finding.Rule)
		}
	}
	return found
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}

// count counts the findings of one case by rule.
func (c *rehearsedRules) count(one *RehearsedCase, before, after []string, result rules.PastResult) {
	add := func(found []string, number func(*RehearsedRule) *int) {
		for _, rule := range found {
			*number(c.of(rule))++
		}
	}
	add(before, func(r *RehearsedRule) *int { return &r.Before })
	add(after, func(r *RehearsedRule) *int { return &r.After })
	add(one.Found, func(r *RehearsedRule) *int { return &r.Appears })
	add(one.Lost, func(r *RehearsedRule) *int { return &r.Disappears })
	add(one.Unknown, func(r *RehearsedRule) *int { return &r.Unknown })
	add(result.Unlike, func(r *RehearsedRule) *int { return &r.Unlike })
	for _, unknown := range result.Unknown {
		counted := c.of(unknown.Rule)
		counted.Facts = append(counted.Facts, without(unknown.Facts, counted.Facts)...)
	}
}

func (c *rehearsedRules) of(rule string) *RehearsedRule {
	if c.counts[rule] == nil {
		changed, _ := c.set.Rule(rule)
		c.counts[rule] = &RehearsedRule{Rule: rule, rule: changed}
	}
	return c.counts[rule]
}

// finish lists the rules whose findings differ or are not known, the most changed first.
func (c *rehearsedRules) finish() []RehearsedRule {
	list := []RehearsedRule{}
	for _, counted := range c.counts {
		if counted.Appears+counted.Disappears+counted.Unknown+counted.Unlike > 0 {
			slices.Sort(counted.Facts)
			list = append(list, *counted)
		}
	}
	slices.SortFunc(list, func(a, b RehearsedRule) int {
		moved := func(r RehearsedRule) int { return r.Appears + r.Disappears }
		if moved(a) != moved(b) {
			return moved(b) - moved(a)
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return list
}

// refuseApprovals notes because of which findings recorded approvals would have been refused: those that
// stop an approval, with the overrides that the case has, and did not do so before.
func (r *rehearsal) refuseApprovals(p *pastCase, one *RehearsedCase, after workflow.Route,
	findings []domain.Finding) {
	var queues []string
	for _, seat := range after.Seats {
		if seat.Decision >= 0 && seat.Verdict == domain.Approve {
			queues = append(queues, seat.Queue)
		}
	}
	if len(queues) == 0 {
		return
	}
	set, err := rules.SetFor(r.rules.sets, p.DocumentType)
	if err != nil {
		return
	}
	stopped := stoppedBy(r.rules.judgedBy(p), p.facts.Findings, p.overrides, queues)
	for rule, override := range stoppedBy(set, findings, p.overrides, queues) {
		if stopped[rule] == override {
			continue
		}
		if one.RefusedBy = append(one.RefusedBy, rule); override == domain.OverrideNever {
			one.impossible = true
		}
	}
	slices.Sort(one.RefusedBy)
}

// stoppedBy returns the rules whose findings stop an approval. The reason of an approval is enough for a
// finding that needs one.
func stoppedBy(set *rules.Set, findings []domain.Finding, given []domain.FindingOverride,
	queues []string) map[string]domain.Override {
	stopped := map[string]domain.Override{}
	for _, finding := range findings {
		var rule *rules.Rule
		if set != nil && finding.RuleSet == set.Key {
			rule, _ = set.Rule(finding.Rule)
		}
		needs, any := rules.RequirementOf(finding, rule, given, queues)
		if any && !needs.Satisfied && needs.Override != domain.OverrideReason {
			stopped[finding.Rule] = needs.Override
		}
	}
	return stopped
}
