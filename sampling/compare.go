package sampling

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// Fields returns the fields that a checker reads from a document of the type, in display order: the
// key fields that it has, and its own required fields. A receipt is paid already, so its account does
// not matter.
func Fields(kind *domain.DocumentType) []string {
	fields := []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate, domain.FieldTotal,
		domain.FieldCurrency}
	if kind.Key != "receipt" {
		fields = append(fields, domain.FieldIBAN)
	}
	fields = slices.DeleteFunc(fields, func(name string) bool { return !kind.Has(name) })
	for _, field := range kind.OwnFields() {
		if field.Required {
			fields = append(fields, field.Name)
		}
	}
	return fields
}

// Compare compares the archived fields with normalised values that a checker read. A value that only
// one of them has disagrees.
func Compare(
	kind *domain.DocumentType, archived []domain.Field, checked map[string]string,
) []domain.ComparedField {
	var all []domain.ComparedField
	for _, name := range Fields(kind) {
		c := domain.ComparedField{Field: name, Checked: checked[name]}
		at := slices.IndexFunc(archived, func(f domain.Field) bool { return f.Name == name })
		if at >= 0 {
			c.Archived, c.Source = archived[at].Normalised, archived[at].Source
		}
		if name == domain.FieldVendor && at >= 0 && c.Archived == "" {
			c.Archived = archived[at].Raw
		}
		c.Agrees = comparable(name, c.Archived) == comparable(name, c.Checked)
		all = append(all, c)
	}
	return all
}

// Disagree reports whether any field disagrees.
func Disagree(compared []domain.ComparedField) bool {
	return slices.ContainsFunc(compared, func(c domain.ComparedField) bool { return !c.Agrees })
}

// comparable returns the form in which two normalised values of a field are compared: parties as
// they are recognised, numbers without spaces and punctuation.
func comparable(field, value string) string {
	switch field {
	case domain.FieldVendor:
		return domain.PartyKey(value)
	case domain.FieldNumber:
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsPunct(r) {
				return -1
			}
			return unicode.ToUpper(r)
		}, value)
	case domain.FieldTotal:
		return trimDecimal(value)
	}
	return strings.ToUpper(strings.TrimSpace(value))
}

// trimDecimal removes zeros that do not change a plain decimal.
func trimDecimal(value string) string {
	if strings.Contains(value, ".") {
		value = strings.TrimRight(strings.TrimRight(value, "0"), ".")
	}
	return value
}
