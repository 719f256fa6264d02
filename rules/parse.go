package rules

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/expr"
)

// Problem is one error in the text of a rule set, reported to its author.
type Problem struct {
	Line    int // in the YAML, from 1; 0 when the whole set is meant
	Column  int
	Rule    string // id of the rule, "" when none is meant
	Check   string // stable name: syntax, name, message, condition …
	Message string
}

// String renders the problem with its line and rule.
func (p Problem) String() string {
	text := p.Message
	if p.Rule != "" {
		text = p.Rule + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return text
}

// ParseSet parses a rule set from YAML and compiles it. It returns UnsoundDefinition with the first
// problem; CheckSet lists all problems.
func ParseSet(source []byte) (*Set, error) {
	return setOrError(CheckSet(source))
}

func setOrError(set *Set, problems []Problem) (*Set, error) {
	if len(problems) > 0 {
		return nil, domain.Errorf(domain.UnsoundDefinition, "The rule set is invalid: %s.",
			strings.TrimSuffix(problems[0].String(), ".")).
			WithRemedy("Correct the rule set and check it again.")
	}
	return set, nil
}

// CheckSet parses and compiles a rule set like ParseSet, but returns all problems that it finds.
// The set is nil if there is a problem.
func CheckSet(source []byte) (*Set, []Problem) {
	return checkSet(source, titlesRequired)
}

// titlePolicy says whether a rule without a title is a problem.
type titlePolicy bool

const (
	titlesRequired titlePolicy = true
	titlesOptional titlePolicy = false
)

func checkSet(source []byte, titles titlePolicy) (*Set, []Problem) {
	text, lines, problem := readSet(source)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	b := builder{
		formulas: map[string]*expr.Formula{},
		titles:   titles,
		set: &Set{
			Key: text.Key, Version: max(text.Version, 1), Title: text.Title,
			DocumentTypes: text.DocumentTypes,
		},
	}
	b.header(text)
	if n := operatorsIn(text); n > expr.MaxOperatorsInAll {
		b.addProblem(
			nil, "size",
			"the conditions and values of a rule set may have at most %d operators, not %d",
			expr.MaxOperatorsInAll, n,
		)
		return nil, b.problems
	}
	for i, one := range text.Rules[:min(len(text.Rules), maxRules)] {
		line := 0
		if i < len(lines) {
			line = lines[i]
		}
		b.rule(one, line)
	}
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	return b.set, nil
}

func operatorsIn(text setText) (n int) {
	for _, rule := range text.Rules {
		n += expr.Operators(rule.When) + expr.Operators(rule.Fields)
		for _, value := range rule.Values {
			n += expr.Operators(value)
		}
	}
	return n
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// languages are the languages in which every text for users is required.
var languages = []string{"en", "zh"}

// builder compiles the text of a set and collects its problems.
type builder struct {
	set      *Set
	titles   titlePolicy
	problems []Problem
	formulas map[string]*expr.Formula // by source, because rules share formulas
}

// formula compiles a formula once per set.
func (b *builder) formula(source string) (*expr.Formula, error) {
	if compiled, ok := b.formulas[source]; ok {
		return compiled, nil
	}
	compiled, err := expr.CompileFormula(source, expr.RuleFacts())
	if err == nil {
		b.formulas[source] = compiled
	}
	return compiled, err
}

func (b *builder) addProblem(rule *Rule, check, format string, args ...any) {
	problem := Problem{Check: check, Message: fmt.Sprintf(format, args...)}
	if rule != nil {
		problem.Rule, problem.Line = rule.ID, rule.Line
	}
	b.problems = append(b.problems, problem)
}

func (b *builder) header(text setText) {
	if !namePattern.MatchString(text.Key) {
		b.addProblem(
			nil, "name",
			"key %q must consist of lower-case letters, digits and underscores and start with a letter",
			text.Key,
		)
	}
	if text.Version < 0 {
		b.addProblem(nil, "version", "version %d is negative; versions start at 1", text.Version)
	}
	if len(text.DocumentTypes) == 0 {
		b.addProblem(
			nil, "document_types",
			"document_types must list the document types of the set, or %q for all others", AnyType,
		)
	}
	if len(text.Rules) == 0 || len(text.Rules) > maxRules {
		b.addProblem(nil, "size", "a rule set must have 1 to %d rules", maxRules)
	}
	b.requireTexts(nil, "title", text.Title)
}

// requireTexts adds a problem for each language in which a text is missing.
func (b *builder) requireTexts(rule *Rule, what string, texts map[string]string) {
	for _, language := range languages {
		if strings.TrimSpace(texts[language]) == "" {
			b.addProblem(rule, what, "%s is missing in the language %s", what, language)
		}
	}
}

func (b *builder) rule(text ruleText, line int) {
	rule := &Rule{
		ID: text.ID, Titles: text.Title, Phase: Phase(text.Phase),
		Severity: domain.Severity(text.Severity),
		Points:   text.Score, Questions: text.Asks, When: text.When, Messages: text.Message, Line: line,
		words: text.Words,
	}
	switch {
	case !namePattern.MatchString(text.ID):
		b.addProblem(
			rule, "name",
			"id %q must consist of lower-case letters, digits and underscores and start with a letter",
			text.ID,
		)
	case slices.ContainsFunc(b.set.Rules, func(other *Rule) bool { return other.ID == rule.ID }):
		b.addProblem(rule, "duplicate_id", "another rule has the same id")
	}
	if rule.Phase != Validation && rule.Phase != Risk {
		b.addProblem(rule, "phase", "phase must be %s or %s, not %q", Validation, Risk, text.Phase)
	}
	severities := []domain.Severity{
		domain.SeverityInfo, domain.SeverityWarning, domain.SeverityBlocking,
	}
	if !slices.Contains(severities, rule.Severity) {
		b.addProblem(
			rule, "severity", "severity must be info, warning or blocking, not %q", text.Severity,
		)
	}
	if rule.Points < 0 || rule.Points > 100 {
		b.addProblem(rule, "score", "score must be 0 to 100, not %d", rule.Points)
	}
	if b.titles == titlesRequired {
		b.requireTexts(rule, "title", rule.Titles)
	}
	b.requireTexts(rule, "asks", rule.Questions)
	b.requireTexts(rule, "message", rule.Messages)
	b.override(rule, text)
	b.sums(rule, text.Sums)
	b.compile(rule, text)
	b.placeholders(rule, text)
	b.set.Rules = append(b.set.Rules, rule)
}

// compile compiles the condition, the values and the fields of a rule.
func (b *builder) compile(rule *Rule, text ruleText) {
	var err error
	rule.condition = strings.Join(strings.Fields(text.When), " ")
	if rule.when, err = expr.Compile(text.When, expr.RuleFacts()); err != nil {
		b.addProblem(rule, "condition", "%s", messageOf(err))
	} else {
		rule.Topic = topicOf(rule.when.Names())
	}
	if text.Fields != "" {
		if rule.aboutFields, err = b.formula(text.Fields); err != nil {
			b.addProblem(rule, "fields", "%s", messageOf(err))
		}
	}
	if len(text.Values) > maxValues {
		b.addProblem(rule, "size", "a rule may have at most %d values", maxValues)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(text.Values)) {
		formula, err := b.formula(text.Values[name])
		if err != nil {
			b.addProblem(rule, "values", "%s: %s", name, messageOf(err))
		}
		if name == fieldsKey || !namePattern.MatchString(name) {
			b.addProblem(rule, "values", "%q is not a valid name for a value", name)
		}
		rule.values = append(rule.values, namedFormula{name, formula})
	}
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders checks that messages and words refer to values of the rule only.
func (b *builder) placeholders(rule *Rule, text ruleText) {
	for language, message := range text.Message {
		if strings.Count(message, "{") != len(placeholder.FindAllString(message, -1)) {
			b.addProblem(rule, "message", "the message in %s has an unclosed brace", language)
		}
		for _, found := range placeholder.FindAllString(message, -1) {
			name := strings.Trim(found, "{}")
			if _, known := text.Values[name]; !known && (name != fieldsKey || text.Fields == "") {
				b.addProblem(
					rule, "message",
					"the message in %s refers to %s, which is not a value of the rule", language,
					found,
				)
			}
		}
	}
	for value := range text.Words {
		if _, known := text.Values[value]; !known {
			b.addProblem(
				rule, "words", "words are given for %q, which is not a value of the rule", value,
			)
		}
	}
}

// messageOf returns the message of a domain error without its code, or the whole text of another
// error.
func messageOf(err error) string {
	var failure *domain.Error
	if errors.As(err, &failure) {
		return failure.Message
	}
	return err.Error()
}
