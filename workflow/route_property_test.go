package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// changingCase is a case whose facts change while it runs. Votes are counted as casework does:
// those of a review's last visit, until key facts change or the case is returned.
type changingCase struct {
	t       *rapid.T
	def     *Definition
	facts   domain.ProcessFacts
	step    Step
	open    openWork
	votes   map[string]map[int]bool // by review and seat
	left    map[string]*Edge        // by which each node was last left
	order   map[*Edge]int           // when each edge was last taken
	turn    int
	history []factsEvent
	sound   *explorer // nil: too large
}

type factsEvent struct {
	event Event
	facts domain.ProcessFacts
}

func (c *changingCase) send(event Event) {
	facts := c.facts
	facts.Verdicts = map[string]int{}
	for node, seats := range c.votes {
		facts.Verdicts[node] = len(seats)
	}
	cancels := false
	var edges []*Edge
	step, err := AdvanceTraced(c.def, c.step.Marking, event, facts, func(edge *Edge) {
		edges = append(edges, edge)
		cancels = cancels || edge.CancelsAll || len(edge.Cancels) > 0
	})
	if err != nil {
		c.t.Fatalf("%+v at %+v: %v\n%s", event, c.step.Marking, err, Mermaid(c.def))
	}
	c.history = append(c.history, factsEvent{event, facts})
	for _, edge := range edges {
		c.turn++
		c.order[edge] = c.turn
	}
	if node, edge := c.leftBy(event, step); edge != nil {
		c.left[node] = edge
	}
	for node, visit := range step.Marking.Visits {
		if visit > c.step.Marking.Visits[node] {
			delete(c.votes, node)
		}
	}
	for _, effect := range step.Effects {
		switch effect := effect.(type) {
		case CancelReview:
			if effect.Node != event.Node && !cancels && event.Node != "" {
				c.t.Fatalf("%+v withdraws the review at %s", event, effect.Node)
			}
		case VotesRevoked:
			c.votes = map[string]map[int]bool{}
		}
	}
	c.open.apply(c.t, step.Effects)
	c.step = step
	checkMarking(c.t, c.def, step, c.open, facts)
	c.checkVerified()
}

// leftBy returns the edge by which the event's node was left, nil if its work continues.
func (c *changingCase) leftBy(event Event, step Step) (string, *Edge) {
	node := c.def.index[event.Node]
	if node == nil || slices.Contains(step.Marking.Tokens,
		domain.Token{Node: event.Node, Visit: event.Visit}) {
		return "", nil
	}
	switch event.Kind {
	case StageEnded:
		return node.ID, node.outcomeEdge(event.Outcome)
	case StageFailed:
		return node.ID, node.errorEdge(event.Code)
	case ReviewDecided:
		return node.ID, node.outcomeEdge(string(event.Verdict))
	case TimerFired:
		if edge := node.timeoutEdge(); edge != nil {
			return node.ID, edge
		}
		return node.ID, &node.Edges[0]
	case StepEnded, StepFailed: // an undone saga ends the case
		return node.ID, node.outcomeEdge(SagaDone)
	}
	return "", nil
}

// checkVerified checks that the verification has explored the marking.
func (c *changingCase) checkVerified() {
	if c.sound == nil {
		return
	}
	marking := domain.Marking{Tokens: slices.Clone(c.step.Marking.Tokens),
		Notes: maps.Clone(c.step.Marking.Notes)}
	for node := range marking.Notes { // seats that were opened again are like new ones
		if review := c.def.index[node]; review != nil && review.Kind == KindReview {
			states := nodeStates{byNode: marking.Notes}
			seats := states.seats(review)
			if seats.Approvals == 0 && len(seats.Open) == review.Seats &&
				!slices.ContainsFunc(seats.Open, func(s openSeat) bool { return s.Escalated }) {
				delete(marking.Notes, node)
			}
		}
	}
	if _, ok := c.sound.index[markingKey(c.sound.normalize(marking))]; !ok {
		c.t.Fatalf("the verification did not explore %+v\n%s", c.step.Marking, Mermaid(c.def))
	}
}

// change changes the facts, and the key facts with them if a draw says so: then all votes are
// revoked, and seats that have voted are opened again where the review is still open.
func (c *changingCase) change() {
	c.facts.Risk = rapid.IntRange(0, 100).Draw(c.t, "risk now")
	if c.unreleased() {
		defer c.reevaluate()
	}
	if !rapid.Bool().Draw(c.t, "key fact") {
		return
	}
	votes := c.votes
	c.votes = map[string]map[int]bool{}
	for _, token := range c.step.Marking.Tokens {
		for _, seat := range slices.Sorted(maps.Keys(votes[token.Node])) {
			c.send(Event{Kind: SeatReopened, Node: token.Node, Visit: token.Visit, Seat: seat})
		}
	}
}

// unreleased reports whether no work of the marking has begun to carry out a decision: every saga is
// at its first call, and the case is not being closed without approval.
func (c *changingCase) unreleased() bool {
	return !slices.ContainsFunc(c.step.Marking.Tokens, func(token domain.Token) bool {
		node := c.def.index[token.Node]
		states := nodeStates{byNode: c.step.Marking.Notes}
		return node != nil && (node.refuses() ||
			node.Kind == KindSaga && states.saga(node.ID) != sagaState{Step: 1})
	})
}

