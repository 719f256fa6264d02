package extraction

import (
	"regexp"
	"slices"

	"countersign/domain"
)

// maxElsewhere limits the other values of a field.
const maxElsewhere = 5

// partFields are the fields that identify the documents in one file and what is paid.
var partFields = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate,
	domain.FieldCurrency, domain.FieldTotal, domain.FieldIBAN}

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
		if at < 0 || isSameValue(name, fields[at].Normalised, f.value) || e.hasElsewhere(name, f.value) {
			return
		}
		f.confidence *= disputed
		other := f.field(name)
		if !structured && sourceRank[other.Source] < sourceRank[fields[at].Source] {
			other.Source = fields[at].Source // otherwise it would take the place of the value in force
		}
		e.Elsewhere = append(e.Elsewhere, other)
	}
	for i, found := range e.describeParts(pages, hints) {
		for _, name := range partFields {
			if f := found[name]; f.value != "" && !(structured && (i == 0 || name == domain.FieldVendor)) {
				add(name, f)
			}
		}
	}
	if structured || len(pages) == 0 {
		return
	}
	for _, account := range newDocumentLayout(pages).accounts() {
		add(domain.FieldIBAN, account)
	}
	if e.Parts == nil {
		for _, total := range e.pageTotals(pages) {
			add(domain.FieldTotal, total)
		}
	}
	for i := range e.Fields {
		if name := e.Fields[i].Name; doubtedByReading(name) && e.hasElsewhere(name, "") {
			e.Fields[i].Confidence *= disputed
		}
	}
}

// doubtedByReading reports whether a value of the field is read with less certainty because there is another
// one. Different values of the other fields are a finding, which stays when a person enters one of them.
func doubtedByReading(name string) bool {
	return name == domain.FieldTotal || name == domain.FieldCurrency
}

// hasElsewhere reports whether a value of the field was found, or whether no further one is looked for;
// of an empty value whether any was.
func (e *Examination) hasElsewhere(name, value string) bool {
	count := 0
	for _, other := range e.Elsewhere {
		if other.Name != name {
			continue
		}
		if count++; value == "" || isSameValue(name, other.Normalised, value) {
			return true
		}
	}
	return count >= maxElsewhere
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

// countedTotal matches rows whose total is no amount of money, as on a time sheet or a delivery note.
var countedTotal = regexp.MustCompile(
	`hours?\b|stunden|heures|uren\b|weight|gewicht|poids|\bkg\b|\bkm\b|pieces|\bpcs\b|st[üu]ck|items?\b|qty|quantity|menge|days\b|tage\b|小时|重量|数量`)

// pageTotals returns the labelled totals of single pages that are not the total found. An amount up to
// the total is none if it is another sum of the document, if the next page begins with it, or if those
// of all other pages add up to the total. A larger one always is.
func (e *Examination) pageTotals(pages []domain.Page) []finding {
	total, ok := parseAmount(e.value(domain.FieldTotal), "")
	if len(pages) < 2 || !ok {
		return nil
	}
	known := map[int64]bool{total.milli: true}
	for _, name := range []string{domain.FieldNet, domain.FieldTax, domain.FieldPrepaid,
		domain.FieldAmountDue} {
		if sum, ok := parseAmount(e.value(name), ""); ok {
			known[sum.milli] = true
		}
	}
	var found []scored
	var carried []map[int64]bool // by page with words: the amounts in its first rows
	sum := int64(0)
	for _, page := range pages {
		layout := newDocumentLayout([]domain.Page{page})
		amounts := layout.amounts("")
		carried = append(carried, carriedAmounts(amounts))
		candidates := layout.labelAmounts(amounts)
		best := chooseTotal(candidates)
		if best == nil || !isLabelledTotal(best) || best.uncertain ||
			countedTotal.MatchString(best.row.folded) {
			found = append(found, scored{})
			continue
		}
		if best.milli != total.milli {
			sum += best.milli
		}
		found = append(found, scored{best.amount, totalConfidence(best, candidates)})
	}
	var others []finding
	for i, one := range found {
		switch {
		case one.amount == nil || one.milli == total.milli:
		case one.milli <= total.milli && (known[one.milli] || sum == total.milli ||
			i+1 < len(carried) && carried[i+1][one.milli]):
		default:
			others = append(others, one.finding(e.value(domain.FieldCurrency)))
		}
	}
	return others
}

// carriedAmounts are the amounts in the first rows of a page that say that they are carried over.
func carriedAmounts(amounts []*amount) map[int64]bool {
	found := map[int64]bool{}
	for _, a := range amounts {
		if a.row.index < carriedRows && carriedOver.MatchString(a.row.folded) {
			found[a.milli] = true
		}
	}
	return found
}
