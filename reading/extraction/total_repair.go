package extraction

import (
	"strings"

	"countersign/domain"
)

// repairTotal returns a recognised total that was read without its decimal point with the point
// before its last two digits, if the page has that exact amount elsewhere. Payment less change is no
// such proof: where it differs from the total in one digit, the total was right more often.
func repairTotal(total *candidate, candidates []*candidate) *candidate {
	if total == nil || total.row.source() != domain.SourceOCR ||
		strings.ContainsAny(total.raw, ".,") ||
		total.role != roleTotal && total.role != roleGrand && total.role != roleDue {
		return total
	}
	for _, c := range candidates {
		if c.row != total.row && c.row.page == total.row.page && !c.uncertain &&
			c.milli*100 == total.milli {
			value, repaired := *total.amount, *total
			value.milli, value.uncertain, value.ambiguous = c.milli, true, false
			repaired.amount = &value
			return &repaired
		}
	}
	return total
}

// repeatedAmount returns the largest unlabelled amount below the payment that is printed more than
// once, otherwise the payment.
func repeatedAmount(candidates []*candidate, payment *candidate) *candidate {
	best := payment
	seen := map[int64]bool{}
	for _, c := range candidates {
		if c.role != roleNone || c.uncertain || c.milli <= 0 || c.milli >= payment.milli {
			continue
		}
		if seen[c.milli] && (best == payment || c.milli > best.milli) {
			best = c
		}
		seen[c.milli] = true
	}
	return best
}
