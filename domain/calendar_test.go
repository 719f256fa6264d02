package domain_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

// officeCalendar is Monday to Friday, 9 to 12 and 13 to 17.
func officeCalendar(t testing.TB, zone string, holidays ...string) *domain.Calendar {
	t.Helper()
	var hours [7][]domain.TimeRange
	for day := time.Monday; day <= time.Friday; day++ {
		hours[day] = []domain.TimeRange{{From: 9 * 60, To: 12 * 60}, {From: 13 * 60, To: 17 * 60}}
	}
	calendar, err := domain.NewCalendar("office", zone, hours, holidays)
	if err != nil {
		t.Fatal(err)
	}
	return calendar
}

func timeIn(t testing.TB, zone, text string) time.Time {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, location)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestWorkingTime(t *testing.T) {
	t.Parallel()
	const berlin = "Europe/Berlin"
	calendar := officeCalendar(t, berlin, "2026-12-25")
	for _, c := range []struct {
		from  string
		hours float64
		want  string
	}{
		{"2026-12-21 09:00", 2, "2026-12-21 11:00"},    // within working hours
		{"2026-12-21 11:00", 2, "2026-12-21 14:00"},    // over lunch
		{"2026-12-21 16:00", 2, "2026-12-22 10:00"},    // overnight
		{"2026-12-24 16:30", 1, "2026-12-28 09:30"},    // over a holiday and a weekend
		{"2026-12-26 03:00", 0.5, "2026-12-28 09:30"},  // from a day without working hours
		{"2026-12-21 09:00", 7, "2026-12-21 17:00"},    // to the end of a day
		{"2026-12-21 17:00", 7, "2026-12-22 17:00"},    // from the end of a day
		{"2026-12-21 20:00", 0, "2026-12-21 20:00"},    // zero returns the start
		{"2026-03-27 16:00", 2, "2026-03-30 10:00"},    // over the start of daylight saving time
		{"2026-10-23 16:00", 2, "2026-10-26 10:00"},    // and its end
		{"2026-12-21 09:00", 35, "2026-12-28 17:00"},   // a week with a holiday
		{"2026-12-21 09:00", -5, "2026-12-21 09:00"},   // never before the start
		{"2026-12-25 12:00", 0.01, "2026-12-28 09:00"}, // within a holiday
	} {
		got := calendar.Add(timeIn(t, berlin, c.from), time.Duration(c.hours*float64(time.Hour)))
		if want := timeIn(t, berlin, c.want); got.Sub(want).Abs() > time.Minute {
			t.Errorf("%s + %v h = %s, want %s", c.from, c.hours, got, want)
		}
	}
	var whole *domain.Calendar
	if from := timeIn(t, berlin, "2026-12-25 12:00"); !whole.Add(from, time.Hour).
		Equal(from.Add(time.Hour)) ||
		whole.Between(from, from.Add(time.Hour)) != time.Hour {
		t.Error("whole time is not whole")
	}
}

// An hour skipped by a clock change is not counted; a repeated hour counts twice.
func TestHoursOfTheNightTheClockIsTurned(t *testing.T) {
	t.Parallel()
	var hours [7][]domain.TimeRange
	for day := range hours {
		hours[day] = []domain.TimeRange{{From: 60, To: 4 * 60}} // 1 to 4, every night
	}
	night, err := domain.NewCalendar("night", "Europe/Berlin", hours, nil)
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]time.Duration{
		"2026-03-28 00:00": 3 * time.Hour, "2026-03-29 00:00": 2 * time.Hour,
		"2026-10-25 00:00": 4 * time.Hour,
	} {
		from := timeIn(t, "Europe/Berlin", day)
		if got := night.Between(from, from.Add(12*time.Hour)); got != want {
			t.Errorf("in the night of %s there are %s of work, want %s", day, got, want)
		}
	}
}

func TestCalendarsThatAreRefused(t *testing.T) {
	t.Parallel()
	day := [7][]domain.TimeRange{1: {{From: 540, To: 1020}}}
	for name, c := range map[string]struct {
		zone     string
		hours    [7][]domain.TimeRange
		holidays []string
		field    string
	}{
		"no zone":        {"", day, nil, "zone"},
		"unknown zone":   {"Mars/Olympus", day, nil, "zone"},
		"machine's zone": {"Local", day, nil, "zone"},
		"no hours":       {"UTC", [7][]domain.TimeRange{}, nil, "hours"},
		"overlap": {"UTC", [7][]domain.TimeRange{2: {{From: 60, To: 120},
			{From: 90, To: 180}}}, nil, "hours"},
		"backwards":       {"UTC", [7][]domain.TimeRange{2: {{From: 120, To: 60}}}, nil, "hours"},
		"beyond midnight": {"UTC", [7][]domain.TimeRange{2: {{From: 120, To: 1441}}}, nil, "hours"},
		"no day":          {"UTC", day, []string{"2026-02-30"}, "holidays"},
	} {
		_, err := domain.NewCalendar("c", c.zone, c.hours, c.holidays)
		if failure, ok := err.(*domain.Error); !ok || failure.Code != domain.InvalidInput ||
			failure.Field != c.field { //nolint:errorlint // made here
			t.Errorf("%s: %v", name, err)
		}
	}
}

