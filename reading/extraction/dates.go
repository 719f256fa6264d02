package extraction

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"countersign/domain"
)

// monthNames holds prefixes of month names in several languages, in lower case.
var monthNames = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "mär": 3, "mrz": 3, "maa": 3, "mrt": 3, "apr": 4, "avr": 4,
	"may": 5, "mai": 5, "mei": 5,
	"jun": 6, "juni": 6, "juin": 6, "jul": 7, "juil": 7, "julai": 7, "aug": 8, "aoû": 8, "aou": 8,
	"ogo": 8, "ogos": 8,
	"sep": 9, "set": 9, "okt": 10, "oct": 10, "nov": 11, "dec": 12, "dez": 12, "déc": 12, "dis": 12,
	"fév": 2, "fev": 2,
	"mac": 3, "mae": 3,
}

var (
	isoDate = regexp.MustCompile(
		`(?:^|[^\d])((?:19|20)\d{2})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?:[^\d]|$|T)`)
	hanDate  = regexp.MustCompile(`((?:19|20)\d{2})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2}|\d\s\d)\s*(?:[日号]|[^\d\s]|$)`)
	dayFirst = regexp.MustCompile(
		`(?:^|[^\d./-])(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?((?:19|20)\d{2}|\d{2})(\d{1,2}:\d\d)?(?:[^\d/]|$)`)
	dayMonth = regexp.MustCompile(
		`(?i)(?:^|[^\d\pL])(\d{1,2})(?:st|nd|rd|th|\.|er)?(?:\s(?:of|de|di)\s)?[\s/.,-]{0,3}(\pL{3,10})\.?(?:\sdel?\s)?[\s/.,'-]{0,3}((?:19|20)\d{2}|\d{2})(?:[^\d]|$|\d{1,2}:\d\d)`)
	monthDay = regexp.MustCompile(
		`(?i)(?:^|[^\pL])(\pL{3,10})\.?[\s/-]{0,2}(\d{1,2})(?:st|nd|rd|th)?[\s,./-]{1,3}((?:19|20)\d{2})(?:[^\d]|$)`)
	// "Marker 12.50" is a price, so a two-digit year needs more than a dot before it.
	monthDayShort = regexp.MustCompile(
		`(?i)(?:^|[^\pL])(\pL{3,10})\.?[\s/-]{0,2}(\d{1,2})(?:st|nd|rd|th)?[,.]?[\s/'-]{1,2}(\d{2})(?:[^\d]|$)`)
	compactDatePattern = regexp.MustCompile(`^(\d{4})-?(\d{2})-?(\d{2})`)
)

// compactDate parses a date in XML: 20180305 or 2018-03-05, with or without a time. It returns ""
// for other text.
func compactDate(text string) string {
	match := compactDatePattern.FindStringSubmatch(strings.TrimSpace(text))
	if match == nil {
		return ""
	}
	return formatDate(number(match[1]), number(match[2]), number(match[3]))
}

