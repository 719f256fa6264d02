package views

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"countersign/domain"
	"countersign/forecast"
)

// assignments are the rules by which queues assign reviews, as they are today: strategies, caps, skills and
// the amounts from which reviewers are drawn. Delegations are those of the past.
type assignments struct {
	rules       map[string]domain.QueueRule
	skills      map[domain.ID][]string
	marks       map[string]int64 // by process
	delegations map[domain.ID][]domain.Delegation
	claimLimit  int
	// numbers are those of people in a replay, and groups who can take reviews, from 1.
	numbers map[domain.ID]int
	people  []domain.ID
	groups  []ablePeople
	known   map[string]int
	// reviews are the groups of recorded reviews, as they were and with the change.
	reviews map[domain.ID][2]int
}

// ablePeople are who could have taken a review.
type ablePeople struct {
	queue string
	may   []domain.ID // could have claimed it, in their own name or on behalf of an absent person
	// asked are those of whom the queue would have assigned it to one; of a queue that does not assign, and of a
	// drawn review, all who could have claimed it.
	asked   []domain.ID
	assigns bool
}

// loadAssignments reads the rules of the queues, the skills, the marks and the delegations.
func (v *Views) loadAssignments(ctx context.Context) (*assignments, error) {
	a := &assignments{rules: map[string]domain.QueueRule{}, marks: map[string]int64{},
		delegations: map[domain.ID][]domain.Delegation{}, claimLimit: v.claimLimit,
		numbers: map[domain.ID]int{}, people: []domain.ID{domain.NoID}, groups: make([]ablePeople, 1),
		known: map[string]int{}, reviews: map[domain.ID][2]int{}}
	queues, err := v.reader.Queues(ctx)
	if err != nil {
		return nil, err
	}
	for _, rule := range queues {
		a.rules[rule.Name] = rule
	}
	if a.skills, err = v.reader.Skills(ctx, nil); err != nil {
		return nil, err
	}
	marks, err := v.reader.DrawMarks(ctx)
	if err != nil {
		return nil, err
	}
	for _, mark := range marks {
		if mark.BaseMinor != nil {
			a.marks[mark.Process] = *mark.BaseMinor
		}
	}
	delegations, err := v.reader.DelegationsSince(ctx, time.Time{})
	for _, d := range delegations {
		a.delegations[d.Delegator] = append(a.delegations[d.Delegator], d)
	}
	return a, err
}

// offer returns who could have taken a review and to whom its queue would have assigned it, as
// assignments do: among those who may claim it in their own name, were present when it was opened, and have
// the skills.
func (of peopleOf) offer(skills []string, facts domain.ReviewFacts, own, may []domain.ID, opened time.Time,
) ablePeople {
	able := ablePeople{queue: facts.Queue, may: may, asked: may}
	rule := of.assign.rules[facts.Queue]
	mark, set := of.assign.marks[of.past.ProcessKey]
	if !rule.Assigns() || set && domain.ReachesMark(mark, facts.BaseMinor, facts.AmountKnown) {
		return able
	}
	present := slices.DeleteFunc(slices.Clone(own), func(id domain.ID) bool {
		return domain.SubstituteOf(id, of.queues.absences[id], opened) != id
	})
	able.assigns = true
	able.asked = rule.Skilled(present, domain.RequiredSkills(skills, facts.DocumentType), of.assign.skills)
	return able
}

// delegatesOf returns one person for each of the absent people on whose behalf they could have claimed the
// review meanwhile. A delegate who may claim it anyway is no further person, and neither is one of a
// person who was there.
func (of peopleOf) delegatesOf(absent []domain.User, people staff, facts domain.ReviewFacts,
	own []domain.ID, opened, due time.Time) []domain.ID {
	options := make([][]domain.ID, len(absent))
	for i, delegator := range absent {
		for _, d := range of.assign.delegations[delegator.ID] {
			at := slices.IndexFunc(people.people, func(u domain.User) bool { return u.ID == d.Delegate })
			if at < 0 || !d.Overlaps(opened, forecast.Later(due, opened.Add(1))) || of.queues.away(d.Delegate, opened, due) ||
				people.people[at].AnyAccountIn(own) {
				continue
			}
			_, err := people.policy.AuthorizeOnBehalfOf(people.people[at], delegator.AsDelegator(d.Scope),
				domain.ActClaim, facts)
			if err == nil {
				options[i] = append(options[i], d.Delegate)
			}
		}
	}
	return matchDelegates(options)
}

