package workflow

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
)

// A review refuses to hide votes if its rule or another attribute would show them.
func TestVotesThatCannotBeHidden(t *testing.T) {
	t.Parallel()
	for want, attributes := range map[string][]string{
		"needs decide_by count or majority":         {"seats: 3", "votes: hidden"},
		"votes must be open or hidden":              {"seats: 3", "decide_by: majority", "votes: secret"},
		"approval ends the review":                  {"seats: 3", "decide_by: count", "quorum: 1", "votes: hidden"},
		"the first rejection or the first":          {"seats: 2", "decide_by: majority", "votes: hidden"},
		"the first rejection":                       {"seats: 3", "decide_by: unanimous", "votes: hidden"},
		"every earlier vote is known not to be one": {"seats: 3", "decide_by: count", "votes: hidden"},
		"only approvals are signed":                 {"seats: 3", "decide_by: majority", "votes: hidden", "signature_above: 0"},
		"undo time would show that the vote": {"seats: 3", "decide_by: majority", "votes: hidden",
			"bulk: {max_amount: 1, max_risk: 1}"},
	} {
		if _, problems := Check([]byte(committeeText(attributes...))); !strings.Contains(fmt.Sprint(problems),
			want) {
			t.Errorf("%v: got %v, want %q", attributes, problems, want)
		}
	}
}

// The marking of a committee that hides its votes has no verdict, and steps like the other one when the
// votes are added. Without a vote it does not step.
func TestMarkingsWithoutVotes(t *testing.T) {
	t.Parallel()
	def := committeeOf(t, "seats: 3", "decide_by: majority", "votes: hidden")
	marking := domain.Marking{Tokens: []domain.Token{{Node: "board", Visit: 1}},
		Visits: map[string]int{"board": 1}}
	votes := []SeatVote{{"board", 1, 1, domain.Reject}, {"board", 1, 2, domain.Approve}}
	for _, vote := range votes {
		full, err := WithVotes(def, marking, votes)
		if err != nil {
			t.Fatal(err)
		}
		step, err := Advance(def, full, Event{Kind: ReviewDecided, Node: "board", Visit: 1,
			Seat: vote.Seat, Verdict: vote.Verdict}, domain.ProcessFacts{})
		if err != nil {
			t.Fatal(err)
		}
		marking = WithoutVotes(def, step.Marking)
		if text, err := marking.Canonical(); err != nil || strings.Contains(string(text), "verdict") {
			t.Errorf("the marking is %s, %v", text, err)
		}
	}
	found, ok := CommitteeAt(def, marking, "board", 1)
	if !ok || !found.Hidden || found.Cast != 2 || found.Approvals != 0 || found.Rejections != 0 {
		t.Errorf("the committee is %+v", found)
	}
	if _, err := WithVotes(def, marking, votes[:1]); !domain.HasCode(err, domain.Internal) {
		t.Errorf("a missing vote is %v", err)
	}
}

// A committee that shows its votes demands less than one that hides them.
func TestHiddenVotesStayHiddenInANewVersion(t *testing.T) {
	t.Parallel()
	hidden, shown := &Node{Votes: VotesHidden}, &Node{Votes: VotesOpen}
	if hidden.asDemanding(shown) || !shown.asDemanding(hidden) {
		t.Error("a case moves to a version that shows its votes")
	}
}
