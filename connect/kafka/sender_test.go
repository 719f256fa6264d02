package kafka_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"countersign/connect/kafka"
	"countersign/domain"
	"countersign/events"
	"countersign/feed"
)

const topic = "countersign.events"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newCluster(t *testing.T, options ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1),
		kfake.SeedTopics(4, topic)}, options...)...)
	must(t, err)
	t.Cleanup(cluster.Close)
	return cluster
}

func newSender(t *testing.T, change ...func(*kafka.Settings)) *kafka.Sender {
	t.Helper()
	settings := kafka.Settings{Networks: []string{"127.0.0.0/8"}, PublicURL: "https://review.example",
		Timeout: 3 * time.Second, Secrets: []string{"books=login:ledger:open sesame"}}
	for _, one := range change {
		one(&settings)
	}
	sender, err := kafka.New(settings)
	must(t, err)
	t.Cleanup(sender.Close)
	return sender
}

func specOf(address string) domain.ConnectorSpec {
	return domain.ConnectorSpec{Name: "books", Kind: domain.ConnectorKafka, Audience: domain.ForStaff,
		URL: "kafka://" + address + "/" + topic}
}

func eventOf(stream domain.ID, seq int64) *feed.Event {
	return &feed.Event{Stream: stream, Audience: domain.AudienceStaff, VisibleEvent: events.VisibleEvent{
		Seq: seq, Type: domain.CaseRejected, SchemaVersion: 1,
		At: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), Body: json.RawMessage(`{"reason":"zebra"}`)}}
}

// consume reads n records of the topic.
func consume(t *testing.T, address string, n int) []*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.ConsumeTopics(topic))
	must(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var records []*kgo.Record
	for len(records) < n {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("%d of %d records: %v", len(records), n, err)
		}
		records = append(records, fetches.Records()...)
	}
	return records
}

// The events of a case are in one partition in their order, as CloudEvents with the case as key.
func TestRecords(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	sender := newSender(t)
	streams := []domain.ID{domain.NewID(), domain.NewID(), domain.NewID()}
	spec := specOf(cluster.ListenAddrs()[0])
	must(t, spec.Check())
	var sending sync.WaitGroup
	for _, stream := range streams {
		sending.Go(func() {
			for seq := range int64(20) {
				if attempt := sender.Deliver(t.Context(), spec, eventOf(stream, seq+1)); attempt.Outcome !=
					domain.AttemptDelivered || !strings.HasPrefix(attempt.Answer, "partition ") {
					t.Errorf("event %d: %+v", seq+1, attempt)
				}
			}
		})
	}
	sending.Wait()
	seqs, partitions := map[string][]string{}, map[string]int32{}
	for _, record := range consume(t, cluster.ListenAddrs()[0], 60) {
		var envelope feed.CloudEvent
		must(t, json.Unmarshal(record.Value, &envelope))
		key := string(record.Key)
		seqs[key] = append(seqs[key], envelope.ID)
		if at, known := partitions[key]; known && at != record.Partition {
			t.Errorf("%s is in the partitions %d and %d", key, at, record.Partition)
		}
		partitions[key] = record.Partition
		if len(record.Headers) != 2 || string(record.Headers[0].Value) != feed.ContentType ||
			string(record.Headers[1].Value) != envelope.ID || envelope.SpecVersion != "1.0" {
			t.Fatalf("the record has the headers %v and is %s", record.Headers, record.Value)
		}
	}
	for _, stream := range streams {
		var want []string
		for seq := range 20 {
			want = append(want, fmt.Sprintf("%s/%d", stream, seq+1))
		}
		if !slices.Equal(seqs[stream.String()], want) {
			t.Errorf("the events of %s came as %v", stream, seqs[stream.String()])
		}
	}
}

// answerProduce lets the cluster answer requests with an error while refused returns one.
func answerProduce(cluster *kfake.Cluster, refused func() *kerr.Error) {
	cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		failure := refused()
		if failure == nil {
			return nil, nil, false
		}
		produce := request.(*kmsg.ProduceRequest)
		response := produce.ResponseKind().(*kmsg.ProduceResponse)
		for _, asked := range produce.Topics {
			answer := kmsg.NewProduceResponseTopic()
			answer.Topic, answer.TopicID = asked.Topic, asked.TopicID
			for _, partition := range asked.Partitions {
				one := kmsg.NewProduceResponseTopicPartition()
				one.Partition, one.ErrorCode = partition.Partition, failure.Code
				answer.Partitions = append(answer.Partitions, one)
			}
			response.Topics = append(response.Topics, answer)
		}
		return response, nil, true
	})
}

