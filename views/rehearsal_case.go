package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/workflow"
)

// rehearse simulates one case as it was and with the change, and counts the difference.
func (r *rehearsal) rehearse(ctx context.Context, p *pastCase) error {
	old, err := r.views.definition(ctx, p.Case)
	if err != nil {
		return err
	}
	def := old
	if r.def != nil {
		def = r.def
	}
	if r.count(p); r.oldest.IsZero() || p.CreatedAt.Before(r.oldest) {
		r.oldest = p.CreatedAt
	}
	// A simulation of the old version that stops has a partial route.
	asTheyWere, _ := p.factsFor(old, old)
	before, _ := workflow.Simulate(old, asTheyWere, p.past())
	one := RehearsedCase{Case: p.CaseView, Before: before.Nodes, EndBefore: before.Status}
	after, problem := r.simulate(p, old, def, &one)
	one.After, one.EndAfter = after.Nodes, after.Status
	one.Added, one.Dropped = compareSeats(before, after)
	one.Changed = changedSeats(before, after)
	r.describe(&one, def, problem)
	r.compareWithRecord(p, before)
	was, is := r.comparePeople(p, &one, side{old, before}, side{def, after})
	r.compareQueues(p, was, is)
	r.add(&one, before, after)
	return nil
}

// simulate simulates the case with the change. A problem says why it has no route.
func (r *rehearsal) simulate(p *pastCase, old, def *workflow.Definition, one *RehearsedCase) (
	after workflow.Route, problem error) {
	facts, lacks := p.factsFor(old, def)
	one.Lacks = lacks
	if r.rules != nil {
		if problem = r.judge(p, def, &facts, one); problem != nil {
			return after, problem
		}
	}
	after, problem = workflow.Simulate(def, facts, p.past())
	if r.rules != nil {
		r.refuseApprovals(p, one, after, facts.Findings)
	}
	return after, problem
}

// side is a definition with the route that a case takes through it.
type side struct {
	def   *workflow.Definition
	route workflow.Route
}

func (r *rehearsal) count(p *pastCase) {
	if p.Status.Final() {
		r.found.Closed++
	} else {
		r.found.Open++
	}
	if r.query.Recorded && r.def != nil && p.ProcessVersion != r.query.Base {
		r.found.OtherVersions++
	}
}

// compareSeats returns the review nodes that have more seats in the second route, and those with fewer.
func compareSeats(before, after workflow.Route) (added, dropped []string) {
	had, has := before.Reviews(), after.Reviews()
	for _, node := range after.Nodes {
		if has[node] > had[node] {
			added = append(added, node)
		}
	}
	for _, node := range before.Nodes {
		if had[node] > has[node] {
			dropped = append(dropped, node)
		}
	}
	return added, dropped
}

// changedSeats returns the review nodes of both routes whose seats another queue, level or duty decides.
func changedSeats(before, after workflow.Route) (changed []string) {
	type decider struct {
		node, queue, duty string
		level             int
	}
	had, known := map[decider]bool{}, map[string]bool{}
	of := func(seat workflow.SimulatedSeat) decider {
		return decider{seat.Node, seat.Queue, seat.Duty, seat.Level}
	}
	for _, seat := range before.Seats {
		had[of(seat)], known[seat.Node] = true, true
	}
	for _, seat := range after.Seats {
		if known[seat.Node] && !had[of(seat)] && !slices.Contains(changed, seat.Node) {
			changed = append(changed, seat.Node)
		}
	}
	return changed
}

// describe says why the change has no route for the case, and which facts it lacks.
func (r *rehearsal) describe(one *RehearsedCase, def *workflow.Definition, problem error) {
	if problem != nil {
		one.Problem = problem.Error()
		var failure *domain.Error
		if errors.As(problem, &failure) {
			one.Problem, one.ProblemNode = failure.Message, failure.Detail["node"]
		}
		r.miss(MissingFact{Node: one.ProblemNode, Message: one.Problem})
	}
	if len(one.Lacks) == 0 {
		return
	}
	node := ""
	if at := slices.IndexFunc(def.Nodes, (*workflow.Node).Repairs); at >= 0 {
		node = def.Nodes[at].ID
	}
	lacks := strings.Join(one.Lacks, ", ")
	r.miss(MissingFact{Node: node, Lacks: lacks,
		Message: fmt.Sprintf("The process needs facts that the case lacks: %s.", lacks)})
}

