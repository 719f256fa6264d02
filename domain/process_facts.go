package domain

// AddFields adds the values in force. A value that only a language model states is no fact of a process,
// nor an amount, a currency or a country that follows from it, because a guard that asks whether a value
// is known must not be answered by a text in a document that steers the model.
func (f *ProcessFacts) AddFields(fields []Field) {
	if f.Fields == nil {
		f.Fields = make(map[string]string, len(fields))
	}
	for i := range fields {
		field := &fields[i]
		f.HasStructuredData = f.HasStructuredData || field.Source == SourceXML
		if !field.IsOnlyOfModel() {
			f.Fields[field.Name] = field.Normalised
			continue
		}
		switch field.Name {
		case FieldTotal:
			f.Amount, f.AmountKnown = Money{Currency: f.Amount.Currency}, false
		case FieldCurrency:
			f.Amount, f.AmountKnown, f.Currency = Money{}, false, ""
		case FieldCountry:
			f.Country = ""
		}
	}
}

// IsOnlyOfModel reports whether only a language model states the value in force, because a value of any
// other source takes precedence over it.
func (f *Field) IsOnlyOfModel() bool { return f.Source == SourceLLM }
