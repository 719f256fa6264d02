package workflow

import (
	"slices"

	"countersign/domain"
)

// DecideBy is how the votes of a review decide.
type DecideBy string

// The values of DecideBy. The last three make the review a committee: its members see a rejection
// through, and the order of their votes does not matter.
const (
	// ByFirstRejection approves with the quorum of approvals; one rejection rejects.
	ByFirstRejection DecideBy = "first_rejection"
	// ByCount approves with the quorum of approvals, and rejects if they cannot be reached any more.
	ByCount DecideBy = "count"
	// ByMajority approves with more approvals than rejections; abstentions are neither.
	ByMajority DecideBy = "majority"
	// ByUnanimity approves with at least one approval and no rejection.
	ByUnanimity DecideBy = "unanimous"
)

// Committee reports whether the node is a review in which one rejection does not decide alone.
func (n *Node) Committee() bool {
	return n.DecideBy != "" && n.DecideBy != ByFirstRejection
}

// seatRole is what distinguishes a seat of a committee; most have none.
type seatRole string

const (
	chairSeat seatRole = "chair" // its vote breaks a tie
	vetoSeat  seatRole = "veto"  // its rejection rejects
)

// firstSeats returns the seats with which a review opens.
func (n *Node) firstSeats() []openSeat {
	seats := make([]openSeat, n.Seats)
	for i := range seats {
		seats[i].Seat = i + 1
	}
	next := 0
	for _, special := range []struct {
		role  seatRole
		queue string
	}{{chairSeat, n.ChairQueue}, {vetoSeat, n.VetoQueue}} {
		if special.queue != "" && next < len(seats) {
			seats[next].Role = special.role
			next++
		}
	}
	return seats
}

// firstRole returns the role of a seat with which the review opens, none for other seats.
func (n *Node) firstRole(seat int) seatRole {
	for _, first := range n.firstSeats() {
		if first.Seat == seat {
			return first.Role
		}
	}
	return ""
}

// atSeat returns the node as the reviewers of a seat with the role see it: with the seat's own queue
// and level.
func (n *Node) atSeat(role seatRole) *Node {
	own := *n
	switch role {
	case chairSeat:
		own.Queue, own.Level = n.ChairQueue, n.ChairLevel
	case vetoSeat:
		own.Queue, own.Level = n.VetoQueue, n.VetoLevel
	default:
		return n
	}
	return &own
}

// castVote is a vote of a committee that counts.
type castVote struct {
	Seat      int            `json:"seat"`
	Verdict   domain.Verdict `json:"verdict,omitempty"` // "" while it is hidden
	Escalated bool           `json:"escalated,omitempty"`
	Role      seatRole       `json:"role,omitempty"`
}

// vote records a vote of a committee, which leaves the node if its votes have decided.
func (p *stepBuilder) vote(node *Node, at int, seats seatState, vote castVote) error {
	if !slices.Contains(node.Verdicts(), vote.Verdict) {
		return domain.Invalid("verdict", "%s does not accept the verdict %q.", node.ID, vote.Verdict)
	}
	seats.Cast = append(seats.Cast, vote)
	result := node.result(seats, false)
	if result == "" {
		p.state.setSeats(node.ID, seats)
		return nil
	}
	return p.leaveCommittee(node, at, seats, result)
}

// committeeDecided is an event of its own for asking what follows from a verdict of a whole committee:
// Node, Visit, Verdict.
const committeeDecided EventKind = "committee_decided"

func (p *stepBuilder) decideCommittee(event Event) error {
	node, at, err := p.locateToken(event, KindReview)
	if err != nil {
		return err
	}
	return p.leaveCommittee(node, at, p.state.seats(node), event.Verdict)
}

// leaveCommittee leaves a committee by its result, whatever the last vote was.
func (p *stepBuilder) leaveCommittee(
	node *Node, at int, seats seatState, result domain.Verdict,
) error {
	if open := seats.openSeats(); len(open) > 0 {
		p.addEffect(CancelReview{Node: node.ID, Visit: p.tokens[at].Visit, Seats: open})
	}
	edge := p.resultEdge(node, seats, result)
	p.leaveNode(node, at)
	return p.leaveAlong(node, edge)
}

// resultEdge returns the edge of a result and records how it came about.
func (p *stepBuilder) resultEdge(node *Node, seats seatState, result domain.Verdict) *Edge {
	p.facts.Outcome = string(result)
	p.recordVotes(node, len(seats.Cast))
	return node.outcomeEdge(string(result))
}

// deadlineEdge returns the edge that a committee takes at its deadline: that of its result, or the
// timeout's if the votes that were cast do not decide.
func (p *stepBuilder) deadlineEdge(node *Node, timeout *Edge) *Edge {
	seats := p.state.seats(node)
	if result := node.result(seats, true); result != "" {
		return p.resultEdge(node, seats, result)
	}
	return timeout
}

