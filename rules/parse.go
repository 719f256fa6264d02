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

// Problem is one fault of a rule set, for the person who edits it.
type Problem struct {
	Line    int // in the YAML, from 1; 0 when the whole set is meant
	Column  int
	Rule    string // id of the rule, "" when none is meant
	Check   string // stable name: syntax, name, message, condition …
	Message string
}

// String renders the problem with its place.
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

// ParseSet reads a rule set from YAML and compiles it. A fault is UnsoundDefinition; CheckSet lists all of them.
func ParseSet(source []byte) (*Set, error) {
	set, problems := CheckSet(source)
	if len(problems) > 0 {
		return nil, domain.Errorf(domain.UnsoundDefinition, "The rule set is refused: %s", problems[0]).
			WithRemedy("Correct the rule set and check it again.")
	}
	return set, nil
}

// CheckSet is ParseSet for an editor: it returns every fault it can find in one go. The set is nil when there is one.
func CheckSet(source []byte) (*Set, []Problem) {
	text, lines, problem := readSet(source)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	b := builder{formulas: map[string]*expr.Formula{}, set: &Set{Key: text.Key, Version: max(text.Version, 1), Title: text.Title, DocumentTypes: text.DocumentTypes}}
	b.header(text)
	if n := operatorsIn(text); n > expr.MaxOperatorsInAll {
		b.addProblem(nil, "size", "the conditions and values of a rule set have at most %d operators, these have %d", expr.MaxOperatorsInAll, n)
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

// languages are those in which everything that people read is written.
var languages = []string{"en", "zh"}

type builder struct {
	set      *Set
	problems []Problem
	formulas map[string]*expr.Formula // rules show the same values
}

// formula compiles a text once a set.
func (b *builder) formula(source string) (*expr.Formula, error) {
	if known, ok := b.formulas[source]; ok {
		return known, nil
	}
	is, err := expr.CompileFormula(source, expr.RuleFacts())
	if err == nil {
		b.formulas[source] = is
	}
	return is, err
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
		b.addProblem(nil, "name", "key %q: small letters, digits and underscores, a letter first", text.Key)
	}
	if text.Version < 0 {
		b.addProblem(nil, "version", "version %d: versions count from 1", text.Version)
	}
	if len(text.DocumentTypes) == 0 {
		b.addProblem(nil, "document_types", "a rule set names the document types it judges, or %q for all others", AnyType)
	}
	if len(text.Rules) == 0 || len(text.Rules) > maxRules {
		b.addProblem(nil, "size", "a rule set has 1 to %d rules", maxRules)
	}
	b.requireTexts(nil, "title", text.Title)
}

// requireTexts demands a text in every language.
func (b *builder) requireTexts(rule *Rule, what string, texts map[string]string) {
	for _, language := range languages {
		if strings.TrimSpace(texts[language]) == "" {
			b.addProblem(rule, what, "%s is missing in the language %s", what, language)
		}
	}
}

func (b *builder) rule(text ruleText, line int) {
	rule := &Rule{ID: text.ID, Phase: Phase(text.Phase), Severity: domain.Severity(text.Severity), Points: text.Score, Asks: text.Asks,
		When: text.When, Messages: text.Message, Line: line, words: text.Words}
	switch {
	case !namePattern.MatchString(text.ID):
		b.addProblem(rule, "name", "id %q: small letters, digits and underscores, a letter first", text.ID)
	case slices.ContainsFunc(b.set.Rules, func(other *Rule) bool { return other.ID == rule.ID }):
		b.addProblem(rule, "duplicate_id", "the id is used twice")
	}
	if rule.Phase != Validation && rule.Phase != Risk {
		b.addProblem(rule, "phase", "the phase is %s or %s, not %q", Validation, Risk, text.Phase)
	}
	if !slices.Contains([]domain.Severity{domain.SeverityInfo, domain.SeverityWarning, domain.SeverityBlocking}, rule.Severity) {
		b.addProblem(rule, "severity", "the severity is info, warning or blocking, not %q", text.Severity)
	}
	if rule.Points < 0 || rule.Points > 100 {
		b.addProblem(rule, "score", "a score is 0 to 100, not %d", rule.Points)
	}
	b.requireTexts(rule, "asks", rule.Asks)
	b.requireTexts(rule, "message", rule.Messages)
	b.compile(rule, text)
	b.placeholders(rule, text)
	b.set.Rules = append(b.set.Rules, rule)
}

// compile compiles what the rule asks and what it shows.
func (b *builder) compile(rule *Rule, text ruleText) {
	var err error
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
		b.addProblem(rule, "size", "a rule shows at most %d values", maxValues)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(text.Values)) {
		is, err := b.formula(text.Values[name])
		if err != nil {
			b.addProblem(rule, "values", "%s: %s", name, messageOf(err))
		}
		if name == fieldsKey || !namePattern.MatchString(name) {
			b.addProblem(rule, "values", "a value cannot be named %q", name)
		}
		rule.values = append(rule.values, namedFormula{name, is})
	}
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders demands that what a message names is there.
func (b *builder) placeholders(rule *Rule, text ruleText) {
	for language, message := range text.Message {
		if strings.Count(message, "{") != len(placeholder.FindAllString(message, -1)) {
			b.addProblem(rule, "message", "a brace in the message in %s is not closed", language)
		}
		for _, found := range placeholder.FindAllString(message, -1) {
			name := strings.Trim(found, "{}")
			if _, known := text.Values[name]; !known && (name != fieldsKey || text.Fields == "") {
				b.addProblem(rule, "message", "the message in %s names %s, which is no value of the rule", language, found)
			}
		}
	}
	for value := range text.Words {
		if _, known := text.Values[value]; !known {
			b.addProblem(rule, "words", "there are words for %q, which is no value of the rule", value)
		}
	}
}

// messageOf is the message of an error of ours.
func messageOf(err error) string {
	var known *domain.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}
