package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"countersign/casework"
	"countersign/connect"
	"countersign/connect/kafka"
	"countersign/deliver"
	"countersign/domain"
)

// slowness is how long the slow receiver takes for each event.
const slowness = 10 * time.Second

// decideWithoutReceivers decides while connectors try to deliver every event to receivers that are
// down: a webhook that takes 10 s and then fails, one whose port is closed, and brokers that are away.
func (d *dataset) decideWithoutReceivers(ctx context.Context) (*times, error) {
	stop, err := d.startConnectors(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	took, err := d.decide(ctx)
	if err == nil {
		err = d.checkConnectors(ctx)
	}
	return took, err
}

// startConnectors makes the connectors and delivers until stop is called.
func (d *dataset) startConnectors(ctx context.Context) (stop func(), err error) {
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(slowness):
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	closed, err := closedAddress()
	if err != nil {
		return nil, err
	}
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
	var people [2]domain.Actor
	for i := range people {
		name := fmt.Sprintf("operator%d", i)
		id, err := d.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
			Email: name + "@example.com", Name: name, Roles: []domain.Role{domain.RoleAdmin}}})
		if err != nil {
			return nil, err
		}
		people[i] = domain.Actor{UserID: id, Channel: domain.ChannelAPI}
	}
	for _, spec := range []domain.ConnectorSpec{
		{Name: "slow", Kind: domain.ConnectorWebhook, URL: slow.URL, Secrets: []string{"one"}},
		{Name: "closed", Kind: domain.ConnectorWebhook, URL: "http://" + closed, Secrets: []string{"one"}},
		{Name: "brokers", Kind: domain.ConnectorKafka, URL: "kafka://" + closed + "/events"},
	} {
		spec.Audience, spec.Snapshot = domain.ForAuditors, true
		proposed, err := d.service.PutConnector(ctx, people[0], casework.PutConnector{Reason: "x", Spec: spec})
		if err != nil {
			return nil, err
		}
		if _, err := d.service.ConfirmControlChange(ctx, people[1],
			casework.EndProposal{ProposalID: proposed.ProposalID}); err != nil {
			return nil, err
		}
	}
	deliverer := deliver.New(d.service, d.views, connect.Senders{domain.ConnectorWebhook: webhooks,
		domain.ConnectorKafka: topics}, deliver.Options{Holder: "bench"})
	deliverer.Start()
	return func() {
		deliverer.Stop()
		topics.Close()
		slow.CloseClientConnections()
		slow.Close()
	}, nil
}

// closedAddress is an address at which no program listens.
func closedAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed immediately
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// checkConnectors fails unless every connector has tried and delivered nothing.
func (d *dataset) checkConnectors(ctx context.Context) error {
	connectors, err := d.db.Reader().Connectors(ctx)
	for i := range connectors {
		if one := &connectors[i]; one.Delivered > 0 || one.LastError == "" && one.Waiting == 0 {
			return fmt.Errorf("the connector %s delivered %d events and has the error %q", one.Spec.Name,
				one.Delivered, one.LastError)
		}
	}
	return err
}
