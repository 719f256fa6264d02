package domain

import (
	"slices"
	"time"
	_ "time/tzdata" // for machines without a time zone database
	"unicode/utf8"
)

// TimeRange is a range of working time in one day, in minutes after midnight; To is exclusive and
// at most 1440.
type TimeRange struct{ From, To int }

// Calendar defines working time: the hours of each weekday in a time zone, and holidays. The nil
// calendar counts all time as working time. A calendar is never changed after NewCalendar and is
// safe for concurrent use.
type Calendar struct {
	Name string
	// Zone is the name of the time zone, as in Europe/Berlin.
	Zone string
	// Hours are the working hours by time.Weekday, sorted and without overlap.
	Hours [7][]TimeRange
	// Holidays are days like 2026-12-25, sorted.
	Holidays []string
	Version  int64

	location   *time.Location
	holidaySet map[string]bool
}

const (
	dayMinutes      = 24 * 60
	maxHolidays     = 2000
	maxRangesPerDay = 12
	// maxLookaheadDays limits how far Add searches for working time.
	maxLookaheadDays = 40_000
)

// NewCalendar validates and returns a calendar. It returns InvalidInput with the invalid field.
func NewCalendar(name, zone string, hours [7][]TimeRange, holidays []string) (*Calendar, error) {
	if name == "" || utf8.RuneCountInString(name) > 100 {
		return nil, Invalid("name", "Enter a name of 1 to 100 characters for the calendar.")
	}
	location, err := LoadZone(zone)
	if err != nil {
		return nil, err
	}
	c := &Calendar{Name: name, Zone: zone, location: location, holidaySet: map[string]bool{}}
	week := 0
	for day, ranges := range hours {
		ranges = slices.Clone(ranges)
		slices.SortFunc(ranges, func(a, b TimeRange) int { return a.From - b.From })
		if len(ranges) > maxRangesPerDay {
			return nil, Invalid(
				"hours", "A day can have at most %d ranges of working hours.", maxRangesPerDay,
			)
		}
		last := 0
		for _, span := range ranges {
			if span.From < last || span.To <= span.From || span.To > dayMinutes {
				return nil, Invalid(
					"hours", "The hours of %s overlap or end before they start. Correct them.",
					time.Weekday(day),
				)
			}
			last = span.To
			week += span.To - span.From
		}
		c.Hours[day] = ranges
	}
	if week == 0 {
		return nil, Invalid(
			"hours", "A calendar needs working hours on at least one day of the week.",
		)
	}
	return c, c.setHolidays(holidays)
}

func (c *Calendar) setHolidays(days []string) error {
	if len(days) > maxHolidays {
		return Invalid("holidays", "A calendar can have at most %d holidays.", maxHolidays)
	}
	for _, day := range days {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return Invalid("holidays", "%q is not a valid date. Write it like 2026-12-25.", day)
		}
		if !c.holidaySet[day] {
			c.holidaySet[day] = true
			c.Holidays = append(c.Holidays, day)
		}
	}
	slices.Sort(c.Holidays)
	return nil
}

// Add returns the time at which the given working time has passed since from. It returns from if
// the working time is not positive. It is monotonic in both arguments, and adding twice is the same
// as adding the sum.
func (c *Calendar) Add(from time.Time, working time.Duration) time.Time {
	if working <= 0 {
		return from
	}
	if c == nil {
		return from.Add(working)
	}
	day := c.dayBefore(from)
	for range maxLookaheadDays {
		for _, period := range c.workingPeriods(day) {
			begin := LaterTime(period.begin, from)
			length := period.end.Sub(begin)
			if length >= working {
				return begin.Add(working).In(from.Location())
			}
			if length > 0 {
				working -= length
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return day.In(from.Location()) // no working time within maxLookaheadDays
}

// Subtract returns the time from which on the given working time passes until to; it is the inverse of
// Add. It returns to if the working time is not positive.
func (c *Calendar) Subtract(to time.Time, working time.Duration) time.Time {
	if working <= 0 {
		return to
	}
	if c == nil {
		return to.Add(-working)
	}
	day := c.dayBefore(to).AddDate(0, 0, 1)
	for range maxLookaheadDays {
		for _, period := range slices.Backward(c.workingPeriods(day)) {
			end := period.end
			if to.Before(end) {
				end = to
			}
			length := end.Sub(period.begin)
			if length >= working {
				return end.Add(-working).In(to.Location())
			}
			if length > 0 {
				working -= length
			}
		}
		day = day.AddDate(0, 0, -1)
	}
	return day.In(to.Location()) // no working time within maxLookaheadDays
}

// Next returns the first working time that is not before from; of the nil calendar from itself.
func (c *Calendar) Next(from time.Time) time.Time {
	if c == nil {
		return from
	}
	return c.Add(from, time.Nanosecond).Add(-time.Nanosecond)
}

// NextDay returns the next midnight in the calendar's time zone.
func (c *Calendar) NextDay(from time.Time) time.Time {
	local := from.In(c.location)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, c.location)
}

// Between returns the working time between two times, 0 if to is not after from.
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
		for _, period := range c.workingPeriods(day) {
			end := period.end
			if to.Before(end) {
				end = to
			}
			if length := end.Sub(LaterTime(period.begin, from)); length > 0 {
				working += length
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return working
}

// workingPeriod is a period of working time with absolute times.
type workingPeriod struct{ begin, end time.Time }

// dayBefore returns the day before the given time, as a date in UTC. When clocks change, working
// hours of that day can extend past midnight.
func (c *Calendar) dayBefore(at time.Time) time.Time {
	year, month, day := at.In(c.location).Date()
	return time.Date(year, month, day-1, 0, 0, 0, 0, time.UTC)
}

func midnight(day time.Time, zone *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
}

// workingPeriods returns the working periods of a day, sorted and without overlap. When clocks
// change, a skipped hour is not counted and a repeated hour counts twice.
func (c *Calendar) workingPeriods(day time.Time) []workingPeriod {
	if c.holidaySet[day.Format(time.DateOnly)] {
		return nil
	}
	spans := c.Hours[day.Weekday()]
	list := make([]workingPeriod, 0, len(spans))
	var last time.Time
	for _, span := range spans {
		begin, end := c.timeOfDay(day, span.From), c.timeOfDay(day, span.To)
		if begin = LaterTime(begin, last); end.After(begin) {
			list = append(list, workingPeriod{begin, end})
			last = end
		}
	}
	return list
}

func (c *Calendar) timeOfDay(day time.Time, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, minute, 0, 0, c.location)
}

// LaterTime returns the later of two times.
func LaterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