// miss counts a sentence about a missing fact at a node.
func (r *rehearsal) miss(key MissingFact) {
	if _, known := r.missing[key]; known || len(r.missing) < maxMissingFacts {
		r.missing[key]++
	}
}

// compareWithRecord counts closed cases whose simulation as they were does not have the recorded reviews
// and end. It says how far a rehearsal can be trusted.
func (r *rehearsal) compareWithRecord(p *pastCase, before workflow.Route) {
	if p.Redacted || !p.Status.Final() {
		return
	}
	r.found.ComparedWithRecord++
	recorded := map[string]int{}
	for _, review := range p.record {
		recorded[review.Node]++
	}
	simulated := before.Reviews()
	same := len(simulated) == len(recorded) && before.Status == p.Status
	for node, seats := range simulated {
		same = same && recorded[node] == seats
	}
	if !same {
		r.found.UnlikeRecord++
	}
}

// add counts the case, and names it if something differs.
func (r *rehearsal) add(one *RehearsedCase, before, after workflow.Route) {
	counts := &r.found.RehearsalCounts
	bump := func(count *int, holds bool) {
		if holds {
			*count++
		}
	}
	met, meets := len(before.Seats) > 0, len(after.Seats) > 0
	stopped := one.Problem != ""
	bump(&counts.Stopped, stopped)
	bump(&counts.MoreReviews, len(after.Seats) > len(before.Seats))
	bump(&counts.FewerReviews, !stopped && len(after.Seats) < len(before.Seats))
	bump(&counts.StraightToPerson, !met && meets)
	bump(&counts.PersonToStraight, !stopped && met && !meets)
	bump(&counts.OtherEnd, !stopped && before.Status != after.Status)
	bump(&counts.TooFewBefore, one.TooFewBefore)
	bump(&counts.TooFewAfter, one.TooFewAfter)
	bump(&r.found.OtherReviews, len(one.Changed) > 0 || len(one.Added) > 0 && len(one.Dropped) > 0)
	bump(&r.found.UnassignedBefore, one.UnassignedBefore)
	bump(&r.found.UnassignedAfter, one.UnassignedAfter)
	otherFindings := len(one.Found)+len(one.Lost) > 0 || one.RiskBefore != one.RiskAfter
	bump(&counts.OtherFindings, otherFindings)
	bump(&counts.Undetermined, len(one.Unknown) > 0)
	bump(&counts.Refused, len(one.RefusedBy) > 0)
	bump(&counts.Impossible, one.impossible)
	if !stopped && !otherFindings && len(one.Unknown)+len(one.RefusedBy) == 0 && len(one.Lacks) == 0 && slices.Equal(one.Before, one.After) &&
		len(one.Added)+len(one.Dropped)+len(one.Changed) == 0 && before.Status == after.Status &&
		one.TooFewBefore == one.TooFewAfter && one.UnassignedBefore == one.UnassignedAfter {
		counts.Same++
		return
	}
	if len(r.found.Different) < r.query.Named {
		r.found.Different = append(r.found.Different, *one)
	}
}

// finish puts the missing facts and the people in order.
func (r *rehearsal) finish() {
	for missing, cases := range r.missing {
		missing.Cases = cases
		r.found.Missing = append(r.found.Missing, missing)
	}
	slices.SortFunc(r.found.Missing, func(a, b MissingFact) int {
		if a.Cases != b.Cases {
			return b.Cases - a.Cases
		}
		return strings.Compare(a.Node+a.Message, b.Node+b.Message)
	})
	if r.rules != nil {
		r.found.Rules = r.rules.finish()
	}
}
