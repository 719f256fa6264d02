package domain

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// AttributeType is the type of an attribute of a submission.
type AttributeType string

// The types of attributes.
const (
	AttributeChoice  AttributeType = "choice"  // one of a closed list
	AttributeText    AttributeType = "text"    // one line
	AttributeInteger AttributeType = "integer" // a whole number
	AttributeDate    AttributeType = "date"    // YYYY-MM-DD
	AttributeMoney   AttributeType = "money"   // an amount in the currency of the attribute
	AttributeYesNo   AttributeType = "yes_no"
)

// AttributeTypes returns all types.
func AttributeTypes() []AttributeType {
	return []AttributeType{AttributeChoice, AttributeText, AttributeInteger, AttributeDate,
		AttributeMoney, AttributeYesNo}
}

// MaxAttributes limits the attributes of a process, MaxAttributeText the characters of a text.
const (
	MaxAttributes    = 20
	MaxAttributeText = 500
)

// AttributeRule declares an attribute that a submitter states with a document. A process declares it.
type AttributeRule struct {
	Name     string
	Type     AttributeType
	Label    map[string]string // by language ("en", "zh")
	Required bool
	Choices  []AttributeOption // of a choice
	// MaxLength limits the characters of a text, and Pattern must match all of it; "": anything matches.
	MaxLength int
	Pattern   *regexp.Regexp
	Currency  string // of an amount
}

// AttributeOption is one value of a choice.
type AttributeOption struct {
	Key   string
	Label map[string]string
}

// StatedAttribute is an attribute as a submitter entered it.
type StatedAttribute struct{ Name, Value string }

// Attribute is what the submitter stated about an attribute. It is no evidence that it is true.
type Attribute struct {
	Name string        `json:"name"`
	Type AttributeType `json:"type"`
	// Value is canonical: the key of a choice, a decimal for an amount, true or false.
	Value    string `json:"value"`
	Currency string `json:"currency,omitempty"`
}

// Keys returns the keys of the choices in order.
func (r *AttributeRule) Keys() []string {
	keys := make([]string, 0, len(r.Choices))
	for _, choice := range r.Choices {
		keys = append(keys, choice.Key)
	}
	return keys
}

// HasDefault reports whether a condition can use the attribute although a case may lack it: as "".
func (r *AttributeRule) HasDefault() bool {
	return r.Type == AttributeChoice || r.Type == AttributeText || r.Type == AttributeDate
}

// PatternText returns the pattern as the process declares it: a regular expression that a whole text must
// match. It is "" if any text is accepted.
func (r *AttributeRule) PatternText() string {
	if r.Pattern == nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(r.Pattern.String(), "^(?:"), ")$")
}

// AttributeField returns the name of an attribute in errors.
func AttributeField(name string) string { return "attributes." + name }

