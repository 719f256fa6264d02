package views_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/rules"
	"countersign/views"
)

// formOf returns the lines of the form of an invoice by field.
func formOf(t *testing.T, fields []domain.Field,
	findings ...domain.Finding) map[string]views.FieldForm {
	t.Helper()
	form := views.Form(domain.UndefinedDocumentType("invoice"),
		domain.Case{DocumentType: "invoice"}, fields, findings)
	lines := map[string]views.FieldForm{}
	for i, line := range form {
		if line.Name != domain.FieldNames()[i] || line.Type == "" || line.Doubts == nil ||
			line.Findings == nil || line.NeedsPerson != (len(line.Doubts) > 0) {
			t.Errorf("line %d is %+v", i, line)
		}
		lines[line.Name] = line
	}
	if len(lines) != len(domain.FieldNames()) {
		t.Errorf("%d of %d fields", len(lines), len(domain.FieldNames()))
	}
	return lines
}

// A reviewer looks at the fields that the form marks. So each doubt is marked, and no field that
// was read well, entered by a person or is not needed.
func TestDoubtsOfAForm(t *testing.T) {
	t.Parallel()
	const low = rules.LowConfidence
	for name, tc := range map[string]struct {
		field  domain.Field
		doubts string
	}{
		"read well": {domain.Field{Name: domain.FieldTotal, Raw: "1", Normalised: "1",
			Source: domain.SourceOCR, Confidence: low}, ""},
		"read badly": {domain.Field{Name: domain.FieldTotal, Raw: "1", Normalised: "1",
			Source: domain.SourceOCR, Confidence: low - .01}, "low_confidence"},
		"guessed by a model": {domain.Field{Name: domain.FieldTotal, Raw: "1", Normalised: "1",
			Source: domain.SourceLLM}, "low_confidence"},
		"from the text of the file": {domain.Field{Name: domain.FieldTotal, Raw: "1",
			Normalised: "1", Source: domain.SourceText, Confidence: low}, ""},
		"by a doubtful label in the text of the file": {domain.Field{Name: domain.FieldTotal,
			Raw: "1", Normalised: "1", Source: domain.SourceText}, "low_confidence"},
		"a key field that is not required": {domain.Field{Name: domain.FieldIBAN, Raw: "x",
			Normalised: "x", Source: domain.SourceOCR}, "low_confidence"},
		"the country": {domain.Field{Name: domain.FieldCountry, Raw: "DE", Normalised: "DE",
			Source: domain.SourceOCR}, "low_confidence"},
		"the net amount": {domain.Field{Name: domain.FieldNet, Raw: "1", Normalised: "1",
			Source: domain.SourceOCR}, "low_confidence"},
		"the tax, read well": {domain.Field{Name: domain.FieldTax, Raw: "1", Normalised: "1",
			Source: domain.SourceOCR, Confidence: low}, ""},
		"the amount due": {domain.Field{Name: domain.FieldAmountDue, Raw: "1", Normalised: "1",
			Source: domain.SourceText}, "low_confidence"},
		"a field that no one compares": {domain.Field{Name: domain.FieldPaymentTerms, Raw: "x", Normalised: "x",
			Source: domain.SourceOCR}, ""},
		"unreadable": {domain.Field{Name: domain.FieldTotal, Raw: "l2,5O", Source: domain.SourceOCR,
			Confidence: 1}, "unreadable"},
		"unreadable and not required": {domain.Field{Name: domain.FieldDueDate, Raw: "soon",
			Source: domain.SourceText}, "unreadable"},
		"empty":                  {domain.Field{Name: domain.FieldTotal}, "missing"},
		"empty and not required": {domain.Field{Name: domain.FieldIBAN}, ""},
	} {
		line := formOf(t, []domain.Field{tc.field})[tc.field.Name]
		var doubts []string
		for _, doubt := range line.Doubts {
			doubts = append(doubts, string(doubt))
		}
		if strings.Join(doubts, " ") != tc.doubts || line.Field == nil ||
			line.Field.Raw != tc.field.Raw {
			t.Errorf("%s: doubts %v of %+v, want %q", name, doubts, line.Field, tc.doubts)
		}
	}
	required := domain.UndefinedDocumentType("invoice").Required()
	for name, line := range formOf(t, nil) {
		missing := slices.Contains(line.Doubts, views.DoubtMissing)
		if line.Field != nil || missing != slices.Contains(required, name) ||
			line.Required != missing {
			t.Errorf("%s without a value: %+v", name, line)
		}
	}
}

