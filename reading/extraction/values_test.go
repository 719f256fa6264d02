package extraction_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/reading/extraction"
)

func TestNormaliseStoresOneFormOfEachValue(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ field, value, currency, want string }{
		"text keeps its case":             {domain.FieldVendor, "Acme GmbH", "", "Acme GmbH"},
		"blanks of a text":                {domain.FieldVendor, "  Acme \t\n GmbH ", "", "Acme GmbH"},
		"a number keeps its zeros":        {domain.FieldNumber, "0042", "", "0042"},
		"a number with signs":             {domain.FieldNumber, "RE-2024/17", "", "RE-2024/17"},
		"an unknown field is a text":      {"cost_centre", " 4 711 ", "", "4 711"},
		"an amount":                       {domain.FieldTotal, "1234.56", "EUR", "1234.56"},
		"an amount of a continent":        {domain.FieldTotal, "1.234,56", "EUR", "1234.56"},
		"an amount of an island":          {domain.FieldTotal, "1,234.56", "GBP", "1234.56"},
		"an amount of lakhs":              {domain.FieldTotal, "12,34,567.00", "INR", "1234567.00"},
		"an amount without cents":         {domain.FieldNet, "1234", "EUR", "1234.00"},
		"an amount with one decimal":      {domain.FieldTax, "0.5", "EUR", "0.50"},
		"yen have no decimals":            {domain.FieldTotal, "1500", "JPY", "1500"},
		"dinars have three":               {domain.FieldTotal, "1.5", "KWD", "1.500"},
		"zero":                            {domain.FieldTax, "0", "EUR", "0.00"},
		"a credit note":                   {domain.FieldTotal, "-12.50", "EUR", "-12.50"},
		"a currency in lower case":        {domain.FieldCurrency, "eur", "", "EUR"},
		"a currency with blanks":          {domain.FieldCurrency, " usd ", "", "USD"},
		"an account in groups":            {domain.FieldIBAN, "de89 3704 0044 0532 0130 00", "", "DE89370400440532013000"},
		"a tax number with blanks":        {domain.FieldVATID, "de 136 695 976", "", "DE136695976"},
		"a country by its code":           {domain.FieldCountry, "de", "", "DE"},
		"a country by its name":           {domain.FieldCountry, "Germany", "", "DE"},
		"a country in Chinese":            {domain.FieldCountry, "德国", "", "DE"},
		"an ISO date":                     {domain.FieldDate, "2026-11-30", "", "2026-11-30"},
		"a date that cannot be swapped":   {domain.FieldDate, "30.11.2026", "", "2026-11-30"},
		"a date with a month in words":    {domain.FieldDueDate, "3 March 2026", "", "2026-03-03"},
		"a date of equal day and month":   {domain.FieldDate, "05/05/2026", "", "2026-05-05"},
		"a date in Chinese":               {domain.FieldDate, "2026年11月18日", "", "2026-11-18"},
		"a date with blanks around":       {domain.FieldDate, "  2026-11-30 ", "", "2026-11-30"},
		"a leap day":                      {domain.FieldDate, "2024-02-29", "", "2024-02-29"},
		"an empty text removes the value": {domain.FieldVendor, "   ", "", ""},
		"an empty account":                {domain.FieldIBAN, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := extraction.Normalise(tc.field, tc.value, tc.currency)
			if err != nil || got != tc.want {
				t.Errorf("%q is stored as %q, %v; want %q", tc.value, got, err, tc.want)
			}
		})
	}
}

