package domain

import "time"

// MaxDays is the largest number of days of a period.
const MaxDays = 366

// Days is a period of whole days in a time zone.
type Days struct {
	// Starts are the first instants of the days, and of the day after the last one.
	Starts []time.Time
	names  []string
}

// NewDays returns the days from the first to the last one, both like 2026-11-28, in a time zone such
// as Europe/Berlin.
func NewDays(first, last, zone string) (Days, error) {
	location, err := LoadZone(zone)
	if err != nil {
		return Days{}, err
	}
	from, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return Days{}, Invalid("from", "%.40q is not a day.", first).
			WithRemedy("Enter a day such as 2026-11-28.")
	}
	to, err := time.Parse(time.DateOnly, last)
	if err != nil {
		return Days{}, Invalid("to", "%.40q is not a day.", last).
			WithRemedy("Enter a day such as 2026-11-28.")
	}
	if from.Year() < 2000 || to.Year() > 9000 {
		return Days{}, Invalid("from", "Choose days from 2000 on.")
	}
	count := int(to.Sub(from).Hours()/24) + 1
	if count < 1 {
		return Days{}, Invalid("to", "The last day is before the first one.")
	}
	if count > MaxDays {
		return Days{}, Invalid("to", "A period can have at most %d days.", MaxDays)
	}
	days := Days{}
	for i := range count + 1 {
		day := from.AddDate(0, 0, i)
		days.Starts = append(days.Starts, firstInstant(day, location))
		days.names = append(days.names, day.Format(time.DateOnly))
	}
	return days, nil
}

// firstInstant returns when the day begins. Where clocks skip midnight, that is later than 0:00.
func firstInstant(day time.Time, location *time.Location) time.Time {
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, location)
	for at.Format(time.DateOnly) < day.Format(time.DateOnly) {
		at = at.Add(15 * time.Minute)
	}
	return at.UTC()
}

// Len returns the number of days.
func (d Days) Len() int { return len(d.Starts) - 1 }

// Name returns the name of a day, like 2026-11-28; 0 is the first day.
func (d Days) Name(i int) string { return d.names[i] }

// From returns the first instant of the period.
func (d Days) From() time.Time { return d.Starts[0] }

// To returns the first instant after the period.
func (d Days) To() time.Time { return d.Starts[len(d.Starts)-1] }

// LoadZone returns the time zone of a name such as Europe/Berlin.
func LoadZone(zone string) (*time.Location, error) {
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return nil, Invalid("zone", "Unknown time zone %.100q.", zone).
			WithRemedy("Use a name such as Europe/Berlin or Asia/Shanghai.")
	}
	return location, nil
}

// StatisticsGroup is by what figures are grouped.
type StatisticsGroup string

// The groups.
const (
	ByDay     StatisticsGroup = "day"
	ByQueue   StatisticsGroup = "queue"
	ByProcess StatisticsGroup = "process"
	ByPerson  StatisticsGroup = "person"
)
