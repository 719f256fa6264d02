package extraction

import (
	"slices"

	"countersign/domain"
)

// unconfirmed is the factor for the confidence of a total that nothing else on the page confirms, or
// that the payment contradicts.
const unconfirmed = 0.6

// readAlike is the factor for the confidence of a total that two engines read alike, and that no other
// amount confirms or contradicts.
const readAlike = 0.7

// agreement returns the factor for the confidence of the total by the other amounts of its page. A
// digit that the engine misread looks as certain as any other, so a recognised total is confident
// only if another amount confirms it: the same amount printed again, the payment less the change, or
// net and tax. A payment that contradicts the total counts against it whatever its source.
func agreement(total *candidate, candidates []*candidate, net, tax *scored) float64 {
	paid, agrees := paymentAgrees(total, candidates)
	switch {
	case paid && !agrees:
		return unconfirmed
	case agrees, total.row.source() != domain.SourceOCR, isRepeated(total, candidates):
		return 1
	case net != nil && tax != nil && tax.milli > 0 && net.milli+tax.milli == total.milli:
		return 1
	case len(total.words) > 0 && !slices.ContainsFunc(total.words,
		func(w *word) bool { return !w.isAgreed() }):
		return readAlike
	}
	return unconfirmed
}

// paymentAgrees reports whether the page of the total states a payment, and whether one of the
// payments, less the change if there is any, is the total.
func paymentAgrees(total *candidate, candidates []*candidate) (paid, agrees bool) {
	changes := []int64{0}
	for _, c := range candidates {
		if c.role == roleChange && c.row.page == total.row.page {
			changes = append(changes, max(c.milli, -c.milli))
		}
	}
	for _, c := range candidates {
		if c.role != rolePaid || c.row.page != total.row.page || c.milli == 0 ||
			c.amount == total.amount {
			continue
		}
		paid = true
		for _, change := range changes { // some receipts print the payment with a minus
			if max(c.milli, -c.milli)-change == total.milli {
				agrees = true
			}
		}
	}
	return paid, agrees
}

// isRepeated reports whether another row of the page has the same amount.
func isRepeated(total *candidate, candidates []*candidate) bool {
	for _, c := range candidates {
		if c.row != total.row && c.row.page == total.row.page && c.milli == total.milli &&
			!c.uncertain {
			return true
		}
	}
	return false
}

// isMisreadingOf reports whether two dates differ in one digit, as where the engine misread one of
// two places with the same date.
func (c *dateCandidate) isMisreadingOf(other *dateCandidate) bool {
	wrong := 0
	for i := range min(len(c.iso), len(other.iso)) {
		if c.iso[i] != other.iso[i] {
			wrong++
		}
	}
	return wrong == 1
}
