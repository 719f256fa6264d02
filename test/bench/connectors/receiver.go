package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"countersign/connect"
	"countersign/connect/kafka"
	"countersign/domain"
)

// receiver counts events, and how long after its time each was received.
type receiver struct {
	address string
	sender  connect.Sender
	close   func()

	mu       sync.Mutex
	received int64
	lags     []time.Duration // nil = not measured
}

func newReceiver(ctx context.Context, kind domain.ConnectorKind) (*receiver, error) {
	r := &receiver{}
	networks := []string{"127.0.0.1"}
	if kind == domain.ConnectorWebhook {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
			body, _ := io.ReadAll(request.Body)
			r.add(body)
		}))
		r.address, r.close = server.URL, server.Close
		sender, err := connect.NewWebhooks(connect.WebhookSettings{Networks: networks,
			Secrets: []string{"one=whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))}})
		r.sender = sender
		return r, err
	}
	const topic = "events"
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(6, topic))
	if err != nil {
		return nil, err
	}
	broker := cluster.ListenAddrs()[0]
	consumer, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic))
	if err != nil {
		return nil, err
	}
	sender, err := kafka.New(kafka.Settings{Networks: networks})
	if err != nil {
		return nil, err
	}
	consuming, stop := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for consuming.Err() == nil {
			consumer.PollFetches(consuming).EachRecord(func(record *kgo.Record) { r.add(record.Value) })
		}
	})
	r.address, r.sender = "kafka://"+broker+"/"+topic, sender
	r.close = func() {
		stop()
		done.Wait()
		consumer.Close()
		sender.Close()
		cluster.Close()
	}
	return r, nil
}

func (r *receiver) add(body []byte) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received++
	if r.lags == nil {
		return
	}
	var event struct{ Time time.Time }
	if json.Unmarshal(body, &event) == nil {
		r.lags = append(r.lags, now.Sub(event.Time))
	}
}

// measure begins to measure the lag.
func (r *receiver) measure() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lags = []time.Duration{}
}

// await waits until so many events were received.
func (r *receiver) await(expected int64) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		r.mu.Lock()
		arrived := r.received >= expected
		r.mu.Unlock()
		if arrived {
			return
		}
		<-ticker.C
	}
}

// percentiles returns the median and the 99th percentile of the lags.
func (r *receiver) percentiles() (p50, p99 time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lags) == 0 {
		return 0, 0
	}
	slices.Sort(r.lags)
	at := func(share float64) time.Duration {
		return r.lags[int(share*float64(len(r.lags)-1))].Round(time.Millisecond)
	}
	return at(0.5), at(0.99)
}
