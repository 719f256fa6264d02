package faults

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/redistest"
	"countersign/test/house"
)

// stack submits n small invoices at once and returns when all are taken.
func stack(t *testing.T, h *house.House, first, n int) {
	t.Helper()
	args := []string{"submit"}
	for i := range n {
		args = append(args, h.PDF(house.Invoice(first+i, 100)))
	}
	h.As("submitter").Expect(0, nil, args...)
}

// unfinished counts the cases that are not over.
func unfinished(t *testing.T, h *house.House) int {
	t.Helper()
	var open []struct{ Reference string }
	said := h.As("manager").Run("case", "list", "--status", "received,processing,in_review,incident,approved,settling", "--first", "100", "--json")
	if err := json.Unmarshal([]byte(said.Out), &open); err != nil {
		t.Fatalf("%v: %s", err, said.All)
	}
	return len(open)
}

// through waits until every case is over and returns how long it took.
func through(t *testing.T, h *house.House, atMost time.Duration) time.Duration {
	t.Helper()
	return house.Until(t, atMost, "every case is over", func() bool { return unfinished(t, h) == 0 })
}

// Redis emptied with a hundred documents in flight: every one is finished all the same. What they take without the fault
// is measured in the same house first.
func TestRedisEmptied(t *testing.T) {
	t.Parallel()
	alone(t)
	const documents = 100
	h := house.New(t)
	h.Worker()
	stack(t, h, 1000, documents)
	normal := through(t, h, 5*time.Minute)
	note(t, fmt.Sprintf("%d documents from the last upload to the last archive, without a fault", documents), normal, 5*time.Minute)

	stack(t, h, 2000, documents)
	client := redistest.Client(t, h.Redis)
	began := unfinished(t, h)
	if began < documents/2 {
		t.Errorf("only %d documents were in flight", began)
	}
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	took := through(t, h, 5*time.Minute)
	note(t, fmt.Sprintf("the same with FLUSHALL when %d were in flight", began), took, normal+time.Minute)
	whole(t, h)
}

// Redis away for a minute: uploads and decisions go on, and when it is back the work catches up.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	alone(t)
	h := house.New(t)
	h.Worker()
	submitter, senior := h.As("submitter"), h.As("senior")
	waiting := submitter.Expect(4, nil, "submit", "--watch", h.PDF(house.Invoice(10, 20_000))).Reference()
	if err := h.Redis.Stop(); err != nil {
		t.Fatal(err)
	}
	outage := time.NewTimer(time.Minute)
	defer outage.Stop()
	slowest := time.Duration(0)
	for i := range 20 {
		said := submitter.Expect(0, nil, "submit", h.PDF(house.Invoice(20+i, 100)))
		slowest = max(slowest, said.Took)
	}
	note(t, "slowest of 20 uploads with Redis away", slowest, 3*time.Second)
	claimed := senior.Expect(0, nil, "review", "claim", waiting)
	decided := senior.Expect(0, nil, "review", "decide", waiting, "approve")
	note(t, "claim with Redis away", claimed.Took, 3*time.Second)
	note(t, "decision with Redis away", decided.Took, 3*time.Second)
	if list := senior.Expect(0, nil, "review", "list"); strings.Contains(list.Out, waiting) {
		t.Errorf("the decided review is still in the list:\n%s", list.Out)
	}
	<-outage.C
	if err := h.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := through(t, h, 3*time.Minute)
	note(t, "Redis back after 60 s -> 20 documents and the decision caught up", took, time.Minute)
	whole(t, h, waiting)
}
