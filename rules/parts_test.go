package rules

import (
	"slices"
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
				finding.Evidence["fields"] != "number,date,total" ||
				!strings.Contains(finding.Message, c.en) ||
				!strings.Contains(rule.Render("zh", finding.Evidence), c.zh) {
				t.Errorf("found %+v; in Chinese %q", finding,
					rule.Render("zh", finding.Evidence))
			}
		})
	}
}

// The finding doubts what the documents state differently, and shows the values of each, so that a reviewer
// sees which of them would be paid.
func TestFindingShowsWhatTheDocumentsState(t *testing.T) {
	t.Parallel()
	input := cleanInvoiceInput()
	input.Parts = []domain.DocumentPart{
		{First: 1, Last: 2, Number: "R-17", Total: "119.00", Currency: "EUR",
			Account: "DE89370400440532013000"},
		{First: 3, Last: 3, Number: "A,55", Total: "4000.00", Currency: "EUR",
			Account: "GB29NWBK60161331926819",
			Differs: []string{domain.FieldVendor, domain.FieldNumber, domain.FieldTotal, domain.FieldIBAN}}}
	result, err := setFor(t, "invoice").Validate(input)
	if err != nil || len(result.Findings) != 1 {
		t.Fatalf("found %+v, %v", result.Findings, err)
	}
	finding := result.Findings[0]
	const want = "This file seems to contain 2 documents: pages 1-2 and page 3. They state: R-17 · 119.00 EUR; " +
		"A 55 · 4000.00 EUR · GB29…6819. Split the file by pages, or return it so that each " +
		"document is submitted alone."
	if finding.Message != want || finding.Evidence["fields"] != "vendor,number,date,total,iban" {
		t.Errorf("%q, fields %q", finding.Message, finding.Evidence["fields"])
	}
}

// An amount without a currency is not called missing: the currency is.
func TestMissingCurrencyIsNoMissingAmount(t *testing.T) {
	t.Parallel()
	for _, documentType := range []string{"invoice", "receipt", "remittance"} {
		input := cleanInvoiceInput()
		input.DocumentType = documentType
		input.Amount, input.AmountKnown, input.BaseMinor = domain.Money{}, false, 0
		input.Fields = slices.DeleteFunc(input.Fields,
			func(f domain.Field) bool { return f.Name == domain.FieldCurrency })
		findings, _ := evaluated(t, setFor(t, documentType), input)
		found := findRaised(findings, "amount_without_currency")
		if found == nil || found.Severity != domain.SeverityBlocking ||
			found.Evidence["fields"] != domain.FieldCurrency ||
			!strings.Contains(found.Message, "119.00 without a currency") {
			t.Errorf("%s: %+v", documentType, findings)
		}
		for _, rule := range []string{"amount_missing", "currency_missing"} {
			if findRaised(findings, rule) != nil {
				t.Errorf("%s: %s too", documentType, rule)
			}
		}
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
