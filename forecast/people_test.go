package forecast_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/forecast"
)

// fewestOpen assigns to the person of the group with the fewest open reviews, if it is below the cap.
func fewestOpen(groups [][]int, most int) func(*forecast.Review, []int) int {
	return func(review *forecast.Review, loads []int) int {
		to := forecast.Unknown
		for _, person := range groups[review.Group-1] {
			if loads[person] < most && (to == forecast.Unknown || loads[person] < loads[to]) {
				to = person
			}
		}
		return to
	}
}

// Without known groups a replay with people is the replay of the team.
func TestPeopleReplayOfUnknownGroups(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		period := weeks(4, rapid.SampledFrom([]*time.Location{time.UTC, berlin}).Draw(t, "zone"))
		desks := []forecast.Desk{{Known: true, Team: drawTeam(t), Reviews: drawReviews(t)},
			{Known: true, Team: drawTeam(t), Reviews: drawReviews(t), Assigns: true}}
		for d, worked := range forecast.ReplayPeople(desks, forecast.Staff{}, period) {
			want := desks[d].Team.Replay(desks[d].Reviews, period)
			for i, one := range worked {
				if difference := one.End.Sub(want[i]); difference.Abs() > time.Millisecond {
					t.Fatalf("queue %d, review %d ends at %v, the team ends it at %v", d, i, one.End, want[i])
				}
			}
		}
	})
}

// minuteWorld is a naive replay: it looks at every minute, around the clock.
type minuteWorld struct {
	desks  []forecast.Desk
	groups [][]int
	most   int
	to     [][]int // who was assigned each review
	by     [][]int // who works on it
	begun  [][]int // minute; -1 before
	ended  [][]int
}

func (w *minuteWorld) each(do func(d, i int, review forecast.Review)) {
	for d := range w.desks {
		for i, review := range w.desks[d].Reviews {
			do(d, i, review)
		}
	}
}

// load counts the reviews that a person has in a minute, after those that end in it.
func (w *minuteWorld) load(person, minute int) (open int, busy bool) {
	w.each(func(d, i int, _ forecast.Review) {
		works := w.begun[d][i] >= 0 && w.by[d][i] == person && w.ended[d][i] > minute
		waits := w.begun[d][i] < 0 && w.to[d][i] == person
		if works || waits {
			open++
		}
		busy = busy || works
	})
	return open, busy
}

func (w *minuteWorld) run(minutes int) {
	minuteOf := func(at time.Time) int { return int(at.Sub(monday) / time.Minute) }
	for minute := range minutes {
		for d, desk := range w.desks {
			for i, review := range desk.Reviews {
				if minuteOf(review.Opened) != minute || !desk.Assigns {
					continue
				}
				best, least := 0, w.most
				for _, person := range w.groups[review.Group-1] {
					if open, _ := w.load(person, minute); open < least {
						best, least = person, open
					}
				}
				w.to[d][i] = best
			}
		}
		for d, desk := range w.desks {
			delay, work := int(desk.Team.Delay/60), int(desk.Team.Work/60)
			for i, review := range desk.Reviews { // in the order of opening
				running := 0
				for j := range desk.Reviews {
					if w.begun[d][j] >= 0 && w.ended[d][j] > minute {
						running++
					}
				}
				if w.begun[d][i] >= 0 || minuteOf(review.Opened)+delay > minute || running >= desk.Team.Reviewers {
					continue
				}
				candidates := w.groups[review.Group-1]
				if w.to[d][i] != 0 {
					candidates = []int{w.to[d][i]}
				}
				best, least := 0, 1<<30
				for _, person := range candidates {
					if open, busy := w.load(person, minute); !busy && open < least {
						best, least = person, open
					}
				}
				if best != 0 {
					w.begun[d][i], w.by[d][i], w.ended[d][i] = minute, best, minute+work
				}
			}
		}
	}
}

