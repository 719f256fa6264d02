package domain

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// PartyKey returns the normal form of a party's name, which matches cases, conflicts and duplicates
// of one party. It ignores case, width, accents (ü, ue and u are equal), punctuation, spacing, "&",
// "and" and "und", and spellings of a legal form. Different legal forms differ: Muster GmbH is not
// Muster AG.
//
// Two names that differ in one letter or space may have the same key. For conflicts that error is
// the safer one: another reviewer takes one review. With a stricter key a conflicted person could
// decide.
func PartyKey(name string) string {
	key := partyKeyOnce(name)
	for { // joined words may form another known word
		next := partyKeyOnce(key)
		if next == key {
			return key
		}
		key = next
	}
}

func partyKeyOnce(name string) string {
	words := partyWords(name)
	if len(words) == 0 { // neither letters nor digits: keep other characters than usual punctuation
		punctuation := func(r rune) bool {
			return strings.ContainsRune(" .,;:'\"()-/&\t\n\u00a0",
				r)
		}
		return strings.Join(strings.FieldsFunc(strings.ToLower(name), punctuation), "")
	}
	key := dropUmlautE(joinPartyWords(words))
	if key == "" { // only connectives
		key = strings.Join(words, "")
	}
	for _, long := range partyEndings {
		if head, found := strings.CutSuffix(key, long.spelled); found && head != "" {
			return head + long.short
		}
	}
	return key
}

// partyWords returns the words of a name in lower case, without width variants, accents and
// punctuation.
func partyWords(name string) []string {
	folded := norm.NFKD.String(strings.ToLower(name))
	folded = strings.ToLower(letterFolds.Replace(folded))
	if strings.ContainsFunc(folded, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		// Letters of another script among Latin ones imitate them.
		folded = lookalikes.Replace(folded)
	}
	var plain strings.Builder
	for _, r := range folded {
		switch {
		case r >= 0x300 && r <= 0x36f, unicode.Is(unicode.Cf, r): // accents and invisible characters
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			plain.WriteRune(r)
		default:
			plain.WriteByte(' ')
		}
	}
	return strings.Fields(plain.String())
}

// letterFolds replaces letters that do not decompose into a base letter and an accent.
var letterFolds = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
	"ſ", "s",
)

// lookalikes replaces lower-case Cyrillic and Greek letters that look like Latin ones.
var lookalikes = strings.NewReplacer(
	"а", "a", "в", "b", "е", "e", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p", "с", "c", "т",
	"t",
	"у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "ԁ", "d", "ԛ", "q", "ԝ", "w",
	"α", "a", "β", "b", "ε", "e", "ζ", "z", "η", "h", "ι", "i", "κ", "k",
	"μ", "m", "ν", "n", "ο", "o", "ρ", "p", "τ", "t", "υ", "y", "χ", "x",
)

// dropUmlautE removes each e after a, o and u, so that ä, ae and a are equal.
func dropUmlautE(text string) string {
	var out strings.Builder
	umlaut := false
	for _, r := range text {
		if r == 'e' && umlaut {
			continue
		}
		umlaut = r == 'a' || r == 'o' || r == 'u'
		out.WriteRune(r)
	}
	return out.String()
}

// partySpelling is the long form of a legal form, and its short form.
type partySpelling struct{ spelled, short string }

// partyForms holds legal forms whose spellings differ by more than dots and spaces. Words under ""
// are omitted.
var partyForms = map[string][]string{
	"":       {"and", "und", "et"},
	"co":     {"company", "compagnie", "compania", "companhia", "cie"},
	"ltd":    {"limited"},
	"inc":    {"incorporated"},
	"corp":   {"corporation"},
	"llc":    {"limited liability company"},
	"llp":    {"limited liability partnership"},
	"plc":    {"public limited company"},
	"pteltd": {"pte limited"},
	"pvtltd": {"private limited", "private ltd", "pvt limited"},
	"ptyltd": {"pty limited", "proprietary limited", "proprietary ltd"},
	"gmbh": {"gesellschaft mit beschränkter Haftung", "gesmbh", "gesellschaft mbh",
		"ges mit beschränkter Haftung"},
	"ggmbh":  {"gemeinnützige gmbh", "gemeinnützige gesellschaft mit beschränkter Haftung"},
	"ag":     {"aktiengesellschaft"},
	"kg":     {"kommanditgesellschaft"},
	"ohg":    {"offene handelsgesellschaft"},
	"se":     {"societas europaea"},
	"sa":     {"société anonyme", "sociedad anónima", "sociedade anónima"},
	"sarl":   {"société à responsabilité limitée"},
	"sas":    {"société par actions simplifiée"},
	"bv":     {"besloten vennootschap"},
	"nv":     {"naamloze vennootschap"},
	"spa":    {"società per azioni"},
	"srl":    {"società a responsabilità limitata", "sociedad de responsabilidad limitada"},
	"ab":     {"aktiebolag", "aktiebolaget"},
	"as":     {"aktieselskab", "aksjeselskap"},
	"aps":    {"anpartsselskab"},
	"oy":     {"osakeyhtiö"},
	"oyj":    {"julkinen osakeyhtiö"},
	"sdnbhd": {"sendirian berhad"},
	"bhd":    {"berhad"},
	"kft":    {"korlátolt felelősségű társaság"},
	"sro":    {"spol s r o", "společnost s ručením omezeným", "spoločnosť s ručením obmedzeným"},
	"spzoo":  {"spółka z ograniczoną odpowiedzialnością", "spółka z o o"},
	"有限公司":   {"有限责任公司", "有限責任公司"},
	"股份有限公司": {"股份公司"},
}

// partySpellings maps the letters of a long form to the short form. partyEndings are the long forms
// that are recognised at the end of a name even without a space before them, the longest first.
var partySpellings, partyEndings = readPartyForms()

// longestForm is the length of the longest long form in bytes.
var longestForm = func() (longest int) {
	for letters := range partySpellings {
		longest = max(longest, len(letters))
	}
	return longest
}()

func readPartyForms() (spellings map[string]string, endings []partySpelling) {
	spellings = map[string]string{}
	for short, all := range partyForms {
		for _, spelling := range all {
			letters := dropUmlautE(strings.Join(partyWords(spelling), ""))
			spellings[letters] = short
			if short != "" && (len(letters) > 4 || letters[0] >= utf8.RuneSelf) {
				endings = append(endings, partySpelling{letters, short})
			}
		}
	}
	slices.SortFunc(endings, func(a, b partySpelling) int {
		return cmp.Or(cmp.Compare(len(b.spelled), len(a.spelled)),
			cmp.Compare(a.spelled, b.spelled))
	})
	return spellings, endings
}

// joinPartyWords joins words without spaces and replaces each long form by its short form, however
// it is spaced. The longest match wins.
func joinPartyWords(words []string) string {
	var key strings.Builder
	for i := 0; i < len(words); {
		run, short, taken := "", words[i], 1
		for n := i; n < len(words) && len(run) <= longestForm+8; n++ {
			run += words[n]
			if found, known := partySpellings[dropUmlautE(run)]; known {
				short, taken = found, n-i+1
			}
		}
		key.WriteString(short)
		i += taken
	}
	return key.String()
}
