package main

import (
	"context"

	"countersign/notify"
)

// unsubscribe checks the token of a link in an e-mail and, if confirmed, switches the e-mails of its
// kinds off.
func (p *components) unsubscribe(ctx context.Context, token string, confirmed bool) error {
	key, err := p.views.MailKey(ctx)
	if err != nil {
		return err
	}
	person, kinds, err := notify.NewLinks(key, p.settings.HTTP.PublicAddress()).Open(token)
	if err != nil || !confirmed {
		return err
	}
	return p.service.Unsubscribe(ctx, person, kinds)
}
