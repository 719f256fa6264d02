package rules

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

var today = time.Date(2026, 3, 10, 23, 30, 0, 0, time.UTC)

// cleanInvoice is a document that no rule has anything against.
func cleanInvoice() Input {
	values := map[string]string{
		domain.FieldVendor: "Muster GmbH", domain.FieldNumber: "R-17", domain.FieldDate: "2026-02-28",
		domain.FieldDueDate: "2026-03-30", domain.FieldCurrency: "EUR", domain.FieldNet: "100.00", domain.FieldTax: "19.00",
		domain.FieldTotal: "119.00", domain.FieldIBAN: "DE89370400440532013000", domain.FieldVATID: "DE136695976",
	}
	input := Input{DocumentType: "invoice", Country: "DE", Today: today, AmountKnown: true, BaseMinor: 11_900,
		Amount: domain.Money{Minor: 11_900, Currency: "EUR"}, Vendor: VendorHistory{Looked: true, Cases: 3}}
	for _, name := range domain.FieldNames() {
		if value, ok := values[name]; ok {
			input.Fields = append(input.Fields, domain.Field{Name: name, Raw: value, Normalised: value, Source: domain.SourceOCR, Confidence: 0.95})
		}
	}
	return input
}

// variant is a change of the clean invoice, as testdata/documents.json writes it.
type variant struct {
	DocumentType string             `json:"documentType"`
	Amount       *string            `json:"amount"` // "" unknown; the base amount counts one to one
	Declared     string             `json:"declared"`
	Country      *string            `json:"country"`
	Fields       map[string]*string `json:"fields"` // null takes the field away
	Unreadable   map[string]string  `json:"unreadable"`
	Confidence   map[string]float64 `json:"confidence"`
	Duplicates   []DuplicateKind    `json:"duplicates"`
	VendorCases  *int               `json:"vendorCases"`
}

func money(t *testing.T, text string) domain.Money {
	t.Helper()
	value, code, _ := strings.Cut(text, " ")
	amount, err := domain.ParseMoney(value, code)
	if err != nil {
		t.Fatal(err)
	}
	return amount
}

func (v variant) input(t *testing.T) Input {
	t.Helper()
	input := cleanInvoice()
	if v.DocumentType != "" {
		input.DocumentType = v.DocumentType
	}
	switch {
	case v.Amount == nil:
	case *v.Amount == "":
		input.Amount, input.AmountKnown, input.BaseMinor = domain.Money{}, false, 0
	default:
		input.Amount = money(t, *v.Amount)
		input.BaseMinor = input.Amount.Minor
	}
	if v.Declared != "" {
		input.Declared = money(t, v.Declared)
	}
	if v.Country != nil {
		input.Country = *v.Country
	}
	if v.VendorCases != nil {
		input.Vendor.Cases = *v.VendorCases
	}
	for _, kind := range v.Duplicates {
		input.Duplicates = append(input.Duplicates, DuplicateHit{Kind: kind, Reference: "CS-2026-000001"})
	}
	input.Fields = slices.DeleteFunc(input.Fields, func(f domain.Field) bool {
		value, changed := v.Fields[f.Name]
		return changed && value == nil
	})
	for i := range input.Fields {
		field := &input.Fields[i]
		if value := v.Fields[field.Name]; value != nil {
			field.Raw, field.Normalised = *value, *value
		}
		if raw, ok := v.Unreadable[field.Name]; ok {
			field.Raw, field.Normalised = raw, ""
		}
		if confidence, ok := v.Confidence[field.Name]; ok {
			field.Confidence = confidence
		}
	}
	return input
}

// all runs both phases as the process does.
func all(input Input) ([]domain.Finding, Result) {
	validated := Validate(input)
	assessed := Assess(input, validated.Findings)
	return append(slices.Clone(validated.Findings), assessed.Findings...), assessed
}

func raised(findings []domain.Finding, rule string) *domain.Finding {
	for i := range findings {
		if findings[i].Rule == rule {
			return &findings[i]
		}
	}
	return nil
}