// formatDate formats a valid date between 1980 and 2060; "" otherwise.
func formatDate(year, month, day int) string {
	if year >= 2070 && year <= 2079 { // a 1 misread as a 7, because no document is from that far in the future
		year -= 60
	}
	if year < 1980 || year > 2060 || month < 1 || month > 12 || day < 1 {
		return ""
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day {
		return ""
	}
	return date.Format(time.DateOnly)
}

func number(text string) int {
	value, err := strconv.Atoi(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return -1
	}
	return value
}

func fullYear(text string) int {
	year := number(text)
	if len(text) == 2 && year >= 0 {
		return year + 2000
	}
	return year
}

// shapedDate is a date found in a text: its ISO form and its byte offsets.
type shapedDate struct {
	iso       string
	from, to  int
	ambiguous bool // day and month could be swapped
}

// findDates returns the dates in a text, in order. monthFirst decides how to read 03/04/2018.
func findDates(text string, monthFirst bool) []shapedDate {
	var found []shapedDate
	take := func(shape *regexp.Regexp, read func(parts []string) (string, bool)) {
		for from := 0; from < len(text); {
			at := shape.FindStringSubmatchIndex(text[from:])
			if at == nil {
				return
			}
			parts := make([]string, len(at)/2)
			for i := range parts {
				if at[2*i] >= 0 {
					parts[i] = text[from+at[2*i] : from+at[2*i+1]]
				}
			}
			if iso, ambiguous := read(parts); iso != "" {
				end := from + at[7]
				if strings.HasPrefix(text[end:], "日") {
					end += len("日")
				}
				found = append(found, shapedDate{iso, from + at[2], end, ambiguous})
			}
			from += max(at[3], 1) // the next date may start after the first number of this one
		}
	}
	take(isoDate, func(p []string) (string, bool) {
		return formatDate(number(p[1]), number(p[2]),
			number(p[3])), false
	})
	take(hanDate, func(p []string) (string, bool) {
		return formatDate(number(p[1]), number(p[2]),
			number(p[3])), false
	})
	take(dayFirst, func(p []string) (string, bool) { return numeric(p, monthFirst) })
	take(dayMonth, func(p []string) (string, bool) {
		return formatDate(fullYear(p[3]), month(p[2]),
			number(p[1])), false
	})
	for _, shape := range []*regexp.Regexp{monthDay, monthDayShort} {
		take(shape, func(p []string) (string, bool) {
			return formatDate(fullYear(p[3]), month(p[1]),
				number(p[2])), false
		})
	}
	return withoutOverlaps(found)
}

func numeric(p []string, monthFirst bool) (string, bool) {
	day, month, year := number(p[1]), number(p[2]), fullYear(p[3])
	if monthFirst {
		day, month = month, day
	}
	if iso := formatDate(year, month, day); iso != "" {
		return iso, day <= 12 && month <= 12 && day != month
	}
	return formatDate(year, day, month), false
}

// month parses the name of a month or a prefix of it; 0 if it is none.
func month(name string) int {
	if value := knownMonth(name); value > 0 {
		return value
	}
	return closestMonth(strings.ToLower(name))
}

// knownMonth parses the name of a month or a prefix of it as it is written; 0 if it is none.
func knownMonth(name string) int {
	letters := []rune(strings.ToLower(name))
	for size := min(len(letters), 5); size >= 3; size-- {
		if value, ok := monthNames[string(letters[:size])]; ok {
			return value
		}
	}
	return 0
}

// closestMonth returns the only English month whose short name differs in one letter from the given
// three; 0 if there is not exactly one.
func closestMonth(name string) int {
	if len(name) != 3 {
		return 0
	}
	found := 0
	for i, short := range []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep",
		"oct", "nov", "dec"} {
		wrong := 0
		for at := range 3 {
			if short[at] != name[at] {
				wrong++
			}
		}
		if wrong == 1 {
			if found != 0 {
				return 0
			}
			found = i + 1
		}
	}
	return found
}

// withoutOverlaps keeps the first of overlapping dates, and the longer of two that start together.
func withoutOverlaps(found []shapedDate) []shapedDate {
	var kept []shapedDate
	for _, date := range found {
		clash := false
		for _, other := range kept {
			clash = clash || date.from < other.to && other.from < date.to
		}
		if !clash {
			kept = append(kept, date)
		}
	}
	return kept
}

type dateCandidate struct {
	shapedDate
	row   *row
	words []*word
	score float64
	due   float64
	// repaired says that letters or signs in it were taken for others.
	repaired bool
}

var (
	labelDate  = allOf(func(l language) []string { return l.date }, `\bdato\b`)
	labelIssue = allOf(func(l language) []string { return l.issueDate },
		`(invoice|inv|bill|issue|receipt|facture|factuur|rechnungs?|beleg|ausstellungs|document|doc)[\s.:#-]*(date|dt|datum|du)`,
		`date\s+(of\s+)?(issue|facture|d.?.mission|de\s+(la\s+)?facture)`)
	labelDue = allOf(func(l language) []string { return l.dueDate },
		`until\W*$`, `f.{1,2}llig`, `(netto|zahlbar).{0,30}\bbis\W*$`, `.ch.ance`, `betalen\s+v..?r`)
	labelOtherDate = allOf(func(l language) []string { return l.otherDate }, `g.ltig`)
	clockTime      = regexp.MustCompile(`\d{1,2}[:.]\d{2}(?:[:.]\d{2})?\s*(?:[ap]\.?m|uhr)?`)
)

// dates chooses the issue date and the due date.
func (s *documentLayout) dates(hints Hints, currency string, anchors []domain.Anchor) (date, due finding) {
	monthFirst := s.monthFirst(hints, currency)
	all := s.dateCandidates(monthFirst, anchors, s.dateRepair(repairDates))
	if len(all) == 0 {
		all = s.dateCandidates(monthFirst, anchors, s.dateRepair(repairSeparators))
	}
	var best, dueBest *dateCandidate
	for _, c := range all {
		if best == nil || c.score > best.score {
			best = c
		}
		if c.due > 0 && (dueBest == nil || c.due > dueBest.due) {
			dueBest = c
		}
	}
	if best != nil && dueBest == best { // the only date is the due date, or it is labelled as both
		if best.score >= dueBest.due {
			dueBest = nil
		} else {
			best = nil
		}
	}
	if best != nil {
		date = best.finding(all)
		if best.ambiguous && (currency == "USD" || currency == "") && !monthFirst && hints.Country == "" {
			date.confidence *= eitherMonth
		}
	}
	if dueBest != nil {
		due = dueBest.finding(nil)
	}
	return date, due
}

