package extraction

import (
	"slices"

	"countersign/domain"
	"countersign/domain/country"
)

// Hints are known facts about a document besides its words. Each may be empty.
type Hints struct {
	// Country is the country of origin (ISO 3166-1 alpha-2). It decides how to read 03/04/2018 (US:
	// March).
	Country string
	// DocumentType is the type under which the document was submitted, such as invoice.
	DocumentType string
	// Currency is the ISO 4217 code to assume if the pages name none.
	Currency string
	// Lessons are what people confirmed on earlier documents of the vendors that the pages may be of,
	// the oldest first.
	Lessons []domain.Lesson
	// Without are the parts of the extraction that a measurement leaves out.
	Without Ablation
}

// Extract finds the fields in the words of the pages. Each has its page, the box of its words, the
// source of the page and a confidence. It returns at most one field per name, in the order of
// domain.FieldNames.
func Extract(pages []domain.Page, hints Hints) []domain.Field {
	return Examine(pages, hints, nil).Fields
}

// Examination is what the pages of a document show.
type Examination struct {
	Fields []domain.Field // as Extract returns them
	// Features are those of an invoice or receipt (domain.FeatureTypeWord and others); never nil.
	Features []string
	// NotPrinted are the fields of the e-invoice whose values are not among the words of the pages.
	NotPrinted []string
	// Other are the values that the words lead to as another engine read them, where they differ
	// from those of Fields.
	Other []domain.Field
	// Elsewhere are the values that further documents in the file, other pages or further accounts state,
	// where they differ from those of Fields.
	Elsewhere []domain.Field
	// Parts are the documents that the file seems to contain, nil if it seems to contain one.
	Parts []domain.DocumentPart
	// Unaided are the fields as they were read without Hints.Lessons, of those that Fields has with
	// another value because of them.
	Unaided []domain.Field
	// Lines are the line items that the pages show.
	Lines domain.LineItems
}

// Examine extracts the fields like Extract, and compares the pages with the fields of an e-invoice
// in the same file, if there are any. Where another engine read some words differently, its values
// are compared.
func Examine(pages []domain.Page, hints Hints, structured []domain.Field) Examination {
	examined := examine(pages, hints, structured)
	if other, ok := otherReading(pages); ok {
		examined.compare(examine(other, hints, nil).Fields)
	}
	examined.addElsewhere(pages, hints, structured)
	return examined
}

func examine(pages []domain.Page, hints Hints, structured []domain.Field) Examination {
	layout := newDocumentLayout(pages)
	layout.leaveOut(hints.Without)
	found, candidates, amounts := layout.findFields(hints, nil)
	fields := orderedFields(found)
	examined := Examination{Fields: fields, Features: layout.features(candidates, amounts, fields)}
	if len(pages) > 0 {
		examined.Lines = layout.lineItems(found[domain.FieldCurrency].value, candidates,
			layout.chooseSums(candidates))
		examined.NotPrinted = layout.notPrinted(structured, amounts)
	}
	if vendor := layout.recognise(hints.Lessons); vendor != nil {
		examined.Fields, examined.Unaided = layout.withMemory(vendor, hints, found)
	}
	return examined
}

// receiptType is the document type of receipts, whose payments are those of the same moment.
const receiptType = "receipt"

// findFields finds the fields, the labelled amounts and all amounts of the document. Candidates at
// one of the anchors are preferred.
func (s *documentLayout) findFields(
	hints Hints, anchors []domain.Anchor,
) (map[string]finding, []*candidate, []*amount) {
	found := map[string]finding{}
	keep := func(name string, f finding, ok bool) {
		if ok {
			found[name] = f
		}
	}
	money := s.currency(hints)
	keep(domain.FieldCurrency, money, money.value != "")
	amounts := s.amounts(money.value)
	candidates := s.labelAmounts(amounts)
	s.preferAnchored(candidates, anchors)
	sums := s.chooseSums(candidates)
	for name, amount := range sums {
		keep(name, amount.finding(money.value), true)
	}
	if total, ok := sums[domain.FieldTotal]; ok && money.value != "" {
		found[domain.FieldCurrency] = s.markBeside(total.amount, money)
	}
	date, due := s.dates(hints, money.value, anchors)
	keep(domain.FieldDate, date, date.value != "")
	keep(domain.FieldDueDate, due, due.value != "")
	iban := s.iban()
	keep(domain.FieldIBAN, iban, iban.value != "")
	bankCountry, _ := country.OfIBAN(iban.value)
	vat := s.vatID(bankCountry)
	keep(domain.FieldVATID, vat, vat.value != "")
	number := s.number(anchors)
	keep(domain.FieldNumber, number, number.value != "")
	addresses := s.addresses()
	vendor := s.vendor(addresses)
	buyer, seller := s.fapiaoParties()
	keep(domain.FieldBuyer, buyer, buyer.value != "")
	if seller.value != "" && seller.value != vendor.value {
		vendor = seller
	}
	if s.isTitledOrder() {
		if payee := s.payee(); payee.value != "" {
			vendor = payee
		}
	}
	keep(domain.FieldVendor, vendor, vendor.value != "")
	address := s.vendorAddress(vendor, addresses)
	keep(domain.FieldVendorAddress, address, address.value != "")
	origin := s.country(hints, codeFindings{vat, iban, money, vendor})
	keep(domain.FieldCountry, origin, origin.value != "")
	s.addDetails(found, hints, candidates, sums)
	return found, candidates, amounts
}