// reevaluate evaluates the route before work that has not begun.
func (c *changingCase) reevaluate() {
	for _, token := range slices.Clone(c.step.Marking.Tokens) {
		node := c.def.index[token.Node]
		if node != nil && slices.Contains(c.step.Marking.Tokens, token) && !node.refuses() &&
			(node.Kind == KindSaga || node.Kind == KindExternal || node.Outcome != "") {
			c.send(Event{Kind: Reevaluated, Node: token.Node, Visit: token.Visit})
		}
	}
}

// vote records the verdict of an event.
func (c *changingCase) vote(event Event) {
	if event.Kind != ReviewDecided || event.Verdict == domain.Escalate ||
		event.Verdict == domain.Return {
		return
	}
	if c.votes[event.Node] == nil {
		c.votes[event.Node] = map[int]bool{}
	}
	c.votes[event.Node][event.Seat] = true
}

// checkRoute follows the route from a node to the end with the present facts and checks that every
// review on it has enough votes.
func (c *changingCase) checkRoute(node *Node, seen map[*Node]bool) {
	for ; node.Kind != KindEnd && !seen[node]; node = c.nextOnRoute(node, seen) {
		seen[node] = true
		edge := c.left[node.ID]
		switch {
		case node.Kind == KindReview && (edge == nil ||
			edge.Trigger == "" && len(c.votes[node.ID]) < node.Quorum):
			c.t.Fatalf("%s is on the route without votes, risk %d, %+v\n%s\n%+v", node.ID,
				c.facts.Risk, c.step.Marking, Mermaid(c.def), c.history)
		}
	}
}

func (c *changingCase) nextOnRoute(node *Node, seen map[*Node]bool) *Node {
	switch node.Kind {
	case KindExclusive:
		p := stepBuilder{def: c.def, facts: &c.facts}
		edge, err := p.chooseEdge(node)
		if err != nil {
			c.t.Fatal(err)
		}
		return edge.target
	case KindFork:
		number, err := strconv.Atoi(node.ID[len("fork"):])
		if err != nil {
			c.t.Fatal(err)
		}
		join := c.def.index[fmt.Sprintf("join%d", number+1)] // see definitionGenerator.fork
		var skipped *Edge
		for _, branch := range node.Edges {
			for i := range branch.target.Edges {
				if edge := &branch.target.Edges[i]; len(edge.Cancels) > 0 && c.order[edge] > 0 {
					skipped = edge
				}
			}
		}
		if skipped != nil && c.order[skipped] > c.order[&join.Edges[0]] {
			return skipped.target
		}
		for _, branch := range node.Edges {
			c.checkBranch(branch.target, join, seen)
		}
		return join.Edges[0].target
	}
	if edge := c.left[node.ID]; edge != nil {
		return edge.target
	}
	return node.usualEdge().target
}

func (c *changingCase) checkBranch(node, join *Node, seen map[*Node]bool) {
	inner := maps.Clone(seen)
	inner[join] = true
	c.checkRoute(node, inner)
}

// TestRouteHoldsWhileFactsChange advances random cases of random sound definitions with random
// facts over time. An archived case has votes for every review on the route that the final facts
// give; no evaluation withdraws an open review; every case ends if reviewers keep approving; the
// verification has explored every marking; and the events lead to the same marking again.
func TestRouteHoldsWhileFactsChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := soundDefinition(t)
		c := &changingCase{t: t, def: def, open: openWork{}, votes: map[string]map[int]bool{},
			left: map[string]*Edge{}, order: map[*Edge]int{}}
		e := newExplorer(def, 3_000)
		if e.explore(); e.failure == nil {
			e.exploreReroutes()
		}
		if e.failure == nil {
			c.sound = e
		} else if e.failure.Rule != "state_space" {
			t.Fatalf("%v\n%s", e.failure, Mermaid(def))
		}
		c.facts.Risk = rapid.IntRange(0, 100).Draw(t, "risk")
		c.send(Event{Kind: Started})
		for turn := 0; len(c.step.Marking.Tokens) > 0; turn++ {
			if turn > 2000 {
				t.Fatalf("no end after %d events: %+v\n%s", turn, c.step.Marking, Mermaid(def))
			}
			sealing := executesDecision(def, c.step.Marking)
			if turn < 60 && (!sealing || c.unreleased()) && rapid.IntRange(0, 3).Draw(t, "changes") == 0 {
				c.change()
			}
			key, event := choose(t, def, c.step.Marking, c.open, turn > 60)
			if (event.Kind == Abandoned || event.Kind == Replaced || event.Kind == Entered) &&
				sealing {
				key, event = choose(t, def, c.step.Marking, c.open, true)
			}
			delete(c.open, key)
			c.vote(event)
			c.send(event)
		}
		if c.step.Status == domain.Archived {
			c.checkRoute(def.start, map[*Node]bool{})
		}
		c.replayHistory()
	})
}

// replayHistory applies the same events to markings that are encoded as JSON after each step.
func (c *changingCase) replayHistory() {
	marking := domain.Marking{}
	for _, past := range c.history {
		step, err := Advance(c.def, marking, past.event, past.facts)
		if err != nil {
			c.t.Fatal(err)
		}
		text, err := step.Marking.Canonical()
		if err != nil {
			c.t.Fatal(err)
		}
		marking = domain.Marking{}
		if err := json.Unmarshal(text, &marking); err != nil {
			c.t.Fatal(err)
		}
	}
	got, _ := marking.Canonical()
	if want, _ := c.step.Marking.Canonical(); string(got) != string(want) {
		c.t.Fatalf("replayed to %s, was %s", got, want)
	}
}
