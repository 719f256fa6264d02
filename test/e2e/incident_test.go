package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/test/testcluster"
)

// fakeEngine is the name under which the worker finds tesseract: a link that points to the real
// one, or to one that fails.
type fakeEngine struct {
	t    *testing.T
	link string
}

func newEngine(t *testing.T) fakeEngine {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return fakeEngine{t, filepath.Join(folder, "tesseract")}
}

func (e fakeEngine) pointTo(program string) {
	e.t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		e.t.Fatal(err)
	}
	next := e.link + ".next"
	if err := os.Symlink(path, next); err != nil {
		e.t.Fatal(err)
	}
	if err := os.Rename(next, e.link); err != nil {
		e.t.Fatal(err)
	}
}

// event is a line of submit --watch --json.
type event struct {
	Seq, Type, Status, Outcome string
	At                         time.Time
}

func events(t *testing.T, said testcluster.Output) []event {
	t.Helper()
	var list []event
	for lines := bufio.NewScanner(strings.NewReader(said.Out)); lines.Scan(); {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		list = append(list, e)
	}
	return list
}

// A failing engine is tried three times, 1 s and 2 s apart, then a person is asked; each recovery
// action is taken once.
func TestEveryRecoveryActionOfAnIncident(t *testing.T) {
	t.Parallel()
	tesseract := newEngine(t)
	tesseract.pointTo("false")
	h := testcluster.New(t, "COUNTERSIGN_TESSERACT="+tesseract.link)
	h.Worker()
	submitter := h.CLI("submitter")
	incidents := map[string]string{}
	t.Run("three attempts", func(t *testing.T) {
		for i, way := range []string{"retry", "replace", "enter", "abandon"} {
			t.Run(way, func(t *testing.T) {
				t.Parallel()
				said := submitter.WithTB(t).Expect(3, nil, "--json", "submit", "--watch",
					h.PNG(testcluster.Invoice(40+i, 100)))
				checkAttempts(t, events(t, said))
			})
		}
	})
	list := h.CLI("manager").WithTB(t).Expect(0, []string{"EngineFailed"}, "incident", "list")
	for line := range strings.SplitSeq(list.Out, "\n") {
		if reference := (testcluster.Output{Combined: line}).Reference(); reference != "" {
			incidents[[]string{"retry", "replace", "enter", "abandon"}[len(incidents)]] = reference
		}
	}
	if len(incidents) != 4 {
		t.Fatalf("%d incidents are listed, want 4:\n%s", len(incidents), list.Out)
	}
	if open, _ := metricValue(t, h.Metrics(), "countersign_incidents"); open != 4 {
		t.Errorf("the server reports %g incidents, want 4", open)
	}
	// values that a person entered do not pass without a reviewer
	submitter.Expect(4, []string{"waiting for a reviewer"}, "incident", "enter", incidents["enter"],
		"vendor=Kiefer Bakery GmbH", "number=KB-77",
		"date=2026-03-01", "currency=EUR", "net=100.00", "tax=20.00", "total=120.00", "--watch")
	submitter.Expect(5, []string{"abandoned"}, "incident", "abandon", incidents["abandon"],
		"--reason", "sent twice", "--watch")
	submitter.Expect(3, nil, "incident", "retry", incidents["retry"], "--watch") // it still fails
	// the numbers of a text layer are not certain while no engine can compare them with the page
	submitter.Expect(4, []string{"waiting for a reviewer"}, "submit", "--watch", h.PDF(testcluster.Invoice(60, 100)))
	tesseract.pointTo("tesseract")
	submitter.Expect(0, []string{"was archived"}, "incident", "replace", incidents["replace"],
		h.PDF(testcluster.Invoice(50, 100)), "--watch")
	submitter.Expect(0, []string{"was archived"}, "incident", "retry", incidents["retry"],
		"--watch")
	h.CLI("manager").WithTB(t).Expect(0, []string{"none"}, "incident", "list")
	h.CLI("").WithTB(t).Expect(0, []string{"verified"}, "audit", "verify")
	h.CLI("").WithTB(t).Expect(0, []string{"agree"}, "doctor", "--grace", "1ms")
}

