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
var countryFields = []string{domain.FieldCountry, domain.FieldBIC, domain.FieldDeliveryCountry}

// statedCountry is the confidence above which a country was read on the pages, and not only declared.
const statedCountry = 0.3

// addElsewhere finds the documents that the file seems to contain, and what the pages state about the
// key fields besides the values found: in another document, on another page, or as another account. Each
// of them may be the value that is meant, so that the value found is not certain. fields are those of an
// e-invoice in the file: its values are certain, so that only further documents count, and what the pages
// show instead of one of its values.
func (e *Examination) addElsewhere(pages []domain.Page, hints Hints, fields []domain.Field) {
	structured := len(fields) > 0
	var own *ownCurrency
	if e.Parts = Parts(pages); structured {
		e.Parts = PartsOfInvoice(pages)
	} else {
		own = e.pairTotal(pages)
		fields = e.Fields
	}
	others := elsewhere{Examination: e, fields: fields, structured: structured}
	for i, found := range e.describeParts(pages, hints) {
		if structured && i == 0 {
			continue
		}
		for _, name := range countedFields(found, structured) {
			others.add(name, found[name])
		}
		if total := found[domain.FieldTotal]; total.currency != "" {
			others.add(domain.FieldCurrency, finding{raw: total.currency, value: total.currency,
				words: total.words, inferred: true, confidence: total.confidence})
		}
		others.addTotals(pagesOfPart(pages, e.Parts[i]), sumsOf(orderedFields(found)))
	}
	if structured {
		for _, name := range e.NotPrinted {
			others.addPrinted(name)
		}
	}
	if !structured && len(pages) > 0 {
		layout := newDocumentLayout(pages)
		for _, account := range layout.accounts() {
			others.add(domain.FieldIBAN, account)
		}
		for _, bank := range layout.banks() {
			others.add(domain.FieldBIC, bank)
		}
		for _, place := range layout.deliveryCountries() {
			others.add(domain.FieldDeliveryCountry, place)
		}
		if layout.isTitledOrder() && valueOf(fields, domain.FieldIBAN) == "" { // it would show the country
			for _, place := range layout.bankCountries() {
				others.add(domain.FieldCountry, place)
			}
		}
		others.addPayable(layout)
		if e.Parts == nil {
			others.addTotals(pages, sumsOf(e.Fields))
		}
		for i := range e.Fields {
			if name := e.Fields[i].Name; doubtedByReading(name) && e.differsElsewhere(e.Fields[i]) {
				e.Fields[i].Confidence *= disputed
			}
		}
	}
	e.limitElsewhere()
	e.pairCurrencies(fields, own)
}

// elsewhere collects the other values of an examination. fields are those found.
type elsewhere struct {
	*Examination
	fields     []domain.Field
	structured bool
}

// add adds another value of a field, unless it is the one found or known already. Totals are the same in
// one currency only.
func (e elsewhere) add(name string, f finding) {
	at := slices.IndexFunc(e.fields, func(f domain.Field) bool { return f.Name == name })
	if at < 0 || f.value == "" {
		return
	}
	f.confidence *= disputed
	other, found := f.field(name), e.fields[at]
	if e.structured && name == domain.FieldTotal {
		found.Currency = valueOf(e.fields, domain.FieldCurrency)
	}
	if states(found, other) || slices.ContainsFunc(e.Elsewhere,
		func(known domain.Field) bool { return states(known, other) }) {
		return
	}
	if !e.structured && sourceRank[other.Source] < sourceRank[found.Source] {
		other.Source = found.Source // otherwise it would take the place of the value in force
	}
	e.Elsewhere = append(e.Elsewhere, other)
}

