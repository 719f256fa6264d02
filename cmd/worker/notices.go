package main

import (
	"context"
	"strings"

	"countersign/connect"
	"countersign/connect/mail"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/notify"
	"countersign/views"
)

// newNotices makes the notifier. Without a mail server it makes notices and sends no e-mails.
func (p *components) newNotices(context.Context) error {
	options := notify.Options{Holder: p.name, PublicURL: p.settings.HTTP.PublicAddress(), Log: p.log}
	if p.settings.Mail.Server != "" {
		server, err := mailServer(p.settings.Mail)
		if err != nil {
			return err
		}
		options.Sender, options.From = server, p.settings.Mail.From
	}
	p.notices = notify.New(p.service, views.New(p.db.Reader(), p.service.Authorizer), options)
	return nil
}

// mailServer is the mail server that the operator chose.
func mailServer(settings config.Mail) (mail.Server, error) {
	server := mail.Server{Address: settings.Server, Operators: true}
	if settings.Login != "" {
		user, password, found := strings.Cut(settings.Login, ":")
		if !found || user == "" {
			return server, domain.Invalid("COUNTERSIGN_SMTP_LOGIN",
				"The login of the mail server does not have the form USER:PASSWORD.")
		}
		server.Login = &connect.Login{User: user, Password: password}
	}
	if err := server.Check(); err != nil {
		return server, err
	}
	if !domain.ValidMailAddress(settings.From) {
		return server, domain.Invalid("COUNTERSIGN_SMTP_FROM",
			"The sender of notices is not an e-mail address: %.100q.", settings.From).
			WithRemedy("Set COUNTERSIGN_SMTP_FROM, for example to no-reply@example.com.")
	}
	return server, nil
}
