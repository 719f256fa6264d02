package extraction

import (
	"strings"
	"testing"

	"countersign/domain"
)

func ownType() *domain.DocumentType {
	own := func(name string, kind domain.FieldType, labels ...string) domain.DocumentField {
		return domain.DocumentField{FieldSpec: domain.FieldSpec{Name: name, Type: kind},
			PageLabels: labels, MaxLength: 40, Options: []domain.FieldOption{
				{Value: "travel", English: "Travel", Chinese: "差旅"}}}
	}
	return &domain.DocumentType{Key: "expense_report", Version: 1, Fields: []domain.DocumentField{
		own("cost_centre", domain.FieldTypeText, "Cost centre", "成本中心"),
		own("days", domain.FieldTypeNumber, "Days"),
		own("approved", domain.FieldTypeBoolean, "Approved in advance"),
		own("occasion", domain.FieldTypeChoice, "Occasion"),
		own("from", domain.FieldTypeDate, "Begin of travel"),
		own("per_diem", domain.FieldTypeMoney, "Per diem"),
	}}
}

// printed returns a page with the words of the lines, in columns where a line has several spaces.
func printed(lines ...string) []domain.Page {
	page := domain.Page{Number: 1, Width: 1000, Height: 1400, Source: domain.SourceText,
		Text: strings.Join(lines, "\n")}
	for i, line := range lines {
		x := 50
		for _, text := range strings.Split(line, " ") {
			if text != "" {
				page.Words = append(page.Words, domain.Word{Text: text, Confidence: 1, Line: i,
					Box: domain.Box{X: x, Y: 50 + 30*i, W: 12 * len(text), H: 20}})
			}
			x += 12 * (len(text) + 1)
		}
	}
	return []domain.Page{page}
}

// An own field is found beside or below its label; only an exact label makes it certain.
func TestOwnFieldsAreFoundByTheirLabels(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lines   []string
		field   string
		value   string
		certain bool
	}{
		"colon":          {[]string{"Cost centre: CC-100"}, "cost_centre", "CC-100", true},
		"other case":     {[]string{"COST CENTRE: CC-100"}, "cost_centre", "CC-100", false},
		"chinese":        {[]string{"成本中心：研发"}, "cost_centre", "研发", true},
		"column":         {[]string{"Cost centre          CC-100          Page 1"}, "cost_centre", "CC-100", true},
		"below":          {[]string{"Cost centre", "CC-100"}, "cost_centre", "CC-100", true},
		"sentence":       {[]string{"Ask your Cost centre about this"}, "cost_centre", "about this", false},
		"part of a word": {[]string{"Cost centres: 7"}, "cost_centre", "", false},
		"number":         {[]string{"Days: 3,5"}, "days", "3.5", true},
		"unclear number": {[]string{"Days: 1,500"}, "days", "", false},
		"boolean":        {[]string{"Approved in advance: yes"}, "approved", "true", true},
		"choice":         {[]string{"Occasion: Travel"}, "occasion", "travel", true},
		"no choice":      {[]string{"Occasion: Holiday"}, "occasion", "", false},
		"date":           {[]string{"Begin of travel: 2026-11-03"}, "from", "2026-11-03", true},
		"unclear date":   {[]string{"Begin of travel: 03/04/2026"}, "from", "2026-04-03", false},
		"money":          {[]string{"Per diem: 28.00 EUR"}, "per_diem", "28.00", true},
		"other currency": {[]string{"Per diem: 28.00 USD"}, "per_diem", "", false},
		"an account":     {[]string{"Cost centre: DE89370400440532013000"}, "cost_centre", "", false},
		"two values":     {[]string{"Cost centre: A-1", "Cost centre: B-2"}, "cost_centre", "A-1", false},
		"too long":       {[]string{"Cost centre: " + strings.Repeat("x", 41)}, "cost_centre", "", false},
	} {
		found := FindByLabels(printed(row.lines...), ownType(), Hints{Country: "DE"}, "EUR")
		var value string
		certain := false
		for _, field := range found {
			if field.Name == row.field {
				value, certain = field.Normalised, field.Confidence >= 0.6
				if field.Box == nil || !field.Grounded || !field.Source.IsMachine() {
					t.Errorf("%s: %+v", name, field)
				}
			}
		}
		if value != row.value || certain != row.certain {
			t.Errorf("%s: %q, certain %t", name, value, certain)
		}
	}
}

func TestNormaliseOwnFields(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ field, value, want string }{
		{"days", "+007.50", "7.5"}, {"days", "-0", "0"}, {"days", "1.234,5", ""},
		{"days", "1e9", ""}, {"approved", "是", "true"}, {"approved", "maybe", ""},
		{"occasion", "差旅", "travel"}, {"occasion", "x", ""},
		{"cost_centre", "DE89 3704 0044 0532 0130 00", ""}, {"from", "3.11.2026", ""},
		{"from", "13.11.2026", "2026-11-13"}, {"total", "7", "7.00"},
	} {
		got, err := NormaliseIn(ownType(), row.field, row.value, "EUR")
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s %q: %q %v", row.field, row.value, got, err)
		}
		if err != nil && !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%s %q: %v", row.field, row.value, err)
		}
	}
}
