package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"countersign/contracts/events"
)

// position is the next record to read of a partition. It is stored in the transaction of the event
// before it, so a ledger that was killed continues with the record that it has not booked.
type position struct {
	partition int32
	offset    int64
}

// follow books the records of the topic, kafka://host:9092,host:9092/topic, until the context ends.
func (b *book) follow(ctx context.Context, address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "kafka" || len(parsed.Path) < 2 {
		return errors.New("the topic must have the form kafka://host:9092/topic")
	}
	topic := strings.TrimPrefix(parsed.Path, "/")
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(parsed.Host, ",")...))
	if err != nil {
		return err
	}
	defer client.Close()
	from, err := b.begin(ctx, client, topic)
	if err != nil {
		return err
	}
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: from})
	for {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // stopped
		}
		if err := fetches.Err(); err != nil {
			return err
		}
		for records := fetches.RecordIter(); !records.Done(); {
			if err := b.takeRecord(ctx, records.Next()); err != nil {
				return err
			}
		}
	}
}

// begin returns for each partition the position after the last record that was booked.
func (b *book) begin(ctx context.Context, client *kgo.Client, topic string) (map[int32]kgo.Offset, error) {
	request := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = kmsg.StringPtr(topic)
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	booked, err := b.positions(ctx)
	if err != nil {
		return nil, err
	}
	from := map[int32]kgo.Offset{}
	for _, found := range response.Topics {
		if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
			return nil, fmt.Errorf("topic %s: %w", topic, err)
		}
		for i := range found.Partitions {
			partition := found.Partitions[i].Partition
			from[partition] = kgo.NewOffset().AtStart()
			if offset, known := booked[partition]; known {
				from[partition] = kgo.NewOffset().At(offset)
			}
		}
	}
	return from, nil
}

// takeRecord books the event of a record. A record that is no event is reported and passed.
func (b *book) takeRecord(ctx context.Context, record *kgo.Record) error {
	next := &position{record.Partition, record.Offset + 1}
	var event events.Event
	err := json.Unmarshal(record.Value, &event)
	if err == nil && event.ID != "" {
		_, err = b.take(ctx, &event, next)
		if !errors.Is(err, errInvalid) {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "ledger: record %d of partition %d is not booked: %v\n", record.Offset,
		record.Partition, err)
	return b.pass(ctx, next)
}