// finding is a value with the words that it was read from.
type finding struct {
	raw, value string
	words      []*word
	confidence float64
	// inferred says that the words are a reason for the value but do not state it.
	inferred bool
	// learnedFrom is the case on which the value, or its place, was confirmed; NoID without memory.
	learnedFrom domain.ID
	// currency is the one that the page states with a total for certain, "" if none is.
	currency string
}

func (f finding) field(name string) domain.Field {
	field := domain.Field{
		Name: name, Raw: f.raw, Normalised: f.value, Confidence: clamp(f.confidence),
		LearnedFrom: f.learnedFrom, Currency: f.currency,
	}
	if len(f.words) == 0 {
		return field
	}
	first := f.words[0]
	box := frameOf(f.words)
	field.Page, field.Box, field.Source = first.page, &box, first.source
	field.Grounded = !f.inferred
	return field
}

// sparseFrame is the share of a frame that its words must fill at least.
const sparseFrame = 0.25

// frameOf returns the frame of a value: that of all its words on the page of the first one. Words that
// lie far apart, such as those of the rows of a table, would have a frame with other text between
// them; the frame is then that of the first word and those next to it.
func frameOf(words []*word) domain.Box {
	first := words[0]
	whole, near, filled := first.Box, first.Box, first.Box.W*first.Box.H
	for _, w := range words[1:] {
		if w.page != first.page {
			continue
		}
		whole = unionBox(whole, w.Box)
		filled += w.Box.W * w.Box.H
		if adjoins(near, w.Box) {
			near = unionBox(near, w.Box)
		}
	}
	if float64(filled) < sparseFrame*float64(whole.W)*float64(whole.H) {
		return near
	}
	return whole
}

// adjoins reports whether a word is on the line of the frame or on the next one, at most two letters
// away.
func adjoins(frame, w domain.Box) bool {
	right := max(w.X-(frame.X+frame.W), frame.X-(w.X+w.W))
	down := max(w.Y-(frame.Y+frame.H), frame.Y-(w.Y+w.H))
	return right <= 2*w.H && down <= w.H
}

func orderedFields(found map[string]finding) []domain.Field {
	var fields []domain.Field
	for _, name := range domain.FieldNames() {
		if f, ok := found[name]; ok {
			field := f.field(name)
			if field.Source == "" {
				field.Source = domain.SourceOCR
			}
			fields = append(fields, field)
		}
	}
	return fields
}

// sourceRank orders sources by trust; smaller is more trusted.
var sourceRank = map[domain.FieldSource]int{
	domain.SourceHuman: 0, domain.SourceXML: 1, domain.SourceText: 2,
	domain.SourceOCR: 3, domain.SourceLLM: 4, domain.SourceDeclared: 5,
}

// Merge keeps one field per name: the one with the more trusted source, then the one with a
// normalised value, then the one with the higher confidence. A field without a position takes that
// of an equal value, so that the page can show it.
func Merge(lists ...[]domain.Field) []domain.Field {
	all := slices.Concat(lists...)
	best := map[string]domain.Field{}
	var names []string
	for _, field := range all {
		present, ok := best[field.Name]
		if !ok {
			names = append(names, field.Name)
			best[field.Name] = field
		} else if isBetter(field, present) {
			best[field.Name] = field
		}
	}
	for name, field := range best {
		if field.Box != nil || field.Normalised == "" {
			continue
		}
		for _, other := range all {
			if other.Name == name && other.Box != nil && other.Normalised == field.Normalised {
				field.Page, field.Box = other.Page, other.Box
				best[name] = field
				break
			}
		}
	}
	order := domain.FieldNames()
	slices.SortStableFunc(
		names, func(a, b string) int { return orderIndex(order, a) - orderIndex(order, b) },
	)
	merged := make([]domain.Field, 0, len(names))
	for _, name := range names {
		merged = append(merged, best[name])
	}
	return merged
}

func isBetter(a, b domain.Field) bool {
	if (a.Normalised != "") != (b.Normalised != "") {
		return a.Normalised != ""
	}
	if sourceRank[a.Source] != sourceRank[b.Source] {
		return sourceRank[a.Source] < sourceRank[b.Source]
	}
	return a.Confidence > b.Confidence
}

// orderIndex returns the index of a name in display order. Unknown names are last.
func orderIndex(order []string, name string) int {
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}

func clamp(x float64) float64 { return min(1, max(0, x)) }
