package extraction_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

func readReceipt(t *testing.T, text string) map[string]domain.Field {
	t.Helper()
	fields := map[string]domain.Field{}
	for _, field := range extraction.Extract([]domain.Page{pageOfText(text, domain.SourceOCR)},
		extraction.Hints{}) {
		fields[field.Name] = field
	}
	return fields
}

// Dates with misread letters or a lost separator are read, and those are not certain.
func TestDatesAreRepaired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		sure       bool
	}{
		{"DATE: 29 Mar 201818:19", "2018-03-29", true},
		{"DATE: 29Mar201818:19", "2018-03-29", true},
		{"DATE : 10 0CT 2017 TUE", "2017-10-10", false},
		{"01:34PM 568017 05 02-18", "2018-02-05", false},
		{"Date 14 Mar 2048 18:40", "2018-03-14", false},
		{"DATE: 29/03/2078 18:19", "2018-03-29", false},
		{"DATE: 29 Mbr 2018 18:19", "2018-03-29", false},
		{"DATE: 29 March 2018 18:19", "2018-03-29", true},
		{"DATE: Z9/03/2018 18:19", "2018-03-09", false},
		{"DATE9/03/2018 18:19", "2018-03-09", true},
		{"开票日期 2010年11月18日", "2010-11-18", true},
		{"开票日期 2010年11月1 8日", "2010-11-18", true},
		{"开票日期 2010年11月1日", "2010-11-01", false},
		{"REF 05 02 18", "", false},
		{"TOTAL 10 0.50 2017", "", false},
	} {
		got := readReceipt(t, "LUMEN MART SDN BHD\n"+c.text+"\nTotal RM 8.00")[domain.FieldDate]
		if got.Normalised != c.want || c.want != "" && (got.Confidence >= 0.6) != c.sure {
			t.Errorf("%q is the date %q with confidence %.2f, want %q, certain %t", c.text,
				got.Normalised, got.Confidence, c.want, c.sure)
		}
	}
}

// The total is read where signs are misread, and a tax, a postcode or a payment is not the total.
func TestTotalsOfReceipts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a dollar sign as S":      {"1 Soup $8.20\nTotal: S8.20\nCASH $8.20", "8.20"},
		"marks around the sign":   {"1 Soup 34.80\nTotal Incl. GST <RM.34.80\nCASH RM 100.00\nCHANGE RM 65.20", "34.80"},
		"half of the sign":        {"1 Soup RM7.90\nSub-Total RM7.90\nGrand Total M8.35\nCash RM10.50\nChange RM2.15", "8.35"},
		"a point with gaps":       {"Cake RM38.70\nCake RM12.60\nGrand Total RM51 . 30\nCash RM51.30", "51.30"},
		"a lost point":            {"1 Soup 30.45\nTotal Sales Inclusive GST 3045\nCash 50.00", "30.45"},
		"a lost point unproven":   {"1 Soup 12.00\nTotal 3045", "3045.00"},
		"before cash is rounded":  {"TOTAL RM1.38\nROUNDING RM0.02\nCASH RM1.40", "1.38"},
		"total of the tax":        {"1 Soup 29.15\nTotal 29.15\nTotalGST: 1.65\nCash 29.15", "29.15"},
		"total included tax":      {"1 Cake 25.15\nQty 9 25.15\nPay 25.15\n(Total Included GST @ 6%: 1.42)", "25.15"},
		"part of a price":         {"1 Cake 51.30\nGrand Total RM51.30\n(Bill Inclusive Of 6% GST : RM2.90)", "51.30"},
		"a sum in small writing":  {"合 计 ￥5999.00 ￥1019.83\n价税合计 （小写）￥7018.83", "7018.83"},
		"not a postcode":          {"TOTAL CITY 53100\n1 Soup 8.00\nTotal 8.00", "8.00"},
		"not a postcode, no sums": {"NO 3, JALAN TOTAL\n53100 KUALA LUMPUR\nThank you", ""},
	} {
		if got := readReceipt(t, "LUMEN CAFE\n"+c.text)[domain.FieldTotal].Normalised; got != c.want {
			t.Errorf("%s: the total is %q, want %q", name, got, c.want)
		}
	}
}

// A name in which letters and digits were replaced is read, and is not certain: no check digit and no
// sum confirms a letter. A legal form is one of few known words.
func TestRepairedNamesAreNotCertain(t *testing.T) {
	t.Parallel()
	certain := []string{"LUMEN MART SDN BHD", "LUMEN MART 5DN BHD", "LUMEN MART SDN 8HD"}
	for text, want := range map[string]string{
		"LUMEN MART SDN BHD":         "LUMEN MART SDN BHD",
		"KE0AI MAKAN SDN BHD":        "KEOAI MAKAN SDN BHD",
		"PASAR MINI TR1NITY SDN BHD": "PASAR MINI TRINITY SDN BHD",
		"D.1.Y. HOME SDN BHD":        "D.I.Y. HOME SDN BHD",
		"LUMEN MART 5DN BHD":         "LUMEN MART SDN BHD",
		"LUMEN MART SDN 8HD":         "LUMEN MART SDN BHD",
	} {
		got := readReceipt(t, text+"\nDATE: 29/03/2018\nTotal RM 8.00")[domain.FieldVendor]
		if got.Normalised != want || (got.Confidence >= 0.6) != slices.Contains(certain, text) {
			t.Errorf("%q is %q with confidence %.2f", text, got.Normalised, got.Confidence)
		}
	}
}
