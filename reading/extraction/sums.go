package extraction

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// role is the meaning of an amount by its label.
type role int

const (
	roleNone role = iota
	roleTotal
	roleGrand // an unambiguous label of the total
	roleDue   // amount due: the total, unless part was paid before
	roleSub
	roleNet
	roleTax
	rolePaid   // cash, card, tendered
	roleChange // change returned to the customer
	roleOther  // rounding, discount, points, counts
)

const totalWord = `(?:[t1ilf7]?[o0]t[a@4e][l1i|!:\])]|\btot[ae]\b|\bt[o0]ta)`

// The labels of amounts: the words of all languages, and expressions for misread and composed ones.
var (
	subLabel  = allOf(func(l language) []string { return l.sub }, `su[bt8]\s?-?\s?`+totalWord, `sub\s?t`)
	partLabel = regexp.MustCompile(`supp[l1]i|\d\s*%\s*(goods|items|supplies)|per\s+(page|seite)|carried`)
	netLabel  = allOf(func(l language) []string { return l.net },
		totalWord+`.{0,12}(excl|exc\.|before|without|w/o|ht\b|hors)`,
		`ex([ck]l[a-z]*)?\.?\s*(btw|vat|gst|tax|mwst|ust)`, `zzgl\.?\s*basis`)
	taxLabel = allOf(func(l language) []string { return l.tax },
		totalWord+`\s*(gst|vat|tax|sst)\b`, `[@]\s?[6b8]\s?%`)
	inclLabel = regexp.MustCompile(`inc[l1i]?|inkl|ttc|brutto|with\s+gst|after\s+tax|含税`)
	dueLabel  = allOf(func(l language) []string { return l.due },
		`(balance|`+totalWord+`)\s*(due|payable)`)
	includedTax = regexp.MustCompile(
		`totals?\s*included\s*(gst|vat|tax)|(bill|price)\s*inclusive\s*of\s*\d|(gst|vat|tax|mwst|btw|tva)\b.{0,14}(included\s+in|enthalten|dont)`)
	netTotal   = regexp.MustCompile(`net+t?o?\s*` + totalWord)
	grandLabel = allOf(func(l language) []string { return l.grand },
		`gra?nd\s*`+totalWord, `net+t?\s*`+totalWord,
		totalWord+`\s*(am(oun)?t\s*)?(payable|due|to pay|ttc|inc|inkl|rounded|sales|te bet|zu zahlen|amount|am[tl]\b|brutto|bill|to be paid)`,
		`(rounded|round.{0,6}d|adjusted|bill|invoice|final|gesamt|net)\s*`+totalWord,
		`nett?\s*amount\s*payable`)
	plainLabel  = allOf(func(l language) []string { return l.plain }, totalWord, `\b(?:amount|sum)\s*:?\s*(?:[a-z]{3}|[$€£])?\s*$`)
	paidLabel   = allOf(func(l language) []string { return l.paid }, `\b[cg]a[s5]h\b`, `^\s*pay\b`)
	changeLabel = allOf(func(l language) []string { return l.change }, `chan[gq]e`)
	otherLabel  = allOf(func(l language) []string { return l.other }, `round\s*(ing|adj|off)`)
	summaryHead = regexp.MustCompile(
		`(gst|tax|vat|mwst|gsi|ast|gs1)\s*(su[mpt]|ana|det|bre|rate|code|inv)|summ?ary|analysis|tax\s*code`)
)

// labelRole returns the role for a label.
func labelRole(label string) role {
	switch {
	case changeLabel.MatchString(label):
		return roleChange
	case includedTax.MatchString(label):
		return roleTax
	case subLabel.MatchString(label), partLabel.MatchString(label):
		return roleSub
	case strings.Contains(label, "rounded") || grandLabel.MatchString(label) &&
		!isOtherTotal(label):
		if netLabel.MatchString(label) && !inclLabel.MatchString(strings.ReplaceAll(label, "excl",
			"")) {
			return roleNet
		}
		if dueLabel.MatchString(label) {
			return roleDue
		}
		return roleGrand
	case dueLabel.MatchString(label) && !changeLabel.MatchString(label):
		return roleDue
	case netLabel.MatchString(label):
		return roleNet
	case otherLabel.MatchString(label):
		return roleOther
	case taxLabel.MatchString(label) && inclLabel.MatchString(label) &&
		plainLabel.MatchString(label):
		return roleGrand
	case taxLabel.MatchString(label):
		return roleTax
	case paidLabel.MatchString(label):
		return rolePaid
	case plainLabel.MatchString(label):
		return roleTotal
	}
	return roleNone
}

