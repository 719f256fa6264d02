package languagemodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

const (
	// longestRetryAfter bounds for how long an endpoint can put off the next call.
	longestRetryAfter = 24 * time.Hour
	maxErrorBody      = 64 << 10
	maxIdentifier     = 64
)

// send makes one call and reads its response, within the timeout.
func (c *Client) send(caller context.Context, prompt prompt) (reply, *failure) {
	ctx, cancel := context.WithTimeout(caller, c.settings.Timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(written httptrace.WroteRequestInfo) { sent.Store(written.Err == nil) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.String(),
		bytes.NewReader(prompt.body))
	if err != nil {
		return reply{}, c.noConnection(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Countersign")
	request.Header.Set("Accept", "application/json")
	if c.settings.Stream {
		request.Header.Set("Accept", "text/event-stream")
	}
	c.authorize(request.Header)
	response, err := c.http.Do(request)
	if err != nil {
		return reply{sent: sent.Load()}, c.noResponse(caller, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer := reply{status: response.StatusCode}
	if response.StatusCode != http.StatusOK {
		return answer, c.refusal(response)
	}
	answer.sent = true
	if err := answer.read(response, c.settings.MaxAnswerBytes); err != nil {
		return answer, c.brokenAnswer(caller, err)
	}
	return answer, nil
}

// refusal returns the failure of a response that is not 200.
func (c *Client) refusal(response *http.Response) *failure {
	identifier := c.errorIdentifier(response.Body)
	wait := retryAfter(response.Header.Get("Retry-After"), c.settings.Clock.Now())
	switch code := response.StatusCode; {
	case code == http.StatusTooManyRequests:
		// A used-up account stays used up.
		return c.rateLimited(wait, identifier != "insufficient_quota")
	case code == http.StatusRequestTimeout || code == http.StatusTooEarly || code >= 500:
		return c.unavailable(code, wait)
	default:
		return c.refused(code, identifier)
	}
}

// retryAfter reads the header, which has seconds or a time.
func retryAfter(header string, now time.Time) time.Duration {
	var wait time.Duration
	seconds, err := strconv.ParseInt(header, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		wait = time.Duration(min(max(seconds, 0), int64(longestRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longestRetryAfter)
}

// errorIdentifier returns the code or type of an error, such as model_not_found. Its message is not
// read, because it can contain parts of the request.
func (c *Client) errorIdentifier(body io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what arrives is enough
	var parsed struct {
		Error struct{ Code, Type any }
	}
	if json.Unmarshal(text, &parsed) != nil {
		return ""
	}
	for _, value := range []any{parsed.Error.Code, parsed.Error.Type} {
		identifier, _ := value.(string)
		if identifier != "" && len(identifier) <= maxIdentifier && !c.leaks(identifier) &&
			!strings.ContainsFunc(identifier, func(r rune) bool {
				return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '.'
			}) {
			return identifier
		}
	}
	return ""
}

// storable returns a text without what Postgres cannot store.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// shortName returns a name from outside without control characters, cut to the bound of names.
func shortName(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text[:min(len(text), maxModelName)])
	return strings.ToValidUTF8(text, "")
}
