package casework

import (
	"context"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/sampling"
	"countersign/store"
)

// ProposeSampleShare asks to change the share of archived cases that is drawn for the quality
// sample. Millionths is the share; Stratum is how the cases were archived.
type ProposeSampleShare struct {
	Once       Once
	Process    string
	Stratum    domain.Stratum
	Millionths int
	Reason     string
}

// ProposeSampleShare proposes another share, which another person must confirm, whether it is larger
// or smaller. It requires the right to publish.
func (svc *Service) ProposeSampleShare(
	ctx context.Context, actor domain.Actor, in ProposeSampleShare,
) (ControlResult, error) {
	const operation = "proposeSampleShare"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	key := in.Process + "/" + string(in.Stratum)
	reason, err := checkControlChanges("process", []string{key}, in.Reason)
	switch {
	case err != nil:
		return ControlResult{}, err
	case in.Stratum != domain.StratumStraight && in.Stratum != domain.StratumApproved:
		return ControlResult{}, domain.Invalid("stratum", "Unknown stratum %q.", in.Stratum)
	case in.Millionths < 0 || in.Millionths > sampling.FullShare:
		return ControlResult{}, domain.Invalid("percent", "The share must be from 0 to 100 percent.")
	}
	if err := svc.checkNames(ctx, SubmitDocument{Process: in.Process}); err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			present, err := p.tx.SampleShare(p.ctx, in.Process, in.Stratum)
			if err != nil {
				return ControlResult{}, err
			}
			before := shareInForce(present)
			if before == in.Millionths {
				return ControlResult{Kind: domain.ControlSampleShare, Key: key, Unchanged: true}, nil
			}
			return p.proposeControl(domain.ControlSampleShare, key, reason,
				domain.ControlDocument{Before: strconv.Itoa(before),
					After: strconv.Itoa(in.Millionths)})
		})
}

// shareInForce returns the share in millionths, the default if none was set.
func shareInForce(share store.SampleShare) int {
	if share.Version == 0 {
		return sampling.DefaultShare(share.Stratum)
	}
	return share.Millionths
}

func sampleShareOf(ctx context.Context, r store.Reader, key string) (store.SampleShare, error) {
	at := strings.LastIndexByte(key, '/')
	if at < 0 {
		return store.SampleShare{}, domain.NewNotFound()
	}
	return r.SampleShare(ctx, key[:at], domain.Stratum(key[at+1:]))
}

func sampleShareVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	share, err := sampleShareOf(ctx, r, key)
	return share.Version, err
}

func (p *permissionChange) applySampleShare(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	millionths, err := strconv.Atoi(change.After)
	if err != nil {
		return domain.Errorf(domain.Internal, "The proposed share cannot be read.").WithCause(err)
	}
	present, err := sampleShareOf(p.ctx, p.tx.Reader, proposal.Key)
	if err != nil {
		return err
	}
	next := store.SampleShare{Process: present.Process, Stratum: present.Stratum,
		Version: present.Version + 1, Millionths: millionths, Reason: proposal.Note,
		SetBy: p.actor.UserID, ProposalID: proposal.ID}
	if err := p.tx.AddSampleShare(p.ctx, next); err != nil {
		return err
	}
	p.controlChanged(generated.SampleShareChangedV1{Process: next.Process,
		Stratum: string(next.Stratum), Before: int64(shareInForce(present)),
		After: int64(millionths), By: p.actor.UserID, ProposedBy: proposal.ProposedBy,
		ProposalID: proposal.ID, Reason: proposal.Note})
	return nil
}
