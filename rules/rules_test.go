package rules

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/internal/yamltext"
)

var today = time.Date(2026, 3, 10, 23, 30, 0, 0, time.UTC)

// cleanInvoiceInput is a document for which no rule is raised.
func cleanInvoiceInput() Input {
	values := map[string]string{
		domain.FieldVendor: "Muster GmbH", domain.FieldNumber: "R-17",
		domain.FieldDate:    "2026-02-28",
		domain.FieldDueDate: "2026-03-30", domain.FieldCurrency: "EUR", domain.FieldNet: "100.00",
		domain.FieldTax:   "19.00",
		domain.FieldTotal: "119.00", domain.FieldIBAN: "DE89370400440532013000",
		domain.FieldVATID: "DE136695976",
	}
	input := Input{
		DocumentType: "invoice", Country: "DE", Today: today, AmountKnown: true,
		BaseMinor: 11_900,
		Amount: domain.Money{
			Minor: 11_900, Currency: "EUR",
		},
		Vendor: VendorHistory{Known: true, Cases: 3, Account: "DE89370400440532013000"},
		Features: []string{domain.FeatureTypeWord, domain.FeatureAmount, domain.FeatureDate,
			domain.FeatureParty},
	}
	for _, name := range domain.FieldNames() {
		if value, ok := values[name]; ok {
			input.Fields = append(
				input.Fields,
				domain.Field{
					Name: name, Raw: value, Normalised: value,
					Source: domain.SourceOCR, Confidence: 0.95, Grounded: true,
				},
			)
		}
	}
	return input
}

// variant is a change to the clean invoice, as written in testdata/documents.json.
type variant struct {
	DocumentType string             `json:"documentType"`
	Amount       *string            `json:"amount"` // "" = unknown; the base amount is the same number
	Declared     string             `json:"declared"`
	Country      *string            `json:"country"`
	Fields       map[string]*string `json:"fields"` // null removes the field
	Unreadable   map[string]string  `json:"unreadable"`
	Confidence   map[string]float64 `json:"confidence"`
	Duplicates   []DuplicateKind    `json:"duplicates"`
	VendorCases  *int               `json:"vendorCases"`
	CountryRisk  string             `json:"countryRisk"`
	Differing    []string           `json:"differing"`
	Account      *string            `json:"account"`  // on the vendor's last approved document
	Inferred     []string           `json:"inferred"` // fields that the words do not state
	Features     []string           `json:"features"`
	Accepts      []string           `json:"accepts"` // by the document type
	NotPrinted   []string           `json:"notPrinted"`
	LineSum      string             `json:"lineSum"`
	CorrectedSum string             `json:"correctedSum"`

	Parts     []domain.DocumentPart `json:"parts"`
	Order     *OrderInput           `json:"order"`
	Shared    string                `json:"shared"`    // the vendor of another case with the account
	RecentSum int64                 `json:"recentSum"` // total of the vendor's other documents of 24 hours; 0 = none
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
	input := cleanInvoiceInput()
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
	input.Order = v.Order
	input.CountryRisk, input.NotPrinted, input.Parts = v.CountryRisk, v.NotPrinted, v.Parts
	if v.LineSum != "" {
		input.LineSum = money(t, v.LineSum)
	}
	if v.CorrectedSum != "" {
		sum := money(t, v.CorrectedSum)
		input.CorrectedLines = &domain.LineItems{Currency: sum.Currency, Sum: &sum.Minor,
			Certain: true}
	}
	if v.Account != nil {
		input.Vendor.Account = *v.Account
	}
	if v.Features != nil {
		input.Features = v.Features
	}
	if v.Accepts != nil {
		input.Type = domain.UndefinedDocumentType(input.DocumentType)
		input.Type.Accepts = v.Accepts
	}
	input.RiskCountry, input.Differing = input.Country, v.Differing
	if v.RecentSum > 0 {
		input.Sums = []DocumentSum{{By: ByCounterparty, Hours: 24, BaseMinor: v.RecentSum,
			Documents: 1}}
		input.Vendor.Recent, input.Vendor.RecentSum = []string{
			"CS-2026-000007", "CS-2026-000008",
		}, v.RecentSum
	}
	if v.Shared != "" {
		input.Shared = []SharedAccount{{Account: "DE89370400440532013000", Reference: "CS-2026-000001",
			Vendor: v.Shared}}
	}
	for _, kind := range v.Duplicates {
		input.Duplicates = append(
			input.Duplicates, DuplicateHit{Kind: kind, Reference: "CS-2026-000001"},
		)
	}
	input.Fields = slices.DeleteFunc(input.Fields, func(f domain.Field) bool {
		value, changed := v.Fields[f.Name]
		return changed && value == nil
	})
	for name, value := range v.Fields {
		if value != nil && !slices.ContainsFunc(input.Fields,
			func(f domain.Field) bool { return f.Name == name }) {
			input.Fields = append(input.Fields, domain.Field{Name: name,
				Source: domain.SourceOCR, Confidence: 0.95})
		}
	}
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
		field.Grounded = !slices.Contains(v.Inferred, field.Name)
	}
	return input
}

