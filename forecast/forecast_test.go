package forecast_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/forecast"
)

var (
	monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	// march includes the day on which clocks change in Berlin.
	berlin = mustZone("Europe/Berlin")
)

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func weeks(n int, zone *time.Location) forecast.Period {
	return forecast.Period{From: monday, To: monday.AddDate(0, 0, 7*n), Zone: zone}
}

func daysOf(period forecast.Period) (days []time.Time) {
	for day := period.From; !day.After(period.To); day = day.AddDate(0, 0, 1) {
		days = append(days, day)
	}
	return days
}

func drawTeam(t *rapid.T) forecast.Team {
	team := forecast.Team{Reviewers: rapid.IntRange(1, 5).Draw(t, "reviewers"),
		Work:  rapid.Float64Range(1, 20_000).Draw(t, "work"),
		Delay: rapid.Float64Range(0, 50_000).Draw(t, "delay"),
		Hours: forecast.Hours{From: 60 * rapid.IntRange(0, 12).Draw(t, "from"),
			To: 60 * rapid.IntRange(13, 24).Draw(t, "to")}}
	for day := range team.Hours.Days {
		team.Hours.Days[day] = rapid.Bool().Draw(t, "day")
	}
	team.Hours.Days[rapid.IntRange(0, 6).Draw(t, "workday")] = true
	return team
}

func drawReviews(t *rapid.T) []forecast.Review {
	reviews := make([]forecast.Review, rapid.IntRange(0, 60).Draw(t, "reviews"))
	for i := range reviews {
		opened := monday.Add(time.Duration(rapid.IntRange(-5*24*60, 28*24*60).Draw(t, "opened")) * time.Minute)
		reviews[i] = forecast.Review{Opened: opened,
			Due: opened.Add(time.Duration(rapid.IntRange(1, 72).Draw(t, "due")) * time.Hour)}
	}
	forecast.SortReviews(reviews)
	return reviews
}

// One reviewer more delays no review. No review is lost, none ends before it was opened, and none
// before one that was opened earlier.
func TestReviewersAndOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		period := weeks(4, rapid.SampledFrom([]*time.Location{time.UTC, berlin}).Draw(t, "zone"))
		team, reviews := drawTeam(t), drawReviews(t)
		ends := team.Replay(reviews, period)
		more := team
		more.Reviewers++
		faster := more.Replay(reviews, period)
		for i, r := range reviews {
			if faster[i].After(ends[i]) {
				t.Fatalf("review %d ends at %v, with one reviewer more at %v", i, ends[i], faster[i])
			}
			if ends[i].Before(r.Opened) || i > 0 && ends[i].Before(ends[i-1]) && r.Opened.Before(ends[i-1]) {
				t.Fatalf("review %d, opened at %v, ends at %v, the one before at %v", i, r.Opened, ends[i],
					ends[max(0, i-1)])
			}
		}
		one := forecast.Count(reviews, ends, period, daysOf(period))
		two := forecast.Count(reviews, faster, period, daysOf(period))
		if one.Decided+one.Open != len(reviews) || two.Decided+two.Open != len(reviews) {
			t.Fatalf("%d reviews, but %+v and %+v", len(reviews), one, two)
		}
		if two.Late > one.Late || two.Median > one.Median || two.P90 > one.P90 || two.Open > one.Open {
			t.Fatalf("worse with one reviewer more: %+v, %+v", one, two)
		}
		for day := range one.OpenByDay {
			if two.OpenByDay[day] > one.OpenByDay[day] {
				t.Fatalf("day %d: %d open, with one reviewer more %d", day, one.OpenByDay[day],
					two.OpenByDay[day])
			}
		}
	})
}

// Fewer reviews delay none of the rest.
func TestFewerReviewsAreNotSlower(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		period := weeks(4, time.UTC)
		team, reviews := drawTeam(t), drawReviews(t)
		ends := team.Replay(reviews, period)
		var kept []forecast.Review
		var before []time.Time
		for i, r := range reviews {
			if rapid.Bool().Draw(t, "kept") {
				kept, before = append(kept, r), append(before, ends[i])
			}
		}
		for i, end := range team.Replay(kept, period) {
			if end.After(before[i]) {
				t.Fatalf("with fewer reviews %v, with all %v", end, before[i])
			}
		}
	})
}

func TestNothingIsDecidedWithoutReviewers(t *testing.T) {
	t.Parallel()
	period := weeks(1, time.UTC)
	reviews := []forecast.Review{{Opened: monday, Due: monday.Add(time.Hour)},
		{Opened: monday.Add(50 * time.Hour), Due: monday.AddDate(0, 1, 0)}}
	team := forecast.Team{Work: 60, Hours: forecast.Hours{To: 24 * 60}}
	got := forecast.Count(reviews, team.Replay(reviews, period), period, daysOf(period))
	if got.Decided != 0 || got.Open != 2 || got.Late != 1 || got.Median != 0 ||
		!slices.Equal(got.OpenByDay, []int{1, 1, 2, 2, 2, 2, 2}) {
		t.Errorf("%+v", got)
	}
	if work := team.WorkPerWeek(2, period); work != 0 {
		t.Errorf("work without reviewers: %v", work)
	}
}

