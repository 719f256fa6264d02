package e2e

import (
	"strconv"
	"testing"
	"time"

	"countersign/test/testcluster"
)

// A follower whose server is killed sees every event once and in order when it is back, without
// asking for the case again.
func TestFollowingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	said := h.CLI("submitter").Expect(0, nil, "submit", h.PDF(testcluster.Invoice(80, 20_000)))
	following := h.CLI("auditor").Start("--json", "watch", said.Reference(), "--until", "archived")
	testcluster.Eventually(t, 30*time.Second, "the follower is connected",
		func() bool { return subscriptionCount(h) == 1 })
	h.Server.Kill()
	h.RestartServer()
	testcluster.Eventually(t, 30*time.Second, "the follower is back",
		func() bool { return subscriptionCount(h) == 1 })
	h.Worker()
	senior := h.CLI("senior")
	testcluster.Eventually(t, time.Minute, "it is in review",
		func() bool { return senior.Run("review", "claim", said.Reference()).Code == 0 })
	h.Server.Kill()
	h.RestartServer()
	senior.Expect(0, nil, "review", "decide", said.Reference(), "approve")
	answer := <-following
	if answer.Code != 0 {
		t.Fatalf("the follower ended with %d:\n%s", answer.Code, answer.Combined)
	}
	list := events(t, testcluster.Output{Out: answer.Out})
	for i, e := range list[:len(list)-1] { // the last line is the outcome
		if e.Seq != strconv.Itoa(i+1) {
			t.Fatalf("event %s came at place %d:\n%s", e.Seq, i+1, answer.Out)
		}
	}
	if len(list) < 10 || list[len(list)-1].Outcome != "archived" {
		t.Errorf("%d lines, the last %+v", len(list), list[len(list)-1])
	}
}

// subscriptionCount counts the streams that people watch on the server; -1 while it does not
// answer.
func subscriptionCount(h *testcluster.Cluster) int {
	watched, found, err := testcluster.Metric(h.Metrics(), "countersign_watched_streams")
	if err != nil || !found {
		return -1
	}
	return int(watched)
}

// A person who is disabled is disconnected immediately, also while following.
func TestFollowingEndsWithTheRight(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	said := h.CLI("submitter").Expect(0, nil, "submit", h.PDF(testcluster.Invoice(81, 100)))
	following := h.CLI("auditor").Start("watch", said.Reference(), "--until", "archived")
	testcluster.Eventually(t, 30*time.Second, "the follower is connected",
		func() bool { return subscriptionCount(h) == 1 })
	h.CLI("").Expect(0, []string{"disabled"}, "user", "disable", "auditor@test.test")
	answer := <-following
	if answer.Code != 1 {
		t.Errorf("the follower ended with %d, want 1:\n%s", answer.Code, answer.Combined)
	}
	h.CLI("auditor").Expect(1, nil, "case", "list")
	h.CLI("").Expect(0, []string{"active"}, "user", "enable", "auditor@test.test")
	h.CLI("auditor").Expect(0, []string{said.Reference()}, "case", "list")
}
