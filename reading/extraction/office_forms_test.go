package extraction

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// unsure is the confidence below which a value of a text layer is shown as doubtful.
const unsure = 0.475

// Amounts in lakhs and crores have groups of two digits. Without them the price of one piece would be
// taken for the total.
func TestIndianGroups(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"a lakh", []string{"Example Castings Pvt. Ltd.", "Housing      250    4,180.00   10,45,000.00",
			"Taxable value 10,45,000.00", "IGST 18% 1,88,100.00", "Grand Total ₹ 12,33,100.00"},
			map[string]string{domain.FieldTotal: "1233100.00", domain.FieldNet: "1045000.00",
				domain.FieldTax: "188100.00"}},
		{"a crore", []string{"Total Rs. 1,23,45,678.90"},
			map[string]string{domain.FieldTotal: "12345678.90"}},
		{"whole rupees", []string{"Total INR 1,23,456"}, map[string]string{domain.FieldTotal: "123456.00"}},
	})
}

// The row of the total is there, but its number is none that can be read: another amount may not pass as
// the total.
func TestATotalThatCannotBeReadIsNoOtherAmount(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{"Example Ltd", "Housing 250    4,180.00", "Grand Total 12//33//100"},
		{"Example Ltd", "Consulting 480.00", "Travel 12.50"},
	} {
		if got := read(domain.FieldTotal, lines...); got.Confidence >= unsure {
			t.Errorf("%q: the total %s is sure (%.2f)", lines, got.Normalised, got.Confidence)
		}
	}
}

// The sign of US dollars contains that of Singapore dollars.
func TestDollarsOfTwoCountries(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"US dollars with the total in local money", []string{"Example Marine Pte Ltd, Singapore 638774",
			"Survey US$ 14,500.00", "GST 9% US$ 1,305.00", "Total US$ 15,805.00",
			"Total in S$ @1.3105 (for GST purposes) S$ 20,712.45"},
			map[string]string{domain.FieldCurrency: "USD", domain.FieldTotal: "15805.00"}},
		{"Singapore dollars", []string{"Survey S$14,500.00", "Total S$15,805.00"},
			map[string]string{domain.FieldCurrency: "SGD"}},
	})
}

// The city of a payee is a reason to look, so that a submitter who declares another country does not keep
// it from the AML team. The value is doubtful.
func TestCitiesOfPayees(t *testing.T) {
	t.Parallel()
	order := Hints{DocumentType: "remittance", Country: "DE"}
	for _, c := range []struct {
		want  string
		lines []string
	}{
		{"IR", []string{"Payment instruction", "Ordering customer: Lindgren AB, Stockholm", "",
			"Beneficiary: Pars Handel", "Beneficiary address: Khiaban Ferdowsi 41, Teheran",
			"Account: DE89 3704 0044 0532 0130 00"}},
		{"MM", []string{"Payment order", "By order of: Delta Importers Ltd, London", "",
			"In favour of: Golden Trading, 77 Merchant Rd, Rangoon"}},
		{"IR", []string{"Ordre de virement", "Bénéficiaire : Établissements Alborz",
			"Adresse : Avenue Vali-Asr, Téhéran (Rép. islamique d'Iran)"}},
		{"KP", []string{"Zahlungsauftrag", "Begünstigter: Taesong", "Ort: Pyongyang"}},
		{"IR", []string{"Payment order", "Payee", "Alborz Trading", "Tehran 11369", "", "Amount EUR 5.00"}},
		{"DE", []string{"Payment order", "By order of: Teheran Teppiche, Teheran", "",
			"Payee: Kiefer GmbH, Musterstadt"}}, // as declared
	} {
		fields := Extract(textPage(c.lines...), order)
		if got := valueOf(fields, domain.FieldCountry); got != c.want {
			t.Errorf("%q: the country is %q, want %q", c.lines, got, c.want)
		}
	}
	fields := Extract(textPage("Payment order", "Payee: Alborz, Rangoon"), order)
	for _, f := range fields {
		if f.Name == domain.FieldCountry && f.Confidence >= unsure {
			t.Errorf("a city alone makes %q sure: %.2f", f.Normalised, f.Confidence)
		}
	}
}

