package connect

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"countersign/domain"
	"countersign/feed"
)

// Sender makes one attempt to deliver an event to a receiver of one kind.
type Sender interface {
	Deliver(ctx context.Context, spec domain.ConnectorSpec, event *feed.Event) domain.DeliveryAttempt
	// TestConnector sends an event that is not of the feed.
	TestConnector(ctx context.Context, spec domain.ConnectorSpec) domain.DeliveryAttempt
}

// Senders are the senders of all kinds.
type Senders map[domain.ConnectorKind]Sender

// Deliver implements Sender.
func (s Senders) Deliver(ctx context.Context, spec domain.ConnectorSpec, event *feed.Event,
) domain.DeliveryAttempt {
	sender, known := s[spec.Kind]
	if !known {
		return Failed("This program has no connectors of the kind %s.", spec.Kind)
	}
	return sender.Deliver(ctx, spec, event)
}

// TestConnector implements Sender.
func (s Senders) TestConnector(ctx context.Context, spec domain.ConnectorSpec,
) domain.DeliveryAttempt {
	sender, known := s[spec.Kind]
	if !known {
		return Failed("This program has no connectors of the kind %s.", spec.Kind)
	}
	return sender.TestConnector(ctx, spec)
}

// Envelope returns an event as it leaves by a connector. source is the public address of the
// installation.
func Envelope(spec domain.ConnectorSpec, event *feed.Event, source string) (feed.CloudEvent, error) {
	mode := feed.Notice
	if spec.Snapshot {
		mode = feed.Snapshot
	}
	return feed.ToCloudEvent(event, source, mode)
}

// testType is the type of the event that a person sends to try a receiver.
const testType = "connector.test"

// testID begins the id of such an event.
const testID = "test/"

// TestEvent returns an event that is not of the feed.
func TestEvent(spec domain.ConnectorSpec, source string, now time.Time) feed.CloudEvent {
	return feed.CloudEvent{SpecVersion: "1.0", ID: testID + domain.NewID().String(), Source: source,
		Type: testType, Subject: spec.Name, Time: now.UTC().Format(time.RFC3339Nano),
		DataContentType: "application/json", Data: json.RawMessage(`{"test":true}`)}
}

// IsTest reports whether the id is of an event that TestEvent made.
func IsTest(id string) bool { return strings.HasPrefix(id, testID) }
