package einvoice

import (
	"encoding/xml"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// read is what a reader of the syntax finds in an invoice.
type read struct {
	Number string `xml:"ExchangedDocument>ID"`
	Issued string `xml:"ExchangedDocument>IssueDateTime>DateTimeString"`
	Trade  struct {
		Seller string `xml:"ApplicableHeaderTradeAgreement>SellerTradeParty>Name"`
		Settle struct {
			Due string `xml:"SpecifiedTradePaymentTerms>DueDateDateTime>DateTimeString"`
			Sum struct {
				Net     string `xml:"TaxBasisTotalAmount"`
				Tax     string `xml:"TaxTotalAmount"`
				Total   string `xml:"GrandTotalAmount"`
				Payable string `xml:"DuePayableAmount"`
			} `xml:"SpecifiedTradeSettlementHeaderMonetarySummation"`
		} `xml:"ApplicableHeaderTradeSettlement"`
	} `xml:"SupplyChainTradeTransaction"`
}

func parse(t interface{ Fatalf(string, ...any) }, i Invoice) (found read) {
	if err := xml.Unmarshal(i.XML(), &found); err != nil {
		t.Fatalf("%+v is not well-formed: %v", i, err)
	}
	return found
}

// Tests that submit these invoices expect no finding, so the amounts have to add up for every total.
func TestAmountsAddUp(t *testing.T) {
	t.Parallel()
	cents := func(text string) (value int64) {
		var whole, part int64
		if n, err := fmt.Sscanf(text, "%d.%02d", &whole, &part); n != 2 || err != nil {
			return -1
		}
		return whole*100 + part
	}
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 10_000_000_000).Draw(t, "total")
		sum := parse(t, Invoice{Number: "1", Seller: "s", Total: total}).Trade.Settle.Sum
		net, tax := cents(sum.Net), cents(sum.Tax)
		if cents(sum.Total) != total || cents(sum.Payable) != total || net+tax != total {
			t.Fatalf("%d is written as %+v", total, sum)
		}
		if off := tax*5 - net; off < -5 || off > 5 {
			t.Fatalf("%d of %d is not a tax of 20 %%", tax, net)
		}
	})
}

func TestTextsAreEscaped(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Acme & Sons", "<b>", `"quoted"`, "Müller 有限公司", "a > b"} {
		if found := parse(t, Invoice{Number: text, Seller: text, Total: 100}); found.Number != text ||
			found.Trade.Seller != text {
			t.Errorf("%q is read as %q and %q", text, found.Number, found.Trade.Seller)
		}
	}
}

// Invoices with different numbers have different dates, so that they are no duplicates of each other;
// each is at least a month older than its due date.
func TestDatesOfInvoices(t *testing.T) {
	t.Parallel()
	dates := map[string]bool{}
	for n := range 20 {
		found := parse(t, Invoice{Number: fmt.Sprint("INV-", n), Seller: "s", Total: 100})
		issued, err := time.Parse(day, found.Issued)
		due, err2 := time.Parse(day, found.Trade.Settle.Due)
		if err != nil || err2 != nil || due.Sub(issued) < 30*24*time.Hour ||
			due.Sub(issued) >= 230*24*time.Hour {
			t.Errorf("issued %s, due %s", found.Issued, found.Trade.Settle.Due)
		}
		dates[found.Issued] = true
	}
	if len(dates) < 15 {
		t.Errorf("20 invoices have %d dates", len(dates))
	}
}
