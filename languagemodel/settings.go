package languagemodel

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/domain"
)

// Defaults and bounds of the settings.
const (
	DefaultTimeout     = time.Minute
	DefaultMaxAnswer   = 1 << 20
	DefaultConcurrency = 4
	DefaultMaxTokens   = 4096
	// DefaultImageTokens is more than the image of an A4 page of 1,568 pixels has for the models that
	// are served most: 2,240 for Qwen2.5-VL, which needs the most.
	DefaultImageTokens   = 2500
	DefaultMaxRetryAfter = 30 * time.Second
	DefaultBreakerAfter  = 5
	DefaultBreakerPause  = 30 * time.Second
	maxRetries           = 10
	// maxModelName bounds the name of a model, in bytes.
	maxModelName = 200
)

// Settings are the operator's settings of the endpoint.
type Settings struct {
	// Endpoint is the address in front of /chat/completions, such as https://models.example/v1.
	Endpoint       string
	Model          string
	APIKey         string        // sent as a bearer token if set
	Timeout        time.Duration // of one call, to the last byte of its answer
	MaxAnswerBytes int64
	Concurrency    int // calls at a time
	// Retries is the number of further calls after temporary failures in one Ask; 0 = none. The
	// repair turn is not counted.
	Retries     int
	Stream      bool
	Temperature float64
	// ImageTokens is what an image counts at least, whatever the endpoint reports.
	ImageTokens int
	// MaxRetryAfter is the longest Retry-After that Ask waits for.
	MaxRetryAfter time.Duration
	// BreakerAfter failures in a row stop all calls for BreakerPause.
	BreakerAfter int
	BreakerPause time.Duration
	// HTTP replaces the client; redirects stay refused. nil = a client with the guards of this package.
	HTTP  *http.Client
	Clock domain.Clock
	// Wait waits between calls; nil = a timer.
	Wait func(ctx context.Context, wait time.Duration) error
}

// String returns the settings without the key.
func (s Settings) String() string { return s.Model + " at " + s.Endpoint }

// GoString returns the settings without the key.
func (s Settings) GoString() string { return s.String() }

// LogValue returns the settings without the key.
func (s Settings) LogValue() slog.Value { return slog.StringValue(s.String()) }

// validate returns InvalidInput for a setting that cannot work, without its value if it may be secret.
func (s Settings) validate() (*url.URL, error) {
	endpoint, err := url.Parse(s.Endpoint)
	switch {
	case err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Hostname() == "" ||
		endpoint.User != nil || endpoint.RawQuery != "" || endpoint.Fragment != "":
		return nil, domain.Invalid("endpoint",
			"The endpoint of the language model is not an address such as https://models.example/v1.")
	case s.Model == "" || len(s.Model) > maxModelName:
		return nil, domain.Invalid("model", "The language model has no name, or a name of more than %d bytes.",
			maxModelName)
	case strings.ContainsFunc(s.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, domain.Invalid("apiKey",
			"The API key of the language model has characters that cannot be sent.")
	case s.Timeout < 0 || s.MaxAnswerBytes < 0 || s.Concurrency < 0 || s.MaxRetryAfter < 0 ||
		s.BreakerAfter < 0 || s.BreakerPause < 0 || s.ImageTokens < 0:
		return nil, domain.Invalid("settings", "A setting of the language model is negative.")
	case s.Retries < 0 || s.Retries > maxRetries:
		return nil, domain.Invalid("retries", "The number of retries must be 0 to %d.", maxRetries)
	case !(s.Temperature >= 0 && s.Temperature <= 2):
		return nil, domain.Invalid("temperature", "The temperature must be 0 to 2.")
	}
	return endpoint, nil
}

// orDefault returns the value, or the default for 0.
func orDefault[T int | int64 | time.Duration](value, standard T) T {
	if value == 0 {
		return standard
	}
	return value
}

// withDefaults returns the settings with every default.
func (s Settings) withDefaults() Settings {
	s.Timeout = orDefault(s.Timeout, DefaultTimeout)
	s.MaxAnswerBytes = orDefault(s.MaxAnswerBytes, DefaultMaxAnswer)
	s.Concurrency = orDefault(s.Concurrency, DefaultConcurrency)
	s.ImageTokens = orDefault(s.ImageTokens, DefaultImageTokens)
	s.MaxRetryAfter = orDefault(s.MaxRetryAfter, DefaultMaxRetryAfter)
	s.BreakerAfter = orDefault(s.BreakerAfter, DefaultBreakerAfter)
	s.BreakerPause = orDefault(s.BreakerPause, DefaultBreakerPause)
	if s.Clock == nil {
		s.Clock = domain.SystemClock{}
	}
	if s.Wait == nil {
		s.Wait = waitTimer
	}
	return s
}

func waitTimer(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
