package casework_test

import (
	"countersign/domain"
	"countersign/internal/einvoice"
)

// invoiceXML returns an e-invoice with the total in EUR.
func invoiceXML(total, number string) []byte {
	money, err := domain.ParseMoney(total, "EUR")
	if err != nil {
		panic(err)
	}
	return einvoice.Invoice{Number: number, Seller: "Muster Werke GmbH", Total: money.Minor}.XML()
}
