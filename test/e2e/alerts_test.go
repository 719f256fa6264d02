package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"countersign/internal/devservices"
	"countersign/test/testcluster"
)

// The alerts and the dashboard select only metrics, with labels, that the programs export.
func TestAlertsAndDashboardSelectExportedMetrics(t *testing.T) {
	t.Parallel()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	expressions := append(alertExpressions(t, filepath.Join(checkout, "deploy", "alerts.yml")),
		dashboardExpressions(t, filepath.Join(checkout, "deploy", "dashboard.json"))...)
	if len(expressions) < 30 {
		t.Errorf("there are only %d expressions", len(expressions))
	}
	exported := exportedMetrics(t)
	for _, read := range parsePromQL(t, checkout, expressions) {
		if read.Error != "" || len(read.Selectors) == 0 {
			t.Errorf("%s: %s", read.Expression, read.Error)
		}
		for _, selected := range read.Selectors {
			labels, found := exported[selected.Metric]
			if !found {
				t.Errorf("%s: no program exports %s", read.Expression, selected.Metric)
			}
			for _, label := range selected.Labels {
				if !slices.Contains(labels, label) {
					t.Errorf("%s: %s has the labels %v, not %s", read.Expression, selected.Metric,
						labels, label)
				}
			}
		}
	}
}

func alertExpressions(t *testing.T, path string) (expressions []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For string
				Labels           struct{ Severity string }
				Annotations      struct{ Summary string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if _, err := time.ParseDuration(rule.For); err != nil || names[rule.Alert] ||
				rule.Labels.Severity == "" || rule.Annotations.Summary == "" {
				t.Errorf("the alert %q lacks something, or is listed twice", rule.Alert)
			}
			names[rule.Alert] = true
			expressions = append(expressions, rule.Expr)
		}
	}
	return expressions
}

func dashboardExpressions(t *testing.T, path string) (expressions []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, panel := range file.Panels {
		if ids[panel.ID] || panel.Title == "" || len(panel.Targets) == 0 {
			t.Errorf("the panel %d %q lacks something, or its id is not its own", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	return expressions
}

// exportedMetrics returns the metrics of a server and two workers that have done something, with
// their labels. An overdue review and a due run are among it.
func exportedMetrics(t *testing.T) map[string][]string {
	t.Helper()
	h := testcluster.New(t, testcluster.Checkpoints(t)...)
	h.PutConnector("nowhere", "kafka://127.0.0.1:1/events")
	light := "http://" + h.Worker("COUNTERSIGN_QUEUES=light").WaitForLog("the worker's health page", "addr")
	submitter := h.CLI("submitter")
	submitter.Expect(0, nil, "submit", h.PDF(testcluster.Invoice(130, 100))) // waits for a reader
	exported := map[string][]string{}
	readMetrics(t, light, exported)
	worker := "http://" + h.Worker().WaitForLog("the worker's health page", "addr")
	reviewed := submitter.Expect(0, nil, "submit", h.PDF(testcluster.Invoice(131, 20_000))).Reference()
	senior := h.CLI("senior")
	testcluster.Eventually(t, time.Minute, "it is in review",
		func() bool { return senior.Run("review", "claim", reviewed).Code == 0 })
	if _, err := h.Database.Owner(t).Exec(t.Context(), `UPDATE reviews
		SET decide_by = clock() - interval '1 s' WHERE status = 'claimed'`); err != nil {
		t.Fatal(err)
	}
	if overdue, _ := metricValue(t, h.Metrics(), "countersign_reviews_overdue"); overdue != 1 {
		t.Errorf("one review is overdue; the server reports %g", overdue)
	}
	readMetrics(t, worker, exported)
	readMetrics(t, h.Metrics(), exported)
	return exported
}

var (
	sample    = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? `)
	labelName = regexp.MustCompile(`([a-zA-Z_]+)="`)
)

// readMetrics adds the metrics of the program.
func readMetrics(t *testing.T, program string, to map[string][]string) {
	t.Helper()
	_, text := testcluster.Page(t, program+"/metrics")
	for line := range strings.Lines(text) {
		found := sample.FindStringSubmatch(line)
		if found == nil || strings.HasPrefix(line, "#") {
			continue
		}
		labels := []string{}
		for _, label := range labelName.FindAllStringSubmatch(found[2], -1) {
			labels = append(labels, label[1])
		}
		to[found[1]] = labels
	}
}

// readExpression is what a PromQL expression selects.
type readExpression struct {
	Expression, Error string
	Selectors         []struct {
		Metric string
		Labels []string
	}
}

// parsePromQL parses the expressions by the parser of Prometheus.
func parsePromQL(t *testing.T, checkout string, expressions []string) (read []readExpression) {
	t.Helper()
	var in bytes.Buffer
	for _, expression := range expressions {
		if err := json.NewEncoder(&in).Encode(expression); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "go", "run", ".")
	command.Dir = filepath.Join(checkout, "tools", "promql")
	command.Env = append(command.Environ(), "CGO_ENABLED=0")
	command.Stdin = &in
	var refused bytes.Buffer
	command.Stderr = &refused
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, refused.String())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var one readExpression
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		read = append(read, one)
	}
	if len(read) != len(expressions) {
		t.Fatalf("%d of %d expressions were read", len(read), len(expressions))
	}
	return read
}
