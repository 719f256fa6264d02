package oidc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"
)

const (
	callTimeout = 10 * time.Second
	// maxAnswer bounds an answer of a provider, in bytes.
	maxAnswer = 1 << 20
)

// client calls providers, within bounds.
type client struct{ http *http.Client }

// newClient returns a client that follows no redirects, because a provider names its own addresses.
// The operator chooses the provider, so it may be in a private network.
func newClient() client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	return client{&http.Client{Timeout: callTimeout, Transport: bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// with returns a context in which the libraries use the client.
func (c client) with(ctx context.Context) context.Context { return goidc.ClientContext(ctx, c.http) }

// bounded refuses answers that are too large.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{answer.Body, maxAnswer}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("oidc: the answer of the provider is too large")
	}
	n, err := b.ReadCloser.Read(into[:min(len(into), b.left)])
	b.left -= n
	return n, err
}
