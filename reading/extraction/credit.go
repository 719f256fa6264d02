package extraction

import (
	"strings"
	"unicode"
)

// negateCredits gives the amounts of a document that credits what it lists, as a correction of an
// invoice does, the opposite sign, so that they are compared like those of an invoice; their findings
// have the printed sign. All labelled totals of such a document are negative, and so are most of its
// other labelled sums: a speck before one amount is no minus.
func negateCredits(candidates []*candidate) {
	totals, others, positive := 0, 0, 0
	for _, c := range candidates {
		if c.uncertain || c.ambiguous || c.milli == 0 {
			continue
		}
		switch c.role {
		case roleTotal, roleGrand, roleDue:
			if c.milli > 0 {
				return
			}
			totals++
		case roleNet, roleSub, roleTax:
			if c.milli > 0 {
				positive++
			} else {
				others++
			}
		case roleNone, rolePaid, roleChange, roleOther:
		}
	}
	if totals == 0 || totals+others < 2 || positive > 0 && positive >= others {
		return
	}
	for _, c := range candidates {
		opposite := *c.amount
		opposite.milli, opposite.negated = -opposite.milli, true
		c.amount = &opposite
	}
}

// onlyCurrency reports whether a label is nothing but the sign or code of a currency.
func onlyCurrency(label string) bool {
	return symbols[strings.Trim(label, " ().:")] != ""
}

func hasLetters(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }
