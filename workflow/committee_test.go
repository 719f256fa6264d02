package workflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// committeeText is a process with one committee, whose attributes are given.
func committeeText(attributes ...string) string {
	return `key: committee
version: 1
title: {en: Committee}
on_abandon: abandoned
nodes:
  - {id: start, kind: start, next: board}
  - id: board
    kind: review
    queue: L1
    escalate_to: L2
    ` + strings.Join(attributes, "\n    ") + `
    on: {approve: archived, reject: rejected}
    timeout: {after: 48h, to: late}
  - {id: late, kind: review, queue: L2, on: {approve: archived, reject: rejected}}
  - {id: archived, kind: stage, behaviour: archive, outcome: archived, next: end}
  - {id: rejected, kind: stage, behaviour: archive, outcome: rejected, next: no}
  - {id: abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: gone}
  - {id: end, kind: end, status: archived}
  - {id: no, kind: end, status: rejected}
  - {id: gone, kind: end, status: abandoned}
`
}

func committeeOf(t fataler, attributes ...string) *Definition {
	t.Helper()
	def, err := Parse([]byte(committeeText(attributes...)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return def
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// session is a committee that votes.
type session struct {
	t       fataler
	def     *Definition
	marking domain.Marking
	opened  []OpenReview
}

func open(t fataler, def *Definition) *session {
	t.Helper()
	s := &session{t: t, def: def}
	s.send(Event{Kind: Started})
	return s
}

func (s *session) send(event Event) {
	s.t.Helper()
	step, err := Advance(s.def, s.marking, event, domain.ProcessFacts{})
	if err != nil {
		s.t.Fatalf("%+v: %v", event, err)
	}
	s.marking = step.Marking
	for _, effect := range step.Effects {
		switch effect := effect.(type) {
		case OpenReview:
			s.opened = append(s.opened, effect)
		case CancelTimer:
			if event.Kind == TimerFired {
				s.t.Fatalf("a timer that has fired is withdrawn")
			}
		}
	}
}

func (s *session) vote(seat int, verdict domain.Verdict) {
	s.t.Helper()
	s.send(Event{Kind: ReviewDecided, Node: "board", Visit: 1, Seat: seat, Verdict: verdict})
}

// at returns where the case is: board while the committee is undecided.
func (s *session) at() string { return s.marking.Tokens[0].Node }

// letters are the verdicts of a row of votes; - is a vote that is not cast.
var letters = map[rune]domain.Verdict{'a': domain.Approve, 'r': domain.Reject, 'o': domain.Abstain}

func TestCommittees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes, votes, at string
		deadline              bool
	}{
		"three of five":                        {"seats: 5|quorum: 3|decide_by: count", "raraa", "archived", false},
		"three of five, undecided":             {"seats: 5|quorum: 3|decide_by: count", "rraa", "board", false},
		"three of five, out of reach":          {"seats: 5|quorum: 3|decide_by: count", "rrar", "rejected", false},
		"an abstention is no approval":         {"seats: 3|quorum: 2|decide_by: count|abstain: true", "oar", "rejected", false},
		"majority":                             {"seats: 5|quorum: 3|decide_by: majority", "arra", "board", false},
		"majority, certain":                    {"seats: 5|quorum: 3|decide_by: majority", "aaa", "archived", false},
		"certain, but not enough have voted":   {"seats: 5|decide_by: majority", "aaaa", "board", false},
		"of the votes cast":                    {"seats: 5|decide_by: majority|abstain: true", "ooaro", "rejected", false},
		"one more approval than rejections":    {"seats: 5|decide_by: majority|abstain: true", "oaraa", "archived", false},
		"all abstain":                          {"seats: 3|decide_by: majority|abstain: true", "ooo", "rejected", false},
		"a tie rejects":                        {"seats: 4|decide_by: majority", "aarr", "rejected", false},
		"the chair breaks a tie":               {"seats: 4|decide_by: majority|chair_queue: L2", "arra", "archived", false},
		"the chair breaks a tie by rejecting":  {"seats: 4|decide_by: majority|chair_queue: L2", "raar", "rejected", false},
		"the chair abstains":                   {"seats: 3|decide_by: majority|abstain: true|chair_queue: L2", "oar", "rejected", false},
		"unanimous":                            {"seats: 3|decide_by: unanimous|abstain: true", "aoa", "archived", false},
		"unanimous, one rejection":             {"seats: 3|decide_by: unanimous|abstain: true", "ar", "rejected", false},
		"unanimous, all abstain":               {"seats: 3|decide_by: unanimous|abstain: true", "ooo", "rejected", false},
		"veto":                                 {"seats: 5|quorum: 3|decide_by: majority|veto_queue: AML", "r", "rejected", false},
		"no approval before who has the veto":  {"seats: 5|quorum: 3|decide_by: count|veto_queue: AML", "-aaaa", "board", false},
		"deadline, enough votes":               {"seats: 5|quorum: 3|decide_by: majority", "ara", "archived", true},
		"deadline, enough with abstentions":    {"seats: 5|quorum: 3|decide_by: majority|abstain: true", "ooa", "archived", true},
		"deadline, more rejections":            {"seats: 5|quorum: 3|decide_by: majority", "rar", "rejected", true},
		"deadline, no quorum":                  {"seats: 5|quorum: 3|decide_by: majority", "aa", "late", true},
		"deadline, a tie":                      {"seats: 5|quorum: 2|decide_by: majority", "ar", "late", true},
		"deadline, the chair breaks the tie":   {"seats: 5|quorum: 2|decide_by: majority|chair_queue: L2", "ar", "archived", true},
		"deadline, all abstain":                {"seats: 5|quorum: 3|decide_by: majority|abstain: true", "ooo", "late", true},
		"deadline, without who has the veto":   {"seats: 5|quorum: 3|decide_by: majority|veto_queue: AML", "-aaa", "late", true},
		"deadline, not enough approvals":       {"seats: 5|quorum: 3|decide_by: count", "aar", "late", true},
		"deadline, unanimous so far":           {"seats: 3|quorum: 2|decide_by: unanimous", "aa", "archived", true},
		"deadline, unanimous without a quorum": {"seats: 3|decide_by: unanimous", "aa", "late", true},
		"without a committee":                  {"seats: 5|quorum: 3", "ar", "rejected", false},
		"deadline, without a committee":        {"seats: 5|quorum: 3", "aa", "late", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, committeeOf(t, strings.Split(c.attributes, "|")...))
			for i, letter := range c.votes {
				if letter != '-' {
					s.vote(i+1, letters[letter])
				}
			}
			if c.deadline {
				s.send(Event{Kind: TimerFired, Node: "board", Visit: 1})
			}
			if s.at() != c.at {
				t.Errorf("the case is at %s, want %s", s.at(), c.at)
			}
		})
	}
}