// isOtherTotal reports labels such as "total discount", "total qty", "total saving" and "total
// rounding", which are not the total of the document.
func isOtherTotal(label string) bool {
	return otherTotalPattern.MatchString(label)
}

var otherTotalPattern = regexp.MustCompile(`betrag\s*der\s*(zu|ab)schl|` + totalWord +
	`\s*\(?(qty|quantity|disc|saving|round(ing| adj)|item|point|paid|tender|gst|tax|vat)`)

// candidate is an amount with its score as the total.
type candidate struct {
	*amount
	role    role
	score   float64
	summary bool // in the tax summary below the total
}

// scored is the amount chosen for a field, with its confidence.
type scored struct {
	*amount
	confidence float64
}

func (s scored) finding(currency string) finding { return s.amount.finding(currency, s.confidence) }

// chooseSums chooses total, net and tax by their labels and by consistent sums.
func (s *documentLayout) chooseSums(candidates []*candidate) map[string]scored {
	chosen := map[string]scored{}
	total := wholeTotal(chooseTotal(candidates), candidates)
	if !s.without.Repairs {
		total = repairTotal(total, candidates)
	}
	if total == nil {
		return chosen
	}
	net, tax := chooseNetTax(candidates, total)
	confidence := totalConfidence(total, candidates)
	if !s.without.Sums {
		confidence *= agreement(total, candidates, net, tax)
	}
	chosen[domain.FieldTotal] = scored{printedTotal(total, candidates).amount, confidence}
	if net != nil {
		chosen[domain.FieldNet] = *net
	}
	if tax != nil {
		chosen[domain.FieldTax] = *tax
	}
	return chosen
}

// labelAmounts assigns each amount a role from the words around it.
func (s *documentLayout) labelAmounts(amounts []*amount) []*candidate {
	var candidates []*candidate
	perRow := map[*row]int{}
	for _, a := range amounts {
		perRow[a.row]++
	}
	end := map[*row]int{}
	first := map[*row]string{}
	inSummary := s.summaryRows()
	for _, a := range amounts {
		label := a.row.folded[end[a.row]:a.from]
		end[a.row] = a.to
		if hasLetters(label) && first[a.row] == "" {
			first[a.row] = label
		}
		c := &candidate{amount: a, role: labelRole(label), summary: inSummary[a.row]}
		if !hasMeaning(label) {
			c.role = labelRole(first[a.row])
			if first[a.row] == "" || onlyCurrency(first[a.row]) {
				c.role = s.labelElsewhere(a)
			}
		}
		candidates = append(candidates, c)
	}
	markTaxBases(candidates)
	negateCredits(candidates)
	for _, c := range candidates {
		c.score = baseScore(c, perRow[c.row], len(s.rows))
	}
	if !s.without.Sums {
		scoreAgreement(candidates)
	}
	return candidates
}