// addPrinted adds what the pages show as a field of the e-invoice whose value they do not show. People see
// the pages, so that the larger of two totals counts, and both accounts.
func (e elsewhere) addPrinted(name string) {
	at := slices.IndexFunc(e.Fields, func(f domain.Field) bool { return f.Name == name })
	if at < 0 || e.Fields[at].Normalised == "" {
		return
	}
	printed := e.Fields[at]
	known := slices.ContainsFunc(e.fields, func(f domain.Field) bool { return states(f, printed) })
	if known || slices.ContainsFunc(e.Elsewhere,
		func(f domain.Field) bool { return states(f, printed) }) {
		return
	}
	printed.Confidence *= disputed
	e.Elsewhere = append(e.Elsewhere, printed)
}

// addTotals adds the totals of single pages of a document with the sums.
func (e elsewhere) addTotals(pages []domain.Page, found sums) {
	for _, total := range pageTotals(pages, found) {
		other := total.otherCurrency(found)
		if other == "" && found.currency != "" && total.stated != found.currency {
			other = total.stated
		}
		one := total.finding(cmp.Or(other, found.currency))
		one.currency = total.stated
		e.add(domain.FieldTotal, one)
		if other != "" {
			e.add(domain.FieldCurrency, finding{raw: other, value: other, words: total.words,
				confidence: total.confidence})
		}
	}
}

// states reports whether a value includes what another one says: the same value, of a total in the same
// currency, or in any.
func states(known, other domain.Field) bool {
	return isSame(known, other) && (known.Currency == "" || known.Currency == other.Currency)
}

// countedFields returns the fields of a further document that count beside those of the first one. Beside
// an e-invoice its name does not, because pages spell it in other ways.
func countedFields(found map[string]finding, structured bool) []string {
	return slices.DeleteFunc(slices.Concat(partFields, countryFields), func(name string) bool {
		return structured && name == domain.FieldVendor ||
			name == domain.FieldCountry && found[name].confidence <= statedCountry
	})
}

// limitElsewhere keeps the first other values of each field; of totals the largest, and the largest of each
// currency, because a smaller number of another currency may be worth more. They come last, so that they
// are the newest of their source and are shown first.
func (e *Examination) limitElsewhere() {
	var kept []domain.Field
	for _, name := range slices.Concat(partFields, countryFields) {
		var values []domain.Field
		for _, other := range e.Elsewhere {
			if other.Name == name {
				values = append(values, other)
			}
		}
		switch name {
		case domain.FieldTotal:
			values = largestTotals(values)
		case domain.FieldCurrency: // as many as there are
		default:
			values = values[:min(len(values), maxElsewhere)]
		}
		kept = append(kept, values...)
	}
	e.Elsewhere = kept
}

// largestTotals returns the largest totals, sorted, and those that are the largest of their currency.
func largestTotals(totals []domain.Field) []domain.Field {
	slices.SortStableFunc(totals, func(a, b domain.Field) int {
		return cmp.Compare(sizeOf(a.Normalised), sizeOf(b.Normalised))
	})
	seen := map[string]bool{}
	var kept []domain.Field
	for i, total := range slices.Backward(totals) {
		if i >= len(totals)-maxElsewhere || !seen[total.Currency] {
			kept = append(kept, total)
		}
		seen[total.Currency] = true
	}
	slices.Reverse(kept)
	return kept
}

// doubtedByReading reports whether a value of the field is read with less certainty because there is another
// one. Different values of the other fields are a finding, which stays when a person enters one of them.
func doubtedByReading(name string) bool {
	return name == domain.FieldTotal || name == domain.FieldCurrency
}

// differsElsewhere reports whether the file states another value of a field.
func (e *Examination) differsElsewhere(found domain.Field) bool {
	return slices.ContainsFunc(e.Elsewhere, func(other domain.Field) bool {
		return other.Name == found.Name && !isSameValue(found.Name, found.Normalised, other.Normalised)
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
		if total, ok := found[domain.FieldTotal]; ok {
			total.currency = layout.statedCurrency(total.words)
			found[domain.FieldTotal] = total
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
