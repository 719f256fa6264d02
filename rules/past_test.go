package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

const pastText = `
key: past
version: %d
title: {en: Past, zh: 过去}
document_types: [invoice]
rules:
  - id: %s
    title: {en: Large, zh: 大额}
    phase: risk
    severity: %s
    score: %d
    asks: {en: "Is it large?", zh: "是否大额？"}
    when: '%s'
    message: {en: "It is large.", zh: "大额。"}
`

func pastSet(t *testing.T, version int, id, severity string, score int, when string) *Set {
	t.Helper()
	set, err := ParseSet([]byte(fmt.Sprintf(pastText, version, id, severity, score, when)))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// judgedPast returns the clean invoice as a set judged it: with the finding of its rule or without it.
func judgedPast(judged *Set, found bool) PastCase {
	past := PastCase{Input: cleanInvoiceInput(), Judged: judged, Phases: []Phase{Validation, Risk},
		Findings: []domain.Finding{{Rule: "of_a_program", Severity: domain.SeverityInfo}}}
	past.Input.Vendor = VendorHistory{Known: true}
	if found {
		past.Findings = append(past.Findings, domain.Finding{Rule: judged.Rules[0].ID, RuleSet: judged.Key,
			RuleVersion: judged.Version, Severity: domain.SeverityInfo, Evidence: map[string]string{"a": "b"}})
	}
	return past
}

// A changed rule is evaluated on the facts of the case; one with the same condition keeps what was recorded,
// with the new points. A rule never silently finds nothing because a fact is not recorded.
func TestEvaluatePast(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		judged, proposed string // conditions
		had              bool
		found            bool
		unknown          []string
		unlike           bool
	}{
		"a lower threshold":            {"base_minor >= 20000", "base_minor >= 10000", false, true, nil, false},
		"a higher threshold":           {"base_minor >= 10000", "base_minor >= 20000", true, false, nil, false},
		"the same with other spaces":   {"vendor_approved < 3", "vendor_approved  <  3", true, true, nil, false},
		"the same, nothing recorded":   {"vendor_approved < 3", "vendor_approved < 3", false, false, nil, false},
		"an unrecorded fact":           {"base_minor > 5", "vendor_approved < 3", false, false, []string{"vendor_approved"}, true},
		"an unrecorded fact, found":    {"base_minor > 5", "vendor_approved < 3", true, true, []string{"vendor_approved"}, false},
		"false without it":             {"base_minor > 5", "base_minor > 90000 && vendor_approved < 3", true, false, nil, false},
		"true without it":              {"base_minor > 99999", "base_minor > 5 || size(same_number) > 0", false, true, nil, false},
		"a duplicate":                  {"base_minor > 99999", "size(same_number) > 0", false, false, []string{"same_number"}, false},
		"a list of countries":          {"base_minor > 99999", `country_risk == "high"`, false, false, []string{"country_risk"}, false},
		"facts that have changed":      {"base_minor >= 10000", "base_minor >= 11000", false, true, nil, true},
		"an order of a case without":   {"base_minor > 99999", "order_exceeded", false, false, nil, false},
		"an account that has no order": {"base_minor > 99999", `account != ""`, false, true, nil, false},
	} {
		judged := pastSet(t, 1, "large", "info", 5, row.judged)
		result, err := pastSet(t, 2, "large", "blocking", 40, row.proposed).EvaluatePast(judgedPast(judged, row.had))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found := slices.ContainsFunc(result.Findings, func(f domain.Finding) bool {
			return f.Rule == "large" && f.Score == 40 && f.Severity == domain.SeverityBlocking && f.RuleVersion == 2
		})
		var unknown []string
		for _, one := range result.Unknown {
			unknown = append(unknown, one.Facts...)
		}
		if found != row.found || !slices.Equal(unknown, row.unknown) || len(result.Unlike) > 0 != row.unlike {
			t.Errorf("%s: found %t, unknown %v, unlike %v", name, found, unknown, result.Unlike)
		}
		if result.Findings[0].Rule != "of_a_program" {
			t.Errorf("%s: the finding of a program is lost: %+v", name, result.Findings)
		}
	}
}

