package rules

import (
	"errors"
	"math"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// PastCase is a case as an earlier version of a rule set judged it.
type PastCase struct {
	// Input is what the case itself says. What other cases said at that time is not recorded.
	Input    Input
	HasOrder bool
	// Judged is the version that judged the case, nil if it is unknown; Findings are those of the case.
	Judged   *Set
	Findings []domain.Finding
	// Phases are those that the process of the case evaluates.
	Phases []Phase
}

// PastResult is what a rule set would have found on a past case.
type PastResult struct {
	Findings []domain.Finding
	// Unknown are the rules whose result cannot be determined. Their recorded result is kept.
	Unknown []UnknownResult
	// Unlike are changed rules of which the earlier version finds something else on these facts than
	// was recorded, so that the facts have changed since.
	Unlike []string
}

// UnknownResult is a rule that needs facts which are not recorded for past cases.
type UnknownResult struct {
	Rule  string
	Facts []string
}

// EvaluatePast returns what the set would have found on a past case. A rule whose condition is that of the
// version that judged the case keeps its recorded result, so that facts about other cases are those of that
// time. Any other rule is evaluated on the facts of the case.
func (s *Set) EvaluatePast(past PastCase) (PastResult, error) {
	var result PastResult
	for _, finding := range past.Findings {
		if past.Judged == nil || finding.RuleSet != past.Judged.Key {
			result.Findings = append(result.Findings, finding)
		}
	}
	known := past.recordedFacts()
	for _, rule := range s.Rules {
		if !slices.Contains(past.Phases, rule.Phase) || !rule.AppliesTo(past.Input.DocumentType) {
			continue
		}
		recorded, had := past.recorded(rule.ID)
		before := past.judgedRule(rule.ID)
		finding, raised := recorded, had
		if before == nil || !before.findsLike(rule) {
			var unknown []string
			var err error
			if finding, raised, unknown, err = rule.evaluatePast(known); err != nil {
				return result, s.failed(rule, err)
			}
			if len(unknown) > 0 {
				result.Unknown = append(result.Unknown, UnknownResult{rule.ID, unknown})
				finding, raised = recorded, had
			}
			if before != nil && before.differsFrom(had, known) {
				result.Unlike = append(result.Unlike, rule.ID)
			}
		}
		if raised {
			finding.Severity, finding.Score = rule.Severity, rule.Points
			finding.RuleSet, finding.RuleVersion = s.Key, s.Version
			result.Findings = append(result.Findings, finding)
		}
	}
	return result, nil
}

// AppliesTo reports whether the rule is evaluated for documents of the type. The account of a receipt is
// not checked, because a receipt is already paid.
func (r *Rule) AppliesTo(documentType string) bool {
	return r.Topic != Account || documentType != receipt
}

// findsLike reports whether both rules find the same on all facts.
func (r *Rule) findsLike(other *Rule) bool {
	return r.Phase == other.Phase && r.condition == other.condition &&
		slices.EqualFunc(r.sums, other.sums, sumCondition.equal)
}

func (c sumCondition) equal(other sumCondition) bool {
	return c.by == other.by && c.from == other.from && c.usual == other.usual &&
		slices.Equal(c.hours, other.hours) && slices.Equal(c.marks, other.marks)
}

// differsFrom reports whether the rule certainly finds something else on the facts than was recorded.
func (r *Rule) differsFrom(recorded bool, known PreparedFacts) bool {
	_, raised, unknown, err := r.evaluatePast(known)
	return err == nil && len(unknown) == 0 && raised != recorded
}

func (p *PastCase) judgedRule(id string) *Rule {
	if p.Judged == nil {
		return nil
	}
	rule, _ := p.Judged.Rule(id)
	return rule
}

// recorded returns the finding of a rule of the version that judged the case.
func (p *PastCase) recorded(id string) (domain.Finding, bool) {
	at := slices.IndexFunc(p.Findings, func(f domain.Finding) bool {
		return f.Rule == id && p.Judged != nil && f.RuleSet == p.Judged.Key
	})
	if at < 0 {
		return domain.Finding{}, false
	}
	return p.Findings[at], true
}

// The facts that are not recorded: those about other cases, lists of countries, and orders.
var (
	relatedFacts = []string{"same_number", "same_number_text", "same_number_earlier", "same_bytes", "similar_number", "same_content", "similar_image",
		"rejected_before", "linked_cases", submittedAgain, submittedAgainAs, "country_risk", "risk_country"}
	vendorFacts = []string{"vendor_approved", "account_before", "account_changed", "account_new",
		"account_cases", "account_vendors",
		"split_cases", "split_count", "split_base_minor"}
	orderFacts = []string{"account", "account_country", "order_amount_text", "order_payee", "order_account",
		"order_amount_differs", "order_amount_unknown", "order_evidence_text", "order_other_payees",
		"order_other_accounts", "order_amount_covered", "order_payee_covered", "order_exceeded",
		"order_cases", "order_sum_text", "order_limit_text"}
	sumFacts = []string{"sum_by", "sum_count", "sum_hours", "sum_since", "sum_at", "sum_text", "sum_mark_text"}
)

// recordedFacts returns the facts of the case without those that are not recorded.
func (p *PastCase) recordedFacts() PreparedFacts {
	known := PrepareFacts(p.Input)
	missing := slices.Concat(relatedFacts, sumFacts)
	if p.Input.Vendor.Known {
		missing = append(missing, vendorFacts...)
	}
	if p.HasOrder {
		missing = append(missing, orderFacts...)
		known.facts["order_known"] = true
	}
	for _, name := range missing {
		delete(known.facts, name)
	}
	return known
}

// evaluatePast evaluates the rule on recorded facts. unknown are facts that it needs and that are not
// recorded; a condition that is true or false without them needs none.
func (r *Rule) evaluatePast(known PreparedFacts) (
	finding domain.Finding, raised bool, unknown []string, err error,
) {
	if len(r.sums) > 0 && !r.mayCross(known.input) {
		return finding, false, nil, nil
	}
	raised, err = r.when.EvalFacts(known.facts)
	if unknown = unrecorded(err, known.facts); len(unknown) > 0 {
		return finding, false, unknown, nil
	}
	if err == nil && raised && len(r.sums) > 0 {
		return finding, false, sumFacts[:1], nil
	}
	if err != nil || !raised {
		return finding, false, nil, err
	}
	evidence, err := r.evidence(known.facts)
	if len(unrecorded(err, known.facts)) > 0 {
		evidence, err = map[string]string{}, nil // the values are unknown, the finding is not
	}
	return r.finding(evidence), true, nil, err
}

// mayCross reports whether a document is below a mark of the rule, which it may reach with others.
func (r *Rule) mayCross(input *Input) bool {
	return input.AmountKnown && slices.ContainsFunc(r.sums, func(c sumCondition) bool {
		return input.BaseMinor >= c.from && input.BaseMinor < slices.Max(append(c.marks, math.MinInt64))
	})
}

// unrecorded returns the names that an evaluation failed for because they are not recorded.
func unrecorded(err error, facts expr.Facts) []string {
	var failure *domain.Error
	if !errors.As(err, &failure) || failure.Detail["facts"] == "" {
		return nil
	}
	all := slices.Concat(relatedFacts, vendorFacts, orderFacts, sumFacts)
	return slices.DeleteFunc(strings.Split(failure.Detail["facts"], ", "), func(name string) bool {
		_, known := facts[name]
		return known || !slices.Contains(all, name)
	})
}
