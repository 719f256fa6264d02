package extraction_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/reading/extraction"
)

// printedInvoice is a document with line items and a closing block, with all amounts right-aligned
// in one column.
type printedInvoice struct {
	lines  []int64
	block  []labelled
	source domain.FieldSource
}

type labelled struct {
	label string
	minor int64
}

func decimal(minor int64) string {
	if minor < 0 {
		return "-" + decimal(-minor)
	}
	return fmt.Sprintf("%d.%02d", minor/100, minor%100)
}

func (p printedInvoice) page() domain.Page {
	text := []string{
		"Quick Print Studio", "Invoice number: QP-2026-1005", "Invoice date: 2026-11-14",
		"Currency: GBP", "",
	}
	for i, minor := range p.lines {
		text = append(
			text, fmt.Sprintf("%-40s%20s", "Brochure of kind "+string(rune('A'+i)), decimal(minor)),
		)
	}
	text = append(text, "")
	for _, row := range p.block {
		text = append(text, fmt.Sprintf("%40s%20s", row.label, decimal(row.minor)))
	}
	return pageOfText(strings.Join(text, "\n"), p.source)
}

// extracted returns the extracted net, tax and total in minor units, and whether net and tax have a
// high confidence.
func (p printedInvoice) extracted() (net, tax, total int64, sure bool) {
	fields := map[string]domain.Field{}
	for _, field := range extraction.Extract([]domain.Page{p.page()}, extraction.Hints{}) {
		fields[field.Name] = field
	}
	minor := func(name string) int64 {
		amount, err := domain.ParseMoney(fields[name].Normalised, "GBP")
		if err != nil {
			return 0
		}
		return amount.Minor
	}
	sure = fields[domain.FieldNet].Confidence >= 0.6 && fields[domain.FieldTax].Confidence >= 0.6
	return minor(domain.FieldNet), minor(domain.FieldTax), minor(domain.FieldTotal), sure
}

func sum(list []int64) (all int64) {
	for _, one := range list {
		all += one
	}
	return all
}

// If no amounts add up to the total, net and tax are returned with high confidence, so that the
// rules report the mismatch.
func TestTotalsThatNothingAddsUpTo(t *testing.T) {
	t.Parallel()
	lines := []int64{71000, 39000}
	for name, c := range map[string]struct {
		block []labelled
		shown bool // net and tax do not add up to the total
	}{
		"a misprint": {[]labelled{{"Subtotal", 110000}, {"VAT 20%", 22000},
			{"Total", 142000}}, true},
		"a misprint, German": {[]labelled{{"Nettobetrag", 110000}, {"MwSt 20%", 22000},
			{"Rechnungsbetrag", 142000}}, true},
		"a misprint, printed twice": {[]labelled{{"Subtotal", 110000}, {"VAT 20%", 22000},
			{"Total", 142000}, {"Amount due", 142000}}, true},
		"two digits swapped": {[]labelled{{"Subtotal", 110000}, {"VAT 20%", 22000},
			{"Total", 123000}}, true},
		"sums agree": {[]labelled{{"Subtotal", 110000}, {"VAT 20%", 22000},
			{"Total", 132000}}, false},
		"freight explains it": {[]labelled{{"Subtotal", 110000}, {"Freight", 10000},
			{"VAT 20%", 22000}, {"Total", 142000}}, false},
		"a discount explains it": {[]labelled{{"Subtotal", 110000}, {"Discount", 10000},
			{"VAT 20%", 22000}, {"Total", 122000}}, false},
		"a deposit explains it": {[]labelled{{"Subtotal", 110000}, {"VAT 20%", 22000},
			{"Deposit paid", -50000}, {"Amount due", 82000}}, false},
		"two taxes explain it": {[]labelled{{"Subtotal", 110000}, {"VAT 20%", 22000},
			{"VAT 5%", 5500}, {"Total", 137500}}, false},
		"the tax is included": {[]labelled{{"Subtotal", 110000},
			{"VAT included in total", 18333}, {"Total", 110000}}, false},
		"the total is in round cents": {[]labelled{{"Subtotal", 110002}, {"VAT 20%", 22001},
			{"Total", 132005}}, false},
		"there is no tax": {[]labelled{{"Subtotal", 110000}, {"Total", 142000}}, false},
	} {
		for _, source := range []domain.FieldSource{domain.SourceText, domain.SourceOCR} {
			net, tax, total, sure := printedInvoice{lines, c.block, source}.extracted()
			off := total - net - tax
			if shown := sure && (off > 5 || off < -5); shown != c.shown {
				t.Errorf(
					"%s (%s): net %d, tax %d, total %d, sure %t", name, source, net, tax, total,
					sure,
				)
			}
		}
	}
}