// hasMeaning reports whether a label is more than a currency or a stray letter.
func hasMeaning(label string) bool {
	label = strings.NewReplacer("rm", "", "myr", "", "eur", "", "usd", "", "sr", "").Replace(label)
	letters := 0
	for _, r := range label {
		if unicode.Is(unicode.Han, r) {
			letters += 3
		} else if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3
}

// labelElsewhere looks for the label of an amount without one in its row: the column heading, or
// the row above.
func (s *documentLayout) labelElsewhere(a *amount) role {
	if found := labelRole(s.headingAbove(a.row, a.words)); found != roleNone {
		return found
	}
	if a.row.index > 0 {
		previous := s.rows[a.row.index-1]
		if previous.page == a.row.page && !strings.ContainsFunc(previous.text, unicode.IsDigit) {
			return labelRole(previous.folded)
		}
	}
	return roleNone
}

// summaryRows returns the rows after a heading such as "GST summary", up to the next rows without
// amounts.
func (s *documentLayout) summaryRows() map[*row]bool {
	marked := map[*row]bool{}
	left := 0
	for _, r := range s.rows {
		if summaryHead.MatchString(r.folded) && !strings.Contains(r.folded, "invoice") {
			left = 6
		}
		if left > 0 {
			marked[r] = true
			left--
		}
	}
	return marked
}

func baseScore(c *candidate, inRow, rows int) float64 {
	score := 0.0
	switch c.role {
	case roleGrand:
		score = 10
	case roleDue:
		score = 9.3
	case roleTotal:
		score = 8
	case roleSub:
		score = 4
	case roleNet:
		score = 2
	case roleNone:
		score = 1
	case rolePaid:
		score = 1.5
	case roleTax, roleOther, roleChange:
		score = -2
	}
	if inRow > 1 && (c.role == roleTotal || c.role == roleGrand) {
		score -= 2 * float64(min(inRow-1, 2))
	}
	if c.summary {
		score -= 4
	}
	if c.uncertain {
		score -= 2.5
	}
	if c.milli <= 0 {
		score -= 5
	}
	score += float64(c.row.index) / float64(rows+1)
	return score + meanConfidence(c.words)
}

// scoreAgreement adjusts the scores by sums: equal amounts confirm each other, paid minus change is
// the total, net plus tax is the total, rounding to five cents follows the exact sum, and earlier
// payments reduce the amount due.
func scoreAgreement(candidates []*candidate) {
	count := map[int64]float64{}
	byRole := map[role][]int64{}
	for _, c := range candidates {
		switch c.role {
		case roleTotal, roleGrand, roleDue, roleSub, rolePaid:
			count[c.milli]++
		case roleNone:
			count[c.milli] += 0.4
		case roleNet, roleTax, roleChange, roleOther:
		}
		if len(byRole[c.role]) < 100 {
			byRole[c.role] = append(byRole[c.role], max(c.milli, -c.milli))
		}
	}
	explained := explainedValues(byRole)
	for _, c := range candidates {
		if c.role == roleTax || c.role == roleChange || c.role == roleOther || c.milli <= 0 {
			continue
		}
		c.score += 1.2 * min(max(count[c.milli]-1, 0), 3)
		c.score += explained[c.milli]
	}
	preferWhole(candidates, byRole)
	preferTipped(candidates)
}

// explainedValues returns the values that are sums of other amounts, with a score for each.
func explainedValues(byRole map[role][]int64) map[int64]float64 {
	explained := map[int64]float64{}
	for _, paid := range byRole[rolePaid] {
		for _, change := range byRole[roleChange] {
			if paid > change {
				explained[paid-change] = 4
			}
		}
	}
	for _, tax := range byRole[roleTax] {
		for _, base := range slices.Concat(byRole[roleNet], byRole[roleSub], byRole[roleNone]) {
			if tax > 0 && base > tax {
				explained[base+tax] = max(explained[base+tax], 3)
			}
		}
	}
	return explained
}

// preferWhole decides between two likely totals: the one including tax, or the one rounded to five
// cents.
func preferWhole(candidates []*candidate, byRole map[role][]int64) {
	likely := slices.Collect(func(yield func(*candidate) bool) {
		for _, c := range candidates {
			if c.score > 5 && c.milli > 0 && !yield(c) {
				return
			}
		}
	})
	for _, part := range likely[:min(len(likely), 60)] {
		for _, whole := range candidates {
			difference := whole.milli - part.milli
			switch {
			case difference > 0 && slices.Contains(byRole[roleTax], difference) &&
				(whole.role == roleGrand || whole.role == roleTotal || whole.role == roleDue):
				whole.score += 2
				if netTotal.MatchString(part.row.folded) {
					part.role = roleNet
					part.score -= 8
				}
			case difference != 0 && difference <= 40 && difference >= -40 && whole.milli%50 == 0 &&
				part.milli%50 != 0 && whole.row.index > part.row.index && whole.role != rolePaid:
				whole.score = max(whole.score, part.score+1)
			}
		}
	}
}

func chooseTotal(candidates []*candidate) *candidate {
	best := slices.MaxFunc(append([]*candidate{{amount: &amount{}, score: -1e9}}, candidates...),
		func(a, b *candidate) int {
			if order := cmp.Compare(a.score, b.score); order != 0 {
				return order
			}
			return cmp.Compare(a.milli, b.milli)
		})
	if best.row == nil || best.score < 1.5 || best.milli == 0 {
		return nil
	}
	if best.role == rolePaid { // the payment is not the total if a smaller amount is printed twice
		best = repeatedAmount(candidates, best)
	}
	if best.role == roleNone { // without labels, the largest amount of the lower half is the best guess
		for _, c := range candidates {
			if c.role == roleNone && !c.uncertain && c.milli > best.milli &&
				c.score > best.score-2 {
				best = c
			}
		}
	}
	return best
}

// totalConfidence is lower if another value is nearly as likely, or if the total has no label.
func totalConfidence(total *candidate, candidates []*candidate) float64 {
	confidence := 0.55 + 0.4*meanConfidence(total.words)
	rival := -1e9
	for _, c := range candidates {
		if c.milli != total.milli {
			rival = max(rival, c.score)
		}
	}
	switch margin := total.score - rival; {
	case margin < 1:
		confidence *= 0.7
	case margin < 2.5:
		confidence *= 0.85
	}
	if total.role != roleTotal && total.role != roleGrand && total.role != roleDue {
		confidence *= unlabelled(total)
	}
	if total.uncertain {
		confidence *= 0.8
	}
	return confidence
}
