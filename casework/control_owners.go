package casework

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ProposeOwners asks to change the owners of a process. Without owners, Required is 0.
type ProposeOwners struct {
	Once     Once
	Process  string
	Owners   []domain.ID
	Required int
	Reason   string
}

// ProposeOwners proposes other owners. The present ones must approve the proposal, and another
// administrator must confirm it. It requires the right to publish.
func (svc *Service) ProposeOwners(ctx context.Context, actor domain.Actor, in ProposeOwners) (
	ControlResult, error) {
	const operation = "proposeOwners"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("process", []string{in.Process}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	in.Owners = slices.Clone(in.Owners)
	slices.SortFunc(in.Owners, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			if err := p.checkOwners(in); err != nil {
				return ControlResult{}, err
			}
			present, err := p.tx.ProcessOwners(p.ctx, in.Process)
			if err != nil {
				return ControlResult{}, err
			}
			if present.Required == in.Required && slices.Equal(present.Owners, in.Owners) {
				return ControlResult{Kind: domain.ControlOwners, Key: in.Process, Unchanged: true}, nil
			}
			change := domain.ControlDocument{}
			if change.After, err = p.ownersDocument(in.Owners, in.Required); err != nil {
				return ControlResult{}, err
			}
			if change.Before, err = p.ownersDocument(present.Owners, present.Required); err != nil {
				return ControlResult{}, err
			}
			return p.proposeControl(domain.ControlOwners, in.Process, reason, change)
		})
}

func (p *permissionChange) ownersDocument(owners []domain.ID, required int) (string, error) {
	document := domain.OwnersDocument{Owners: append([]domain.ID{}, owners...), Required: required,
		Names: []string{}}
	people, err := p.tx.Users(p.ctx, document.Owners)
	for _, person := range people {
		document.Names = append(document.Names, person.Name)
	}
	if err != nil {
		return "", err
	}
	return jsonDocument(document)
}

// checkOwners refuses owners who could not approve: accounts that do not exist or are disabled, and
// fewer people than must approve.
func (p *permissionChange) checkOwners(in ProposeOwners) error {
	newest, err := p.tx.NewestDefinition(p.ctx, in.Process)
	if err != nil || newest == 0 {
		return firstError(err, noProcess(in.Process))
	}
	if len(in.Owners) > domain.MaxProcessOwners {
		return domain.Invalid("owners", "A process has at most %d owners.", domain.MaxProcessOwners)
	}
	var people []domain.ID
	for i, id := range in.Owners {
		user, err := p.tx.User(p.ctx, id)
		switch {
		case domain.HasCode(err, domain.NotFound) || err == nil && id == domain.SystemUserID:
			return domain.Invalid("owners", "The person was not found.")
		case err != nil:
			return err
		case user.Disabled:
			return domain.Invalid("owners", "The account of %s is disabled.", user.Name)
		case i > 0 && id == in.Owners[i-1]:
			return domain.Invalid("owners", "%s is entered twice.", user.Name)
		case user.AnyAccountIn(people):
			return domain.Invalid("owners", "%s is entered with two accounts.", user.Name)
		}
		people = append(people, id)
	}
	if in.Required > len(people) || in.Required < min(1, len(people)) {
		return domain.Invalid("required", "Enter how many of the %d owners must approve.", len(people))
	}
	return nil
}

func ownersBase(ctx context.Context, r store.Reader, process string) (int, error) {
	present, err := r.ProcessOwners(ctx, process)
	return present.Version, err
}

// applyOwners writes confirmed owners.
func (p *permissionChange) applyOwners(proposal domain.Proposal, change domain.ControlDocument) error {
	var after domain.OwnersDocument
	if err := json.Unmarshal([]byte(change.After), &after); err != nil {
		return domain.Errorf(domain.Internal, "The proposed owners cannot be read.").WithCause(err)
	}
	if err := p.checkOwners(ProposeOwners{Process: proposal.Key, Owners: after.Owners,
		Required: after.Required}); err != nil {
		return err
	}
	present, err := p.tx.ProcessOwners(p.ctx, proposal.Key)
	if err != nil {
		return err
	}
	if err := p.tx.AddProcessOwners(p.ctx, domain.ProcessOwners{Process: proposal.Key,
		Version: present.Version + 1, Owners: after.Owners, Required: after.Required,
		Reason: proposal.Note, SetBy: p.actor.UserID, ProposalID: proposal.ID}); err != nil {
		return err
	}
	p.controlChanged(generated.ProcessOwnersChangedV1{Process: proposal.Key, Before: present.Owners,
		After: after.Owners, Required: int64(after.Required), By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID, Reason: proposal.Note})
	return nil
}