// A long form shows the fields that matter: further ones only with a value or a reason to look.
func TestFurtherFieldsOfAFormAreOnRequest(t *testing.T) {
	t.Parallel()
	about := domain.Finding{Rule: "payable_differs", Severity: domain.SeverityWarning,
		Evidence: map[string]string{"fields": "amount_due"}}
	lines := formOf(t, []domain.Field{{Name: domain.FieldBuyer, Raw: "B", Normalised: "B",
		Source: domain.SourceXML}, {Name: domain.FieldBIC}}, about)
	for name, want := range map[string]bool{domain.FieldVendor: false, domain.FieldDueDate: false,
		domain.FieldBuyer: false, domain.FieldBIC: true, domain.FieldOrderNumber: true,
		domain.FieldAmountDue: false} {
		if lines[name].OnRequest != want {
			t.Errorf("%s is on request: %t", name, !want)
		}
	}
	kind := &domain.DocumentType{Key: "t"}
	field, _ := domain.BuiltinField(domain.FieldBuyer)
	field.Required = true
	kind.Fields = append(kind.Fields, field)
	if form := views.Form(kind, domain.Case{}, nil, nil); form[0].OnRequest {
		t.Error("a required field is on request")
	}
}

// A finding is listed at every field that it affects, and only a blocking one asks for a person.
func TestFindingsOfAForm(t *testing.T) {
	t.Parallel()
	fields := []domain.Field{}
	for _, name := range domain.FieldNames() {
		fields = append(fields, domain.Field{Name: name, Raw: "1", Normalised: "1",
			Source: domain.SourceHuman})
	}
	blocking := domain.Finding{Rule: "new_rule", Severity: domain.SeverityBlocking,
		Evidence: map[string]string{"fields": "net,tax"}}
	warning := domain.Finding{Rule: "date_old", Severity: domain.SeverityWarning}
	elsewhere := domain.Finding{Rule: "no_such_rule", Severity: domain.SeverityBlocking}
	for name, line := range formOf(t, fields, blocking, warning, elsewhere) {
		want := map[string]string{"net": "new_rule", "tax": "new_rule", "date": "date_old"}[name]
		var rulesOf []string
		for _, finding := range line.Findings {
			rulesOf = append(rulesOf, finding.Rule)
		}
		if strings.Join(rulesOf, " ") != want || line.NeedsPerson != (want == "new_rule") {
			t.Errorf("%s: findings %v, needs a person %t", name, rulesOf, line.NeedsPerson)
		}
	}
	both := formOf(t, nil, domain.Finding{Rule: "amount_missing",
		Severity: domain.SeverityBlocking})[domain.FieldTotal]
	if !slices.Equal(both.Doubts, []views.Doubt{views.DoubtMissing, views.DoubtFinding}) {
		t.Errorf("a missing total with a finding has the doubts %v", both.Doubts)
	}
}

// An account is required on a payment order only where accounts have IBANs, unless the process needs it.
func TestAccountIsRequiredWhereAccountsHaveIBANs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		c    domain.Case
		want bool
	}{
		{domain.Case{DocumentType: "remittance", Country: "DE"}, true},
		{domain.Case{DocumentType: "remittance", Country: "US"}, false},
		{domain.Case{DocumentType: "remittance"}, true}, // the rules report it, too
		{domain.Case{DocumentType: "invoice", Country: "DE"}, false},
	} {
		for _, line := range views.Form(domain.UndefinedDocumentType(row.c.DocumentType), row.c, nil,
			nil) {
			if line.Name == domain.FieldIBAN && (line.Required != row.want ||
				slices.Contains(line.Doubts, views.DoubtMissing) != row.want) {
				t.Errorf("%s in %q: %+v", row.c.DocumentType, row.c.Country, line)
			}
			if line.Name == domain.FieldVendor && !line.Required {
				t.Errorf("%s in %q needs no vendor", row.c.DocumentType, row.c.Country)
			}
		}
	}
}
