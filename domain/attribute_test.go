package domain_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

func attributeRules() []domain.AttributeRule {
	return []domain.AttributeRule{
		{Name: "department", Type: domain.AttributeChoice, Required: true,
			Choices: []domain.AttributeOption{{Key: "sales"}, {Key: "finance"}}},
		{Name: "cost_centre", Type: domain.AttributeText, MaxLength: 6,
			Pattern: regexp.MustCompile(`^(?:[A-Z0-9]+)$`)},
		{Name: "note", Type: domain.AttributeText, MaxLength: 40},
		{Name: "budget", Type: domain.AttributeMoney, Currency: "EUR"},
		{Name: "people", Type: domain.AttributeInteger},
		{Name: "start", Type: domain.AttributeDate},
		{Name: "urgent", Type: domain.AttributeYesNo},
	}
}

func stated(pairs ...string) []domain.StatedAttribute {
	list := []domain.StatedAttribute{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, domain.StatedAttribute{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

func TestAttributesAreCanonical(t *testing.T) {
	t.Parallel()
	got, err := domain.ParseAttributes(attributeRules(), stated("urgent", "true", "budget", "1,200.5",
		"department", " sales ", "people", "+7", "start", "2026-02-28", "note", "<b>财务</b> && true"))
	if err != nil {
		t.Fatal(err)
	}
	want := []domain.Attribute{
		{Name: "department", Type: domain.AttributeChoice, Value: "sales"},
		{Name: "note", Type: domain.AttributeText, Value: "<b>财务</b> && true"},
		{Name: "budget", Type: domain.AttributeMoney, Value: "1200.50", Currency: "EUR"},
		{Name: "people", Type: domain.AttributeInteger, Value: "7"},
		{Name: "start", Type: domain.AttributeDate, Value: "2026-02-28"},
		{Name: "urgent", Type: domain.AttributeYesNo, Value: "true"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("attributes\n%+v, want\n%+v", got, want)
	}
	facts := domain.AttributeFacts(attributeRules(), got)
	if facts["department"] != "sales" || facts["budget"] != int64(120050) ||
		facts["people"] != int64(7) || facts["urgent"] != true || facts["cost_centre"] != "" {
		t.Errorf("facts %v", facts)
	}
}

// The list is closed: every refusal is InvalidInput and names the attribute.
func TestAttributesAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, reason string }{
		{"department", "", "missing"}, {"department", "hr", "choice"}, {"department", "Sales", "choice"},
		{"department", "sales' || true", "choice"}, {"department", "ѕales", "choice"}, // Cyrillic
		{"cost_centre", "ABCDEFG", "too_long"}, {"cost_centre", "a<b>", "pattern"},
		{"cost_centre", "A\nB", "hidden"}, {"note", strings.Repeat("长", 41), "too_long"},
		{"note", "pay\u202Eyap", "hidden"}, {"note", "a\x00b", "nul"}, {"note", "a\xffb", "encoding"},
		{"budget", "-1", "money"}, {"budget", "1.234", "money"}, {"budget", "5 USD", "money"},
		{"people", "1.5", "integer"}, {"people", "9223372036854775808", "integer"},
		{"start", "31.01.2026", "date"}, {"start", "2026-02-30", "date"}, {"urgent", "yes", "yes_no"},
	} {
		in := stated("department", "sales", test.name, test.value)
		if test.name == "department" {
			in = in[1:]
		}
		got, err := domain.ParseAttributes(attributeRules(), in)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != domain.InvalidInput || got != nil ||
			refused.Field != "attributes."+test.name || strings.TrimPrefix(refused.Detail["reason"], "attribute_") != test.reason {
			t.Errorf("%s = %q: %v %+v", test.name, test.value, got, err)
		}
	}
	_, err := domain.ParseAttributes(attributeRules(), stated("department", "sales", "department",
		"finance", "amount_known", "true"))
	for _, want := range []string{"stated twice", `no attribute "amount_known"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// A case fits the rules of another version only if it has what that version requires, of the same type.
func TestAttributesFitOtherRules(t *testing.T) {
	t.Parallel()
	sales := []domain.Attribute{{Name: "department", Type: domain.AttributeChoice, Value: "sales"}}
	text := []domain.Attribute{{Name: "department", Type: domain.AttributeText, Value: "sales"}}
	gone := []domain.Attribute{{Name: "department", Type: domain.AttributeChoice, Value: "legal"}}
	rules := attributeRules()
	for name, test := range map[string]struct {
		rules []domain.AttributeRule
		has   []domain.Attribute
		fits  bool
	}{
		"same": {rules, sales, true}, "absent": {rules, nil, false}, "other type": {rules, text, false},
		"choice that was removed": {rules, gone, false}, "no rules": {nil, sales, true},
	} {
		if err := domain.FitAttributes(test.rules, test.has); (err == nil) != test.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
	if facts := domain.AttributeFacts(rules, text); facts["department"] != nil {
		t.Errorf("a value of another type is a fact: %v", facts)
	}
}
