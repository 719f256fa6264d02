package extraction_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// A cover letter without a name precedes the invoice, so the vendor is on the second page.
func TestVendorBehindALetter(t *testing.T) {
	t.Parallel()
	letter := pageOfText(
		"Dear colleagues,\nplease find our bill on the next page.\nKind regards", domain.SourceText,
	)
	invoice := pageOfText(
		"Kiefer Workshop E GmbH\nLindenstrasse 12\nInvoice R-1\nTotal 12.00 EUR", domain.SourceText,
	)
	invoice.Number = 2
	vendor := ""
	for _, field := range extraction.Extract([]domain.Page{letter, invoice}, extraction.Hints{}) {
		if field.Name == domain.FieldVendor {
			vendor = field.Raw
		}
	}
	if vendor != "Kiefer Workshop E GmbH" {
		t.Errorf("the vendor is %q", vendor)
	}
}

// A name in a salutation is not the vendor.
func TestSalutationIsNoVendor(t *testing.T) {
	t.Parallel()
	for _, greeting := range []string{"Dear colleagues,", "Sehr geehrte Damen und Herren,",
		"Bonjour Madame,", "Hello team"} {
		page := strings.Join(
			[]string{
				greeting, "", "please find our bill below.", "", "Kiefer Workshop",
				"Lindenstrasse 12", "Total 12.00 EUR",
			},
			"\n",
		)
		for _, field := range extraction.Extract([]domain.Page{pageOfText(page, domain.SourceText)},
			extraction.Hints{}) {
			if field.Name == domain.FieldVendor && strings.HasPrefix(greeting, field.Raw) {
				t.Errorf("%q was read as the vendor", field.Raw)
			}
		}
	}
}

// An engine joins a legal form to the name or misreads it. Its letters are known, whatever was read.
func TestMisreadLegalForms(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]string{
		"ELMWOODPAPERSDNBHD":                  "ELMWOODPAPER SDN BHD",
		"ELMWOOD PAPER(KL)SDN EHD(139386X)":   "ELMWOOD PAPER (KL) SDN BHD",
		"ELMWOOD PAPER SDN EHI (822737-X)":    "ELMWOOD PAPER SDN BHD",
		"ELMWOOD PAPER SDN BIID":              "ELMWOOD PAPER SDN BHD",
		"Elmwood Paper Sdn.Rhd (317041-W)":    "Elmwood Paper Sdn.Bhd",
		"ELMWOOD MART S/D (519537-X)":         "ELMWOOD MART S/B",
		"JOHNSON PAPER BHD":                   "JOHNSON PAPER BHD",
		"ELMWOOD PAPER SDN BHD":               "ELMWOOD PAPER SDN BHD",
		"ELMWOOD PAPER SDN BHD (TOWN BRANCH)": "ELMWOOD PAPER SDN BHD (TOWN BRANCH)",
	} {
		got := fieldOf(domain.FieldVendor, pageOf(domain.SourceOCR, 0.99, printed, "12 ROAD, 10300 PENANG",
			"TAX INVOICE", "Date 12/03/2018", "Total RM 8.40"))
		if got.Normalised != want {
			t.Errorf("%s: %q, want %q", printed, got.Normalised, want)
		}
	}
}

// A name of which another engine read a word differently is not certain, even if that engine doubts
// its own reading. The legal form and the number in the register do not matter.
func TestNameReadDifferently(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		word, other string
		confidence  float64
		certain     bool
		want        string
	}{
		"alike":                        {"", "", 0, true, "ELMWOOD PAPER SDN BHD"},
		"a letter, with certainty":     {"PAPER", "PAPFR", 0.9, false, "ELMWOOD PAPER SDN BHD"},
		"a letter, with a doubt":       {"PAPER", "PAPFR", 0.1, false, "ELMWOOD PAPER SDN BHD"},
		"the legal form":               {"SDN", "SON", 0.9, true, "ELMWOOD PAPER SDN BHD"},
		"the number":                   {"(139386-X)", "(139886-X)", 0.1, true, "ELMWOOD PAPER SDN BHD"},
		"a digit in place of a letter": {"PAPER", "P9PER", 0.9, false, "ELMWOOD PAPER SDN BHD"},
	} {
		page := pageOf(domain.SourceOCR, 0.99, "ELMWOOD PAPER SDN BHD (139386-X)", "12 ROAD, 10300 PENANG",
			"TAX INVOICE", "Date 12/03/2018", "Total RM 8.40")
		for i, word := range page.Words {
			if word.Text == row.word {
				page.Words[i].Alternative, page.Words[i].AlternativeConfidence = row.other, row.confidence
			}
		}
		got := fieldOf(domain.FieldVendor, page)
		if got.Normalised != row.want || got.Confidence >= enough != row.certain {
			t.Errorf("%s: %q with %.2f", name, got.Normalised, got.Confidence)
		}
	}
}

