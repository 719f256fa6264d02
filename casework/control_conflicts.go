package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// EndConflict asks to end a conflict that is in force. A reason is required.
type EndConflict struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndConflict proposes to end a conflict; another person must confirm it. Both require the right to
// manage people, and neither may be the conflict's own person.
func (svc *Service) EndConflict(
	ctx context.Context, actor domain.Actor, in EndConflict,
) (ControlResult, error) {
	const operation = "endConflict"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && reason == "" {
		err = domain.Invalid("reason", "Enter a reason for ending the conflict.")
	}
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.PeopleStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			conflict, err := p.activeConflict(in.ID)
			if err != nil {
				return ControlResult{}, err
			}
			if conflict.Person == actor.UserID {
				return ControlResult{}, ownConflict()
			}
			return p.proposeControl(domain.ControlConflictEnd, in.ID.String(), reason,
				domain.ControlDocument{Person: conflict.Person, Name: conflict.Party})
		})
}

func ownConflict() error {
	return domain.Errorf(domain.FourEyes, "You cannot end your own conflict of interest.").
		WithRemedy(askAnotherAdministrator)
}

// activeConflict returns the conflict, or NotFound if it has ended.
func (p *permissionChange) activeConflict(id domain.ID) (domain.Conflict, error) {
	conflict, err := p.tx.Conflict(p.ctx, id)
	if domain.HasCode(err, domain.NotFound) {
		err = domain.Errorf(domain.NotFound, "The conflict was not found or has already ended.")
	}
	return conflict, err
}

// conflictVersion is always 0: a conflict ends once, and applyConflictEnd checks that it has not.
func conflictVersion(context.Context, store.Reader, string) (int, error) { return 0, nil }

func (p *permissionChange) applyConflictEnd(
	proposal domain.Proposal, _ domain.ControlDocument,
) error {
	id, err := domain.ParseID(proposal.Key)
	if err != nil {
		return err
	}
	conflict, err := p.activeConflict(id)
	if err != nil {
		return err
	}
	if _, err := p.tx.EndConflict(p.ctx, id, p.actor.UserID, proposal.Note,
		proposal.ID); err != nil {
		return err
	}
	p.affectedUsers = append(p.affectedUsers, conflict.Person)
	p.controlChanged(generated.ConflictEndedV1{ConflictID: id, PartyID: conflict.PartyID,
		Person: conflict.Person, Reason: proposal.Note, By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID})
	return nil
}

// GroupParty asks to add a company or person to the group of another. An empty With asks to remove
// it from its group.
type GroupParty struct {
	Once   Once
	Party  string
	With   string
	Reason string
}

// GroupedParty is the outcome of GroupParty.
type GroupedParty struct {
	Party domain.ID
	// ProposalID is the proposal to leave the group, which another person must confirm.
	ProposalID domain.ID
}

// GroupParty changes which companies belong together. A conflict with one member of a group
// excludes from all of its cases. Joining takes effect immediately, because it only restricts;
// leaving is proposed, and another person must confirm it.
func (svc *Service) GroupParty(
	ctx context.Context, actor domain.Actor, in GroupParty,
) (GroupedParty, error) {
	const operation = "groupParty"
	if err := svc.inScope(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return GroupedParty{}, err
	}
	key, with := PartyKey(in.Party), PartyKey(in.With)
	reason, err := checkReason(in.Reason)
	switch {
	case err != nil:
	case key == "" || domain.Longer(in.Party, 300) || domain.Longer(in.With, 300):
		err = domain.Invalid("party", partyNameRequired)
	case key == with:
		err = domain.Invalid("with", "A group needs two different names.")
	case with == "":
		err = svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople)
	}
	if err != nil {
		return GroupedParty{}, err
	}
	spec := permissionCommand{operation, domain.PeopleStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (GroupedParty, error) {
			party, _, err := p.tx.EnsureParty(p.ctx, key, strings.TrimSpace(in.Party))
			if err != nil {
				return GroupedParty{}, err
			}
			if with == "" {
				return p.proposeLeaving(party, strings.TrimSpace(in.Party), reason)
			}
			return GroupedParty{Party: party}, p.joinGroup(party, with, strings.TrimSpace(in.With))
		})
}

// joinGroup adds a party and its group to the group of another.
func (p *permissionChange) joinGroup(party domain.ID, key, name string) error {
	other, _, err := p.tx.EnsureParty(p.ctx, key, name)
	if err != nil {
		return err
	}
	if err := p.tx.JoinGroup(p.ctx, party, other); err != nil {
		return err
	}
	if p.affectedUsers, err = p.tx.PeopleInConflict(p.ctx, party); err != nil {
		return err
	}
	p.controlChanged(generated.PartyGroupedV1{PartyID: party, WithPartyID: other,
		By: p.actor.UserID})
	return nil
}

// proposeLeaving proposes that a party leaves its group; a party alone has nothing to leave.
func (p *permissionChange) proposeLeaving(
	party domain.ID, name, reason string,
) (GroupedParty, error) {
	result := GroupedParty{Party: party}
	group, err := p.tx.PartyGroup(p.ctx, party)
	if err != nil || len(group) < 2 {
		return result, err
	}
	if err := p.refuseOwnGroup(party); err != nil {
		return result, err
	}
	var others []string
	for _, member := range group {
		if member.ID == party {
			name = member.Name
		} else {
			others = append(others, member.Name)
		}
	}
	proposed, err := p.proposeControl(domain.ControlPartyLeave, party.String(), reason,
		domain.ControlDocument{Name: name, Before: strings.Join(others, "; ")})
	result.ProposalID = proposed.ProposalID
	return result, err
}

// refuseOwnGroup collects the people with a conflict in the group, and refuses the actor if they are
// among them, because leaving the group would end their own exclusion.
func (p *permissionChange) refuseOwnGroup(party domain.ID) error {
	people, err := p.tx.PeopleInConflict(p.ctx, party)
	if err != nil {
		return err
	}
	p.affectedUsers = people
	if slices.Contains(people, p.actor.UserID) {
		return domain.Errorf(domain.FourEyes,
			"You have a conflict of interest with a company of this group.").
			WithRemedy(askAnotherAdministrator)
	}
	return nil
}

func partyGroupVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	party, err := domain.ParseID(key)
	if err != nil {
		return 0, err
	}
	return r.PartyGroupVersion(ctx, party)
}

func (p *permissionChange) applyPartyLeave(
	proposal domain.Proposal, _ domain.ControlDocument,
) error {
	party, err := domain.ParseID(proposal.Key)
	if err != nil {
		return err
	}
	if err := p.refuseOwnGroup(party); err != nil {
		return err
	}
	left, err := p.tx.LeaveGroup(p.ctx, party, proposal.ID)
	if err == nil && left {
		p.controlChanged(generated.PartyGroupedV1{PartyID: party, Left: true, By: p.actor.UserID,
			ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID})
	}
	return err
}
