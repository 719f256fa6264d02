package forecast

import (
	"cmp"
	"container/heap"
	"time"
)

// Unknown is the group of reviews of which it is not known who may take them, and no person.
const Unknown = 0

// Staff says who may take reviews. People and groups are numbered from 1.
type Staff struct {
	// Groups are the people who may take the reviews of a group, from 1.
	Groups [][]int
	People int
	// Assign returns to whom the queue assigns a review of a known group when it is opened, Unknown if to
	// no one. loads are the open reviews that each person was assigned or works on.
	Assign func(review *Review, loads []int) int
}

// Desk is a queue of a replay with people.
type Desk struct {
	Reviews []Review // as SortReviews sorts them
	// Team is how the queue works. If it is not Known, a review is open until its recorded decision, or
	// until its deadline: its reviews only count as load.
	Team  Team
	Known bool
	// Assigns says that the queue assigns its reviews. Otherwise they wait until a person takes them.
	Assigns bool
}

// Worked is what happened to a review in a replay with people.
type Worked struct {
	End      time.Time // zero if it is never decided
	Assigned int       // by the queue; Unknown if to no one
}

// ReplayPeople replays all queues together, as Replay does, with the people who may take each review: a person
// works on one review at a time over all queues, in the order of their opening, and the team of a queue
// works on as many at a time as it has reviewers. A review that was assigned waits for its person, another one
// for any person who may take it. One of an unknown group only waits for the team.
func ReplayPeople(desks []Desk, staff Staff, period Period) [][]Worked {
	s := newPeopleReplay(desks, staff, period)
	for s.events.Len() > 0 {
		s.step()
	}
	worked := make([][]Worked, len(desks))
	for d := range s.desks {
		worked[d] = s.desks[d].worked
	}
	return worked
}

// The kinds of events, in the order in which those of one time happen.
const (
	reviewEnds = iota
	reviewOpens
	reviewIsNoticed
)

// peopleEvent is an event in seconds from the start of the period; work is the working time of its queue.
type peopleEvent struct {
	at, work     float64
	kind         int
	desk, review int
}

type peopleEvents []peopleEvent