// If some printed amounts add up to the total, no other net and tax are returned with high
// confidence.
func TestExplainedTotalsAreNotReported(t *testing.T) {
	t.Parallel()
	labels := []string{
		"Freight", "Discount", "Shipping", "Deposit", "VAT 5%", "Service", "Rounding", "Subtotal",
		"Points", "Paid",
	}
	rapid.Check(t, func(t *rapid.T) {
		p := printedInvoice{
			lines: rapid.SliceOfN(rapid.Int64Range(1, 500_000), 1, 6).Draw(t, "lines"),
			source: rapid.SampledFrom([]domain.FieldSource{domain.SourceText, domain.SourceOCR}).
				Draw(t, "source"),
		}
		net := sum(p.lines)
		tax := 1 + net*rapid.Int64Range(1, 25).Draw(t, "rate")/100
		p.block = []labelled{{"Subtotal", net}, {"VAT 20%", tax}}
		for range rapid.IntRange(0, 3).Draw(t, "others") {
			p.block = append(
				p.block,
				labelled{
					rapid.SampledFrom(labels).Draw(t, "label"),
					rapid.Int64Range(1, 100_000).Draw(t, "other"),
				},
			)
		}
		amounts := append([]int64{}, p.lines...)
		for _, row := range p.block {
			amounts = append(amounts, row.minor)
		}
		// The total is a sum of two to four amounts, or of all line items and one or two
		// others.
		var total int64
		fewest, most := 2, 4
		if rapid.Bool().Draw(t, "all lines") {
			total, fewest, most, amounts = net, 1, 2, amounts[len(p.lines):]
		}
		for _, at := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(amounts)-1), fewest,
			min(most, len(amounts)), rapid.ID[int]).Draw(t, "parts") {
			total += amounts[at]
		}
		p.block = append(p.block, labelled{"Total", total})
		readNet, readTax, readTotal, sure := p.extracted()
		if off := readTotal - readNet - readTax; sure && readTotal == total &&
			(off > 5 || off < -5) {
			t.Fatalf(
				"total %d is a sum of what is printed, yet net %d and tax %d are reported:\n%s", total,
				readNet, readTax, p.page().Text,
			)
		}
	})
}

// A misprint in a simple closing block is reported if no sum of the printed amounts equals the
// total.
func TestMisprintsAreShown(t *testing.T) {
	t.Parallel()
	const drawn = 300 // so many that a share of nine in ten is no matter of chance
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	shown := 0
	for range drawn {
		p := printedInvoice{source: domain.SourceText}
		for range 1 + random.IntN(5) {
			p.lines = append(p.lines, 100+random.Int64N(499_901))
		}
		net := sum(p.lines)
		tax := net / 5
		off := 10 + random.Int64N(net/2+11)
		p.block = []labelled{{"Subtotal", net}, {"VAT 20%", tax}, {"Total", net + tax + off}}
		readNet, readTax, readTotal, sure := p.extracted()
		if sure && readTotal == net+tax+off && readNet == net && readTax == tax {
			shown++
		}
	}
	if shown*100 < drawn*90 {
		t.Errorf("of %d misprints %d are shown, want nine in ten", drawn, shown)
	}
	t.Logf("seed %d: %d of %d misprints are shown", seed, shown, drawn)
}
