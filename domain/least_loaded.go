package domain

import "slices"

// LeastLoaded returns the person with the fewest open reviews of those that are not excluded, NoID if there
// is none. A manager assigns work to others, so one is only chosen if no one else can be. Ties go to the
// first.
func LeastLoaded(people []User, loads map[ID]int, excluded ...ID) ID {
	best, ofManagers := NoID, NoID
	for i := range people {
		id := people[i].ID
		if slices.Contains(excluded, id) {
			continue
		}
		group := &best
		if people[i].HasRole(RoleManager) {
			group = &ofManagers
		}
		if *group == NoID || loads[id] < loads[*group] {
			*group = id
		}
	}
	if best == NoID {
		return ofManagers
	}
	return best
}
