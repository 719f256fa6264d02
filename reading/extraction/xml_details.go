package extraction

import (
	"slices"
	"strings"

	"countersign/domain"
)

// delivered are the elements of a CII invoice that state when goods or services were delivered.
type delivered struct{ deliveries, periods []*element }

// firstTextOf returns the first text at a path below one of the elements.
func firstTextOf(found []*element, path ...string) string {
	for _, e := range found {
		if text := e.firstText(path...); text != "" {
			return text
		}
	}
	return ""
}

// below returns all elements at a path below the elements.
func below(found []*element, path ...string) []*element {
	var all []*element
	for _, e := range found {
		all = append(all, e.findAll(path...)...)
	}
	return all
}

// text adds a text of limited length as it is.
func (v *invoice) text(name, text string) {
	text = limited(text)
	v.add(name, text, text)
}

// ciiTaxID adds the VAT number of a party.
func (v *invoice) ciiTaxID(name string, party []*element) {
	for _, registration := range below(party, "SpecifiedTaxRegistration", "ID") {
		if registration.attrs["schemeID"] == "VA" {
			id := strings.TrimSpace(registration.text)
			v.add(name, id, compact(id))
			return
		}
	}
}

// payerAccount adds the account from which a direct debit is paid.
func (v *invoice) payerAccount(iban string) {
	v.add(domain.FieldPayerAccount, limited(iban), compact(iban))
}

// ciiDetails adds the fields about the buyer, the order, the delivery, the taxes and the payment.
func (v *invoice) ciiDetails(agreement, settlement []*element, when delivered) {
	buyer := below(agreement, "BuyerTradeParty")
	name := firstTextOf(buyer, "Name")
	if name == "" {
		name = firstTextOf(buyer, "SpecifiedLegalOrganization", "TradingBusinessName")
	}
	v.text(domain.FieldBuyer, name)
	v.address(domain.FieldBuyerAddress, below(buyer, "PostalTradeAddress"), ciiAddress)
	v.ciiTaxID(domain.FieldBuyerVATID, buyer)
	v.country(domain.FieldDeliveryCountry, firstTextOf(when.deliveries, "ShipToTradeParty",
		"PostalTradeAddress", "CountryID"))
	v.payerAccount(firstTextOf(settlement, "SpecifiedTradeSettlementPaymentMeans",
		"PayerPartyDebtorFinancialAccount", "IBANID"))
	v.text(domain.FieldOrderNumber,
		firstTextOf(agreement, "BuyerOrderReferencedDocument", "IssuerAssignedID|ID"))
	const dateText = "DateTimeString|DateTime"
	v.delivery(below(when.deliveries, "ActualDeliverySupplyChainEvent", "OccurrenceDateTime", dateText),
		firstTextOf(when.periods, "StartDateTime", dateText), firstTextOf(when.periods, "EndDateTime", dateText))
	var rows []taxRow
	for _, tax := range below(settlement, "ApplicableTradeTax") {
		rows = append(rows, taxRow{tax.firstText("RateApplicablePercent|ApplicablePercent"),
			tax.firstText("BasisAmount"), tax.firstText("CalculatedAmount")})
	}
	v.taxes(rows)
	v.text(domain.FieldPaymentTerms, joinLimited(
		distinctTexts(below(settlement, "SpecifiedTradePaymentTerms", "Description")), "; "))
}

// ublDetails adds the same fields of a UBL invoice.
func (v *invoice) ublDetails(root *element) {
	buyer := root.findAll("AccountingCustomerParty", "Party")
	name := firstTextOf(buyer, "PartyLegalEntity", "RegistrationName")
	if name == "" {
		name = firstTextOf(buyer, "PartyName", "Name")
	}
	v.text(domain.FieldBuyer, name)
	v.address(domain.FieldBuyerAddress, below(buyer, "PostalAddress"), ublAddress)
	id := limited(firstTextOf(buyer, "PartyTaxScheme", "CompanyID"))
	v.add(domain.FieldBuyerVATID, id, compact(id))
	v.country(domain.FieldDeliveryCountry, root.firstText("Delivery", "DeliveryLocation",
		"Address", "Country", "IdentificationCode"))
	v.payerAccount(root.firstText("PaymentMeans", "PaymentMandate", "PayerFinancialAccount", "ID"))
	v.text(domain.FieldOrderNumber, root.firstText("OrderReference", "ID"))
	v.delivery(root.findAll("Delivery", "ActualDeliveryDate"),
		root.firstText("InvoicePeriod", "StartDate"), root.firstText("InvoicePeriod", "EndDate"))
	var rows []taxRow
	for _, total := range root.findAll("TaxTotal") {
		if amounts := total.findAll("TaxAmount"); len(amounts) > 0 && !v.isForeign(amounts[0]) {
			for _, tax := range total.findAll("TaxSubtotal") {
				rows = append(rows, taxRow{tax.firstText("TaxCategory", "Percent"),
					tax.firstText("TaxableAmount"), tax.firstText("TaxAmount")})
			}
		}
	}
	v.taxes(rows)
	v.text(domain.FieldPaymentTerms,
		joinLimited(distinctTexts(root.findAll("PaymentTerms", "Note")), "; "))
	code := root.firstText("InvoiceTypeCode|CreditNoteTypeCode")
	if root.name == "CreditNote" {
		v.add(domain.FieldKind, limited("CreditNote "+code), domain.KindCreditNote)
		return
	}
	v.kind(code)
}

// isForeign reports whether an amount is in another currency than the invoice.
func (v *invoice) isForeign(amount *element) bool {
	code := strings.TrimSpace(amount.attrs["currencyID"])
	return code != "" && !strings.EqualFold(code, v.currency)
}

// delivery adds the date of the delivery, the last one of several, otherwise the end of the period.
func (v *invoice) delivery(dates []*element, start, end string) {
	var raw, last string
	for _, text := range distinctTexts(dates) {
		if date := compactDate(text); raw == "" || date > last {
			raw, last = text, date
		}
	}
	if raw == "" {
		raw, last = end, compactDate(end)
		if start != "" && end != "" {
			raw = start + " – " + end
		}
	}
	v.add(domain.FieldDeliveryDate, limited(raw), last)
}

// The codes of UNTDID 1001 that the standard EN 16931 allows, and of orders.
var (
	creditCodes  = []string{"81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "532"}
	invoiceCodes = []string{"71", "80", "82", "84", "102", "130", "202", "203", "204", "211", "218",
		"219", "295", "326", "331", "380", "382", "383", "384", "385", "386", "387", "388", "389",
		"390", "393", "394", "395", "456", "457", "527", "553", "575", "623", "633", "751", "780",
		"817", "870", "875", "876", "877", "935"}
	orderCodes = []string{"105", "220"}
)

// kind adds the kind of the document by its type code.
func (v *invoice) kind(code string) {
	kind := domain.KindOther
	switch {
	case slices.Contains(creditCodes, code):
		kind = domain.KindCreditNote
	case code == "325":
		kind = domain.KindProForma
	case slices.Contains(invoiceCodes, code):
		kind = domain.KindInvoice
	case slices.Contains(orderCodes, code):
		kind = domain.KindOrder
	}
	v.add(domain.FieldKind, limited(code), kind)
}
