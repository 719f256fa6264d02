package languagemodel_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
)

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*languagemodel.Settings){
		"no endpoint":      func(s *languagemodel.Settings) { s.Endpoint = "" },
		"another scheme":   func(s *languagemodel.Settings) { s.Endpoint = "file:///etc/passwd" },
		"user in endpoint": func(s *languagemodel.Settings) { s.Endpoint = "https://me:" + testKey + "@models.example" },
		"query":            func(s *languagemodel.Settings) { s.Endpoint = "https://models.example?key=" + testKey },
		"no model":         func(s *languagemodel.Settings) { s.Model = "" },
		"lines in the key": func(s *languagemodel.Settings) { s.APIKey = testKey + "\nX: y" },
		"negative timeout": func(s *languagemodel.Settings) { s.Timeout = -1 },
		"too many retries": func(s *languagemodel.Settings) { s.Retries = 1000 },
		"temperature":      func(s *languagemodel.Settings) { s.Temperature = math.NaN() },
	} {
		settings := languagemodel.Settings{Endpoint: "https://models.example/v1", Model: "m"}
		if _, err := languagemodel.New(settings); err != nil {
			t.Fatal(err)
		}
		change(&settings)
		_, err := languagemodel.New(settings)
		if !domain.HasCode(err, domain.InvalidInput) || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequestsAreChecked(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{})
	client := newClient(t, vendor.URL, nil)
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*languagemodel.Request){
		"no text": func(r *languagemodel.Request) { r.User = "" },
		"another image": func(r *languagemodel.Request) {
			r.Images = []languagemodel.Image{{MediaType: "image/svg+xml", Bytes: []byte("x")}}
		},
		"empty image":         func(r *languagemodel.Request) { r.Images = []languagemodel.Image{{MediaType: "image/png"}} },
		"too large":           func(r *languagemodel.Request) { r.User = strings.Repeat("x", 33<<20) },
		"tokens":              func(r *languagemodel.Request) { r.MaxTokens = 1e9 },
		"name of schema":      func(r *languagemodel.Request) { r.SchemaName = "an invoice" },
		"no schema":           func(r *languagemodel.Request) { r.Schema = nil },
		"schema of a file":    func(r *languagemodel.Request) { r.Schema = fmt.Appendf(nil, `{"$ref":"file://%s"}`, file) },
		"schema of a host":    func(r *languagemodel.Request) { r.Schema = []byte(`{"$ref":"http://127.0.0.1:1/x"}`) },
		"not a schema":        func(r *languagemodel.Request) { r.Schema = []byte(`{"type":"invoice"}`) },
		"pattern of a schema": func(r *languagemodel.Request) { r.Schema = []byte(`{"pattern":"("}`) },
	} {
		r := invoiceRequest()
		change(&r)
		if answer, err := client.Ask(t.Context(), r); !domain.HasCode(err, domain.InvalidInput) || len(answer.Calls) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if seen := vendor.Requests(); len(seen) != 0 {
		t.Errorf("%d requests were sent", len(seen))
	}
}

// A Retry-After is honoured up to the bound. A longer one is reported, up to a day.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, tc := range map[string]struct {
		least    time.Duration // of the first wait; 0 = no wait
		reported int           // seconds of the error
	}{
		"7":                             {7 * time.Second, 7},
		"30":                            {30 * time.Second, 30},
		"31":                            {0, 31},
		"31536000":                      {0, 86400},
		"99999999999999999999":          {0, 86400},
		"Mon, 09 Mar 2026 12:00:20 GMT": {20 * time.Second, 0},
		"Tue, 09 Mar 2027 12:00:00 GMT": {0, 86400},
		"-5":                            {250 * time.Millisecond, 60},
		"soon":                          {250 * time.Millisecond, 60},
		"":                              {250 * time.Millisecond, 60},
	} {
		for _, behaviour := range []modelvendor.Behaviour{modelvendor.RateLimited, modelvendor.Error503} {
			now := newClock()
			recorded := &waits{clock: now}
			vendor := startVendor(t, modelvendor.Options{RetryAfter: header, Always: behaviour})
			client := newClient(t, vendor.URL, func(s *languagemodel.Settings) {
				s.Clock, s.Wait, s.Retries = now, recorded.wait, 1
			})
			answer, err := client.Ask(t.Context(), invoiceRequest())
			waited := len(recorded.all) == 1 && recorded.all[0] >= tc.least && recorded.all[0] <= tc.least+10*time.Second
			if tc.least == 0 {
				waited = len(recorded.all) == 0 && len(answer.Calls) == 1
			}
			seconds, temporary := domain.RetryAfter(err)
			if !waited || !temporary || tc.least == 0 && seconds != tc.reported {
				t.Errorf("%s, Retry-After %q: waited %v, reports %d s (%v)", behaviour, header, recorded.all, seconds, err)
			}
		}
	}
}

