package connect

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/feed"
)

// webhookTimeout bounds one delivery, from the name resolution to the response.
const webhookTimeout = 15 * time.Second

// maxKeptAnswer is how many characters of a response are kept.
const maxKeptAnswer = 1000

// WebhookSettings are the operator's settings for webhooks.
type WebhookSettings struct {
	Secrets   []string // see ParseSecrets
	Networks  []string // private networks that may be reached
	PublicURL string   // source of the events, without a slash at its end
	Timeout   time.Duration
	Clock     domain.Clock
}

// Webhooks delivers events over HTTP, signed as Standard Webhooks defines it. It is safe for
// concurrent use.
type Webhooks struct {
	secrets       map[string][]byte
	secure, plain *http.Client
	publicURL     string
	timeout       time.Duration
	clock         domain.Clock
}

// NewWebhooks returns a client. It returns InvalidInput for an invalid setting, without the secret.
func NewWebhooks(settings WebhookSettings) (*Webhooks, error) {
	networks, err := ParseNetworks(settings.Networks)
	if err != nil {
		return nil, err
	}
	secrets, err := ParseSecrets(settings.Secrets)
	if err != nil {
		return nil, err
	}
	w := &Webhooks{secrets: secrets.signing, publicURL: settings.PublicURL,
		timeout: settings.Timeout, clock: settings.Clock,
		secure: webhookClient(guard{allowed: networks}),
		plain:  webhookClient(guard{allowed: networks, allowedOnly: true})}
	if w.timeout == 0 {
		w.timeout = webhookTimeout
	}
	if w.clock == nil {
		w.clock = domain.SystemClock{}
	}
	return w, nil
}

// webhookClient returns a client that follows no redirect, uses no proxy, and dials what the guard
// allows.
func webhookClient(g guard) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: g.dialer().DialContext, ForceAttemptHTTP2: true,
			MaxIdleConns: 256, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: maxAnswer},
	}
}

// Sign returns the signature of a delivery: v1,<base64 of the HMAC of id.timestamp.body>.
func Sign(secret []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Deliver sends one event to the receiver.
func (w *Webhooks) Deliver(ctx context.Context, spec domain.ConnectorSpec, event *feed.Event,
) domain.DeliveryAttempt {
	envelope, err := Envelope(spec, event, w.publicURL)
	if err != nil {
		return domain.DeliveryAttempt{Outcome: domain.AttemptRefused, Error: err.Error()}
	}
	return w.sendEvent(ctx, spec, envelope)
}

// TestConnector sends an event that is not of the feed.
func (w *Webhooks) TestConnector(ctx context.Context, spec domain.ConnectorSpec,
) domain.DeliveryAttempt {
	return w.sendEvent(ctx, spec, TestEvent(spec, w.publicURL, w.clock.Now()))
}

func (w *Webhooks) sendEvent(ctx context.Context, spec domain.ConnectorSpec,
	envelope feed.CloudEvent) domain.DeliveryAttempt {
	body, err := json.Marshal(envelope)
	if err != nil {
		return domain.DeliveryAttempt{Outcome: domain.AttemptRefused, Error: err.Error()}
	}
	began := w.clock.Now()
	attempt := w.send(ctx, spec, envelope.ID, body)
	attempt.Took = w.clock.Now().Sub(began)
	return attempt
}

// Failed is an attempt that may succeed later, with what went wrong.
func Failed(format string, args ...any) domain.DeliveryAttempt {
	return domain.DeliveryAttempt{Outcome: domain.AttemptFailed,
		Error: truncate(fmt.Sprintf(format, args...), maxKeptAnswer)}
}

func (w *Webhooks) send(ctx context.Context, spec domain.ConnectorSpec, id string, body []byte,
) domain.DeliveryAttempt {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, spec.URL,
		bytes.NewReader(body))
	if err != nil {
		return Failed("The address cannot be used.")
	}
	request.Header.Set("Content-Type", feed.ContentType)
	if err := w.sign(request, spec, id, body); err != nil {
		return Failed("%s", err.Message)
	}
	response, err := w.clientFor(request).Do(request)
	if err != nil {
		return Failed("%s", noResponse(err, w.timeout))
	}
	defer func() { _ = response.Body.Close() }()
	// What arrived until the time is over is enough.
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return w.judge(response, answer)
}

// sign signs a request with all secrets of the connector, as Standard Webhooks defines it.
func (w *Webhooks) sign(request *http.Request, spec domain.ConnectorSpec, id string, content []byte,
) *domain.Error {
	timestamp := strconv.FormatInt(w.clock.Now().Unix(), 10)
	signatures := make([]string, 0, len(spec.Secrets))
	for _, name := range spec.Secrets {
		secret, known := w.secrets[name]
		if !known {
			return domain.Errorf(domain.Unavailable,
				"The secret %q is not in COUNTERSIGN_CONNECTOR_SECRETS, or is a login.", name)
		}
		signatures = append(signatures, Sign(secret, id, timestamp, content))
	}
	request.Header.Set("User-Agent", "Countersign")
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", strings.Join(signatures, " "))
	return nil
}

func (w *Webhooks) clientFor(request *http.Request) *http.Client {
	if request.URL.Scheme != "https" {
		return w.plain
	}
	return w.secure
}

// noResponse says why there was no response, without the address and its parameters.
func noResponse(err error, timeout time.Duration) string {
	var refusal *domain.Error
	var timedOut interface{ Timeout() bool }
	switch {
	case errors.As(err, &refusal):
		return refusal.Message
	case errors.As(err, &timedOut) && timedOut.Timeout():
		return fmt.Sprintf("No response within %s.", timeout)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return "No response: " + err.Error()
}

// judge returns what a response means.
func (w *Webhooks) judge(response *http.Response, answer []byte) domain.DeliveryAttempt {
	code := response.StatusCode
	attempt := domain.DeliveryAttempt{HTTPStatus: code,
		Answer:     truncate(string(answer[:min(len(answer), 4*maxKeptAnswer)]), maxKeptAnswer),
		RetryAfter: w.retryAfter(response.Header.Get("Retry-After"))}
	switch {
	case code >= 200 && code < 300:
		attempt.Outcome = domain.AttemptDelivered
		return attempt
	case code == http.StatusGone:
		attempt.Outcome = domain.AttemptGone
	case code == http.StatusBadRequest || code == http.StatusNotFound ||
		code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity:
		attempt.Outcome = domain.AttemptRefused
	default:
		attempt.Outcome = domain.AttemptFailed
	}
	attempt.Error = fmt.Sprintf("The receiver answered %d.", code)
	if code >= 300 && code < 400 {
		attempt.Error = fmt.Sprintf("The receiver answered %d; redirects are not followed.", code)
	}
	return attempt
}

// maxRetryAfter bounds for how long a receiver can put off deliveries.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads the header, which has seconds or a time.
func (w *Webhooks) retryAfter(header string) time.Duration {
	var wait time.Duration
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(w.clock.Now())
	}
	return min(max(wait, 0), maxRetryAfter)
}
