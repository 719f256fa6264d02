package extraction

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		milli    int64
		currency string
		weak     bool
	}{
		"12.50": {12500, "", false}, "12,50": {12500, "", false}, "1.234,56": {1234560, "", false},
		"1,234.56": {1234560, "", false},
		"1'234.50": {1234500, "", false}, "RM8.60": {8600, "MYR", false},
		"$9.20": {9200, "", false}, "€717,97": {717970, "EUR", false},
		"9.00)": {9000, "", false}, ":77.20": {77200, "", false}, "-5.00": {-5000, "", false},
		"5.00-": {-5000, "", false},
		"1,234": {1234000, "", true}, "1939": {1939000, "", true}, "174.9": {174900, "", true},
		"12.34EUR":      {12340, "EUR", false},
		"12,345,678.90": {12345678900, "", false}, "¥282.50": {282500, "", false},
	} {
		got, ok := parseAmount(text, "")
		if !ok || got.milli != want.milli || got.currency != want.currency ||
			got.uncertain != want.weak ||
			got.ambiguous {
			t.Errorf("%s: %+v ok %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "abc", "12/05", "10:22", "1.2.3", "21%", "A4", "NaN", "1e30",
		"99999999999999999.00", "--1.00"} {
		if got, ok := parseAmount(text, ""); ok && !got.uncertain {
			t.Errorf("%q became %+v", text, got)
		}
	}
}

// A word that starts like a month, followed by a price, is not a date.
func TestPricesAreNoDates(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Discount 1.00", "Marker 12.50", "Maintenance 25,50",
		"Decoration 10.20", "DISC 12.00", "Mais 1.20"} {
		if found := findDates(text, false); len(found) != 0 {
			t.Errorf("%s: %+v", text, found)
		}
	}
	for text, want := range map[string]string{"Dec 25, 2018": "2018-12-25",
		"Dec 25 18": "2018-12-25", "March 3. 2019": "2019-03-03", "Okt-04-17": "2017-10-04",
		"Jan 2.2018": "2018-01-02"} {
		if found := findDates(text, false); len(found) != 1 || found[0].iso != want {
			t.Errorf("%s: %+v, want %s", text, found, want)
		}
	}
}

func TestRepairAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"3.8C": "3.80", "1O.50": "10.50", "RMS.00": "RM5.00",
		"2S.90": "25.90"} {
		if got, ok := repairAmount(text); !ok || got != want {
			t.Errorf("%s: %q %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "SOS.OS", "hello.So", "12.50x7", "B.C"} {
		if got, ok := repairAmount(text); ok && got != text {
			t.Errorf("%q was mended to %q", text, got)
		}
	}
}

// Every amount in a usual format is parsed to the same value.
func TestAmountsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Range(0, 99_999_999_999).Draw(t, "minor")
		style := rapid.SampledFrom([][2]string{{",", "."}, {".", ","}, {"'", "."}, {"", "."},
			{"", ","}}).
			Draw(t, "style")
		text := grouped(minor/100, style[0]) + style[1] + fmt.Sprintf("%02d", minor%100)
		got, ok := parseAmount(
			rapid.SampledFrom([]string{"", "RM", "€", "$", "("}).Draw(t, "before")+text, "",
		)
		if !ok || got.uncertain || got.ambiguous || got.milli != minor*10 {
			t.Fatalf("%s became %+v (ok %v)", text, got, ok)
		}
	})
}

func grouped(whole int64, separator string) string {
	text := fmt.Sprint(whole)
	if separator == "" {
		return text
	}
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + separator + text[at:]
	}
	return text
}

func TestFindDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"25/12/2018 8:13:39 PM": "2018-12-25", "03 MAR 2018": "2018-03-03",
		"24 MAR 18": "2018-03-24", "14/JUN/2017": "2017-06-14",
		"OCT 3, 2016": "2016-10-03", "19-03-18": "2018-03-19", "7. Mai 2014": "2014-05-07",
		"19 april 2014":   "2014-04-19",
		"5 novembre 2017": "2017-11-05", "2020-11-21": "2020-11-21", "2010年11月18日": "2010-11-18",
		"8-9-2022":              "2022-09-08",
		"on March 3rd, 2018 at": "2018-03-03", "14.05.2018": "2018-05-14", "6/4/2018": "2018-04-06",
		"12/31/2017":  "2017-12-31",
		"14/dun/2017": "2017-06-14", "22/03/2078": "2018-03-22", "3. März 2024": "2024-03-03",
		"25/12/20188:13": "2018-12-25",
	} {
		found := findDates(text, false)
		if len(found) != 1 || found[0].iso != want {
			t.Errorf("%q: %+v, want %s", text, found, want)
		}
	}
	for _, text := range []string{"", "31/02/2018", "99 SPEED MART", "1.234,56", "10:22:33",
		"Tel 03-4162-2318", "12/2018", "NO.53 55,57", "0/0/0"} {
		if found := findDates(text, false); len(found) != 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
	if found := findDates("03/04/2025", true); found[0].iso != "2025-03-04" || !found[0].ambiguous {
		t.Errorf("month first: %+v", found)
	}
}

