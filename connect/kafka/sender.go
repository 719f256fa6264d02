package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"countersign/connect"
	"countersign/domain"
	"countersign/feed"
)

// Bounds of one attempt.
const (
	attemptTimeout = 15 * time.Second
	retryTimeout   = 10 * time.Second
	// maxRecord is the largest record that is sent, before compression.
	maxRecord = 1 << 20
	// topicRetries is how often a topic that does not exist is looked for again in an attempt.
	topicRetries = 2
)

// Settings are the operator's settings.
type Settings struct {
	Secrets   []string // see connect.ParseSecrets
	Networks  []string // private networks that may be reached
	PublicURL string   // source of the events, without a slash at its end
	Clock     domain.Clock
	Timeout   time.Duration // of one attempt; default 15 s
}

// Sender sends records. It is safe for concurrent use.
type Sender struct {
	secrets   connect.Secrets
	networks  []netip.Prefix
	publicURL string
	clock     domain.Clock
	timeout   time.Duration

	mu      sync.Mutex
	clients map[string]*client // by name of the connector
}

// client is the client of a connector as long as its definition stays the same.
type client struct {
	definition string
	*kgo.Client
	// unreachable is why the last connection failed, nil after one that succeeded.
	unreachable *atomic.Pointer[error]
}

// New returns a Sender. It returns InvalidInput for an invalid setting.
func New(settings Settings) (*Sender, error) {
	secrets, err := connect.ParseSecrets(settings.Secrets)
	if err != nil {
		return nil, err
	}
	networks, err := connect.ParseNetworks(settings.Networks)
	if err != nil {
		return nil, err
	}
	s := &Sender{secrets: secrets, networks: networks, publicURL: settings.PublicURL,
		clock: settings.Clock, timeout: settings.Timeout, clients: map[string]*client{}}
	if s.clock == nil {
		s.clock = domain.SystemClock{}
	}
	if s.timeout == 0 {
		s.timeout = attemptTimeout
	}
	return s, nil
}

// Close closes the connections.
func (s *Sender) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.clients {
		c.Client.Close()
		delete(s.clients, name)
	}
}

// Deliver sends one event as a record whose key is its stream, so that all events of a case are in one
// partition. All replicas must have it.
func (s *Sender) Deliver(ctx context.Context, spec domain.ConnectorSpec, event *feed.Event,
) domain.DeliveryAttempt {
	envelope, err := connect.Envelope(spec, event, s.publicURL)
	if err != nil {
		return domain.DeliveryAttempt{Outcome: domain.AttemptRefused, Error: err.Error()}
	}
	return s.send(ctx, spec, event.Stream.String(), envelope)
}

// TestConnector implements connect.Sender.
func (s *Sender) TestConnector(ctx context.Context, spec domain.ConnectorSpec,
) domain.DeliveryAttempt {
	return s.send(ctx, spec, "test", connect.TestEvent(spec, s.publicURL, s.clock.Now()))
}

func (s *Sender) send(ctx context.Context, spec domain.ConnectorSpec, key string,
	envelope feed.CloudEvent) domain.DeliveryAttempt {
	value, err := json.Marshal(envelope)
	if err != nil {
		return domain.DeliveryAttempt{Outcome: domain.AttemptRefused, Error: err.Error()}
	}
	kafka, err := s.clientOf(spec)
	if err != nil {
		return attemptOf(err, nil, s.timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	began := s.clock.Now()
	record := &kgo.Record{Key: []byte(key), Value: value, Headers: []kgo.RecordHeader{
		{Key: "content-type", Value: []byte(feed.ContentType)}, {Key: "id", Value: []byte(envelope.ID)}}}
	sent, err := kafka.ProduceSync(ctx, record).First()
	attempt := attemptOf(err, kafka.reason(err), s.timeout)
	if err == nil {
		attempt.Answer = fmt.Sprintf("partition %d, offset %d", sent.Partition, sent.Offset)
	}
	attempt.Took = s.clock.Now().Sub(began)
	return attempt
}

// clientOf returns the client of the connector. A client of an earlier definition is closed.
func (s *Sender) clientOf(spec domain.ConnectorSpec) (*client, error) {
	definition := spec.URL + " " + strings.Join(spec.Secrets, ",")
	s.mu.Lock()
	defer s.mu.Unlock()
	if present := s.clients[spec.Name]; present != nil {
		if present.definition == definition {
			return present, nil
		}
		go present.Client.Close() // waits for its connections
		delete(s.clients, spec.Name)
	}
	made := &client{definition: definition, unreachable: &atomic.Pointer[error]{}}
	var err error
	if made.Client, err = s.connect(spec, made.unreachable); err != nil {
		return nil, err
	}
	s.clients[spec.Name] = made
	return made, nil
}

// pingTimeout bounds the question why a record was not accepted in time.
const pingTimeout = 2 * time.Second

// reason returns why the brokers did not accept a record in time, nil if that is unknown or err is
// another error. The error of a record does not say that a connection or a login failed.
func (c *client) reason(err error) error {
	if !isTimeout(err) {
		return nil
	}
	if failure := c.unreachable.Load(); failure != nil {
		return *failure
	}
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	err = c.Ping(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	case errors.Is(err, io.EOF):
		return errClosed
	}
	return err
}

// errClosed is what a refused login looks like at many brokers.
var errClosed = errors.New("they close the connection, which may mean that they refuse the login")

func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, kgo.ErrRecordTimeout)
}

// refusals are errors of a record that no further attempt changes.
var refusals = []error{kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord,
	kerr.CorruptMessage, kerr.InvalidTimestamp, kerr.PolicyViolation}

// attemptOf returns what an error means. unreachable is why the brokers could not be reached, which the
// error of a record does not say.
func attemptOf(err, unreachable error, timeout time.Duration) domain.DeliveryAttempt {
	var known *domain.Error
	var answer *kerr.Error
	switch {
	case err == nil:
		return domain.DeliveryAttempt{Outcome: domain.AttemptDelivered}
	case errors.As(err, &known):
		return connect.Failed("%s", known.Message)
	case errors.As(err, &answer):
		attempt := connect.Failed("The broker answered %s: %s", answer.Message, answer.Description)
		for _, refusal := range refusals {
			if errors.Is(err, refusal) {
				attempt.Outcome = domain.AttemptRefused
			}
		}
		return attempt
	case isTimeout(err):
		if errors.As(unreachable, &known) {
			return connect.Failed("%s", known.Message)
		}
		if unreachable != nil {
			return connect.Failed("The brokers cannot be reached: %s", unreachable)
		}
		return connect.Failed("The brokers did not accept the event within %s.", timeout)
	}
	return connect.Failed("The event was not accepted: %s", err)
}
