package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// MovingCase is a case before and after it moves. Facts of each version have the verdicts that
// count in it, by its nodes.
type MovingCase struct {
	From, To        *Definition
	Plan            MigrationPlan
	Marking, Moved  domain.Marking
	OldFacts, Facts domain.ProcessFacts
	// Narrower reports whether everyone who may decide the case at the second review may decide it at
	// the first one; it is asked if their queues differ.
	Narrower func(old, other *Node) (bool, error)
}

// CheckReviews refuses a case that would get an easier way to its approval by moving: one for which
// the new version demands less of a review that the case has not passed yet or has a way around it, and one
// that would be archived as approved without a review that the new version demands. The error is an *Immovable.
func (c MovingCase) CheckReviews() error {
	demanded, err := demandedReviews(c.To, c.Moved, c.Facts)
	if err != nil {
		return err
	}
	if err := c.checkEased(demanded); err != nil {
		return err
	}
	return c.checkSkipped(demanded)
}

// checkEased compares the reviews that are ahead of the case in both versions.
func (c MovingCase) checkEased(demanded []*Node) error {
	ahead, err := demandedReviews(c.From, c.Marking, c.OldFacts)
	if err != nil {
		return err
	}
	old, open := stepOf(c.From, c.Marking, &c.OldFacts), map[*Node]bool{}
	var left []*Node // that the case has not passed
	for _, token := range c.Marking.Tokens {
		if node := c.From.index[token.Node]; node != nil && node.Kind == KindReview {
			open[node], ahead = true, append(ahead, node)
		}
	}
	for _, node := range ahead {
		target, _ := c.Plan.node(node.ID)
		other := c.To.index[target]
		if w := (routeWalk{p: old}); w.counts(node) {
			if err := c.checkAskedAgain(node, other); err != nil {
				return err
			}
			continue
		}
		left = append(left, node)
		eased := other == nil || !open[node] && !slices.Contains(demanded, other) ||
			!node.asDemanding(other)
		if !eased && node.Queue != other.Queue {
			narrower, err := c.Narrower(node, other)
			if eased = !narrower; err != nil {
				return err
			}
		}
		if eased {
			return immovable(MoveEased, node.ID,
				"The new version demands less of the case than %s.", node.ID)
		}
	}
	return c.checkBypassed(left)
}

// asDemanding reports whether the other review demands at least as much of its reviewers.
func (n *Node) asDemanding(other *Node) bool {
	signs := n.SignatureAbove == nil ||
		other.SignatureAbove != nil && *other.SignatureAbove <= *n.SignatureAbove
	escalates := other.EscalateTo == "" ||
		other.EscalateTo == n.EscalateTo && other.EscalateLevel >= n.EscalateLevel ||
		other.EscalateLevel > max(n.Level, n.EscalateLevel)
	hides := !n.HidesVotes() || other.HidesVotes()
	return hides && other.Duty == n.Duty && other.Level >= n.Level && other.Quorum >= n.Quorum && signs &&
		escalates && n.sameRule(other)
}

// sameRule reports whether the votes of both reviews decide in the same way. Of two rules of
// committees neither demands more in every case: a veto or another number of seats can approve what
// the other one rejects.
func (n *Node) sameRule(other *Node) bool {
	if !n.Committee() && !other.Committee() {
		return true
	}
	return n.DecideBy == other.DecideBy && n.Seats == other.Seats && n.Quorum == other.Quorum &&
		n.Abstain == other.Abstain &&
		n.ChairQueue == other.ChairQueue && n.ChairLevel == other.ChairLevel &&
		n.VetoQueue == other.VetoQueue && n.VetoLevel == other.VetoLevel
}

// VoteCarries reports whether an approval given at one review counts at another: it has the same
// duty, queue and rule of votes, was given at a sufficient level, and was signed if the other one
// needs it.
func VoteCarries(given, other *Node, level int) bool {
	signed := other.SignatureAbove == nil ||
		given.SignatureAbove != nil && *given.SignatureAbove <= *other.SignatureAbove
	return given.Duty == other.Duty && given.Queue == other.Queue && level >= other.Level && signed &&
		given.sameRule(other)
}

