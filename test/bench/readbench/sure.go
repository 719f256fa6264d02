package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"countersign/domain"
	"countersign/reading/extraction"
	"countersign/rules"
)

// passed counts the documents that would pass without a person, and those of them in which a key
// field is wrong.
type passed struct {
	count int
	wrong []string
}

// judged are the fields that must not be wrong in a document that passes.
var judged = []string{domain.FieldTotal, domain.FieldCurrency, domain.FieldVendor,
	domain.FieldDate}

// passes reports whether every key field of the document is certain and no rule has a warning or a
// blocking finding, for a known counterparty with the same account. Amounts are not compared with
// the marks of a process.
func passes(
	doc saved, documentType string, declared domain.Money, today time.Time,
	calibrate func([]domain.Field) []domain.Field,
) ([]domain.Field, bool) {
	structured, stated, err := extraction.InvoiceFromXML(doc.XML)
	if err != nil {
		structured = nil
	}
	examined := extraction.Examine(doc.Pages,
		extraction.Hints{DocumentType: documentType, Currency: declared.Currency}, structured)
	fields := extraction.Merge(structured, calibrate(examined.Fields))
	if len(structured) > 0 {
		examined.Features = extraction.FeaturesOfInvoice(fields, examined.Features)
	}
	lines := extraction.MergeLines(stated, examined.Lines)
	lineSum := domain.Money{}
	if sum, ok := lines.CertainSum(); ok {
		lineSum = domain.Money{Minor: sum, Currency: lines.Currency}
	}
	text := func(name string) string {
		at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
		if at < 0 {
			return ""
		}
		return fields[at].Normalised
	}
	amount, err := domain.ParseMoney(text(domain.FieldTotal), text(domain.FieldCurrency))
	input := rules.Input{DocumentType: documentType, Fields: fields, Amount: amount,
		AmountKnown: err == nil, Declared: declared, Country: text(domain.FieldCountry),
		Today: today, Features: examined.Features,
		NotPrinted: examined.NotPrinted, Parts: extraction.Parts(doc.Pages), LineSum: lineSum,
		Vendor: rules.VendorHistory{Known: true, Cases: 1,
			Account: text(domain.FieldIBAN)}}
	if len(rules.Unsure(domain.UndefinedDocumentType(documentType), fields, declared, nil)) > 0 {
		return fields, false
	}
	for _, set := range builtinSets() {
		if !slices.Contains(set.DocumentTypes, documentType) {
			continue
		}
		first, failed := set.Validate(input)
		second, alsoFailed := set.Assess(input, first.Findings)
		if failed != nil || alsoFailed != nil || second.Score >= 30 {
			return fields, false
		}
		found := slices.Concat(first.Findings, second.Findings)
		return fields, !slices.ContainsFunc(found,
			func(f domain.Finding) bool { return f.Severity != domain.SeverityInfo })
	}
	return fields, false
}

func builtinSets() []*rules.Set {
	sources, err := rules.Builtin()
	var sets []*rules.Set
	for _, source := range sources {
		if set, parseErr := rules.ParsePublished(source.YAML); err == nil && parseErr == nil {
			sets = append(sets, set)
		}
	}
	return sets
}

// addPassed judges the document as submitted without a declaration, and with the true amount and
// currency declared.
func (o *outcome) addPassed(path string, doc saved, known truth) {
	documentType := documentTypeOf(known)
	calibrate := func(fields []domain.Field) []domain.Field {
		return withBound(o.calibrate(vendorOf(known), doc.Pages, fields))
	}
	declared := domain.Money{}
	for i := range o.passed {
		fields, pass := passes(doc, documentType, declared, submittedOn(known), calibrate)
		if pass {
			o.passed[i].count++
			for _, name := range judged {
				at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
				if len(known[name]) > 0 && !right(name, fields[at], known[name]) {
					o.passed[i].wrong = append(o.passed[i].wrong,
						fmt.Sprintf("%s %s: %q", path, name, fields[at].Normalised))
				}
			}
		}
		if len(known[domain.FieldTotal]) == 0 || len(known[domain.FieldCurrency]) == 0 {
			return
		}
		var err error
		if declared, err = domain.ParseMoney(known[domain.FieldTotal][0],
			known[domain.FieldCurrency][0]); err != nil {
			return
		}
	}
}

// submittedOn returns a day after the date of the document: the data is years old, and the rules ask a person
// about old documents.
func submittedOn(known truth) time.Time {
	for _, date := range known[domain.FieldDate] {
		if day, err := time.Parse(time.DateOnly, date); err == nil {
			return day.AddDate(0, 0, 30)
		}
	}
	return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
}

func (o *outcome) printPassed(to io.Writer) {
	for i, says := range []string{"nothing declared", "true amount and currency declared"} {
		p := o.passed[i]
		fmt.Fprintf(to, "  pass without a person, %s: %d of %d, wrong values %d\n", says, p.count,
			o.files, len(p.wrong))
		for _, wrong := range p.wrong {
			fmt.Fprintln(to, "   ", wrong)
		}
	}
}