// Two reviewers work from 9 to 17 on weekdays, an hour for each review. The third review of Friday
// afternoon ends on Monday, and the night when clocks change does not matter.
func TestReplayInWorkingHours(t *testing.T) {
	t.Parallel()
	period := forecast.Period{From: time.Date(2026, 3, 23, 0, 0, 0, 0, berlin),
		To: time.Date(2026, 4, 6, 0, 0, 0, 0, berlin), Zone: berlin}
	friday := time.Date(2026, 3, 27, 15, 30, 0, 0, berlin)
	team := forecast.Team{Reviewers: 2, Work: 3600, Hours: forecast.Hours{From: 9 * 60, To: 17 * 60,
		Days: [7]bool{false, true, true, true, true, true, false}}}
	reviews := []forecast.Review{{Opened: friday}, {Opened: friday}, {Opened: friday}}
	want := []time.Time{friday.Add(time.Hour), friday.Add(time.Hour),
		time.Date(2026, 3, 30, 9, 30, 0, 0, berlin)}
	for i, end := range team.Replay(reviews, period) {
		if !end.Equal(want[i]) {
			t.Errorf("review %d ends at %v, want %v", i, end, want[i])
		}
	}
}

// world makes the reviews of a queue with people of different speed, who make breaks, miss days, look
// after a while, and take times of a long-tailed distribution.
func world(seed uint64, people int, perDay float64, period forecast.Period) []forecast.Review {
	random := rand.New(rand.NewPCG(seed, 11))
	var reviews []forecast.Review
	days := int(period.To.Sub(period.From).Hours() / 24)
	for day := range days {
		date := period.From.AddDate(0, 0, day)
		rate := perDay * (0.8 + 0.4*random.Float64())
		if date.Weekday() == time.Saturday || date.Weekday() == time.Sunday {
			rate /= 10
		}
		for at := random.ExpFloat64() / rate; at < 1; at += random.ExpFloat64() / rate {
			opened := date.Add(7*time.Hour + time.Duration(at*12*float64(time.Hour)))
			reviews = append(reviews, forecast.Review{Queue: "L1", Opened: opened, Due: opened.Add(24 * time.Hour)})
		}
	}
	forecast.SortReviews(reviews)
	free, speed, absent := make([]time.Time, people), make([]float64, people), make([]int, people)
	for i := range people {
		speed[i], absent[i] = 0.7+0.6*random.Float64(), random.IntN(10)
	}
	for i := range reviews {
		person, begun := 0, time.Time{}
		for p := range people {
			at := reviews[i].Opened.Add(time.Duration(random.ExpFloat64() * float64(40*time.Minute)))
			if free[p].After(at) {
				at = free[p]
			}
			for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday || at.Hour() >= 17 ||
				(at.YearDay()+absent[p])%10 == 0 {
				at = time.Date(at.Year(), at.Month(), at.Day()+1, 8, random.IntN(60), 0, 0, time.UTC)
			}
			if at.Hour() < 8 {
				at = time.Date(at.Year(), at.Month(), at.Day(), 8, random.IntN(60), 0, 0, time.UTC)
			}
			if begun.IsZero() || at.Before(begun) {
				person, begun = p, at
			}
		}
		work := time.Duration(math.Exp(0.6*random.NormFloat64()) * speed[person] * float64(25*time.Minute))
		free[person] = begun.Add(work)
		if free[person].Before(period.To) {
			reviews[i].Claimed, reviews[i].Decided = begun, free[person]
			reviews[i].Person = string(rune('a' + person))
		}
	}
	return reviews
}

// What was learned from eight weeks predicts the next four: the error over ten made-up histories is
// printed, and bounded.
func TestErrorAgainstMadeUpHistory(t *testing.T) {
	t.Parallel()
	for _, load := range []struct {
		name            string
		people          int
		perDay          float64
		decided, median float64 // bounds in percent
	}{{"three people, calm", 3, 30, 8, 40}, {"three people, busy", 3, 44, 8, 60},
		{"one person", 1, 9, 20, 60}, {"eight people", 8, 90, 8, 40}} {
		var decided, median float64
		for seed := range uint64(10) {
			period := weeks(12, time.UTC)
			reviews := world(seed, load.people, load.perDay, period)
			e := forecast.ErrorOf(forecast.Backtest(reviews, forecast.Shares(reviews, time.UTC), period))
			if e.Weeks != 4 {
				t.Fatalf("%s: %d weeks", load.name, e.Weeks)
			}
			decided, median = decided+e.Decided/10, median+e.Median/10
		}
		t.Logf("%s: mean error of decisions %.1f %%, of the time in review %.1f %%", load.name, decided, median)
		if decided > load.decided || median > load.median {
			t.Errorf("%s: error of decisions %.1f %%, of the time in review %.1f %%", load.name, decided, median)
		}
	}
}

func BenchmarkLearnAndReplay(b *testing.B) {
	period := weeks(12, time.UTC)
	reviews := world(1, 40, 1100, period)
	for b.Loop() {
		shares := forecast.Shares(reviews, time.UTC)
		team, _ := forecast.Learn(reviews, shares, period)
		forecast.Count(reviews, team.Replay(reviews, period), period, daysOf(period))
		forecast.Backtest(reviews, shares, period)
	}
	b.ReportMetric(float64(len(reviews)), "reviews")
}