// A guess about a date or an amount could move a deadline or a limit, so the reviewer is asked.
func TestNormaliseAsksInsteadOfGuessing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ field, value, currency, at string }{
		"day and month could be swapped":  {domain.FieldDate, "03/04/2026", "", domain.FieldDate},
		"with points":                     {domain.FieldDate, "3-4-2026", "", domain.FieldDate},
		"two dates":                       {domain.FieldDate, "2026-11-30 2026-12-01", "", domain.FieldDate},
		"words around a date":             {domain.FieldDate, "by 2026-11-30", "", domain.FieldDate},
		"words behind a date":             {domain.FieldDueDate, "2026-11-30 net", "", domain.FieldDueDate},
		"a day that does not exist":       {domain.FieldDate, "2026-02-30", "", domain.FieldDate},
		"a leap day of another year":      {domain.FieldDate, "2025-02-29", "", domain.FieldDate},
		"no date":                         {domain.FieldDate, "tomorrow", "", domain.FieldDate},
		"no year":                         {domain.FieldDate, "30.11.", "", domain.FieldDate},
		"thousands or decimals":           {domain.FieldTotal, "1.234", "EUR", domain.FieldTotal},
		"thousands or decimals, a comma":  {domain.FieldTotal, "1,234", "EUR", domain.FieldTotal},
		"more decimals than the currency": {domain.FieldNet, "1.2345", "EUR", domain.FieldNet},
		"decimals of a yen":               {domain.FieldTotal, "100.50", "JPY", domain.FieldTotal},
		"no number":                       {domain.FieldTax, "exempt", "EUR", domain.FieldTax},
		"a currency within the amount":    {domain.FieldTotal, "12 bananas", "EUR", domain.FieldTotal},
		"an amount without a currency":    {domain.FieldTotal, "12.50", "", domain.FieldCurrency},
		"a currency that is a word":       {domain.FieldCurrency, "Euro", "", domain.FieldCurrency},
		"a former currency":               {domain.FieldCurrency, "DEM", "", domain.FieldCurrency},
		"no currency":                     {domain.FieldCurrency, "", "", domain.FieldCurrency},
		"no country":                      {domain.FieldCountry, "Nowhere", "", domain.FieldCountry},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := extraction.Normalise(tc.field, tc.value, tc.currency)
			if !domain.HasCode(err, domain.InvalidInput) || got != "" {
				t.Fatalf("%q is stored as %q, %v", tc.value, got, err)
			}
			refusal := err.(*domain.Error)
			if refusal.Field != tc.at || !strings.HasSuffix(refusal.Error(), ".") {
				t.Errorf("%q: the error %q is at %q, want %q", tc.value, refusal, refusal.Field, tc.at)
			}
		})
	}
}

// A form shows the stored value and sends it back unchanged, which must not change it again.
func TestNormalisingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	values := map[string][]string{
		domain.FieldVendor: {"Acme  GmbH", " 中文 公司 ", "x"}, domain.FieldNumber: {"RE 17", "0-0"},
		domain.FieldIBAN:    {"gb82 west 1234 5698 7654 32", "X"},
		domain.FieldVATID:   {"atu 12345678", "DE 1"},
		domain.FieldCountry: {"France", "gb", "United States", "CN"},
		domain.FieldDate:    {"31/12/2025", "2 Jan 2026", "2026年1月2日"},
		domain.FieldTotal:   {"1.234,56", "1,234,567.8", "0.1", "-3", "1234"},
	}
	for field, texts := range values {
		for _, text := range texts {
			once, err := extraction.Normalise(field, text, "EUR")
			if err != nil {
				t.Errorf("%s %q: %v", field, text, err)
				continue
			}
			if twice, err := extraction.Normalise(field, once, "EUR"); err != nil || twice != once {
				t.Errorf("%s: %q is stored as %q, then as %q, %v", field, text, once, twice, err)
			}
		}
	}
}

func TestEveryISODateIsStoredAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0,
			rapid.IntRange(0, 50*365).Draw(t, "day")).Format(time.DateOnly)
		if got, err := extraction.Normalise(domain.FieldDate, day, ""); err != nil || got != day {
			t.Fatalf("%s is stored as %q, %v", day, got, err)
		}
	})
}

func TestEveryAmountIsStoredExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := domain.Money{Minor: rapid.Int64Range(0, domain.MaxMinor).Draw(t, "minor"),
			Currency: rapid.SampledFrom([]string{"EUR", "JPY", "USD"}).Draw(t, "currency")}
		got, err := extraction.Normalise(domain.FieldTotal, amount.Decimal(), amount.Currency)
		if err != nil || got != amount.Decimal() {
			t.Fatalf("%s is stored as %q, %v", amount, got, err)
		}
	})
}

