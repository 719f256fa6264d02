package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"countersign/connect"
	"countersign/domain"
)

// receivedTimeout bounds reading a topic.
const receivedTimeout = 2 * time.Minute

// Received implements connect.Receiver: it reads the records that the topic has had since from. A
// record is written after its event happened, so none of the period is before that. Records of other
// sources are left out. It returns InvalidInput if the topic has deleted records of the period.
func (s *Sender) Received(ctx context.Context, spec domain.ConnectorSpec, from, to time.Time,
	visit func(id string) error) error {
	address, err := spec.Kafka()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, receivedTimeout)
	defer cancel()
	// A client of its own, because that of deliveries reads nothing.
	unreachable := &atomic.Pointer[error]{}
	// A partition can end with a control record.
	client, err := s.connect(spec, unreachable, kgo.KeepControlRecords())
	if err != nil {
		return err
	}
	defer client.Close()
	reading, err := newReading(ctx, client, address.Topic, from)
	if err == nil {
		err = reading.run(ctx, func(record *kgo.Record) error {
			return s.visitRecord(record, from, to, visit)
		})
	}
	var known *domain.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case unreachable.Load() != nil:
		return connect.Unanswered("The brokers cannot be reached: %s", *unreachable.Load())
	}
	return connect.Unanswered("The topic cannot be read: %s", err)
}

// visitRecord visits the event of a record if it is of this installation and of the period.
func (s *Sender) visitRecord(record *kgo.Record, from, to time.Time, visit func(string) error) error {
	var envelope struct {
		ID, Source string
		Time       time.Time
	}
	if err := json.Unmarshal(record.Value, &envelope); err != nil || envelope.Source != s.publicURL ||
		connect.IsTest(envelope.ID) || envelope.Time.Before(from) || !envelope.Time.Before(to) {
		return nil //nolint:nilerr // a record of another producer
	}
	return visit(envelope.ID)
}

// reading reads the partitions of a topic up to the ends that they had at its beginning.
type reading struct {
	client *kgo.Client
	topic  string
	begin  map[int32]kgo.Offset
	ends   map[int32]int64 // of partitions that are not read to their end yet
}

// Timestamps of a request for offsets, as the protocol defines them.
const (
	latestOffset   = -1
	earliestOffset = -2
)

func newReading(ctx context.Context, client *kgo.Client, topic string, from time.Time) (*reading, error) {
	partitions, err := partitionsOf(ctx, client, topic)
	if err != nil {
		return nil, err
	}
	r := &reading{client: client, topic: topic, begin: map[int32]kgo.Offset{}, ends: map[int32]int64{}}
	var offsets [3]map[int32]int64
	for i, at := range []int64{earliestOffset, latestOffset, from.UnixMilli()} {
		if offsets[i], err = offsetsAt(ctx, client, topic, partitions, at); err != nil {
			return nil, err
		}
	}
	for _, partition := range partitions {
		first, end, begin := offsets[0][partition], offsets[1][partition], offsets[2][partition]
		if begin < 0 {
			begin = end // no record is as new
		}
		// Without an older record before it, deleted records may have been of the period.
		if first > 0 && begin == first {
			return nil, domain.Invalid("from",
				"The topic may have deleted records of this period: partition %d begins later.", partition).
				WithRemedy("Choose a later beginning, or let the topic keep its records for longer.")
		}
		if begin < end {
			r.begin[partition], r.ends[partition] = kgo.NewOffset().At(begin), end
		}
	}
	return r, nil
}

func (r *reading) run(ctx context.Context, visit func(*kgo.Record) error) error {
	r.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{r.topic: r.begin})
	for len(r.ends) > 0 {
		fetches := r.client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for records := fetches.RecordIter(); !records.Done(); {
			record := records.Next()
			end, open := r.ends[record.Partition]
			if !open || record.Offset >= end {
				continue
			}
			if err := visit(record); err != nil {
				return err
			}
			if record.Offset == end-1 {
				delete(r.ends, record.Partition)
			}
		}
	}
	return nil
}

func partitionsOf(ctx context.Context, client *kgo.Client, topic string) ([]int32, error) {
	request := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = kmsg.StringPtr(topic)
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	var partitions []int32
	for _, found := range response.Topics {
		if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
			return nil, err
		}
		for i := range found.Partitions {
			partitions = append(partitions, found.Partitions[i].Partition)
		}
	}
	return partitions, nil
}

// offsetsAt returns for each partition the offset of the first record that is not older than the
// timestamp in milliseconds, -1 if there is none.
func offsetsAt(ctx context.Context, client *kgo.Client, topic string, partitions []int32, at int64) (
	map[int32]int64, error) {
	request := kmsg.NewPtrListOffsetsRequest()
	request.ReplicaID = -1
	asked := kmsg.NewListOffsetsRequestTopic()
	asked.Topic = topic
	for _, partition := range partitions {
		one := kmsg.NewListOffsetsRequestTopicPartition()
		one.Partition, one.Timestamp = partition, at
		asked.Partitions = append(asked.Partitions, one)
	}
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	offsets := map[int32]int64{}
	for _, found := range response.Topics {
		for _, partition := range found.Partitions {
			if err := kerr.ErrorForCode(partition.ErrorCode); err != nil {
				return nil, err
			}
			offsets[partition.Partition] = partition.Offset
		}
	}
	return offsets, nil
}
