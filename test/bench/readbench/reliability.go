package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"countersign/domain"
	"countersign/rules"
)

// judgement is a value that was read, with the confidence that the program states, and whether it is
// right to the letter.
type judgement struct {
	field   string
	stated  float64
	isRight bool
}

type judgements []judgement

// isSure reports whether no person has to look at the value.
func (j judgement) isSure() bool {
	if slices.Contains(domain.PartAmounts, j.field) {
		return j.stated >= rules.LowConfidence // their confidence is not calibrated
	}
	return j.stated >= sureBound
}

// sureBound is the confidence from which values count as certain: that of the program, or -bound.
var sureBound = rules.LowConfidence

// sure counts the values called sure, and the wrong ones among them.
func (list judgements) sure() (count, wrong int) {
	for _, j := range list {
		if j.isSure() {
			count++
			if !j.isRight {
				wrong++
			}
		}
	}
	return count, wrong
}

// describeSure states the share of the values called sure, and how many of these are wrong.
func (list judgements) describeSure() string {
	count, wrong := list.sure()
	return fmt.Sprintf("%d of %d (%.1f %%); wrong %d (%.2f %%), at most %.2f %% with 95 %% confidence",
		count, len(list), percent(count, len(list)), wrong, percent(wrong, count),
		100*upperBound(wrong, count))
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(1, all)) }

// reliabilityBins are the upper ends of the bins of a reliability table. One of them is the bound of
// sure values.
var reliabilityBins = []float64{0.2, 0.4, 0.5, rules.LowConfidence, 0.7, 0.8, 0.9, calibratedBound, 0.98, 1.01}

// print prints which values are sure, by field and of all, and how often values of each stated
// confidence are right.
func (list judgements) print(to io.Writer) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(to, "  sure, all fields: %s\n", list.describeSure())
	byField := map[string]judgements{}
	for _, j := range list {
		byField[j.field] = append(byField[j.field], j)
	}
	for _, name := range domain.FieldNames() {
		if found := byField[name]; len(found) > 0 {
			fmt.Fprintf(to, "    %s: %s\n", name, found.describeSure())
		}
	}
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "  stated\tvalues\tmean stated\tright\tright, %\t")
	from := 0.0
	for _, end := range reliabilityBins {
		count, right, sum := 0, 0, 0.0
		for _, j := range list {
			if j.stated >= from && j.stated < end {
				count++
				sum += j.stated
				if j.isRight {
					right++
				}
			}
		}
		if count > 0 {
			fmt.Fprintf(table, "  %.2f-%.2f\t%d\t%.2f\t%d\t%.1f\t\n", from, min(end, 1), count,
				sum/float64(count), right, percent(right, count))
		}
		from = end
	}
	_ = table.Flush()
}

// protocol counts entities as task 3 of ICDAR 2019 SROIE does: those known, those returned, and those
// with exactly the text of the truth. A wrong entity costs precision and recall, a missing one only
// recall.
type protocol struct {
	known, returned, matched int
	matchedOf                [4]int // by the index in task3Fields
}

// task3Fields are the four entities of the task.
var task3Fields = []string{domain.FieldVendor, domain.FieldVendorAddress, domain.FieldDate,
	domain.FieldTotal}

// add counts a field whose truth is known. Every mark counts in the text of vendor and address, but runs
// of blanks are one. The truth of the task is in capitals, so letters are compared in capitals, and it
// has an address as printed, so that is compared as printed, without the commas that this program
// sets between its lines. A date and a total are compared as normalised values, because this program
// does not return them as printed.
func (p *protocol) add(name string, fields []domain.Field, wanted []string) {
	if !slices.Contains(task3Fields, name) {
		return
	}
	p.known++
	for _, field := range fields {
		if field.Name != name || field.Normalised == "" {
			continue
		}
		p.returned++
		isMatch := right(name, field, wanted)
		switch name {
		case domain.FieldVendor:
			isMatch = isSameText(field.Normalised, wanted)
		case domain.FieldVendorAddress:
			isMatch = isSameText(asPrinted(field), wanted)
		}
		if isMatch {
			p.matched++
			p.matchedOf[slices.Index(task3Fields, name)]++
		}
		return
	}
}

// asPrinted returns the value of an address without the commas that this program sets between its lines.
func asPrinted(field domain.Field) string {
	printed, words := strings.Fields(field.Raw), strings.Fields(field.Normalised)
	if len(printed) != len(words) {
		return field.Raw
	}
	for i, word := range words {
		if !strings.ContainsAny(printed[i][len(printed[i])-1:], ".,") && !strings.HasSuffix(printed[i], "，") {
			words[i] = strings.TrimSuffix(word, ",")
		}
	}
	return strings.Join(words, " ")
}

// isSameText reports whether the text is one of those wanted, apart from letter case and blanks.
func isSameText(text string, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(want string) bool {
		return strings.EqualFold(oneBlank(text), oneBlank(want))
	})
}

func oneBlank(text string) string { return strings.Join(strings.Fields(text), " ") }

// f1 is the harmonic mean of precision and recall over all entities, in percent.
func (p *protocol) f1() float64 { return percent(2*p.matched, p.known+p.returned) }

func (p *protocol) String() string {
	return fmt.Sprintf("F1 by SROIE task 3 %.1f %% (precision %.1f, recall %.1f, %d of %d)", p.f1(),
		percent(p.matched, p.returned), percent(p.matched, p.known), p.matched, p.known)
}

// allRight is the share of the known values of all fields that are right, in percent.
func (o *outcome) allRight() float64 {
	right, known := o.share(floor{})
	return percent(right, known)
}

// printCodes prints how many documents were refused with each code, in the order of the codes.
func (o *outcome) printCodes(to io.Writer) {
	for _, code := range slices.Sorted(maps.Keys(o.codes)) {
		fmt.Fprintln(to, "  refused "+string(code)+": "+strconv.Itoa(o.codes[code]))
	}
}