// Where the goods go counts too, wherever the page says it.
func TestCountryOfDelivery(t *testing.T) {
	t.Parallel()
	delivery := domain.FieldDeliveryCountry
	expectForms(t, []form{
		{"English", []string{"Invoice No. 5", "Goods to be delivered to: Bandar Abbas, Iran"},
			map[string]string{delivery: "IR", domain.FieldCountry: ""}},
		{"a city", []string{"Invoice No. 5", "Final consignee: Rah Ahan Co, Tehran"},
			map[string]string{delivery: "IR"}},
		{"below", []string{"Invoice No. 5", "Ship to:", "Rah Ahan Co", "Street 4", "Tehran, Iran", "",
			"Total EUR 5.00"}, map[string]string{delivery: "IR"}},
		{"a port", []string{"Invoice No. 5", "Port of discharge: Bandar Abbas"},
			map[string]string{delivery: "IR"}},
		{"German", []string{"Rechnung Nr. 5", "Lieferanschrift: Pumpen AG, 3001 Bern, Schweiz"},
			map[string]string{delivery: "CH"}},
		{"none", []string{"Invoice No. 5", "Deliver to: Jordan Smith, 12 Georgia Ave"},
			map[string]string{delivery: ""}},
		{"running text", []string{"Invoice No. 5", "We deliver to Iran and to Cuba no more."},
			map[string]string{delivery: ""}},
	})
}

// A label may have words between BIC and the code.
func TestLabelsOfBanks(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"BIC der Empfängerbank: BMJIIRTHXXX", "SWIFT code of the beneficiary's bank: BMJIIRTHXXX",
		"BIC (banque du bénéficiaire) : BMJIIRTHXXX", "收款行SWIFT代码：BMJIIRTHXXX"} {
		if got := read(domain.FieldBIC, "Example", line); got.Normalised != "BMJIIRTHXXX" {
			t.Errorf("%q: the bank is %q", line, got.Normalised)
		}
	}
}

// An order names its payee. Its title and its payer are none.
func TestPayeeOfAnOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want  string
		lines []string
	}{
		{"Taesong Trading Corp", []string{"Remittance order", "Remitter: Kowloon Textile Ltd, Hong Kong", "",
			"Payee: Taesong Trading Corp", "Address: Chollima Street, Pyongyang, DPRK"}},
		{"Arvand Industrial Co", []string{"Zahlungsauftrag", "Auftraggeber: Kessler GmbH, Graz", "",
			"Begünstigter: Arvand Industrial Co", "Kontonummer: 0110449823"}},
		{"平壤光明贸易会社", []string{"跨境汇款申请书", "汇款人：上海明远贸易有限公司", "收款人：平壤光明贸易会社",
			"收款人地址：平壤市中区域"}},
		{"Golden Irrawaddy Trading", []string{"Payment order", "By order of: Delta Importers Ltd, London", "",
			"In favour of: Golden Irrawaddy Trading, 77 Merchant Rd, Rangoon"}},
		{"Cortiça do Sul Lda", []string{"Payment instruction", "Payer: Nordlicht GmbH, Kiel, Germany", "",
			"Payee: Cortiça do Sul Lda, Rua das Flores 8, 8000-100 Faro, Portugal"}},
		{"Alborz Trading", []string{"Payment order", "Beneficiary's name", "Alborz Trading", "Tehran 11369"}},
		{"Pars Handel", []string{"Payment order", "Beneficiary bank: Bank Melli", "Beneficiary name: Pars Handel"}},
	} {
		fields := Extract(textPage(c.lines...), Hints{DocumentType: "remittance"})
		if got := valueOf(fields, domain.FieldVendor); got != c.want {
			t.Errorf("%q: the payee is %q, want %q", c.lines, got, c.want)
		}
	}
	// An invoice that is the evidence of an order has a seller; who gets the money may be another.
	fields := Extract(textPage("Example Works GmbH", "Invoice No. 77", "Beneficiary: Other Ltd"),
		Hints{DocumentType: "remittance"})
	if got := valueOf(fields, domain.FieldVendor); got != "Example Works GmbH" {
		t.Errorf("the seller of an invoice is %q", got)
	}
}

