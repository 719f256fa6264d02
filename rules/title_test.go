package rules

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const untitledSet = `key: mine
title: {en: Mine, zh: 我的}
document_types: [invoice]
rules:
  - id: weekend_invoice
    phase: risk
    severity: info
    score: 5
    asks: {en: "Weekend?", zh: "周末？"}
    when: amount_known
    message: {en: "It is.", zh: "是。"}
  - id: high_amount
    phase: risk
    severity: info
    score: 5
    asks: {en: "High?", zh: "高？"}
    when: amount_known && base_minor >= 5000000
    message: {en: "It is.", zh: "是。"}
  - id: new_vendor
    phase: risk
    severity: info
    score: 5
    asks: {en: "New?", zh: "新？"}
    when: vendor_looked && vendor_approved == 0
    message: {en: "It is.", zh: "是。"}
`

// A proposed set without titles is rejected, and each problem names the rule and the language.
func TestTitlesAreRequired(t *testing.T) {
	t.Parallel()
	set, problems := CheckSet([]byte(untitledSet))
	if set != nil || len(problems) != 6 {
		t.Fatalf("%v", problems)
	}
	if text := problems[1].String(); text != "line 5: weekend_invoice: title is missing in the language zh" {
		t.Error(text)
	}
}

// A published set without titles still loads. Its rules have the titles of equal built-in rules,
// otherwise their ids in words; a changed condition does not get a title that states another
// threshold.
func TestPublishedSetsWithoutTitlesHaveTitles(t *testing.T) {
	t.Parallel()
	set, err := ParsePublished([]byte(untitledSet))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][2]string{
		"weekend_invoice": {"Weekend invoice", "Weekend invoice"},
		"high_amount":     {"High amount", "High amount"},
		"new_vendor":      {"First document from this vendor", "该供应商的首份单据"},
	} {
		rule, _ := set.Rule(id)
		if got := [2]string{rule.Title("en"), rule.Title("zh")}; got != want {
			t.Errorf("%s: %q", id, got)
		}
	}
}

// Findings of the first version of the built-in sets, which had no titles, have the titles of
// today.
func TestFirstBuiltinVersionHasTitles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/invoice_v1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set, err := ParsePublished(text)
	if err != nil {
		t.Fatal(err)
	}
	today := setFor(t, "invoice")
	for _, rule := range set.Rules {
		now, ok := today.Rule(rule.ID)
		if !ok || rule.Title("en") != now.Title("en") || rule.Title("zh") != now.Title("zh") {
			t.Errorf("%s: %q, %q", rule.ID, rule.Title("en"), rule.Title("zh"))
		}
	}
}

// No title of a built-in rule is a bare id, and none is used twice in a set.
func TestBuiltinTitles(t *testing.T) {
	t.Parallel()
	for _, set := range builtinSets() {
		var titles []string
		for _, rule := range set.Rules {
			for _, language := range languages {
				title := rule.Titles[language]
				if strings.Contains(title, "_") || utf8.RuneCountInString(title) > 50 ||
					slices.Contains(titles, title) {
					t.Errorf("%s/%s: %q", set.Key, rule.ID, title)
				}
				titles = append(titles, title)
			}
		}
	}
}

// A finding without a rule set was stored before rule sets were data.
func TestTitleOfLegacyFindings(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"duplicate_number": "Duplicate invoice number", "some_old_rule": "Some old rule",
		"": "Rule", "_": "Rule",
	} {
		if got := TitleOf(id, "en"); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
	if got := TitleOf("duplicate_number", "zh"); got != "发票号码重复" {
		t.Error(got)
	}
}
