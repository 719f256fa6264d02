package languagemodel_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/modelvendor"
	"countersign/languagemodel"
)

const (
	testKey = "sk-a-secret-of-the-tests"
	invoice = `<document>
Page 1
Muster GmbH
Invoice number: R-2026-17
Date: 2026-03-09
Total: EUR 1.234,50
IBAN: DE89 3704 0044 0532 0130 00
</document>`
	invoiceSchema = `{"type": "object", "additionalProperties": false,
		"required": ["number", "date", "total", "iban"], "properties": {
			"number": {"type": ["string", "null"]}, "date": {"type": ["string", "null"], "format": "date"},
			"total": {"type": ["number", "null"]}, "iban": {"type": ["string", "null"]}}}`
	invoiceAnswer = `{"date":"2026-03-09","iban":"DE89 3704 0044 0532 0130 00","number":"R-2026-17","total":1234.5}`
	// shortTimeout is the timeout of calls that never end, unhurried of those that must not time out.
	shortTimeout = 300 * time.Millisecond
	unhurried    = 5 * time.Minute
)

func invoiceRequest() languagemodel.Request {
	return languagemodel.Request{System: "Return the values as JSON.", User: invoice, SchemaName: "invoice",
		Schema: json.RawMessage(invoiceSchema), MaxTokens: 500}
}

func startVendor(t testing.TB, options modelvendor.Options) *modelvendor.Vendor {
	t.Helper()
	vendor, err := modelvendor.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(vendor.Close)
	return vendor
}

// serve returns the endpoint of a handler.
func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// waits records for how long a client waits, and waits no time.
type waits struct {
	mu    sync.Mutex
	all   []time.Duration
	clock *clock // moved by the waits if set
}

func (w *waits) wait(ctx context.Context, wait time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, wait)
	if w.clock != nil {
		w.clock.move(wait)
	}
	return ctx.Err()
}

// clock is a clock that only tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// newClient returns a client of an endpoint that does not wait between calls.
func newClient(t testing.TB, endpoint string, change func(*languagemodel.Settings)) *languagemodel.Client {
	t.Helper()
	settings := languagemodel.Settings{Endpoint: endpoint, Model: "stub", APIKey: testKey, Timeout: unhurried,
		Retries: 2, Wait: (&waits{}).wait}
	if change != nil {
		change(&settings)
	}
	client, err := languagemodel.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// outcomes are those of the calls, in order.
func outcomes(answer languagemodel.Answer) string {
	list := make([]string, 0, len(answer.Calls))
	for _, call := range answer.Calls {
		list = append(list, call.Outcome)
	}
	return strings.Join(list, " ")
}