func drawPeopleWorld(t *rapid.T) *minuteWorld {
	people := rapid.IntRange(1, 4).Draw(t, "people")
	w := &minuteWorld{most: rapid.IntRange(1, 3).Draw(t, "cap")}
	for range rapid.IntRange(1, 3).Draw(t, "groups") {
		group := rapid.SliceOfNDistinct(rapid.IntRange(1, people), 0, people, rapid.ID[int]).Draw(t, "group")
		w.groups = append(w.groups, group)
	}
	for range rapid.IntRange(1, 2).Draw(t, "queues") {
		desk := forecast.Desk{Known: true, Assigns: rapid.Bool().Draw(t, "assigns"), Team: forecast.Team{
			Reviewers: rapid.IntRange(1, 3).Draw(t, "reviewers"),
			Work:      60 * float64(rapid.IntRange(1, 9).Draw(t, "work")),
			Delay:     60 * float64(rapid.IntRange(0, 5).Draw(t, "delay")),
			Hours:     forecast.Hours{Days: [7]bool{true, true, true, true, true, true, true}, To: 24 * 60}}}
		for range rapid.IntRange(0, 12).Draw(t, "reviews") {
			desk.Reviews = append(desk.Reviews, forecast.Review{
				Opened: monday.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "opened")) * time.Minute),
				Group:  rapid.IntRange(1, len(w.groups)).Draw(t, "of")})
		}
		forecast.SortReviews(desk.Reviews)
		n := len(desk.Reviews)
		w.desks, w.to, w.by = append(w.desks, desk), append(w.to, make([]int, n)), append(w.by, make([]int, n))
		w.begun = append(w.begun, slices.Repeat([]int{-1}, n))
		w.ended = append(w.ended, make([]int, n))
	}
	return w
}

// A replay with people equals one that looks at every minute, no person is assigned more than the cap at a
// time, no person works on two reviews at a time, and no one who may not take a review has it.
func TestPeopleReplayIsTheNaiveOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := drawPeopleWorld(t)
		staff := forecast.Staff{Groups: w.groups, People: 4, Assign: fewestOpen(w.groups, w.most)}
		got := forecast.ReplayPeople(w.desks, staff, weeks(1, time.UTC))
		w.run(600)
		w.each(func(d, i int, review forecast.Review) {
			want := time.Time{}
			if w.begun[d][i] >= 0 {
				want = monday.Add(time.Duration(w.ended[d][i]) * time.Minute)
			}
			if one := got[d][i]; one.Assigned != w.to[d][i] || one.End.Sub(want).Abs() > time.Second {
				t.Fatalf("queue %d, review %d: %+v, want %d and %v\n%+v", d, i, one, w.to[d][i], want, w.desks)
			}
			if to := got[d][i].Assigned; to != 0 && !slices.Contains(w.groups[review.Group-1], to) {
				t.Fatalf("review %d was assigned to %d, who may not take it", i, to)
			}
		})
		for person, most := range mostAssigned(w.desks, got) {
			if most > w.most {
				t.Fatalf("person %d was assigned %d reviews at a time, the cap is %d", person, most, w.most)
			}
		}
	})
}

// mostAssigned returns the most reviews that each person was assigned at a time.
func mostAssigned(desks []forecast.Desk, worked [][]forecast.Worked) map[int]int {
	type change struct {
		at         time.Time
		person, by int
	}
	var changes []change
	for d := range desks {
		for i, one := range worked[d] {
			if one.Assigned == forecast.Unknown {
				continue
			}
			changes = append(changes, change{desks[d].Reviews[i].Opened, one.Assigned, 1})
			if !one.End.IsZero() {
				changes = append(changes, change{one.End, one.Assigned, -1})
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), a.by-b.by) })
	held, most := map[int]int{}, map[int]int{}
	for _, one := range changes {
		held[one.person] += one.by
		most[one.person] = max(most[one.person], held[one.person])
	}
	return most
}

// Of five reviewers one has the skill: the replay of the team hides that the deadlines are missed.
func TestOnePersonWithTheSkillMissesDeadlines(t *testing.T) {
	t.Parallel()
	period := weeks(4, time.UTC)
	desk := forecast.Desk{Known: true, Assigns: true, Team: forecast.Team{Reviewers: 5, Work: 3600,
		Hours: forecast.Hours{Days: [7]bool{true, true, true, true, true, true, true}, To: 24 * 60}}}
	for range 10 {
		desk.Reviews = append(desk.Reviews, forecast.Review{Opened: monday, Due: monday.Add(3 * time.Hour), Group: 1})
	}
	late := func(ends []time.Time) int {
		return forecast.Count(desk.Reviews, ends, period, daysOf(period)).Late
	}
	if hidden := late(desk.Team.Replay(desk.Reviews, period)); hidden != 0 {
		t.Fatalf("the team misses %d deadlines", hidden)
	}
	for most, want := range map[int]struct{ late, unassigned int }{100: {7, 0}, 4: {7, 6}} {
		groups := [][]int{{1}}
		worked := forecast.ReplayPeople([]forecast.Desk{desk}, forecast.Staff{Groups: groups, People: 1,
			Assign: fewestOpen(groups, most)}, period)[0]
		unassigned := 0
		for _, one := range worked {
			if one.Assigned == forecast.Unknown {
				unassigned++
			}
		}
		if got := late(forecast.EndsOf(worked)); got != want.late || unassigned != want.unassigned {
			t.Errorf("cap %d: %d deadlines are missed, %d reviews not assigned", most, got, unassigned)
		}
	}
}
