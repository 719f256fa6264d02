package casework_test

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// Banks and accounts in a country with a high risk and in another one.
const (
	germanBank, iranianBank = "DEUTDEFF", "BMJIIRTH"
	iranianAccount          = "IR580540105180021273113007"
)

// withBank adds the account or the bank of the issuer to the lines of a page at times.
func (h *teamHistory) withBank(lines []string) []string {
	if lines == nil || h.random.IntN(3) > 0 {
		return lines
	}
	return append(slices.Clone(lines), pick(h.liveCase,
		[]string{"IBAN: " + iranianAccount}, []string{"IBAN: " + invoiceAccount, "BIC: " + iranianBank},
		[]string{"BIC: " + iranianBank}, []string{"IBAN: " + invoiceAccount, "BIC: " + germanBank})...)
}

// requirePrinted checks that what the pages print counts, as long as no person has stated anything about the
// case itself: every account and bank, and the largest total.
func (h *teamHistory) requirePrinted(record domain.Case, sets []domain.AssertionSet) {
	h.t.Helper()
	if h.reader.xml != nil || len(h.submitters) > 0 || slices.ContainsFunc(sets,
		func(set domain.AssertionSet) bool {
			return set.Source == domain.SourceHuman && set.Assertions[0].InheritedFrom == domain.NoID
		}) {
		return
	}
	for _, line := range h.pages {
		country := ""
		if account, found := strings.CutPrefix(line, "IBAN: "); found {
			country = account[:2]
		} else if bank, found := strings.CutPrefix(line, "BIC: "); found {
			country = bank[4:6]
		}
		if country != "" && !slices.Contains(record.Countries(), country) {
			h.t.Fatalf("%s does not count: %v after %v\n%s", line, record.Countries(), h.commands,
				strings.Join(h.pages, "\n"))
		}
		if amount := printedTotal.FindStringSubmatch(line); amount != nil {
			total, err := domain.ParseMoney(amount[1], "EUR")
			must(h.t, err)
			if record.BaseMinor < h.base(total) {
				h.t.Fatalf("%s is printed, but %d at risk after %v\n%s", total, record.BaseMinor,
					h.commands, strings.Join(h.pages, "\n"))
			}
		}
	}
}

var printedTotal = regexp.MustCompile(`^Total EUR ([0-9.]+)$`)
