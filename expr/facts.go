package expr

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"countersign/domain"
)

// processActivation resolves the names declared by ProcessFacts directly from the facts, so that
// names a condition does not use cost nothing.
type processActivation domain.ProcessFacts

// Parent returns nil: there are no outer names.
func (f *processActivation) Parent() cel.Activation { return nil }

// ResolveName returns the value of a declared name. The amounts have no value while the amount is
// unknown, because it must not count as zero in a guard such as base_minor < 100000.
func (f *processActivation) ResolveName(name string) (any, bool) {
	switch name {
	case "amount_minor":
		return f.Amount.Minor, f.AmountKnown
	case "amount_known":
		return f.AmountKnown, true
	case "base_minor":
		return f.BaseMinor, f.AmountKnown
	case "currency":
		return f.Currency, true
	case "country":
		return f.Country, true
	case "document_type":
		return f.DocumentType, true
	case "channel":
		return string(f.Channel), true
	case "has_structured_data":
		return f.HasStructuredData, true
	case "risk":
		return int64(f.Risk), true
	case "fields":
		return f.fields(), true
	case "findings":
		return f.findings(), true
	case "blocking":
		return countFindings(f.Findings, domain.SeverityBlocking), true
	case "warnings":
		return countFindings(f.Findings, domain.SeverityWarning), true
	case "missing":
		return append([]string{}, f.Missing...), true
	case "unstated":
		return append([]string{}, f.Unstated...), true
	case "outcome":
		return f.Outcome, true
	case "unsure_fields":
		if f.UnsureFields == nil {
			return []string{}, true
		}
		return f.UnsureFields, true
	}
	if attribute, ok := strings.CutPrefix(name, AttributePrefix); ok {
		value, stated := f.Attributes[attribute]
		return value, stated
	}
	return nil, false
}

// errTextTooLong is the error of facts whose texts exceed maxFacts.
const errTextTooLong = "the texts of the case are too long"

func (f *processActivation) fields() any {
	length := 0
	for name, value := range f.Fields {
		length += len(name) + len(value)
	}
	switch {
	case length > maxFacts:
		return types.NewErr(errTextTooLong)
	case f.Fields == nil:
		return map[string]string{}
	}
	return f.Fields
}

func (f *processActivation) findings() any {
	list := make([]map[string]any, len(f.Findings))
	length := 0
	for i, finding := range f.Findings {
		length += len(finding.Rule) + len(finding.Message)
		list[i] = map[string]any{
			"rule": finding.Rule, "severity": string(finding.Severity),
			"score": int64(finding.Score), "message": finding.Message,
		}
	}
	if length > maxFacts {
		return types.NewErr(errTextTooLong)
	}
	return list
}

func countFindings(findings []domain.Finding, severity domain.Severity) int64 {
	var count int64
	for i := range findings {
		if findings[i].Severity == severity {
			count++
		}
	}
	return count
}
