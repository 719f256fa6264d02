package domain_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

var monday = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

func dueAfterHours(hours ...float64) []domain.DueCount {
	var list []domain.DueCount
	for _, h := range hours {
		list = append(
			list, domain.DueCount{Due: monday.Add(time.Duration(h * float64(time.Hour))), Count: 1},
		)
	}
	return list
}

func TestForecast(t *testing.T) {
	t.Parallel()
	day := monday.Add(24 * time.Hour)
	for name, c := range map[string]struct {
		flow domain.ForecastInput
		want int
	}{
		"nothing waits": {domain.ForecastInput{Pace: 1}, 0},
		"all in time": {domain.ForecastInput{Waiting: dueAfterHours(3, 4, 5),
			Pace: 1}, 0},
		"one too many at one hour": {domain.ForecastInput{Waiting: dueAfterHours(2, 2, 2),
			Pace: 1}, 1},
		"nobody decides": {domain.ForecastInput{Waiting: dueAfterHours(2, 3, 30),
			Pace: 0}, 2},
		"overdue already": {domain.ForecastInput{Waiting: dueAfterHours(-1, -2, 5),
			Pace: 1}, 0},
		"the overdue come first": {domain.ForecastInput{Waiting: dueAfterHours(-1, -1, -1, 2),
			Pace: 1}, 1},
		"what comes is too much": {domain.ForecastInput{Arrivals: 3, Pace: 1,
			TimeToDecide: time.Hour}, 68},
		"what comes, behind one done": {domain.ForecastInput{Waiting: dueAfterHours(30),
			Arrivals: 12, Pace: 6, TimeToDecide: time.Hour}, 269},
		"what comes is no more": {domain.ForecastInput{Arrivals: 2, Pace: 2,
			TimeToDecide: time.Hour}, 0},
		"after work nobody decides": {domain.ForecastInput{Waiting: dueAfterHours(12, 12),
			Pace: 0.2, Calendar: officeCalendar(t, "UTC")}, 1},
	} {
		got := c.flow.Forecast(monday, day)
		if len(got) != 1 || !got[0].Until.Equal(day) || got[0].Count != c.want {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
}

// A higher pace never misses more deadlines, and a later time never shows fewer.
func TestForecastIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flow := domain.ForecastInput{
			Arrivals:     rapid.Float64Range(0, 20).Draw(t, "arrivals"),
			Pace:         rapid.Float64Range(0, 20).Draw(t, "pace"),
			TimeToDecide: time.Duration(rapid.IntRange(1, 30).Draw(t, "within")) * time.Hour,
		}
		for range rapid.IntRange(0, 20).Draw(t, "waiting") {
			flow.Waiting = append(
				flow.Waiting,
				dueAfterHours(rapid.Float64Range(-5, 40).Draw(t, "due"))...)
		}
		until := []time.Time{
			monday.Add(4 * time.Hour), monday.Add(24 * time.Hour), monday.Add(48 * time.Hour),
		}
		slow := flow.Forecast(monday, until...)
		flow.Pace += rapid.Float64Range(0, 10).Draw(t, "more")
		fast := flow.Forecast(monday, until...)
		for i := range until {
			if fast[i].Count > slow[i].Count+1 || i > 0 && slow[i].Count < slow[i-1].Count {
				t.Fatalf("slow %+v, fast %+v", slow, fast)
			}
		}
	})
}

// A simulated queue with random arrivals and decisions, earliest deadline first, misses about as
// many deadlines as forecast. Reviews due after the last requested time do not change the result.
func TestForecastNeedsNothingThatIsDueLater(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flow := domain.ForecastInput{
			Arrivals:     rapid.Float64Range(0, 20).Draw(t, "arrivals"),
			Pace:         rapid.Float64Range(0, 20).Draw(t, "pace"),
			TimeToDecide: time.Duration(rapid.IntRange(1, 30).Draw(t, "within")) * time.Hour,
		}
		for range rapid.IntRange(0, 30).Draw(t, "waiting") {
			flow.Waiting = append(
				flow.Waiting,
				dueAfterHours(rapid.Float64Range(-5, 40).Draw(t, "due"))...)
		}
		until := []time.Time{monday.Add(4 * time.Hour), monday.Add(10 * time.Hour)}
		whole := flow.Forecast(monday, until...)
		flow.Waiting = slices.DeleteFunc(
			slices.Clone(flow.Waiting),
			func(w domain.DueCount) bool { return w.Due.After(until[1]) },
		)
		if cut := flow.Forecast(monday, until...); !slices.Equal(whole, cut) {
			t.Fatalf("with all %v, with what is due until then %v", whole, cut)
		}
	})
}

func TestForecastAgreesWithASimulatedWorld(t *testing.T) {
	t.Parallel()
	for _, flow := range []domain.ForecastInput{
		{Arrivals: 12, Pace: 10, TimeToDecide: 4 * time.Hour},
		{Arrivals: 10, Pace: 15, TimeToDecide: 2 * time.Hour},
		{Waiting: slices.Repeat(dueAfterHours(6), 120), Arrivals: 5, Pace: 12,
			TimeToDecide: 8 * time.Hour},
	} {
		until := monday.Add(36 * time.Hour)
		forecast := flow.Forecast(monday, until)[0].Count
		sum, worlds := 0, 200
		for seed := range worlds {
			sum += simulate(flow, until, rand.New(rand.NewPCG(uint64(seed), 7)))
		}
		if mean := float64(sum) / float64(worlds); math.Abs(mean-float64(forecast)) > 8+0.15*mean {
			t.Errorf("%+v: forecast %d, in the world %.1f", flow.Pace, forecast, mean)
		}
	}
}

// simulate runs one simulation with exponential times between arrivals and between decisions.
func simulate(flow domain.ForecastInput, until time.Time, r *rand.Rand) int {
	var open []time.Time
	for _, waiting := range flow.Waiting {
		open = append(open, waiting.Due)
	}
	wait := func(rate float64) time.Duration {
		return time.Duration(
			r.ExpFloat64() / rate * float64(time.Hour))
	}
	arrive, decide := monday.Add(wait(flow.Arrivals)), monday.Add(wait(flow.Pace))
	broken := 0
	for {
		at := arrive
		if decide.Before(at) {
			at = decide
		}
		if at.After(until) {
			break
		}
		if at.Equal(arrive) {
			open = append(open, at.Add(flow.TimeToDecide))
			arrive = at.Add(wait(flow.Arrivals))
			continue
		}
		decide = at.Add(wait(flow.Pace))
		if len(open) > 0 {
			slices.SortFunc(open, time.Time.Compare)
			if open[0].Before(at) {
				broken++
			}
			open = open[1:]
		}
	}
	for _, d := range open {
		if d.Before(until) {
			broken++
		}
	}
	return broken
}
