package rules

import (
	"strings"

	"countersign/domain"
)

// chineseLabels are the names of the fields for Chinese readers; English ones are the names with spaces.
var chineseLabels = map[string]string{
	domain.FieldVendor: "供应商", domain.FieldNumber: "单据号码", domain.FieldDate: "日期", domain.FieldDueDate: "到期日",
	domain.FieldCurrency: "币种", domain.FieldNet: "净额", domain.FieldTax: "税额", domain.FieldTotal: "总额", domain.FieldIBAN: "IBAN",
	domain.FieldVATID: "增值税号", domain.FieldCountry: "国家",
}

// labels names fields as people read them.
func labels(language string, names []string) string {
	shown, between := make([]string, len(names)), ", "
	if language == "zh" {
		between = "、"
	}
	for i, name := range names {
		shown[i] = strings.ReplaceAll(name, "_", " ")
		if word := chineseLabels[name]; language == "zh" && word != "" {
			shown[i] = word
		}
	}
	return strings.Join(shown, between)
}

// joinFew names the first few of many.
func joinFew(language string, references []string) string {
	between, more := ", ", " and others"
	if language == "zh" {
		between, more = "、", " 等"
	}
	if len(references) > 3 {
		return strings.Join(references[:3], between) + more
	}
	return strings.Join(references, between)
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
