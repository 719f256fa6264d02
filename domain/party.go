package domain

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// PartyKey is the normal form of a party's name, by which cases, conflicts and duplicates find each other: spellings of one
// name have one key. Case, width, accents (ü, ue and u are one), punctuation, spacing, "&", "and" and "und", and the
// spellings of a legal form do not count. Different legal forms stay different: Muster GmbH is not Muster AG.
//
// A key may join two names that differ in a letter or a space only. For conflicts that is the safer mistake: it costs a
// reviewer one review that another takes, while a key too fine lets a conflicted person decide.
func PartyKey(name string) string {
	key := partyKeyOnce(name)
	for { // what was joined may be a word of its own again
		next := partyKeyOnce(key)
		if next == key {
			return key
		}
		key = next
	}
}

func partyKeyOnce(name string) string {
	words := partyWords(name)
	if len(words) == 0 { // no letter and no digit: what else there is but usual punctuation
		return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" .,;:'\"()-/&\t\n\u00a0", r) }), "")
	}
	key := dropUmlautE(joinPartyWords(words))
	if key == "" { // nothing but connectives
		key = strings.Join(words, "")
	}
	for _, long := range partyEndings {
		if head, found := strings.CutSuffix(key, long.spelled); found && head != "" {
			return head + long.short
		}
	}
	return key
}

// partyWords are the words of a name in lower case, without width, accents and punctuation.
func partyWords(name string) []string {
	folded := norm.NFKD.String(strings.ToLower(name))
	folded = strings.ToLower(letterFolds.Replace(folded))
	if strings.ContainsFunc(folded, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		folded = lookalikes.Replace(folded) // letters of another script between Latin ones are there to look like them
	}
	var plain strings.Builder
	for _, r := range folded {
		switch {
		case r >= 0x300 && r <= 0x36f, unicode.Is(unicode.Cf, r): // accents, and what cannot be seen
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			plain.WriteRune(r)
		default:
			plain.WriteByte(' ')
		}
	}
	return strings.Fields(plain.String())
}

// letterFolds writes letters that have no accent to take off by their plain ones.
var letterFolds = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "ſ", "s")

// lookalikes are Cyrillic and Greek letters that print like Latin ones, in lower case.
var lookalikes = strings.NewReplacer("а", "a", "в", "b", "е", "e", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p", "с", "c", "т", "t", "у", "y",
	"х", "x", "і", "i", "ј", "j", "ѕ", "s", "ԁ", "d", "ԛ", "q", "ԝ", "w", "α", "a", "β", "b", "ε", "e", "ζ", "z", "η", "h", "ι", "i", "κ", "k",
	"μ", "m", "ν", "n", "ο", "o", "ρ", "p", "τ", "t", "υ", "y", "χ", "x")

// dropUmlautE makes ä, ae and a one: an e behind a, o and u does not count.
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

// partySpelling is a legal form written out, and its short form.
type partySpelling struct{ spelled, short string }

// partyForms are the legal forms whose spellings differ by more than dots and spaces. "" leaves a word out.
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
	"gmbh":   {"gesellschaft mit beschränkter Haftung", "gesmbh", "gesellschaft mbh", "ges mit beschränkter Haftung"},
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

// partySpellings give the short form for the letters of one written out; partyEndings are those that end a name also
// without a space before them, the longest first.
var partySpellings, partyEndings = readPartyForms()

// longestForm is how many bytes the longest form has, written out.
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
		return cmp.Or(cmp.Compare(len(b.spelled), len(a.spelled)), cmp.Compare(a.spelled, b.spelled))
	})
	return spellings, endings
}

// joinPartyWords joins words without spaces; a run of words that together write out a form becomes its short form, the
// longest run first, however it is spaced.
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
