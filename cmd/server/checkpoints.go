package main

import (
	"context"

	"countersign/checkpoint/places"
	"countersign/views"
)

// trustLog lets the audit pages verify the checkpoints of the audit log.
func (p *components) trustLog(ctx context.Context) error {
	keys, err := places.Keys(p.settings.Audit)
	if err != nil {
		return err
	}
	kept, err := places.Open(ctx, p.settings)
	if err != nil {
		return err
	}
	p.logKeys = keys
	trust := views.LogTrust{Keys: keys}
	for _, place := range kept {
		trust.Places = append(trust.Places, place)
	}
	p.views.TrustLog(trust)
	return nil
}