func TestNothingIsSaidAgainstACleanInvoice(t *testing.T) {
	t.Parallel()
	if findings, result := all(cleanInvoice()); len(findings) > 0 || result.Score != 0 {
		t.Fatalf("%+v", findings)
	}
}

func TestEveryRuleHasADocumentThatRaisesItAndOneThatDoesNot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/documents.json")
	if err != nil {
		t.Fatal(err)
	}
	var documents map[string]struct{ Raises, Quiet variant }
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&documents); err != nil {
		t.Fatal(err)
	}
	if len(documents) != len(Table()) {
		t.Errorf("%d documents for %d rules", len(documents), len(Table()))
	}
	for _, rule := range Table() {
		t.Run(rule.ID, func(t *testing.T) {
			t.Parallel()
			pair, ok := documents[rule.ID]
			if !ok {
				t.Fatal("no document")
			}
			findings, result := all(pair.Raises.input(t))
			finding := raised(findings, rule.ID)
			if finding == nil {
				t.Fatalf("not raised: %+v", findings)
			}
			if finding.Severity != rule.Severity || finding.Score != rule.Points || finding.RuleVersion != Version {
				t.Errorf("differs from the table: %+v", finding)
			}
			if !strings.HasSuffix(finding.Message, ".") || strings.Contains(finding.Message, "%!") {
				t.Errorf("not a sentence: %q", finding.Message)
			}
			if result.Score < rule.Points || !slices.ContainsFunc(result.Reasons, func(r Reason) bool { return r.Rule == rule.ID }) {
				t.Errorf("not among the reasons of the score: %+v", result)
			}
			if findings, _ := all(pair.Quiet.input(t)); raised(findings, rule.ID) != nil {
				t.Errorf("raised for the quiet document: %+v", findings)
			}
		})
	}
}

func TestTableIsWellFormed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range Table() {
		if seen[rule.ID] || rule.Points < 0 || rule.Points > 100 || rule.Asks == "" || (rule.Phase != Validation && rule.Phase != Risk) {
			t.Errorf("%+v", rule)
		}
		seen[rule.ID] = true
	}
}

func TestArithmeticInOtherCurrencies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		currency, net, tax, total string
		lines                     int
		off                       bool
	}{
		"yen fits":              {"JPY", "1000", "100", "1100", 0, false},
		"yen off by one":        {"JPY", "1000", "100", "1101", 0, false},
		"yen off by two":        {"JPY", "1000", "100", "1102", 0, true},
		"yen with zeros":        {"JPY", "1000.00", "100.00", "1100.00", 0, false},
		"dinar fits":            {"KWD", "1.250", "0.125", "1.375", 0, false},
		"dinar off":             {"KWD", "1.250", "0.125", "1.377", 0, true},
		"three lines":           {"EUR", "100.00", "19.00", "119.03", 3, false},
		"three lines, too much": {"EUR", "100.00", "19.00", "119.04", 3, true},
		"credit note":           {"EUR", "-100.00", "-19.00", "-119.00", 0, false},
		"credit note off":       {"EUR", "-100.00", "-19.00", "-120.00", 0, true},
		"no tax":                {"EUR", "100.00", "0", "100.00", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := variant{Fields: map[string]*string{domain.FieldCurrency: &test.currency, domain.FieldNet: &test.net,
				domain.FieldTax: &test.tax, domain.FieldTotal: &test.total}}.input(t)
			input.Lines = test.lines
			findings, _ := all(input)
			if got := raised(findings, "arithmetic") != nil; got != test.off {
				t.Errorf("raised %v: %+v", got, findings)
			}
			if raised(findings, "field_unreadable") != nil {
				t.Errorf("unreadable: %+v", findings)
			}
		})
	}
}

