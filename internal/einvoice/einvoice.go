// Package einvoice writes made-up e-invoices in the syntax CII, for tests and benches.
//
// What may enter: the values that distinguish invoices, the text around them. What never happens
// here: an invoice that fails a check; a test that needs one makes it itself.
package einvoice

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"math/big"
	"strings"
	"time"

	"countersign/domain"
)

// Invoice is of a German seller in EUR if nothing else is given, with 20 % tax, and in order in every
// checked respect: due in 25 days, and dated 5 to 204 days ago by its number, so that invoices with
// different numbers are no duplicates.
type Invoice struct {
	Number, Seller string
	Total          int64     // in minor units
	Account        string    // "" for Account
	Issued         time.Time // zero for a day that follows from the number; due 30 days later otherwise
	Currency       string
	Country        string
	TaxID          string // "" for that of a German seller; none elsewhere
}

// Due is the day on which an invoice of today is due.
func Due() time.Time { return domain.SystemClock{}.Now().AddDate(0, 0, 25) }

// day is how the syntax writes one.
const day = "20060102"

// XML is the invoice as a file.
func (i Invoice) XML() []byte {
	net := i.Total * 5 / 6
	currency, country := cmp.Or(i.Currency, "EUR"), cmp.Or(i.Country, "DE")
	digits, _ := domain.Exponent(currency)
	money := func(minor int64) string { return domain.FormatMinor(minor, digits) }
	issued, due := i.days()
	taxID := i.TaxID
	if taxID == "" && country == "DE" {
		taxID = TaxID(i.Seller)
	}
	return fmt.Appendf(nil, cii, escaped(i.Number), issued.Format(day), escaped(i.Seller), country,
		taxID, currency, escaped(i.account()), due.Format(day), money(net), currency,
		money(i.Total-net), money(i.Total))
}

// days returns on which days the invoice was issued and is due.
func (i Invoice) days() (issued, due time.Time) {
	if !i.Issued.IsZero() {
		return i.Issued, i.Issued.AddDate(0, 0, 30)
	}
	due = Due()
	return due.AddDate(0, 0, -25-i.Age()), due
}

// Age is how many days ago the invoice is dated.
func (i Invoice) Age() int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(i.Number))
	return 5 + int(hash.Sum32()%200)
}

func (i Invoice) account() string { return cmp.Or(i.Account, Account) }

// GermanAccount is the nth of a million valid German account numbers.
func GermanAccount(n int) string {
	account := fmt.Sprintf("370400440532%06d", n)
	digits, _ := new(big.Int).SetString(account+"131400", 10) // D, E and no check digits
	check := 98 - new(big.Int).Mod(digits, big.NewInt(97)).Int64()
	return fmt.Sprintf("DE%02d%s", check, account)
}

// TaxID is the German tax id of a seller, with a valid check digit.
func TaxID(seller string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(seller))
	digits := fmt.Sprintf("%08d", 10_000_000+hash.Sum32()%90_000_000)
	product := 10
	for _, digit := range digits {
		sum := (int(digit-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = 2 * sum % 11
	}
	return fmt.Sprintf("DE%s%d", digits, (11-product)%10)
}

// escaped is a text as the content of an element.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder accepts everything
	return out.String()
}

// cii takes number, date, seller, country, tax id, currency, account, due date, net, currency, tax and
// total.
const cii = `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocument><ram:ID>%s</ram:ID><ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">%s</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>%s</ram:Name>
<ram:PostalTradeAddress><ram:CountryID>%s</ram:CountryID></ram:PostalTradeAddress>
<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">%s</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name>Kunde AG</ram:Name></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery/>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>%s</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>%s</ram:IBANID>
</ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">%s</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxBasisTotalAmount>%s</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="%s">%s</ram:TaxTotalAmount><ram:GrandTotalAmount>%[12]s</ram:GrandTotalAmount>
<ram:DuePayableAmount>%[12]s</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`

// Account is the account of invoices that name no other.
const Account = "DE89370400440532013000"

// Words are those of a page that prints the invoice.
func (i Invoice) Words() []domain.Word {
	texts := []string{"INVOICE", i.Number, i.Seller, "Total", "EUR",
		fmt.Sprintf("%d.%02d", i.Total/100, i.Total%100), "IBAN", i.account()}
	words := make([]domain.Word, len(texts))
	for at, text := range texts {
		words[at] = domain.Word{Text: text, Confidence: 1, Line: at,
			Box: domain.Box{X: 1, Y: 1 + 12*at, W: 30, H: 10}}
	}
	return words
}