// Waits double and differ, and a wait beyond the deadline of the task does not begin.
func TestBackoff(t *testing.T) {
	t.Parallel()
	recorded := &waits{}
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.Error500})
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) {
		s.Wait, s.Retries, s.BreakerAfter = recorded.wait, 8, 100
	})
	if _, err := client.Ask(t.Context(), invoiceRequest()); !domain.HasCode(err, domain.Unavailable) || len(recorded.all) != 8 {
		t.Fatalf("%v: %v", recorded.all, err)
	}
	for i, wait := range recorded.all {
		full := min(500*time.Millisecond<<i, 10*time.Second)
		if wait < full/2 || wait > full {
			t.Errorf("wait %d is %s", i, wait)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	recorded.all = nil
	vendor = startVendor(t, modelvendor.Options{Always: modelvendor.RateLimited, RetryAfter: "120"})
	client = newClient(t, vendor.URL, func(s *languagemodel.Settings) { s.Wait, s.MaxRetryAfter = recorded.wait, time.Hour })
	if answer, err := client.Ask(ctx, invoiceRequest()); len(recorded.all) != 0 || len(answer.Calls) != 1 || err == nil {
		t.Errorf("waited %v beyond the deadline (%v)", recorded.all, err)
	}
}

// After failures in a row no call is made until the pause is over. Then one call tries.
func TestCircuitBreaker(t *testing.T) {
	t.Parallel()
	now := newClock()
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.Error500})
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) {
		s.Clock, s.Retries, s.BreakerAfter, s.BreakerPause = now, 0, 3, time.Minute
	})
	ask := func(want string, requests int) error {
		t.Helper()
		answer, err := client.Ask(t.Context(), invoiceRequest())
		if outcomes(answer) != want || len(vendor.Requests()) != requests {
			t.Fatalf("%q after %d requests (%v), want %q after %d", outcomes(answer), len(vendor.Requests()), err, want, requests)
		}
		return err
	}
	_, _ = ask("unavailable", 1), ask("unavailable", 2)
	vendor.Then(modelvendor.BadRequest) // the endpoint works
	_ = ask("refused", 3)
	_, _, _ = ask("unavailable", 4), ask("unavailable", 5), ask("unavailable", 6)
	now.move(10 * time.Second)
	err := ask("", 6)
	seconds, temporary := domain.RetryAfter(err)
	if !temporary || seconds != 50 || !strings.Contains(err.Error(), "failed 3 times in a row. The next call is possible at 12:01:00 UTC") ||
		domain.RemedyOf(err) == "" {
		t.Errorf("%d s: %v", seconds, err)
	}
	now.move(50 * time.Second)
	_, _ = ask("unavailable", 7), ask("", 7) // the call that tried failed
	now.move(time.Minute)
	vendor.Always(modelvendor.Honest)
	_, _ = ask("answered", 8), ask("answered", 9)
	vendor.Always(modelvendor.Error500) // the count starts again
	_, _ = ask("unavailable", 10), ask("unavailable", 11)
	_, _ = ask("unavailable", 12), ask("", 12)
}

