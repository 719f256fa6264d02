package casework

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/reading/extraction"
)

// printedPage is the text that people see on the newest document, as the reader found it. A line in
// which two engines read different words is there twice.
type printedPage struct {
	lines [][]string
	kind  *domain.DocumentType
}

// printedPage loads the words of the newest document; it is empty if the document was not read.
func (c *command) printedPage(document domain.Document) (printedPage, error) {
	kind, err := c.documentType()
	printed := printedPage{kind: kind}
	if err != nil || document.ReadAt.IsZero() {
		return printed, err
	}
	pages, err := c.tx.Pages(c.ctx, document.CaseID, document.Revision)
	for i := range pages {
		printed.addPage(&pages[i])
	}
	return printed, err
}

func (p *printedPage) addPage(page *domain.Page) {
	if len(page.Words) == 0 {
		for _, line := range strings.Split(page.Text, "\n") {
			p.lines = append(p.lines, strings.Fields(line))
		}
		return
	}
	var line, other []string
	differs := false
	end := func() {
		p.lines = append(p.lines, line)
		if differs {
			p.lines = append(p.lines, other)
		}
		line, other, differs = nil, nil, false
	}
	for i := range page.Words {
		word := &page.Words[i]
		if i > 0 && word.Line != page.Words[i-1].Line {
			end()
		}
		line, other = append(line, word.Text), append(other, word.Text)
		if word.HasCredibleAlternative() {
			other[len(other)-1], differs = word.Alternative, true
		}
	}
	end()
}

// maxPrintedWords is the number of words in a line that one value may span: an IBAN in groups of
// four has up to nine.
const maxPrintedWords = 9

// shows reports whether the page shows a value: some words of one line, normalised like the field,
// are it. A name may also begin at the end of a line and continue at the beginning of the next.
func (p printedPage) shows(field, value, currency string) bool {
	spec, _ := p.kind.Field(field)
	// A yes anywhere on the page says nothing about the field.
	same := func(text string) bool { return p.sameValue(field, text, value, currency) }
	return value != "" && spec.Type != domain.FieldTypeBoolean &&
		(p.containsText(same) || field == domain.FieldVendor && p.wraps(same))
}

// showsMisread reports whether the engine may have misread the value of a name, number or date: some
// words of one line are nearly it.
func (p printedPage) showsMisread(field, value string) bool {
	return p.containsText(func(text string) bool { return extraction.Misread(field, text, value) })
}

// containsText reports whether some words of one line are accepted as a text.
func (p printedPage) containsText(accepted func(text string) bool) bool {
	for _, line := range p.lines {
		for from := range line {
			for to := from + 1; to <= len(line) && to-from <= maxPrintedWords; to++ {
				if accepted(strings.Join(line[from:to], " ")) {
					return true
				}
			}
		}
	}
	return false
}

// wraps reports whether the last words of a line and the first ones of the next are accepted as a text.
func (p printedPage) wraps(accepted func(text string) bool) bool {
	for i := 1; i < len(p.lines); i++ {
		above, below := p.lines[i-1], p.lines[i]
		for from := max(0, len(above)-maxPrintedWords); from < len(above); from++ {
			for to := 1; to <= len(below) && len(above)-from+to <= maxPrintedWords; to++ {
				if accepted(strings.Join(append(slices.Clone(above[from:]), below[:to]...), " ")) {
					return true
				}
			}
		}
	}
	return false
}

// amountMark finds an amount directly behind the mark of its currency, such as RM15.00 or US$15.00.
var amountMark = regexp.MustCompile(`^(?:[A-Za-z]{0,3}\p{Sc}|[A-Za-z]{2,3})(-?\d.*)$`)

// sameValue reports whether the text, as it may be written on a page, is the normalised value.
func (p printedPage) sameValue(field, text, value, currency string) bool {
	if field == domain.FieldVendor {
		return PartyKey(text) != "" && PartyKey(text) == PartyKey(value)
	}
	text = strings.TrimRight(strings.TrimSpace(text), ":;,.")
	switch spec, _ := p.kind.Field(field); spec.Type {
	case domain.FieldTypeDate:
		return slices.Contains(extraction.DatesOf(text), value)
	case domain.FieldTypeMoney:
		text = amountMark.ReplaceAllString(text, "$1")
	case domain.FieldTypeCurrency:
		if code, ok := extraction.CurrencyOfMark(strings.Trim(text, "0123456789.,'- ")); ok {
			return code == value
		}
	}
	normalised, err := extraction.NormaliseIn(p.kind, field, text, currency)
	return err == nil && normalised == value
}
