package domain

import (
	"slices"
	"time"
	_ "time/tzdata" // zones are known on a machine that has none of its own
	"unicode/utf8"
)

// TimeRange is a stretch of one working day, in minutes after midnight of its zone; To is exclusive and at most 1440.
type TimeRange struct{ From, To int }

// Calendar says when people work: the hours of each weekday in a time zone, and the days on which nobody works. The nil
// calendar is whole time: it works always. A calendar is never changed after NewCalendar and is safe for concurrent use.
type Calendar struct {
	Name string
	// Zone is the name of the time zone, as in Europe/Berlin.
	Zone string
	// Hours are the working hours by time.Weekday, in order and apart from each other.
	Hours [7][]TimeRange
	// Holidays are days like 2026-12-25, in order.
	Holidays []string
	Version  int64

	location   *time.Location
	holidaySet map[string]bool
}

const (
	dayMinutes      = 24 * 60
	maxHolidays     = 2000
	maxRangesPerDay = 12
	// maxLookaheadDays bounds how far Add looks for working time.
	maxLookaheadDays = 40_000
)

// NewCalendar checks a calendar and makes it ready. Errors: InvalidInput naming the field at fault.
func NewCalendar(name, zone string, hours [7][]TimeRange, holidays []string) (*Calendar, error) {
	if name == "" || utf8.RuneCountInString(name) > 100 {
		return nil, Invalid("name", "a calendar has a name of 1 to 100 characters")
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return nil, Invalid("zone", "there is no time zone %q", zone).WithRemedy("Name it like Europe/Berlin or Asia/Shanghai.")
	}
	c := &Calendar{Name: name, Zone: zone, location: location, holidaySet: map[string]bool{}}
	week := 0
	for day, spans := range hours {
		spans = slices.Clone(spans)
		slices.SortFunc(spans, func(a, b TimeRange) int { return a.From - b.From })
		if len(spans) > maxRangesPerDay {
			return nil, Invalid("hours", "a day has at most %d stretches of work", maxRangesPerDay)
		}
		last := 0
		for _, span := range spans {
			if span.From < last || span.To <= span.From || span.To > dayMinutes {
				return nil, Invalid("hours", "the hours of %s overlap, or end before they begin", time.Weekday(day))
			}
			last = span.To
			week += span.To - span.From
		}
		c.Hours[day] = spans
	}
	if week == 0 {
		return nil, Invalid("hours", "a calendar has working hours on some day of the week")
	}
	return c, c.setHolidays(holidays)
}

func (c *Calendar) setHolidays(days []string) error {
	if len(days) > maxHolidays {
		return Invalid("holidays", "a calendar has at most %d holidays", maxHolidays)
	}
	for _, day := range days {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return Invalid("holidays", "%q is not a day like 2026-12-25", day)
		}
		if !c.holidaySet[day] {
			c.holidaySet[day] = true
			c.Holidays = append(c.Holidays, day)
		}
	}
	slices.Sort(c.Holidays)
	return nil
}

// Add returns the moment at which so much working time has passed since from. Whatever is not positive returns from. It
// never goes back when from or the time grows, and adding twice is the same as adding the sum.
func (c *Calendar) Add(from time.Time, working time.Duration) time.Time {
	if working <= 0 {
		return from
	}
	if c == nil {
		return from.Add(working)
	}
	day := c.dayBefore(from)
	for range maxLookaheadDays {
		for _, stretch := range c.workingPeriods(day) {
			begin := laterTime(stretch.begin, from)
			length := stretch.end.Sub(begin)
			if length >= working {
				return begin.Add(working).In(from.Location())
			}
			if length > 0 {
				working -= length
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return day.In(from.Location()) // nobody works for a hundred years
}

// Between returns the working time from one moment to a later one; 0 when it is not later.
func (c *Calendar) Between(from, to time.Time) time.Duration {
	if !to.After(from) {
		return 0
	}
	if c == nil {
		return to.Sub(from)
	}
	var working time.Duration
	day := c.dayBefore(from)
	for range maxLookaheadDays {
		if midnight(day, c.location).After(to) {
			break
		}
		for _, stretch := range c.workingPeriods(day) {
			end := stretch.end
			if to.Before(end) {
				end = to
			}
			if length := end.Sub(laterTime(stretch.begin, from)); length > 0 {
				working += length
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return working
}

// workingPeriod is working time as moments.
type workingPeriod struct{ begin, end time.Time }

// dayBefore is the day before the moment's own, as a date in UTC: where the clock is turned, hours of the day before may
// reach beyond its midnight.
func (c *Calendar) dayBefore(at time.Time) time.Time {
	year, month, day := at.In(c.location).Date()
	return time.Date(year, month, day-1, 0, 0, 0, 0, time.UTC)
}

func midnight(day time.Time, zone *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
}

// workingPeriods are the working times of a day as moments, in order and apart from each other also on the days on which the
// clock is turned: an hour that does not exist is no work, one that comes twice is worked twice.
func (c *Calendar) workingPeriods(day time.Time) []workingPeriod {
	if c.holidaySet[day.Format(time.DateOnly)] {
		return nil
	}
	spans := c.Hours[day.Weekday()]
	list := make([]workingPeriod, 0, len(spans))
	var last time.Time
	for _, span := range spans {
		begin, end := c.timeOfDay(day, span.From), c.timeOfDay(day, span.To)
		if begin = laterTime(begin, last); end.After(begin) {
			list = append(list, workingPeriod{begin, end})
			last = end
		}
	}
	return list
}

func (c *Calendar) timeOfDay(day time.Time, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, minute, 0, 0, c.location)
}

func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
