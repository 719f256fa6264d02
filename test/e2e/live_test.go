package e2e

import (
	"strconv"
	"testing"
	"time"

	"countersign/test/house"
)

// A follower whose server is killed sees every event once and in order when it is back, without asking for the case again.
func TestFollowingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	said := h.As("submitter").Expect(0, nil, "submit", h.PDF(house.Invoice(80, 20_000)))
	following := h.As("auditor").Begin("--json", "watch", said.Reference(), "--until", "archived")
	house.Until(t, 30*time.Second, "the follower is connected", func() bool { return follows(h) == 1 })
	h.Server.Kill()
	h.Again()
	house.Until(t, 30*time.Second, "the follower is back", func() bool { return follows(h) == 1 })
	h.Worker()
	senior := h.As("senior")
	house.Until(t, time.Minute, "it is in review", func() bool { return senior.Run("review", "claim", said.Reference()).Code == 0 })
	h.Server.Kill()
	h.Again()
	senior.Expect(0, nil, "review", "decide", said.Reference(), "approve")
	answer := <-following
	if answer.Code != 0 {
		t.Fatalf("the follower ended with %d:\n%s", answer.Code, answer.All)
	}
	list := events(t, house.Said{Out: answer.Out})
	for i, e := range list[:len(list)-1] { // the last line is the outcome
		if e.Seq != strconv.Itoa(i+1) {
			t.Fatalf("event %s came at place %d:\n%s", e.Seq, i+1, answer.Out)
		}
	}
	if len(list) < 10 || list[len(list)-1].Outcome != "archived" {
		t.Errorf("%d lines, the last %+v", len(list), list[len(list)-1])
	}
}

// follows counts the streams that people watch on the server; -1 while it does not answer.
func follows(h *house.House) int {
	watched, told, err := house.Figure(h.URL, "countersign_watched_streams")
	if err != nil || !told {
		return -1
	}
	return int(watched)
}

// A person who is disabled is cut off at once, also while following.
func TestFollowingEndsWithTheRight(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	said := h.As("submitter").Expect(0, nil, "submit", h.PDF(house.Invoice(81, 100)))
	following := h.As("auditor").Begin("watch", said.Reference(), "--until", "archived")
	house.Until(t, 30*time.Second, "the follower is connected", func() bool { return follows(h) == 1 })
	h.As("").Expect(0, []string{"disabled"}, "user", "disable", "auditor@test.test")
	answer := <-following
	if answer.Code != 1 {
		t.Errorf("the follower ended with %d, want 1:\n%s", answer.Code, answer.All)
	}
	h.As("auditor").Expect(1, nil, "case", "list")
	h.As("").Expect(0, []string{"active"}, "user", "enable", "auditor@test.test")
	h.As("auditor").Expect(0, []string{said.Reference()}, "case", "list")
}