// Attack: the e-invoice in a file states a small total, another account or another seller than its page, which
// people see. What the page shows counts too.
func TestPagesThatDifferFromTheirInvoice(t *testing.T) {
	t.Parallel()
	page := textPage("Reederei Klaasen GmbH", "Rechnung Nr. RK-502", "Netto 4.000,00 EUR", "19 % USt 760,00 EUR",
		"Gesamtbetrag 4.760,00 EUR", "IBAN DE89 3704 0044 0532 0130 00")
	xml := func(vendor, total, iban string) []domain.Field {
		var fields []domain.Field
		for name, value := range map[string]string{domain.FieldVendor: vendor, domain.FieldNumber: "RK-502",
			domain.FieldCurrency: "EUR", domain.FieldTotal: total, domain.FieldIBAN: iban} {
			fields = append(fields, domain.Field{Name: name, Raw: value, Normalised: value, Confidence: 1,
				Source: domain.SourceXML})
		}
		return fields
	}
	const own, other = "DE89370400440532013000", "GB29NWBK60161331926819"
	for _, c := range []struct {
		name               string
		fields             []domain.Field
		printed, elsewhere string
	}{
		{"the same", xml("Reederei Klaasen GmbH", "4760.00", own), "", ""},
		{"the register's spelling", xml("Klaasen Reederei- und Schlepp-GmbH & Co. KG", "4760.00", own), "", ""},
		{"total", xml("Reederei Klaasen GmbH", "476.00", own), "total", "total 4760.00"},
		{"account", xml("Reederei Klaasen GmbH", "4760.00", other), "iban", "iban " + own},
		{"seller", xml("Harbour Tow International Ltd", "4760.00", own), "vendor",
			"vendor Reederei Klaasen GmbH"},
	} {
		examined := Examine(page, Hints{}, c.fields)
		if got := strings.Join(examined.NotPrinted, " "); got != c.printed {
			t.Errorf("%s: %q is not printed, want %q", c.name, got, c.printed)
		}
		var others []string
		for _, field := range examined.Elsewhere {
			others = append(others, field.Name+" "+field.Normalised)
		}
		if got := strings.Join(others, ", "); got != c.elsewhere {
			t.Errorf("%s: the page states %q, want %q", c.name, got, c.elsewhere)
		}
	}
}

// A page that is a statement says so in one word. Beside the title of an invoice the word names a part of it.
func TestStatements(t *testing.T) {
	t.Parallel()
	kind := domain.FieldKind
	expectForms(t, []form{
		{"statement", []string{"STATEMENT", "Portway Merchants Ltd", "Amount due £1,203.10"},
			map[string]string{kind: domain.KindStatement}},
		{"a bank's word", []string{"INVOICE", "Fenland Seeds Ltd", "See your statement of work"},
			map[string]string{kind: domain.KindInvoice}},
	})
}

