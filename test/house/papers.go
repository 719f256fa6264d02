package house

import (
	"fmt"
	"time"

	"countersign/cmd/countersign/paper"
)

// Invoice is a clean invoice over so many euros, net of 20 % tax; the number makes it no duplicate of others.
func Invoice(number int, netEuros int64) paper.Invoice {
	return paper.Invoice{Vendor: fmt.Sprintf("Kiefer Workshop %c GmbH", 'A'+rune(number%26)), Street: "Lindenstrasse 12", City: "10969 Berlin, Germany",
		VATID: "DE136695976", IBAN: "DE89 3704 0044 0532 0130 00", Customer: "Example Trading Ltd, 1 Market Street, London",
		Number: fmt.Sprintf("KB-2026-%05d", 10000+number), Date: time.Now().UTC().AddDate(0, 0, -5), DueDays: 30, Currency: "EUR", TaxPercent: 20,
		Lines: []paper.Line{{Text: "Desk lamp", Quantity: 1, Unit: netEuros * 100}, {Text: "Delivery", Quantity: 1, Unit: 1050}}}
}

// PDF draws the invoice as a file of the house.
func (h *House) PDF(invoice paper.Invoice) string {
	h.tb.Helper()
	return h.File(invoice.Number+".pdf", invoice.PDF())
}

// PNG draws the invoice as a scan, which has to be read by OCR.
func (h *House) PNG(invoice paper.Invoice) string {
	h.tb.Helper()
	content, err := invoice.PNG(h.tb.Context(), 150)
	if err != nil {
		h.tb.Fatal(err)
	}
	return h.File(invoice.Number+".png", content)
}

// XML writes an e-invoice over so many euros, net of 20 % tax, as a file of the house: nothing of it has to be looked at, so
// that many are read in little time.
func (h *House) XML(number int, netEuros int64) string {
	h.tb.Helper()
	name, net, tax := fmt.Sprintf("EX-2026-%05d", number), netEuros*100, netEuros*20
	money := func(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
	today := time.Now().UTC()
	return h.File(name+".xml", fmt.Appendf(nil, electronic, name, today.AddDate(0, 0, -5).Format("20060102"), XMLSeller,
		today.AddDate(0, 0, 25).Format("20060102"), money(net), money(tax), money(net+tax), money(net+tax)))
}

// XMLSeller is who sends the e-invoices of XML.
const XMLSeller = "Elektro Nord GmbH"

// electronic is such an invoice in the syntax CII: number, date, seller, due date, net, tax, total, total.
const electronic = `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocument><ram:ID>%s</ram:ID><ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">%s</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>%s</ram:Name>
<ram:PostalTradeAddress><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>
<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE136695976</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name>Kunde AG</ram:Name></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery/>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE89370400440532013000</ram:IBANID>
</ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">%s</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxBasisTotalAmount>%s</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="EUR">%s</ram:TaxTotalAmount><ram:GrandTotalAmount>%s</ram:GrandTotalAmount>
<ram:DuePayableAmount>%s</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`
