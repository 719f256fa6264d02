package extraction

import (
	"slices"
	"testing"

	"countersign/domain"
)

// The features of a page say what it names itself, and whether it has an amount.
func TestFeatures(t *testing.T) {
	t.Parallel()
	sentence := "the samples were taken in three forests over a period of years"
	var article []string
	for range 12 {
		article = append(article, sentence)
	}
	article = append([]string{"Soil moisture and oaks", "Brandt Instruments Ltd", "Received 12 March 2026"},
		append(article, "Total EUR 212.40")...)
	for name, row := range map[string]struct {
		lines []string
		kind  string
		has   []string
		lacks []string
	}{
		"an article": {article, "", []string{domain.FeatureProse, domain.FeatureMoney,
			domain.FeatureParty}, []string{domain.FeatureTypeWord}},
		"a blank form": {[]string{"INVOICE", "Invoice number: ______", "Date: __ / __ / ____",
			"Total: ______", "Page 1 of 2"}, domain.KindInvoice, nil, []string{domain.FeatureMoney}},
		"a purchase order": {[]string{"Purchase order", "Acme Ltd", "Nails 12.00"}, domain.KindOrder,
			[]string{domain.FeatureMoney}, nil},
		"a contract": {[]string{"Service agreement", "between Acme Ltd and Kunde AG",
			"The fee is EUR 5,000 a month"}, domain.KindContract, []string{domain.FeatureMoney}, nil},
		"a German contract":     {[]string{"Mietvertrag", "Miete 850,00 EUR"}, domain.KindContract, nil, nil},
		"a Chinese contract":    {[]string{"房屋租赁合同", "租金 5000.00 元"}, domain.KindContract, nil, nil},
		"a contract in a title": {[]string{"Agreement of two methods to measure soil"}, "", nil, nil},
	} {
		found := Examine(textPage(row.lines...), Hints{}, nil).Features
		if kind := domain.NamedKind(found); kind != row.kind {
			t.Errorf("%s names itself %q, want %q", name, kind, row.kind)
		}
		for _, feature := range row.has {
			if !slices.Contains(found, feature) {
				t.Errorf("%s lacks %s: %v", name, feature, found)
			}
		}
		for _, feature := range row.lacks {
			if slices.Contains(found, feature) {
				t.Errorf("%s has %s: %v", name, feature, found)
			}
		}
	}
	xml := FeaturesOfInvoice([]domain.Field{{Name: domain.FieldKind, Normalised: domain.KindCreditNote}}, nil)
	if domain.NamedKind(xml) != domain.KindCreditNote || !slices.Contains(xml, domain.FeatureMoney) {
		t.Errorf("an e-invoice has %v", xml)
	}
	xml = FeaturesOfInvoice([]domain.Field{{Name: domain.FieldKind, Normalised: domain.KindOther}},
		[]string{domain.FeatureNewAccount, domain.FeatureProse})
	if kind := domain.NamedKind(xml); kind != "" {
		t.Errorf("an e-invoice with another type code names itself %s", kind)
	}
	if !slices.Contains(xml, domain.FeatureNewAccount) || slices.Contains(xml, domain.FeatureProse) {
		t.Errorf("an e-invoice whose pages announce another account has %v", xml)
	}
}