// drawCalendar generates a calendar with irregular hours, holidays and a zone with clock changes.
func drawCalendar(t *rapid.T) *domain.Calendar {
	var hours [7][]domain.TimeRange
	for day := range hours {
		last := 0
		for range rapid.IntRange(0, 3).Draw(t, "stretches") {
			from := rapid.IntRange(last, 1439).Draw(t, "from")
			to := rapid.IntRange(from+1, 1440).Draw(t, "to")
			if hours[day] = append(hours[day], domain.TimeRange{From: from, To: to}); to > 1430 {
				break
			}
			last = to
		}
	}
	hours[3] = append(
		hours[3][:0:0], domain.TimeRange{From: 0, To: 1440},
	) // every week has working hours
	zone := rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/New_York",
		"Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata"}).
		Draw(t, "zone")
	var holidays []string
	for range rapid.IntRange(0, 4).Draw(t, "holidays") {
		holidays = append(holidays, drawTime(t).Format(time.DateOnly))
	}
	calendar, err := domain.NewCalendar("c", zone, hours, holidays)
	if err != nil {
		t.Fatal(err)
	}
	return calendar
}

// drawTime generates a time of 2026, often near a clock change.
func drawTime(t *rapid.T) time.Time {
	near := rapid.SampledFrom([]string{"2026-03-08", "2026-03-29", "2026-04-05", "2026-04-24",
		"2026-10-25", "2026-11-01", "2026-07-01"}).
		Draw(t, "near")
	day, err := time.Parse(time.DateOnly, near)
	if err != nil {
		t.Fatal(err)
	}
	return day.Add(
		time.Duration(rapid.Int64Range(-3*86400, 3*86400).Draw(t, "seconds")) * time.Second,
	)
}

func drawDuration(t *rapid.T, name string) time.Duration {
	return time.Duration(rapid.Int64Range(0, 5*86400).Draw(t, name)) * time.Second
}

func TestWorkingTimeAddsUpAndNeverGoesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, from, a, b := drawCalendar(t), drawTime(t), drawDuration(t, "a"), drawDuration(t, "b")
		once, twice := c.Add(from, a+b), c.Add(c.Add(from, a), b)
		if !once.Equal(twice) {
			t.Fatalf("%s + %s + %s = %s, at once %s", from, a, b, twice, once)
		}
		if c.Add(from, a).After(once) || c.Add(from, a).Before(from) {
			t.Fatalf("more time ends sooner: %s, %s", c.Add(from, a), once)
		}
		if wait := drawDuration(t, "wait"); c.Add(from.Add(wait), a).Before(c.Add(from, a)) {
			t.Fatalf("who begins later by %s ends sooner", wait)
		}
		if got := c.Between(from, c.Add(from, a)); got != a {
			t.Fatalf("from %s to %s there are %s of work, not %s", from, c.Add(from, a), got, a)
		}
	})
}

func TestSubtractedWorkingTimePassesUntilTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, to, working := drawCalendar(t), drawTime(t), drawDuration(t, "working")
		from := c.Subtract(to, working)
		if got := c.Between(from, to); got != working || from.After(to) {
			t.Fatalf("from %s to %s there are %s of work, not %s", from, to, got, working)
		}
		if later := c.Between(from.Add(time.Second), to); working > 0 && later >= working {
			t.Fatalf("%s is not the last time before which %s of work are left", from, working)
		}
	})
	var none *domain.Calendar
	at := timeIn(t, "UTC", "2026-11-27 10:00")
	if got := none.Subtract(at, time.Hour); !got.Equal(at.Add(-time.Hour)) {
		t.Errorf("without a calendar: %s", got)
	}
	monday := timeIn(t, "Europe/Berlin", "2026-11-30 10:00")
	if got := officeCalendar(t, "Europe/Berlin").Subtract(monday, 2*time.Hour); !got.Equal(
		timeIn(t, "Europe/Berlin", "2026-11-27 16:00")) {
		t.Errorf("two hours before Monday at 10: %s", got)
	}
}

func TestWorkingTimeBetweenAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, from := drawCalendar(t), drawTime(t)
		middle := from.Add(drawDuration(t, "a"))
		to := middle.Add(drawDuration(t, "b"))
		if sum, whole := c.Between(from, middle)+c.Between(middle, to),
			c.Between(from, to); sum != whole ||
			whole > to.Sub(from) {
			t.Fatalf("%s to %s: %s in two parts, %s in one", from, to, sum, whole)
		}
	})
}

// A holiday removes exactly the working hours of its day.
func TestHolidayTakesItsOwnWork(t *testing.T) {
	t.Parallel()
	plain, without := officeCalendar(
		t, "Europe/Berlin",
	), officeCalendar(
		t, "Europe/Berlin", "2026-05-01",
	)
	from, to := timeIn(
		t, "Europe/Berlin", "2026-04-27 00:00",
	), timeIn(
		t, "Europe/Berlin", "2026-05-04 00:00",
	)
	if plain.Between(from, to) != 35*time.Hour || without.Between(from, to) != 28*time.Hour {
		t.Errorf("%s and %s", plain.Between(from, to), without.Between(from, to))
	}
}
