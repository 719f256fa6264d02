package main

import (
	"context"

	"countersign/notify"
	"countersign/views"
)

// newNotices makes the notifier. Without a mail server it makes notices and sends no e-mails.
func (p *components) newNotices(context.Context) error {
	options := notify.Options{Holder: p.name, PublicURL: p.settings.HTTP.PublicAddress(), Log: p.log}
	if p.settings.Mail.Server != "" {
		server, err := notify.OpenServer(p.settings.Mail.Server, p.settings.Mail.Login,
			p.settings.Mail.From)
		if err != nil {
			return err
		}
		options.Sender, options.From = server, p.settings.Mail.From
	}
	p.notices = notify.New(p.service, views.New(p.db.Reader(), p.service.Authorizer), options)
	return nil
}
