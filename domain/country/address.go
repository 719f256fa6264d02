package country

import (
	"regexp"
	"slices"
	"strings"
)

// ambiguous are folded names of countries that are also names of persons, towns or goods. In an
// address, something else has to show that the country is meant.
var ambiguous = newSet("jordan", "chad", "israel", "kenya", "india", "china", "turkey", "cuba",
	"jersey", "chile", "jamaica", "malta", "ireland", "england", "france", "holland", "wales",
	"britain", "america", "dominica", "lebanon", "guinea", "niger", "mali", "togo", "cyprus",
	"persia", "siam", "saba", "ascension", "maurice", "trinidad", "scotland", "peru", "brazil",
	"panama", "st martin", "gaza", "norway", "poland", "mexico", "denmark", "sweden", "egypt",
	"palestine", "pitcairn", "germania", "francia", "colombia", "laos", "oman", "nauru", "guernsey",
	"emirates", "dominique", "martinique", "st lucia", "st vincent", "st helena", "czech", "saudi")

func newSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

var (
	contactLine = regexp.MustCompile(
		`(?i)^\W*(tel|fax|phone|mobile|mob|e-?mail|web|www|https?|vat|ust|tax|iban|bic|swift)\b|@|^\W*\+\d`)
	countryLabel = regexp.MustCompile(`(?i)^\s*(country|land|pays|pa[ií]s|国家|國家)\s*[:：]\s*`)
	// postcode is a postal code of four to six digits, a British, Canadian, Dutch or Irish one.
	postcode = regexp.MustCompile(`\b(\d{4,6}|\d{3}[- ]\d{2,4}|\d{4} ?[A-Z]{2}` +
		`|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]\d{2} ?[A-Z\d]{4})\b`)
	endPostcode = regexp.MustCompile(`[ -]+(\d{4,6}|\d{3}[- ]\d{2,4}|[A-Z]\d[A-Z] ?\d[A-Z]\d)$`)
	// prefixed is a postal code after the sign of the country, as in D-80331 München.
	prefixed = regexp.MustCompile(`^([A-Z]{1,3})[-–] ?(\d{4,5})[ ,]+\p{L}{2}`)
)

// prefixes are the signs of countries before postal codes, with the number of digits.
var prefixes = map[string]struct {
	code   string
	digits int
}{"D": {"DE", 5}, "DE": {"DE", 5}, "A": {"AT", 4}, "AT": {"AT", 4}, "CH": {"CH", 4},
	"B": {"BE", 4}, "BE": {"BE", 4}, "F": {"FR", 5}, "FR": {"FR", 5}, "I": {"IT", 5},
	"IT": {"IT", 5}, "L": {"LU", 4}, "LU": {"LU", 4}, "NL": {"NL", 4}, "DK": {"DK", 4},
	"E": {"ES", 5}, "ES": {"ES", 5}, "FIN": {"FI", 5}, "FI": {"FI", 5}, "N": {"NO", 4},
	"NO": {"NO", 4}, "SE": {"SE", 5}, "H": {"HU", 4}, "HU": {"HU", 4}, "FL": {"LI", 4},
	"LI": {"LI", 4}, "SI": {"SI", 4}, "HR": {"HR", 5}, "LV": {"LV", 4}, "LT": {"LT", 5}}

// InAddress returns the country of an address, given as lines, and the index of the line that names
// it; -1 if none does. The country counts only alone on the last line, after the last comma, at the
// end of the line of the postal code, or as the sign before the postal code. A name that persons,
// towns or states also have counts only if the rest of the address confirms it.
func InAddress(lines []string) (code string, line int) {
	if len(lines) > maxLines {
		lines = lines[len(lines)-maxLines:]
	}
	last := len(lines) - 1
	for last >= 0 && (strings.TrimSpace(lines[last]) == "" || contactLine.MatchString(lines[last])) {
		last--
	}
	if last < 0 || slices.ContainsFunc(lines, func(l string) bool { return len(l) > maxText }) {
		return "", -1
	}
	address := addressText{before: lines[:last],
		last: strings.Trim(countryLabel.ReplaceAllString(lines[last], ""), " .,;\t")}
	for _, find := range []func() string{address.alone, address.afterComma, address.afterPostcode,
		address.asPrefix} {
		if code := find(); code != "" {
			return code, last
		}
	}
	for i := last; i >= 0; i-- {
		if code := chinesePrefix(strings.TrimSpace(lines[i])); code != "" {
			return code, i
		}
	}
	return "", -1
}

// maxLines limits the length of an address. The country is near its end.
const maxLines = 12

// addressText is an address with its last line.
type addressText struct {
	before []string
	last   string
}