// drawnCommittee draws a committee that the parser accepts.
func drawnCommittee(t *rapid.T) *Definition {
	seats := rapid.IntRange(2, 9).Draw(t, "seats")
	rule := rapid.SampledFrom([]DecideBy{ByCount, ByMajority, ByUnanimity}).Draw(t, "rule")
	quorum := rapid.IntRange(2, seats).Draw(t, "quorum")
	attributes := []string{fmt.Sprintf("seats: %d", seats), "decide_by: " + string(rule),
		fmt.Sprintf("quorum: %d", quorum)}
	all := rule == ByCount && quorum == seats
	for _, attribute := range []struct {
		text    string
		allowed bool
	}{{"abstain: true", !all}, {"chair_queue: L2", rule == ByMajority},
		{"veto_queue: AML", rule != ByUnanimity && !all}} {
		if attribute.allowed && rapid.Bool().Draw(t, attribute.text) {
			attributes = append(attributes, attribute.text)
		}
	}
	def, err := Parse([]byte(committeeText(attributes...)))
	if err != nil {
		t.Fatalf("%v: %v", attributes, err)
	}
	return def
}

// counted is the plain model: all have voted, and the votes are counted at the end.
func counted(node *Node, votes []domain.Verdict) string {
	count := func(verdict domain.Verdict) (n int) {
		for _, vote := range votes {
			if vote == verdict {
				n++
			}
		}
		return n
	}
	veto := -1
	if node.VetoQueue != "" {
		veto = 0
		if node.ChairQueue != "" {
			veto = 1
		}
	}
	approvals, rejections := count(domain.Approve), count(domain.Reject)
	approved := approvals >= node.Quorum
	switch node.DecideBy {
	case ByMajority:
		approved = approvals > rejections ||
			approvals == rejections && node.ChairQueue != "" && votes[0] == domain.Approve
	case ByUnanimity:
		approved = approvals > 0 && rejections == 0
	}
	if approved && (veto < 0 || votes[veto] != domain.Reject) {
		return "archived"
	}
	return "rejected"
}

