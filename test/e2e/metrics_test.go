package e2e

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/pgtest"
	"countersign/migrations"
	"countersign/test/testcluster"
)

// metricValue is the value of a metric with its labels, of one program; false when it is missing.
func metricValue(t *testing.T, program, name string) (float64, bool) {
	t.Helper()
	value, found, err := testcluster.Metric(program, name)
	if err != nil {
		t.Fatal(err)
	}
	return value, found
}

// Both programs report their state: alive, ready, how long due runs have waited, how long a run
// took to reach a worker.
func TestBothProgramsLetThemselvesBeSeen(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	light := h.Worker("COUNTERSIGN_QUEUES=light")
	other := "http://" + light.WaitForLog("the worker's health page", "addr")
	submitter := h.CLI("submitter")
	waits := submitter.Expect(0, nil, "submit", h.PDF(testcluster.Invoice(95, 100))).Reference() // no worker reads documents yet
	for name, program := range map[string]string{"server": h.Metrics(), "worker": other} {
		due, found := metricValue(t, program, `countersign_queue_due{queue="ocr"}`)
		age, aged := metricValue(t, program, `countersign_queue_age_seconds{queue="ocr"}`)
		if !found || !aged || due != 1 || age <= 0 {
			t.Errorf("one document waits; the %s reports %g, the oldest for %g s (%t, %t)", name,
				due, age, found, aged)
		}
	}

	worker := "http://" + h.Worker().WaitForLog("the worker's health page", "addr")
	submitter.Expect(0, nil, "submit", "--watch", h.PDF(testcluster.Invoice(96, 100)))
	submitter.Expect(0, nil, "watch", waits)
	hops, _ := metricValue(t, worker, "countersign_hop_seconds_count")
	took, _ := metricValue(t, worker, "countersign_hop_seconds_sum")
	if hops < 2 || took <= 0 { // both were read here
		t.Errorf("after two documents the worker reports %g hops in %g s", hops, took)
	}
	if read, _ := metricValue(t, worker,
		`countersign_read_seconds_count{outcome="ok"}`); read != 2 {
		t.Errorf("after two documents the worker has read %g", read)
	}
	if age, found := metricValue(t, h.Metrics(),
		`countersign_queue_age_seconds{queue="ocr"}`); found && age > 0 {
		t.Errorf("nothing waits, and the server reports %g s", age)
	}
	for address, says := range map[string]string{h.URL + "/healthz": "ok",
		h.URL + "/readyz":   `"status":"ready"`,
		worker + "/healthz": "ok", worker + "/readyz": `"status":"ready"`} {
		if status, text := testcluster.Page(t, address); status != http.StatusOK ||
			!strings.Contains(text, says) {
			t.Errorf("%s answers %d %s", address, status, text)
		}
	}
}

// A program that finds an old schema, or one that lacks a migration in the middle, says so in one
// sentence and ends.
func TestNoProgramStartsOnAnOldSchema(t *testing.T) {
	t.Parallel()
	bin, known := testcluster.Programs(t), migrations.Versions()
	for name, lacking := range map[string]int64{"old": known[len(known)-1],
		"holed": known[len(known)/2]} {
		database := pgtest.New(t)
		if _, err := database.Owner(t).Exec(t.Context(),
			`DELETE FROM goose_db_version WHERE version_id = $1`, lacking); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"server"}, {"worker"},
			{"countersign", "limit", "list"}} {
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, command[0]), command[1:]...)
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"DATABASE_URL=" + database.AppURL, "COUNTERSIGN_ADDR=127.0.0.1:0",
				"COUNTERSIGN_WORKER_ADDR=127.0.0.1:0",
				"COUNTERSIGN_METRICS_ADDR=127.0.0.1:0", "TZ=UTC"}
			said, _ := cmd.CombinedOutput()
			text := string(said)
			if code := cmd.ProcessState.ExitCode(); code != 1 ||
				strings.Count(text, "The database schema has version") != 1 ||
				!strings.Contains(text, strconv.FormatInt(lacking, 10)) {
				t.Errorf("%s on the %s schema: exit code %d:\n%s", command[0], name, code, text)
			}
			if !strings.Contains(text, "countersign migrate") {
				t.Errorf("%s on the %s schema names no way out:\n%s", command[0], name, text)
			}
		}
	}
}
