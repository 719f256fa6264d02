package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/reading/extraction"
)

// lineScore counts the line items of a set: how many its e-invoices state, how many the pages have
// right, and how many items were read that no e-invoice states.
type lineScore struct {
	known, right, read, documents, whole int
	nearly                               int // items right but for one in ten letters of the text
	numbers                              int // items whose quantity, unit price and amount are right
	certain, certainWrong                int // items read with certainty, and those with wrong numbers
	misses                               []string
	onlyPages                            map[domain.LineCheck]int
}

// addDocument compares the items on the pages of a document with those of its e-invoice.
func (s *lineScore) addDocument(path string, doc saved) {
	pages := extraction.Examine(doc.Pages, extraction.Hints{}, nil).Lines
	xml := invoiceXML(path, doc)
	_, stated, err := extraction.InvoiceFromXML(xml)
	if err == nil && stated.XMLCount > 0 {
		s.add(filepath.Base(path), stated, pages, grossPrices(xml))
		return
	}
	if s.onlyPages == nil {
		s.onlyPages = map[domain.LineCheck]int{}
	}
	s.onlyPages[pages.Check]++
}

// certainLine is the confidence from which a line item is certain; that of items is not calibrated.
const certainLine = 0.60

var grossPrice = regexp.MustCompile(
	`(?s)GrossPriceProductTradePrice>\s*<[a-z:]*ChargeAmount[^>]*>\s*(\d+)\.?(\d*)`)

// grossPrices are the unit prices before discounts that an e-invoice states.
func grossPrices(xml []byte) map[string]bool {
	prices := map[string]bool{}
	for _, match := range grossPrice.FindAllSubmatch(xml, -1) {
		price := string(match[1])
		if fraction := strings.TrimRight(string(match[2]), "0"); fraction != "" {
			price += "." + fraction
		}
		prices[price] = true
	}
	return prices
}

// invoiceXML is the e-invoice in the file, or beside it if the file was read as a scan.
func invoiceXML(path string, doc saved) []byte {
	if len(doc.XML) > 0 {
		return doc.XML
	}
	xml, err := os.ReadFile(xmlPath(path))
	if err != nil {
		return nil
	}
	return xml
}

// xmlPath is the path of the e-invoice beside a document.
func xmlPath(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".xml" }

func (s *lineScore) add(name string, stated, pages domain.LineItems, gross map[string]bool) {
	s.documents++
	s.known += len(stated.Items)
	s.read += len(pages.Items)
	right := 0
	s.numbers += count(pages.Items, stated.Items, func(got, want domain.LineItem) bool {
		return sameNumbers(got, want, gross)
	})
	s.nearly += count(pages.Items, stated.Items, func(got, want domain.LineItem) bool {
		return sameNumbers(got, want, gross) && sameText(got, want, 10)
	})
	left := slices.Clone(pages.Items)
	for _, want := range stated.Items {
		at := slices.IndexFunc(left, func(got domain.LineItem) bool {
			return sameLine(got, want, gross)
		})
		if at < 0 {
			s.misses = append(s.misses, fmt.Sprintf("%s: missing %s", name, lineText(want)))
			continue
		}
		right++
		left = slices.Delete(left, at, at+1)
	}
	for _, got := range left {
		s.misses = append(s.misses, fmt.Sprintf("%s: read %s (%.2f)", name, lineText(got),
			got.Confidence))
	}
	s.right += right
	for _, got := range pages.Items {
		if got.Confidence < certainLine {
			continue
		}
		s.certain++
		if !slices.ContainsFunc(stated.Items, func(want domain.LineItem) bool {
			return sameNumbers(got, want, gross)
		}) {
			s.certainWrong++
		}
	}
	if right == len(stated.Items) && len(left) == 0 {
		s.whole++
	}
}

// count counts the stated items that one of the read items is the same as.
func count(read, stated []domain.LineItem, same func(got, want domain.LineItem) bool) int {
	found, left := 0, slices.Clone(read)
	for _, want := range stated {
		at := slices.IndexFunc(left, func(got domain.LineItem) bool { return same(got, want) })
		if at >= 0 {
			found++
			left = slices.Delete(left, at, at+1)
		}
	}
	return found
}

// sameLine compares description, quantity, unit price and amount. The unit price can be that before a
// discount, if the e-invoice states it.
func sameLine(got, want domain.LineItem, gross map[string]bool) bool {
	return sameNumbers(got, want, gross) && sameText(got, want, 0)
}

// sameText compares descriptions without case, spaces and punctuation. A page can print the name of
// the product, or its name and description, and further lines that the e-invoice has elsewhere. One
// of so many letters may differ; 0 allows none.
func sameText(got, want domain.LineItem, perWrong int) bool {
	name, _, _ := strings.Cut(want.Description, "\n")
	lines := strings.Split(got.Description, "\n")
	for _, wanted := range []string{bare(name), bare(want.Description)} {
		allowed := 0
		if perWrong > 0 {
			allowed = (len([]rune(wanted)) + perWrong - 1) / perWrong
		}
		for i := range lines {
			if distance([]rune(bare(strings.Join(lines[:i+1], ""))), []rune(wanted)) <= allowed {
				return true
			}
		}
	}
	return false
}

// distance is the number of letters to insert, delete or replace to get from one text to the other.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func sameNumbers(got, want domain.LineItem, gross map[string]bool) bool {
	return got.Minor != nil && want.Minor != nil && *got.Minor == *want.Minor &&
		got.Quantity == want.Quantity &&
		(got.UnitPrice == want.UnitPrice || gross[got.UnitPrice])
}

// bare is a text without case, spaces and punctuation.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func lineText(item domain.LineItem) string {
	text, err := json.Marshal([]any{item.Description, item.Quantity, item.UnitPrice, item.Minor,
		item.Check})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (s lineScore) print(to io.Writer, misses bool) {
	share := func(part int) float64 { return 100 * float64(part) / float64(max(1, s.known)) }
	if s.documents > 0 {
		fmt.Fprintf(to, "  line items from pages: %d of %d right (%.0f %%), but for misread letters %d (%.0f %%), numbers of %d (%.0f %%), %d read, all right in %d of %d documents; certain %d, numbers wrong of these %d\n",
			s.right, s.known, share(s.right), s.nearly, share(s.nearly), s.numbers, share(s.numbers), s.read, s.whole,
			s.documents, s.certain, s.certainWrong)
	}
	if len(s.onlyPages) > 0 {
		fmt.Fprintf(to, "  documents without an e-invoice, by what the sum of their items equals: %v\n",
			s.onlyPages)
	}
	if misses {
		for _, miss := range s.misses {
			fmt.Fprintln(to, "   ", miss)
		}
	}
}
