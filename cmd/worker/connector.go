package main

import (
	"context"

	"countersign/casework"
	"countersign/connect"
	"countersign/connect/senders"
	"countersign/deliver"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/views"
)

// newDeliverer makes the deliverer of events.
func (p *components) newDeliverer(context.Context) error {
	sender, closeSenders, err := senders.New(senders.Settings{Secrets: p.settings.Connect.Secrets,
		Networks: p.settings.Connect.Networks, PublicURL: p.settings.HTTP.PublicAddress(),
		Reference: p.db.Reader().CaseReference})
	if err != nil {
		return err
	}
	p.cleanup.Add(closeSenders)
	source := views.New(p.db.Reader(), p.service.Authorizer)
	p.deliverer = deliver.New(p.service, source, sender, deliver.Options{Holder: p.name,
		Log: p.log})
	hour := p.settings.Connect.CompareAt
	if hour > 23 {
		return domain.Invalid("COUNTERSIGN_RECONCILE_HOUR", "%d is not an hour of the day, 0 to 23.", hour)
	}
	p.nightly = deliver.NewNightly(p.service, deliver.NewReconciler(source, sender), hour, p.log)
	return nil
}

// connector is the way to other systems that the operator set up.
func connector(settings config.Connect) (casework.Connector, error) {
	systems, wrong, ok := settings.Systems()
	if !ok {
		return nil, domain.Invalid("COUNTERSIGN_CONNECTORS",
			"%q does not have the form name=address, or its name is given twice.", wrong)
	}
	return connect.New(connect.Settings{Addresses: systems, Token: settings.Token,
		Timeout: settings.Timeout})
}
