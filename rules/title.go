package rules

import (
	"slices"
	"strings"
)

// TitleOf returns a title for findings without a rule set, which were stored before rule sets were
// data: that of a built-in rule with the same id, otherwise the id in words.
func TitleOf(id, language string) string {
	all, err := builtin()
	if err != nil {
		return titleFromID(id)
	}
	for _, set := range all.sets {
		if rule, ok := set.Rule(id); ok {
			return rule.Title(language)
		}
	}
	return titleFromID(id)
}

// Title returns the short name of the rule in a language, in English if it has none in that
// language, and otherwise its id in words, so that no user sees a bare id.
func (r *Rule) Title(language string) string {
	for _, wanted := range []string{language, "en"} {
		if title := strings.TrimSpace(r.Titles[wanted]); title != "" {
			return title
		}
	}
	return titleFromID(r.ID)
}

// addMissingTitles gives every rule a title in every language. Sets published before titles were
// required have none.
func (s *Set) addMissingTitles(builtinSets []*Set) {
	for _, rule := range s.Rules {
		titles := make(map[string]string, len(languages))
		like := equivalentRule(s.Key, rule, builtinSets)
		for _, language := range languages {
			switch {
			case strings.TrimSpace(rule.Titles[language]) != "":
				titles[language] = rule.Titles[language]
			case like != nil:
				titles[language] = like.Title(language)
			default:
				titles[language] = rule.Title(language)
			}
		}
		rule.Titles = titles
	}
}

// equivalentRule returns the built-in rule with the same id and condition, nil if there is none. A
// rule with another condition does not share its title, which may state a threshold.
func equivalentRule(setKey string, rule *Rule, builtinSets []*Set) (found *Rule) {
	for _, set := range builtinSets {
		other, ok := set.Rule(rule.ID)
		if !ok || strings.TrimSpace(other.When) != strings.TrimSpace(rule.When) &&
			!slices.Contains(titledByID, rule.ID) {
			continue
		}
		if set.Key == setKey {
			return other
		}
		if found == nil {
			found = other
		}
	}
	return found
}

// titledByID are rules whose conditions have changed and whose titles state no threshold.
var titledByID = []string{"split_small", "split_payments", "required_missing", "amount_missing",
	"currency_missing"}

// titleFromID makes "Weekend invoice" of weekend_invoice.
func titleFromID(id string) string {
	words := strings.Join(strings.FieldsFunc(id, func(r rune) bool { return r == '_' }), " ")
	if words == "" {
		return "Rule"
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
