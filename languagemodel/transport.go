package languagemodel

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"countersign/connect"
	"countersign/domain"
)

const (
	// maxHeader bounds the header of a response, in bytes.
	maxHeader = 64 << 10
	// minDetectedKey is the length from which a key is searched in answers. Shorter ones, such as
	// "none", are placeholders.
	minDetectedKey = 8
)

func authorization(key string) func(http.Header) {
	return func(header http.Header) {
		if key != "" {
			header.Set("Authorization", "Bearer "+key)
		}
	}
}

func keyDetector(key string) func(string) bool {
	return func(text string) bool { return len(key) >= minDetectedKey && strings.Contains(text, key) }
}

// newHTTPClient returns a client that follows no redirect and keeps no cookies. The operator chooses
// the endpoint, so it may be in a private network, and the proxy of the environment is used.
func newHTTPClient(given *http.Client, plain bool) *http.Client {
	var transport http.RoundTripper
	if given != nil {
		transport = given.Transport
	}
	switch chosen := transport.(type) {
	case nil:
		transport = newTransport(plain)
	case *http.Transport:
		chosen = chosen.Clone()
		chosen.MaxResponseHeaderBytes = maxHeader
		transport = chosen
	}
	return &http.Client{Transport: withoutRedirects{transport}}
}

func newTransport(plain bool) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport.MaxResponseHeaderBytes = maxHeader
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if plain {
		// A proxy would hide the address from the check.
		transport.Proxy = nil
		dialer.Control = refusePublic
	}
	transport.DialContext = dialer.DialContext
	return transport
}

// refusePublic is net.Dialer.Control of connections without TLS. On the public Internet, others
// could read the key and the documents.
func refusePublic(_, address string, _ syscall.RawConn) error {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil || connect.IsPublic(parsed.Addr().Unmap()) {
		return domain.Errorf(domain.NotPermitted,
			"The address %s of the language model is public, so it needs TLS.", address).
			WithRemedy("Ask an operator to use an endpoint with https.")
	}
	return nil
}

// withoutRedirects removes the target of redirects, so that http.Client returns them as responses:
// the key and the documents must reach the configured address or none.
type withoutRedirects struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w withoutRedirects) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(r)
	if err == nil {
		response.Header.Del("Location")
	}
	return response, err
}
