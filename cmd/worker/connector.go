package main

import (
	"countersign/casework"
	"countersign/connect"
	"countersign/domain"
	"countersign/internal/config"
)

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
