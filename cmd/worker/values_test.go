package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/version"
	"countersign/reading/ocr"
	"countersign/store"
)

// steppingClock advances by a second each time it is asked.
type steppingClock struct{ now time.Time }

func (c *steppingClock) Now() time.Time { c.now = c.now.Add(time.Second); return c.now }

func TestOutcomesAreCountedByTheirCode(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"ok":          nil,
		"DamagedFile": domain.Errorf(domain.DamagedFile, "The file is damaged."),
		"TimedOut":    fmt.Errorf("read: %w", domain.Errorf(domain.TimedOut, "Too slow.")),
		"Internal":    errors.New("a plain error"),
	} {
		if got := outcomeLabel(err); got != want {
			t.Errorf("%v is counted as %q, want %q", err, got, want)
		}
	}
}

func TestLanguagesOfTesseract(t *testing.T) {
	t.Parallel()
	for joined, want := range map[string][]string{
		"": nil, "eng": {"eng"}, "deu+eng": {"deu", "eng"}, "deu eng": {"deu", "eng"},
		" chi_sim + eng ": {"chi_sim", "eng"}, "+": nil, "eng++fra": {"eng", "fra"},
	} {
		if got := languages(joined); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", joined, got, want)
		}
	}
}

func TestConnectorsOfTheOperator(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		addresses []string
		want      string // part of the error; "" if the setting is valid
	}{
		"none":            {nil, ""},
		"one":             {[]string{"bank=https://bank.example/api"}, ""},
		"one over HTTP":   {[]string{"bank=http://127.0.0.1:9"}, ""},
		"no address":      {[]string{"bank"}, `"bank" does not have the form name=address`},
		"two of one name": {[]string{"a=http://x", "a=http://y"}, `"a=http://y"`},
		"another scheme":  {[]string{"bank=ftp://bank.example"}, "ftp://bank.example"},
		"no host":         {[]string{"bank=https:///api"}, "https:///api"},
		"a bare host":     {[]string{"bank=bank.example"}, "bank.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := connector(config.Connect{Addresses: tc.addresses, Timeout: time.Second})
			if tc.want == "" {
				if err != nil || got == nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !domain.HasCode(err, domain.InvalidInput) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// A saga must fail with a typed error where the operator configured no system, so that the case gets
// an incident instead of a payment.
func TestCallsWithoutAConnectorAreTyped(t *testing.T) {
	t.Parallel()
	caller, err := connector(config.Connect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"bank.pay", "bank", ""} {
		_, err := caller.Call(t.Context(), domain.SagaCall{Key: "k", Operation: operation})
		if !domain.HasCode(err, domain.ProcessorNotFound) {
			t.Errorf("%q: %v", operation, err)
		}
	}
}

func TestPagesKeepTheirOrderAndImages(t *testing.T) {
	t.Parallel()
	reading := &ocr.Reading{Pages: []ocr.PageImage{{Page: domain.Page{Number: 1, Text: "one"}},
		{Page: domain.Page{Number: 2, Text: "two"}}}}
	pages := scannedPages(reading)
	if len(pages) != 2 || pages[0].Page.Text != "one" || pages[1].Page.Number != 2 ||
		pages[0].OpenRaster == nil {
		t.Errorf("pages %+v", pages)
	}
	if got := scannedPages(&ocr.Reading{}); got == nil || len(got) != 0 {
		t.Errorf("a file without pages has %v", got)
	}
}

func TestAFileThatCannotBeOpenedIsReportedAsItIs(t *testing.T) {
	t.Parallel()
	metrics := newWorkerMetrics()
	metrics.clock = &steppingClock{}
	reader := documentReader{metrics: metrics, log: slog.New(slog.DiscardHandler),
		settings: config.Reading{Timeout: time.Minute}}
	missing := domain.Errorf(domain.NotFound, "The file is gone.")
	_, err := reader.Open(t.Context(), casework.ReadRequest{CorrelationID: "c",
		Open: func() (io.ReadCloser, error) { return nil, missing }})
	if !errors.Is(err, missing) {
		t.Errorf("got %v", err)
	}
}

// The operator sees why a reading ended, because the log of the case has the cause of the context.
func TestTheTimeOfAReadingIsLimited(t *testing.T) {
	t.Parallel()
	reader := documentReader{settings: config.Reading{Timeout: time.Nanosecond}}
	limited, cancel := reader.withReadTimeout(t.Context())
	defer cancel()
	<-limited.Done()
	if !errors.Is(limited.Err(), context.DeadlineExceeded) ||
		!errors.Is(context.Cause(limited), casework.ErrReadingTime) {
		t.Errorf("ended with %v because of %v", limited.Err(), context.Cause(limited))
	}
}

// metricsText is the page of the metrics.
func metricsText(t *testing.T, p *components) string {
	t.Helper()
	response := httptest.NewRecorder()
	p.routes()["GET /metrics"].ServeHTTP(response, httptest.NewRequest("GET", "/metrics", nil))
	if response.Code != http.StatusOK {
		t.Fatalf("answered %d", response.Code)
	}
	return response.Body.String()
}

func measured() *components {
	p := &components{metrics: newWorkerMetrics()}
	p.metrics.clock = &steppingClock{}
	p.settings.HTTP.Metrics = true
	return p
}

func TestReadingsAreMeasuredByOutcome(t *testing.T) {
	t.Parallel()
	p := measured()
	if took := p.metrics.startReading()(nil); took != time.Second {
		t.Errorf("took %s", took)
	}
	p.metrics.startReading()(domain.Errorf(domain.DamagedFile, "The file is damaged."))
	p.metrics.startReading()(domain.Errorf(domain.DamagedFile, "The file is damaged."))
	text := metricsText(t, p)
	for _, line := range []string{`countersign_read_seconds_count{outcome="ok"} 1`,
		`countersign_read_seconds_sum{outcome="ok"} 1`,
		`countersign_read_seconds_count{outcome="DamagedFile"} 2`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is missing in:\n%s", line, text)
		}
	}
}

func TestWaitsInTheQueueAreMeasured(t *testing.T) {
	t.Parallel()
	p := measured()
	for _, wait := range []time.Duration{time.Millisecond, 3 * time.Millisecond, time.Minute} {
		p.metrics.observeQueueWait(wait)
	}
	text := metricsText(t, p)
	for _, line := range []string{`countersign_hop_seconds_bucket{le="0.001"} 1`,
		`countersign_hop_seconds_bucket{le="0.004"} 2`, `countersign_hop_seconds_bucket{le="30"} 2`,
		`countersign_hop_seconds_count 3`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is missing in:\n%s", line, text)
		}
	}
}

// Supervisors restart a worker that does not answer; the answer needs neither database nor Redis.
func TestHealthNeedsNothing(t *testing.T) {
	t.Parallel()
	response := httptest.NewRecorder()
	(&components{}).routes()["GET /healthz"].ServeHTTP(response,
		httptest.NewRequest("GET", "/healthz", nil))
	var got map[string]string
	if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil || response.Code != 200 ||
		got["status"] != "ok" || got["version"] != version.Number {
		t.Errorf("answered %d %s", response.Code, response.Body)
	}
	if kind := response.Header().Get("Content-Type"); kind != "application/json; charset=utf-8" {
		t.Errorf("the answer is %s", kind)
	}
}

func TestMetricsCanBeClosed(t *testing.T) {
	t.Parallel()
	closed, open := (&components{}).routes(), measured().routes()
	if closed["GET /metrics"] != nil || open["GET /metrics"] == nil {
		t.Errorf("closed %v, open %v", closed, open)
	}
	if len(closed) != 2 || len(open) != 3 {
		t.Errorf("%d and %d routes", len(closed), len(open))
	}
}

func TestReadinessNamesWhatIsUnreachable(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "postgres://app@127.0.0.1:1/none", 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	p := &components{db: db, metrics: newWorkerMetrics()}
	response := httptest.NewRecorder()
	p.ready(response, httptest.NewRequest("GET", "/readyz", nil))
	var got readiness
	if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if want := (readiness{Status: "not ready", Postgres: "unreachable", Redis: "ok",
		Queue: "redis"}); got != want || response.Code != http.StatusServiceUnavailable {
		t.Errorf("answered %d %+v, want %+v", response.Code, got, want)
	}
}

// A worker without a database must stop with the name of the setting, not wait for one.
func TestAWorkerNeedsADatabase(t *testing.T) {
	t.Parallel()
	p, err := assemble(t.Context(), config.Config{}, slog.New(slog.DiscardHandler))
	if p != nil || !domain.HasCode(err, domain.InvalidInput) ||
		!strings.Contains(err.Error(), "No database is configured") {
		t.Errorf("got %v %v", p, err)
	}
}