// builtinSets returns the compiled built-in sets.
func builtinSets() []*Set {
	sources, err := Builtin()
	if err != nil {
		panic(err)
	}
	list := make([]*Set, 0, len(sources))
	for _, source := range sources {
		set, err := ParsePublished(source.YAML)
		if err != nil {
			panic(err)
		}
		list = append(list, set)
	}
	return list
}

// setFor returns the built-in set for a document type.
func setFor(t testing.TB, documentType string) *Set {
	t.Helper()
	for _, wanted := range []string{documentType, AnyType} {
		for _, set := range builtinSets() {
			if slices.Contains(set.DocumentTypes, wanted) {
				return set
			}
		}
	}
	t.Fatalf("no set applies to %q", documentType)
	return nil
}

// validateAndAssess runs both phases as a process does.
func validateAndAssess(t testing.TB, input Input) ([]domain.Finding, Result) {
	t.Helper()
	return evaluated(t, setFor(t, input.DocumentType), input)
}

func evaluated(t testing.TB, set *Set, input Input) ([]domain.Finding, Result) {
	t.Helper()
	validated, err := set.Validate(input)
	if err != nil {
		t.Fatal(err)
	}
	assessed, err := set.Assess(input, validated.Findings)
	if err != nil {
		t.Fatal(err)
	}
	return append(slices.Clone(validated.Findings), assessed.Findings...), assessed
}

func findRaised(findings []domain.Finding, rule string) *domain.Finding {
	for i := range findings {
		if findings[i].Rule == rule {
			return &findings[i]
		}
	}
	return nil
}

func TestACleanInvoiceHasNoFindings(t *testing.T) {
	t.Parallel()
	if findings, result := validateAndAssess(t, cleanInvoiceInput()); len(findings) > 0 ||
		result.Score != 0 {
		t.Fatalf("%+v", findings)
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
			input := variant{
				Fields: map[string]*string{
					domain.FieldCurrency: &test.currency, domain.FieldNet: &test.net,
					domain.FieldTax: &test.tax, domain.FieldTotal: &test.total,
				},
			}.input(
				t,
			)
			input.Lines = test.lines
			findings, _ := validateAndAssess(t, input)
			if got := findRaised(findings, "arithmetic") != nil; got != test.off {
				t.Errorf("raised %v: %+v", got, findings)
			}
			if findRaised(findings, "field_unreadable") != nil {
				t.Errorf("unreadable: %+v", findings)
			}
		})
	}
}

// A net or tax read with low confidence is not compared; values from people and e-invoices always
// are.
func TestArithmeticIgnoresGuesses(t *testing.T) {
	t.Parallel()
	tax := "18.00"
	for name, test := range map[string]struct {
		source     domain.FieldSource
		confidence float64
		raised     bool
	}{
		"sure": {domain.SourceText, 0.6, true}, "guessed": {domain.SourceText, 0.5, false},
		"guessed by OCR": {domain.SourceOCR, 0.1, false},
		"from XML":       {domain.SourceXML, 0.5, true}, "by hand": {domain.SourceHuman, 0, true},
	} {
		input := variant{Fields: map[string]*string{domain.FieldTax: &tax}}.input(t)
		for i := range input.Fields {
			if input.Fields[i].Name == domain.FieldTax {
				input.Fields[i].Source, input.Fields[i].Confidence = test.source, test.confidence
			}
		}
		if findings, _ := validateAndAssess(t, input); (findRaised(findings,
			"arithmetic") != nil) != test.raised {
			t.Errorf("%s: %+v", name, findings)
		}
	}
}

