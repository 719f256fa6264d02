package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// Set is one compiled version of a rule set. It is never changed after ParseSet and is safe for
// concurrent use.
type Set struct {
	Key     string
	Version int
	// Title is the name of the set by language ("en", "zh").
	Title map[string]string
	// DocumentTypes lists the document types that the set applies to; AnyType means all that no
	// other set lists.
	DocumentTypes []string
	Rules         []*Rule // in order of evaluation
}

// AnyType in the document types of a set means all types that no other set lists.
const AnyType = "*"

// Rule is one rule of a set.
type Rule struct {
	ID string // stable: guards of processes refer to it
	// Titles are short names by language; Title falls back where one is missing.
	Titles   map[string]string
	Phase    Phase
	Severity domain.Severity
	Points   int // added to the risk score, 0..100
	// Override is what an approval needs while the finding is open, and OverrideQueue the queue
	// that has to approve.
	Override      domain.Override
	OverrideQueue string
	// Questions is a question by language: what the rule checks; "asks" in the text of a set.
	Questions map[string]string
	When      string // CEL over expr.RuleFacts
	// Messages are templates of the sentence by language; {name} is a value, {fields} the affected
	// fields.
	Messages map[string]string
	Line     int
	// Topic is the subject of the condition.
	Topic Topic

	sums        []sumCondition // the rule applies only if one of them is met
	when        *expr.Condition
	condition   string // When without differences in spaces
	values      []namedFormula
	aboutFields *expr.Formula
	words       map[string]map[string]map[string]string // value, word, language -> text
}

type namedFormula struct {
	name    string
	formula *expr.Formula
}

// Phase is the stage at which a rule runs.
type Phase string

// The phases.
const (
	Validation Phase = "validation" // at validate: is the document complete and consistent?
	Risk       Phase = "risk"       // at assess: how much attention does it need?
)

// Result holds the findings of an evaluation and their score.
type Result struct {
	Findings []domain.Finding // in the order of the set
	Score    int              // 0..100: the points of all findings, at most 100
	Reasons  []Reason         // the parts of the score, most points first
}

// Reason is one named part of a score.
type Reason struct {
	Rule    string
	Points  int
	Message string
}

// Validate evaluates the validation rules. The score counts their findings only. A rule that cannot
// be evaluated returns ExpressionFailed with its id.
func (s *Set) Validate(input Input) (Result, error) {
	found, err := s.Evaluate(PrepareFacts(input), Validation)
	return newResult(found), err
}

// Assess evaluates the risk rules. Its score also counts the findings of validation, which the
// caller passes; Findings holds the new ones only.
func (s *Set) Assess(input Input, validated []domain.Finding) (Result, error) {
	found, err := s.Evaluate(PrepareFacts(input), Risk)
	result := newResult(append(append([]domain.Finding(nil), validated...), found...))
	result.Findings = found
	return result, err
}

// Evaluate evaluates the rules of a phase that have one of the topics, or all rules of the phase if
// no topic is given. A rule that cannot be evaluated returns ExpressionFailed with its id.
func (s *Set) Evaluate(
	prepared PreparedFacts, phase Phase, topics ...Topic,
) ([]domain.Finding, error) {
	var findings []domain.Finding
	for _, rule := range s.Rules {
		if rule.Phase != phase || len(topics) > 0 && !slices.Contains(topics, rule.Topic) {
			continue
		}
		finding, raised, err := rule.evaluate(prepared)
		if err != nil {
			return nil, s.failed(rule, err)
		}
		if raised {
			finding.RuleSet, finding.RuleVersion = s.Key, s.Version
			findings = append(findings, finding)
		}
	}
	return findings, nil
}

// failed adds the rule and the version of the set to an error of evaluation.
func (s *Set) failed(rule *Rule, cause error) error {
	var evaluation *domain.Error
	if !errors.As(cause, &evaluation) {
		return cause
	}
	failure := domain.Errorf(evaluation.Code, "Rule %s of %s version %d could not be evaluated: %s",
		rule.ID, s.Key, s.Version, evaluation.Message).
		WithRemedy("%s", evaluation.Remedy).
		WithDetail("rule", rule.ID).
		WithDetail("ruleSet", fmt.Sprintf("%s %d", s.Key, s.Version)).
		WithCause(cause)
	for name, value := range evaluation.Detail {
		failure = failure.WithDetail(name, value)
	}
	return failure
}

