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

	"countersign/domain"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

// Settings say which systems there are. Addresses are by name; Token is shown to all of them.
type Settings struct {
	Addresses map[string]string
	Token     string
	Timeout   time.Duration // of one call; 20 s
}

// Caller makes the calls of sagas. It is safe for concurrent use.
type Caller struct {
	addresses map[string]*url.URL
	token     string
	client    *http.Client
}

// New makes a caller. InvalidInput for an address that is none.
func New(settings Settings) (*Caller, error) {
	c := &Caller{addresses: map[string]*url.URL{}, token: settings.Token}
	for name, text := range settings.Addresses {
		address, err := url.Parse(text)
		if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
			return nil, domain.Invalid("connectors", "%q is not the address of %s", text, name).WithCause(err)
		}
		c.addresses[name] = address
	}
	timeout := settings.Timeout
	if timeout == 0 {
		timeout = 20 * time.Second
	}
	// An order to pay goes where it was sent, or nowhere.
	c.client = &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// callBody is a call as it goes over the wire.
type callBody struct {
	Case     string `json:"case"`
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	Payee    string `json:"payee,omitempty"`
	Account  string `json:"account,omitempty"`
	Number   string `json:"number,omitempty"`
	Undoes   string `json:"undoes,omitempty"`
}

// Call makes one call. Errors: ProcessorNotFound when no system of the name is known (nothing was sent), ValidationFailed when
// it refused permanently, TimedOut and Unavailable when nobody knows what happened.
func (c *Caller) Call(ctx context.Context, call domain.SagaCall) (domain.SagaResult, error) {
	name, operation, _ := strings.Cut(call.Operation, ".")
	address, ok := c.addresses[name]
	if !ok || operation == "" {
		return domain.SagaResult{}, domain.Errorf(domain.ProcessorNotFound, "No connector is set up for %s.", call.Operation).
			WithRemedy("An operator sets it up (COUNTERSIGN_CONNECTORS), then retry.")
	}
	body := callBody{Case: call.Reference, Payee: call.Payee, Account: call.Account, Number: call.Number, Undoes: call.Undoes}
	if call.Amount.Currency != "" {
		body.Amount, body.Currency = call.Amount.Decimal(), call.Amount.Currency
	}
	text, err := json.Marshal(body)
	if err != nil {
		return domain.SagaResult{}, fmt.Errorf("connect: encode %s: %w", call.Operation, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.JoinPath(operation).String(), bytes.NewReader(text))
	if err != nil {
		return domain.SagaResult{}, fmt.Errorf("connect: make %s: %w", call.Operation, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", call.Key)
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

// unknownOutcome says that nobody knows what became of a call.
func unknownOutcome(name string, err error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return domain.Errorf(domain.TimedOut, "The system %q did not answer in time.", name).WithCause(err)
	}
	return domain.Errorf(domain.Unavailable, "The system %q cannot be reached.", name).WithCause(err)
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
	case code == http.StatusRequestTimeout || code == http.StatusConflict || code == http.StatusTooEarly || code == http.StatusTooManyRequests || code >= 500:
		return domain.SagaResult{}, domain.Errorf(domain.Unavailable, "The system %q could not take the call now (%d).", name, code)
	case readable && body.Message != "":
		return domain.SagaResult{}, domain.Errorf(domain.ValidationFailed, "The system %q refused: %s", name, truncate(body.Message, 300))
	}
	return domain.SagaResult{}, domain.Errorf(domain.ValidationFailed, "The system %q refused (%d).", name, response.StatusCode)
}

// truncate keeps the first most runes of a text from outside.
func truncate(text string, most int) string {
	runes := []rune(strings.ToValidUTF8(text, ""))
	return string(runes[:min(len(runes), most)])
}
