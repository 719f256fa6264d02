package country_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"pgregory.net/rapid"

	"countersign/domain/country"
)

func TestParseKnowsNames(t *testing.T) {
	t.Parallel()
	for want, texts := range named {
		for _, text := range texts {
			if code, ok := country.Parse(text); code != want || !ok {
				t.Errorf("Parse(%q) = %q %t, want %q", text, code, ok, want)
			}
		}
	}
}

func TestParseTakesNoHints(t *testing.T) {
	t.Parallel()
	for _, text := range unnamed {
		if code, ok := country.Parse(text); code != "" || ok {
			t.Errorf("Parse(%q) = %q, want nothing", text, code)
		}
	}
}

func TestInAddress(t *testing.T) {
	t.Parallel()
	for want, texts := range addressed {
		for _, text := range texts {
			lines := strings.Split(text, ";")
			code, line := country.InAddress(lines)
			if code != want || line < 0 || line >= len(lines) {
				t.Errorf("InAddress(%q) = %q in line %d, want %q", lines, code, line, want)
			}
		}
	}
}

func TestInAddressTakesNoHints(t *testing.T) {
	t.Parallel()
	for _, text := range unaddressed {
		if code, line := country.InAddress(strings.Split(text, ";")); code != "" || line != -1 {
			t.Errorf("InAddress(%q) = %q in line %d, want nothing", text, code, line)
		}
	}
}

// regions are the current countries of ISO 3166-1 as the library of CLDR has them.
func regions() []language.Region {
	reserved := " AC AN CP CQ CS DG EA EZ FQ IC NT PC SU TA UN YU "
	var all []language.Region
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			region, err := language.ParseRegion(code)
			if err == nil && region.IsCountry() && region.String() == code &&
				region.Canonicalize() == region && !strings.Contains(reserved, " "+code+" ") {
				all = append(all, region)
			}
		}
	}
	return all
}

// Every region is known, by its codes and by its names in six languages; so no two share a name.
func TestEveryRegionIsKnown(t *testing.T) {
	t.Parallel()
	all := regions()
	if len(all) != 250 {
		t.Fatalf("%d regions, want 249 of ISO and XK", len(all))
	}
	known := map[string]bool{}
	for _, region := range all {
		code := region.String()
		known[code] = true
		names := []string{code, strings.ToLower(code), region.ISO3()}
		for _, dictionary := range []*display.Dictionary{display.English, display.German,
			display.French, display.Spanish, display.SimplifiedChinese,
			display.TraditionalChinese} {
			name := dictionary.Regions().Name(region)
			names = append(names, name, strings.ToUpper(name), "  "+name+". ")
		}
		for _, name := range names {
			if got, ok := country.Parse(name); got != code || !ok {
				t.Errorf("Parse(%q) = %q, want %q", name, got, code)
			}
		}
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if code := string(a) + string(b); country.Known(code) != known[code] {
				t.Errorf("Known(%q) = %t", code, country.Known(code))
			}
		}
	}
}

// A name after a comma and a town counts, a name followed by another word does not.
func TestPlaces(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(regions(), func(region language.Region) bool { // names that need more
		name := display.English.Regions().Name(region)
		return strings.Contains(name, "(") || name == "Georgia"
	})
	rapid.Check(t, func(t *rapid.T) {
		region := rapid.SampledFrom(all).Draw(t, "region")
		name := display.English.Regions().Name(region)
		town := rapid.SampledFrom([]string{"Xyzville", "Qqtown", "12 Abc Street"}).Draw(t, "town")
		if got, _ := country.Parse(town + ", " + name); got != region.String() {
			t.Fatalf("Parse(%q) = %q", town+", "+name, got)
		}
		if got, _ := country.InAddress([]string{town, "12345 Xyzville", name}); got !=
			region.String() {
			t.Fatalf("%q on the last line is %q", name, got)
		}
		word := rapid.SampledFrom([]string{"Street", "Ltd", "Avenue", "Garage"}).Draw(t, "word")
		if got, ok := country.Parse(name + " " + word); ok {
			t.Fatalf("Parse(%q) = %q", name+" "+word, got)
		}
		if got, _ := country.InAddress([]string{"12345 Xyzville", name + " " + word}); got != "" {
			t.Fatalf("%q is %q", name+" "+word, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range append([]string{"Iran, Islamic Republic of", "中国上海市", "U. S. A.",
		"\xff, Iran", "Ⅳ", "İ"}, unnamed[:40]...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, ok := country.Parse(text)
		if ok != (code != "") || ok && !country.Known(code) {
			t.Fatalf("Parse(%q) = %q %t", text, code, ok)
		}
		if again, _ := country.Parse(" " + text + " "); again != code && utf8.ValidString(text) {
			t.Fatalf("with spaces around %q is %q, not %q", text, again, code)
		}
		lines := strings.Split(text, "\n")
		found, line := country.InAddress(lines)
		if (found == "") != (line == -1) || found != "" && !country.Known(found) ||
			line >= len(lines) {
			t.Fatalf("InAddress(%q) = %q in line %d", lines, found, line)
		}
		for _, of := range []func(string) (string, bool){country.OfIBAN, country.OfBIC,
			country.OfTaxID} {
			if code, ok := of(text); ok != (code != "") || ok && !country.Known(code) {
				t.Fatalf("%q has the country %q %t", text, code, ok)
			}
		}
	})
}
