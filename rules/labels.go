package rules

import (
	"strings"

	"countersign/domain"
)

// labels returns the names of fields in a language, joined.
func labels(language string, names []string) string {
	shown, separator := make([]string, len(names)), ", "
	if language == "zh" {
		separator = "、"
	}
	for i, name := range names {
		shown[i] = strings.ReplaceAll(name, "_", " ")
		if spec, known := domain.FieldSpecOf(name); known && language == "zh" {
			shown[i] = spec.Chinese
		}
	}
	return strings.Join(shown, separator)
}

// joinFew joins the first three of many references.
func joinFew(language string, references []string) string {
	separator, more := ", ", " and others"
	if language == "zh" {
		separator, more = "、", " 等"
	}
	if len(references) > 3 {
		return strings.Join(references[:3], separator) + more
	}
	return strings.Join(references, separator)
}

// shorten limits a value of the evidence to 40 characters.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
