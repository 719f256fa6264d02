package forecast

import (
	"math"
	"slices"
	"sort"
	"time"
)

// minForHours is the number of decisions from which working hours are learned. With fewer, all time
// is working time.
const minForHours = 20

// Hours are the weekdays and the hours of a day in which a queue is worked on.
type Hours struct {
	Days     [7]bool // by time.Weekday
	From, To int     // minutes of a day, [From, To)
}

// allHours is around the clock.
var allHours = Hours{Days: [7]bool{true, true, true, true, true, true, true}, To: 24 * 60}

// LearnHours returns when decisions were made. Weekdays with less than a quarter of an average day
// are free days, and the earliest and latest decisions in a hundred do not count.
func LearnHours(decided []time.Time, zone *time.Location) Hours {
	if len(decided) < minForHours {
		return allHours
	}
	var days [7]int
	minutes := make([]int, 0, len(decided))
	for _, at := range decided {
		local := at.In(zone)
		days[local.Weekday()]++
		minutes = append(minutes, 60*local.Hour()+local.Minute())
	}
	slices.Sort(minutes)
	hours := Hours{From: minutes[len(minutes)/100] / 60 * 60,
		To: min(24*60, (minutes[len(minutes)-1-len(minutes)/100]/60+1)*60)}
	for day, count := range days {
		hours.Days[day] = 4*7*count >= len(decided)
	}
	return hours
}

// timeline converts between times and seconds of working time since its start. Times before the
// start are the start. After its end, time passes at the average rate.
type timeline struct {
	starts []float64 // periods of work, in seconds since start
	ends   []float64
	worked []float64 // working time until the beginning of each period
	start  time.Time
	length float64
	total  float64
}

func newTimeline(hours Hours, zone *time.Location, from, to time.Time) *timeline {
	t := &timeline{start: from, length: to.Sub(from).Seconds()}
	local := from.In(zone)
	for day := 0; ; day++ {
		midnight := time.Date(local.Year(), local.Month(), local.Day()+day, 0, 0, 0, 0, zone)
		if !midnight.Before(to) {
			break
		}
		if !hours.Days[midnight.Weekday()] {
			continue
		}
		at := func(minutes int) float64 {
			moment := time.Date(local.Year(), local.Month(), local.Day()+day, 0, minutes, 0, 0, zone)
			return min(t.length, max(0, moment.Sub(from).Seconds()))
		}
		if begin, end := at(hours.From), at(hours.To); end > begin {
			t.starts, t.ends = append(t.starts, begin), append(t.ends, end)
			t.worked = append(t.worked, t.total)
			t.total += end - begin
		}
	}
	return t
}

// rate is the share of time in which people work.
func (t *timeline) rate() float64 {
	if t.total == 0 || t.length == 0 {
		return 1
	}
	return t.total / t.length
}

// work returns the working time until a time.
func (t *timeline) work(at time.Time) float64 {
	seconds := at.Sub(t.start).Seconds()
	if seconds <= 0 {
		return 0
	}
	if seconds > t.length {
		return t.total + (seconds-t.length)*t.rate()
	}
	i := sort.SearchFloat64s(t.ends, seconds) // the first period that ends then or later
	if i == len(t.ends) {
		return t.total
	}
	return t.worked[i] + max(0, seconds-t.starts[i])
}

// workOf returns the working time until each review was opened.
func (t *timeline) workOf(reviews []Review) []float64 {
	opened := make([]float64, len(reviews))
	for i, r := range reviews {
		opened[i] = t.work(r.Opened)
	}
	return opened
}

// seconds returns after how many seconds from the start that much was worked.
func (t *timeline) seconds(work float64) float64 {
	if work > t.total {
		return t.length + (work-t.total)/t.rate()
	}
	i := sort.Search(len(t.worked), func(i int) bool {
		return t.worked[i]+t.ends[i]-t.starts[i] >= work
	})
	if i == len(t.worked) {
		return t.length
	}
	return t.starts[i] + work - t.worked[i]
}

// centuries bounds times, so that a queue in which people hardly work does not overflow them.
const centuries = 200 * 365 * 24 * 3600

// at returns the earliest time until which that much was worked.
func (t *timeline) at(work float64) time.Time {
	return t.start.Add(time.Duration(math.Round(min(t.seconds(work), centuries) * float64(time.Second))))
}
