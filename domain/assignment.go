package domain

import "slices"

// DefaultClaimLimit is how many claimed reviews one person can hold if nothing else is set.
const DefaultClaimLimit = 25

// Assigns reports whether the queue assigns its reviews itself.
func (r QueueRule) Assigns() bool { return r.Strategy != "" && r.Strategy != StrategyPull }

// RequiredSkills returns the skills that a review requires in a queue that assigns by them: those named by
// its node, and its document type.
func RequiredSkills(ofNode []string, documentType string) []string {
	required := slices.Clone(ofNode)
	if documentType != "" {
		required = append(required, documentType)
	}
	return required
}

// Skilled returns the people to whom the queue can assign a review with the required skills. Only one that
// assigns by skill leaves people out. It may change the slice of people.
func (r QueueRule) Skilled(people []ID, required []string, skills map[ID][]string) []ID {
	if r.Strategy != StrategySkill {
		return people
	}
	return slices.DeleteFunc(people, func(id ID) bool {
		return slices.ContainsFunc(required,
			func(skill string) bool { return !slices.Contains(skills[id], skill) })
	})
}

// WithRoom returns the people with fewer open reviews than the cap of the queue, and of them those with fewer
// than one person can claim, if there are any: a review without a reviewer would be worse than a long list.
// It may change the slice of people.
func (r QueueRule) WithRoom(people []ID, loads map[ID]int, claimLimit int) []ID {
	if r.Cap > 0 {
		people = slices.DeleteFunc(people, func(id ID) bool { return loads[id] >= r.Cap })
	}
	below := slices.DeleteFunc(slices.Clone(people), func(id ID) bool { return loads[id] >= claimLimit })
	if len(below) == 0 {
		return people
	}
	return below
}

// NextInTurn returns the next person, in the order of ids, after the one who had the last turn.
func NextInTurn(people []ID, last ID) ID {
	order := func(a, b ID) int { return slices.Compare(a[:], b[:]) }
	sorted := slices.SortedFunc(slices.Values(people), order)
	for _, id := range sorted {
		if order(id, last) > 0 {
			return id
		}
	}
	return sorted[0]
}

// FewestOpen returns the person with the fewest open reviews; ties go to the first.
func FewestOpen(people []ID, loads map[ID]int) ID {
	best := people[0]
	for _, id := range people[1:] {
		if loads[id] < loads[best] {
			best = id
		}
	}
	return best
}

// ReachesMark reports whether an amount at risk has reached the mark from which reviewers are drawn, or is not
// known. Reviews to which no limit applies have a known amount of zero.
func ReachesMark(mark, baseMinor int64, known bool) bool {
	return !known || baseMinor >= mark || baseMinor <= -mark
}