func TestNewestRevisionOfAFieldCounts(t *testing.T) {
	t.Parallel()
	input := cleanInvoiceInput()
	input.Fields = append(
		input.Fields,
		domain.Field{
			Name: domain.FieldTax, Raw: "20.00", Normalised: "20.00",
			Source: domain.SourceHuman, Revision: 2,
		},
	)
	slices.Reverse(input.Fields)
	if findings, _ := validateAndAssess(t, input); findRaised(findings, "arithmetic") == nil {
		t.Fatalf("the corrected tax was ignored: %+v", findings)
	}
}

func TestScoreIsLimitedTo100AndReasonsAreSorted(t *testing.T) {
	t.Parallel()
	input := variant{
		Duplicates: []DuplicateKind{SameBytes, SameNumber}, Declared: "1.00 EUR",
	}.input(
		t,
	)
	_, result := validateAndAssess(t, input)
	if result.Score != 100 {
		t.Fatalf("score %d", result.Score)
	}
	if !slices.IsSortedFunc(result.Reasons, func(a, b Reason) int { return b.Points - a.Points }) {
		t.Fatalf("%+v", result.Reasons)
	}
}

// For arbitrary fields, rules produce findings within bounds, and the same ones when repeated.
func TestRulesOnArbitraryFields(t *testing.T) {
	t.Parallel()
	sets := map[string]*Set{}
	for _, kind := range []string{"invoice", "receipt", "remittance", ""} {
		sets[kind] = setFor(t, kind)
	}
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom(
				[]string{
					"", "1.00", "-5", "NaN", "2026-02-30", "2026-01-01", "EUR", "JPY", "DE",
					"9999999999999999999",
				},
			),
		)
		input := Input{
			Today: today,
			DocumentType: rapid.SampledFrom([]string{"invoice", "receipt", "remittance", ""}).
				Draw(t, "type"),
			AmountKnown: rapid.Bool().Draw(t, "known"), BaseMinor: rapid.Int64().Draw(t, "base"),
			Amount: domain.Money{
				Minor: rapid.Int64().Draw(t, "minor"), Currency: value.Draw(t, "currency"),
			},
			Declared: domain.Money{
				Minor: rapid.Int64().Draw(t, "declared"), Currency: value.Draw(t, "declared in"),
			},
			Country: value.Draw(t, "country"), CountryRisk: value.Draw(t, "risk"),
			Vendor: VendorHistory{
				Known: rapid.Bool().Draw(t, "looked"), Account: value.Draw(t, "account"),
				Recent: []string{"CS-1"}, RecentSum: rapid.Int64Min(0).Draw(t, "sum"),
			},
			Lines: rapid.Int().Draw(t, "lines"),
		}
		for range rapid.IntRange(0, 14).Draw(t, "fields") {
			input.Fields = append(
				input.Fields,
				domain.Field{Name: rapid.SampledFrom(domain.FieldNames()).Draw(t, "name"),
					Raw: value.Draw(
						t, "raw",
					), Normalised: value.Draw(t, "normalised"),
					Confidence: rapid.Float64().Draw(t, "confidence"),
					Source: rapid.SampledFrom([]domain.FieldSource{domain.SourceOCR,
						domain.SourceXML, domain.SourceHuman}).
						Draw(t, "source"),
				},
			)
		}
		findings, result := evaluated(tb, sets[input.DocumentType], input)
		if result.Score < 0 || result.Score > 100 {
			t.Fatalf("score %d", result.Score)
		}
		raised := map[string]bool{}
		for _, finding := range findings {
			if raised[finding.Rule] || finding.Message == "" {
				t.Fatalf("%+v", findings)
			}
			raised[finding.Rule] = true
		}
		if again, _ := evaluated(tb, sets[input.DocumentType], input); !reflect.DeepEqual(
			again, findings,
		) {
			t.Fatalf("%+v, then %+v", findings, again)
		}
	})
}

