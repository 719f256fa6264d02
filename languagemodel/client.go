package languagemodel

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
)

const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 10 * time.Second
)

// Client asks one model at one endpoint. It is safe for concurrent use.
type Client struct {
	settings Settings // without the key
	address  *url.URL
	http     *http.Client
	// authorize sets the key. It is a function, so that no print of the client has the key.
	authorize func(http.Header)
	leaks     func(text string) bool // reports whether the text has the key
	breaker   *breaker
	slots     chan struct{}
}

// New returns a client. It returns InvalidInput for an invalid setting, without the key.
func New(settings Settings) (*Client, error) {
	endpoint, err := settings.validate()
	if err != nil {
		return nil, err
	}
	key := settings.APIKey
	settings = settings.withDefaults()
	settings.APIKey = ""
	return &Client{settings: settings, address: endpoint.JoinPath("chat", "completions"),
		http:      newHTTPClient(settings.HTTP, endpoint.Scheme == "http"),
		authorize: authorization(key), leaks: keyDetector(key),
		breaker: &breaker{clock: settings.Clock, after: settings.BreakerAfter, pause: settings.BreakerPause},
		slots:   make(chan struct{}, settings.Concurrency)}, nil
}

// Ask returns the answer to the request. It repeats a call after a temporary failure, and asks once
// more with the problems listed if the answer is not JSON or does not match the schema.
func (c *Client) Ask(ctx context.Context, r Request) (Answer, error) {
	schema, err := r.check()
	if err != nil {
		return Answer{}, err
	}
	asked := &asking{client: c, request: r, schema: schema, retries: c.settings.Retries}
	failed := asked.turn(ctx, nil)
	if failed != nil && len(failed.problems) > 0 {
		failed = asked.turn(ctx, &repair{answer: asked.answer.Text, problems: failed.problems})
	}
	if failed != nil {
		return asked.answer, failed.err
	}
	return asked.answer, nil
}

// asking is the state of one Ask.
type asking struct {
	client  *Client
	request Request
	schema  *jsonschema.Schema
	retries int // still allowed
	failed  int // temporary failures so far
	answer  Answer
}

// turn sends the request until it is answered, or a failure is permanent, or no retry is left.
func (a *asking) turn(ctx context.Context, repair *repair) *failure {
	prompt, err := a.client.encode(a.request, repair)
	if err != nil {
		return &failure{err: err}
	}
	for {
		failed := a.call(ctx, prompt)
		if failed == nil || !failed.temporary || a.retries == 0 {
			return failed
		}
		wait := max(backoff(a.failed), failed.wait)
		deadline, bounded := ctx.Deadline()
		if failed.wait > a.client.settings.MaxRetryAfter ||
			bounded && a.client.settings.Clock.Now().Add(wait).After(deadline) {
			return failed
		}
		a.retries--
		a.failed++
		if err := a.client.settings.Wait(ctx, wait); err != nil {
			return failed
		}
	}
}

// backoff doubles with every failure; half of it is random, so that clients do not return together.
func backoff(failures int) time.Duration {
	wait := min(firstBackoff<<min(failures, 10), maxBackoff)
	return wait/2 + rand.N(wait/2)
}

// call makes one call, if the concurrency and the circuit breaker allow it, and records it.
func (a *asking) call(ctx context.Context, prompt prompt) *failure {
	c := a.client
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return &failure{outcome: Timeout, err: domain.Errorf(domain.Busy,
			"All %d calls of the language model were in use.", cap(c.slots)).
			WithRemedy("Retry later, or ask an operator to raise the concurrency of the language model.").
			WithCause(ctx.Err())}
	}
	trial, until, open := c.breaker.enter()
	if open {
		return c.paused(until)
	}
	call := Call{Started: c.settings.Clock.Now()}
	reply, failed := c.send(ctx, prompt)
	call.Status = reply.status
	call.Usage = reply.usageOf(prompt)
	if failed == nil {
		failed = a.accept(reply)
	}
	call.Took, call.Outcome = c.settings.Clock.Now().Sub(call.Started), Answered
	if failed != nil {
		call.Outcome = failed.outcome
		failed.err = failed.err.WithDetail(OutcomeDetail, failed.outcome)
	}
	c.breaker.leave(verdictOf(ctx, failed), trial)
	a.answer.Calls = append(a.answer.Calls, call)
	a.answer.Usage.InputTokens += call.Usage.InputTokens
	a.answer.Usage.OutputTokens += call.Usage.OutputTokens
	return failed
}

// accept stores a complete reply as the answer, or returns what is wrong with it.
func (a *asking) accept(reply reply) *failure {
	a.answer.Model, a.answer.Text = reply.model, ""
	if a.client.leaks(reply.text) || a.client.leaks(reply.model) {
		a.answer.Model = ""
		return leaked()
	}
	a.answer.Text = storable(reply.text)
	if failed := reply.refusedOrCut(); failed != nil {
		return failed
	}
	value, failed := parse(reply.text)
	if failed != nil {
		return failed
	}
	if hasText(value, a.client.leaks) {
		a.answer.Text = ""
		return leaked()
	}
	a.answer.JSON, failed = matched(a.schema, value)
	return failed
}
