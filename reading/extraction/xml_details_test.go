package extraction_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// ubl returns a UBL invoice with the given elements.
func ubl(elements string) []byte {
	return []byte(`<Invoice><ID>7</ID><DocumentCurrencyCode>EUR</DocumentCurrencyCode>` + elements +
		`</Invoice>`)
}

// cii returns a CII invoice with the given elements of its settlement.
func cii(settlement string) []byte {
	return []byte(`<CrossIndustryInvoice><ExchangedDocument><TypeCode>380</TypeCode></ExchangedDocument>
	<SupplyChainTradeTransaction><ApplicableHeaderTradeSettlement>` + settlement +
		`</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`)
}

// xmlField returns the field of an e-invoice, without a name if it has none.
func xmlField(t *testing.T, xml []byte, name string) domain.Field {
	t.Helper()
	fields, err := extraction.FromXML(xml)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
	if at < 0 {
		return domain.Field{}
	}
	return fields[at]
}

// What was paid before lowers the amount due and never the total, by which limits judge.
func TestPrepaidAmountLowersNoTotal(t *testing.T) {
	t.Parallel()
	const small = `<PrepaidAmount>99990.00</PrepaidAmount><PayableAmount>10.00</PayableAmount>`
	for name, row := range map[string]struct {
		xml              []byte
		total, paid, due string
	}{
		"UBL": {ubl(`<LegalMonetaryTotal><TaxInclusiveAmount>100000.00</TaxInclusiveAmount>` + small +
			`</LegalMonetaryTotal>`), "100000.00", "99990.00", "10.00"},
		"UBL without a total": {ubl(`<LegalMonetaryTotal>` + small + `</LegalMonetaryTotal>`),
			"", "99990.00", "10.00"},
		"UBL with an unreadable prepayment": {ubl(`<LegalMonetaryTotal>
			<PrepaidAmount>much</PrepaidAmount><PayableAmount>10</PayableAmount></LegalMonetaryTotal>`),
			"", "", "10.00"},
		"UBL with nothing paid": {ubl(`<LegalMonetaryTotal><PrepaidAmount>0.00</PrepaidAmount>
			<PayableAmount>10.00</PayableAmount></LegalMonetaryTotal>`), "10.00", "0.00", "10.00"},
		"CII": {cii(`<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>
			<SpecifiedTradeSettlementHeaderMonetarySummation><GrandTotalAmount>100000</GrandTotalAmount>
			<TotalPrepaidAmount>99990</TotalPrepaidAmount><DuePayableAmount>10</DuePayableAmount>
			</SpecifiedTradeSettlementHeaderMonetarySummation>`), "100000.00", "99990.00", "10.00"},
		"CII without a total": {cii(`<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>
			<SpecifiedTradeSettlementHeaderMonetarySummation><DuePayableAmount>10</DuePayableAmount>
			</SpecifiedTradeSettlementHeaderMonetarySummation>`), "", "", "10.00"},
	} {
		for field, want := range map[string]string{domain.FieldTotal: row.total,
			domain.FieldPrepaid: row.paid, domain.FieldAmountDue: row.due} {
			if got := xmlField(t, row.xml, field).Normalised; got != want {
				t.Errorf("%s: %s is %q, want %q", name, field, got, want)
			}
		}
	}
}

// An amount in a cheaper currency than its number suggests, or one of two amounts, is not chosen.
func TestContradictoryAmountsHaveNoValue(t *testing.T) {
	t.Parallel()
	sums := func(total string) string {
		return `<SpecifiedTradeSettlementHeaderMonetarySummation>` + total +
			`</SpecifiedTradeSettlementHeaderMonetarySummation>`
	}
	const euro, yen = `<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>`,
		`<InvoiceCurrencyCode>JPY</InvoiceCurrencyCode>`
	for name, row := range map[string]struct {
		xml                   []byte
		currency, total, text string
	}{
		"two currencies": {cii(euro + yen + sums(`<GrandTotalAmount>5</GrandTotalAmount>`)),
			"", "5.00", "5"},
		"total of another currency": {cii(yen +
			sums(`<GrandTotalAmount currencyID="KWD">900000</GrandTotalAmount>`)),
			"JPY", "", "900000 KWD"},
		"two totals": {cii(euro + sums(`<GrandTotalAmount>5.00</GrandTotalAmount>
			<GrandTotalAmount>5000.00</GrandTotalAmount>`)), "EUR", "", "5.00 / 5000.00"},
		"two sums": {cii(euro + sums(`<GrandTotalAmount>5.00</GrandTotalAmount>`) +
			sums(`<GrandTotalAmount>7.00</GrandTotalAmount>`)), "EUR", "", "5.00 / 7.00"},
		"the same total twice": {cii(euro + euro + sums(`<GrandTotalAmount>5.00</GrandTotalAmount>
			<GrandTotalAmount>5.0</GrandTotalAmount>`)), "EUR", "5.00", "5.00"},
		"also in the currency of the tax": {cii(euro + sums(`
			<GrandTotalAmount currencyID="USD">6.00</GrandTotalAmount>
			<GrandTotalAmount currencyID="eur">5.00</GrandTotalAmount>`)), "EUR", "5.00", "5.00"},
	} {
		currency, total := xmlField(t, row.xml, domain.FieldCurrency),
			xmlField(t, row.xml, domain.FieldTotal)
		if currency.Normalised != row.currency || total.Normalised != row.total ||
			total.Raw != row.text {
			t.Errorf("%s: %+v, %+v", name, currency, total)
		}
	}
}

