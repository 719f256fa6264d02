package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"countersign/casework"
	"countersign/connect"
	"countersign/connect/kafka"
	"countersign/deliver"
	"countersign/domain"
	"countersign/internal/tracing"
	"countersign/internal/tracing/otlp"
	"countersign/notify"
	"countersign/views"
)

// receiversMode is the argument with which this program is only the receivers of events and spans, so
// that their CPU is not counted.
const receiversMode = "receivers"

const eventsTopic = "events"

// serveReceivers prints the addresses of a server that accepts every request and of a broker, and serves
// until its input ends.
func serveReceivers() error {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(6, eventsTopic))
	if err != nil {
		return err
	}
	defer cluster.Close()
	fmt.Println(server.URL, cluster.ListenAddrs()[0])
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// outward is what leaves the system: three connectors, notices, and a tenth of the traces.
type outward struct {
	http, broker string
	child        *exec.Cmd
	input        io.Closer
	sender       connect.Senders
	spans        *otlp.Exporter
}

// tracedShare is the share of documents whose traces are recorded.
const tracedShare = 0.1

func startOutward(ctx context.Context) (*outward, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	o := &outward{child: exec.CommandContext(ctx, own, receiversMode)}
	o.child.Stderr = os.Stderr
	if o.input, err = o.child.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.child.StdoutPipe()
	if err == nil {
		err = o.child.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	addresses := strings.Fields(line)
	if err != nil || len(addresses) != 2 {
		return nil, fmt.Errorf("the receivers say %q: %w", line, err)
	}
	o.http, o.broker = addresses[0], addresses[1]
	networks := []string{"127.0.0.1"}
	webhooks, err := connect.NewWebhooks(connect.WebhookSettings{Networks: networks,
		Secrets: []string{"one=whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))}})
	if err != nil {
		return nil, err
	}
	topics, err := kafka.New(kafka.Settings{Networks: networks})
	if err != nil {
		return nil, err
	}
	o.sender = connect.Senders{domain.ConnectorWebhook: webhooks, domain.ConnectorKafka: topics}
	o.spans, err = otlp.New(ctx, o.http, "bench", "0", slog.New(slog.DiscardHandler))
	if err == nil {
		tracing.Install(o.spans, 0) // before the database is opened, so that its statements have spans
	}
	return o, err
}

// specs are the three connectors: what a ledger needs, all that reviewers see, and all that auditors see.
// With few, every connector gets the two types of the ledger.
func (o *outward) specs(few bool) []domain.ConnectorSpec {
	ledger := []domain.EventType{domain.CaseSubmitted, domain.CaseArchived}
	specs := []domain.ConnectorSpec{
		{Name: "ledger", Kind: domain.ConnectorWebhook, URL: o.http, Secrets: []string{"one"},
			Audience: domain.ForStaff, Snapshot: true, Types: ledger},
		{Name: "staff", Kind: domain.ConnectorWebhook, URL: o.http, Secrets: []string{"one"},
			Audience: domain.ForStaff},
		{Name: "bus", Kind: domain.ConnectorKafka, URL: "kafka://" + o.broker + "/" + eventsTopic,
			Audience: domain.ForAuditors, Snapshot: true}}
	if few {
		for i := range specs {
			specs[i].Name, specs[i].Types = specs[i].Name+"-few", ledger
		}
	}
	return specs
}

// run makes the connectors, delivers while do runs and until everything is delivered, and pauses them.
func (o *outward) run(ctx context.Context, b *bench, few bool, do func() error) (int64, error) {
	people, err := b.administrators(ctx)
	if err != nil {
		return 0, err
	}
	for _, spec := range o.specs(few) {
		proposed, err := b.service.PutConnector(ctx, people[0], casework.PutConnector{Reason: "x", Spec: spec})
		if err != nil {
			return 0, err
		}
		if _, err := b.service.ConfirmControlChange(ctx, people[1],
			casework.EndProposal{ProposalID: proposed.ProposalID}); err != nil {
			return 0, err
		}
	}
	tracing.Install(o.spans, tracedShare)
	source := views.New(b.db.Reader(), b.service.Authorizer)
	deliverer := deliver.New(b.service, source, o.sender, deliver.Options{Holder: "bench"})
	notices := notify.New(b.service, source, notify.Options{Holder: "bench"})
	deliverer.Start()
	notices.Start()
	err = do()
	if err == nil {
		err = b.awaitDelivery(ctx)
	}
	deliverer.Stop()
	notices.Stop()
	tracing.Install(o.spans, 0)
	if err != nil {
		return 0, err
	}
	return b.pauseConnectors(ctx, people[0])
}

// administrators returns two people who can publish, and makes them at the first call.
func (b *bench) administrators(ctx context.Context) (people [2]domain.Actor, err error) {
	for i, name := range []string{"ada", "adam"} {
		found, _, err := b.db.Reader().UserByEmail(ctx, name+"@example.com")
		id := found.ID
		if domain.HasCode(err, domain.NotFound) {
			id, err = b.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
				Email: name + "@example.com", Name: name, Roles: []domain.Role{domain.RoleAdmin}}})
		}
		if err != nil {
			return people, err
		}
		people[i] = domain.Actor{UserID: id, Channel: domain.ChannelAPI}
	}
	return people, nil
}

// awaitDelivery waits until no connector has an event to send.
func (b *bench) awaitDelivery(ctx context.Context) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		connectors, err := b.db.Reader().Connectors(ctx)
		if err != nil {
			return err
		}
		late := slices.ContainsFunc(connectors, func(c domain.Connector) bool {
			return c.Status == domain.ConnectorActive && (c.Lag > 0 || c.Waiting > 0)
		})
		if !late {
			return nil
		}
		<-ticker.C
	}
}

