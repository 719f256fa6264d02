package workflow

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// StaffingAnalysis holds every path through a process by the reviews on it, so that several sets of
// people can be checked against it. It is safe for concurrent use.
type StaffingAnalysis struct{ explorer *explorer }

// AnalyzeStaffing explores every path through the process.
func AnalyzeStaffing(def *Definition) *StaffingAnalysis {
	e := newExplorer(def, maxMarkings)
	e.trackReviews = true
	e.explore()
	return &StaffingAnalysis{e}
}

// Understaffed analyzes the definition and checks one set of people against it.
func Understaffed(def *Definition, able func(*Node) []domain.ID) []Problem {
	return AnalyzeStaffing(def).Understaffed(able)
}

// Understaffed checks that there are enough distinct people for every path through the process: the
// approvals of one duty on a path must come from as many people, each of whom is able to give
// theirs. able lists the people who can decide at a review node. It must leave out people whom a
// case can exclude, such as its submitter, or be called once for each of them. It is also asked about
// the seats of a committee that have a queue and level of their own: as a node with these. Every seat
// of a committee needs a person, because its votes may be needed in any order. Every problem names
// the review that lacks people and the path to it. A process too large to explore is a problem,
// too.
func (s *StaffingAnalysis) Understaffed(able func(*Node) []domain.ID) []Problem {
	return s.check(able, func(nodes []*Node, persons map[string][]domain.ID) []Problem {
		needed, have := matchApprovals(nodes, persons, nil)
		if have >= needed {
			return nil
		}
		last := nodes[len(nodes)-1]
		return []Problem{{Line: last.Line, Node: last.ID, Rule: "understaffed",
			Message: fmt.Sprintf("The duty %s needs %d different people on this path, but at "+
				"most %d are eligible.", last.Duty, needed, have)}}
	})
}

// WithoutSecondPerson checks that a second person remains at every review of every path, who confirms
// what a reviewer may not correct or override alone and then decides in their place. Paths that are
// understaffed anyway are left out.
func (s *StaffingAnalysis) WithoutSecondPerson(able func(*Node) []domain.ID) []Problem {
	return s.check(able, func(nodes []*Node, persons map[string][]domain.ID) (found []Problem) {
		if needed, have := matchApprovals(nodes, persons, nil); have < needed {
			return nil
		}
		for _, node := range nodes {
			if needed, have := matchApprovals(nodes, persons, node); have < needed {
				found = append(found, Problem{Line: node.Line, Node: node.ID,
					Rule: "no_second_person", Message: fmt.Sprintf("A correction or override that "+
						"needs a second person could not be confirmed at %s: with that person "+
						"the duty %s needs %d different people on this path, but at most %d "+
						"are eligible.", node.ID, node.Duty, needed, have)})
			}
		}
		return found
	})
}

// check applies a check to the reviews of each duty on every path, and returns one problem for each
// review.
func (s *StaffingAnalysis) check(
	able func(*Node) []domain.ID, lacks func([]*Node, map[string][]domain.ID) []Problem,
) []Problem {
	e, def := s.explorer, s.explorer.def
	if e.failure != nil {
		return []Problem{*e.failure}
	}
	persons := map[string][]domain.ID{}
	for _, node := range def.Nodes {
		for _, role := range node.votersNeeded() {
			if _, known := persons[node.ID+string(role)]; !known {
				persons[node.ID+string(role)] = able(node.atSeat(role))
			}
		}
	}
	var problems []Problem
	checked := map[string]bool{}
	reported := map[string]bool{} // nodes that already have a problem
	for at := range e.states {
		key := strings.Join(e.states[at].reviews, "|")
		if checked[key] {
			continue
		}
		checked[key] = true
		for _, duty := range dutiesOf(def, e.states[at].reviews) {
			for _, problem := range lacks(nodesOfDuty(def, e.states[at].reviews, duty), persons) {
				if !reported[problem.Node] {
					reported[problem.Node] = true
					problem.Path = e.path(at)
					problems = append(problems, problem)
				}
			}
		}
	}
	return problems
}

// reviewsAfter lists the reviews whose votes are valid or pending after a step.
func (e *explorer) reviewsAfter(taken transition, result Step) []string {
	if !e.trackReviews {
		return nil
	}
	var reviews []string
	if taken.from >= 0 {
		reviews = slices.Clone(e.states[taken.from].reviews)
	}
	for _, effect := range result.Effects {
		switch effect := effect.(type) {
		case VotesRevoked:
			reviews = slices.DeleteFunc(reviews, func(id string) bool {
				return slices.Contains(effect.Duties, e.def.DutyOf(id))
			})
		case OpenReview:
			if !slices.Contains(reviews, effect.Node) {
				reviews = append(reviews, effect.Node)
			}
		}
	}
	slices.Sort(reviews)
	return reviews
}

func dutiesOf(def *Definition, nodes []string) []string {
	var duties []string
	for _, id := range nodes {
		if duty := def.DutyOf(id); !slices.Contains(duties, duty) {
			duties = append(duties, duty)
		}
	}
	return duties
}

// nodesOfDuty returns the review nodes of a duty in order of declaration.
func nodesOfDuty(def *Definition, reviews []string, duty string) []*Node {
	var nodes []*Node
	for _, node := range def.Nodes {
		if node.Duty == duty && slices.Contains(reviews, node.ID) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// votersNeeded returns the seats of a review that need a person each, by their roles.
func (n *Node) votersNeeded() []seatRole {
	if !n.Committee() {
		return make([]seatRole, n.Quorum)
	}
	var roles []seatRole
	for _, seat := range n.firstSeats() {
		roles = append(roles, seat.Role)
	}
	return roles
}

// matchApprovals assigns a different person to as many of the needed approvals as possible (a
// maximum matching by augmenting paths). It returns how many approvals are needed and how many were
// assigned. At the node second, if any, one person more is needed.
func matchApprovals(
	nodes []*Node, persons map[string][]domain.ID, second *Node,
) (needed, assigned int) {
	type approval struct {
		node   *Node
		role   seatRole
		number int
	}
	assignment := map[domain.ID]approval{}
	var assign func(wanted approval, tried map[domain.ID]bool) bool
	assign = func(wanted approval, tried map[domain.ID]bool) bool {
		for _, person := range persons[wanted.node.ID+string(wanted.role)] {
			if tried[person] {
				continue
			}
			tried[person] = true
			previous, occupied := assignment[person]
			if !occupied || assign(previous, tried) {
				assignment[person] = wanted
				return true
			}
		}
		return false
	}
	for _, node := range nodes {
		voters := node.votersNeeded()
		if node == second {
			voters = append(voters, "")
		}
		for number, role := range voters {
			needed++
			if assign(approval{node, role, number}, map[domain.ID]bool{}) {
				assigned++
			}
		}
	}
	return needed, assigned
}
