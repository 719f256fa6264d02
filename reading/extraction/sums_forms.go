package extraction

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// unlabelled is the factor for the confidence of a total without a label of one. A text layer is certain
// about its digits, and not about their meaning, so that the factor makes such a total doubtful.
func unlabelled(total *candidate) float64 {
	if total.row.source() == domain.SourceOCR {
		return 0.7
	}
	return 0.45
}

// taxBase matches a label that ends in what a tax is computed from: 10 % USt aus 672,00.
var taxBase = regexp.MustCompile(`\b(?:aus|auf|on|sur|su|over|sobre)\W*$`)

// markTaxBases gives the amount from which a tax of the same row is computed no role of a tax.
func markTaxBases(candidates []*candidate) {
	for i, c := range candidates[:max(len(candidates)-1, 0)] {
		next := candidates[i+1]
		if c.role == roleTax && next.row == c.row && max(c.milli, -c.milli) > max(next.milli, -next.milli) &&
			taxBase.MatchString(c.row.folded[:c.from]) {
			c.role = roleOther
		}
	}
}

var (
	tipLabel   = regexp.MustCompile(`\b(?:tips?|gratuity|trinkgeld|pourboire|propina|mancia|fooi)\b`)
	suggestion = regexp.MustCompile(`suggest|recommend|\d\s?%`)
)

// preferTipped prefers a labelled total to one that is smaller by a tip on the same page.
func preferTipped(candidates []*candidate) {
	var tips []*candidate
	for _, c := range candidates {
		label := c.row.folded[:c.from]
		if c.milli > 0 && !c.uncertain && tipLabel.MatchString(label) && !suggestion.MatchString(label) {
			tips = append(tips, c)
		}
	}
	for _, tip := range tips[:min(len(tips), 3)] {
		for _, whole := range candidates {
			if !isLabelledTotal(whole) || whole.uncertain || whole.row.page != tip.row.page {
				continue
			}
			for _, part := range candidates {
				if part != whole && part.row.page == tip.row.page && whole.milli == part.milli+tip.milli {
					whole.score = max(whole.score, part.score+1)
				}
			}
		}
	}
}

// maxRates is the number of rates of tax of one document.
const maxRates = 6

// sumsByRate returns the net amounts and the taxes of several rates, each in a row of its own, or one net
// amount and its several taxes, if they add up to the total.
func sumsByRate(candidates []*candidate, total *candidate) (net, tax *scored) {
	var nets, taxes, sole []*candidate
	for _, c := range candidates {
		label := c.row.folded[:c.from]
		if c.milli <= 0 || c.uncertain || c.row.page != total.row.page {
			continue
		}
		rated := taxRate.MatchString(label)
		switch c.role {
		case roleNet, roleSub:
			if rated {
				nets = append(nets, c)
			} else {
				sole = append(sole, c)
			}
		case roleTax:
			if rated {
				taxes = append(taxes, c)
			}
		case roleNone, roleTotal, roleGrand, roleDue, rolePaid, roleChange, roleOther:
		}
	}
	if len(nets) == 0 && len(sole) == 1 { // two taxes of one amount
		nets = sole
	}
	if len(nets) == 0 || len(taxes) < 2 || len(taxes) > maxRates || len(nets) != 1 && len(nets) != len(taxes) {
		return nil, nil
	}
	base, levy := sumOf(nets), sumOf(taxes)
	if base.milli+levy.milli != total.milli {
		return nil, nil
	}
	sure := 0.6 + 0.35*min(meanConfidence(base.words), meanConfidence(levy.words))
	return &scored{base, sure}, &scored{levy, sure}
}

// sumOf returns the sum of amounts, whatever their signs, with the words of all.
func sumOf(parts []*candidate) *amount {
	sum := *parts[0].amount
	sum.milli, sum.words, sum.negated = 0, nil, false
	var texts []string
	for _, c := range parts {
		sum.milli += max(c.milli, -c.milli)
		sum.words = append(sum.words, c.words...)
		texts = append(texts, c.raw)
	}
	sum.raw = strings.Join(texts, " + ")
	return &sum
}

// withInstalments returns the candidates and the sum of those that are instalments, if there are several.
func withInstalments(candidates []*candidate) []*candidate {
	var paid []*candidate
	for _, c := range candidates {
		if c.milli != 0 && !c.uncertain && prepaidLabel.MatchString(c.row.folded[:c.from]) {
			paid = append(paid, c)
		}
	}
	if len(paid) < 2 {
		return candidates
	}
	sum := *paid[0]
	sum.amount = sumOf(paid)
	return append(slices.Clone(candidates), &sum)
}