// matchDelegates chooses delegates so that as many people as possible have one of their own.
func matchDelegates(options [][]domain.ID) []domain.ID {
	of := map[domain.ID]int{}
	var place func(i int, tried map[domain.ID]bool) bool
	place = func(i int, tried map[domain.ID]bool) bool {
		for _, id := range options[i] {
			if tried[id] {
				continue
			}
			tried[id] = true
			if other, taken := of[id]; !taken || place(other, tried) {
				of[id] = i
				return true
			}
		}
		return false
	}
	var chosen []domain.ID
	for i := range options {
		place(i, map[domain.ID]bool{})
	}
	for i := range options {
		for id, delegator := range of {
			if delegator == i {
				chosen = append(chosen, id)
			}
		}
	}
	return chosen
}

// numberOf returns the number of a person, Unknown for none.
func (a *assignments) numberOf(id domain.ID) int {
	if id == domain.NoID {
		return forecast.Unknown
	}
	number, known := a.numbers[id]
	if !known {
		number = len(a.people)
		a.people, a.numbers[id] = append(a.people, id), number
	}
	return number
}

// groupOf returns the number of a group. Few differ, because most cases exclude the same people.
func (a *assignments) groupOf(able ablePeople) int {
	key := []byte(able.queue)
	for _, list := range [][]domain.ID{able.may, able.asked} {
		key = binary.AppendUvarint(key, uint64(len(list)))
		for _, id := range list {
			key = append(key, id[:]...)
		}
	}
	if able.assigns {
		key = append(key, 1)
	}
	group, known := a.known[string(key)]
	if !known {
		group = len(a.groups)
		a.groups, a.known[string(key)] = append(a.groups, able), group
	}
	return group
}

// staffOf returns who may take the reviews of the groups, with more reviewers of a queue who may take all
// of its reviews and have every skill.
func (a *assignments) staffOf(queue string, more int) forecast.Staff {
	var added []domain.ID
	for range more {
		added = append(added, domain.NewID())
	}
	asked := make([][]domain.ID, len(a.groups))
	staff := forecast.Staff{}
	for i, group := range a.groups[1:] {
		may := group.may
		if asked[i+1] = group.asked; group.queue == queue {
			may, asked[i+1] = slices.Concat(may, added), slices.Concat(group.asked, added)
		}
		numbers := make([]int, len(may))
		for n, id := range may {
			numbers[n] = a.numberOf(id)
		}
		staff.Groups = append(staff.Groups, numbers)
	}
	turns := map[string]domain.ID{}
	staff.People = len(a.people) - 1
	staff.Assign = func(review *forecast.Review, loads []int) int {
		return a.numberOf(a.assign(asked[review.Group], review, loads, turns))
	}
	return staff
}

// assign chooses the person as assignments do, but prefers the one who decided it.
func (a *assignments) assign(asked []domain.ID, review *forecast.Review, loads []int,
	turns map[string]domain.ID) domain.ID {
	rule := a.rules[review.Queue]
	if !a.groups[review.Group].assigns || len(asked) == 0 {
		return domain.NoID
	}
	open := make(map[domain.ID]int, len(asked))
	for _, id := range asked {
		open[id] = loads[a.numbers[id]]
	}
	asked = rule.WithRoom(slices.Clone(asked), open, a.claimLimit)
	switch decider := a.people[review.By]; {
	case len(asked) == 0:
		return domain.NoID
	case slices.Contains(asked, decider):
		return decider
	case rule.Strategy == domain.StrategyRoundRobin:
		turns[review.Queue] = domain.NextInTurn(asked, turns[review.Queue])
		return turns[review.Queue]
	}
	return domain.FewestOpen(asked, open)
}

// shareByAssignment replaces the equal shares of reviews that a queue would have assigned by the person whom
// it would have chosen in the replay, which knows how many reviews each one has.
func (r *rehearsal) shareByAssignment(reviews []forecast.Review, worked []forecast.Worked, changed bool) {
	for i, review := range reviews {
		group := r.assign.groups[review.Group]
		if !group.assigns || review.By != forecast.Unknown {
			continue
		}
		for _, id := range group.asked {
			*r.people[id].asked(changed) -= 1 / float64(len(group.asked))
		}
		if person := r.people[r.assign.people[worked[i].Assigned]]; person != nil {
			*person.asked(changed)++
		}
	}
}

// rehearsedPerson is a RehearsedPerson that is being counted.
type rehearsedPerson struct{ domain.RehearsedPerson }

func (p *rehearsedPerson) asked(changed bool) *float64 {
	if changed {
		return &p.AskedAfter
	}
	return &p.AskedBefore
}

// rounded returns the person without the errors of adding shares.
func (p *rehearsedPerson) rounded() domain.RehearsedPerson {
	round := func(share float64) float64 { return math.Round(share*1e6) / 1e6 }
	made := p.RehearsedPerson
	made.AskedBefore, made.AskedAfter = round(made.AskedBefore), round(made.AskedAfter)
	return made
}
