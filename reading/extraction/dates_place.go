package extraction

import (
	"regexp"

	"countersign/domain"
)

// eitherMonth is the factor for the confidence of a date that Americans read in another way.
const eitherMonth = 0.5

// letterPlace matches the place before the date of a letter: Stuttgart, den 16. November 2026.
var letterPlace = regexp.MustCompile(`(?:^|\s{2,})[^\s\d:,]{3,}(?:[ -][^\s\d:,]{2,}){0,2},\s*(?:den|the|le|il|li|a)?\s*$`)

// isPlaceOfLetter reports whether a label is nothing but the place of a letter.
func isPlaceOfLetter(label string) bool { return letterPlace.MatchString(label) }

// isAlone reports whether the date is all that its segment of the row says.
func (s *documentLayout) isAlone(c *dateCandidate) bool {
	for _, block := range c.row.segments() {
		if block.words[0] == c.words[0] {
			return len(block.words) == len(c.words) && len(c.row.segments()) == 1 && c.row.source() != domain.SourceOCR
		}
	}
	return false
}

// listedAmount matches an amount in a row of a list.
var listedAmount = regexp.MustCompile(`\d[.,]\d{2}(?:\D|$)`)

// isListed reports whether the date is in a list of amounts with dates: the row above or below has a date
// in the same column.
func (s *documentLayout) isListed(c *dateCandidate) bool {
	if !listedAmount.MatchString(c.row.text[min(c.to, len(c.row.text)):]) {
		return false
	}
	for _, at := range []int{c.row.index - 1, c.row.index + 1} {
		if at < 0 || at >= len(s.rows) || s.rows[at].page != c.row.page {
			continue
		}
		for _, w := range s.rows[at].words {
			x := w.Box.X - c.words[0].Box.X
			if max(x, -x) <= w.Box.H && len(findDates(w.Text, false)) > 0 {
				return true
			}
		}
	}
	return false
}

var (
	usTelephone = regexp.MustCompile(`\(\d{3}\) ?\d{3}-\d{4}\b`)
	usState     = regexp.MustCompile(
		`\pL{3},? (A[LKZR]|C[AOT]|DE|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[TA]|W[AVIY])(?:\s|$)`)
)
