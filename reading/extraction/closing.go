package extraction

import (
	"cmp"
	"regexp"
	"slices"
)

const (
	// blockRows is the maximum number of rows between the net and the total of a closing block.
	blockRows = 6
	// maxNearbyAmounts limits the amounts that are tried as parts of a total, partsOfSum the number
	// of parts in a sum.
	maxNearbyAmounts = 22
	maxParts         = 4
	// roundingTolerance is the maximum difference by cash rounding, in thousandths.
	roundingTolerance = 50
)

// chooseNetTax returns a net and a tax that add up to the total. Without such a pair it returns the
// labelled pair that should but does not, otherwise each by its label alone, with lower confidence.
func chooseNetTax(candidates []*candidate, total *candidate) (net, tax *scored) {
	for _, t := range candidates {
		if t.role != roleTax || t.milli < 0 || t.milli >= total.milli {
			continue
		}
		for _, n := range candidates {
			if (n.role == roleNet || n.role == roleSub || n.role == roleNone ||
				t.milli == 0 && netTotal.MatchString(n.row.folded)) &&
				n.milli+t.milli == total.milli &&
				n != t {
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
	if net, tax = netTaxInRow(candidates, total); net != nil {
		return net, tax
	}
	if net, tax = sumsByRate(candidates, total); net != nil {
		return net, tax
	}
	if net, tax = mismatchedNetTax(candidates, total); net != nil {
		return net, tax
	}
	return soleByLabel(candidates, roleNet, total), soleByLabel(candidates, roleTax, total)
}

// soleByLabel returns the only labelled amount of a role, with low confidence; nil if there are several
// different ones, because each may be a part.
func soleByLabel(candidates []*candidate, of role, total *candidate) (found *scored) {
	for _, c := range candidates {
		if c.role != of || c.milli <= 0 || c.milli > total.milli || c.uncertain ||
			of == roleTax && c.milli == total.milli {
			continue
		}
		if found != nil && found.milli != c.milli {
			return nil
		}
		if found == nil {
			found = &scored{c.amount, 0.5 * meanConfidence(c.words)}
		}
	}
	return found
}

// taxRate matches a rate of tax in a row of a table.
var taxRate = regexp.MustCompile(`\d\s?%`)

// netTaxInRow returns a net and a tax in one row of a table of taxes that add up to the total.
func netTaxInRow(candidates []*candidate, total *candidate) (net, tax *scored) {
	for i, n := range candidates {
		if !taxRate.MatchString(n.row.text) && !taxLabel.MatchString(n.row.folded) {
			continue
		}
		for _, t := range candidates[i+1:] {
			if t.row != n.row {
				break
			}
			if n.milli+t.milli == total.milli && t.milli > 0 && t.milli*3 < n.milli {
				sure := 0.6 + 0.35*min(meanConfidence(n.words), meanConfidence(t.words))
				return &scored{n.amount, sure}, &scored{t.amount, sure}
			}
		}
	}
	return nil, nil
}

// mismatchedNetTax returns the labelled net and tax above the total, in its column, if neither they
// nor any other amounts on the page add up to it: a misprint or recognition error that a person
// must see. It returns nil if another sum explains the total (with freight, a discount, a second
// tax …).
func mismatchedNetTax(candidates []*candidate, total *candidate) (net, tax *scored) {
	if total.role != roleTotal && total.role != roleGrand && total.role != roleDue ||
		total.uncertain ||
		total.summary ||
		total.milli <= 0 {
		return nil, nil
	}
	base, levy := closingBlock(candidates, total)
	if base == nil || levy == nil || isExplained(candidates, total, base) {
		return nil, nil
	}
	sure := 0.6 + 0.35*min(
		meanConfidence(base.words), meanConfidence(levy.words), meanConfidence(total.words),
	)
	return &scored{base.amount, sure}, &scored{levy.amount, sure}
}

// closingBlock returns the net and the tax above the total, nil if there is not exactly one of
// each.
func closingBlock(candidates []*candidate, total *candidate) (net, tax *candidate) {
	for _, c := range candidates {
		over := total.row.index - c.row.index
		if c.row.page != total.row.page || over < 1 || over > blockRows || c.uncertain ||
			c.summary ||
			c.milli <= 0 ||
			!sameColumn(c, total) ||
			includedTax.MatchString(c.row.folded) ||
			partLabel.MatchString(c.row.folded) {
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

// sameColumn reports whether the amounts are in one column.
func sameColumn(a, b *candidate) bool {
	left, right := a.span()
	from, to := b.span()
	return left < to && from < right
}

func (a *amount) span() (from, to int) {
	first, last := a.words[0].Box, a.words[len(a.words)-1].Box
	return first.X, last.X + last.W
}

// part is an amount that may be part of a total.
type part struct {
	milli int64
	// deductible says that it may also be subtracted: discounts, payments, and unlabelled amounts
	// between net and total.
	deductible bool
}

// isExplained reports whether amounts on the page of the total add up to it: a few of them, or all
// line items above the net and a few others.
func isExplained(candidates []*candidate, total, net *candidate) bool {
	var all, others []part
	lines := int64(0)
	away := func(c *candidate) int {
		return max(c.row.index-total.row.index,
			total.row.index-c.row.index)
	}
	for _, c := range slices.SortedStableFunc(slices.Values(candidates),
		func(a, b *candidate) int { return cmp.Compare(away(a), away(b)) }) {
		// A repetition of the total, or its payment, is not an explanation.
		again := c.milli == total.milli &&
			(c.role == roleTotal || c.role == roleGrand || c.role == roleDue || c.role == rolePaid)
		if c == total || c.row.page != total.row.page || c.uncertain || c.milli == 0 || again ||
			len(all) == maxNearbyAmounts {
			continue
		}
		above := c.role == roleNone && c.row.index < net.row.index
		one := part{
			c.milli,
			c.role == roleOther || c.role == rolePaid || c.role == roleChange ||
				c.role == roleNone && !above,
		}
		all = append(all, one)
		if above && sameColumn(c, net) {
			lines += c.milli
		} else {
			others = append(others, one)
		}
	}
	return canSumTo(total.milli, all, maxParts) ||
		lines > 0 && canSumTo(total.milli-lines, others, maxParts-2)
}

// canSumTo reports whether at least one and at most the given number of parts add up to the amount.
func canSumTo(amount int64, parts []part, most int) bool {
	if amount <= roundingTolerance && amount >= -roundingTolerance {
		return true
	}
	if most == 0 {
		return false
	}
	for i, p := range parts {
		if canSumTo(amount-p.milli, parts[i+1:], most-1) ||
			p.deductible && canSumTo(amount+p.milli, parts[i+1:], most-1) {
			return true
		}
	}
	return false
}

// printedTotal returns where the page states the total: an amount that is called the net total has the
// same value without tax, but people look for the total itself.
func printedTotal(total *candidate, candidates []*candidate) *candidate {
	if !netTotal.MatchString(total.row.folded) {
		return total
	}
	for _, c := range candidates {
		if c.milli == total.milli && !c.uncertain && !c.ambiguous && c.currency == total.currency &&
			(c.role == roleTotal || c.role == roleGrand) && !netTotal.MatchString(c.row.folded) {
			return c
		}
	}
	return total
}
