package extraction

import (
	"cmp"
	"slices"

	"countersign/domain"
)

// maxElsewhere limits the other values of a field. No value of a document in the file is left out, because
// the one that is left out may be the vendor or number that matters; of totals the largest are kept.
const maxElsewhere = maxDocuments

// partFields are the fields that identify the documents in one file and what is paid.
var partFields = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate,
	domain.FieldCurrency, domain.FieldTotal, domain.FieldIBAN}

// countryFields are the fields beside them that have a country, which counts for the risk.
var countryFields = []string{domain.FieldCountry, domain.FieldBIC}

// statedCountry is the confidence above which a country was read on the pages, and not only declared.
const statedCountry = 0.3

// addElsewhere finds the documents that the file seems to contain, and what the pages state about the
// key fields besides the values found: in another document, on another page, or as another account. Each
// of them may be the value that is meant, so that the value found is not certain. fields are those of an
// e-invoice in the file: its values are certain, so that only further documents count.
func (e *Examination) addElsewhere(pages []domain.Page, hints Hints, fields []domain.Field) {
	structured := len(fields) > 0
	if e.Parts = Parts(pages); structured {
		e.Parts = PartsOfInvoice(pages)
	} else {
		fields = e.Fields
	}
	add := func(name string, f finding) {
		at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
		if at < 0 || f.value == "" || isSameValue(name, fields[at].Normalised, f.value) ||
			e.hasElsewhere(name, f.value) {
			return
		}
		f.confidence *= disputed
		other := f.field(name)
		if !structured && sourceRank[other.Source] < sourceRank[fields[at].Source] {
			other.Source = fields[at].Source // otherwise it would take the place of the value in force
		}
		e.Elsewhere = append(e.Elsewhere, other)
	}
	addTotals := func(pages []domain.Page, found sums) {
		for _, total := range pageTotals(pages, found) {
			add(domain.FieldTotal, total.finding(cmp.Or(total.otherCurrency(found), found.currency)))
			if other := total.otherCurrency(found); other != "" {
				add(domain.FieldCurrency, finding{raw: other, value: other, words: total.words,
					confidence: total.confidence})
			}
		}
	}
	for i, found := range e.describeParts(pages, hints) {
		if structured && i == 0 {
			continue
		}
		for _, name := range countedFields(found, structured) {
			add(name, found[name])
		}
		addTotals(pagesOfPart(pages, e.Parts[i]), sumsOf(orderedFields(found)))
	}
	if !structured && len(pages) > 0 {
		layout := newDocumentLayout(pages)
		for _, account := range layout.accounts() {
			add(domain.FieldIBAN, account)
		}
		for _, bank := range layout.banks() {
			add(domain.FieldBIC, bank)
		}
		if e.Parts == nil {
			addTotals(pages, sumsOf(e.Fields))
		}
		for i := range e.Fields {
			if name := e.Fields[i].Name; doubtedByReading(name) && e.hasElsewhere(name, "") {
				e.Fields[i].Confidence *= disputed
			}
		}
	}
	e.limitElsewhere()
}

// countedFields returns the fields of a further document that count beside those of the first one. Beside
// an e-invoice its name does not, because pages spell it in other ways.
func countedFields(found map[string]finding, structured bool) []string {
	return slices.DeleteFunc(slices.Concat(partFields, countryFields), func(name string) bool {
		return structured && name == domain.FieldVendor ||
			name == domain.FieldCountry && found[name].confidence <= statedCountry
	})
}

// limitElsewhere keeps the first other values of each field; of totals the largest, which come last, so
// that they are the newest of their source and are shown first.
func (e *Examination) limitElsewhere() {
	var kept []domain.Field
	for _, name := range slices.Concat(partFields, countryFields) {
		var values []domain.Field
		for _, other := range e.Elsewhere {
			if other.Name == name {
				values = append(values, other)
			}
		}
		if name == domain.FieldTotal {
			slices.SortStableFunc(values, func(a, b domain.Field) int {
				return cmp.Compare(sizeOf(a.Normalised), sizeOf(b.Normalised))
			})
			values = values[max(0, len(values)-maxElsewhere):]
		}
		kept = append(kept, values[:min(len(values), maxElsewhere)]...)
	}
	e.Elsewhere = kept
}

// doubtedByReading reports whether a value of the field is read with less certainty because there is another
// one. Different values of the other fields are a finding, which stays when a person enters one of them.
func doubtedByReading(name string) bool {
	return name == domain.FieldTotal || name == domain.FieldCurrency
}

// hasElsewhere reports whether a value of the field was found; of an empty value whether any was.
func (e *Examination) hasElsewhere(name, value string) bool {
	return slices.ContainsFunc(e.Elsewhere, func(other domain.Field) bool {
		return other.Name == name && (value == "" || isSameValue(name, other.Normalised, value))
	})
}

// isSameValue compares values of a field that were read at different places.
func isSameValue(name, a, b string) bool {
	switch name {
	case domain.FieldVendor:
		return sameName(onlyLetters(a), onlyLetters(b))
	case domain.FieldNumber:
		return onlyLetters(a) == onlyLetters(b)
	}
	return a == b
}

// describeParts finds the fields of each document in the file alone, and writes into the parts what
// distinguishes them.
func (e *Examination) describeParts(pages []domain.Page, hints Hints) []map[string]finding {
	hints.Lessons = nil
	described := make([]map[string]finding, len(e.Parts))
	for i := range e.Parts {
		part := &e.Parts[i]
		layout := newDocumentLayout(pagesOfPart(pages, *part))
		found, _, _ := layout.findFields(hints, nil)
		if found[domain.FieldVendor].confidence < certainVendor {
			delete(found, domain.FieldVendor)
		}
		described[i] = found
		part.Number, part.Date = found[domain.FieldNumber].value, found[domain.FieldDate].value
		part.Total, part.Currency = found[domain.FieldTotal].value, found[domain.FieldCurrency].value
		part.Account = found[domain.FieldIBAN].value
		for _, name := range partFields {
			first, own := described[0][name].value, found[name].value
			if first != "" && own != "" && !isSameValue(name, first, own) {
				part.Differs = append(part.Differs, name)
			}
		}
	}
	return described
}

// pagesOfPart returns the pages of a document in the file; of a page with several, the words in its area.
func pagesOfPart(pages []domain.Page, part domain.DocumentPart) []domain.Page {
	var own []domain.Page
	for _, page := range pages {
		if page.Number < part.First || page.Number > part.Last {
			continue
		}
		if part.Box != nil && page.Number == part.First {
			page.Words = slices.DeleteFunc(slices.Clone(page.Words), func(w domain.Word) bool {
				x, y := w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2
				return x < part.Box.X || x > part.Box.X+part.Box.W ||
					y < part.Box.Y || y > part.Box.Y+part.Box.H
			})
		}
		own = append(own, page)
	}
	return own
}