// Every day between 1990 and 2050 is parsed from each of the usual formats.
func TestDatesComeBack(t *testing.T) {
	t.Parallel()
	shapes := []string{
		"02/01/2006", "2-1-2006", "02.01.2006", "2006-01-02", "2 Jan 2006", "02 January 2006",
		"Jan 2, 2006", "2006年1月2日", "02-Jan-2006",
	}
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).
			AddDate(0, 0, rapid.IntRange(0, 60*365).Draw(t, "day"))
		text := "on " + day.Format(rapid.SampledFrom(shapes).Draw(t, "shape")) + " at noon"
		found := findDates(text, false)
		if len(found) != 1 || found[0].iso != day.Format(time.DateOnly) {
			t.Fatalf("%q: %+v", text, found)
		}
		if shown := text[found[0].from:found[0].to]; !strings.Contains(
			shown, fmt.Sprint(day.Year()),
		) {
			t.Fatalf("%q: marked %q", text, shown)
		}
	})
}

var accounts = []string{
	"DE89370400440532013000", "NL91ABNA0417164300", "GB82WEST12345698765432",
	"FR1420041010050500013M02606", "AT611904300234573201", "BE68539007547034",
	"CH9300762011623852957", "ES9121000418450200051332",
}

func TestIBANIsRepaired(t *testing.T) {
	t.Parallel()
	for _, account := range accounts {
		if !ValidIBAN(account) {
			t.Errorf("%s is valid", account)
		}
	}
	for spoiled, want := range map[string]string{
		"DE8937O4OO440532013000": "DE89370400440532013000",
		"DE893704004405320I3000": "DE89370400440532013000",
		"NL91A8NA0417164300":     "NL91ABNA0417164300", "NL91ABNAO417164300": "NL91ABNA0417164300",
		"AT6119O4300234S73201": "AT611904300234573201",
	} {
		if got, ok := repairIBAN(spoiled); !ok || got != want {
			t.Errorf("%s: %s %v", spoiled, got, ok)
		}
	}
}

// An IBAN with one wrong digit or two swapped digits is never valid.
func TestIBANChecksDigits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		account := []byte(rapid.SampledFrom(accounts).Draw(t, "account"))
		at := rapid.IntRange(4, len(account)-2).Draw(t, "at")
		spoiled := append([]byte{}, account...)
		if rapid.Bool().Draw(t, "swap") {
			spoiled[at], spoiled[at+1] = spoiled[at+1], spoiled[at]
		} else {
			spoiled[at] = "0123456789ABCXYZ"[rapid.IntRange(0, 15).Draw(t, "other")]
		}
		if string(spoiled) != string(account) && spoiled[at] != account[at] &&
			isDigit(spoiled[at]) == isDigit(account[at]) &&
			ValidIBAN(string(spoiled)) {
			t.Fatalf("%s passes for %s", spoiled, account)
		}
	})
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func TestExact(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]string{
		{"1234.5", "EUR"}: "1234.50", {"1234.500", "EUR"}: "1234.50", {"-8.79", "EUR"}: "-8.79",
		{"300", "EUR"}: "300.00", {"100", "JPY"}: "100",
		{"100.00", "JPY"}: "100", {"100.5", "JPY"}: "", {"1.234", "KWD"}: "1.234",
		{"1.234", "EUR"}: "", {"1,5", "EUR"}: "", {"NaN", "EUR"}: "",
		{"", "EUR"}: "", {"007.10", "EUR"}: "7.10", {"12.30", ""}: "12.30",
		{"9999999999999999999", "EUR"}: "", {"+1.00", "EUR"}: "1.00",
	} {
		if got := exactDecimal(in[0], in[1]); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]role{
		"total": roleTotal, "grand total :": roleGrand, "total incl. gst @6%": roleGrand,
		"sub total": roleSub, "subtotaal": roleSub,
		"gst @6%": roleTax, "gst @6% included in total rm": roleTax, "cash": rolePaid,
		"change": roleChange, "rounding adj": roleOther,
		"total saving": roleOther, "total qty": roleOther, "gesamtbetrag": roleGrand,
		"nettobetrag": roleNet, "total ht": roleNet, "total ttc": roleGrand,
		"价税合计(": roleGrand, "税额": roleTax, "amount due": roleDue, "zahlbetrag": roleDue,
		"exclusief btw": roleNet, "blue pens": roleNone,
		"total 6% supplies (inc. gst):": roleSub, "rounded total (rm)": roleGrand, "": roleNone,
	} {
		if got := labelRole(label); got != want {
			t.Errorf("%q: %d, want %d", label, got, want)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"12.50", "RM1,234.56", "1.234,56-", "€", "9.9.9", "O.0O", "٣.١٤",
		"1\xff2.00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, ok := parseAmount(text, "")
		if ok && !found.uncertain && len(onlyDigits(text)) > 14 {
			t.Errorf("%q became %+v", text, found)
		}
		if mended, ok := repairAmount(text); ok {
			if _, ok := parseAmount(mended, ""); !ok {
				t.Errorf("%q was mended to %q, which is no amount", text, mended)
			}
		}
	})
}

