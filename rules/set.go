package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// Set is one version of a rule set, compiled. It is never changed after ParseSet and is safe for concurrent use.
type Set struct {
	Key     string
	Version int
	// Title is the name for people by language ("en", "zh").
	Title map[string]string
	// DocumentTypes are those that the set judges; AnyType stands for all that no other set names.
	DocumentTypes []string
	Rules         []*Rule // in the order they are asked
}

// AnyType among the document types of a set: it judges what no other set names.
const AnyType = "*"

// Rule is one line of a set: its stable id, when it runs, what it weighs and how it is said.
type Rule struct {
	ID       string
	Phase    Phase
	Severity domain.Severity
	Points   int // added to the risk score, 0..100
	// Asks says by language in a sentence what the rule asks.
	Asks map[string]string
	When string // CEL over expr.RuleFacts
	// Messages are templates by language; {name} is a value, {fields} the fields it is about.
	Messages map[string]string
	Line     int
	// Topic is what the condition asks about.
	Topic Topic

	when        *expr.Condition
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
	Risk       Phase = "risk"       // at assess: how much does a person have to look at it?
)

// Result is what the rules found.
type Result struct {
	Findings []domain.Finding // in the order of the set
	Score    int              // 0..100: the points of all findings, cut at 100
	Reasons  []Reason         // what makes up the score, most points first
}

// Reason is one named part of a score.
type Reason struct {
	Rule    string
	Points  int
	Message string
}

// Validate runs the validation rules. The score counts their findings only. A rule without an answer is
// ExpressionFailed and names itself.
func (s *Set) Validate(input Input) (Result, error) {
	found, err := s.Evaluate(PrepareFacts(input), Validation)
	return newResult(found), err
}

// Assess runs the risk rules. Its score also counts the points of the findings that validation left, which the caller
// hands in; Findings holds the new ones only.
func (s *Set) Assess(input Input, validated []domain.Finding) (Result, error) {
	found, err := s.Evaluate(PrepareFacts(input), Risk)
	result := newResult(append(append([]domain.Finding(nil), validated...), found...))
	result.Findings = found
	return result, err
}

// Evaluate runs the rules of a phase that ask about one of the topics, all if none is named. A rule without an answer is
// ExpressionFailed and names itself.
func (s *Set) Evaluate(prepared PreparedFacts, phase Phase, topics ...Topic) ([]domain.Finding, error) {
	var findings []domain.Finding
	for _, rule := range s.Rules {
		if rule.Phase != phase || len(topics) > 0 && !slices.Contains(topics, rule.Topic) {
			continue
		}
		finding, holds, err := rule.evaluate(prepared.facts)
		if err != nil {
			return nil, s.failed(rule, err)
		}
		if holds {
			finding.RuleSet, finding.RuleVersion = s.Key, s.Version
			findings = append(findings, finding)
		}
	}
	return findings, nil
}

// failed says which rule of which version had no answer.
func (s *Set) failed(rule *Rule, cause error) error {
	var known *domain.Error
	if !errors.As(cause, &known) {
		return cause
	}
	failure := domain.Errorf(known.Code, "The rule %s of %s version %d has no answer: %s", rule.ID, s.Key, s.Version, known.Message).
		WithRemedy("%s", known.Remedy).WithDetail("rule", rule.ID).WithDetail("ruleSet", fmt.Sprintf("%s %d", s.Key, s.Version)).WithCause(cause)
	for name, value := range known.Detail {
		failure = failure.WithDetail(name, value)
	}
	return failure
}

// evaluate asks one rule; holds says that there is something to say.
func (r *Rule) evaluate(facts expr.Facts) (finding domain.Finding, holds bool, err error) {
	if holds, err = r.when.EvalFacts(facts); err != nil || !holds {
		return finding, false, err
	}
	evidence := make(map[string]string, len(r.values)+1)
	for _, value := range r.values {
		texts, err := value.formula.Eval(facts)
		if err != nil {
			return finding, false, err
		}
		for i := range texts {
			texts[i] = shorten(texts[i])
		}
		evidence[value.name] = strings.Join(texts, ",")
	}
	if r.aboutFields != nil {
		names, err := r.aboutFields.Eval(facts)
		if err != nil {
			return finding, false, err
		}
		if len(names) > 0 {
			evidence[fieldsKey] = strings.Join(names, ",")
		}
	}
	return domain.Finding{Rule: r.ID, Severity: r.Severity, Score: r.Points, Message: r.Render("en", evidence), Evidence: evidence}, true, nil
}

// fieldsKey is the name under which evidence lists the fields that a finding is about.
const fieldsKey = "fields"

// Rule returns the rule of the id.
func (s *Set) Rule(id string) (*Rule, bool) {
	at := slices.IndexFunc(s.Rules, func(r *Rule) bool { return r.ID == id })
	if at < 0 {
		return nil, false
	}
	return s.Rules[at], true
}

// Render fills the rule's sentence in a language with the values of a finding; English where it has none in the language.
func (r *Rule) Render(language string, evidence map[string]string) string {
	template, ok := r.Messages[language]
	if !ok {
		template, language = r.Messages["en"], "en"
	}
	var said strings.Builder
	for rest := template; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		said.WriteString(before)
		if !found {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		said.WriteString(r.renderValue(language, name, evidence[name]))
		rest = tail
	}
	return said.String()
}

// renderValue is a value of a finding in words.
func (r *Rule) renderValue(language, name, value string) string {
	if name == fieldsKey {
		return labels(language, strings.Split(value, ","))
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

// casesKey is the name of the value that lists other cases.
const casesKey = "cases"

// newResult adds the points up and names them.
func newResult(findings []domain.Finding) Result {
	result := Result{Findings: findings}
	for _, finding := range findings {
		if finding.Score > 0 {
			result.Score += finding.Score
			result.Reasons = append(result.Reasons, Reason{finding.Rule, finding.Score, finding.Message})
		}
	}
	result.Score = min(result.Score, 100)
	slices.SortStableFunc(result.Reasons, func(a, b Reason) int { return b.Points - a.Points })
	return result
}
