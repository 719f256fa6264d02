package languagemodel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"countersign/domain"
)

// failure is why a call has no answer.
type failure struct {
	outcome string
	err     *domain.Error
	// temporary says that the same call may succeed after the wait.
	temporary bool
	wait      time.Duration // that the endpoint demands
	// problems are what the model can correct in a repair turn.
	problems []string
}

const (
	remedyLater    = "Retry later. If it happens again, ask an operator to check the endpoint of the language model."
	remedySettings = "Ask an operator to check the settings of the language model, then retry."
	remedyByHand   = "Retry, or enter the values by hand."
)

func (c *Client) errorf(code domain.Code, format string, args ...any) *domain.Error {
	return domain.Errorf(code, "The language model at %s %s.", c.address.Host, fmt.Sprintf(format, args...))
}

func (c *Client) paused(until time.Time) *failure {
	wait := until.Sub(c.settings.Clock.Now())
	return &failure{outcome: Unavailable, err: c.errorf(domain.Unavailable,
		"failed %d times in a row. The next call is possible at %s UTC", c.settings.BreakerAfter,
		until.UTC().Format(time.TimeOnly)).WithRemedy(remedyLater).WithRetryAfter(wait).
		WithDetail(OutcomeDetail, Unavailable)}
}

func (c *Client) timedOut(err error) *failure {
	return &failure{outcome: Timeout, err: c.errorf(domain.TimedOut, "did not answer within %s",
		c.settings.Timeout).WithRemedy(remedyLater).WithCause(err)}
}

func (c *Client) noConnection(err error) *failure {
	return &failure{outcome: Unavailable, temporary: true, err: c.errorf(domain.Unavailable,
		"cannot be reached").WithRemedy(remedyLater).WithCause(err)}
}

// ended is the failure of a call that the caller ended.
func (c *Client) ended(caller context.Context) *failure {
	if errors.Is(caller.Err(), context.DeadlineExceeded) {
		return &failure{outcome: Timeout, err: c.errorf(domain.TimedOut,
			"did not answer before the deadline of the task").WithRemedy(remedyLater).WithCause(caller.Err())}
	}
	return &failure{outcome: Cut, err: c.errorf(domain.Unavailable, "was not waited for").
		WithRemedy("Retry.").WithCause(caller.Err())}
}

// noResponse returns the failure of a call without a response.
func (c *Client) noResponse(caller context.Context, err error) *failure {
	var refusal *domain.Error
	var certificate *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	var dialing *net.OpError
	switch {
	case caller.Err() != nil:
		return c.ended(caller)
	case errors.As(err, &refusal):
		return &failure{outcome: Unavailable, err: refusal}
	case errors.As(err, &certificate):
		return &failure{outcome: Unavailable, err: c.errorf(domain.Unavailable,
			"has a certificate that is not valid for its name, so nothing was sent").
			WithRemedy("Ask an operator to check the certificate and the endpoint of the language model.").
			WithCause(err)}
	case errors.As(err, &notTLS), errors.Is(err, http.ErrSchemeMismatch):
		return &failure{outcome: Unavailable, err: c.errorf(domain.Unavailable,
			"does not speak TLS, so nothing was sent").WithRemedy(remedySettings).WithCause(err)}
	case errors.As(err, &dialing) && dialing.Op == "dial":
		return c.noConnection(err)
	case isTimeout(err):
		return c.timedOut(err)
	}
	return c.noConnection(err)
}

// brokenAnswer returns the failure of a response that could not be read completely.
func (c *Client) brokenAnswer(caller context.Context, err error) *failure {
	switch {
	case caller.Err() != nil:
		return c.ended(caller)
	case errors.Is(err, errTooLarge):
		return &failure{outcome: TooLarge, err: c.errorf(domain.ValidationFailed,
			"answered more than %d bytes", c.settings.MaxAnswerBytes).WithRemedy(remedyByHand)}
	case errors.Is(err, errReported):
		return &failure{outcome: Unavailable, temporary: true, err: c.errorf(domain.Unavailable,
			"reported an error within its answer").WithRemedy(remedyLater)}
	case errors.Is(err, errNotCompletion):
		return &failure{outcome: InvalidJSON, err: c.errorf(domain.ValidationFailed,
			"answered something else than a chat completion").WithRemedy(remedySettings)}
	case isTimeout(err):
		return c.timedOut(err)
	}
	return &failure{outcome: Cut, temporary: true, err: c.errorf(domain.Unavailable,
		"closed the connection within its answer").WithRemedy(remedyLater).WithCause(err)}
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func (c *Client) rateLimited(wait time.Duration, temporary bool) *failure {
	failed := &failure{outcome: RateLimited, temporary: temporary, wait: wait,
		err: c.errorf(domain.RateLimited, "accepts no more requests for now (429)").WithRemedy(
			"Retry later, or ask an operator to lower the rate or to raise the quota of the language model.")}
	if wait > 0 {
		failed.err = failed.err.WithRetryAfter(wait)
	}
	return failed
}

func (c *Client) unavailable(code int, wait time.Duration) *failure {
	failed := &failure{outcome: Unavailable, temporary: true, wait: wait,
		err: c.errorf(domain.Unavailable, "reported an error (%d)", code).WithRemedy(remedyLater)}
	if wait > 0 {
		failed.err = failed.err.WithRetryAfter(wait)
	}
	return failed
}

func (c *Client) refused(code int, identifier string) *failure {
	what := fmt.Sprintf("refused the request (%d)", code)
	if identifier != "" {
		what = fmt.Sprintf("refused the request (%d, %s)", code, identifier)
	}
	remedy := remedySettings
	switch {
	case code >= 300 && code < 400:
		what += "; redirects are not followed"
	case code == 401 || code == 403:
		remedy = "Ask an operator to check the API key of the language model, then retry."
	}
	return &failure{outcome: Refused, err: c.errorf(domain.ValidationFailed, "%s", what).WithRemedy("%s", remedy)}
}

// refusedOrCut returns the failure of a complete reply in which the model did not answer, or was
// stopped.
func (r reply) refusedOrCut() *failure {
	switch {
	case r.refusal || r.finish == "content_filter":
		return &failure{outcome: Refused, err: domain.Errorf(domain.ValidationFailed,
			"The language model refused to answer.").WithRemedy(remedyByHand)}
	case r.finish == "length":
		return &failure{outcome: TooLarge, err: domain.Errorf(domain.ValidationFailed,
			"The language model stopped at its bound of tokens before its answer was complete.").WithRemedy(
			"Ask an operator to raise the bound of tokens, or enter the values by hand.")}
	}
	return nil
}

func leaked() *failure {
	return &failure{outcome: Refused, err: domain.Errorf(domain.ValidationFailed,
		"The answer of the language model contains the API key and was discarded.").WithRemedy(
		"Ask an operator to replace the API key and to check the endpoint of the language model.")}
}

func invalidJSON(problem string) *failure {
	return &failure{outcome: InvalidJSON, problems: []string{problem}, err: domain.Errorf(
		domain.ValidationFailed, "The answer of the language model is not valid JSON.").
		WithRemedy(remedyByHand)}
}

func schemaMiss(problems []string) *failure {
	return &failure{outcome: SchemaMiss, problems: problems, err: domain.Errorf(
		domain.ValidationFailed, "The answer of the language model does not match the schema.").
		WithRemedy(remedyByHand)}
}