// A record that the broker refuses as too large needs a person, and the next one is delivered. A
// broker that is no longer the leader is asked again, and the record is there once.
func TestRefusalsAndLostLeaders(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	var next atomic.Pointer[kerr.Error]
	var times atomic.Int64
	answerProduce(cluster, func() *kerr.Error {
		if times.Add(-1) < 0 {
			return nil
		}
		return next.Load()
	})
	sender, spec, stream := newSender(t), specOf(cluster.ListenAddrs()[0]), domain.NewID()
	for i, c := range []struct {
		failure *kerr.Error
		times   int64
		want    domain.AttemptOutcome
	}{{kerr.MessageTooLarge, 1, domain.AttemptRefused}, {kerr.NotLeaderForPartition, 2, domain.AttemptDelivered},
		{kerr.InvalidRecord, 1, domain.AttemptRefused}, {kerr.TopicAuthorizationFailed, 1, domain.AttemptFailed},
		{nil, 0, domain.AttemptDelivered}} {
		next.Store(c.failure)
		times.Store(c.times)
		attempt := sender.Deliver(t.Context(), spec, eventOf(stream, int64(i+1)))
		if attempt.Outcome != c.want || (c.want == domain.AttemptDelivered) != (attempt.Error == "") {
			t.Errorf("%v: %+v", c.failure, attempt)
		}
	}
	var ids []string
	for _, record := range consume(t, cluster.ListenAddrs()[0], 2) {
		ids = append(ids, string(record.Headers[1].Value))
	}
	if want := []string{stream.String() + "/2", stream.String() + "/5"}; !slices.Equal(ids, want) {
		t.Errorf("the topic has %v, want %v", ids, want)
	}
}

// An attempt at brokers that are away, that do not have the topic or that are not allowed ends in time
// and says why. Brokers that come back get the event.
func TestUnreachableBrokers(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := free.Addr().String()
	must(t, free.Close())
	sender := newSender(t)
	if got := sender.Deliver(t.Context(), specOf(address), eventOf(domain.NewID(), 1)); got.Outcome !=
		domain.AttemptFailed || !strings.Contains(got.Error, "connection refused") {
		t.Errorf("without a broker: %+v", got)
	}
	_, port, _ := net.SplitHostPort(address)
	var number int
	_, err = fmt.Sscan(port, &number)
	must(t, err)
	newCluster(t, kfake.Ports(number))
	deadline := time.Now().Add(time.Minute)
	for {
		got := sender.Deliver(t.Context(), specOf(address), eventOf(domain.NewID(), 1))
		if got.Outcome == domain.AttemptDelivered {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the broker came: %+v", got)
		}
	}
	other := specOf(address)
	other.Name, other.URL = "other", "kafka://"+address+"/missing"
	if got := sender.Deliver(t.Context(), other, eventOf(domain.NewID(), 1)); got.Outcome !=
		domain.AttemptFailed || !strings.Contains(got.Error, "UNKNOWN_TOPIC") {
		t.Errorf("without the topic: %+v", got)
	}
}

// Private addresses are refused, also those of brokers that an allowed broker names.
func TestForbiddenBrokers(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	closed := newSender(t, func(s *kafka.Settings) { s.Networks = nil })
	got := closed.Deliver(t.Context(), specOf(cluster.ListenAddrs()[0]), eventOf(domain.NewID(), 1))
	if got.Outcome != domain.AttemptFailed || !strings.Contains(got.Error, "needs TLS") {
		t.Errorf("a private address: %+v", got)
	}
	proxy := forward(t, "127.0.0.2:0", cluster.ListenAddrs()[0])
	half := newSender(t, func(s *kafka.Settings) { s.Networks = []string{"127.0.0.2"} })
	got = half.Deliver(t.Context(), specOf(proxy), eventOf(domain.NewID(), 1))
	if got.Outcome != domain.AttemptFailed || !strings.Contains(got.Error, "127.0.0.1 needs TLS") {
		t.Errorf("an address that a broker names: %+v", got)
	}
}

// forward accepts connections and passes them on.
func forward(t *testing.T, listen, to string) string {
	t.Helper()
	listener, err := net.Listen("tcp", listen)
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				return
			}
			t.Cleanup(func() { _, _ = in.Close(), out.Close() })
			go func() { _, _ = io.Copy(out, in) }()
			go func() { _, _ = io.Copy(in, out) }()
		}
	}()
	return listener.Addr().String()
}

// A login is sent by the mechanism of the address; a wrong one and a certificate that is not trusted
// fail with a reason and without the password.
func TestLogins(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "ledger", "open sesame"))
	spec := specOf(cluster.ListenAddrs()[0])
	spec.Secrets = []string{"books"}
	if got := newSender(t).Deliver(t.Context(), spec, eventOf(domain.NewID(), 1)); got.Outcome !=
		domain.AttemptDelivered {
		t.Errorf("with the login: %+v", got)
	}
	wrong := newSender(t, func(s *kafka.Settings) { s.Secrets = []string{"books=login:ledger:hunter2"} })
	got := wrong.Deliver(t.Context(), spec, eventOf(domain.NewID(), 1))
	if got.Outcome != domain.AttemptFailed || !strings.Contains(got.Error, "login") ||
		strings.Contains(got.Error, "hunter2") {
		t.Errorf("with a wrong login: %+v", got)
	}
	spec.Secrets = []string{"unknown"}
	if got := newSender(t).Deliver(t.Context(), spec, eventOf(domain.NewID(), 1)); !strings.Contains(
		got.Error, `"unknown" is not a login`) {
		t.Errorf("without a login: %+v", got)
	}
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	encrypted := newCluster(t, kfake.TLS(&tls.Config{Certificates: server.TLS.Certificates}))
	spec = specOf(encrypted.ListenAddrs()[0])
	spec.URL = strings.Replace(spec.URL, "kafka://", "kafkas://", 1)
	if got := newSender(t).Deliver(t.Context(), spec, eventOf(domain.NewID(), 1)); got.Outcome !=
		domain.AttemptFailed || !strings.Contains(got.Error, "certificate") {
		t.Errorf("with an unknown certificate: %+v", got)
	}
}