// evaluate evaluates one rule; raised says whether its condition is true.
func (r *Rule) evaluate(prepared PreparedFacts) (
	finding domain.Finding, raised bool, err error,
) {
	facts := prepared.facts
	var counted *domain.CountedSum
	if len(r.sums) > 0 {
		found, ok := r.crossed(prepared.input)
		if !ok {
			return finding, false, nil
		}
		facts, counted = found.with(facts), found.counted(prepared.input)
	}
	if raised, err = r.when.EvalFacts(facts); err != nil || !raised {
		return finding, false, err
	}
	evidence, err := r.evidence(facts)
	if err != nil {
		return finding, false, err
	}
	finding = r.finding(evidence)
	finding.Counted = counted
	return finding, true, nil
}

// evidence evaluates the values of a finding.
func (r *Rule) evidence(facts expr.Facts) (map[string]string, error) {
	evidence := make(map[string]string, len(r.values)+1)
	for _, value := range r.values {
		texts, err := value.formula.Eval(facts)
		if err != nil {
			return nil, err
		}
		for i := range texts {
			texts[i] = shorten(texts[i])
		}
		evidence[value.name] = strings.Join(texts, ",")
	}
	if r.aboutFields != nil {
		names, err := r.aboutFields.Eval(facts)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 {
			evidence[fieldsKey] = strings.Join(names, ",")
		}
	}
	return evidence, nil
}

// finding returns the finding of the rule with its values.
func (r *Rule) finding(evidence map[string]string) domain.Finding {
	return domain.Finding{Rule: r.ID, Severity: r.Severity, Score: r.Points,
		Message: r.Render("en", evidence), Evidence: evidence}
}

// fieldsKey is the key of the affected fields in the evidence of a finding.
const fieldsKey = "fields"

// Rule returns the rule with the id.
func (s *Set) Rule(id string) (*Rule, bool) {
	at := slices.IndexFunc(s.Rules, func(r *Rule) bool { return r.ID == id })
	if at < 0 {
		return nil, false
	}
	return s.Rules[at], true
}

// Render returns the sentence of a finding in a language, filled with its values. It falls back to
// English.
func (r *Rule) Render(language string, evidence map[string]string) string {
	template, ok := r.Messages[language]
	if !ok {
		template, language = r.Messages["en"], "en"
	}
	var sentence strings.Builder
	for rest := template; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		sentence.WriteString(before)
		if !found {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		sentence.WriteString(r.renderValue(language, name, evidence[name]))
		rest = tail
	}
	return sentence.String()
}

// renderValue formats a value of a finding for a reader of the language.
func (r *Rule) renderValue(language, name, value string) string {
	if name == fieldsKey {
		return labels(language, strings.Split(value, ","))
	}
	if name == partsKey {
		return partTexts(language, strings.Split(value, ","))
	}
	if name == statedKey {
		return statedTexts(language, strings.Split(value, ","))
	}
	if name == copiesKey {
		return copiesText(language, value)
	}
	if words, ok := r.words[name][value]; ok {
		if word := words[language]; word != "" {
			return word
		}
		return words["en"]
	}
	if listed := strings.Split(value, ","); len(listed) > 1 && name == casesKey {
		return joinFew(language, listed)
	}
	return value
}

// casesKey is the key of the value that lists other cases.
const casesKey = domain.EvidenceCases

// newResult sums the points of findings and lists the reasons for the score.
func newResult(findings []domain.Finding) Result {
	result := Result{Findings: findings}
	for _, finding := range findings {
		if finding.Score > 0 {
			result.Score += finding.Score
			result.Reasons = append(
				result.Reasons, Reason{finding.Rule, finding.Score, finding.Message},
			)
		}
	}
	result.Score = min(result.Score, 100)
	slices.SortStableFunc(result.Reasons, func(a, b Reason) int { return b.Points - a.Points })
	return result
}
