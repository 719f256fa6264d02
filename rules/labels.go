package rules

import (
	"strings"

	"countersign/domain"
)

// chineseLabels holds the Chinese names of the fields. The English names are the field names with
// spaces.
var chineseLabels = map[string]string{
	domain.FieldVendor: "供应商", domain.FieldNumber: "单据号码", domain.FieldDate: "日期",
	domain.FieldDueDate:  "到期日",
	domain.FieldCurrency: "币种", domain.FieldNet: "净额", domain.FieldTax: "税额",
	domain.FieldTotal: "总额", domain.FieldIBAN: "IBAN",
	domain.FieldVATID: "增值税号", domain.FieldCountry: "国家",
}

// labels returns the names of fields in a language, joined.
func labels(language string, names []string) string {
	shown, separator := make([]string, len(names)), ", "
	if language == "zh" {
		separator = "、"
	}
	for i, name := range names {
		shown[i] = strings.ReplaceAll(name, "_", " ")
		if word := chineseLabels[name]; language == "zh" && word != "" {
			shown[i] = word
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
