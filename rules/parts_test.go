package rules

import (
	"strings"
	"testing"

	"countersign/domain"
)

// The sentence names the documents of a file in both languages.
func TestSentenceNamesTheDocumentsOfAFile(t *testing.T) {
	t.Parallel()
	page := func(first, last int, place domain.PartPlace) domain.DocumentPart {
		return domain.DocumentPart{First: first, Last: last, Place: place}
	}
	area := page(1, 1, domain.PlaceArea)
	many := make([]domain.DocumentPart, 8)
	for i := range many {
		many[i] = page(i+1, i+1, "")
	}
	for name, c := range map[string]struct {
		parts    []domain.DocumentPart
		en, zh   string
		evidence string
	}{
		"pages": {[]domain.DocumentPart{page(1, 1, ""), page(2, 3, "")},
			"2 documents: page 1 and pages 2-3.", "2 份单据：第 1 页、第 2-3 页。", "1,2-3"},
		"sides": {[]domain.DocumentPart{page(1, 1, domain.PlaceLeft), page(1, 1, domain.PlaceRight)},
			"2 documents: the left of page 1 and the right of page 1.",
			"2 份单据：第 1 页左侧、第 1 页右侧。", "1:left,1:right"},
		"stacked": {[]domain.DocumentPart{page(2, 2, domain.PlaceTop),
			page(2, 2, domain.PlaceBottom)},
			"the top of page 2 and the bottom of page 2.", "第 2 页上部、第 2 页下部。",
			"2:top,2:bottom"},
		"areas": {[]domain.DocumentPart{area, area, area},
			"3 documents: area 1 of page 1, area 2 of page 1 and area 3 of page 1.",
			"第 1 页区域 1、第 1 页区域 2、第 1 页区域 3。", "1:area 1,1:area 2,1:area 3"},
		"many": {many, "page 5, page 6 and others.", "第 5 页、第 6 页等。", "1,2,3,4,5,6,7,8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := cleanInvoiceInput()
			input.Parts = c.parts
			set := setFor(t, "invoice")
			result, err := set.Validate(input)
			if err != nil || len(result.Findings) != 1 {
				t.Fatalf("found %+v, %v", result.Findings, err)
			}
			finding := result.Findings[0]
			rule, _ := set.Rule(finding.Rule)
			if finding.Rule != domain.RuleSeveralDocuments ||
				finding.Severity != domain.SeverityBlocking ||
				rule.Override != domain.OverrideReason ||
				finding.Evidence["parts"] != c.evidence ||
				!strings.HasSuffix(finding.Message, c.en) ||
				!strings.HasSuffix(rule.Render("zh", finding.Evidence), c.zh) {
				t.Errorf("found %+v; in Chinese %q", finding,
					rule.Render("zh", finding.Evidence))
			}
		})
	}
}

// A set that was published before the rule existed has it, and one cannot switch it off.
func TestPublishedSetsHaveTheRuleAboutSeveralDocuments(t *testing.T) {
	t.Parallel()
	own := `key: own
version: 3
title: {en: Own, zh: 自有}
document_types: [contract]
rules:
  - id: %s
    title: {en: Odd, zh: 奇数}
    phase: validation
    severity: info
    score: 1
    asks: {en: "Is it odd?", zh: "是奇数吗？"}
    when: "false"
    message: {en: "Odd.", zh: "奇数。"}
`
	input := cleanInvoiceInput()
	input.Parts = []domain.DocumentPart{{First: 1, Last: 1}, {First: 2, Last: 2}}
	for _, id := range []string{"odd", domain.RuleSeveralDocuments} {
		set, err := ParsePublished([]byte(strings.Replace(own, "%s", id, 1)))
		if err != nil {
			t.Fatal(err)
		}
		result, err := set.Validate(input)
		if err != nil || len(result.Findings) != 1 || result.Findings[0].RuleSet != "own" ||
			result.Findings[0].Severity != domain.SeverityBlocking {
			t.Errorf("a set with %s: %+v, %v", id, result.Findings, err)
		}
	}
}
