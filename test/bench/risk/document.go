package main

import (
	"fmt"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// medium is how a document arrives.
type medium string

const (
	asXML  medium = "e-invoice"
	asText medium = "text layer"
	asScan medium = "scan"
)

// document is a made-up document with its truth.
type document struct {
	kind        string // document type
	medium      medium
	story       string // of which group of documents it is
	title       string
	payee       *party
	number      string
	date        time.Time
	clock       string // time of day of a receipt
	amount      domain.Money
	mentions    string // a line that refers to another document
	duplicateOf *document
	ordered     bool // a payment order, whose evidence it is
	declared    bool // the amount was declared
	image       uint64
	sameFile    bool     // the file of duplicateOf is handed in again
	content     []byte   // the file
	reader      []string // errors of its reading
	caseID      domain.ID
	outcome     outcome
}

// line is a row of a page. Errors of reading find their row by the role.
type line struct {
	role, text string
	confidence float64 // 0 for that of the page
}

func (d *document) money(minor int64) string {
	m := domain.Money{Minor: minor, Currency: d.amount.Currency}
	return m.Currency + " " + grouped(m.Decimal())
}

// grouped writes an amount with separators of thousands.
func grouped(decimal string) string {
	sign := ""
	if strings.HasPrefix(decimal, "-") {
		sign, decimal = "-", decimal[1:]
	}
	whole, fraction, found := strings.Cut(decimal, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if found {
		return sign + whole + "." + fraction
	}
	return sign + whole
}

// lines are the rows of the page.
func (d *document) lines() []line {
	p := d.payee
	rows := []line{{role: "vendor", text: p.name}, {text: p.street},
		{text: p.city}, {text: placeOf(p.country).name}, {role: "title", text: d.title}}
	if d.kind == "receipt" {
		return append(rows, d.receiptLines()...)
	}
	net := d.amount.Minor * 5 / 6
	rows = append(rows, line{role: "number", text: "Invoice number: " + d.number},
		line{role: "date", text: "Invoice date: " + d.date.Format(time.DateOnly)},
		line{text: "Customer: Example Trading Ltd, 1 Market Street, London"})
	if d.mentions != "" {
		rows = append(rows, line{text: d.mentions})
	}
	rows = append(rows, line{role: "amount", text: "Services as agreed " + d.money(net)},
		line{role: "amount", text: "Net amount " + d.money(net)},
		line{role: "amount", text: "VAT 20 % " + d.money(d.amount.Minor-net)},
		line{role: "total", text: "Total " + d.money(d.amount.Minor)})
	if p.account != "" && d.title != creditTitle {
		label := "Account number: "
		if hasIBAN(p.account) {
			label = "IBAN "
		}
		rows = append(rows, line{role: "account", text: label + p.account})
	}
	if p.taxID != "" {
		rows = append(rows, line{text: "VAT ID: " + p.taxID})
	}
	if p.note != "" {
		rows = append(rows, line{text: p.note})
	}
	return append(rows, line{role: "again", text: "Amount due " + d.money(d.amount.Minor)})
}

func (d *document) receiptLines() []line {
	rows := []line{}
	if d.number != "" {
		rows = append(rows, line{role: "number", text: "Receipt No: " + d.number})
	}
	const cent = 100
	paid := (d.amount.Minor/(10*cent) + 1) * 10 * cent
	return append(rows,
		line{role: "date", text: "Date: " + d.date.Format("02/01/2006") + " " + d.clock},
		line{role: "amount", text: "1 item " + d.money(d.amount.Minor)},
		line{role: "total", text: "Total " + d.money(d.amount.Minor)},
		line{role: "again", text: "Cash " + d.money(paid)},
		line{role: "again", text: "Change " + d.money(paid-d.amount.Minor)})
}

func hasIBAN(account string) bool { return account != "" && account[0] >= 'A' }

const (
	invoiceTitle  = "INVOICE"
	receiptTitle  = "RECEIPT"
	creditTitle   = "CREDIT NOTE"
	proFormaTitle = "PRO-FORMA INVOICE"
	reminderTitle = "PAYMENT REMINDER for INVOICE"
)

// xml is the e-invoice of the document.
func (d *document) xml() []byte {
	return einvoice.Invoice{Number: d.number, Seller: d.payee.name, Total: d.amount.Minor,
		Account: d.payee.account, Issued: d.date, Currency: d.amount.Currency,
		Country: d.payee.country, TaxID: d.payee.taxID}.XML()
}

// values are the true values of the fields that decide.
func (d *document) values() map[string]string {
	values := map[string]string{domain.FieldTotal: d.amount.Decimal(),
		domain.FieldCurrency: d.amount.Currency, domain.FieldVendor: d.payee.name,
		domain.FieldDate: d.date.Format(time.DateOnly)}
	if d.number != "" {
		values[domain.FieldNumber] = d.number
	}
	if d.kind != "receipt" && hasIBAN(d.payee.account) && d.title != creditTitle {
		values[domain.FieldIBAN] = d.payee.account
	}
	return values
}

// wrong lists the fields in which the values of a case differ from the truth. A value that is absent is
// not wrong, unless it is the amount or the counterparty.
func (d *document) wrong(have map[string]string) []string {
	var wrong []string
	for field, want := range d.values() {
		value := have[field]
		switch {
		case field == domain.FieldVendor && casework.PartyKey(value) == casework.PartyKey(want),
			field != domain.FieldVendor && value == want:
		case value == "" && (field == domain.FieldNumber || field == domain.FieldDate ||
			field == domain.FieldIBAN):
		default:
			wrong = append(wrong, field)
		}
	}
	return wrong
}

func (d *document) String() string {
	return fmt.Sprintf("%s %s %s (%s, %s) of %s over %s, read with %v", d.kind, d.title, d.number,
		d.story, d.medium, d.payee.name, d.amount, d.reader)
}