// checkSkipped advances the moved case with approvals only, and requires that it is not archived
// before every demanded review has verdicts that count.
func (c MovingCase) checkSkipped(demanded []*Node) error {
	run := approvalRun{def: c.To, marking: c.Moved, facts: c.Facts}
	status, err := run.toEnd()
	switch {
	case err != nil:
		return err
	case !status.Final():
		return immovable(MoveSkips, c.Moved.Tokens[0].Node,
			"The case could not be completed in the new version.")
	case status != domain.Archived:
		return nil
	}
	for _, node := range demanded {
		if !node.Repairs() && run.facts.Verdicts[node.ID] < node.Quorum {
			return immovable(MoveSkips, node.ID,
				"The case would be archived without the review at %s.", node.ID)
		}
	}
	return nil
}

// stepOf returns a builder that only reads the marking.
func stepOf(def *Definition, marking domain.Marking, facts *domain.ProcessFacts) *stepBuilder {
	return &stepBuilder{def: def, facts: facts, tokens: marking.Tokens, visits: marking.Visits,
		state: nodeStates{byNode: marking.Notes}}
}

// demandedReviews returns the reviews on the route of a case with the present facts, in the order
// in which they are found: completed work is left as the case has left it, other work as usual. A
// review that its time limit has ended is not among them.
func demandedReviews(
	def *Definition, marking domain.Marking, facts domain.ProcessFacts,
) ([]*Node, error) {
	type point struct {
		node    *Node
		outcome string
	}
	p := stepOf(def, marking, &facts)
	var demanded []*Node
	seen := newNodeSet(def)
	for open := []point{{node: def.start}}; len(open) > 0; {
		at := open[0]
		if open = open[1:]; seen.has(at.node) {
			continue
		}
		seen.add(at.node)
		facts.Outcome = at.outcome
		edges, err := p.usualEdges(at.node, p.chooseEdge)
		if err != nil {
			return nil, err
		}
		if at.node.impl.holdsToken() && at.node.Kind != KindJoin {
			edge := p.leftBy(at.node)
			edges, at.outcome = []*Edge{edge}, edge.On
			if at.node.Kind == KindReview && edge.Trigger == "" {
				demanded = append(demanded, at.node)
			}
		}
		for _, edge := range edges {
			open = append(open, point{edge.target, at.outcome})
		}
	}
	return demanded, nil
}

// approvalRun advances a case from a marking: every stage ends as usual, every review is approved,
// every timer fires, every call succeeds. It counts verdicts as casework does.
type approvalRun struct {
	def     *Definition
	marking domain.Marking
	facts   domain.ProcessFacts
}

func (r *approvalRun) toEnd() (domain.Status, error) {
	if r.facts.Verdicts = maps.Clone(r.facts.Verdicts); r.facts.Verdicts == nil {
		r.facts.Verdicts = map[string]int{}
	}
	var open []Event
	add := func(effects []Effect) {
		for _, effect := range effects {
			event, ok := successEvent(r.def, effect)
			if node := r.def.index[event.Node]; event.Kind == StageEnded {
				event.Outcome = node.usualEdge().On
			}
			if ok {
				open = append(open, event)
			}
		}
	}
	if add(OpenWork(r.def, r.marking, r.facts)); slices.ContainsFunc(r.marking.Tokens,
		func(token domain.Token) bool { return token.Node == Returned }) {
		open = append(open, Event{Kind: Resubmitted})
	}
	status := StatusOf(r.def, r.marking)
	for n := 0; len(open) > 0 && n < maxSimulatedEvents; n++ {
		event := open[0]
		open = open[1:]
		r.count(event)
		step, err := Advance(r.def, r.marking, event, r.facts)
		if domain.HasCode(err, domain.StateMismatch) {
			continue // withdrawn by an earlier event, or not needed for the quorum
		}
		if err != nil {
			return status, err
		}
		for node, visits := range step.Marking.Visits {
			if visits > r.marking.Visits[node] {
				delete(r.facts.Verdicts, node)
			}
		}
		r.marking, status = step.Marking, step.Status
		add(step.Effects)
	}
	return status, nil
}

// count adds the verdict of an event that its review accepts.
func (r *approvalRun) count(event Event) {
	node := r.def.index[event.Node]
	at := slices.Index(r.marking.Tokens, domain.Token{Node: event.Node, Visit: event.Visit})
	if event.Kind != ReviewDecided || node == nil || at < 0 {
		return
	}
	if event.Verdict == domain.Repaired {
		r.facts.Missing = nil
		return
	}
	r.facts.Verdicts[event.Node]++
	r.facts.Unseen = false // this person decides about the supporting documents too
}
