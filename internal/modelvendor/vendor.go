package modelvendor

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are how a vendor runs. The zero value is an honest one on a free port.
type Options struct {
	Address string // "" = 127.0.0.1:0
	Key     string // required as bearer token; "" = none
	// Sequence has the behaviours of the first requests, Always that of the others.
	Sequence []Behaviour
	Always   Behaviour // "" = Honest
	// CertificateName makes the vendor speak TLS, with a certificate for the name; see Roots.
	CertificateName string
	Slow            time.Duration // 0 = 2 s
	Pace            time.Duration // 0 = 1 min
	RetryAfter      string        // of RateLimited and Error503; "" = none
	RedirectTo      string        // "" = another path of the vendor
	Other           string        // text of OtherDocument; "" = one of this package
	// OnRequest is called with every request before its response, if set.
	OnRequest func(Seen)
}

// Seen is a request that the vendor received.
type Seen struct {
	Behaviour Behaviour
	Model     string
	Key       string // as it was sent
	Repair    bool   // the request has an earlier answer
	Stream    bool
	Body      []byte
	Images    []SeenImage // that could be decoded
}

// Vendor is a running server.
type Vendor struct {
	URL string // base address, ends with /v1
	// Roots trusts the certificate of a vendor with TLS.
	Roots *x509.CertPool

	options   Options
	server    *http.Server
	closed    chan struct{}
	close     func()
	mu        sync.Mutex
	seen      []Seen
	elsewhere int
	active    int
	most      int
}

// Start starts a vendor.
func Start(options Options) (*Vendor, error) {
	if options.Address == "" {
		options.Address = "127.0.0.1:0"
	}
	if options.Slow == 0 {
		options.Slow = 2 * time.Second
	}
	if options.Pace == 0 {
		options.Pace = time.Minute
	}
	if options.Always == "" {
		options.Always = Honest
	}
	if options.Other == "" {
		options.Other = otherDocument
	}
	listener, err := net.Listen("tcp", options.Address)
	if err != nil {
		return nil, fmt.Errorf("modelvendor: listen: %w", err)
	}
	v := &Vendor{options: options, closed: make(chan struct{}), URL: "http://" + listener.Addr().String() + "/v1"}
	v.close = sync.OnceFunc(func() { close(v.closed) })
	if options.CertificateName != "" {
		certificate, err := newCertificate(options.CertificateName)
		if err != nil {
			return nil, errors.Join(err, listener.Close())
		}
		v.Roots = x509.NewCertPool()
		v.Roots.AddCert(certificate.Leaf)
		v.URL = "https" + strings.TrimPrefix(v.URL, "http")
		listener = tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12,
			Certificates: []tls.Certificate{certificate}})
	}
	routes := http.NewServeMux()
	routes.HandleFunc("POST /v1/chat/completions", v.serve)
	routes.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.elsewhere++
	})
	v.server = &http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second, ErrorLog: silent()}
	go func() { _ = v.server.Serve(listener) }()
	return v, nil
}

// Close ends the vendor with its connections.
func (v *Vendor) Close() {
	v.close()
	_ = v.server.Close()
}

// Then adds behaviours to the sequence.
func (v *Vendor) Then(behaviours ...Behaviour) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.options.Sequence = append(v.options.Sequence, behaviours...)
}

// Always sets the behaviour after the sequence.
func (v *Vendor) Always(behaviour Behaviour) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.options.Always = behaviour
}

// Requests returns what the vendor received.
func (v *Vendor) Requests() []Seen {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.seen)
}

// Elsewhere returns how many requests followed a redirect.
func (v *Vendor) Elsewhere() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.elsewhere
}

// MostAtATime returns the largest number of concurrent requests.
func (v *Vendor) MostAtATime() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.most
}

// enter records a request and returns its behaviour: that of its model, if its name ends with a
// colon and a behaviour, or else the next of the sequence.
func (v *Vendor) enter(seen Seen) Behaviour {
	if v.options.OnRequest != nil {
		defer func() { v.options.OnRequest(seen) }() // after the lock
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.active++
	v.most = max(v.most, v.active)
	seen.Behaviour = v.options.Always
	_, named, _ := strings.Cut(seen.Model, ":")
	switch {
	case slices.Contains(Behaviours(), Behaviour(named)):
		seen.Behaviour = Behaviour(named)
	case len(v.options.Sequence) > 0:
		seen.Behaviour, v.options.Sequence = v.options.Sequence[0], v.options.Sequence[1:]
	}
	v.seen = append(v.seen, seen)
	return seen.Behaviour
}

func (v *Vendor) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.active--
}

// pause waits. It reports whether the request still waits for a response.
func (v *Vendor) pause(r *http.Request, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-v.closed:
	}
	return false
}
