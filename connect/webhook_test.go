package connect_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/connect"
	"countersign/domain"
	"countersign/events"
	"countersign/feed"
)

var oldSecret, newSecret = secretOf('a'), secretOf('b')

func secretOf(fill byte) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(fill), 32)))
}

func webhooks(t *testing.T, networks ...string) *connect.Webhooks {
	t.Helper()
	client, err := connect.NewWebhooks(connect.WebhookSettings{
		Secrets: []string{"old=" + oldSecret, "new=" + newSecret}, Networks: networks,
		PublicURL: "https://review.example", Timeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func anEvent() *feed.Event {
	return &feed.Event{Stream: domain.NewID(), Audience: domain.AudienceAll,
		VisibleEvent: events.VisibleEvent{Seq: 3, Type: domain.CaseRejected, SchemaVersion: 1,
			At: time.Now(), Body: json.RawMessage(`{"reason":"zebra"}`)}}
}

// receive delivers an event to a receiver on this machine.
func receive(t *testing.T, spec domain.ConnectorSpec, handler http.HandlerFunc,
) domain.DeliveryAttempt {
	t.Helper()
	receiver := httptest.NewServer(handler)
	t.Cleanup(receiver.Close)
	spec.URL = receiver.URL + "/hook"
	if spec.Secrets == nil {
		spec.Secrets = []string{"old"}
	}
	return webhooks(t, "127.0.0.0/8").Deliver(t.Context(), spec, anEvent())
}

// A delivery is signed with every secret of the connector, so that a receiver can change from one to
// the other, and its id is that of the event.
func TestDeliveriesAreSigned(t *testing.T) {
	t.Parallel()
	for _, snapshot := range []bool{false, true} {
		got := receive(t, domain.ConnectorSpec{Secrets: []string{"old", "new"}, Snapshot: snapshot},
			func(_ http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				var event feed.CloudEvent
				if err != nil || json.Unmarshal(body, &event) != nil || r.Method != http.MethodPost ||
					r.Header.Get("Content-Type") != "application/cloudevents+json" {
					t.Errorf("%s %v %s", r.Method, r.Header, body)
				}
				id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
				signatures := strings.Fields(r.Header.Get("webhook-signature"))
				if id != event.ID || len(signatures) != 2 {
					t.Fatalf("id %s of %s, signed %v", id, event.ID, signatures)
				}
				for i, text := range []string{oldSecret, newSecret} {
					secret, err := connect.ParseSecret(text)
					if err != nil || connect.Sign(secret, id, at, body) != signatures[i] {
						t.Errorf("signature %d: %s", i, signatures[i])
					}
				}
				if strings.Contains(string(body), "zebra") != snapshot {
					t.Errorf("snapshot %v: %s", snapshot, body)
				}
			})
		if got.Outcome != domain.AttemptDelivered || got.HTTPStatus != 200 {
			t.Errorf("%+v", got)
		}
	}
}

// The example of the specification: https://github.com/standard-webhooks/standard-webhooks.
func TestSignatureOfTheSpecification(t *testing.T) {
	t.Parallel()
	secret, err := connect.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := connect.Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		[]byte(`{"test": 2432232314}`))
	if got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("signed %s", got)
	}
}

// What a receiver answers decides what becomes of the event. A redirect is a failure.
func TestOutcomesOfAnswers(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]domain.AttemptOutcome{200: domain.AttemptDelivered,
		204: domain.AttemptDelivered, 301: domain.AttemptFailed, 307: domain.AttemptFailed,
		400: domain.AttemptRefused, 401: domain.AttemptFailed, 404: domain.AttemptRefused,
		410: domain.AttemptGone, 413: domain.AttemptRefused, 422: domain.AttemptRefused,
		429: domain.AttemptFailed, 500: domain.AttemptFailed, 503: domain.AttemptFailed} {
		var elsewhere atomic.Int32
		target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			elsewhere.Add(1)
		}))
		t.Cleanup(target.Close)
		got := receive(t, domain.ConnectorSpec{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.Header().Set("Location", target.URL)
			w.WriteHeader(code)
			if code != 204 {
				_, _ = w.Write([]byte("\x00<b>no\xff" + strings.Repeat("x", 200_000)))
			}
		})
		if got.Outcome != want || got.HTTPStatus != code || elsewhere.Load() != 0 {
			t.Errorf("%d: %+v, %d requests elsewhere", code, got, elsewhere.Load())
		}
		if len(got.Answer) > 1000 || code != 204 && !strings.HasPrefix(got.Answer, "<b>no") ||
			got.RetryAfter != 2*time.Minute {
			t.Errorf("%d: kept %.40q, %s", code, got.Answer, got.RetryAfter)
		}
	}
}

