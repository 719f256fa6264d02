package extraction

import (
	"slices"

	"countersign/domain"
)

// maxDocuments limits the documents of one file. Further ones stay in the last part.
const maxDocuments = 50

// Parts returns the documents that a file seems to contain, in reading order, with the pages of each
// and, if several are on one page, their areas. It returns nil if the file seems to contain one.
func Parts(pages []domain.Page) []domain.DocumentPart {
	var parts []domain.DocumentPart
	var present *marks // of the pages of the last part
	words := 0
	for _, page := range pages {
		words += len(page.Words)
		areas := pageAreas(page, len(pages) == 1, words <= maxWords)
		if len(areas) == 0 {
			continue
		}
		first := areas[0].marks
		sign := newDocument(present, first)
		begins := len(parts) == 0 || len(areas) > 1 || sign.begins
		if len(parts) > 0 && parts[len(parts)-1].Box != nil {
			begins = begins || first.hasTotal() || first.title
		}
		if begins && len(parts) < maxDocuments {
			for _, area := range areas {
				parts = append(parts, area.part(page.Number, sign))
			}
			last := areas[len(areas)-1].marks
			present = &last
			continue
		}
		parts[len(parts)-1].Last = page.Number
		present.add(first)
	}
	return numbered(parts)
}

// PartsOfInvoice is Parts for a file with a readable e-invoice, whose pages without a text layer are not
// recognised. Such pages beside pages with words may be another document, so they are parts of their
// own.
func PartsOfInvoice(pages []domain.Page) []domain.DocumentPart {
	if parts := Parts(pages); parts != nil {
		return parts
	}
	var parts []domain.DocumentPart
	for i, page := range pages {
		if i > 0 && (len(page.Words) == 0) == (len(pages[i-1].Words) == 0) {
			parts[len(parts)-1].Last = page.Number
			continue
		}
		parts = append(parts, domain.DocumentPart{First: page.Number, Last: page.Number,
			Reason: domain.PartUnread, Confidence: 0.5})
	}
	return numbered(parts)
}

// numbered returns the parts with the reason of the second for the first, and with every page of the
// file; nil if there is only one.
func numbered(parts []domain.DocumentPart) []domain.DocumentPart {
	if len(parts) < 2 {
		return nil
	}
	parts[0].Reason, parts[0].Confidence = parts[1].Reason, parts[1].Confidence
	parts[0].First = 1
	return parts
}

// sign says whether a page or an area begins another document.
type sign struct {
	begins     bool
	reason     domain.PartReason
	confidence float64
}

// threshold is the weight of signs from which a page or an area is another document.
const threshold = 4.0

// weights collects signs for another document and against it.
type weights struct {
	sum, most float64
	reason    domain.PartReason
}

func (w *weights) add(weight float64, reason domain.PartReason) {
	w.sum += weight
	if weight > w.most {
		w.most, w.reason = weight, reason
	}
}

// sign returns the result of the signs.
func (w *weights) sign() sign {
	return sign{w.sum >= threshold, w.reason, clamp(0.5 + (w.sum-threshold)/8)}
}

// newDocument compares a page with the pages of the document before it, nil if there are none. A number
// that both state and the number of a page inside a document speak against another document, but decide
// nothing: the submitter can print them on the pages of two.
func newDocument(before *marks, page marks) sign {
	if before == nil {
		return sign{}
	}
	named := page.title && (len(page.numbers) > 0 || page.date != "" && conflict(before.ids, page.ids))
	if !page.hasTotal() && !named && page.number != 1 {
		return sign{}
	}
	w := compare(*before, page)
	if hasCommon(before.numbers, page.numbers) {
		w.sum -= 3
	}
	if before.title && page.title && before.complete() && page.complete() &&
		before.total != page.total && before.date != "" && page.date != "" && before.date != page.date {
		w.add(1, domain.PartTotal)
	}
	switch {
	case page.number == 1 && before.number > 0:
		w.add(3, domain.PartNumbering)
	case page.number == 1 && before.hasTotal():
		w.add(2, domain.PartNumbering)
	}
	if page.number > 1 {
		w.sum -= 3
	}
	if page.carried {
		w.sum -= 3
	}
	if page.prose {
		w.sum -= 2
	}
	if page.format != before.format && page.hasTotal() {
		w.add(1.5, domain.PartFormat)
	}
	return w.sign()
}

// compare weighs what two pages or areas state about the number, the issuer, the total and the date.
func compare(a, b marks) weights {
	var w weights
	if differ(a.numbers, b.numbers) {
		w.add(3, domain.PartNumber)
	}
	switch {
	case len(a.ids) > 0 && len(b.ids) > 0 && shares(a.ids, b.ids):
		w.sum--
	case len(a.ids) > 0 && len(b.ids) > 0:
		w.add(1.5, domain.PartIssuer)
	}
	if first, second := a.vendor(), b.vendor(); first != "" && second != "" {
		if sameName(first, second) {
			w.sum -= 0.5
		} else {
			w.add(1, domain.PartIssuer)
		}
	}
	if a.title && b.title {
		w.add(1, domain.PartNumber)
	}
	if a.hasTotal() && b.hasTotal() {
		if w.add(1, domain.PartTotal); a.total != b.total {
			w.add(1, domain.PartTotal)
		} else {
			w.sum -= 1.5
		}
	}
	if a.date != "" && b.date != "" {
		if w.add(0.5, domain.PartTotal); a.date != b.date {
			w.add(1, domain.PartTotal)
		}
	}
	return w
}

// hasCommon reports whether the numbers of two documents have one in common. Numbers of one issuer may
// differ in their last digit only.
func hasCommon(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// differ reports whether both have document numbers and none in common.
func differ(a, b []string) bool { return len(a) > 0 && len(b) > 0 && !hasCommon(a, b) }

// conflict reports whether both have codes of an issuer and none in common.
func conflict(a, b []string) bool { return len(a) > 0 && len(b) > 0 && !shares(a, b) }