// The total of a contradictory e-invoice is reported, although the pages show one of its values.
func TestContradictoryTotalIsNotPrinted(t *testing.T) {
	t.Parallel()
	fields := []domain.Field{{Name: domain.FieldTotal, Raw: "5.00 / 5000.00",
		Source: domain.SourceXML}}
	page := domain.Page{Number: 1, Width: 1000, Height: 1000, Source: domain.SourceText,
		Words: []domain.Word{{Text: "Total", Confidence: 1, Box: domain.Box{X: 1, Y: 1, W: 9, H: 9}},
			{Text: "5.00", Confidence: 1, Box: domain.Box{X: 20, Y: 1, W: 9, H: 9}}}}
	examined := extraction.Examine([]domain.Page{page}, extraction.Hints{}, fields)
	if !slices.Equal(examined.NotPrinted, []string{domain.FieldTotal}) {
		t.Errorf("not printed: %v", examined.NotPrinted)
	}
}

func TestBankBelongsToTheAccount(t *testing.T) {
	t.Parallel()
	means := func(iban, bic string) string {
		return `<PaymentMeans><PayeeFinancialAccount><ID>` + iban +
			`</ID><FinancialInstitutionBranch><ID>` + bic +
			`</ID></FinancialInstitutionBranch></PayeeFinancialAccount></PaymentMeans>`
	}
	const account, other = "DE89370400440532013000", "GB29NWBK60161331926819"
	for name, row := range map[string]struct{ xml, bic, text string }{
		"one":              {means(account, "COBADE FF XXX"), "COBADEFFXXX", "COBADE FF XXX"},
		"of the first":     {means(account, "COBADEFF") + means(other, "NWBKGB2L"), "COBADEFF", "COBADEFF"},
		"only of another":  {means(account, "") + means(other, "NWBKGB2L"), "", ""},
		"another country":  {means(account, "NWBKGB2L"), "NWBKGB2L", "NWBKGB2L"},
		"without account":  {means("", "NWBKGB2L"), "NWBKGB2L", "NWBKGB2L"},
		"no BIC":           {means(account, "Commerzbank"), "", "Commerzbank"},
		"unknown country":  {means(account, "COBAXXFF"), "", "COBAXXFF"},
		"an account again": {means(account, account), "", account},
	} {
		found := xmlField(t, ubl(row.xml), domain.FieldBIC)
		if found.Normalised != row.bic || found.Raw != row.text {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestDetailsOfUBL(t *testing.T) {
	t.Parallel()
	xml := ubl(`<InvoiceTypeCode>381</InvoiceTypeCode>
	<AccountingSupplierParty><Party><PartyName><Name>Seller</Name></PartyName></Party></AccountingSupplierParty>
	<AccountingCustomerParty><Party><PartyName><Name>Trade name</Name></PartyName>
	<PostalAddress><StreetName>Road 1</StreetName><CityName>Leeds</CityName><PostalZone>LS1</PostalZone>
	<Country><IdentificationCode>GB</IdentificationCode></Country></PostalAddress>
	<PartyTaxScheme><CompanyID>GB 123 4567 82</CompanyID></PartyTaxScheme>
	<PartyLegalEntity><RegistrationName>Buyer Ltd</RegistrationName></PartyLegalEntity></Party></AccountingCustomerParty>
	<OrderReference><ID>PO-9</ID></OrderReference>
	<InvoicePeriod><StartDate>2024-01-01</StartDate><EndDate>2024-01-31</EndDate></InvoicePeriod>
	<PaymentTerms><Note>30 days net</Note></PaymentTerms>
	<TaxTotal><TaxAmount currencyID="EUR">12.00</TaxAmount>
	<TaxSubtotal><TaxableAmount>50.00</TaxableAmount><TaxAmount>10.00</TaxAmount><TaxCategory><Percent>20.0</Percent></TaxCategory></TaxSubtotal>
	<TaxSubtotal><TaxableAmount>40</TaxableAmount><TaxAmount>2</TaxAmount><TaxCategory><Percent>5</Percent></TaxCategory></TaxSubtotal></TaxTotal>
	<TaxTotal><TaxAmount currencyID="GBP">10.10</TaxAmount></TaxTotal>`)
	for name, want := range map[string]string{domain.FieldKind: "credit_note",
		domain.FieldVendor: "Seller", domain.FieldBuyer: "Buyer Ltd",
		domain.FieldBuyerAddress: "Road 1, LS1 Leeds", domain.FieldBuyerVATID: "GB123456782",
		domain.FieldOrderNumber: "PO-9", domain.FieldDeliveryDate: "2024-01-31",
		domain.FieldTax: "12.00", domain.FieldTaxBreakdown: "5%: 40.00 + 2.00; 20%: 50.00 + 10.00",
		domain.FieldPaymentTerms: "30 days net", domain.FieldCountry: "", domain.FieldVATID: ""} {
		if got := xmlField(t, xml, name).Normalised; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if raw := xmlField(t, xml, domain.FieldDeliveryDate).Raw; raw != "2024-01-01 – 2024-01-31" {
		t.Errorf("the period %q", raw)
	}
}

// The country of delivery and the account of a direct debit are read from both formats.
func TestCountriesBesideTheSeller(t *testing.T) {
	t.Parallel()
	const account = "DE89370400440532013000"
	for name, row := range map[string]struct {
		xml               []byte
		delivery, account string
	}{
		"UBL": {ubl(`<Delivery><DeliveryLocation><Address><Country><IdentificationCode>SY</IdentificationCode>
			</Country></Address></DeliveryLocation></Delivery><PaymentMeans><PaymentMandate>
			<PayerFinancialAccount><ID>DE89 3704 0044 0532 0130 00</ID></PayerFinancialAccount>
			</PaymentMandate></PaymentMeans>`), "SY", account},
		"CII": {[]byte(`<CrossIndustryInvoice><SupplyChainTradeTransaction><ApplicableHeaderTradeDelivery>
			<ShipToTradeParty><PostalTradeAddress><CountryID>SY</CountryID></PostalTradeAddress>
			</ShipToTradeParty></ApplicableHeaderTradeDelivery><ApplicableHeaderTradeSettlement>
			<SpecifiedTradeSettlementPaymentMeans><PayerPartyDebtorFinancialAccount><IBANID>` + account +
			`</IBANID></PayerPartyDebtorFinancialAccount></SpecifiedTradeSettlementPaymentMeans>
			</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`),
			"SY", account},
		"neither": {ubl(""), "", ""},
	} {
		delivery := xmlField(t, row.xml, domain.FieldDeliveryCountry)
		payer := xmlField(t, row.xml, domain.FieldPayerAccount)
		if delivery.Normalised != row.delivery || payer.Normalised != row.account {
			t.Errorf("%s: %+v, %+v", name, delivery, payer)
		}
	}
}

func TestKindsOfXML(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"380": "invoice", "384": "invoice", "325": "pro_forma",
		"381": "credit_note", "220": "order", "999": "other", "": ""} {
		xml := ubl("<InvoiceTypeCode>" + code + "</InvoiceTypeCode>")
		if got := xmlField(t, xml, domain.FieldKind).Normalised; got != want {
			t.Errorf("%q: %q", code, got)
		}
	}
	xml := []byte(`<CreditNote><CreditNoteTypeCode>380</CreditNoteTypeCode></CreditNote>`)
	if got := xmlField(t, xml, domain.FieldKind); got.Normalised != "credit_note" {
		t.Errorf("a credit note that calls itself an invoice: %+v", got)
	}
}

// A breakdown that cannot be read exactly keeps its text, and no text is longer than a person's.
func TestInexactAndLongDetailsOfXML(t *testing.T) {
	t.Parallel()
	tax := func(rate, net, tax string) string {
		return `<ApplicableTradeTax><CalculatedAmount>` + tax + `</CalculatedAmount><BasisAmount>` + net +
			`</BasisAmount><RateApplicablePercent>` + rate + `</RateApplicablePercent></ApplicableTradeTax>`
	}
	const euro = `<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>`
	for text, want := range map[string]string{
		tax("19", "100", "19"):                     "19%: 100.00 + 19.00",
		tax("", "100", "0"):                        "0%: 100.00 + 0.00",
		tax("19", "100.001", "19"):                 "",
		tax("", "100", "19"):                       "",
		tax("19", "", "19"):                        "",
		strings.Repeat(tax("19", "1", "0.19"), 17): "",
	} {
		found := xmlField(t, cii(euro+text), domain.FieldTaxBreakdown)
		if found.Normalised != want || found.Raw == "" {
			t.Errorf("%.40q: %+v", text, found)
		}
	}
	long := xmlField(t, cii(`<SpecifiedTradePaymentTerms><Description>`+strings.Repeat("ä\u202eb ", 900)+
		`</Description></SpecifiedTradePaymentTerms>`), domain.FieldPaymentTerms)
	if domain.Longer(long.Raw, domain.MaxFieldValue) || long.Raw == "" ||
		strings.Contains(long.Raw, "\u202e") {
		t.Errorf("payment terms of %d bytes", len(long.Raw))
	}
}
