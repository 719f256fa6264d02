package testcluster

import (
	"fmt"
	"time"

	"countersign/cmd/countersign/sampledocs"
	"countersign/internal/einvoice"
)

// Invoice is a clean invoice over so many euros, net of 20 % tax, of a known vendor. The number makes
// it no duplicate of others: vendor, number and date differ, because OCR may misread one of them.
// Each vendor has an account of its own, so that small invoices of several vendors are no split
// payment.
func Invoice(number int, netEuros int64) sampledocs.Invoice {
	return sampledocs.Invoice{Vendor: vendor(number % len(trades)),
		Street: "Lindenstrasse 12", City: "10969 Berlin, Germany",
		VATID: einvoice.TaxID(vendor(number % len(trades))), IBAN: account(number % len(trades)),
		Customer: "Example Trading Ltd, 1 Market Street, London",
		Number:   fmt.Sprintf("KB-2026-%05d", 10000+number),
		Date:     time.Now().UTC().AddDate(0, 0, -5-number%20),
		DueDays:  30, Currency: "EUR", TaxPercent: 20,
		Lines: []sampledocs.Line{{Text: "Desk lamp", Quantity: 1, Unit: netEuros * 100},
			{Text: "Delivery", Quantity: 1, Unit: 1050}}}
}

// vendor is the name of the nth vendor.
func vendor(n int) string { return "Kiefer " + trades[n] + " GmbH" }

// account is that of the nth vendor.
func account(n int) string { return einvoice.GermanAccount(13_000 + n) }

// trades distinguish the vendors by whole words, because OCR drops single letters.
var trades = []string{"Bakery", "Brewery", "Bridges", "Cabinets", "Carpets", "Ceramics", "Chimneys",
	"Curtains", "Electric", "Engines", "Fashion", "Flowers", "Furniture", "Gardens", "Glazing",
	"Harbour", "Heating", "Insurance", "Jewellery", "Kitchens", "Logistics", "Machinery", "Optics",
	"Printing", "Roofing", "Textiles"}

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