// result returns the verdict of a committee, "" while it is undecided. Each verdict is one that no
// further vote could change, so that the order of the votes does not matter. At the deadline the votes
// that were cast decide if they are enough, and not if they are a tie that the chair did not break.
func (n *Node) result(seats seatState, deadline bool) domain.Verdict {
	t := tallyOf(seats)
	enough := t.cast >= n.Quorum && !t.vetoOpen
	switch {
	case t.vetoed, !n.passes(t.approvals+t.open, t.rejections, t.chairOr(domain.Approve)):
		return domain.Reject
	case enough && n.passes(t.approvals, t.rejections+t.open, t.chairOr(domain.Reject)):
		return domain.Approve
	case !deadline || !enough || n.DecideBy == ByCount || t.isTie():
		return ""
	case n.passes(t.approvals, t.rejections, t.chair):
		return domain.Approve
	}
	return domain.Reject
}

// passes reports whether the votes approve if no other is cast. More approvals, fewer rejections and
// the chair's approval never turn an approval into a rejection.
func (n *Node) passes(approvals, rejections int, chair domain.Verdict) bool {
	switch n.DecideBy {
	case ByMajority:
		return approvals > rejections || approvals == rejections && chair == domain.Approve
	case ByUnanimity:
		return approvals > 0 && rejections == 0
	}
	return approvals >= n.Quorum
}

// tally counts the votes of a committee.
type tally struct {
	approvals, rejections int
	cast, open            int            // votes including abstentions, and seats without one
	chair                 domain.Verdict // "" without the chair's vote
	chairOpen, vetoOpen   bool
	vetoed                bool
}

func tallyOf(seats seatState) tally {
	t := tally{cast: len(seats.Cast), open: len(seats.Open)}
	for _, vote := range seats.Cast {
		switch vote.Verdict {
		case domain.Approve:
			t.approvals++
		case domain.Reject:
			t.rejections++
			t.vetoed = t.vetoed || vote.Role == vetoSeat
		}
		if vote.Role == chairSeat {
			t.chair = vote.Verdict
		}
	}
	for _, seat := range seats.Open {
		t.chairOpen = t.chairOpen || seat.Role == chairSeat
		t.vetoOpen = t.vetoOpen || seat.Role == vetoSeat
	}
	return t
}

// chairOr returns the chair's vote, and the given one if the chair can still vote.
func (t tally) chairOr(verdict domain.Verdict) domain.Verdict {
	if t.chairOpen {
		return verdict
	}
	return t.chair
}

func (t tally) isTie() bool {
	return t.approvals == t.rejections && t.chair != domain.Approve && t.chair != domain.Reject
}

// Committee is what a committee that has not decided yet needs and has.
type Committee struct {
	DecideBy                           DecideBy
	Seats, Quorum                      int
	Approvals, Rejections, Abstentions int
	CanAbstain                         bool
	// Cast is the number of votes. Hidden says that the others, which count verdicts, are not known.
	Cast   int
	Hidden bool
}

// CommitteeAt returns the reviewers who decide together at a node in the visit: a committee, or several
// seats of which one rejection rejects (ByFirstRejection). ok is false if one reviewer decides, or they
// have decided. Votes that can still be undone are not counted yet.
func CommitteeAt(
	def *Definition, marking domain.Marking, id string, visit int,
) (found Committee, ok bool) {
	node := def.index[id]
	if node == nil || !node.Committee() && node.Seats < 2 ||
		!slices.Contains(marking.Tokens, domain.Token{Node: id, Visit: visit}) {
		return Committee{}, false
	}
	states := nodeStates{byNode: marking.Notes}
	seats := states.seats(node)
	if !node.Committee() {
		return Committee{DecideBy: ByFirstRejection, Seats: node.Seats, Quorum: node.Quorum,
			Approvals: seats.Approvals, Cast: seats.Approvals}, true
	}
	t := tallyOf(seats)
	if node.HidesVotes() || seats.hasHidden() {
		return Committee{DecideBy: node.DecideBy, Seats: node.Seats, Quorum: node.Quorum, Cast: t.cast,
			Hidden: true, CanAbstain: node.Abstain}, true
	}
	return Committee{DecideBy: node.DecideBy, Seats: node.Seats, Quorum: node.Quorum,
		Approvals: t.approvals, Rejections: t.rejections,
		Abstentions: t.cast - t.approvals - t.rejections, CanAbstain: node.Abstain, Cast: t.cast}, true
}

// WithoutConfidential returns the committee for a viewer who must not learn of confidential reviews: if one of its
// seats at the node is confidential, its votes are hidden, because they would show how that seat voted.
func (c Committee) WithoutConfidential(def *Definition, id string) Committee {
	node := def.index[id]
	if node == nil || !node.Confidential() || c.DecideBy == ByFirstRejection {
		return c
	}
	return Committee{DecideBy: c.DecideBy, Seats: c.Seats, Quorum: c.Quorum, Cast: c.Cast, Hidden: true,
		CanAbstain: c.CanAbstain}
}