// While one call tries, the others are refused. A trial that its caller ends lets the next call try.
func TestOneCallTriesAfterThePause(t *testing.T) {
	t.Parallel()
	now := newClock()
	begun := make(chan modelvendor.Seen, 10)
	vendor := startVendor(t, modelvendor.Options{OnRequest: func(seen modelvendor.Seen) { begun <- seen },
		Sequence: []modelvendor.Behaviour{modelvendor.Error500, modelvendor.NeverAnswers}})
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) {
		s.Clock, s.Retries, s.BreakerAfter, s.BreakerPause = now, 0, 1, time.Minute
	})
	_, _ = client.Ask(t.Context(), invoiceRequest())
	now.move(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := client.Ask(ctx, invoiceRequest())
		ended <- err
	}()
	if first, second := <-begun, <-begun; first.Behaviour != modelvendor.Error500 || second.Behaviour != modelvendor.NeverAnswers {
		t.Fatalf("%s, %s", first.Behaviour, second.Behaviour)
	}
	if answer, err := client.Ask(t.Context(), invoiceRequest()); len(answer.Calls) != 0 || !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("a second call was made during the trial: %v", err)
	}
	cancel()
	if err := <-ended; !domain.HasCode(err, domain.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("the trial ended with %v", err)
	}
	if answer, err := client.Ask(t.Context(), invoiceRequest()); err != nil || outcomes(answer) != "answered" {
		t.Errorf("%s: %v", outcomes(answer), err)
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.Slow, Slow: 50 * time.Millisecond})
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) { s.Concurrency = 2 })
	var asked sync.WaitGroup
	for range 8 {
		asked.Go(func() {
			if _, err := client.Ask(t.Context(), invoiceRequest()); err != nil {
				t.Error(err)
			}
		})
	}
	asked.Wait()
	if most := vendor.MostAtATime(); most != 2 {
		t.Errorf("%d calls at a time", most)
	}
}

// A task whose deadline passes while all calls are in use learns that, and no call is made.
func TestDeadlineWhileAllCallsAreInUse(t *testing.T) {
	t.Parallel()
	begun := make(chan modelvendor.Seen, 10)
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.NeverAnswers,
		OnRequest: func(seen modelvendor.Seen) { begun <- seen }})
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) { s.Concurrency = 1 })
	first, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := client.Ask(first, invoiceRequest())
		ended <- err
	}()
	<-begun
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	answer, err := client.Ask(ctx, invoiceRequest())
	if !domain.HasCode(err, domain.Busy) || len(answer.Calls) != 0 || len(vendor.Requests()) != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
	cancel()
	<-ended
}

// A certificate for another name, or of an unknown authority, ends the call before anything is sent.
func TestCertificates(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		certificate string
		trusted     bool
		works       bool
	}{
		"right name":        {"127.0.0.1", true, true},
		"another name":      {"models.example", true, false},
		"unknown authority": {"127.0.0.1", false, false},
	} {
		vendor := startVendor(t, modelvendor.Options{CertificateName: tc.certificate})
		transport := http.DefaultTransport.(*http.Transport).Clone()
		if tc.trusted {
			transport.TLSClientConfig.RootCAs = vendor.Roots
		}
		client := newClient(t, vendor.URL, func(s *languagemodel.Settings) { s.HTTP = &http.Client{Transport: transport} })
		answer, err := client.Ask(t.Context(), invoiceRequest())
		if tc.works {
			if err != nil || string(answer.JSON) != invoiceAnswer {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if outcomes(answer) != languagemodel.Unavailable || answer.Usage != (languagemodel.Usage{}) ||
			len(vendor.Requests()) != 0 || !strings.Contains(err.Error(), "has a certificate that is not valid for its name") {
			t.Errorf("%s: %s, %d requests, %v", name, outcomes(answer), len(vendor.Requests()), err)
		}
	}
	plain := startVendor(t, modelvendor.Options{})
	client := newClient(t, strings.Replace(plain.URL, "http", "https", 1), nil)
	if answer, err := client.Ask(t.Context(), invoiceRequest()); outcomes(answer) != languagemodel.Unavailable ||
		!strings.Contains(err.Error(), "does not speak TLS") {
		t.Errorf("without TLS: %v", err)
	}
}

// The key and the documents do not cross the public Internet without TLS.
func TestPublicAddressesNeedTLS(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"http://8.8.8.8/v1", "http://[2606:4700::1111]/v1", "http://[::ffff:8.8.8.8]/v1"} {
		answer, err := newClient(t, endpoint, nil).Ask(t.Context(), invoiceRequest())
		if !domain.HasCode(err, domain.NotPermitted) || outcomes(answer) != languagemodel.Unavailable ||
			answer.Usage != (languagemodel.Usage{}) || domain.RemedyOf(err) == "" {
			t.Errorf("%s: %+v, %v", endpoint, answer, err)
		}
	}
}