// field is a read value for tests of Merge.
func field(name string, source domain.FieldSource, value string, confidence float64) domain.Field {
	return domain.Field{Name: name, Source: source, Raw: value, Normalised: value,
		Confidence: confidence}
}

func TestMergePrefersTheMoreTrustedSource(t *testing.T) {
	t.Parallel()
	sources := []domain.FieldSource{domain.SourceHuman, domain.SourceXML, domain.SourceText,
		domain.SourceOCR, domain.SourceLLM, domain.SourceDeclared}
	for i, better := range sources {
		for _, worse := range sources[i+1:] {
			first := field(domain.FieldTotal, better, "1.00", 0.1)
			second := field(domain.FieldTotal, worse, "2.00", 1)
			for _, lists := range [][][]domain.Field{{{first}, {second}}, {{second}, {first}}} {
				if got := extraction.Merge(lists...); len(got) != 1 || got[0].Source != better {
					t.Errorf("%s against %s: got %+v", better, worse, got)
				}
			}
		}
	}
}

func TestMergeOfOneSource(t *testing.T) {
	t.Parallel()
	unread := domain.Field{Name: domain.FieldDate, Source: domain.SourceOCR, Raw: "3l.ll.2026",
		Confidence: 0.99}
	read := field(domain.FieldDate, domain.SourceOCR, "2026-11-30", 0.4)
	surer := field(domain.FieldDate, domain.SourceOCR, "2026-11-29", 0.7)
	for name, tc := range map[string]struct {
		lists [][]domain.Field
		want  string
	}{
		"a value that was understood": {[][]domain.Field{{unread}, {read}}, "2026-11-30"},
		"in the other order":          {[][]domain.Field{{read}, {unread}}, "2026-11-30"},
		"the surer one":               {[][]domain.Field{{read}, {surer}}, "2026-11-29"},
		"in one list":                 {[][]domain.Field{{read, surer, unread}}, "2026-11-29"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := extraction.Merge(tc.lists...)
			if len(got) != 1 || got[0].Normalised != tc.want {
				t.Errorf("got %+v, want %s", got, tc.want)
			}
		})
	}
}

// The page shows the box of a value. An e-invoice has none, so it takes that of the same value on the
// page, and never that of another value.
func TestMergeTakesThePlaceOfTheSameValueOnly(t *testing.T) {
	t.Parallel()
	box := &domain.Box{X: 1, Y: 2, W: 3, H: 4}
	onPage := field(domain.FieldTotal, domain.SourceOCR, "119.00", 0.9)
	onPage.Page, onPage.Box = 2, box
	same := extraction.Merge([]domain.Field{field(domain.FieldTotal, domain.SourceXML, "119.00", 1)},
		[]domain.Field{onPage})
	if len(same) != 1 || same[0].Source != domain.SourceXML || same[0].Page != 2 ||
		same[0].Box == nil || *same[0].Box != *box {
		t.Errorf("the same value: %+v", same)
	}
	other := extraction.Merge([]domain.Field{field(domain.FieldTotal, domain.SourceXML, "911.00", 1)},
		[]domain.Field{onPage})
	if len(other) != 1 || other[0].Page != 0 || other[0].Box != nil {
		t.Errorf("another value: %+v", other)
	}
}

func TestMergeKeepsTheOrderOfTheForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(domain.FieldNames()), 1, 8,
			func(name string) string { return name }).Draw(t, "names")
		var fields []domain.Field
		for _, name := range names {
			fields = append(fields, field(name, domain.SourceText, "x", 1))
		}
		at := -1
		merged := extraction.Merge(fields)
		if len(merged) != len(names) {
			t.Fatalf("%d fields of %d", len(merged), len(names))
		}
		for _, one := range merged {
			for i, name := range domain.FieldNames() {
				if name == one.Name {
					if i < at {
						t.Fatalf("%s is out of order in %v", name, merged)
					}
					at = i
				}
			}
		}
	})
}

func TestMergeOfNothing(t *testing.T) {
	t.Parallel()
	if got := extraction.Merge(); got == nil || len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
