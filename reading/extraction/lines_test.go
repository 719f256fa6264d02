package extraction_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// linesOf reads the line items of pages given as text, one string a page.
func linesOf(source domain.FieldSource, texts ...string) domain.LineItems {
	pages := make([]domain.Page, len(texts))
	for i, text := range texts {
		pages[i] = pageOfText(text, source)
		pages[i].Number = i + 1
	}
	return extraction.Examine(pages, extraction.Hints{}, nil).Lines
}

func rowText(item domain.LineItem) string {
	minor := "-"
	if item.Minor != nil {
		minor = fmt.Sprint(*item.Minor)
	}
	return strings.Join([]string{strings.ReplaceAll(item.Description, "\n", "/"), item.Quantity,
		item.Unit, item.UnitPrice, item.TaxRate, minor, string(item.Check)}, "|")
}

func expectRows(t *testing.T, lines domain.LineItems, wanted ...string) {
	t.Helper()
	var found []string
	for _, item := range lines.Items {
		found = append(found, rowText(item))
	}
	if got, want := strings.Join(found, "\n"), strings.Join(wanted, "\n"); got != want {
		t.Errorf("read\n%s\nwanted\n%s", got, want)
	}
}

const englishTable = `Acme Supplies Ltd        Invoice No: 4711
Description              Qty   Unit Price    Amount
Blue widgets              10         1.25     12.50
Long cable with           2        100.00    200.00
gold connectors
Total station hire        2        50.00     100.00
Subtotal                                     312.50
VAT 20%                                       62.50
Total GBP                                    375.00`

// A row whose text contains a total is an item if its numbers add up.
func TestLinesOfATable(t *testing.T) {
	t.Parallel()
	for _, source := range []domain.FieldSource{domain.SourceText, domain.SourceOCR} {
		lines := linesOf(source, englishTable)
		expectRows(t, lines,
			"Blue widgets|10||1.25||1250|adds_up",
			"Long cable with/gold connectors|2||100||20000|adds_up",
			"Total station hire|2||50||10000|adds_up")
		if lines.Check != domain.LinesEqualNet || lines.Items[0].Confidence < 0.9 ||
			lines.Items[1].Source != source || len(lines.Items[1].Boxes) != 2 ||
			lines.Items[1].Page != 1 || lines.PageCount != 3 {
			t.Errorf("%+v", lines)
		}
	}
}

func TestLinesInOtherLanguages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		rows []string
	}{
		"German": {`Muster GmbH Rechnung Nr. 17 EUR
Pos  Bezeichnung             Menge  Einheit   Einzelpreis   MwSt %   Gesamt
1    Fräsarbeiten            1.000  Stk          0,0525      19      52,50
2    Schweißen               2,5    Std        100,00        19     250,00
Nettobetrag                                                         302,50
zzgl. 19% MwSt                                                       57,48
Gesamtbetrag EUR                                                    359,98`,
			[]string{"Fräsarbeiten|1000|Stk|0.0525|19|5250|adds_up",
				"Schweißen|2.5|Std|100|19|25000|adds_up"}},
		"French": {`Moulin SARL Facture N° 12
Désignation              Quantité   Prix unitaire   Montant HT
Nougat de l'abbaye          8           4,10          32,80
Retour                     -1           2,00          -2,00
Total HT                                              30,80
TVA 20 %                                               6,16
Total TTC EUR                                         36,96`,
			[]string{"Nougat de l'abbaye|8||4.1||3280|adds_up", "Retour|-1||2||-200|adds_up"}},
		"Dutch": {`Bakker BV Factuur 2024-1
Omschrijving             Aantal    Prijs     BTW    Bedrag
Advies                     3      110,00     21%    330,00
Totaal excl. BTW                                    330,00
BTW 21%                                              69,30
Totaal EUR                                          399,30`,
			[]string{"Advies|3||110|21|33000|adds_up"}},
		"Chinese": {`增值税发票 CNY
货物或应税劳务名称        数量     单价      金额     税率     税额
办公桌                      2     500.00   1000.00    13%     130.00
合计                                       1000.00            130.00
价税合计                                   1130.00`,
			[]string{"办公桌|2||500|13|100000|adds_up"}},
		"Malay": {`Kedai Sdn Bhd Resit
Keterangan             Kuantiti     Harga      Jumlah (RM)
Nasi lemak                 2         4.50        9.00
Teh tarik                  3         2.00        6.00
Jumlah besar RM                                 15.00`,
			[]string{"Nasi lemak|2||4.5||900|adds_up", "Teh tarik|3||2||600|adds_up"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectRows(t, linesOf(domain.SourceText, c.text), c.rows...)
		})
	}
}

