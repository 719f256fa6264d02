package doctype

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// invisible reports whether a character is not printed, or changes the direction of the text.
func invisible(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zs) && r != ' '
}

// shorten limits a text of the author in a message.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return text
}

// namesAccount reports whether a label contains the word IBAN.
func namesAccount(label string) bool {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool {
		return !(r >= 'a' && r <= 'z')
	})
	return slices.Contains(words, "iban")
}

// neverSent reads the fields whose values do not leave the installation.
func (b *builder) neverSent(names []string) {
	b.name, b.line = "", 0
	for i, name := range names {
		switch {
		case !b.made.Has(name):
			b.addProblem("never_sent", "never_sent names %q, which is not a field of the type",
				shorten(name))
		case slices.Contains(names[:i], name):
			b.addProblem("never_sent", "never_sent names %q twice", shorten(name))
		}
	}
	b.made.NeverSent = slices.Clone(names)
}

func typeNames() string {
	names := make([]string, 0, len(domain.FieldTypes()))
	for _, kind := range domain.FieldTypes() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

func kindNames() string {
	options := domain.OptionsOf(domain.FieldKind)
	names := make([]string, 0, len(options))
	for _, kind := range options {
		names = append(names, kind.Value)
	}
	return strings.Join(names, ", ")
}
