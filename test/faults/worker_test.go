package faults

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/test/testcluster"
)

// scan is a page whose OCR takes long enough to be interrupted.
func scan(t *testing.T, h *testcluster.Cluster, number int) string {
	t.Helper()
	content, err := testcluster.Invoice(number, 100).PNG(t.Context(), 300)
	if err != nil {
		t.Fatal(err)
	}
	return h.File(testcluster.Invoice(number, 100).Number+".png", content)
}

// underWay waits until one of the workers has an engine at work on a document, and returns it and
// the other.
func underWay(t *testing.T, workers ...*testcluster.Process) (busy, idle *testcluster.Process) {
	t.Helper()
	testcluster.Eventually(t, 30*time.Second, "a worker reads", func() bool {
		for i, w := range workers {
			if len(w.LogLines("reading a document")) > len(w.LogLines("document read")) {
				busy, idle = w, workers[(i+1)%len(workers)]
				return true
			}
		}
		return false
	})
	return busy, idle
}

// status asks for the case's status.
func status(h *testcluster.Cluster, reference string) string {
	var found []struct{ Reference, Status string }
	said := h.CLI("manager").Run("case", "list", "--text", reference, "--json")
	if json.Unmarshal([]byte(said.Out), &found) != nil || len(found) != 1 {
		return ""
	}
	return strings.ToLower(found[0].Status)
}

// checkCluster demands that the log verifies, that nothing is left over, and that each stage of the
// case was completed once.
func checkCluster(t *testing.T, h *testcluster.Cluster, references ...string) {
	t.Helper()
	h.CLI("").Expect(0, []string{"verified"}, "audit", "verify")
	testcluster.Eventually(t, 20*time.Second, "doctor is content",
		func() bool { return h.CLI("").Run("doctor", "--grace", "1s").Code == 0 })
	for _, reference := range references {
		said := h.CLI("manager").Expect(0, nil, "--json", "watch", reference)
		completed := map[string]int{}
		for line := range strings.SplitSeq(said.Out, "\n") {
			var e struct{ Type, Sentence string }
			if json.Unmarshal([]byte(line), &e) == nil && e.Type == "stage.completed" {
				completed[e.Sentence]++
			}
		}
		if len(completed) != 5 {
			t.Errorf("%s: %d stages are completed, want 5:\n%s", reference, len(completed),
				said.Out)
		}
		for stage, times := range completed {
			if times != 1 {
				t.Errorf("%s: %q %d times", reference, stage, times)
			}
		}
	}
}

// A worker that is killed in the middle of OCR: another finishes.
func TestWorkerKilledInMidOCR(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	one, two := h.Worker(), h.Worker()
	reference := h.CLI("submitter").Expect(0, nil, "submit", scan(t, h, 1)).Reference()
	busy, _ := underWay(t, one, two)
	busy.Kill()
	took := testcluster.Eventually(t, time.Minute, "another worker finishes",
		func() bool { return status(h, reference) == "archived" })
	recordTiming(t, "kill -9 of a worker in mid-OCR -> archived by another", took, 30*time.Second)
	checkCluster(t, h, reference)
}

// A worker receives SIGTERM: its runs start elsewhere immediately, and no expiry is counted.
func TestWorkerLeaves(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	one, two := h.Worker(), h.Worker()
	reference := h.CLI("submitter").Expect(0, nil, "submit", scan(t, h, 2)).Reference()
	busy, idle := underWay(t, one, two)
	before := len(idle.LogLines("reading a document"))
	busy.Signal(syscall.SIGTERM)
	took := testcluster.Eventually(t, 20*time.Second, "the work starts elsewhere",
		func() bool { return len(idle.LogLines("reading a document")) > before })
	recordTiming(t, "SIGTERM to a worker in mid-OCR -> its work starts elsewhere", took,
		2*time.Second)
	testcluster.Eventually(t, time.Minute, "archived", func() bool {
		return status(h,
			reference) == "archived"
	})
	checkCluster(t, h, reference)
}

// A worker frozen past its lease and thawed: its late result is refused and nothing is doubled.
func TestWorkerFrozenPastItsLease(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	one, two := h.Worker(), h.Worker()
	reference := h.CLI("submitter").Expect(0, nil, "submit", scan(t, h, 3)).Reference()
	busy, _ := underWay(t, one, two)
	busy.Signal(syscall.SIGSTOP)
	took := testcluster.Eventually(t, time.Minute, "another worker finishes",
		func() bool { return status(h, reference) == "archived" })
	recordTiming(t, "SIGSTOP of a worker in mid-OCR -> archived by another", took, 30*time.Second)
	busy.Signal(syscall.SIGCONT)
	refused := testcluster.Eventually(t, 30*time.Second, "the late result is refused",
		func() bool { return len(busy.LogLines("late result refused")) == 1 })
	recordTiming(t, "SIGCONT -> its late result is refused", refused, 20*time.Second)
	checkCluster(t, h, reference)
}
