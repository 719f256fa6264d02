package rules

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"countersign/domain"
	"countersign/expr"
)

// SumSubject says what the documents of a sum have in common.
type SumSubject string

// The subjects of sums.
const (
	ByCounterparty SumSubject = "counterparty"
	ByAccount      SumSubject = "account"
	BySubmitter    SumSubject = "submitter"
)

// DocumentSum is the sum of the amounts of other documents that share a subject with the case and
// were submitted since the beginning of a window.
type DocumentSum struct {
	By        SumSubject
	Hours     int
	Since     time.Time
	Band      int // domain.SumBand of the single amounts
	BaseMinor int64
	Documents int
}

// sumCondition makes a rule apply to a document below a mark that reaches it together with others.
type sumCondition struct {
	by    SumSubject
	hours []int
	marks []int64 // in minor units of the base currency
	from  int64   // documents below this amount are not judged; they count in the sums
	usual usualSum
}

// usualSum says that a mark is not judged for a subject whose earlier documents usually reach it: those
// of the hours before the window together reach it at least so many times. Its zero value exempts no
// subject.
type usualSum struct {
	hours int
	times int64
}

// sumText is a sumCondition as written; amounts are in the base currency.
type sumText struct {
	By     string     `yaml:"by"`
	Within []string   `yaml:"within"`
	Marks  []int64    `yaml:"marks"`
	From   int64      `yaml:"from"`
	Usual  *usualText `yaml:"usual"`
}

// usualText is a usualSum as written.
type usualText struct {
	Within string `yaml:"within"`
	Times  int64  `yaml:"times"`
}

// Bounds of sums. Older sums are not kept exact.
const (
	maxSumHours = 31 * 24
	maxMark     = math.MaxInt64 / 1000
)

var windowPattern = regexp.MustCompile(`^([1-9][0-9]{0,2})([hd])$`)

// sums compiles the sums of a rule.
func (b *builder) sums(rule *Rule, texts []sumText) {
	for _, text := range texts {
		condition := sumCondition{by: SumSubject(text.By), from: text.From * 100}
		if !slices.Contains([]SumSubject{ByCounterparty, ByAccount, BySubmitter}, condition.by) {
			b.addProblem(rule, "sums", "by must be counterparty, account or submitter, not %q",
				text.By)
		}
		if len(text.Within) == 0 || len(text.Marks) == 0 || len(text.Within)*len(text.Marks) > 100 {
			b.addProblem(rule, "sums", "within and marks must not be empty or too many")
		}
		for _, within := range text.Within {
			hours, ok := parseWindow(within)
			if !ok {
				b.addProblem(rule, "sums",
					"within %q must be a number of hours or days up to 31d, such as 24h or 7d",
					within)
			}
			condition.hours = append(condition.hours, hours)
		}
		for _, mark := range text.Marks {
			if mark < 1 || mark > maxMark || text.From < 0 || text.From >= mark {
				b.addProblem(rule, "sums", "the mark %d must be an amount above from", mark)
			}
			if lead := mark * 100; domain.SumBand(lead-1) == domain.SumBand(lead) {
				b.addProblem(rule, "sums", "the mark %d must have at most two significant digits",
					mark)
			}
			condition.marks = append(condition.marks, mark*100)
		}
		if text.Usual != nil {
			condition.usual = b.usual(rule, *text.Usual, condition.hours)
		}
		rule.sums = append(rule.sums, condition)
	}
}

// maxUsualTimes bounds how often earlier documents must reach a mark.
const maxUsualTimes = 1000

// usual compiles the usual sum of a condition with the windows.
func (b *builder) usual(rule *Rule, text usualText, windows []int) usualSum {
	hours, ok := parseWindow(text.Within)
	if !ok || slices.ContainsFunc(windows, func(window int) bool { return window >= hours }) {
		b.addProblem(rule, "sums", "usual.within %q must be longer than the windows, up to 31d",
			text.Within)
	}
	if text.Times < 1 || text.Times > maxUsualTimes {
		b.addProblem(rule, "sums", "usual.times must be between 1 and %d", maxUsualTimes)
	}
	return usualSum{hours, text.Times}
}

