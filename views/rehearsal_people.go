package views

import (
	"bytes"
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// eligibleKey is what the people who may take a review of one case depend on, with the time of their
// absences.
type eligibleKey struct {
	queue, duty string
	level       int
	after       bool
	opened, due time.Time
}

// peopleOf finds who could have taken the reviews of one case.
type peopleOf struct {
	*rehearsal
	past  *pastCase
	found map[eligibleKey][]domain.ID
}

// comparePeople finds who could have taken the reviews of the case on both sides, and where they are too
// few.
func (r *rehearsal) comparePeople(p *pastCase, one *RehearsedCase, before, after side) {
	of := peopleOf{r, p, map[eligibleKey][]domain.ID{}}
	able := of.staffing(before, false, nil)
	needed, have := before.route.Staffing(before.def, able)
	one.TooFewBefore = have < needed
	able = of.staffing(after, true, one)
	needed, have = after.route.Staffing(after.def, able)
	one.TooFewAfter = have < needed
}

// staffing returns the people who could have taken the review at each node of a route, and adds the work
// to them. The reviews are added to the case, if any.
func (of peopleOf) staffing(s side, changed bool, one *RehearsedCase) map[string][]domain.ID {
	able := map[string][]domain.ID{}
	for _, seat := range s.route.Seats {
		eligible := of.eligible(s.def, seat, changed)
		able[seat.Node] = eligible
		asked := RehearsedReview{Node: seat.Node, Queue: seat.Queue, Eligible: len(eligible)}
		decider := domain.NoID
		if seat.Decision >= 0 {
			asked.Verdict, decider = seat.Verdict, of.past.record[seat.Decision].Assignee
		}
		of.share(eligible, decider, changed)
		if one != nil {
			one.Asked = append(one.Asked, asked)
		}
	}
	return able
}

// share adds a review to the people who could have taken it: the whole to the one who decided it, if they
// still could, else an equal share to each.
func (r *rehearsal) share(eligible []domain.ID, decider domain.ID, changed bool) {
	decided := slices.Contains(eligible, decider)
	for _, id := range eligible {
		person := r.people[id]
		if person == nil {
			person = &domain.RehearsedPerson{Person: id}
			r.people[id] = person
		}
		could, asked := &person.CouldBefore, &person.AskedBefore
		if changed {
			could, asked = &person.CouldAfter, &person.AskedAfter
		}
		*could++
		switch {
		case id == decider:
			*asked++
		case !decided:
			*asked += 1 / float64(len(eligible))
		}
	}
}

// eligible returns the people who could have claimed a seat: by the policy, with their limits, without
// the submitter and people with a conflict of interest, and present at some time before its deadline. Of
// several accounts of a person only the first one counts.
func (of peopleOf) eligible(def *workflow.Definition, seat workflow.SimulatedSeat, changed bool) []domain.ID {
	opened, due := of.queues.window(of.past, seat)
	people := of.before
	if changed {
		people = of.after
	}
	key := eligibleKey{seat.Queue, seat.Duty, seat.Level,
		changed && !of.before.same(of.after), opened, due}
	if found, known := of.found[key]; known {
		return found
	}
	review := domain.Review{CaseID: of.past.ID, Node: seat.Node, Queue: seat.Queue,
		Level: seat.Level, Duty: seat.Duty, Status: domain.ReviewOpen}
	facts := store.NewReviewFacts(of.past.Case, review, of.past.exclusions, def.HasAmount, opened)
	var found []domain.ID
	for _, user := range people.policy.Eligible(people.people, domain.ActClaim, facts) {
		if !of.queues.away(user.ID, opened, due) && !user.AnyAccountIn(found) {
			found = append(found, user.ID)
		}
	}
	of.found[key] = found
	return found
}

// finishPeople lists the people whose work changes, if the viewer may see the list of people.
func (r *rehearsal) finishPeople() {
	if !r.viewer.maySeePeople() {
		return
	}
	r.found.People = []domain.RehearsedPerson{}
	for _, person := range r.people {
		if person.CouldBefore != person.CouldAfter || person.AskedBefore != person.AskedAfter {
			r.found.People = append(r.found.People, *person)
		}
	}
	slices.SortFunc(r.found.People, func(a, b domain.RehearsedPerson) int {
		return bytes.Compare(a.Person[:], b.Person[:])
	})
}

// countPermissionChanges counts what changed of the people since the oldest case was submitted, because
// rehearsals use those of today.
func (r *rehearsal) countPermissionChanges(ctx context.Context) error {
	if r.oldest.IsZero() || !r.viewer.maySeePeople() {
		return nil
	}
	changes, err := r.views.reader.PermissionChangesSince(ctx, r.oldest)
	r.found.Changed = &PermissionChanges{r.oldest, changes}
	return err
}