// The result of a committee is the one of its votes, counted at the end; no order of the votes changes
// it, nor votes that were undone or escalated in between, and there is always one.
func TestCommitteesCountTheirVotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := drawnCommittee(t)
		node, _ := def.Node("board")
		verdicts := slices.DeleteFunc(node.Verdicts(),
			func(v domain.Verdict) bool { return v == domain.Escalate })
		votes := rapid.SliceOfN(rapid.SampledFrom(verdicts), node.Seats, node.Seats).Draw(t, "votes")
		s := open(t, def)
		for _, member := range rapid.Permutation(indexes(node.Seats)).Draw(t, "order") {
			if s.at() != "board" {
				break
			}
			seat := member + 1
			if rapid.IntRange(0, 4).Draw(t, "escalates") == 0 {
				s.vote(seat, domain.Escalate)
				seat = s.opened[len(s.opened)-1].Seat
			}
			undone := rapid.SampledFrom(verdicts).Draw(t, "undone")
			if rapid.IntRange(0, 4).Draw(t, "undoes") == 0 && s.undecidedAfter(seat, undone) {
				s.vote(seat, undone)
				s.send(Event{Kind: SeatReopened, Node: "board", Visit: 1, Seat: seat})
				seat = s.opened[len(s.opened)-1].Seat
			}
			s.vote(seat, votes[member])
		}
		if want := counted(node, votes); s.at() != want {
			t.Fatalf("%+v with %v: the case is at %s, want %s", *node, votes, s.at(), want)
		}
	})
}

// undecidedAfter reports whether the committee would still be undecided after a vote.
func (s *session) undecidedAfter(seat int, verdict domain.Verdict) bool {
	step, err := Advance(s.def, s.marking, Event{Kind: ReviewDecided, Node: "board", Visit: 1,
		Seat: seat, Verdict: verdict}, domain.ProcessFacts{})
	return err == nil && step.Marking.Tokens[0].Node == "board"
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestSeatsOfACommittee(t *testing.T) {
	t.Parallel()
	s := open(t, committeeOf(t, "seats: 4", "decide_by: majority", "chair_queue: L2",
		"chair_level: 2", "veto_queue: AML", "level: 1"))
	var seats []string
	for _, opened := range s.opened {
		seats = append(seats, fmt.Sprintf("%d %s%d", opened.Seat, opened.Queue, opened.Level))
	}
	if got := strings.Join(seats, ", "); got != "1 L22, 2 AML1, 3 L11, 4 L11" {
		t.Errorf("the seats are %s", got)
	}
	s.vote(1, domain.Approve)
	s.send(Event{Kind: SeatReopened, Node: "board", Visit: 1, Seat: 1})
	if last := s.opened[len(s.opened)-1]; last.Queue != "L2" || last.Level != 2 {
		t.Errorf("the chair's seat is opened again as %+v", last)
	}
	s.vote(2, domain.Escalate)
	s.vote(6, domain.Reject)
	if s.at() != "rejected" {
		t.Error("the veto is lost when its seat is escalated")
	}
}

// Each seat needs a person of its own; the chair's seat one of its queue.
func TestStaffOfACommittee(t *testing.T) {
	t.Parallel()
	def := committeeOf(t, "seats: 3", "quorum: 2", "decide_by: majority", "chair_queue: BOARD",
		"duty: board")
	able := func(queues map[string]int) func(*Node) []domain.ID {
		return func(node *Node) (people []domain.ID) {
			for i := range queues[node.Queue] {
				people = append(people, domain.ID{node.Queue[0], byte(i)})
			}
			return people
		}
	}
	if found := Understaffed(def, able(map[string]int{"L1": 2, "L2": 1, "BOARD": 1})); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	for _, queues := range []map[string]int{{"L1": 3, "L2": 1}, {"L1": 1, "L2": 1, "BOARD": 2}} {
		if found := Understaffed(def, able(queues)); len(found) != 1 || found[0].Node != "board" {
			t.Errorf("with %v: %+v", queues, found)
		}
	}
}

func TestCommitteesThatNoOneCouldMean(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		"decide_by: most":                                           "decide_by must be",
		"decide_by: count":                                          "at least 2 seats",
		"seats: 3|abstain: true":                                    "abstain needs decide_by",
		"seats: 3|chair_queue: L2":                                  "chair_queue needs decide_by majority",
		"seats: 3|veto_queue: AML":                                  "every rejection rejects",
		"seats: 3|chair_level: 2":                                   "chair_level needs chair_queue",
		"seats: 3|decide_by: count|chair_queue: L2":                 "there is no tie",
		"seats: 3|decide_by: count|abstain: true":                   "each abstention would reject",
		"seats: 3|decide_by: count|veto_queue: AML":                 "every rejection rejects",
		"seats: 3|decide_by: unanimous|veto_queue: AML":             "every rejection rejects",
		"seats: 3|decide_by: majority|quorum: 1":                    "quorum must be at least 2",
		"seats: 3|decide_by: majority|chair_queue: L1":              "any reviewer of the queue",
		"seats: 3|decide_by: majority|veto_queue: L1":               "any reviewer of the queue",
		"seats: 3|decide_by: majority|veto_queue: A|veto_level: 10": "veto_level",
	} {
		_, err := Parse([]byte(committeeText(strings.Split(attributes, "|")...)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a problem with %q", attributes, err, want)
		}
	}
}

func TestCommitteesAreSoundAndKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := drawnCommittee(t)
		if verified := Verify(def); !verified.Sound() {
			t.Fatalf("%+v", verified.Problems)
		}
		draft := DraftOf(def)
		again, err := Parse(draft.YAML())
		if err != nil {
			t.Fatalf("%v\n%s", err, draft.YAML())
		}
		was, _ := def.Node("board")
		if is, _ := again.Node("board"); is.DecideBy != was.DecideBy || is.Abstain != was.Abstain ||
			is.ChairQueue != was.ChairQueue || is.ChairLevel != was.ChairLevel ||
			is.VetoQueue != was.VetoQueue || is.VetoLevel != was.VetoLevel || is.Quorum != was.Quorum {
			t.Fatalf("%+v became %+v", was, is)
		}
	})
}