func TestLinesContinueOnTheNextPage(t *testing.T) {
	t.Parallel()
	head := "Description              Qty   Unit Price    Amount\n"
	first := "Acme Ltd Invoice No 17 USD\n" + head +
		"Widgets                   10         1.25     12.50\n" +
		"Carried forward                               12.50\nPage 1 of 2"
	rest := "Bolts                     4         2.00       8.00\n" +
		"Total USD                                     20.50"
	wanted := []string{"Widgets|10||1.25||1250|adds_up", "Bolts|4||2||800|adds_up"}
	for _, second := range []string{rest, head + rest, "Acme Ltd Page 2\n" + head + rest} {
		lines := linesOf(domain.SourceText, first, second)
		expectRows(t, lines, wanted...)
		if lines.Check != domain.LinesEqualTotal || lines.Items[1].Page != 2 {
			t.Errorf("%+v", lines)
		}
	}
}

func TestLinesWithoutAHeader(t *testing.T) {
	t.Parallel()
	expectRows(t, linesOf(domain.SourceOCR, `KEDAI SERBANEKA SDN BHD
No 12 Jalan 3.50
Date 03/04/2018
MILO 3 IN 1
2 x 3.50            7.00
BREAD WHITE         2.40
Total RM            9.40
Cash               10.00
Change              0.60`), "MILO 3 IN 1|2||3.5||700|adds_up", "BREAD WHITE|||||240|")
	if lines := linesOf(domain.SourceOCR, "SHOP\nMILO 7.00\nTEA 1.00\nTotal RM 9.40"); len(lines.Items) > 0 {
		t.Errorf("rows that give no sum of the document: %+v", lines)
	}
}

// Discounts on a row, as a row below or a column, belong to the row; those on the document do not.
func TestDiscountsOfLines(t *testing.T) {
	t.Parallel()
	lines := linesOf(domain.SourceText, `Lieferant GmbH Rechnung 12 EUR
Artikel                 Menge   Preis       Rabatt     Betrag
Kunstrasen              3       4,00                    12,00
abzgl. 10% Rabatt                                       -1,20
Steak                   2      10,00          5%        19,00
Zwischensumme                                           29,80
abzgl. Nachlass 10%                                     -2,98
Rechnungssumme netto                                    26,82
zzgl. 19% MwSt                                           5,10
Gesamtbetrag                                            31,92`)
	expectRows(t, lines, "Kunstrasen|3||4||1080|adds_up", "Steak|2||10||1900|adds_up")
	if lines.Items[0].Allowance != 120 || lines.Items[1].Allowance != 100 ||
		lines.Check != domain.LinesEqualSubtotal || lines.Certain {
		t.Errorf("%+v", lines)
	}
}

// An item that is wrong, and a document whose items do not give its sums, are doubtful.
func TestLinesThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	lines := linesOf(domain.SourceText, strings.Replace(englishTable, "12.50\nLong", "13.50\nLong", 1))
	if lines.Items[0].Check != domain.RowDiffers || lines.Items[0].Confidence > 0.3 || lines.Certain {
		t.Errorf("%+v", lines)
	}
	lines = linesOf(domain.SourceText, strings.NewReplacer("312.50", "411.50", "375.00", "474.00",
		"62.50", "62.50").Replace(englishTable))
	if lines.Check != domain.LinesDiffer || lines.Items[0].Confidence > 0.5 {
		t.Errorf("%+v", lines)
	}
}

