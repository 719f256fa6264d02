package extraction_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// enough is the confidence from which the built-in processes pass a value without a person.
const enough = 0.6

// pageOf returns a page with the lines; every word has a box and the confidence.
func pageOf(source domain.FieldSource, confidence float64, lines ...string) domain.Page {
	page := domain.Page{Number: 1, Width: 1000, Height: 1400, Source: source,
		Text: strings.Join(lines, "\n")}
	for i, line := range lines {
		x := 50
		for _, text := range strings.Fields(line) {
			page.Words = append(page.Words, domain.Word{Text: text, Confidence: confidence, Line: i,
				Box: domain.Box{X: x, Y: 50 + 30*i, W: 12 * len(text), H: 20}})
			x += 12*len(text) + 12
		}
	}
	return page
}

func fieldOf(name string, page domain.Page) domain.Field {
	for _, field := range extraction.Extract([]domain.Page{page}, extraction.Hints{}) {
		if field.Name == name {
			return field
		}
	}
	return domain.Field{}
}

// A recognised total is confident only if the page confirms it, because the engine gives a misread
// digit the same confidence as a right one.
func TestTotalIsConfirmedByThePage(t *testing.T) {
	t.Parallel()
	top := []string{"BLUE RIVER TRADING SDN BHD", "RECEIPT", "Date 12/03/2018"}
	for name, row := range map[string]struct {
		lines   []string
		source  domain.FieldSource
		certain bool
	}{
		"alone":                   {[]string{"Total RM 8.40"}, domain.SourceOCR, false},
		"alone in a text layer":   {[]string{"Total RM 8.40"}, domain.SourceText, true},
		"printed twice":           {[]string{"Subtotal RM 8.40", "Total RM 8.40"}, domain.SourceOCR, true},
		"paid exactly":            {[]string{"Total RM 8.40", "Cash RM 8.40"}, domain.SourceOCR, true},
		"paid with change":        {[]string{"Total RM 8.60", "Cash RM 20.00", "Change RM 11.40"}, domain.SourceOCR, true},
		"contradicted by payment": {[]string{"Total RM 8.40", "Cash RM 20.00", "Change RM 11.40"}, domain.SourceOCR, false},
		"contradicted though twice": {[]string{"Subtotal RM 8.40", "Total RM 8.40", "Cash RM 20.00",
			"Change RM 11.40"}, domain.SourceOCR, false},
		"contradicted in a text layer": {[]string{"Total RM 8.40", "Cash RM 20.00",
			"Change RM 11.40"}, domain.SourceText, false},
		"net and tax": {[]string{"Net total excl. GST 100.00", "GST 6.00", "Total RM 106.00"},
			domain.SourceOCR, true},
	} {
		field := fieldOf(domain.FieldTotal, pageOf(row.source, 0.97, append(top, row.lines...)...))
		if field.Normalised == "" || (field.Confidence >= enough) != row.certain {
			t.Errorf("%s: %s with confidence %.2f", name, field.Normalised, field.Confidence)
		}
	}
}

// A currency that only follows from a place, or from a sign that several currencies share, is not
// written on the page.
func TestCurrencyIsWrittenOrInferred(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lines []string
		code  string
		fine  bool
	}{
		"a code":            {[]string{"Total MYR 174.90"}, "MYR", true},
		"a sign of its own": {[]string{"Net RM 165.00", "Total RM 174.90"}, "MYR", true},
		"a place":           {[]string{"12 Jalan Besar", "50450 Kuala Lumpur", "Total 174.90"}, "MYR", false},
		"a shared sign":     {[]string{"Total $174.90"}, "USD", false},
	} {
		field := fieldOf(domain.FieldCurrency, pageOf(domain.SourceOCR, 0.97, row.lines...))
		if field.Normalised != row.code ||
			(field.Grounded && field.Confidence >= enough) != row.fine {
			t.Errorf("%s: %+v", name, field)
		}
	}
}

func TestMisreadNames(t *testing.T) {
	t.Parallel()
	rest := []string{"12 Jalan Besar", "RECEIPT", "Date 12/03/2018", "Total RM 8.40"}
	for name, certain := range map[string]bool{
		"GREEN HILL STATIONERY SDN BHD":    true,
		"Green Hill Stationery Sdn Bhd":    true,
		"MR. D.1.¥. (M) SDN BHD":           false,
		"CO. (M) SDN BHD":                  false,
		"GREEN HILL sTAtlONERY SDN BHD":    false,
		"GREEN HILL STATIONERY (K SDN BHD": false,
	} {
		field := fieldOf(domain.FieldVendor,
			pageOf(domain.SourceOCR, 0.96, append([]string{name}, rest...)...))
		if (field.Confidence >= enough) != certain {
			t.Errorf("%s: %q with confidence %.2f", name, field.Normalised, field.Confidence)
		}
	}
	page := pageOf(domain.SourceOCR, 0.96, append([]string{"GREEN HILL STATIONERY SDN BHD"},
		rest...)...)
	page.Words[1].Confidence = 0.3
	if field := fieldOf(domain.FieldVendor, page); field.Confidence >= enough {
		t.Errorf("one doubtful word leaves %.2f", field.Confidence)
	}
}

// Two dates that differ in one digit are one date that was misread once.
func TestDatesThatDifferInOneDigit(t *testing.T) {
	t.Parallel()
	for second, certain := range map[string]bool{"11-06-2018 12:52": false, "11-08-2018 12:52": true} {
		field := fieldOf(domain.FieldDate, pageOf(domain.SourceOCR, 0.72, "GREEN HILL SDN BHD",
			"Date: 11-08-2018 12:51", "Total RM 8.40", "Closed "+second))
		if (field.Confidence >= enough) != certain {
			t.Errorf("beside %s: %.2f", second, field.Confidence)
		}
	}
}

// Two engines that read the total alike confirm it as well. An engine that did not read it, or read
// something else, does not, and a payment that contradicts the total counts more.
func TestTotalIsConfirmedByTwoEngines(t *testing.T) {
	t.Parallel()
	lines := []string{"BLUE RIVER TRADING SDN BHD", "RECEIPT", "Date 12/03/2018", "Total RM 8.40"}
	for name, row := range map[string]struct {
		engine      string
		confidence  float64
		alternative string
		paid        string
		certain     bool
	}{
		"one engine":                   {"ppocr", 0.99, "", "", false},
		"two engines":                  {"both", 0.99, "", "", true},
		"two that read different":      {"both", 0.99, "8.10", "", false},
		"different, without certainty": {"both", 0.99, "B.1O", "", false},
		"only one of two read it":      {"both", 0.3, "", "", false},
		"two that were not compared":   {"both", 0.7, "", "", false},
		"a contradicting payment":      {"both", 0.99, "", "Cash RM 9.00", false},
	} {
		page := pageOf(domain.SourceOCR, 0.99, append(lines, row.paid)...)
		page.Engine = row.engine
		for i := range page.Words {
			if word := &page.Words[i]; word.Text == "8.40" {
				word.Confidence, word.Alternative = row.confidence, row.alternative
			}
		}
		got := fieldOf(domain.FieldTotal, page)
		if got.Normalised != "8.40" || got.Confidence >= enough != row.certain {
			t.Errorf("%s: %s with %.2f", name, got.Normalised, got.Confidence)
		}
	}
}