// ParseAttributes validates what a submitter stated, in the order of the rules. Values that are empty
// count as not stated. The errors of several attributes are joined; each names its attribute.
func ParseAttributes(rules []AttributeRule, stated []StatedAttribute) ([]Attribute, error) {
	var parsed []Attribute
	problems := checkNames(rules, stated)
	for i := range rules {
		rule := &rules[i]
		at := slices.IndexFunc(stated, func(s StatedAttribute) bool { return s.Name == rule.Name })
		value := ""
		if at >= 0 {
			value = strings.TrimSpace(stated[at].Value)
		}
		switch attribute, err := rule.parse(value); {
		case err != nil:
			problems = append(problems, err)
		case value != "":
			parsed = append(parsed, attribute)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return parsed, nil
}

// checkNames refuses attributes that the process does not declare, and those that are stated twice.
func checkNames(rules []AttributeRule, stated []StatedAttribute) (problems []error) {
	for i, one := range stated {
		declared := slices.ContainsFunc(rules, func(r AttributeRule) bool { return r.Name == one.Name })
		twice := slices.ContainsFunc(stated[:i],
			func(s StatedAttribute) bool { return s.Name == one.Name })
		switch {
		case !declared:
			problems = append(problems, Invalid("attributes",
				"The process has no attribute %.40q.", one.Name).
				WithRemedy("Remove it, or choose the process that has it.").
				WithDetail("reason", "attribute_unknown").WithDetail("attribute", cut(one.Name)))
		case twice:
			problems = append(problems, Invalid(AttributeField(one.Name),
				"The attribute %s is stated twice.", one.Name).WithDetail("reason", "attribute_twice").
				WithDetail("attribute", one.Name))
		}
	}
	return problems
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// parse returns the canonical attribute. An empty value is only an error if it is required.
func (r *AttributeRule) parse(value string) (Attribute, error) {
	parsed := Attribute{Name: r.Name, Type: r.Type}
	if value == "" {
		if r.Required {
			return parsed, r.refuse("missing", "The process requires the attribute %s.", r.Name)
		}
		return parsed, nil
	}
	var err error
	switch r.Type {
	case AttributeChoice:
		if parsed.Value = value; !slices.Contains(r.Keys(), value) {
			err = r.refuse("choice", "The attribute %s has no choice %.40q.", r.Name, value).
				WithRemedy("Choose one of: %s.", strings.Join(r.Keys(), ", ")).
				WithDetail("choices", strings.Join(r.Keys(), ", "))
		}
	case AttributeText:
		parsed.Value = value
		err = r.checkText(value)
	case AttributeInteger:
		parsed.Value, err = r.parseInteger(value)
	case AttributeDate:
		if parsed.Value = value; !isDate(value) {
			err = r.refuse("date", "The attribute %s must be a date such as 2026-01-31, not %.40q.",
				r.Name, value)
		}
	case AttributeMoney:
		parsed.Value, err = r.parseAmount(value)
		parsed.Currency = r.Currency
	case AttributeYesNo:
		if parsed.Value = value; value != "true" && value != "false" {
			err = r.refuse("yes_no", "The attribute %s must be true or false, not %.40q.", r.Name,
				value)
		}
	}
	return parsed, err
}

func (r *AttributeRule) refuse(reason, format string, args ...any) *Error {
	return Invalid(AttributeField(r.Name), format, args...).
		WithDetail("reason", "attribute_"+reason).WithDetail("attribute", r.Name)
}

func (r *AttributeRule) checkText(value string) error {
	if err := CheckText(AttributeField(r.Name), value); err != nil {
		return err
	}
	switch {
	case Longer(value, r.MaxLength):
		return r.refuse("too_long", "The attribute %s is longer than %d characters.", r.Name,
			r.MaxLength).WithDetail("most", strconv.Itoa(r.MaxLength))
	case strings.ContainsFunc(value, func(c rune) bool {
		return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}):
		return r.refuse("hidden", "The attribute %s contains characters that cannot be seen.", r.Name).
			WithRemedy("Type it again.")
	case r.Pattern != nil && !r.Pattern.MatchString(value):
		return r.refuse("pattern", "The attribute %s does not have the required form “%s”.", r.Name,
			r.PatternText()).WithDetail("pattern", r.PatternText())
	}
	return nil
}

func (r *AttributeRule) parseInteger(value string) (string, error) {
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return "", r.refuse("integer", "The attribute %s must be a whole number, not %.40q.", r.Name,
			value)
	}
	return strconv.FormatInt(number, 10), nil
}

func (r *AttributeRule) parseAmount(value string) (string, error) {
	amount, err := ParseMoney(value, r.Currency)
	if err != nil || amount.Minor < 0 {
		return "", r.refuse("money", "The attribute %s must be an amount in %s such as 1200.00, not %.40q.",
			r.Name, r.Currency, value).WithDetail("currency", r.Currency)
	}
	return amount.Decimal(), nil
}

// isDate reports whether the text is a date in the form YYYY-MM-DD.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// fact returns the value as conditions compare it. The value has been validated by its rule.
func (a *Attribute) fact() (any, error) {
	switch a.Type {
	case AttributeInteger:
		return strconv.ParseInt(a.Value, 10, 64)
	case AttributeMoney:
		amount, err := ParseMoney(a.Value, a.Currency)
		return amount.Minor, err
	case AttributeYesNo:
		return a.Value == "true", nil
	}
	return a.Value, nil
}

// AttributeFacts returns the values that conditions of a process with the rules use, by name. A value of
// another type than the rule says is left out, so that a condition which needs it fails. Nil if there are no rules.
func AttributeFacts(rules []AttributeRule, stated []Attribute) map[string]any {
	if len(rules) == 0 {
		return nil
	}
	facts := make(map[string]any, len(rules))
	for i := range rules {
		rule := &rules[i]
		at := slices.IndexFunc(stated, func(a Attribute) bool { return a.Name == rule.Name })
		switch {
		case at < 0:
			if rule.HasDefault() {
				facts[rule.Name] = ""
			}
		case stated[at].Type == rule.Type && stated[at].Currency == rule.Currency:
			if fact, err := stated[at].fact(); err == nil {
				facts[rule.Name] = fact
			}
		}
	}
	return facts
}

// FitAttributes checks that a case with these attributes fits a process with the rules: that each is of
// the type that the rules declare and would be accepted. An attribute without a rule stays with the case.
func FitAttributes(rules []AttributeRule, stated []Attribute) error {
	for i := range rules {
		rule := &rules[i]
		value := ""
		if at := slices.IndexFunc(stated,
			func(a Attribute) bool { return a.Name == rule.Name }); at >= 0 {
			if stated[at].Type != rule.Type || stated[at].Currency != rule.Currency {
				return rule.refuse("type", "The case has the attribute %s with another type.", rule.Name)
			}
			value = stated[at].Value
		}
		if _, err := rule.parse(value); err != nil {
			return fmt.Errorf("domain: attribute %s: %w", rule.Name, err)
		}
	}
	return nil
}
