package extraction

import (
	"cmp"
	"slices"
)

const (
	// blockRows is how many rows at most lie between the net and the total of one closing block.
	blockRows = 6
	// nearest bounds the amounts that are tried as parts of a total, partsOfSum how many of them make it up.
	nearest    = 22
	partsOfSum = 4
	// slack is what cash rounding may add to or take from a total, in thousandths.
	slack = 50
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
	if net, tax = misfit(candidates, total); net != nil {
		return net, tax
	}
	for _, c := range candidates {
		if c.role == roleNet && c.milli > 0 && c.milli <= total.milli && !c.weak && net == nil {
			net = &scored{c.amount, 0.5 * meanConfidence(c.words)}
		}
		if c.role == roleTax && c.milli > 0 && c.milli < total.milli && !c.weak && tax == nil {
			tax = &scored{c.amount, 0.5 * meanConfidence(c.words)}
		}
	}
	return net, tax
}

// misfit finds net and tax that are printed over the total, each labelled and in its column, and do not make it up,
// where nothing else on the page makes it up either: a misprint or a misreading, which a person has to see. Of a total
// that some sum explains (with freight, a discount, a second tax …) nothing is said.
func misfit(candidates []*candidate, total *candidate) (net, tax *scored) {
	if total.role != roleTotal && total.role != roleGrand && total.role != roleDue || total.weak || total.summary || total.milli <= 0 {
		return nil, nil
	}
	base, levy := closingBlock(candidates, total)
	if base == nil || levy == nil || explained(candidates, total, base) {
		return nil, nil
	}
	sure := 0.6 + 0.35*min(meanConfidence(base.words), meanConfidence(levy.words), meanConfidence(total.words))
	return &scored{base.amount, sure}, &scored{levy.amount, sure}
}

// closingBlock is the one net and the one tax that stand over the total; nil when there are several, or none.
func closingBlock(candidates []*candidate, total *candidate) (net, tax *candidate) {
	for _, c := range candidates {
		over := total.row.index - c.row.index
		if c.row.page != total.row.page || over < 1 || over > blockRows || c.weak || c.summary || c.milli <= 0 || !sameColumn(c, total) ||
			includedTax.MatchString(c.row.plain) || partLabel.MatchString(c.row.plain) {
			continue
		}
		switch {
		case c.role == roleTax && tax == nil && !inclLabel.MatchString(c.row.plain):
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
	// off: it may also be taken off. Discounts and payments are, and what has no label between net and total.
	off bool
}

// explained reports whether amounts of the total's page make the total up: a few of them, or all lines over the net with
// a few others.
func explained(candidates []*candidate, total, net *candidate) bool {
	var all, others []part
	lines := int64(0)
	away := func(c *candidate) int { return max(c.row.index-total.row.index, total.row.index-c.row.index) }
	for _, c := range slices.SortedStableFunc(slices.Values(candidates), func(a, b *candidate) int { return cmp.Compare(away(a), away(b)) }) {
		// The total printed once more, or paid, explains nothing.
		again := c.milli == total.milli && (c.role == roleTotal || c.role == roleGrand || c.role == roleDue || c.role == rolePaid)
		if c == total || c.row.page != total.row.page || c.weak || c.milli == 0 || again || len(all) == nearest {
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
	return makes(total.milli, all, partsOfSum) || lines > 0 && makes(total.milli-lines, others, partsOfSum-2)
}

// makes reports whether at most so many of the parts sum up to the amount, which nothing does for nothing.
func makes(amount int64, parts []part, most int) bool {
	if amount <= slack && amount >= -slack {
		return true
	}
	if most == 0 {
		return false
	}
	for i, p := range parts {
		if makes(amount-p.milli, parts[i+1:], most-1) || p.off && makes(amount+p.milli, parts[i+1:], most-1) {
			return true
		}
	}
	return false
}