// Facts of an order beside its evidence are not recorded, those of a case without a vendor are known, a rule
// of a phase that the process does not evaluate finds nothing, and a removed rule finds nothing.
func TestEvaluatePastOfOtherCases(t *testing.T) {
	t.Parallel()
	judged := pastSet(t, 1, "large", "info", 5, "base_minor > 99999")
	evaluate := func(when string, change func(*PastCase)) PastResult {
		past := judgedPast(judged, true)
		change(&past)
		result, err := pastSet(t, 2, "other", "info", 5, when).EvaluatePast(past)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	order := evaluate("order_exceeded", func(p *PastCase) { p.HasOrder = true })
	if len(order.Unknown) != 1 || len(order.Findings) != 1 {
		t.Errorf("an order: %+v", order)
	}
	if known := evaluate("order_known", func(p *PastCase) { p.HasOrder = true }); len(known.Findings) != 2 {
		t.Errorf("that there is an order: %+v", known)
	}
	stranger := evaluate("vendor_approved == 0", func(p *PastCase) { p.Input.Vendor = VendorHistory{} })
	if len(stranger.Unknown) != 0 || len(stranger.Findings) != 2 {
		t.Errorf("a case without a vendor: %+v", stranger)
	}
	unread := evaluate("base_minor > 5", func(p *PastCase) { p.Phases = []Phase{Validation} })
	if len(unread.Findings) != 1 {
		t.Errorf("a process without that stage: %+v", unread)
	}
	unjudged := evaluate("base_minor > 5", func(p *PastCase) { p.Judged = nil })
	if len(unjudged.Findings) != 3 {
		t.Errorf("judged by an unknown version: %+v", unjudged)
	}
	if _, err := pastSet(t, 2, "large", "info", 5, "base_minor / (lines - 1) > 3").EvaluatePast(
		judgedPast(judged, false)); !domain.HasCode(err, domain.ExpressionFailed) {
		t.Errorf("a rule that fails: %v", err)
	}
	if _, err := pastSet(t, 2, "large", "info", 5, `fields["reference"] == "x"`).EvaluatePast(
		judgedPast(judged, false)); !domain.HasCode(err, domain.ExpressionFailed) {
		t.Errorf("a field that the document lacks: %v", err)
	}
}

// Input that does not come from the case itself is not recorded: each fact that follows from it is named as
// not recorded, so that a rule never finds nothing because such a fact looks empty. A new part of the input
// has to be put on one side.
func TestFactsAboutOtherCasesAreNotRecorded(t *testing.T) {
	t.Parallel()
	own := []string{"Type", "DocumentType", "Fields", "Amount", "AmountKnown", "BaseMinor", "Declared", "Country",
		"Differing", "Lines", "Features", "NotPrinted", "Parts", "LineSum", "CorrectedLines", "Today"}
	related := Input{CountryRisk: "high", RiskCountry: "IR",
		Vendor:      VendorHistory{Known: true, Cases: 3, Account: "x", Recent: []string{"a"}, RecentCount: 1, RecentSum: 5},
		Sums:        []DocumentSum{{}},
		SumSubjects: map[SumSubject][]string{BySubmitter: {"x"}}, SumsAt: time.Unix(1, 0),
		Shared: []SharedAccount{{Account: "y", Reference: "CS-1", Vendor: "z"}},
		Order: &OrderInput{Amount: domain.Money{Minor: 5, Currency: "EUR"}, Payee: "x", Account: "y",
			AmountDiffers: true, OtherAmounts: "x", NoAmount: true, OtherPayees: []string{"x"},
			OtherAccounts: []string{"y"}, Exceeded: true, OnEvidence: []string{"x"}, Sum: "s", Evidence: "e"}}
	for kind := range duplicateFacts {
		related.Duplicates = append(related.Duplicates, DuplicateHit{Kind: kind, Reference: "x"})
	}
	value := reflect.ValueOf(related)
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		if value.Field(i).IsZero() != slices.Contains(own, name) {
			t.Errorf("%s belongs neither to the case nor to other cases", name)
		}
	}
	blank, filled := PrepareFacts(Input{}).facts, PrepareFacts(related).facts
	missing := slices.Concat(relatedFacts, vendorFacts, orderFacts, sumFacts)
	for name, value := range filled {
		flag := name == "order_known" || name == "vendor_looked"
		if !reflect.DeepEqual(value, blank[name]) && !flag && !slices.Contains(missing, name) {
			t.Errorf("%s follows from other cases and counts as recorded", name)
		}
	}
	for _, name := range missing {
		if _, known := filled[name]; !known {
			t.Errorf("no rule can use %q", name)
		}
	}
}

// Sums of other documents are not recorded. A document that reaches every mark alone, or of which no amount
// is known, is not judged by them.
func TestEvaluatePastSums(t *testing.T) {
	t.Parallel()
	sums := "\n    sums: [{by: counterparty, within: [24h], marks: [1000], from: 50}]\n    when:"
	proposed, err := ParseSet([]byte(strings.Replace(fmt.Sprintf(pastText, 2, "split", "info", 5, "amount_known"),
		"\n    when:", sums, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for base, unknown := range map[int64]int{4_999: 0, 5_000: 1, 99_999: 1, 100_000: 0} {
		past := judgedPast(pastSet(t, 1, "large", "info", 5, "amount_known"), false)
		past.Input.BaseMinor = base
		if result, err := proposed.EvaluatePast(past); err != nil || len(result.Unknown) != unknown ||
			len(result.Findings) != 1 {
			t.Errorf("%d: %+v, %v", base, result, err)
		}
	}
}
