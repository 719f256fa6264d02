package rules

import (
	"testing"

	"countersign/domain"
)

// A small amount due beside a large total, or the other way round, is reported. What was paid before
// explains the difference.
func TestAmountDueFollowsFromTheTotal(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		total, prepaid, due string
		want                bool
	}{
		"nothing paid":              {"100.00", "", "100.00", false},
		"a part paid":               {"100.00", "30.00", "70.00", false},
		"a part paid, not stated":   {"100.00", "", "70.00", false},
		"cash rounding":             {"100.02", "", "100.00", false},
		"more due than the total":   {"100.00", "", "5000.00", true},
		"paid more than once":       {"100.00", "200.00", "-100.00", false},
		"a hidden larger payment":   {"100.00", "-4900.00", "5000.00", true},
		"a prepayment that differs": {"100000.00", "10.00", "10.00", true},
		"a credit note":             {"-8.79", "0.00", "-8.79", false},
		"a credit note that pays":   {"-8.79", "", "500.00", true},
	} {
		fields := []domain.Field{}
		for field, value := range map[string]string{domain.FieldTotal: row.total,
			domain.FieldPrepaid: row.prepaid, domain.FieldAmountDue: row.due,
			domain.FieldCurrency: "EUR"} {
			if value != "" {
				fields = append(fields, domain.Field{Name: field, Raw: value, Normalised: value,
					Source: domain.SourceXML, Confidence: 1, Grounded: true})
			}
		}
		facts := newInputIndex(&Input{Fields: fields}).facts()
		if got := len(facts["payable_differs"].([]string)) > 0; got != row.want {
			t.Errorf("%s: reported %t", name, got)
		}
	}
}

// An amount due that the machine guessed is no reason for a finding, but one of an e-invoice is.
func TestGuessedAmountDueIsIgnored(t *testing.T) {
	t.Parallel()
	for source, want := range map[domain.FieldSource]int{domain.SourceOCR: 0, domain.SourceXML: 2} {
		fields := []domain.Field{
			{Name: domain.FieldCurrency, Normalised: "EUR", Source: domain.SourceXML},
			{Name: domain.FieldTotal, Normalised: "1.00", Source: domain.SourceXML},
			{Name: domain.FieldAmountDue, Normalised: "9.00", Source: source, Confidence: 0.2}}
		facts := newInputIndex(&Input{Fields: fields}).facts()
		if got := facts["payable_differs"].([]string); len(got) != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}

func TestTaxesByRateAddUp(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rows string
		want bool
	}{
		"right":            {"7%: 50.00 + 3.50; 19%: 50.00 + 9.50", false},
		"none":             {"", false},
		"wrong rate":       {"7%: 50.00 + 9.50; 19%: 50.00 + 3.50", true},
		"other net amount": {"7%: 20.00 + 1.40; 19%: 61.05 + 11.60", true},
		"a rate missing":   {"19%: 50.00 + 9.50", true},
		"unreadable":       {"some tax", true},
	} {
		fields := []domain.Field{}
		for field, value := range map[string]string{domain.FieldNet: "100.00",
			domain.FieldTax: "13.00", domain.FieldCurrency: "EUR",
			domain.FieldTaxBreakdown: row.rows} {
			fields = append(fields, domain.Field{Name: field, Raw: value, Normalised: value,
				Source: domain.SourceXML, Confidence: 1, Grounded: true})
		}
		facts := newInputIndex(&Input{Fields: fields}).facts()
		if got := len(facts["tax_rows_differ"].([]string)) > 0; got != row.want {
			t.Errorf("%s: reported %t", name, got)
		}
	}
}
