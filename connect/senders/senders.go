// Package senders makes the senders of all kinds of connectors, for the programs.
//
// What may enter: one line per kind. What never happens here: delivering.
package senders

import (
	"context"

	"countersign/connect"
	"countersign/connect/kafka"
	"countersign/connect/mail"
	"countersign/domain"
)

// Settings are the operator's settings of all kinds.
type Settings struct {
	Secrets   []string // see connect.ParseSecrets
	Networks  []string // private networks that may be reached
	PublicURL string   // of the application, without a slash at its end
	// Reference returns the reference of a case.
	Reference func(ctx context.Context, id domain.ID) (string, error)
}

// New returns the senders and a function that closes their connections. It returns InvalidInput for an
// invalid setting.
func New(settings Settings) (connect.Senders, func(), error) {
	webhooks, err := connect.NewWebhooks(connect.WebhookSettings{Secrets: settings.Secrets,
		Networks: settings.Networks, PublicURL: settings.PublicURL})
	if err != nil {
		return nil, nil, err
	}
	topics, err := kafka.New(kafka.Settings{Secrets: settings.Secrets, Networks: settings.Networks,
		PublicURL: settings.PublicURL})
	if err != nil {
		return nil, nil, err
	}
	mails, err := mail.New(mail.Settings{Secrets: settings.Secrets, Networks: settings.Networks,
		PublicURL: settings.PublicURL, Reference: settings.Reference})
	if err != nil {
		return nil, nil, err
	}
	return connect.Senders{domain.ConnectorWebhook: webhooks, domain.ConnectorKafka: topics,
		domain.ConnectorSMTP: mails}, topics.Close, nil
}