func TestLongAndRightToLeftDescriptions(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab ", 3400)
	rows := englishTable[:strings.Index(englishTable, "Blue")] +
		"Blue widgets              10         1.25     12.50\n" +
		strings.Repeat("cable with "+long[:60]+"\n", 400) +
		"Total GBP                                     12.50"
	for _, item := range linesOf(domain.SourceText, rows).Items {
		if len([]rune(item.Description)) > domain.MaxLineDescription {
			t.Errorf("%d characters", len([]rune(item.Description)))
		}
	}
	lines := linesOf(domain.SourceText, `Acme Ltd Invoice No 17 USD
Description              Qty   Unit Price    Amount
לוחכ טע                   2         5.00     10.00
Total USD                                    10.00`)
	expectRows(t, lines, "טע לוחכ|2||5||1000|adds_up") // the right word is read first
	if text := domain.LineText("a\u202eb\x00c\n\n d"); text != "abc\nd" {
		t.Errorf("%q", text)
	}
}

func ciiLine(name, quantity, price, amount string) string {
	return `<IncludedSupplyChainTradeLineItem><SpecifiedTradeProduct><Name>` + name +
		`</Name></SpecifiedTradeProduct><SpecifiedLineTradeAgreement><NetPriceProductTradePrice><ChargeAmount>` +
		price + `</ChargeAmount></NetPriceProductTradePrice></SpecifiedLineTradeAgreement>` +
		`<SpecifiedLineTradeDelivery><BilledQuantity unitCode="H87">` + quantity +
		`</BilledQuantity></SpecifiedLineTradeDelivery><SpecifiedLineTradeSettlement><ApplicableTradeTax>` +
		`<RateApplicablePercent>19.00</RateApplicablePercent></ApplicableTradeTax>` +
		`<SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>` + amount +
		`</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement>` +
		`</IncludedSupplyChainTradeLineItem>`
}

func ciiInvoice(sums string, lines ...string) []byte {
	return []byte(`<CrossIndustryInvoice><SupplyChainTradeTransaction>` + strings.Join(lines, "") +
		`<ApplicableHeaderTradeSettlement><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>` +
		`<SpecifiedTradeSettlementHeaderMonetarySummation>` + sums +
		`</SpecifiedTradeSettlementHeaderMonetarySummation></ApplicableHeaderTradeSettlement>` +
		`</SupplyChainTradeTransaction></CrossIndustryInvoice>`)
}

