package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"countersign/domain"
	"countersign/internal/tracing"
)

// maxAnswer bounds the bytes read from a response.
const maxAnswer = 64 << 10

// Settings lists the connected systems. Addresses maps names to URLs; Token is sent to all of them.
type Settings struct {
	Addresses map[string]string
	Token     string
	Timeout   time.Duration // per call; 0 = 20 s
}

// Caller makes saga calls. It is safe for concurrent use.
type Caller struct {
	addresses map[string]*url.URL
	token     string
	client    *http.Client
}

// New returns a Caller. It returns InvalidInput for an invalid address.
func New(settings Settings) (*Caller, error) {
	c := &Caller{addresses: map[string]*url.URL{}, token: settings.Token}
	for name, text := range settings.Addresses {
		address, err := url.Parse(text)
		if err != nil || (address.Scheme != "http" && address.Scheme != "https") ||
			address.Host == "" {
			return nil, domain.Invalid("connectors", "%q is not a valid address for %s.", text,
				name).WithCause(err)
		}
		c.addresses[name] = address
	}
	timeout := settings.Timeout
	if timeout == 0 {
		timeout = 20 * time.Second
	}
	// Do not follow redirects: a payment order must reach the configured address or fail.
	c.client = &http.Client{Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// callBody is the JSON body of a call.
type callBody struct {
	Case     string `json:"case"`
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	Payee    string `json:"payee,omitempty"`
	Account  string `json:"account,omitempty"`
	BIC      string `json:"bic,omitempty"`
	Number   string `json:"number,omitempty"`
	// Reference is the payer's reference of the payment order.
	Reference string `json:"reference,omitempty"`
	Undoes    string `json:"undoes,omitempty"`
}

// Call makes one call. It returns ProcessorNotFound when no system has the name (nothing was sent),
// ValidationFailed when the system refused permanently, and TimedOut or Unavailable when the
// outcome is unknown.
func (c *Caller) Call(ctx context.Context, call domain.SagaCall) (domain.SagaResult, error) {
	name, operation, _ := strings.Cut(call.Operation, ".")
	address, ok := c.addresses[name]
	if !ok || operation == "" {
		return domain.SagaResult{}, domain.Errorf(domain.ProcessorNotFound,
			"No connector is configured for %s.", call.Operation).
			WithRemedy("Ask an operator to configure it (COUNTERSIGN_CONNECTORS), then retry.")
	}
	body := callBody{Case: call.Reference, Payee: call.Payee, Account: call.Account,
		BIC: call.BIC, Number: call.Number, Reference: call.Order, Undoes: call.Undoes}
	if call.Amount.Currency != "" {
		body.Amount, body.Currency = call.Amount.Decimal(), call.Amount.Currency
	}
	text, err := json.Marshal(body)
	if err != nil {
		return domain.SagaResult{}, fmt.Errorf("connect: encode %s: %w", call.Operation, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		address.JoinPath(operation).String(), bytes.NewReader(text))
	if err != nil {
		return domain.SagaResult{}, fmt.Errorf("connect: make %s: %w", call.Operation, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", call.Key)
	request.Header.Set("X-Correlation-Id", call.CorrelationID)
	if traceparent := tracing.Traceparent(ctx); traceparent != "" {
		request.Header.Set("traceparent", traceparent)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return domain.SagaResult{}, unknownOutcome(name, err)
	}
	defer func() { _ = response.Body.Close() }()
	return parseResponse(name, response)
}

// unknownOutcome returns the error of a call whose outcome is unknown.
func unknownOutcome(name string, err error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return domain.Errorf(domain.TimedOut, "The system %q did not answer in time.", name).
			WithCause(err)
	}
	return domain.Errorf(domain.Unavailable, "The system %q cannot be reached.", name).
		WithCause(err)
}

func parseResponse(name string, response *http.Response) (domain.SagaResult, error) {
	var body struct{ Reference, Message string }
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return domain.SagaResult{}, unknownOutcome(name, err)
	}
	readable := json.Unmarshal(text, &body) == nil
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		return domain.SagaResult{Reference: truncate(body.Reference, 200)}, nil
	case code == http.StatusRequestTimeout || code == http.StatusConflict ||
		code == http.StatusTooEarly || code == http.StatusTooManyRequests || code >= 500:
		return domain.SagaResult{}, domain.Errorf(domain.Unavailable,
			"The system %q could not accept the call (%d).", name, code)
	case readable && body.Message != "":
		return domain.SagaResult{}, domain.Errorf(domain.ValidationFailed,
			"The system %q refused: %s", name, truncate(body.Message, 300))
	}
	return domain.SagaResult{}, domain.Errorf(domain.ValidationFailed,
		"The system %q refused (%d).", name, response.StatusCode)
}

// truncate returns the first most runes of an external text. It removes control characters: with
// NUL the database could not store the result of a call that was made.
func truncate(text string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	return string(runes[:min(len(runes), most)])
}