// alone returns the country if it is the whole last line of several.
func (a addressText) alone() string {
	if !slices.ContainsFunc(a.before, func(l string) bool { return strings.TrimSpace(l) != "" }) {
		return ""
	}
	if all := parts(a.last); len(all) > 1 && byName(a.last) == "" { // Iran (IR), DE - Deutschland
		codes := make([]string, len(all))
		for i, part := range all {
			codes[i] = whole(part)
		}
		if slices.Contains(codes, "") || !slices.ContainsFunc(all,
			func(part string) bool { return len(part) > 3 }) {
			return ""
		}
		return a.confirmed(all[0], sameCountry(codes, all), a.before)
	}
	if len(a.last) == 2 && a.last == strings.ToUpper(a.last) && !certainCode(a.last) {
		return a.byPostcode(a.last)
	}
	return a.named(a.last, a.before)
}

// byPostcode returns the country of an alpha-2 code that follows a line with a postal code before
// the city, because many codes are also states of a federation.
func (a addressText) byPostcode(code string) string {
	above := strings.TrimSpace(a.before[len(a.before)-1])
	if at := postcode.FindStringIndex(above); at != nil && at[0] == 0 && at[1] < len(above) &&
		Known(code) {
		return code
	}
	return ""
}

// afterComma returns the country after the last comma of the last line, with or without a postal
// code behind it.
func (a addressText) afterComma() string {
	if code := longName(a.last); code != "" {
		return code
	}
	if strings.ContainsAny(a.last, "()（）[]") {
		return besideCity(a.last)
	}
	bare := endPostcode.ReplaceAllString(a.last, "")
	all := parts(bare)
	if len(all) < 2 {
		return a.cityState()
	}
	last := all[len(all)-1]
	before := slices.Concat(a.before, all[:len(all)-1])
	code := a.namedFor(last, before, bare == a.last)
	above := whole(all[len(all)-2])
	if code != "" && len(all[len(all)-2]) > 3 && parents[above] == code {
		return above // Hong Kong, China
	}
	return code
}

// cityState returns the country of a line such as "Singapore 018956".
func (a addressText) cityState() string {
	bare, digits, ok := strings.Cut(a.last, " ")
	if ok && len(digits) == 6 && strings.Trim(digits, "0123456789") == "" && byName(bare) == "SG" {
		return "SG"
	}
	return ""
}

// notBefore are words that make another name of the name of a country: New Mexico, Bank of China.
var notBefore = newSet("new", "north", "south", "east", "west", "central", "little", "port", "gulf",
	"of", "and", "de", "bank", "air", "in", "from", "lake", "mount", "st", "fort", "san", "santa",
	"via", "great", "northern", "southern", "eastern", "western", "upper", "lower", "old", "royal",
	"a", "or", "for", "no", "tel", "our", "my", "mr", "mrs", "ms")

// afterPostcode returns the country at the end of a line of postal code and city.
func (a addressText) afterPostcode() string {
	names := strings.Fields(a.last)
	for cut := max(1, len(names)-7); cut < len(names); cut++ {
		place, name := strings.Join(names[:cut], " "), strings.Join(names[cut:], " ")
		if notBefore[fold(names[cut-1])] || byName(name) == "" && !certainCode(name) &&
			shared[fold(name)] == "" {
			continue
		}
		code := a.named(name, []string{place})
		if code == "" {
			continue
		}
		if !hasPlace(names[:cut]) {
			continue
		}
		cityLast := countries().towns[code][fold(names[cut-1])] ||
			countries().towns[code][fold(place)]
		if cityLast || postcode.MatchString(place) && (!ambiguous[fold(name)] || hasCity(place, code)) {
			return code
		}
	}
	return ""
}

// hasPlace reports whether the words before a country can be a postal code and a city: no letters,
// or a word that makes no other name.
func hasPlace(names []string) bool {
	letters := false
	for _, name := range names {
		if strings.ContainsAny(name, "0123456789") {
			continue
		}
		if letters = true; !notBefore[fold(name)] {
			return true
		}
	}
	return !letters
}

// asPrefix returns the country of the sign before the postal code.
func (a addressText) asPrefix() string {
	match := prefixed.FindStringSubmatch(a.last)
	if match == nil {
		return ""
	}
	if prefix, ok := prefixes[match[1]]; ok && prefix.digits == len(match[2]) {
		return prefix.code
	}
	return ""
}

// named returns the country of a name in the place of a country, if the rest of the address
// confirms a name that has other meanings.
func (a addressText) named(name string, before []string) string {
	return a.namedFor(name, before, true)
}

// namedFor does so; digits says whether a number in the address is enough confirmation.
func (a addressText) namedFor(name string, before []string, digits bool) string {
	if len(name) <= 3 && !certainCode(name) {
		return ""
	}
	code := lastPlace(before, name)
	if code == "" || !ambiguous[fold(name)] {
		return code
	}
	if digits {
		return a.confirmed(name, code, before)
	}
	if slices.ContainsFunc(before, func(l string) bool { return hasCity(l, code) }) {
		return code
	}
	return ""
}

// confirmed returns the code unless the name has other meanings and nothing in the lines before,
// neither a number nor a city of the country, shows an address.
func (a addressText) confirmed(name, code string, before []string) string {
	if code == "" || !ambiguous[fold(name)] || slices.ContainsFunc(before, func(l string) bool {
		return strings.ContainsAny(l, "0123456789") || hasCity(l, code)
	}) {
		return code
	}
	return ""
}