func xmlLinesOf(t *testing.T, xml []byte) domain.LineItems {
	t.Helper()
	_, lines, err := extraction.InvoiceFromXML(xml)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLinesOfCII(t *testing.T) {
	t.Parallel()
	sums := `<ChargeTotalAmount>5.00</ChargeTotalAmount><AllowanceTotalAmount>1.00</AllowanceTotalAmount>` +
		`<TaxBasisTotalAmount>18.50</TaxBasisTotalAmount><GrandTotalAmount>22.02</GrandTotalAmount>`
	group := strings.Replace(ciiLine("Group", "1", "14.50", "14.50"), "<SpecifiedTradeProduct>",
		`<AssociatedDocumentLineDocument><LineStatusReasonCode>GROUP</LineStatusReasonCode></AssociatedDocumentLineDocument><SpecifiedTradeProduct>`, 1)
	lines := xmlLinesOf(t, ciiInvoice(sums, group, ciiLine("Nails", "1000.000", "0.0175", "17.50"),
		ciiLine("Return", "-3.0", "1.00", "-3.00"), ciiLine("Wrong", "2", "5", "0.00"),
		`<IncludedSupplyChainTradeLineItem><IncludedNote>Remark</IncludedNote></IncludedSupplyChainTradeLineItem>`))
	expectRows(t, lines, "Nails|1000|H87|0.0175|19|1750|adds_up", "Return|-3|H87|1|19|-300|adds_up",
		"Wrong|2|H87|5|19|0|differs")
	if sum, ok := lines.CertainSum(); !ok || sum != 1850 || lines.Check != domain.LinesEqualNet ||
		lines.XMLCount != 3 {
		t.Errorf("%+v", lines)
	}
}

func TestLinesOfUBL(t *testing.T) {
	t.Parallel()
	lines := xmlLinesOf(t, []byte(`<CreditNote><DocumentCurrencyCode>JPY</DocumentCurrencyCode>
		<LegalMonetaryTotal><TaxExclusiveAmount>950</TaxExclusiveAmount></LegalMonetaryTotal>
		<CreditNoteLine><CreditedQuantity unitCode="C62">20</CreditedQuantity>
		<LineExtensionAmount>950</LineExtensionAmount>
		<AllowanceCharge><ChargeIndicator>false</ChargeIndicator><Amount>50</Amount></AllowanceCharge>
		<Item><Description>by air</Description><Name>Tea</Name>
		<ClassifiedTaxCategory><Percent>10</Percent></ClassifiedTaxCategory></Item>
		<Price><PriceAmount>500</PriceAmount><BaseQuantity>10.0</BaseQuantity></Price></CreditNoteLine></CreditNote>`))
	expectRows(t, lines, "Tea/by air|20|C62|500|10|950|adds_up")
	if item := lines.Items[0]; item.PriceQuantity != "10" || item.Allowance != 50 ||
		lines.Check != domain.LinesEqualNet {
		t.Errorf("%+v", lines)
	}
}

// The e-invoice can have more lines than are kept; their sum is that of all. One line too many, or
// one that the sums do not contain, is a certain difference.
func TestManyAndHiddenLinesOfXML(t *testing.T) {
	t.Parallel()
	one := `<IncludedSupplyChainTradeLineItem><SpecifiedTradeProduct><Name>x</Name></SpecifiedTradeProduct></IncludedSupplyChainTradeLineItem>`
	lines := xmlLinesOf(t, ciiInvoice("", strings.Repeat(one, 100_000)))
	if len(lines.Items) != domain.MaxLineItems || lines.Found() != 100_000 || lines.Certain {
		t.Errorf("%d of %d kept", len(lines.Items), lines.Found())
	}
	shown := `Acme GmbH Rechnung 12 EUR
Artikel                 Menge   Preis       Betrag
Nails                    2      5,00         10,00
Nettobetrag                                  10,00`
	sums := `<TaxBasisTotalAmount>10.00</TaxBasisTotalAmount><GrandTotalAmount>11.90</GrandTotalAmount>`
	hidden := extraction.MergeLines(xmlLinesOf(t, ciiInvoice(sums, ciiLine("Nails", "2", "5", "10.00"),
		ciiLine("Hidden", "1", "90", "90.00"))), linesOf(domain.SourceText, shown))
	if hidden.XMLCount != 2 || hidden.PageCount != 1 || hidden.Check != domain.LinesDiffer {
		t.Errorf("%+v", hidden)
	}
	if sum, ok := hidden.CertainSum(); !ok || sum != 10_000 {
		t.Errorf("sum %d", sum)
	}
	if long := xmlLinesOf(t, ciiInvoice(sums, ciiLine(strings.Repeat("ä", 10_000), "2", "5", "10.00"))); len([]rune(long.Items[0].Description)) != domain.MaxLineDescription {
		t.Error("the description is not cut")
	}
}

// FuzzLines reads tables of any rows below a header.
func FuzzLines(f *testing.F) {
	f.Add("Widgets  10  1.25  12.50\nTotal  12.50", true)
	f.Add("a  1.000  1,000  1'000,0\n-  -  -\nTotal total 1 1 1", false)
	f.Add("x 999999999999999 999999999999999 999999999999999", false)
	f.Fuzz(func(t *testing.T, text string, seen bool) {
		source := domain.SourceText
		if seen {
			source = domain.SourceOCR
		}
		lines := linesOf(source,
			"Description              Qty   Unit Price    Amount\n"+text, text)
		if len(lines.Items) > domain.MaxLineItems || lines.PageCount < len(lines.Items) {
			t.Errorf("%d items of %d", len(lines.Items), lines.PageCount)
		}
		for _, item := range lines.Items {
			if !(item.Confidence >= 0 && item.Confidence <= 1) || item.Page < 1 ||
				len(item.Boxes) == 0 || item.Source != source ||
				item.Minor != nil && (*item.Minor > domain.MaxMinor || *item.Minor < -domain.MaxMinor) {
				t.Errorf("%+v", item)
			}
		}
	})
}
