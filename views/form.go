package views

import (
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/rules"
)

// FieldType is the format in which a field's value is entered and shown.
type FieldType string

// Field types.
const (
	TypeText     = FieldType(domain.FieldTypeText)
	TypeMoney    = FieldType(domain.FieldTypeMoney)
	TypeDate     = FieldType(domain.FieldTypeDate)
	TypeCurrency = FieldType(domain.FieldTypeCurrency)
	TypeIBAN     = FieldType(domain.FieldTypeIBAN)
	TypeVATID    = FieldType(domain.FieldTypeVATID)
	TypeCountry  = FieldType(domain.FieldTypeCountry)
	TypeNumber   = FieldType(domain.FieldTypeNumber)
	TypeBoolean  = FieldType(domain.FieldTypeBoolean)
	TypeChoice   = FieldType(domain.FieldTypeChoice)
)

// Doubt is a reason for a person to check a field.
type Doubt string

// Doubts.
const (
	DoubtMissing             = Doubt(rules.DoubtMissing)
	DoubtUnreadable          = Doubt(rules.DoubtUnreadable)
	DoubtLowConfidence       = Doubt(rules.DoubtLowConfidence)
	DoubtFinding       Doubt = "finding" // a blocking finding refers to the field
)

// FieldForm is one field of a form.
type FieldForm struct {
	Name        string
	Spec        domain.DocumentField // with the labels, options and length of the document type
	Type        FieldType
	Required    bool
	Missing     bool          // the process needs it, and it has no value
	OnRequest   bool          // a form offers the field, but shows its line only on request
	Field       *domain.Field // nil if the field has no value
	NeedsPerson bool
	Doubts      []Doubt
	Findings    []domain.Finding // that refer to the field
}

// Form returns the fields of the case's document type, with the doubts about each. The caller passes
// only the findings that the audience may see.
func Form(kind *domain.DocumentType, c domain.Case, fields []domain.Field,
	findings []domain.Finding) []FieldForm {
	required := rules.RequiredIn(kind, c.Country)
	form := make([]FieldForm, 0, len(kind.Fields))
	for _, spec := range kind.Fields {
		name := spec.Name
		line := FieldForm{Name: name, Spec: spec, Type: FieldType(spec.Type),
			Required: slices.Contains(required, name), Doubts: []Doubt{},
			Missing: slices.ContainsFunc(c.Missing,
				func(fact string) bool { return domain.FieldOfFact(fact) == name }),
			Findings: []domain.Finding{}}
		if at := slices.IndexFunc(fields, func(f domain.Field) bool {
			return f.Name == name
		}); at >= 0 {
			line.Field = &fields[at]
		}
		blocking := false
		for _, finding := range findings {
			if slices.Contains(rules.AffectedFields(finding), name) {
				line.Findings = append(line.Findings, finding)
				blocking = blocking || finding.Severity == domain.SeverityBlocking
			}
		}
		line.Doubts = append(line.Doubts,
			doubtsOf(line, slices.Contains(facts.StatedByOrder(c), name))...)
		if blocking {
			line.Doubts = append(line.Doubts, DoubtFinding)
		}
		line.NeedsPerson = len(line.Doubts) > 0
		line.OnRequest = spec.Detail && !line.Required && !line.Missing && !line.NeedsPerson &&
			len(line.Findings) == 0 && line.Field.IsEmpty()
		form = append(form, line)
	}
	return form
}

// doubtsOf returns the doubts about the value of a line. ordered says that the payment order states the
// field, so that its evidence need not.
func doubtsOf(line FieldForm, ordered bool) []Doubt {
	if line.Missing && line.Field.IsEmpty() {
		return []Doubt{DoubtMissing}
	}
	doubt := Doubt(rules.DoubtOf(line.Spec, line.Field, line.Required))
	if doubt == "" || doubt == DoubtMissing && ordered {
		return nil
	}
	return []Doubt{doubt}
}

// CounterpartyUncertain reports whether a counterparty is known only from fields that a machine read with
// low confidence, so that a list does not show it as if it were sure.
func CounterpartyUncertain(counterparty string, fields []domain.Field) bool {
	uncertain := false
	for i := range fields {
		field := &fields[i]
		if field.Normalised != counterparty {
			continue
		}
		if !field.Source.IsMachine() || field.Confidence >= rules.LowConfidence {
			return false
		}
		uncertain = true
	}
	return uncertain
}
