package extraction

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// certainMark is the confidence from which one engine reads a currency for certain. Less, and codes that
// differ by one letter, such as INR and IDR, may be mistaken for each other.
const certainMark = 0.9

// uncertainMarks are marks that several currencies have, or that other text is misread as.
var uncertainMarks = []string{"rs", "rs.", "元", "rn", "rh", "fm", "rm."}

// statedCurrency returns the currency that the pages state with a total of these words: the only one in its
// row, if it is beside the total, or, of a text layer whose row has none, the only one of the pages if they
// state it for all amounts. It is "" if that is not certain, because the total then may be in any.
func (s *documentLayout) statedCurrency(total []*word) string {
	if len(total) == 0 {
		return ""
	}
	row := total[0].row.words
	if code, named := onlyMark(row); named {
		from := slices.Index(row, total[0])
		to := from + len(total)
		if _, beside := onlyMark(row[max(0, from-1):min(len(row), to+1)]); beside {
			return code
		}
		return ""
	}
	if slices.ContainsFunc(s.words, func(w *word) bool { return w.source != domain.SourceText }) {
		return ""
	}
	if code, _ := onlyMark(s.words); code != "" && s.isOfAllAmounts(code) {
		return code
	}
	return ""
}

// minMarked is the number of amounts with a currency from which the others of the page have it too.
const minMarked = 2

// isOfAllAmounts reports whether the pages state a currency for all amounts: a label or heading names it, or
// several amounts have it.
func (s *documentLayout) isOfAllAmounts(code string) bool {
	if s.namedCurrency().value == code || headingMark(code).MatchString(s.text) {
		return true
	}
	marked := 0
	for _, a := range s.amounts("") {
		if a.currency == code && !a.uncertain {
			marked++
		}
	}
	return marked >= minMarked
}

func headingMark(code string) *regexp.Regexp {
	return regexp.MustCompile(`\(` + code + `\)|\b[Ii]n ` + code + `\b`)
}

// onlyMark returns the currency that words name, "" if they name several or it is not certain. named says
// whether they name any.
func onlyMark(words []*word) (code string, named bool) {
	for _, w := range words {
		mark, ok := w.mark()
		if !ok {
			continue
		}
		if mark == "" || code != "" && mark != code {
			return "", true
		}
		code, named = mark, true
	}
	return code, named
}

// mark returns the currency that a word names, alone or beside an amount, "" if it is not certain. ok is false
// if it names none.
func (w *word) mark() (code string, ok bool) {
	text := strings.Trim(w.Text, "()[].,:;")
	if a, isAmount := parseAmount(w.Text, ""); isAmount && a.currency != "" {
		text = strings.Trim(text, "0123456789.,'’+-–")
	} else if !namesCurrency(text) {
		return "", false
	}
	code = symbols[strings.ToLower(text)]
	certain := !slices.Contains(uncertainMarks, strings.ToLower(text)) && w.Alternative == ""
	if w.source != domain.SourceText {
		certain = certain && w.Confidence >= certainMark && (text == code || text == "RM")
	}
	if !certain {
		return "", true
	}
	return code, true
}

// ownCurrency is the currency of the total found, and the total in it.
type ownCurrency struct {
	domain.Field
	total string
}

// pairTotal gives the total found the currency that its own document or page states, and returns that; nil
// if none is certain.
func (e *Examination) pairTotal(pages []domain.Page) *ownCurrency {
	at := slices.IndexFunc(e.Fields, func(f domain.Field) bool { return f.Name == domain.FieldTotal })
	if at < 0 || e.Fields[at].Box == nil {
		return nil
	}
	total := &e.Fields[at]
	own := slices.DeleteFunc(slices.Clone(pages), func(p domain.Page) bool { return p.Number != total.Page })
	for _, part := range e.Parts {
		if inPart := pagesOfPart(pages, part); hasWordsIn(inPart, *total) {
			own = inPart
		}
	}
	layout := newDocumentLayout(own)
	for _, a := range layout.amounts(valueOf(e.Fields, domain.FieldCurrency)) {
		if a.raw != total.Raw || a.row.page != total.Page || frameOf(a.words) != *total.Box {
			continue
		}
		code := layout.statedCurrency(a.words)
		if total.Currency = code; code != "" {
			mark := layout.markBeside(a, finding{raw: code, value: code, words: a.words, inferred: true,
				confidence: total.Confidence}).field(domain.FieldCurrency)
			return &ownCurrency{mark, a.finding(code, 0).value}
		}
	}
	return nil
}

