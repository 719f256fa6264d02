package casework_test

import (
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/reading/extraction"
)

// invoiceXML returns an e-invoice with the total in EUR.
func invoiceXML(total, number string) []byte {
	money, err := domain.ParseMoney(total, "EUR")
	if err != nil {
		panic(err)
	}
	return einvoice.Invoice{Number: number, Seller: "Muster Werke GmbH", Total: money.Minor}.XML()
}

// printedInvoice returns the lines of a page that prints an e-invoice, nil without one.
func printedInvoice(xml []byte) []string {
	fields, err := extraction.FromXML(xml)
	if err != nil {
		return nil
	}
	lines := []string{"INVOICE"}
	for _, field := range fields {
		if field.Normalised != "" {
			lines = append(lines, strings.ReplaceAll(field.Name, "_", " ")+": "+field.Normalised)
		}
	}
	return lines
}

// knowVendors makes the sellers of invoiceXML known: an invoice and a remittance with their account
// were approved before.
func (env *testEnv) knowVendors() {
	env.t.Helper()
	for _, vendor := range []string{"Muster Werke GmbH", "Andere Werke GmbH"} {
		for _, documentType := range []string{"invoice", "remittance"} {
			env.approvedBefore(vendor, documentType, einvoice.Account)
		}
	}
}

// approvedBefore adds an archived case of the vendor, "" for no account.
func (env *testEnv) approvedBefore(vendor, documentType, account string) {
	env.t.Helper()
	must(env.t, einvoice.Past{ID: domain.NewID(), Key: casework.PartyKey(vendor), Vendor: vendor,
		DocumentType: documentType, Account: account}.Insert(env.ctx, env.owner))
}