// checkAttempts demands two retries and one incident, and the pauses between the attempts.
func checkAttempts(t *testing.T, list []event) {
	t.Helper()
	var failed []time.Time
	retries, opened := 0, 0
	for _, e := range list {
		switch e.Type {
		case "stage.retrying":
			retries++
			failed = append(failed, e.At)
		case "incident.opened":
			opened++
			failed = append(failed, e.At)
		}
	}
	if retries != 2 || opened != 1 {
		t.Fatalf("%d retries and %d incidents, want 2 and 1: %+v", retries, opened, list)
	}
	first, second := failed[1].Sub(failed[0]), failed[2].Sub(failed[1])
	t.Logf("from one failure to the next: %s, %s (pauses of 1 s and 2 s, and the attempt itself)",
		first.Round(time.Millisecond), second.Round(time.Millisecond))
	if first < time.Second || first > 30*time.Second || second < 2*time.Second || second > 30*time.Second { // an attempt takes what the machine needs
		t.Errorf("the attempts are %s and %s apart, want about 1 s and 2 s", first, second)
	}
}

// One id joins the logs of both programs and of the children that read the document, and every
// event carries it.
func TestOneIDLeadsThroughEveryLog(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	worker := h.Worker()
	said := h.CLI("submitter").Expect(0, nil, "submit", "--watch",
		h.PNG(testcluster.Invoice(60, 100)))
	for _, line := range h.Server.LogLines("work enqueued") {
		id, _ := line["correlation_id"].(string)
		for _, log := range []struct {
			process *testcluster.Process
			message string
		}{{worker, "reading a document"}, {worker, "child ended"}, {worker, "document read"}} {
			found := 0
			for _, line := range log.process.LogLines(log.message) {
				if line["correlation_id"] == id {
					found++
				}
			}
			if found == 0 {
				t.Errorf("the id %s of %s is in no line %q", id, said.Reference(), log.message)
			}
		}
	}
	for _, line := range worker.LogLines("child ended") {
		if line["program"] != "worker" || line["child"] == nil {
			t.Errorf("a line does not tell the worker from its child: %v", line)
		}
	}
	enqueued := h.Server.LogLines("work enqueued")
	if len(enqueued) != 1 {
		t.Fatalf("the server rang %d times, want once", len(enqueued))
	}
	id, _ := enqueued[0]["correlation_id"].(string)
	exported := 0
	for _, carried := range correlations(t, h, enqueued[0]["case"]) {
		if exported++; carried != id || id == "" {
			t.Errorf("event %d of %s carries the id %q, the document came with %q", exported,
				said.Reference(), carried, id)
		}
	}
	seen := 0
	for _, e := range events(t, h.CLI("submitter").Expect(0, nil, "--json", "watch",
		said.Reference())) {
		if e.Seq != "" { // the last line is of the case, not of an event
			seen++
		}
	}
	if seen == 0 || exported < seen {
		t.Errorf("the export holds %d events of %s, its submitter sees %d", exported, said.Reference(),
			seen)
	}
}

// correlations are the ids that the events of the case carry, in order, as the export shows them.
func correlations(t *testing.T, h *testcluster.Cluster, id any) []string {
	t.Helper()
	path := filepath.Join(h.Folder(), "correlations.jsonl")
	h.CLI("").WithTB(t).Expect(0, nil, "audit", "export", path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var carried []string
	for line := range strings.Lines(string(text)) {
		var of struct {
			Stream string
			Event  *struct{ CorrelationID string }
		}
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if of.Stream == id && of.Event != nil {
			carried = append(carried, of.Event.CorrelationID)
		}
	}
	return carried
}