// hasWordsIn reports whether the pages have the words of a field.
func hasWordsIn(pages []domain.Page, field domain.Field) bool {
	return slices.ContainsFunc(pages, func(p domain.Page) bool {
		return p.Number == field.Page && slices.ContainsFunc(p.Words, func(w domain.Word) bool {
			return w.Box.X >= field.Box.X && w.Box.X+w.Box.W <= field.Box.X+field.Box.W &&
				w.Box.Y >= field.Box.Y && w.Box.Y+w.Box.H <= field.Box.Y+field.Box.H
		})
	})
}

// pairCurrencies marks the currencies that belong to totals. fields are those found; own is the currency of
// the total found, nil if it is not certain. In a file with one currency every total has it, so that nothing
// is paired.
func (e *Examination) pairCurrencies(fields []domain.Field, own *ownCurrency) {
	at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == domain.FieldCurrency })
	if at < 0 || !e.differsElsewhere(fields[at]) {
		e.separate(fields)
		return
	}
	if own != nil && own.Normalised != fields[at].Normalised {
		e.replaceCurrency(at, *own)
	}
	owned := map[string]bool{}
	for _, field := range slices.Concat(fields, e.Elsewhere) {
		owned[field.Currency] = true
	}
	mark := func(list []domain.Field) {
		for i := range list {
			list[i].OfTotals = list[i].Name == domain.FieldCurrency && owned[list[i].Normalised]
		}
	}
	mark(e.Elsewhere)
	if own != nil {
		mark(e.Fields)
	}
}

// replaceCurrency puts the currency of the total found in the place of that of the whole file, which becomes
// another value.
func (e *Examination) replaceCurrency(at int, own ownCurrency) {
	found := e.Fields[at]
	own.Confidence = min(own.Confidence, found.Confidence)
	e.Elsewhere = append(slices.DeleteFunc(e.Elsewhere, func(other domain.Field) bool {
		return other.Name == own.Name && other.Normalised == own.Normalised
	}), found)
	for i, other := range e.Elsewhere {
		if other.Name == own.Name && sourceRank[other.Source] < sourceRank[own.Source] {
			e.Elsewhere[i].Source = own.Source // otherwise it would take the place of the value in force
		}
	}
	e.Fields[at] = own.Field
	total := slices.IndexFunc(e.Fields, func(f domain.Field) bool { return f.Name == domain.FieldTotal })
	e.Fields[total].Normalised = cmp.Or(own.total, e.Fields[total].Normalised)
	e.Elsewhere = slices.DeleteFunc(e.Elsewhere,
		func(other domain.Field) bool { return states(e.Fields[total], other) })
}

// separate removes the currencies of totals, and the totals that differ by them alone.
func (e *Examination) separate(found []domain.Field) {
	var kept []domain.Field
	for _, field := range e.Elsewhere {
		field.Currency = ""
		if !slices.ContainsFunc(found, func(f domain.Field) bool { return isSame(f, field) }) &&
			!slices.ContainsFunc(kept, func(f domain.Field) bool { return isSame(f, field) }) {
			kept = append(kept, field)
		}
	}
	e.Elsewhere = kept
	for i := range e.Fields {
		e.Fields[i].Currency = ""
	}
}

func isSame(a, b domain.Field) bool {
	return a.Name == b.Name && isSameValue(a.Name, a.Normalised, b.Normalised)
}
