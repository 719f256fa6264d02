package extraction

import (
	"cmp"
	"slices"
)

const (
	// blockRows is how many rows at most lie between the net and the total of one closing block.
	blockRows = 6
	// maxNearbyAmounts bounds the amounts that are tried as parts of a total, partsOfSum how many of them make it up.
	maxNearbyAmounts = 22
	maxParts         = 4
	// roundingTolerance is what cash rounding may add to or take from a total, in thousandths.
	roundingTolerance = 50
)

// chooseNetTax finds a net and a tax that make up the total; without such a pair, the ones that should and do not, or
// each by its label alone, less sure.
func chooseNetTax(candidates []*candidate, total *candidate) (net, tax *scored) {
	for _, t := range candidates {
		if t.role != roleTax || t.milli < 0 || t.milli >= total.milli {
			continue
		}
		for _, n := range candidates {
			if (n.role == roleNet || n.role == roleSub || n.role == roleNone) && n.milli+t.milli == total.milli && n != t {
				sure := 0.6 + 0.35*min(meanConfidence(n.words), meanConfidence(t.words))
				if net == nil || n.role == roleNet {
					net, tax = &scored{n.amount, sure}, &scored{t.amount, sure}
				}
			}
		}
	}
	if net != nil {
		return net, tax
	}
	if net, tax = mismatchedNetTax(candidates, total); net != nil {
		return net, tax
	}
	for _, c := range candidates {
		if c.role == roleNet && c.milli > 0 && c.milli <= total.milli && !c.uncertain && net == nil {
			net = &scored{c.amount, 0.5 * meanConfidence(c.words)}
		}
		if c.role == roleTax && c.milli > 0 && c.milli < total.milli && !c.uncertain && tax == nil {
			tax = &scored{c.amount, 0.5 * meanConfidence(c.words)}
		}
	}
	return net, tax
}

// mismatchedNetTax finds net and tax that are printed over the total, each labelled and in its column, and do not make it up,
// where nothing else on the page makes it up either: a misprint or a misreading, which a person has to see. Of a total
// that some sum explains (with freight, a discount, a second tax …) nothing is said.
func mismatchedNetTax(candidates []*candidate, total *candidate) (net, tax *scored) {
	if total.role != roleTotal && total.role != roleGrand && total.role != roleDue || total.uncertain || total.summary || total.milli <= 0 {
		return nil, nil
	}
	base, levy := closingBlock(candidates, total)
	if base == nil || levy == nil || isExplained(candidates, total, base) {
		return nil, nil
	}
	sure := 0.6 + 0.35*min(meanConfidence(base.words), meanConfidence(levy.words), meanConfidence(total.words))
	return &scored{base.amount, sure}, &scored{levy.amount, sure}
}

// closingBlock is the one net and the one tax that stand over the total; nil when there are several, or none.
func closingBlock(candidates []*candidate, total *candidate) (net, tax *candidate) {
	for _, c := range candidates {
		over := total.row.index - c.row.index
		if c.row.page != total.row.page || over < 1 || over > blockRows || c.uncertain || c.summary || c.milli <= 0 || !sameColumn(c, total) ||
			includedTax.MatchString(c.row.folded) || partLabel.MatchString(c.row.folded) {
			continue
		}
		switch {
		case c.role == roleTax && tax == nil && !inclLabel.MatchString(c.row.folded):
			tax = c
		case (c.role == roleSub || c.role == roleNet) && net == nil && tax == nil:
			net = c
		case c.role == roleTax || c.role == roleSub || c.role == roleNet:
			return nil, nil
		}
	}
	if net == nil || tax == nil || tax.milli*2 > net.milli {
		return nil, nil
	}
	return net, tax
}

// sameColumn: the amounts stand one over the other.
func sameColumn(a, b *candidate) bool {
	left, right := a.span()
	from, to := b.span()
	return left < to && from < right
}

func (a *amount) span() (from, to int) {
	first, last := a.words[0].Box, a.words[len(a.words)-1].Box
	return first.X, last.X + last.W
}

// part is an amount that may belong to a total's sum.
type part struct {
	milli int64
	// deductible: it may also be taken off. Discounts and payments are, and what has no label between net and total.
	deductible bool
}

// isExplained reports whether amounts of the total's page make the total up: a few of them, or all lines over the net with
// a few others.
func isExplained(candidates []*candidate, total, net *candidate) bool {
	var all, others []part
	lines := int64(0)
	away := func(c *candidate) int { return max(c.row.index-total.row.index, total.row.index-c.row.index) }
	for _, c := range slices.SortedStableFunc(slices.Values(candidates), func(a, b *candidate) int { return cmp.Compare(away(a), away(b)) }) {
		// The total printed once more, or paid, explains nothing.
		again := c.milli == total.milli && (c.role == roleTotal || c.role == roleGrand || c.role == roleDue || c.role == rolePaid)
		if c == total || c.row.page != total.row.page || c.uncertain || c.milli == 0 || again || len(all) == maxNearbyAmounts {
			continue
		}
		above := c.role == roleNone && c.row.index < net.row.index
		one := part{c.milli, c.role == roleOther || c.role == rolePaid || c.role == roleChange || c.role == roleNone && !above}
		all = append(all, one)
		if above && sameColumn(c, net) {
			lines += c.milli
		} else {
			others = append(others, one)
		}
	}
	return canSumTo(total.milli, all, maxParts) || lines > 0 && canSumTo(total.milli-lines, others, maxParts-2)
}

// canSumTo reports whether at most so many of the parts sum up to the amount, which nothing does for nothing.
func canSumTo(amount int64, parts []part, most int) bool {
	if amount <= roundingTolerance && amount >= -roundingTolerance {
		return true
	}
	if most == 0 {
		return false
	}
	for i, p := range parts {
		if canSumTo(amount-p.milli, parts[i+1:], most-1) || p.deductible && canSumTo(amount+p.milli, parts[i+1:], most-1) {
			return true
		}
	}
	return false
}
