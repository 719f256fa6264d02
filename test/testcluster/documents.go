package testcluster

import (
	"fmt"
	"time"

	"countersign/cmd/countersign/sampledocs"
	"countersign/internal/einvoice"
)

// Invoice is a clean invoice over so many euros, net of 20 % tax; the number makes it no duplicate
// of others.
func Invoice(number int, netEuros int64) sampledocs.Invoice {
	return sampledocs.Invoice{Vendor: fmt.Sprintf("Kiefer Workshop %c GmbH", 'A'+rune(number%26)),
		Street: "Lindenstrasse 12", City: "10969 Berlin, Germany",
		VATID: "DE136695976", IBAN: "DE89 3704 0044 0532 0130 00",
		Customer: "Example Trading Ltd, 1 Market Street, London",
		Number:   fmt.Sprintf("KB-2026-%05d", 10000+number),
		Date:     time.Now().UTC().AddDate(0, 0, -5),
		DueDays:  30, Currency: "EUR", TaxPercent: 20,
		Lines: []sampledocs.Line{{Text: "Desk lamp", Quantity: 1, Unit: netEuros * 100},
			{Text: "Delivery", Quantity: 1, Unit: 1050}}}
}

// PDF draws the invoice as a file of the cluster.
func (h *Cluster) PDF(invoice sampledocs.Invoice) string {
	h.tb.Helper()
	return h.File(invoice.Number+".pdf", invoice.PDF())
}

// PNG draws the invoice as a scan, which has to be read by OCR.
func (h *Cluster) PNG(invoice sampledocs.Invoice) string {
	h.tb.Helper()
	content, err := invoice.PNG(h.tb.Context(), 150)
	if err != nil {
		h.tb.Fatal(err)
	}
	return h.File(invoice.Number+".png", content)
}

// XML writes an e-invoice over so many euros, net of 20 % tax, as a file of the cluster. It needs
// no OCR, so that many are read in little time.
func (h *Cluster) XML(number int, netEuros int64) string {
	h.tb.Helper()
	name := fmt.Sprintf("EX-2026-%05d", number)
	return h.File(name+".xml", einvoice.Invoice{Number: name, Seller: XMLSeller,
		Total: netEuros * 120}.XML())
}

// XMLSeller is who sends the e-invoices of XML.
const XMLSeller = "Elektro Nord GmbH"
