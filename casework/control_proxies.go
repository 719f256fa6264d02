package casework

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

const (
	// proxiesKey is the key of the only list of trusted proxies.
	proxiesKey = "trusted"
	// maxProxies bounds the networks of the list.
	maxProxies = 100
)

// SetTrustedProxies asks to replace the networks whose hosts report the address of a client. The caller has
// written them as networks, such as 10.0.0.0/8.
type SetTrustedProxies struct {
	Once     Once
	Networks []string
	// Expected are the present networks that the caller read; nil skips the check.
	Expected []string `json:",omitempty"`
	Reason   string
}

// SetTrustedProxies removes networks immediately and proposes those that are added, which another
// administrator must confirm: who controls a trusted proxy chooses the address under which attempts to
// sign in are counted.
func (svc *Service) SetTrustedProxies(ctx context.Context, actor domain.Actor, in SetTrustedProxies) (
	ControlResult, error) {
	const operation = "setTrustedProxies"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	if len(in.Networks) > maxProxies {
		return ControlResult{}, domain.Invalid("networks", "Enter at most %d networks.", maxProxies)
	}
	reason, err := checkControlChanges("networks", []string{proxiesKey}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	in.Networks = slices.Compact(slices.Sorted(slices.Values(in.Networks)))
	spec := permissionCommand{operation, domain.ControlStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (ControlResult, error) {
		result := ControlResult{Kind: domain.ControlProxies, Key: proxiesKey}
		present, err := p.tx.TrustedProxies(p.ctx)
		if err != nil {
			return result, err
		}
		if err := p.checkExpectedSet(in.Expected, present.Networks, present.SetBy); err != nil {
			return result, err
		}
		lower := intersection(present.Networks, in.Networks)
		if len(lower) < len(present.Networks) {
			if err := p.writeProxies(present, lower, reason, domain.Proposal{}); err != nil {
				return result, err
			}
		}
		if len(lower) == len(in.Networks) {
			result.Unchanged = len(lower) == len(present.Networks)
			return result, nil
		}
		change := domain.ControlDocument{}
		if change.Before, err = jsonDocument(lower); err != nil {
			return result, err
		}
		if change.After, err = jsonDocument(in.Networks); err != nil {
			return result, err
		}
		return p.proposeControl(result.Kind, result.Key, reason, change)
	})
}

// writeProxies writes the next version with its event; proposal is the confirmed one, if any.
func (p *permissionChange) writeProxies(present store.TrustedProxies, networks []string, reason string,
	proposal domain.Proposal) error {
	if err := p.tx.AddTrustedProxies(p.ctx, store.TrustedProxies{Version: present.Version + 1,
		Networks: networks, SetBy: p.actor.UserID, Proposal: proposal.ID}); err != nil {
		return err
	}
	p.emit(generated.ProxiesChangedV1{ProxiesVersion: int64(present.Version + 1), Before: present.Networks,
		After: append([]string{}, networks...), Reason: reason, By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID})
	return nil
}

func proxiesBase(ctx context.Context, r store.Reader, _ string) (int, error) {
	present, err := r.TrustedProxies(ctx)
	return present.Version, err
}

// applyProxies writes a confirmed list.
func (p *permissionChange) applyProxies(proposal domain.Proposal, change domain.ControlDocument) error {
	var networks []string
	if err := json.Unmarshal([]byte(change.After), &networks); err != nil {
		return domain.Errorf(domain.Internal, "The proposed proxies cannot be read.").WithCause(err)
	}
	present, err := p.tx.TrustedProxies(p.ctx)
	if err != nil {
		return err
	}
	return p.writeProxies(present, networks, proposal.Note, proposal)
}

// SeedTrustedProxies writes the setting of the server as the first version, also if it is empty. Later the
// setting has no effect: it returns the present networks.
func (svc *Service) SeedTrustedProxies(ctx context.Context, networks []string) ([]string, error) {
	present, err := svc.db.Reader().TrustedProxies(ctx)
	if err != nil || present.Version > 0 {
		return present.Networks, err
	}
	spec := permissionCommand{operation: "seedTrustedProxies", stream: domain.ControlStream}
	return runPermissionChange(ctx, svc, domain.SystemActor(), spec, func(p *permissionChange) ([]string, error) {
		present, err := p.tx.TrustedProxies(p.ctx)
		if err != nil || present.Version > 0 {
			return present.Networks, err
		}
		return networks, p.writeProxies(present, networks, "", domain.Proposal{})
	})
}

// TrustedProxies returns the present networks and the version of the authority with which they were read
// before.
func (svc *Service) TrustedProxies(ctx context.Context, known int64) (networks []string, version int64,
	err error) {
	authority, err := svc.db.Reader().AuthorityVersion(ctx)
	if err != nil || authority.Version == known {
		return nil, known, err
	}
	present, err := svc.db.Reader().TrustedProxies(ctx)
	return present.Networks, authority.Version, err
}