// pauseConnectors pauses the active connectors and returns how many events they delivered.
func (b *bench) pauseConnectors(ctx context.Context, by domain.Actor) (delivered int64, err error) {
	connectors, err := b.db.Reader().Connectors(ctx)
	for i := range connectors {
		if err != nil || connectors[i].Dead > 0 {
			return delivered, fmt.Errorf("%d deliveries failed: %w", connectors[i].Dead, err)
		}
		if connectors[i].Status == domain.ConnectorActive {
			delivered += connectors[i].Delivered
			_, err = b.service.PauseConnector(ctx, by,
				casework.OperateConnector{Connector: connectors[i].ID})
		}
	}
	return delivered, err
}

// measureOutward measures documents without, with, and again without what leaves the system.
func (b *bench) measureOutward(ctx context.Context, o *outward, docs, flight int) error {
	submit := func(n int) (measurement, error) {
		return b.measure(n, func() (time.Duration, error) { return b.submitMany(ctx, n, flight, nil) })
	}
	for _, few := range []bool{true, false} {
		before, err := submit(docs / 2)
		if err != nil {
			return err
		}
		var with measurement
		used := b.cpu()
		delivered, err := o.run(ctx, b, few, func() (err error) {
			with, err = submit(docs)
			return err
		})
		if err != nil {
			return err
		}
		with.used = b.cpu().minus(used) // with what was delivered after the last document
		after, err := submit(docs / 2)
		if err != nil {
			return err
		}
		without := before.plus(after)
		name := "all their events"
		if few {
			name = "two events a document each"
		}
		fmt.Printf("| three connectors with %s, notices, %.0f %% of the traces: events delivered, spans sent | %d, %d |\n",
			name, 100*tracedShare, delivered, o.spans.Sent())
		fmt.Printf("| CPU-ms a document without, with, ratio (goal 1.15) | %s, %s, %.2f |\n", without.cpu(), with.cpu(),
			ms(with.used.total(), with.docs)/ms(without.used.total(), without.docs))
	}
	if err := b.costs(ctx); err != nil {
		return err
	}
	return b.check(ctx)
}

func (o *outward) stop() {
	_ = o.input.Close()
	_ = o.child.Wait()
}