// Nothing is concluded from a net or a tax that was only guessed; people and e-invoices do not guess.
func TestArithmeticAsksOnlyWhatWasReadSurely(t *testing.T) {
	t.Parallel()
	tax := "18.00"
	for name, test := range map[string]struct {
		source     domain.FieldSource
		confidence float64
		raised     bool
	}{
		"sure": {domain.SourceText, 0.6, true}, "guessed": {domain.SourceText, 0.5, false}, "guessed by OCR": {domain.SourceOCR, 0.1, false},
		"from XML": {domain.SourceXML, 0.5, true}, "by hand": {domain.SourceHuman, 0, true},
	} {
		input := variant{Fields: map[string]*string{domain.FieldTax: &tax}}.input(t)
		for i := range input.Fields {
			if input.Fields[i].Name == domain.FieldTax {
				input.Fields[i].Source, input.Fields[i].Confidence = test.source, test.confidence
			}
		}
		if findings, _ := all(input); (raised(findings, "arithmetic") != nil) != test.raised {
			t.Errorf("%s: %+v", name, findings)
		}
	}
}

func TestNewestRevisionOfAFieldCounts(t *testing.T) {
	t.Parallel()
	input := cleanInvoice()
	input.Fields = append(input.Fields, domain.Field{Name: domain.FieldTax, Raw: "20.00", Normalised: "20.00", Source: domain.SourceHuman, Revision: 2})
	slices.Reverse(input.Fields)
	if findings, _ := all(input); raised(findings, "arithmetic") == nil {
		t.Fatalf("the corrected tax was not seen: %+v", findings)
	}
}

func TestScoreIsCutAtAHundredAndReasonsAreSorted(t *testing.T) {
	t.Parallel()
	input := variant{Duplicates: []DuplicateKind{SameBytes, SameNumber}, Declared: "1.00 EUR"}.input(t)
	_, result := all(input)
	if result.Score != 100 {
		t.Fatalf("score %d", result.Score)
	}
	if !slices.IsSortedFunc(result.Reasons, func(a, b Reason) int { return b.Points - a.Points }) {
		t.Fatalf("%+v", result.Reasons)
	}
}

// Whatever the fields hold, the rules answer, within bounds, and the same again.
func TestRulesOnArbitraryFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "1.00", "-5", "NaN", "2026-02-30", "2026-01-01", "EUR", "JPY", "DE", "9999999999999999999"}))
		input := Input{Today: today, DocumentType: rapid.SampledFrom([]string{"invoice", "receipt", "remittance", ""}).Draw(t, "type"),
			AmountKnown: rapid.Bool().Draw(t, "known"), BaseMinor: rapid.Int64().Draw(t, "base"),
			Amount:   domain.Money{Minor: rapid.Int64().Draw(t, "minor"), Currency: value.Draw(t, "currency")},
			Declared: domain.Money{Minor: rapid.Int64().Draw(t, "declared"), Currency: value.Draw(t, "declared in")},
			Country:  value.Draw(t, "country"), Lines: rapid.Int().Draw(t, "lines")}
		for range rapid.IntRange(0, 14).Draw(t, "fields") {
			input.Fields = append(input.Fields, domain.Field{Name: rapid.SampledFrom(domain.FieldNames()).Draw(t, "name"),
				Raw: value.Draw(t, "raw"), Normalised: value.Draw(t, "normalised"), Confidence: rapid.Float64().Draw(t, "confidence"),
				Source: rapid.SampledFrom([]domain.FieldSource{domain.SourceOCR, domain.SourceXML, domain.SourceHuman}).Draw(t, "source")})
		}
		findings, result := all(input)
		if result.Score < 0 || result.Score > 100 {
			t.Fatalf("score %d", result.Score)
		}
		seen := map[string]bool{}
		for _, finding := range findings {
			if seen[finding.Rule] || finding.Message == "" {
				t.Fatalf("%+v", findings)
			}
			seen[finding.Rule] = true
		}
		if again, _ := all(input); !reflect.DeepEqual(again, findings) {
			t.Fatalf("%+v, then %+v", findings, again)
		}
	})
}