// The number of a credit note is not that of the invoice that it refers to, and may be below its title.
func TestNumbersBesideTitles(t *testing.T) {
	t.Parallel()
	number := domain.FieldNumber
	expectForms(t, []form{
		{"credit note", []string{"ATELIERS DU VERCORS SARL", "AVOIR", "N° AV-2026-0093", "Date : 03/11/2026",
			"Réf. facture : FA-2026-1187"}, map[string]string{number: "AV-2026-0093"}},
		{"beside an address", []string{"ATELIERS DU VERCORS SARL       AVOIR", "12 rue des Tanneurs",
			"26000 Valence                  N° AV-2026-0093", "Réf. facture : FA-2026-1187"},
			map[string]string{number: "AV-2026-0093"}},
		{"credit note with a reference first", []string{"Muster GmbH", "Gutschrift", "Zu Rechnung Nr. R-1187",
			"Gutschrift-Nr. G-0093"}, map[string]string{number: "G-0093"}},
		{"below the title", []string{"Weingut Pfaffmann", "RECHNUNG", "Nr. 26/11-0388", "Landau, 9. November 2026"},
			map[string]string{number: "26/11-0388"}},
		{"Spanish", []string{"FACTURA", "Nº factura: A-26/219", "Fecha: 10/11/2026"},
			map[string]string{number: "A-26/219"}},
		{"Italian", []string{"Fattura n. 58/2026 del 05/11/2026"}, map[string]string{number: "58/2026"}},
		{"pro forma", []string{"PRO FORMA INVOICE", "Pro forma no    PF-3308"}, map[string]string{number: "PF-3308"}},
		{"a number of an article", []string{"INVOICE", "Example Ltd", "Item", "No. 4711-A"}, map[string]string{number: ""}},
	})
}

// The number of the buyer's registration is not the seller's, and its country is not either.
func TestTaxNumbersOfBuyers(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"Dutch", []string{"Van Wijngaarden Staalbouw B.V.", "Factuur", "BTW-nummer afnemer: DE259597697",
			"KvK 24376512 | BTW NL812345602B01 | IBAN NL91 ABNA 0417 1643 00"},
			map[string]string{domain.FieldVATID: "NL812345602B01", domain.FieldCountry: "NL",
				domain.FieldBuyerVATID: "DE259597697"}},
		{"Italian", []string{"Officine S.r.l.", "Fattura n. 12", "P.IVA cessionario: IT01234567890",
			"P.IVA IT07643520567"}, map[string]string{domain.FieldVATID: "IT07643520567"}},
		{"two without a buyer's label", []string{"Staalbouw B.V.", "Invoice 4711", "VAT DE259597697",
			"VAT NL812345602B01", "IBAN NL91 ABNA 0417 1643 00"},
			map[string]string{domain.FieldVATID: "NL812345602B01", domain.FieldCountry: "NL"}},
	})
}

// A name and an address in one line are two values: the name is compared with earlier vendors.
func TestNamesInALineWithTheirAddress(t *testing.T) {
	t.Parallel()
	vendor, address := domain.FieldVendor, domain.FieldVendorAddress
	expectForms(t, []form{
		{"English", []string{"Thistle Catering Ltd, 9 Morningside Road, Edinburgh EH10 4BZ", "Invoice 0556"},
			map[string]string{vendor: "Thistle Catering Ltd", address: "9 Morningside Road, Edinburgh EH10 4BZ"}},
		{"German, with a buyer below", []string{"Textilpflege Marquardt GmbH, Webergasse 5, 09111 Chemnitz", "",
			"Pflegeheim Sonnenhof", "Parkallee 10", "09120 Chemnitz", "", "Rechnung Nr. 126003981"},
			map[string]string{vendor: "Textilpflege Marquardt GmbH", address: "Webergasse 5, 09111 Chemnitz"}},
		{"a name with a comma", []string{"Fox, Miller and Sons Ltd", "Invoice 0556"},
			map[string]string{vendor: "Fox, Miller and Sons Ltd"}},
		{"Chinese form", []string{"Hengda Co., Ltd.", "Invoice 0556"}, map[string]string{vendor: "Hengda Co., Ltd."}},
	})
}