// BenchmarkEvaluate runs both phases on one document.
func BenchmarkEvaluate(b *testing.B) {
	set, input := setFor(b, "invoice"), cleanInvoiceInput()
	for b.Loop() {
		evaluated(b, set, input)
	}
}

// Missing texts, unknown names and invalid conditions or values are reported before a set is
// published.
func TestProblemsOfASetAreNamed(t *testing.T) {
	t.Parallel()
	whole := `key: mine
title: {en: Mine, zh: 我的}
document_types: [invoice]
rules:
  - id: odd
    title: {en: Odd amount, zh: 奇数金额}
    phase: risk
    severity: info
    score: 5
    asks: {en: "Is it even?", zh: "是偶数吗？"}
    when: amount_known && amount_minor % 2 == 1
    values: {amount: amount_text}
    message: {en: "{amount} is odd.", zh: "{amount} 是奇数。"}
`
	if set, problems := CheckSet([]byte(whole)); len(problems) > 0 || set.Rules[0].Line != 5 {
		t.Fatalf("%v %+v", problems, set)
	}
	for check, change := range map[string][2]string{
		"syntax": {"score: 5", "score: 5\n    nonsense: 1"}, "name": {"key: mine", "key: Mine"},
		"phase":    {"phase: risk", "phase: later"},
		"severity": {"severity: info", "severity: bad"}, "score": {"score: 5", "score: 101"},
		"document_types": {"document_types: [invoice]", "document_types: []"},
		"message":        {`zh: "{amount} 是奇数。"`, `zh: "{sum} 是奇数。"`},
		"condition":      {"amount_minor % 2 == 1", "amount_minor % 2"},
		"values":         {"{amount: amount_text}", "{amount: no_such}"},
		"asks":           {`, zh: "是偶数吗？"`, ``}, "title": {", zh: 我的", ""},
		"size": {"  - id: odd", "  - id: " + strings.Repeat("a", yamltext.MaxLine)},
	} {
		_, problems := CheckSet([]byte(strings.Replace(whole, change[0], change[1], 1)))
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Check == check }) {
			t.Errorf("%s: %v", check, problems)
		}
	}
	if _, problems := CheckSet([]byte(strings.Replace(whole, "id: odd", "id: odd\n    id: even",
		1))); len(
		problems,
	) == 0 {
		t.Error("a repeated key passes")
	}
}

// A rule that cannot be evaluated returns its id and the reason.
func TestAFailingRuleNamesItself(t *testing.T) {
	t.Parallel()
	for reason, when := range map[string]string{
		"division_by_zero": "100 / (lines - 1) > 3", "missing_fact": "base_minor > 3",
		"unfit_value":   `int(fields["vendor"]) > 3`,
		"too_expensive": `fields.all(a, fields.all(b, fields.all(c, fields.all(d, fields.all(e, a + b + c + d + e != "x")))))`,
	} {
		set, err := ParseSet(fmt.Appendf(nil, `key: mine
title: {en: Mine, zh: 我的}
document_types: ["*"]
rules:
  - {id: bad, title: {en: a, zh: b}, phase: risk, severity: info, score: 0, asks: {en: a, zh: b}, message: {en: a, zh: b}, when: '%s'}
`, when))
		if err != nil {
			t.Fatal(reason, err)
		}
		input := cleanInvoiceInput()
		input.AmountKnown = false
		_, err = set.Assess(input, nil)
		var failed *domain.Error
		if !errors.As(err, &failed) || failed.Code != domain.ExpressionFailed ||
			failed.Detail["reason"] != reason ||
			failed.Detail["rule"] != "bad" {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

func FuzzCheckSet(f *testing.F) {
	sources, err := Builtin()
	if err != nil {
		f.Fatal(err)
	}
	for _, source := range sources {
		f.Add(source.YAML)
	}
	f.Add([]byte("key: a\nrules: [{id: b, when: 'true'}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, problems := CheckSet(text)
		if (set == nil) == (len(problems) == 0) {
			t.Fatalf("neither a set nor a problem for %q", text)
		}
	})
}
