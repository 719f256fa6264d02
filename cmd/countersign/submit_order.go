package main

import "strings"

// orderFlags are the options of a payment order; amount, currency and country are those of the
// submission.
type orderFlags struct {
	Payer       string `help:"Payment order: who pays. Only with --type=remittance, --amount, --currency and --country."`
	Payee       string `help:"Payment order: who is paid."`
	Account     string `help:"Payment order: account of the payee, an IBAN or another number."`
	BIC         string `name:"bic" help:"Payment order: bank of the payee."`
	Purpose     string `help:"Payment order: purpose of the payment."`
	Reference   string `help:"Payment order: reference of the payer, who uses it once."`
	Ground      string `enum:",part-payment,several-invoices,charges,other-currency,no-amount" default:"" help:"Payment order: why it differs from the document (${enum}). A reviewer has to confirm it."`
	Explanation string `help:"Payment order: explanation of the ground."`
}

// given reports whether a payment order is submitted.
func (o orderFlags) given() bool { return o != orderFlags{} }

// input returns the order, nil if none is submitted.
func (o orderFlags) input(country string, amount *MoneyInput) *OrderInput {
	if !o.given() || amount == nil {
		return nil
	}
	order := &OrderInput{Payer: o.Payer, Payee: o.Payee, Account: o.Account, Bic: o.BIC,
		Country: country, Amount: *amount, Purpose: o.Purpose, Reference: o.Reference}
	if o.Ground != "" {
		kind := strings.ToUpper(strings.ReplaceAll(o.Ground, "-", "_"))
		order.Ground = &OrderGroundInput{Kind: OrderGroundKind(kind), Explanation: o.Explanation}
	}
	return order
}