// Every vote that decided a committee has to count when the route is evaluated again: without one the
// others may not have decided, and rejections never take the place of revoked approvals.
func TestACommitteeNeedsEveryVoteThatDecidedIt(t *testing.T) {
	t.Parallel()
	def := committeeOf(t, "seats: 3", "decide_by: majority")
	s := open(t, def)
	for seat, verdict := range []domain.Verdict{domain.Approve, domain.Reject, domain.Approve} {
		s.vote(seat+1, verdict)
	}
	node, _ := def.Node("board")
	for votes, want := range map[int]bool{3: true, 2: false, 1: false, 0: false} {
		p := stepBuilder{def: def, visits: s.marking.Visits, tokens: s.marking.Tokens,
			state: nodeStates{byNode: s.marking.Notes},
			facts: &domain.ProcessFacts{Verdicts: map[string]int{"board": votes}}}
		if got := (&routeWalk{p: &p}).counts(node); got != want {
			t.Errorf("with %d of 3 votes the committee counts: %v", votes, got)
		}
	}
}

// Several seats of which one rejection rejects show how many approvals they need and have.
func TestSeatsShowTheirApprovals(t *testing.T) {
	t.Parallel()
	def := committeeOf(t, "seats: 5", "quorum: 3")
	marking := domain.Marking{Tokens: []domain.Token{{Node: "board", Visit: 1}}, Visits: map[string]int{"board": 1}}
	for given := range 3 {
		found, ok := CommitteeAt(def, marking, "board", 1)
		if !ok || found.DecideBy != ByFirstRejection || found.Seats != 5 || found.Quorum != 3 ||
			found.Approvals != given || found.Cast != given {
			t.Fatalf("with %d approvals: %+v, %v", given, found, ok)
		}
		step, err := Advance(def, marking, Event{Kind: ReviewDecided, Node: "board", Visit: 1, Seat: given + 1,
			Verdict: domain.Approve}, domain.ProcessFacts{})
		if err != nil {
			t.Fatal(err)
		}
		marking = step.Marking
	}
	if found, ok := CommitteeAt(def, marking, "board", 1); ok {
		t.Errorf("after the decision: %+v", found)
	}
}
