package kafka

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"countersign/connect"
	"countersign/domain"
)

// connect returns a client of the connector's brokers. It does not connect yet.
func (s *Sender) connect(spec domain.ConnectorSpec, unreachable *atomic.Pointer[error],
	more ...kgo.Opt) (*kgo.Client, error) {
	address, err := spec.Kafka()
	if err != nil {
		return nil, err
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(address.Brokers...),
		kgo.DefaultProduceTopic(address.Topic),
		kgo.ClientID("countersign"),
		kgo.Dialer(s.dial(address.Encrypted, unreachable)),
		// Every replica in sync has the record before it counts as delivered. The producer is
		// idempotent, so a request that the client repeats leaves one record.
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerBatchMaxBytes(maxRecord),
		kgo.ProducerLinger(0),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), // as the clients of Kafka do by default
		kgo.UnknownTopicRetries(topicRetries),
		kgo.RetryTimeout(retryTimeout),
		kgo.RecordDeliveryTimeout(s.timeout),
		kgo.AllowIdempotentProduceCancellation(), // an attempt ends in time; the event is sent again
		kgo.DisableClientMetrics(),
		kgo.MetadataMinAge(time.Second),
	}
	login, given, err := s.secrets.LoginOf(spec)
	if err != nil {
		return nil, err
	}
	if given {
		options = append(options, kgo.SASL(mechanism(address.Mechanism, login)))
	}
	client, err := kgo.NewClient(append(options, more...)...)
	if err != nil {
		return nil, domain.Invalid("url", "The brokers cannot be used.").WithCause(err)
	}
	return client, nil
}

func mechanism(name string, login connect.Login) sasl.Mechanism {
	auth := scram.Auth{User: login.User, Pass: login.Password}
	switch name {
	case "plain":
		return plain.Auth{User: login.User, Pass: login.Password}.AsMechanism()
	case "scram-sha-256":
		return auth.AsSha256Mechanism()
	}
	return auth.AsSha512Mechanism()
}

// dial returns a function that connects to brokers whose addresses are allowed. Brokers that others
// name are checked as well, because they are dialled in the same way.
func (s *Sender) dial(encrypted bool, unreachable *atomic.Pointer[error],
) func(context.Context, string, string) (net.Conn, error) {
	dialer := connect.Dialer(s.networks, encrypted)
	dial := dialer.DialContext
	if encrypted {
		dial = (&tls.Dialer{NetDialer: dialer,
			Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dial(ctx, network, address)
		if err == nil {
			unreachable.Store(nil)
		} else if ctx.Err() == nil {
			unreachable.Store(&err)
		}
		return connection, err
	}
}
