package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"countersign/domain"
)

// documentMisses are the fields of a document that came out wrong.
type documentMisses struct {
	set, file string
	known     int
	wrong     []wrongField
}

// wrongField is a field without its value, or with another one.
type wrongField struct {
	name, got  string
	confidence float64
	wanted     []string
	reason     missReason
}

// missReason says where the value was lost.
type missReason string

const (
	// notPrinted: no word of the pages is like the value, so that it is not printed, or the engine did
	// not read it.
	notPrinted missReason = "not on the pages as read"
	// misread: the pages have it with wrong characters.
	misread missReason = "misread"
	// notChosen: the pages have it, but its label, column or position did not lead to it.
	notChosen missReason = "on the pages, not found"
)

// addWorst keeps the fields of a document that came out wrong.
func (o *outcome) addWorst(file string, pages []domain.Page, fields []domain.Field, known truth) {
	found := documentMisses{set: o.name, file: file}
	text := lettersOf(pages)
	for _, name := range domain.FieldNames() {
		wanted := known[name]
		if len(wanted) == 0 {
			continue
		}
		found.known++
		miss := wrongField{name: name, wanted: wanted}
		at := slices.IndexFunc(fields,
			func(f domain.Field) bool { return f.Name == name && f.Normalised != "" })
		if at >= 0 {
			if right(name, fields[at], wanted) {
				continue
			}
			miss.got, miss.confidence = fields[at].Normalised, fields[at].Confidence
		}
		miss.reason = reasonFor(name, wanted, text)
		found.wrong = append(found.wrong, miss)
	}
	o.worst = append(o.worst, found)
}

// lettersOf joins the letters and digits of all pages, line by line.
func lettersOf(pages []domain.Page) string {
	var text strings.Builder
	for _, page := range pages {
		for _, w := range page.Words {
			text.WriteString(letters(w.Text))
		}
	}
	return text.String()
}

// reasonFor returns where a value was lost, given the letters and digits of the pages.
func reasonFor(name string, wanted []string, text string) missReason {
	var forms []string
	for _, want := range wanted {
		forms = append(forms, printedForms(name, want)...)
	}
	contains := func(form string) bool { return form != "" && strings.Contains(text, form) }
	if slices.ContainsFunc(forms, contains) {
		return notChosen
	}
	if slices.ContainsFunc(forms, func(form string) bool {
		allowed := len([]rune(form)) / 6
		return allowed > 0 && distanceWithin([]rune(form), []rune(text)) <= allowed
	}) {
		return misread
	}
	return notPrinted
}

// dateForms are the orders of year, month and day on documents.
var dateForms = []string{"20060102", "02012006", "01022006", "020106", "2January2006",
	"January22006", "2Jan2006", "02Jan2006"}

// printedForms are the letters and digits of the ways to print a value.
func printedForms(name, value string) []string {
	switch name {
	case domain.FieldDate, domain.FieldDueDate:
		date, err := time.Parse(time.DateOnly, value)
		if err != nil {
			return []string{letters(value)}
		}
		forms := make([]string, len(dateForms))
		for i, form := range dateForms {
			forms[i] = strings.ToUpper(date.Format(form))
		}
		return forms
	case domain.FieldNet, domain.FieldTax, domain.FieldTotal, domain.FieldPrepaid,
		domain.FieldAmountDue:
		whole, fraction, _ := strings.Cut(value, ".")
		digits := onlyDigits(whole) + (fraction + "00")[:2]
		if strings.Trim(digits, "0") == "" {
			return nil // a zero is everywhere
		}
		return []string{digits}
	}
	return []string{letters(value)}
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// distanceWithin returns the distance of a text from the part of another one that is nearest to it.
func distanceWithin(part, whole []rune) int {
	row := make([]int, len(part)+1) // distances of prefixes of part, which can begin anywhere
	for i := range row {
		row[i] = i
	}
	best := row[len(part)]
	for _, y := range whole {
		diagonal := row[0]
		for i, x := range part {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[i+1]
			row[i+1] = min(cost, row[i]+1, diagonal+1)
		}
		best = min(best, row[len(part)])
	}
	return best
}

// printWorst prints the documents with the most wrong fields, and how many fields of all documents were
// lost for which reason.
func printWorst(to io.Writer, outcomes []*outcome, count int) {
	var all []documentMisses
	reasons := map[missReason]int{}
	for _, o := range outcomes {
		for _, d := range o.worst {
			for _, miss := range d.wrong {
				reasons[miss.reason]++
			}
			if len(d.wrong) > 0 {
				all = append(all, d)
			}
		}
	}
	fmt.Fprintf(to, "\nfields without their value: %d %s, %d %s, %d %s\n", reasons[notChosen],
		notChosen, reasons[misread], misread, reasons[notPrinted], notPrinted)
	slices.SortStableFunc(all, func(a, b documentMisses) int {
		return cmp.Or(cmp.Compare(len(b.wrong), len(a.wrong)), cmp.Compare(a.set, b.set),
			cmp.Compare(a.file, b.file))
	})
	for _, d := range all[:min(count, len(all))] {
		fmt.Fprintf(to, "%s %s: %d of %d fields wrong\n", d.set, d.file, len(d.wrong), d.known)
		for _, miss := range d.wrong {
			got := "nothing"
			if miss.got != "" {
				got = fmt.Sprintf("%q (%.2f)", miss.got, miss.confidence)
			}
			fmt.Fprintf(to, "    %s: %s, wanted %s: %s\n", miss.name, got,
				strings.Join(miss.wanted, " or "), miss.reason)
		}
	}
}
