package extraction

import (
	"slices"
	"testing"

	"countersign/domain"
)

// Receipts of many countries show what they are: a word, how they were paid, a tax number of the shop.
func TestFeaturesOfReceipts(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ lines, has []string }{
		"American, with a tip": {[]string{"MAPLE DINER", "22 Oak St, Portland OR", "11/08/26 7:42 PM", "2 Soup 18.00",
			"Subtotal 18.00", "Tax 1.62", "Tip 3.00", "TOTAL $22.62", "VISA XXXXXXXXXXXX4411"},
			[]string{domain.FeatureAmount, domain.FeatureDate, domain.FeatureTender}},
		"American, paid in cash": {[]string{"MAPLE HARDWARE", "11/08/26", "Nails 4.00", "TOTAL $4.00", "CASH 5.00", "CHANGE 1.00"},
			[]string{domain.FeatureTender}},
		"Italian": {[]string{"FORNO BIANCHI SNC", "P.IVA 01234560157", "DOCUMENTO COMMERCIALE", "di vendita o prestazione",
			"TOTALE COMPLESSIVO 7,80", "Pagamento contante 10,00", "18-11-2026 08:11"},
			[]string{domain.FeatureTypeWord, domain.FeatureParty, domain.FeatureTender, domain.FeatureOfKind(domain.KindReceipt)}},
		"Canadian": {[]string{"BOULANGERIE EXEMPLE", "2026-11-08", "TPS 5% 0.76", "TVQ 9.975% 1.52", "TPS 123456789 RT0001",
			"TOTAL CAD 17.53", "INTERAC 17.53"}, []string{domain.FeatureParty, domain.FeatureTender}},
		"French, without the cedilla": {[]string{"TAXI EXEMPLE", "SIRET 123 456 789 00011", "RECU DE COURSE",
			"Montant TTC 45,60 €", "Réglé par carte bancaire"}, []string{domain.FeatureTypeWord, domain.FeatureParty}},
		"Chinese": {[]string{"示例餐厅", "2026-11-08", "合计 88.00", "微信支付 88.00"}, []string{domain.FeatureTender}},
	} {
		features := Examine(textPage(row.lines...), Hints{DocumentType: "receipt"}, nil).Features
		for _, feature := range row.has {
			if !slices.Contains(features, feature) {
				t.Errorf("%s lacks %s: %v", name, feature, features)
			}
		}
	}
	for name, lines := range map[string][]string{
		"a menu": {"MAPLE DINER", "Soup of the day 9.00", "Apple pie 6.50", "Coffee 3.00"},
		"a letter": {"Dear guest,", "if you pay by visa or in cash at the desk on 12 November, please tell us so that we can prepare it",
			"Total stay 2 nights"},
	} {
		if features := Examine(textPage(lines...), Hints{DocumentType: "receipt"}, nil).Features; slices.Contains(features, domain.FeatureTender) {
			t.Errorf("%s: %v", name, features)
		}
	}
}

// A document is what its title says, and not what it mentions.
func TestTitlesAndMentions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lines []string
		kind  string
	}{
		"a bank slip":           {[]string{"Northern Bank", "Transfer confirmation", "Payment of invoice 8821", "Amount EUR 900.00"}, domain.KindBankSlip},
		"a Chinese bank slip":   {[]string{"示例银行", "电子回单", "金额 900.00 元"}, domain.KindBankSlip},
		"a payment order":       {[]string{"Payment instruction", "Payee: Acme Ltd", "Purpose: payment of invoice 8821"}, domain.KindOrder},
		"a French one":          {[]string{"Ordre de virement", "Bénéficiaire : Exemple SA", "Motif : facture 2026-77"}, domain.KindOrder},
		"a purpose":             {[]string{"Acme Ltd", "Purpose: invoice 8821", "Amount EUR 900.00"}, ""},
		"a German purpose":      {[]string{"Beispiel AG", "Verwendungszweck: Rechnung 8821"}, ""},
		"a label of an invoice": {[]string{"Acme Ltd", "Invoice number: 8821", "Purpose: repairs"}, domain.KindInvoice},
		"a quotation":           {[]string{"Acme Ltd", "Quotation No. 77", "Total EUR 900.00"}, domain.KindQuotation},
		"an invoice that names its quotation": {[]string{"Acme Ltd", "Quotation No. 77", "Invoice 8821", "Total EUR 900.00"},
			domain.KindInvoice},
		"a delivery note":        {[]string{"Beispiel AG", "Lieferschein LS-77", "Gewicht 20,00 kg"}, domain.KindDeliveryNote},
		"a Swedish invoice":      {[]string{"Exempel AB", "FAKTURA", "Fakturanr 77", "Att betala 900,00"}, domain.KindInvoice},
		"an Italian credit note": {[]string{"Esempio S.r.l.", "NOTA DI CREDITO N. 7", "Totale 900,00"}, domain.KindCreditNote},
		"a Spanish one":          {[]string{"Ejemplo S.L.", "Factura rectificativa R-7", "Total 900,00"}, domain.KindCreditNote},
	} {
		features := Examine(textPage(row.lines...), Hints{}, nil).Features
		if kind := domain.NamedKind(features); kind != row.kind {
			t.Errorf("%s: %q, want %q", name, kind, row.kind)
		}
	}
}