func (e peopleEvents) Len() int { return len(e) }
func (e peopleEvents) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].kind, e[j].kind),
		cmp.Compare(e[i].desk, e[j].desk), cmp.Compare(e[i].review, e[j].review)) < 0
}
func (e peopleEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *peopleEvents) Push(x any)   { *e = append(*e, x.(peopleEvent)) }
func (e *peopleEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

type peopleReplay struct {
	staff  Staff
	period Period
	desks  []deskState
	loads  []int
	busy   []bool
	events peopleEvents
}

type deskState struct {
	Desk
	line   *timeline
	worked []Worked
	by     []int // who holds or works on each review
	free   int   // reviewers of the team who are free
	// waiting are the noticed reviews in their order: of each person to whom they were assigned, by the
	// person, and of each group, by its number below zero.
	waiting map[int][]int
	// work is the working time until workOf, in seconds from the start.
	work, workOf float64
}

func newPeopleReplay(desks []Desk, staff Staff, period Period) *peopleReplay {
	s := &peopleReplay{staff: staff, period: period, desks: make([]deskState, len(desks)),
		loads: make([]int, staff.People+1), busy: make([]bool, staff.People+1)}
	for d, desk := range desks {
		s.desks[d] = deskState{Desk: desk, worked: make([]Worked, len(desk.Reviews)),
			by: make([]int, len(desk.Reviews)), free: desk.Team.Reviewers, waiting: map[int][]int{},
			line: newTimeline(desk.Team.Hours, period.Zone, period.From, period.To)}
		for i, review := range desk.Reviews {
			s.events = append(s.events, peopleEvent{at: review.Opened.Sub(period.From).Seconds(),
				kind: reviewOpens, desk: d, review: i})
		}
	}
	heap.Init(&s.events)
	return s
}

// step lets everything of one time happen, and then begins what can be begun.
func (s *peopleReplay) step() {
	at, changed := s.events[0].at, false
	for s.events.Len() > 0 && s.events[0].at == at {
		event := heap.Pop(&s.events).(peopleEvent)
		changed = s.happen(event) || changed
	}
	for d := range s.desks {
		desk := &s.desks[d]
		if changed && desk.Known && desk.free > 0 && len(desk.waiting) > 0 {
			if desk.workOf != at {
				desk.work = desk.line.workAt(at)
			}
			s.start(desk, d, at)
		}
	}
}

// happen applies one event. It reports whether reviews may begin because of it.
func (s *peopleReplay) happen(event peopleEvent) bool {
	desk := &s.desks[event.desk]
	switch event.kind {
	case reviewOpens:
		s.open(desk, event)
		return false
	case reviewIsNoticed:
		key := -desk.Reviews[event.review].Group
		if assigned := desk.worked[event.review].Assigned; assigned != Unknown {
			key = assigned
		}
		desk.waiting[key] = append(desk.waiting[key], event.review)
	case reviewEnds:
		by := desk.by[event.review]
		s.loads[by]--
		if !desk.Known {
			return false
		}
		desk.free++
		if desk.Reviews[event.review].Group != Unknown {
			s.busy[by] = false
		}
	}
	desk.work, desk.workOf = event.work, event.at
	return true
}

// open assigns a review, if its queue does, and lets it wait until it is noticed.
func (s *peopleReplay) open(desk *deskState, event peopleEvent) {
	review := &desk.Reviews[event.review]
	to := review.By
	if review.Group != Unknown {
		to = Unknown
		if desk.Assigns {
			to = s.staff.Assign(review, s.loads)
		}
		desk.worked[event.review].Assigned = to
	} else if !desk.Assigns && desk.Known {
		to = Unknown // the person has it from the start of the work
	}
	desk.by[event.review] = to
	s.loads[to]++
	next := peopleEvent{kind: reviewIsNoticed, desk: event.desk, review: event.review}
	if desk.Known {
		next.work = desk.line.work(review.Opened) + desk.Team.Delay
		next.at = max(event.at, desk.line.seconds(next.work))
	} else {
		end := review.Decided
		if end.IsZero() {
			end = review.Due
		}
		next.kind, next.at = reviewEnds, max(event.at, end.Sub(s.period.From).Seconds())
	}
	heap.Push(&s.events, next)
}

// start begins the reviews that the free reviewers of a queue can work on, the earliest first.
func (s *peopleReplay) start(desk *deskState, number int, at float64) {
	for desk.free > 0 {
		key, by := s.next(desk)
		if key == nil {
			return
		}
		first := desk.waiting[*key][0]
		if rest := desk.waiting[*key][1:]; len(rest) > 0 {
			desk.waiting[*key] = rest
		} else {
			delete(desk.waiting, *key)
		}
		desk.free--
		if desk.worked[first].Assigned == Unknown { // it has no holder yet
			s.loads[desk.by[first]]--
			if desk.Reviews[first].Group == Unknown {
				by = desk.Reviews[first].By
			}
			s.loads[by]++
			desk.by[first] = by
		}
		if desk.Reviews[first].Group != Unknown {
			s.busy[by] = true
		}
		done := desk.work + desk.Team.Work
		desk.worked[first].End = Later(desk.line.at(done), desk.Reviews[first].Opened)
		heap.Push(&s.events, peopleEvent{at: max(at, desk.line.seconds(done)), work: done,
			kind: reviewEnds, desk: number, review: first})
	}
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// next returns the key of the earliest waiting review that a person who is free may take, with the person;
// nil if there is none.
func (s *peopleReplay) next(desk *deskState) (found *int, by int) {
	for key, reviews := range desk.waiting {
		if found != nil && reviews[0] > desk.waiting[*found][0] {
			continue
		}
		person := Unknown
		switch {
		case key > 0:
			if person = key; s.busy[key] {
				continue
			}
		case key < 0:
			if person = s.freeOf(s.staff.Groups[-key-1]); person == Unknown {
				continue
			}
		}
		found, by = &key, person
	}
	return found, by
}

// freeOf returns a free person of a group with the fewest open reviews.
func (s *peopleReplay) freeOf(group []int) int {
	best := Unknown
	for _, person := range group {
		if !s.busy[person] && (best == Unknown || s.loads[person] < s.loads[best]) {
			best = person
		}
	}
	return best
}

// workAt returns the working time until a number of seconds from the start.
func (t *timeline) workAt(seconds float64) float64 {
	return t.work(t.start.Add(time.Duration(seconds * float64(time.Second))))
}

// EndsOf returns the ends of reviews.
func EndsOf(worked []Worked) []time.Time {
	ends := make([]time.Time, len(worked))
	for i, one := range worked {
		ends[i] = one.End
	}
	return ends
}
