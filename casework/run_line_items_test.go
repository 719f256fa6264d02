package casework_test

import (
	"bytes"
	"strings"
	"testing"

	"countersign/domain"
)

// withLines returns the e-invoice with line items in front of its sums.
func withLines(xml []byte, lines ...[4]string) []byte {
	var rows strings.Builder
	for _, line := range lines {
		rows.WriteString(`<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>` +
			line[0] + `</ram:Name></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement>` +
			`<ram:NetPriceProductTradePrice><ram:ChargeAmount>` + line[2] +
			`</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>` +
			`<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="H87">` + line[1] +
			`</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement>` +
			`<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>` + line[3] +
			`</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>` +
			`</ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>`)
	}
	return bytes.Replace(xml, []byte("<ram:ApplicableHeaderTradeAgreement>"),
		[]byte(rows.String()+"<ram:ApplicableHeaderTradeAgreement>"), 1)
}

// The items of an e-invoice are kept with the reading, whose number the page's items may not reach.
// An item that its sums do not contain is found, and one of a page that adds up is not.
func TestLineItemsOfAnEInvoice(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = withLines(invoiceXML("120.00", "L-1"),
		[4]string{"Nails", "1000", "0.0175", "17.50"}, [4]string{"Screws", "3", "27.50", "82.50"})
	right := env.submit(sam, "right")
	env.drainQueue()
	env.requireState(right, domain.Archived)
	lines := env.lineItems(right)
	if len(lines.Items) != 2 || lines.XMLCount != 2 || lines.PageCount != 0 || *lines.Sum != 10_000 ||
		lines.Check != domain.LinesEqualNet || lines.Items[0].UnitPrice != "0.0175" ||
		lines.Items[1].Check != domain.RowAddsUp || lines.DocumentRevision != 1 {
		t.Errorf("%+v", lines)
	}

	env.reader.xml = withLines(invoiceXML("120.00", "L-2"),
		[4]string{"Screws", "2", "50", "100.00"}, [4]string{"Hidden", "1", "900", "900.00"})
	hidden := env.submit(sam, "hidden")
	env.drainQueue()
	env.requireState(hidden, domain.InReview, "review_l1")
	finding := env.finding(hidden, "line_sum_mismatch")
	if finding == nil || finding.Severity != domain.SeverityWarning ||
		!strings.Contains(finding.Message, "1000.00") {
		t.Errorf("found %v", env.findingRules(hidden))
	}

	env.reader.xml = invoiceXML("120.00", "L-3")
	without := env.submit(sam, "without")
	env.drainQueue()
	env.requireState(without, domain.Archived)
	if lines := env.lineItems(without); lines.Revision != 0 || len(lines.Items) > 0 {
		t.Errorf("%+v", lines)
	}
}

func (env *testEnv) lineItems(id domain.ID) domain.LineItems {
	env.t.Helper()
	lines, err := env.db.Reader().LineItems(env.ctx, id)
	must(env.t, err)
	return lines
}