// A slow receiver, one that is away, and an unknown secret are failures that may pass.
func TestReceiversThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	slow := receive(t, domain.ConnectorSpec{}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the request is noticed
		<-r.Context().Done()
	})
	if slow.Outcome != domain.AttemptFailed || !strings.Contains(slow.Error, "within") {
		t.Errorf("slow: %+v", slow)
	}
	receiver := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(receiver.Close) // the port stays taken on 127.0.0.1, so that no server of another test gets it
	away := webhooks(t, "127.0.0.2").Deliver(t.Context(), domain.ConnectorSpec{URL: strings.Replace(receiver.URL,
		"127.0.0.1", "127.0.0.2", 1) + "/?key=hush", Secrets: []string{"old"}}, anEvent())
	if away.Outcome != domain.AttemptFailed || away.HTTPStatus != 0 ||
		strings.Contains(away.Error, "hush") {
		t.Errorf("away: %+v", away)
	}
	unknown := receive(t, domain.ConnectorSpec{Secrets: []string{"lost"}}, func(http.ResponseWriter,
		*http.Request) {
		t.Error("an unsigned delivery was sent")
	})
	if unknown.Outcome != domain.AttemptFailed || !strings.Contains(unknown.Error, "lost") {
		t.Errorf("unknown secret: %+v", unknown)
	}
}

// An address of the private network is refused after name resolution, whatever its notation.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reached.Add(1)
	}))
	t.Cleanup(receiver.Close)
	address, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0",
		"[::1]", "127.1.2.3"} {
		got := webhooks(t).Deliver(t.Context(), domain.ConnectorSpec{Secrets: []string{"old"},
			URL: "https://" + host + ":" + address.Port()}, anEvent())
		if got.Outcome != domain.AttemptFailed || !strings.Contains(got.Error, "is not public") {
			t.Errorf("%s: %+v", host, got)
		}
	}
	if reached.Load() != 0 {
		t.Errorf("%d requests reached the private network", reached.Load())
	}
	plain := webhooks(t).Deliver(t.Context(), domain.ConnectorSpec{Secrets: []string{"old"},
		URL: "http://localhost:1"}, anEvent())
	if !strings.Contains(plain.Error, "needs TLS") {
		t.Errorf("without TLS: %+v", plain)
	}
}

// Secrets and networks of the operator are checked at the start, and an error does not show a secret.
func TestSettingsOfWebhooks(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]string{{"a"}, {"a=whsec_"}, {"a=" + oldSecret, "a=" + newSecret},
		{"A b=" + oldSecret}, {"a=hush-hush"}, {"a=whsec_aHVzaA=="}} {
		_, err := connect.NewWebhooks(connect.WebhookSettings{Secrets: secrets})
		if !domain.HasCode(err, domain.InvalidInput) || strings.Contains(err.Error(), "hush") ||
			strings.Contains(err.Error(), oldSecret) {
			t.Errorf("%v: %v", secrets, err)
		}
	}
	if _, err := connect.NewWebhooks(connect.WebhookSettings{Networks: []string{"x"}}); err == nil {
		t.Error("a network that is none was accepted")
	}
}
