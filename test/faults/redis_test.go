package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/redistest"
	"countersign/test/testcluster"
)

// submitMany submits n small invoices concurrently and returns when all are accepted.
func submitMany(t *testing.T, h *testcluster.Cluster, first, n int) {
	t.Helper()
	args := []string{"submit"}
	for i := range n {
		args = append(args, h.PDF(testcluster.Invoice(first+i, 100)))
	}
	h.CLI("submitter").Expect(0, nil, args...)
}

// unfinished counts the cases that are not over.
func unfinished(t *testing.T, h *testcluster.Cluster) int {
	t.Helper()
	var open []struct{ Reference string }
	said := h.CLI("manager").Run("case", "list", "--status",
		"received,processing,in_review,incident,approved,settling", "--first", "100", "--json")
	if err := json.Unmarshal([]byte(said.Out), &open); err != nil {
		t.Fatalf("%v: %s", err, said.Combined)
	}
	return len(open)
}

// waitAllDone waits until every case is over and returns how long it took.
func waitAllDone(t *testing.T, h *testcluster.Cluster, atMost time.Duration) time.Duration {
	t.Helper()
	return testcluster.Eventually(t, atMost, "every case is over",
		func() bool { return unfinished(t, h) == 0 })
}

// Redis is flushed with a hundred documents in flight: every one is finished. The time without the
// fault is measured in the same cluster first.
func TestRedisEmptied(t *testing.T) {
	t.Parallel()
	exclusive(t)
	const documents = 100
	h := testcluster.New(t)
	h.Worker()
	submitMany(t, h, 1000, documents)
	normal := waitAllDone(t, h, 5*time.Minute)
	recordTiming(t, fmt.Sprintf(
		"%d documents from the last upload to the last archive, without a fault", documents),
		normal, 5*time.Minute)

	submitMany(t, h, 2000, documents)
	client := redistest.Client(t, h.Redis)
	began := unfinished(t, h)
	if began < documents/2 {
		t.Errorf("only %d documents were in flight", began)
	}
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	took := waitAllDone(t, h, 5*time.Minute)
	recordTiming(t, fmt.Sprintf("the same with FLUSHALL when %d were in flight", began), took,
		normal+time.Minute)
	checkCluster(t, h)
}

// Redis is frozen for a minute, as on a machine that swaps: it accepts connections and answers
// nothing. Documents submitted during that minute are archived before it answers again, because
// workers find due work in Postgres.
func TestRedisFrozen(t *testing.T) {
	t.Parallel()
	exclusive(t)
	const documents = 20
	h := testcluster.New(t)
	worker := "http://" + h.Worker().WaitForLog("the worker's health page", "addr")
	submitter := h.CLI("submitter")
	submitter.Expect(0, nil, "submit", "--watch", h.PDF(testcluster.Invoice(10, 100))) // everything is connected
	if err := h.Redis.Suspend(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Redis.Resume() })
	outage := time.NewTimer(time.Minute)
	defer outage.Stop()
	slowest := time.Duration(0)
	for i := range documents {
		slowest = max(slowest, submitter.Expect(0, nil, "submit",
			h.PDF(testcluster.Invoice(20+i, 100))).Took)
	}
	recordTiming(t, "slowest of 20 uploads with Redis frozen", slowest, 3*time.Second)
	for address, part := range map[string]string{h.URL: `"redis":"unreachable"`,
		worker: `"queue":"polling"`} {
		testcluster.Eventually(t, 20*time.Second, address+" names what is degraded", func() bool {
			status, text := testcluster.Page(t, address+"/readyz")
			return status == http.StatusOK && strings.Contains(text, `"status":"degraded"`) &&
				strings.Contains(text, part)
		})
	}
	took := waitAllDone(t, h, time.Minute)
	recordTiming(t, fmt.Sprintf(
		"%d documents from the last upload to the last archive, with Redis frozen", documents),
		took, 50*time.Second)
	select {
	case <-outage.C:
		t.Error("the documents were not archived within the minute in which Redis was frozen")
	default:
	}
	<-outage.C
	if err := h.Redis.Resume(); err != nil {
		t.Fatal(err)
	}
	testcluster.Eventually(t, 20*time.Second, "the worker is ready again", func() bool {
		_, text := testcluster.Page(t, worker+"/readyz")
		return strings.Contains(text, `"status":"ready"`)
	})
	submitter.Expect(0, nil, "submit", "--watch", h.PDF(testcluster.Invoice(90, 100)))
	checkCluster(t, h)
}

// Redis away for a minute: uploads and decisions continue, and when it is back the worker catches
// up.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	h.Worker()
	submitter, senior := h.CLI("submitter"), h.CLI("senior")
	waiting := submitter.Expect(4, nil, "submit", "--watch",
		h.PDF(testcluster.Invoice(10, 20_000))).Reference()
	if err := h.Redis.Stop(); err != nil {
		t.Fatal(err)
	}
	outage := time.NewTimer(time.Minute)
	defer outage.Stop()
	slowest := time.Duration(0)
	for i := range 20 {
		said := submitter.Expect(0, nil, "submit", h.PDF(testcluster.Invoice(20+i, 100)))
		slowest = max(slowest, said.Took)
	}
	recordTiming(t, "slowest of 20 uploads with Redis away", slowest, 3*time.Second)
	claimed := senior.Expect(0, nil, "review", "claim", waiting)
	decided := senior.Expect(0, nil, "review", "decide", waiting, "approve")
	recordTiming(t, "claim with Redis away", claimed.Took, 3*time.Second)
	recordTiming(t, "decision with Redis away", decided.Took, 3*time.Second)
	if list := senior.Expect(0, nil, "review", "list"); strings.Contains(list.Out, waiting) {
		t.Errorf("the decided review is still in the list:\n%s", list.Out)
	}
	<-outage.C
	if err := h.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := waitAllDone(t, h, 3*time.Minute)
	recordTiming(t, "Redis back after 60 s -> 20 documents and the decision caught up", took,
		time.Minute)
	checkCluster(t, h, waiting)
}
