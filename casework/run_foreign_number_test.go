package casework_test

import (
	"testing"

	"countersign/domain"
)

// The number of an e-invoice is not the register number of a merchant, although both are the field number.
func TestInvoiceNumberIsNoRegisterNumber(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("120.00", "RE-2026-17")
	env.reader.lines = printedInvoice(env.reader.xml)
	merchant := env.submitTo(sam, "merchant_onboarding", "merchant_application", "a")
	if field := env.field(merchant, domain.FieldNumber); field.Raw != "" {
		t.Errorf("the register number is %q", field.Raw)
	}
	invoice := env.submitTo(sam, "document_approval", "invoice", "c")
	if field := env.field(invoice, domain.FieldNumber); field.Normalised != "RE-2026-17" {
		t.Errorf("the number of the invoice is %v", field)
	}
}
