package rules

import (
	"strings"

	"countersign/domain"
)

// labels returns the labels of fields in a language, joined.
func labels(language string, names []string) string {
	separator := ", "
	if language == "zh" {
		separator = "、"
	}
	return joinNames(separator, names, func(spec domain.FieldSpec) string {
		if language == "zh" {
			return spec.Chinese
		}
		return spec.English
	})
}

// storedNames returns the names of fields as English sentences stated them before they used labels.
// Stored findings keep such sentences.
func storedNames(names []string) string {
	return joinNames(", ", names,
		func(spec domain.FieldSpec) string { return strings.ReplaceAll(spec.Name, "_", " ") })
}

func joinNames(separator string, names []string, label func(domain.FieldSpec) string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = strings.ReplaceAll(name, "_", " ")
		if spec, known := domain.FieldSpecOf(name); known {
			shown[i] = label(spec)
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
