package extraction

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// partyName matches the name of a party of a Chinese VAT invoice. Its label is printed with blanks in
	// it, of which an engine makes words of their own, or loses the first.
	partyName = regexp.MustCompile(`(?:名[ \t]*)?称[ \t]*[:：][ \t]*([^\s:：]{4,60})`)
	// sumRow matches the row of the sums of net amounts and taxes.
	sumRow = regexp.MustCompile(`^[^计計]{0,6}合[ \t]*[计計][^\d¥￥]*[¥￥]?[ \t]*(\d[\d,]*\.\d{2})[^\d]+?(\d[\d,]*\.\d{2})\D*$`)
)

// grandTotal is the label of the total of a Chinese VAT invoice. The parties of the form are above and
// below its row.
const grandTotal = "价税合计"

// totalRow returns the index of the row with the total of a Chinese VAT invoice, -1 if it is none.
func (s *documentLayout) totalRow() int {
	for _, r := range s.rows {
		if strings.Contains(strings.ReplaceAll(r.text, " ", ""), grandTotal) {
			return r.index
		}
	}
	return -1
}

// fapiaoParties finds the buyer and the seller of the printed form of Chinese VAT invoices, where one is
// above the total and the other below. Other documents have both on one side, with their titles.
func (s *documentLayout) fapiaoParties() (buyer, seller finding) {
	total := s.totalRow()
	if total < 0 {
		return buyer, seller
	}
	var above, below finding
	for _, r := range s.rows {
		for _, at := range partyName.FindAllStringSubmatchIndex(r.text, 4) {
			words := withoutNeighbour(r.wordsBetween(at[2], at[3]))
			if len(words) == 0 {
				continue
			}
			last := words[len(words)-1]
			text := r.text[at[2]:min(at[3], last.at+len(last.Text))]
			// The text of a neighbouring cell can follow without a gap, so a person confirms the name.
			name := finding{raw: text, value: text, words: words,
				confidence: min(doubtful, meanConfidence(words))}
			switch {
			case r.index < total && above.value == "":
				above = name
			case r.index > total && below.value == "":
				below = name
			}
		}
	}
	if above.value == "" || below.value == "" {
		return finding{}, finding{}
	}
	return above, below
}

// withoutNeighbour returns the words before the first gap that is wider than a character.
func withoutNeighbour(words []*word) []*word {
	for i := 1; i < len(words); i++ {
		before := words[i-1].Box
		if words[i].Box.X-before.X-before.W > before.H {
			return words[:i]
		}
	}
	return words
}

// fapiaoSums finds the net amount and the tax in their row, if they add up to the total.
func (s *documentLayout) fapiaoSums(total finding) (net, tax finding) {
	whole, ok := hundredths(total.value)
	if !ok || s.totalRow() < 0 {
		return net, tax
	}
	for _, r := range s.rows {
		at := sumRow.FindStringSubmatchIndex(r.text)
		if at == nil {
			continue
		}
		part := func(from, to int) (finding, int64) {
			value := strings.ReplaceAll(r.text[from:to], ",", "")
			words := r.wordsBetween(from, to)
			n, _ := hundredths(value)
			return finding{raw: r.text[from:to], value: value, words: words,
				confidence: 0.95 * meanConfidence(words)}, n
		}
		first, firstSum := part(at[2], at[3])
		second, secondSum := part(at[4], at[5])
		if firstSum+secondSum == whole && firstSum > secondSum {
			return first, second
		}
	}
	return net, tax
}

// hundredths returns an amount with two decimals in its hundredths.
func hundredths(amount string) (int64, bool) {
	whole, part, _ := strings.Cut(amount, ".")
	n, err := strconv.ParseInt(whole+part, 10, 64)
	return n, err == nil && len(part) == 2
}