// No form of a redirect leads the key elsewhere, also not with a client that would follow it.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for _, target := range []string{other, "http://[bad", ""} {
		for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
			client := newClient(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Location"] = []string{target}
				w.WriteHeader(status)
			}), func(s *languagemodel.Settings) { s.HTTP = &http.Client{} })
			answer, err := client.Ask(t.Context(), invoiceRequest())
			if outcomes(answer) != languagemodel.Refused || !strings.Contains(err.Error(), fmt.Sprintf("(%d); redirects", status)) {
				t.Errorf("%d to %q: %s, %v", status, target, outcomes(answer), err)
			}
		}
	}
	if elsewhere.Load() != 0 {
		t.Errorf("%d requests reached another address", elsewhere.Load())
	}
}

// An endpoint that no process listens on is retried as a connection error, without tokens.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	// The port stays taken on 127.0.0.1, so that no server of another test gets it.
	elsewhere := strings.Replace(startVendor(t, modelvendor.Options{}).URL, "127.0.0.1", "127.0.0.2", 1)
	answer, err := newClient(t, elsewhere, nil).Ask(t.Context(), invoiceRequest())
	if outcomes(answer) != "unavailable unavailable unavailable" || answer.Usage != (languagemodel.Usage{}) ||
		!domain.HasCode(err, domain.Unavailable) || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("%+v, %v", answer, err)
	}
}

// The caller's deadline and its end are reported as such.
func TestTheCallerEndsTheCall(t *testing.T) {
	t.Parallel()
	for _, behaviour := range []modelvendor.Behaviour{modelvendor.NeverAnswers, modelvendor.Drips} {
		vendor := startVendor(t, modelvendor.Options{Always: behaviour})
		ctx, cancel := context.WithTimeout(t.Context(), shortTimeout)
		answer, err := newClient(t, vendor.URL, nil).Ask(ctx, invoiceRequest())
		cancel()
		if outcomes(answer) != languagemodel.Timeout || !domain.HasCode(err, domain.TimedOut) ||
			!strings.Contains(err.Error(), "deadline of the task") || answer.Usage.InputTokens == 0 {
			t.Errorf("%s: %+v, %v", behaviour, answer, err)
		}
	}
}

// A connection that is not made in time is a connection error: nothing was sent, so it is retried.
func TestConnectionsThatAreNotMadeInTime(t *testing.T) {
	t.Parallel()
	client := newClient(t, "http://models.example/v1", func(s *languagemodel.Settings) {
		s.HTTP = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
		}}}
	})
	answer, err := client.Ask(t.Context(), invoiceRequest())
	if outcomes(answer) != "unavailable unavailable unavailable" || !domain.HasCode(err, domain.Unavailable) ||
		answer.Usage != (languagemodel.Usage{}) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// The header is bounded also with a client of the caller.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	vendor := startVendor(t, modelvendor.Options{Always: modelvendor.HeaderBomb})
	client := newClient(t, vendor.URL, func(s *languagemodel.Settings) {
		s.Retries, s.HTTP = 0, &http.Client{Transport: http.DefaultTransport}
	})
	if answer, err := client.Ask(t.Context(), invoiceRequest()); outcomes(answer) != languagemodel.Unavailable {
		t.Errorf("%s: %v", outcomes(answer), err)
	}
}
