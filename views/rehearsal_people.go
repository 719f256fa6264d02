package views

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// eligibleKey is what the people who may take a review of one case depend on, with the time of their
// absences.
type eligibleKey struct {
	queue, duty, skills string
	level               int
	hasAmount, after    bool
	opened, due         time.Time
}

// peopleOf finds who could have taken the reviews of one case.
type peopleOf struct {
	*rehearsal
	past  *pastCase
	found map[eligibleKey]ablePeople
}

// staffed is a side with who could have taken each of its seats.
type staffed struct {
	side
	able []ablePeople
}

// comparePeople finds who could have taken the reviews of the case on both sides, and where they are too
// few.
func (r *rehearsal) comparePeople(p *pastCase, one *RehearsedCase, before, after side) (was, is staffed) {
	of := peopleOf{r, p, map[eligibleKey]ablePeople{}}
	was, one.TooFewBefore = of.staffing(before, false, nil)
	is, one.TooFewAfter = of.staffing(after, true, one)
	one.UnassignedBefore, one.UnassignedAfter = was.unassigned(), is.unassigned()
	return was, is
}

// unassigned reports whether a queue would assign a review to no one.
func (s staffed) unassigned() bool {
	return slices.ContainsFunc(s.able, func(a ablePeople) bool { return a.assigns && len(a.asked) == 0 })
}

// staffing returns the people who could have taken each review of a route, adds the work to them, and reports
// whether they are too few. The reviews are added to the case, if any.
func (of peopleOf) staffing(s side, changed bool, one *RehearsedCase) (staffed, bool) {
	may := make([][]domain.ID, 0, len(s.route.Seats))
	found := staffed{side: s}
	for _, seat := range s.route.Seats {
		able := of.eligible(s.def, seat, changed)
		may, found.able = append(may, able.may), append(found.able, able)
		asked := RehearsedReview{Node: seat.Node, Queue: seat.Queue, Eligible: len(able.may),
			Assignable: len(able.asked)}
		decider := domain.NoID
		if seat.Decision >= 0 {
			asked.Verdict, decider = seat.Verdict, of.past.record[seat.Decision].Assignee
		}
		of.share(able, decider, changed)
		if one != nil {
			one.Asked = append(one.Asked, asked)
		}
	}
	needed, have := s.route.Staffing(s.def, may)
	return found, have < needed
}

// share adds a review to the people who could have taken it: the whole to the one who decided it, if they
// still could, else an equal share to each who would have been asked.
func (r *rehearsal) share(able ablePeople, decider domain.ID, changed bool) {
	decided := slices.Contains(able.may, decider)
	for _, id := range able.may {
		person := r.people[id]
		if person == nil {
			person = &rehearsedPerson{domain.RehearsedPerson{Person: id}}
			r.people[id] = person
		}
		if changed {
			person.CouldAfter++
		} else {
			person.CouldBefore++
		}
		switch {
		case id == decider:
			*person.asked(changed)++
		case !decided && slices.Contains(able.asked, id):
			*person.asked(changed) += 1 / float64(len(able.asked))
		}
	}
}

// eligible returns the people who could have claimed a seat: by the policy, with their limits, without
// the submitter and people with a conflict of interest, and present at some time before its deadline or with
// a delegate. Of several accounts of a person only the first one counts.
func (of peopleOf) eligible(def *workflow.Definition, seat workflow.SimulatedSeat, changed bool) ablePeople {
	opened, due := of.queues.window(of.past, seat)
	people := of.before
	if changed {
		people = of.after
	}
	var skills []string // that the node asks for
	if node, known := def.Node(seat.Node); known {
		skills = node.Skills
	}
	key := eligibleKey{seat.Queue, seat.Duty, strings.Join(skills, "\n"), seat.Level, def.HasAmount,
		changed && !of.before.same(of.after), opened, due}
	if found, known := of.found[key]; known {
		return found
	}
	review := domain.Review{CaseID: of.past.ID, Node: seat.Node, Queue: seat.Queue,
		Level: seat.Level, Duty: seat.Duty, Status: domain.ReviewOpen}
	facts := store.NewReviewFacts(of.past.Case, review, of.past.exclusions, def.HasAmount, opened)
	var own []domain.ID
	var absent []domain.User
	for _, user := range people.policy.Eligible(people.people, domain.ActClaim, facts) {
		switch {
		case of.queues.away(user.ID, opened, due):
			absent = append(absent, user)
		case !user.AnyAccountIn(own):
			own = append(own, user.ID)
		}
	}
	may := slices.Concat(own, of.delegatesOf(absent, people, facts, own, opened, due))
	of.found[key] = of.offer(skills, facts, own, may, opened)
	return of.found[key]
}

// finishPeople lists the people whose work changes, if the viewer may see the list of people.
func (r *rehearsal) finishPeople() {
	if !r.viewer.maySeePeople() {
		return
	}
	r.found.People = []domain.RehearsedPerson{}
	for _, person := range r.people {
		made := person.rounded()
		if made.CouldBefore != made.CouldAfter || made.AskedBefore != made.AskedAfter {
			r.found.People = append(r.found.People, made)
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
