package workflow

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// StaffingAnalysis knows every way through a process by the reviews that are asked on it, so that staffing can be asked of several
// sets of persons. It is safe for concurrent use.
type StaffingAnalysis struct{ explorer *explorer }

// AnalyzeStaffing follows every way through the process.
func AnalyzeStaffing(def *Definition) *StaffingAnalysis {
	e := newExplorer(def, maxMarkings)
	e.trackReviews = true
	e.explore()
	return &StaffingAnalysis{e}
}

// Understaffed asks a Seating of the definition once.
func Understaffed(def *Definition, able func(*Node) []domain.ID) []Problem {
	return AnalyzeStaffing(def).Understaffed(able)
}

// Understaffed asks whether there are enough distinct persons for every way through the process: the approvals of one
// duty that a way needs must come from as many persons, each able to give theirs. able lists who may decide at a review
// node; leave out whoever a case could bar (its submitter), or ask once for each of them. Every problem names the
// review at which the persons run out and the way there. A process too large to follow is a problem, too.
func (s *StaffingAnalysis) Understaffed(able func(*Node) []domain.ID) []Problem {
	e, def := s.explorer, s.explorer.def
	if e.failure != nil {
		return []Problem{*e.failure}
	}
	persons := map[string][]domain.ID{}
	for _, node := range def.Nodes {
		if node.Kind == KindReview {
			persons[node.ID] = able(node)
		}
	}
	var problems []Problem
	judged := map[string]bool{}
	short := map[string]bool{} // nodes that a problem names already
	for at := range e.states {
		key := strings.Join(e.states[at].reviews, "|")
		if judged[key] {
			continue
		}
		judged[key] = true
		for _, duty := range dutiesOf(def, e.states[at].reviews) {
			nodes := nodesOfDuty(def, e.states[at].reviews, duty)
			last := nodes[len(nodes)-1]
			if needed, have := matchApprovals(nodes, persons); have < needed && !short[last.ID] {
				short[last.ID] = true
				problems = append(problems, Problem{Line: last.Line, Node: last.ID, Rule: "understaffed", Path: e.path(at),
					Message: fmt.Sprintf("%d distinct persons are needed for the duty %s on this way, but at most %d can take part", needed, duty, have)})
			}
		}
	}
	return problems
}

// reviewsAfter lists the reviews whose votes stand or are awaited after a step.
func (e *explorer) reviewsAfter(taken transition, result Step) []string {
	if !e.trackReviews {
		return nil
	}
	var asked []string
	if taken.from >= 0 {
		asked = slices.Clone(e.states[taken.from].reviews)
	}
	for _, effect := range result.Effects {
		switch effect := effect.(type) {
		case VotesRevoked:
			asked = slices.DeleteFunc(asked, func(id string) bool { return slices.Contains(effect.Duties, e.def.DutyOf(id)) })
		case OpenReview:
			if !slices.Contains(asked, effect.Node) {
				asked = append(asked, effect.Node)
			}
		}
	}
	slices.Sort(asked)
	return asked
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

// nodesOfDuty returns the asked nodes of a duty in order of declaration.
func nodesOfDuty(def *Definition, asked []string, duty string) []*Node {
	var nodes []*Node
	for _, node := range def.Nodes {
		if node.Duty == duty && slices.Contains(asked, node.ID) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// matchApprovals gives as many of the needed approvals as possible a person of their own (a maximum matching by augmenting paths)
// and returns how many are needed and how many found one.
func matchApprovals(nodes []*Node, persons map[string][]domain.ID) (needed, seated int) {
	type approval struct {
		node   *Node
		number int
	}
	holds := map[domain.ID]approval{}
	var place func(wanted approval, tried map[domain.ID]bool) bool
	place = func(wanted approval, tried map[domain.ID]bool) bool {
		for _, person := range persons[wanted.node.ID] {
			if tried[person] {
				continue
			}
			tried[person] = true
			holder, taken := holds[person]
			if !taken || place(holder, tried) {
				holds[person] = wanted
				return true
			}
		}
		return false
	}
	for _, node := range nodes {
		for number := range node.Quorum {
			needed++
			if place(approval{node, number}, map[domain.ID]bool{}) {
				seated++
			}
		}
	}
	return needed, seated
}