func parseWindow(text string) (hours int, ok bool) {
	parts := windowPattern.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	hours, _ = strconv.Atoi(parts[1])
	if parts[2] == "d" {
		hours *= 24
	}
	return hours, hours <= maxSumHours
}

// Windows returns the hours over which the rules of the set sum amounts, in order.
func (s *Set) Windows() []int {
	var hours []int
	for _, rule := range s.Rules {
		for _, condition := range rule.sums {
			hours = append(hours, condition.hours...)
			if condition.usual.hours > 0 {
				hours = append(hours, condition.usual.hours)
			}
		}
	}
	slices.Sort(hours)
	return slices.Compact(hours)
}

// crossing is a mark that a document reaches together with others.
type crossing struct {
	DocumentSum
	mark int64
}

// crossed returns the greatest mark that the document reaches only together with others, in the
// shortest window.
func (r *Rule) crossed(input *Input) (found crossing, ok bool) {
	if !input.AmountKnown {
		return found, false
	}
	for _, condition := range r.sums {
		if input.BaseMinor < condition.from {
			continue
		}
		for _, mark := range condition.marks {
			for _, hours := range condition.hours {
				sum := input.sumBelow(condition.by, hours, mark)
				if input.BaseMinor >= mark || sum.Documents == 0 || sum.BaseMinor < mark ||
					condition.isUsual(input, sum, mark) ||
					ok && (mark < found.mark || mark == found.mark && hours >= found.Hours) {
					continue
				}
				found, ok = crossing{sum, mark}, true
			}
		}
	}
	return found, ok
}

// counted returns which documents were added.
func (c crossing) counted(input *Input) *domain.CountedSum {
	return &domain.CountedSum{By: string(c.By), Subjects: input.SumSubjects[c.By], Since: c.Since, Below: c.mark,
		At: input.SumsAt, Documents: c.Documents, BaseMinor: c.BaseMinor, Own: input.BaseMinor}
}

// isUsual reports whether the documents before those of the sum usually reach the mark.
func (c sumCondition) isUsual(input *Input, sum DocumentSum, mark int64) bool {
	if c.usual.hours == 0 {
		return false
	}
	earlier := input.sumBelow(c.by, c.usual.hours, mark).BaseMinor - sum.BaseMinor
	return earlier/mark >= c.usual.times
}

// sumBelow adds the amount of the case and those of other documents below a mark. Documents at the
// mark or above were not split.
func (i *Input) sumBelow(by SumSubject, hours int, mark int64) DocumentSum {
	total := DocumentSum{By: by, Hours: hours, BaseMinor: i.BaseMinor}
	band := domain.SumBand(mark)
	for _, sum := range i.Sums {
		if sum.By == by && sum.Hours == hours && sum.Band < band {
			total.BaseMinor = addCapped(total.BaseMinor, sum.BaseMinor)
			total.Documents += sum.Documents
			total.Since = sum.Since
		}
	}
	return total
}

func addCapped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// with returns the facts of the case and of the crossing.
func (c crossing) with(facts expr.Facts) expr.Facts {
	all := maps.Clone(facts)
	c.addTo(all)
	return all
}

// momentLayout is the form of a moment in a finding.
const momentLayout = "2006-01-02 15:04 UTC"

func (c crossing) addTo(all expr.Facts) {
	all["sum_by"], all["sum_count"] = string(c.By), int64(c.Documents)
	all["sum_hours"], all["sum_since"] = int64(c.Hours), c.Since.Format(momentLayout)
	all["sum_text"] = domain.Money{Minor: c.BaseMinor, Currency: domain.BaseCurrency}.String()
	all["sum_mark_text"] = domain.Money{Minor: c.mark, Currency: domain.BaseCurrency}.String()
}