func FuzzFindDates(f *testing.F) {
	for _, seed := range []string{"25/12/2018", "03 MAR 2018 1/1/19", "2010年11月18日", "OCT 3, 2016",
		"1/2/3/4/5", "00.00.00", "ÿ1-1-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, monthFirst := range []bool{false, true} {
			for _, date := range findDates(text, monthFirst) {
				if _, err := time.Parse(time.DateOnly, date.iso); err != nil || date.from < 0 ||
					date.to > len(text) ||
					date.from >= date.to {
					t.Errorf("%q: %+v %v", text, date, err)
				}
			}
		}
		if repaired := repairDates(text); len(repaired) != len(text) {
			t.Errorf("%q changed its length", text)
		}
	})
}

func FuzzFromXML(f *testing.F) {
	f.Add(
		[]byte(
			`<rsm:CrossIndustryInvoice xmlns:rsm="x"><ExchangedDocument><ID>1</ID></ExchangedDocument></rsm:CrossIndustryInvoice>`,
		),
	)
	f.Add(
		[]byte(
			`<Invoice><ID>1</ID><LegalMonetaryTotal><PayableAmount>1.5</PayableAmount></LegalMonetaryTotal></Invoice>`,
		),
	)
	f.Add([]byte("<?xml version='1.0' encoding='latin1'?><Invoice><ID>\xe4</ID></Invoice>"))
	f.Add([]byte("\ufeff<CrossIndustryDocument/>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fields, err := FromXML(text)
		if err != nil && !domain.HasCode(err, domain.DamagedFile) &&
			!domain.HasCode(err, domain.UnsupportedFile) {
			t.Errorf("untyped: %v", err)
		}
		for _, field := range fields {
			if field.Raw == "" || field.Source != domain.SourceXML {
				t.Errorf("%+v", field)
			}
		}
	})
}

// FuzzExtract splits bytes into words at lines and spaces, with positions in order.
func FuzzExtract(f *testing.F) {
	f.Add(
		[]byte(
			"ACME LTD\nInvoice No: 17\nDate 03/04/2025\nTotal RM 12.50\nCash 20.00\nChange 7.50",
		),
		true,
	)
	f.Add([]byte("GmbH\nIBAN DE89 3704 0044 0532 0130 00\nSumme 1.234,56 EUR"), false)
	f.Add([]byte("合计 ¥250.00\n价税合计 282.50\n2024年06月18日"), true)
	f.Fuzz(func(t *testing.T, text []byte, seen bool) {
		page := domain.Page{Number: 1, Width: 2000, Height: 3000, Source: domain.SourceText}
		if seen {
			page.Source = domain.SourceOCR
		}
		for y, line := range strings.Split(string(text), "\n") {
			for x, piece := range strings.Fields(line) {
				page.Words = append(page.Words, domain.Word{Text: piece, Line: y, Confidence: 0.9,
					Box: domain.Box{
						X: 20 + 150*x, Y: 20 + 30*y, W: 8 * min(len(piece), 18), H: 20,
					}})
			}
		}
		for _, field := range Extract([]domain.Page{page}, Hints{}) {
			if !(field.Confidence >= 0 && field.Confidence <= 1) || !field.Grounded ||
				field.Box == nil ||
				field.Page != 1 {
				t.Errorf("%+v", field)
			}
		}
	})
}
