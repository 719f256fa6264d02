package country

import (
	_ "embed" // the table of countries
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

//go:embed countries.tsv
var countriesText string

// dictionaries are the languages whose CLDR names are known.
var dictionaries = []*display.Dictionary{display.English, display.SimplifiedChinese,
	display.TraditionalChinese, display.German, display.French, display.Spanish}

// table holds all countries by code and by folded name.
type table struct {
	known map[string]bool            // alpha-2
	three map[string]string          // alpha-3 to alpha-2
	names map[string]string          // folded name to alpha-2; "" if two countries share it
	towns map[string]map[string]bool // alpha-2 to its folded cities
	// longest is the number of bytes of the longest folded name.
	longest int
}

// countries returns the table, which the first call builds.
var countries = sync.OnceValue(func() *table {
	t := &table{known: map[string]bool{}, three: map[string]string{},
		names: map[string]string{}, towns: map[string]map[string]bool{}}
	own := map[string]bool{}
	for _, row := range tableRows() {
		t.known[row.code], t.three[row.alpha3] = true, row.code
		t.towns[row.code] = map[string]bool{}
		for _, town := range row.towns {
			t.towns[row.code][fold(town)] = true
		}
		for _, name := range row.names {
			for _, form := range forms(name) {
				t.add(form, row.code)
				own[form] = true
			}
		}
	}
	for code := range t.known { // a name of the table has priority over one of CLDR
		for _, name := range cldrNames(code) {
			for _, form := range forms(name) {
				if !own[form] {
					t.add(form, code)
				}
			}
		}
	}
	return t
})

func (t *table) add(form, code string) {
	if before, ok := t.names[form]; ok && before != code {
		code = ""
	}
	t.names[form] = code
	t.longest = max(t.longest, len(form))
}

// tableRow is one country of the embedded table.
type tableRow struct {
	code, alpha3 string
	names, towns []string
}

func tableRows() []tableRow {
	var rows []tableRow
	for line := range strings.Lines(countriesText) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if strings.HasPrefix(line, "#") || len(cells) != 4 {
			continue
		}
		rows = append(rows, tableRow{cells[0], cells[1], splitNames(cells[2]),
			splitNames(cells[3])})
	}
	return rows
}

func splitNames(cell string) []string {
	if cell == "" {
		return nil
	}
	return strings.Split(cell, "|")
}

// cldrNames returns the names that CLDR has for a country in the languages of the dictionaries.
func cldrNames(code string) []string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return nil
	}
	var names []string
	for _, dictionary := range dictionaries {
		if name := dictionary.Regions().Name(region); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// umlauts writes German letters the way that keyboards without them do.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")

// forms returns the folded forms of a name: as it is, with transcribed umlauts, and with the name
// before its form of state, as ISO lists it.
func forms(name string) []string {
	folded := fold(name)
	all := []string{folded}
	if transcribed := fold(umlauts.Replace(name)); transcribed != folded {
		all = append(all, transcribed)
	}
	if state, rest, ok := strings.Cut(folded, " of "); ok {
		all = append(all, rest+" "+state+" of", rest+" "+state)
	}
	return all
}

// Known reports whether a code is that of a country: ISO 3166-1 alpha-2 in upper case, or XK.
func Known(code string) bool { return countries().known[code] }