// monthFirst decides how to read 03/04/2018 in this document: like its unambiguous dates, otherwise
// by the custom of its country.
func (s *documentLayout) monthFirst(hints Hints, currency string) bool {
	dayFirstSeen, monthFirstSeen := false, false
	for _, r := range s.rows {
		for _, match := range dayFirst.FindAllStringSubmatch(r.text, -1) {
			first, second := number(match[1]), number(match[2])
			dayFirstSeen = dayFirstSeen || first > 12 && second <= 12
			monthFirstSeen = monthFirstSeen || second > 12 && second <= 31 && first <= 12
		}
	}
	if dayFirstSeen != monthFirstSeen {
		return monthFirstSeen
	}
	return hints.Country == "US" || hints.Country == "" && (currency == "USD" || currency == "") &&
		(hasUSAddress(s.text) || usTelephone.MatchString(s.text) && usState.MatchString(s.text))
}

func (c *dateCandidate) finding(all []*dateCandidate) finding {
	confidence := meanConfidence(c.words) * 0.97
	for _, other := range all {
		if other != c && other.iso != c.iso && other.score > c.score-2 {
			confidence *= 0.85
			break
		}
	}
	if c.row.source() == domain.SourceOCR && slices.ContainsFunc(all, c.isMisreadingOf) {
		confidence *= 0.8
	}
	if c.ambiguous {
		confidence *= 0.95
	}
	if c.score < 3 {
		confidence *= 0.85
	}
	if c.repaired {
		confidence *= unconfirmed
	}
	return finding{raw: c.row.text[c.from:min(c.to, len(c.row.text))], value: c.iso, words: c.words,
		confidence: confidence}
}

// scoreDate scores the candidate as issue date and as due date.
func (s *documentLayout) scoreDate(c *dateCandidate, anchors []domain.Anchor) {
	if s.isAnchored(anchors, domain.FieldDate, c.row, c.words, c.from) {
		c.score += anchorScore
	}
	label := c.row.folded[:c.from]
	above := s.headingAbove(c.row, c.words)
	if hasClockTime(c.row.folded[c.to:]) {
		c.score += 1.5
	}
	if titleDate.MatchString(label) && !labelOtherDate.MatchString(label) {
		c.score += 5
	}
	judge := func(text string, weight float64) bool {
		switch {
		case labelDue.MatchString(text):
			c.due += 5 * weight
			c.score -= 4 * weight
		case labelIssue.MatchString(text):
			c.score += 5 * weight
		case labelOtherDate.MatchString(text):
			c.score -= 1.5 * weight
		case labelDate.MatchString(text):
			c.score += 3 * weight
		default:
			return false
		}
		return true
	}
	if !judge(lastPhrase(label), 1) {
		switch {
		case isPlaceOfLetter(label), s.isAlone(c):
			c.score += 4
		case judge(above, 0.8) && s.isListed(c):
			c.score -= 3
			c.due = 0
		}
	}
	if c.row.page > 1 {
		c.score -= 1.5
	}
	c.score += 1 - float64(c.row.index)/float64(len(s.rows)+1)
	if c.to-c.from < 8 {
		c.score -= 0.5
	}
	c.score += meanConfidence(c.words)
}

// lastPhrase returns the end of a label, directly before the value.
func lastPhrase(text string) string {
	if len(text) > 40 {
		text = text[len(text)-40:]
	}
	return text
}

// headingAbove returns the text above the words in the previous row: the heading of the column.
func (s *documentLayout) headingAbove(r *row, words []*word) string {
	if len(words) == 0 {
		return ""
	}
	box := words[0].Box
	for _, w := range words[1:] {
		box = unionBox(box, w.Box)
	}
	for back := 1; back <= 4; back++ {
		at := r.index - back
		if at < 0 || s.rows[at].page != r.page || r.box.Y-s.rows[at].box.Y > 10*r.box.H {
			return ""
		}
		var over []string
		for _, w := range s.rows[at].words {
			if w.Box.X < box.X+box.W && w.Box.X+w.Box.W > box.X-box.H {
				over = append(over, w.Text)
			}
		}
		if heading := foldForSearch(strings.Join(over, " ")); strings.ContainsFunc(heading,
			unicode.IsLetter) && countDigits(heading)*3 < len(heading) {
			return heading
		}
	}
	return ""
}

var usAddressPattern = regexp.MustCompile(
	`\b(A[LKZR]|C[AOT]|DE|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[TA]|W[AVIY])\s+\d{5}(-\d{4})?\b`)

// hasUSAddress reports whether the document has a US state and ZIP code.
func hasUSAddress(text string) bool {
	return usAddressPattern.MatchString(text) || strings.Contains(text, "USA")
}

// String renders the candidate for failing tests.
func (c *dateCandidate) String() string {
	return fmt.Sprintf("%s score %.1f due %.1f in %q", c.iso, c.score, c.due, c.row.text)
}
