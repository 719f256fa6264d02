package main

import (
	"context"

	"countersign/checkpoint"
	"countersign/checkpoint/places"
)

// newCheckpoints makes the signer of checkpoints. Without a key this worker signs none.
func (p *components) newCheckpoints(ctx context.Context) error {
	if p.settings.Audit.SignerFile == "" {
		p.log.Warn("no checkpoints of the audit log are signed, because COUNTERSIGN_CHECKPOINT_SIGNER is not set")
		return nil
	}
	signer, err := places.Signer(p.settings.Audit)
	if err != nil {
		return err
	}
	kept, err := places.Open(ctx, p.settings)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		p.log.Warn("checkpoints are kept in the database only, so its owner could replace them")
	}
	p.metrics.exportCheckpoints("")
	for _, place := range kept {
		p.metrics.exportCheckpoints(place.Name())
	}
	p.checkpoints = checkpoint.New(p.service, checkpoint.Options{Holder: p.name,
		Every: p.settings.Audit.Every, Key: signer, Places: kept, Log: p.log,
		Observe: p.metrics.observeCheckpoint})
	return nil
}
