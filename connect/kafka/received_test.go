package kafka_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"countersign/connect/kafka"
	"countersign/domain"
	"countersign/feed"
)

// received reads the ids of a period.
func received(t *testing.T, sender *kafka.Sender, spec domain.ConnectorSpec, from, to time.Time) (
	[]string, error) {
	t.Helper()
	ids := map[string]bool{}
	err := sender.Received(t.Context(), spec, from, to, func(id string) error {
		ids[id] = true
		return nil
	})
	return slices.Sorted(maps.Keys(ids)), err
}

// The topic lists the events of the period that it has; records of other producers are left out.
func TestReceived(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	sender := newSender(t)
	spec := specOf(cluster.ListenAddrs()[0])
	now := time.Now().UTC()
	empty, err := received(t, sender, spec, now.Add(-time.Hour), now)
	if err != nil || len(empty) != 0 {
		t.Fatalf("an empty topic: %v, %v", empty, err)
	}
	var want []string
	for i := range 30 {
		event := eventOf(domain.NewID(), int64(i+1))
		event.At = now.Add(time.Duration(-i) * time.Minute)
		for range 1 + i%2 { // some twice
			deliver(t, sender, spec, event)
		}
		if i > 0 && i <= 10 {
			want = append(want, event.ID())
		}
	}
	if attempt := sender.TestConnector(t.Context(), spec); attempt.Outcome != domain.AttemptDelivered {
		t.Fatalf("%+v", attempt)
	}
	other := newSender(t, func(s *kafka.Settings) { s.PublicURL = "https://other.example" })
	foreign := eventOf(domain.NewID(), 1)
	foreign.At = now.Add(-time.Minute)
	deliver(t, other, spec, foreign)
	produce(t, spec, "no event")
	slices.Sort(want)
	got, err := received(t, sender, spec, now.Add(-10*time.Minute), now)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err = received(t, sender, spec, now.Add(time.Hour), now.Add(2*time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("a later period: %v, %v", got, err)
	}
	stopped := fmt.Errorf("enough")
	err = sender.Received(t.Context(), spec, now.Add(-time.Hour), now, func(string) error { return stopped })
	if err == nil {
		t.Error("the visitor's error is lost")
	}
}

// Attack: a topic that has deleted records, a missing topic and brokers that are away are no proof that
// events are missing.
func TestReceivedWithoutRecords(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	sender := newSender(t)
	spec := specOf(cluster.ListenAddrs()[0])
	began := time.Now().UTC()
	event := eventOf(domain.NewID(), 1)
	event.At = began
	for range 3 {
		deliver(t, sender, spec, event)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	must(t, err)
	defer client.Close()
	request := kmsg.NewPtrDeleteRecordsRequest()
	deleted := kmsg.NewDeleteRecordsRequestTopic()
	deleted.Topic = topic
	for partition := range int32(4) {
		one := kmsg.NewDeleteRecordsRequestTopicPartition()
		one.Partition, one.Offset = partition, -1
		deleted.Partitions = append(deleted.Partitions, one)
	}
	request.Topics = append(request.Topics, deleted)
	_, err = request.RequestWith(t.Context(), client)
	must(t, err)
	if got, err := received(t, sender, spec, began.Add(-time.Hour), began.Add(time.Hour)); !domain.HasCode(err,
		domain.InvalidInput) {
		t.Errorf("deleted records: %v, %v", got, err)
	}
	missing := spec
	missing.URL = "kafka://" + cluster.ListenAddrs()[0] + "/nowhere"
	if got, err := received(t, sender, missing, began, began.Add(time.Hour)); !domain.HasCode(err,
		domain.Unavailable) {
		t.Errorf("a missing topic: %v, %v", got, err)
	}
	away := newCluster(t, kfake.NumBrokers(1))
	spec.URL = "kafka://" + away.ListenAddrs()[0] + "/" + topic
	away.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	err = sender.Received(ctx, spec, began, began.Add(time.Hour), func(string) error { return nil })
	if !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("no brokers: %v", err)
	}
}

func deliver(t *testing.T, sender *kafka.Sender, spec domain.ConnectorSpec, event *feed.Event) {
	t.Helper()
	if attempt := sender.Deliver(t.Context(), spec, event); attempt.Outcome != domain.AttemptDelivered {
		t.Fatalf("%+v", attempt)
	}
}

// produce writes a record of another producer.
func produce(t *testing.T, spec domain.ConnectorSpec, value string) {
	t.Helper()
	address, err := spec.Kafka()
	must(t, err)
	client, err := kgo.NewClient(kgo.SeedBrokers(address.Brokers...), kgo.DefaultProduceTopic(address.Topic))
	must(t, err)
	defer client.Close()
	must(t, client.ProduceSync(t.Context(), kgo.StringRecord(value)).FirstErr())
}
