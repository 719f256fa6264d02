package extraction

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// language holds the words of one language, by what they mark. Each word is a phrase as phrases
// describes it. A language may leave a kind empty.
type language struct {
	name string
	// street are words of addresses, contact those of lines beside an address that are no part of it.
	street, contact []string
	// region are names of regions that follow the postcode in a line of their own.
	region []string
	// city are names of cities and further words that addresses often have.
	city []string
	// The labels of amounts, in the order of the roles.
	grand, due, sub, net, tax, paid, change, other []string
	// currency are labels of the currency of the document.
	currency []string
	// payment are words of payments that were made: means of payment and headings of a list of them.
	payment []string
	// earlier are words before the label of a number that make it that of an earlier document.
	earlier []string
	// plain are labels that name a total only if no other kind fits.
	plain []string
	// The labels of dates: of any date, of the document, of the payment, and of other events.
	date, issueDate, dueDate, otherDate []string
	// The labels of the buyer's order, of the delivery or service, of the terms of payment, and of
	// amounts that were paid before.
	orderNumber, deliveryDate, paymentTerms, prepaid []string
}

// languages are the languages whose words extraction knows.
var languages = []language{english, german, french, dutch, spanish, italian, malay, chinese, polish, swedish}

// allOf joins the words of all languages to one expression.
func allOf(kind func(language) []string, patterns ...string) *regexp.Regexp {
	var all []string
	for _, l := range languages {
		for _, phrase := range kind(l) {
			all = append(all, phrasePattern(phrase))
		}
	}
	return regexp.MustCompile(strings.Join(append(all, patterns...), "|"))
}

// misreadWords are words of labels with the ways in which engines often misread them.
var misreadWords = map[string]string{
	"total": totalWord,
	"cash":  `[cg]a[s5]h`,
	"gst":   `g[s5]t`,
}

// phrasePattern returns an expression for a phrase in folded text. A blank matches blanks, dots and
// hyphens, or nothing, because engines drop them; "…" matches up to 14 characters; a letter with an
// accent matches the letter without it too. A phrase matches whole words, but "*" at an end lets it
// be a part of a longer word.
func phrasePattern(phrase string) string {
	text := strings.Trim(phrase, "*")
	var pattern strings.Builder
	if !strings.HasPrefix(phrase, "*") && startsASCII(text) {
		pattern.WriteString(`\b`)
	}
	for i, part := range strings.Split(text, " ") {
		if i > 0 {
			pattern.WriteString(`[\s.-]*`)
		}
		pattern.WriteString(wordPattern(part))
	}
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.HasSuffix(phrase, "*") &&
		last < utf8.RuneSelf && isWordRune(last) {
		pattern.WriteString(`\b`)
	}
	return pattern.String()
}

func startsASCII(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return first < utf8.RuneSelf && isWordRune(first)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// plainLetters are the letters that engines read for letters with an accent.
var plainLetters = map[rune]string{
	'ä': "ae?", 'ö': "oe?", 'ü': "ue?", 'ß': "ss|b", 'à': "a", 'á': "a", 'â': "a", 'é': "e",
	'è': "e", 'ê': "e", 'ë': "e", 'í': "i", 'î': "i", 'ï': "i", 'ì': "i", 'ó': "o", 'ô': "o",
	'ò': "o", 'ú': "u", 'û': "u", 'ù': "u", 'ñ': "n", 'ç': "c",
	'å': "a", 'ą': "a", 'ć': "c", 'ę': "e", 'ł': "l", 'ń': "n", 'ś': "s", 'ź': "z", 'ż': "z",
}

func wordPattern(word string) string {
	if misread, ok := misreadWords[word]; ok {
		return misread
	}
	if word == "…" {
		return `.{0,14}?`
	}
	var pattern strings.Builder
	for _, r := range word {
		if plain, ok := plainLetters[r]; ok {
			pattern.WriteString("(?:" + string(r) + "|" + string(unicode.ToUpper(r)) + "|" + plain + ")")
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(string(r)))
	}
	return pattern.String()
}