// A word of letters is a better part of a name than one with a digit inside, but not a certain one.
func TestNameWithADigitInsideAWord(t *testing.T) {
	t.Parallel()
	page := pageOf(domain.SourceOCR, 0.99, "ELMWOOD P9PER SDN BHD", "12 ROAD, 10300 PENANG", "TAX INVOICE",
		"Total RM 8.40")
	page.Words[1].Alternative, page.Words[1].AlternativeConfidence = "PAPER", 0.9
	got := fieldOf(domain.FieldVendor, page)
	if got.Normalised != "ELMWOOD PAPER SDN BHD" || got.Raw != "ELMWOOD P9PER SDN BHD" ||
		got.Confidence >= enough {
		t.Errorf("%+v", got)
	}
}

// A name is certain only if the page decides which rows it has: a brand above the company in the same
// type may be its start, and of two names without a legal form each may be the one.
func TestNameThatThePageDoesNotDecide(t *testing.T) {
	t.Parallel()
	const small, large = 20, 34
	for name, row := range map[string]struct {
		first, second string
		height        int
		certain       bool
	}{
		"a company alone":                   {"12 ROAD, 10300 PENANG", "ELMWOOD PAPER SDN BHD", small, true},
		"a brand in the same type":          {"GREEN HERON", "ELMWOOD PAPER SDN BHD", small, false},
		"a brand in another type":           {"GREEN HERON", "ELMWOOD PAPER SDN BHD", large, true},
		"a heading in the same type":        {"TAX INVOICE", "ELMWOOD PAPER SDN BHD", small, true},
		"two names without a legal form":    {"GREEN HERON", "BISTRO AND CAFE", small, false},
		"a name without a legal form alone": {"GREEN HERON CAFE", "12 ROAD, 10300 PENANG", small, true},
	} {
		page := pageOf(domain.SourceOCR, 0.99, row.first, row.second, "12 ROAD, 10300 PENANG",
			"Date 12/03/2018", "Total RM 8.40")
		for i := range page.Words {
			if page.Words[i].Line == 0 {
				page.Words[i].Box.H = row.height
			}
		}
		got := fieldOf(domain.FieldVendor, page)
		if got.Confidence >= enough != row.certain {
			t.Errorf("%s: %q with %.2f", name, got.Normalised, got.Confidence)
		}
	}
}

// Engines lose the space before a bracket. A name of one word can be printed without.
func TestSpaceBeforeABracket(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"PERABOT HIJAU(KL) SDN BHD":  "PERABOT HIJAU (KL) SDN BHD",
		"PERABOT (KL)HIJAU SDN BHD":  "PERABOT (KL) HIJAU SDN BHD",
		"PERABOT HIJAU (KL) SDN BHD": "PERABOT HIJAU (KL) SDN BHD",
		"PERABOT(KL)":                "PERABOT(KL)",
		"H(S)O GmbH":                 "H(S)O GmbH",
	} {
		page := pageOfText(name+"\nLot 7, Jalan Kenanga\n81100 Johor Bahru\nTotal 12.00", domain.SourceOCR)
		for _, field := range extraction.Extract([]domain.Page{page}, extraction.Hints{}) {
			if field.Name == domain.FieldVendor && field.Normalised != want {
				t.Errorf("%q is read as %q", name, field.Normalised)
			}
		}
	}
}
