package country

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plainLetters replaces letters that decomposition leaves as they are.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð",
	"d", "ł", "l", "ı", "i", "þ", "th", "ə", "a")

// wordForms maps words to the one form under which names are compared; "" drops the word.
var wordForms = map[string]string{"the": "", "saint": "st", "sainte": "st", "sankt": "st",
	"rep": "republic", "dem": "democratic", "peoples": "people"}

// fold reduces a name to the form under which names are compared: lower case without accents, dots
// and apostrophes, words separated by one space, single letters joined, Chinese without spaces.
func fold(text string) string {
	var plain strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r), strings.ContainsRune(".'’‘`´ʼ・·", r), r == '\u00ad',
			r == '\u200b', r == '\ufeff':
		case r == '&':
			plain.WriteString(" and ")
		case unicode.IsLetter(r), unicode.IsDigit(r):
			plain.WriteRune(unicode.ToLower(r))
		default:
			plain.WriteByte(' ')
		}
	}
	var out strings.Builder
	joinable := false // the word before is a single letter, or such letters joined
	for word := range strings.FieldsSeq(plainLetters.Replace(plain.String())) {
		if form, ok := wordForms[word]; ok {
			word = form
		}
		if word == "" {
			continue
		}
		single := len(word) == 1 && word[0] >= 'a' && word[0] <= 'z'
		if out.Len() > 0 && !(single && joinable) && !isHan(word) {
			out.WriteByte(' ')
		}
		joinable = single
		out.WriteString(word)
	}
	return out.String()
}

// isHan reports whether the text starts with a Chinese character.
func isHan(text string) bool {
	for _, r := range text {
		return unicode.Is(unicode.Han, r)
	}
	return false
}