// A title may begin with an umlaut, the bank of a payee without an IBAN may be named by its place alone, and
// an amount may follow its label with nothing but its currency between.
func TestFurtherFormsOfOrders(t *testing.T) {
	t.Parallel()
	order := Hints{DocumentType: "remittance", Country: "LB"}
	for _, c := range []struct {
		vendor, country string
		lines           []string
	}{
		{"Halabi Sabun", "SY", []string{"Überweisungsauftrag", "Auftraggeber: Seifenkontor GmbH", "",
			"Zahlungsempfänger: Halabi Sabun", "Anschrift: Bab al-Faraj 3, Aleppo", "Betrag: EUR 2.150,00"}},
		{"Anatolia Foods Ltd", "TR IR", []string{"Payment order", "Beneficiary: Anatolia Foods Ltd, Istanbul, Türkiye",
			"Beneficiary bank: Bank Melli, Ferdowsi Ave, Tehran", "Account: 0012 4471", "Amount EUR 8,100.00"}},
		{"Anatolia Foods Ltd", "TR", []string{"Payment order", "Beneficiary: Anatolia Foods Ltd, Istanbul, Türkiye",
			"Beneficiary bank: Example Bank, Frankfurt, Germany", "IBAN DE89 3704 0044 0532 0130 00",
			"Amount EUR 8,100.00"}},
	} {
		examined := Examine(textPage(c.lines...), order, nil)
		countries := valueOf(examined.Fields, domain.FieldCountry)
		for _, f := range examined.Elsewhere {
			if f.Name == domain.FieldCountry {
				countries += " " + f.Normalised
			}
		}
		if got := valueOf(examined.Fields, domain.FieldVendor); got != c.vendor || countries != c.country {
			t.Errorf("%q: %q in %q, want %q in %q", c.lines, got, countries, c.vendor, c.country)
		}
		for _, f := range examined.Fields {
			if f.Name == domain.FieldTotal && f.Confidence < unsure {
				t.Errorf("%q: the total is doubtful (%.2f)", c.lines, f.Confidence)
			}
		}
	}
}

// Attack: the amount to pay is named in another currency than the total above it. Both count.
func TestAmountToPayInAnotherCurrency(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{"Polaris Software", "Invoice no. PS-778", "Total EUR 9,000.00", "Exchange rate 1.1702",
			"Amount to pay: USD 10,531.80"},
		{"Polaris Software", "Invoice no. PS-778", "Amount due EUR 10.00", "Amount due EUR 10.00",
			"Amount due: USD 10,531.80"},
	} {
		examined := Examine(textPage(lines...), Hints{}, nil)
		var stated []string
		for _, f := range append(examined.Fields, examined.Elsewhere...) {
			if f.Name == domain.FieldTotal {
				stated = append(stated, f.Normalised+" "+f.Currency)
			}
		}
		if !slices.Contains(stated, "10531.80 USD") {
			t.Errorf("%q: the page states the totals %q", lines, stated)
		}
	}
}

// The dollar of one country contains the sign of all.
func TestSignsOfDollars(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"R$ 8.450,00": "BRL", "NZ$ 8,450.00": "NZD", "MX$ 8,450.00": "MXN",
		"C$ 8,450.00": "CAD", "CA$8,450.00": "CAD", "NT$ 8,450.00": "TWD", "$8,450.00": "USD"} {
		if got := read(domain.FieldCurrency, "Example", "Total "+text); got.Normalised != want {
			t.Errorf("%s is %q", text, got.Normalised)
		}
	}
}

// A date whose day and month could be swapped is read by the country, of which a telephone number and a state
// are signs if no currency is read; without a sign it is not sure.
func TestSwappableDatesWithoutCurrency(t *testing.T) {
	t.Parallel()
	receipt := []string{"MAPLE CAFE", "77 Oak Street, Boise ID", "(208) 555-0181", "11/09/26 12:18 PM", "Total 18.55"}
	if got := read(domain.FieldDate, receipt...); got.Normalised != "2026-11-09" {
		t.Errorf("American: %s (%.2f)", got.Normalised, got.Confidence)
	}
	if got := read(domain.FieldDate, "MAPLE CAFE", "11/09/26 12:18", "Total 18.55"); got.Confidence >= unsure {
		t.Errorf("without a country: %s (%.2f)", got.Normalised, got.Confidence)
	}
}
