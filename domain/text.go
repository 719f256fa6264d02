package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckText returns InvalidInput for text that Postgres cannot store: invalid UTF-8, and the
// character NUL.
func CheckText(field, text string) error {
	switch {
	case !utf8.ValidString(text):
		return Invalid(field, "%s is not valid UTF-8 text.", named(field)).
			WithRemedy("Send it as UTF-8.").WithDetail("reason", "encoding")
	case strings.ContainsRune(text, 0):
		return Invalid(
			field, "%s contains the character NUL, which cannot be stored.", named(field),
		).
			WithRemedy("Remove the character and try again.").
			WithDetail("reason", "nul")
	}
	return nil
}

func named(field string) string {
	if field == "" {
		return "The text"
	}
	return field
}

// Longer reports whether a text has more than the given number of characters.
func Longer(text string, most int) bool {
	return len(text) > most && utf8.RuneCountInString(text) > most
}

// minExplanation is how many letters and digits an explanation has at least. An ideograph counts as two.
const minExplanation = 4

// CheckExplanation returns InvalidInput for a text that explains nothing, such as "." or "ok".
func CheckExplanation(field, text string) error {
	count := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			count += 2
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			count++
		}
		if count >= minExplanation {
			return nil
		}
	}
	return Invalid(field, "The explanation is too short: say in a few words why this is right.").
		WithDetail("reason", "unexplained")
}
