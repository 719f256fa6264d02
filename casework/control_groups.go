package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// GroupParty asks to add a company or person, with its group, to the group of another. An empty With
// asks to remove it from its group.
type GroupParty struct {
	Once   Once
	Party  string
	With   string
	Reason string
}

// GroupedParty is the outcome of GroupParty.
type GroupedParty struct {
	Party domain.ID
	// ProposalID is the proposal, which another person must confirm. It is NoID if the parties are
	// in one group already, or the party that leaves is alone.
	ProposalID domain.ID
}

// GroupParty proposes to change which companies belong together; another person must confirm it. A
// conflict with one member of a group excludes from all of its cases, and duplicates and sums are
// searched in the whole group. Joining only restricts, but it can take cases from the people who
// would decide them, so that it also needs two persons.
func (svc *Service) GroupParty(
	ctx context.Context, actor domain.Actor, in GroupParty,
) (GroupedParty, error) {
	const operation = "groupParty"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
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
			return p.proposeJoining(party, with, strings.TrimSpace(in.With), reason)
		})
}

// proposeJoining proposes that a party and its group join the group of another.
func (p *permissionChange) proposeJoining(
	party domain.ID, key, name, reason string,
) (GroupedParty, error) {
	result := GroupedParty{Party: party}
	other, _, err := p.tx.EnsureParty(p.ctx, key, name)
	if err != nil {
		return result, err
	}
	groups, err := p.loadJoiningGroups(party, other)
	if err != nil || groups.joined {
		return result, err
	}
	proposed, err := p.proposeControl(domain.ControlPartyJoin, party.String(), reason,
		domain.ControlDocument{Name: groups.name, With: other, Before: groups.before,
			After: groups.after})
	result.ProposalID = proposed.ProposalID
	return result, err
}

// joiningGroups are the groups of two parties, as a proposal to join them contains them.
type joiningGroups struct {
	name          string // of the party that joins
	before, after string // names of its group
	joined        bool   // they are one group
}

func (p *permissionChange) loadJoiningGroups(party, other domain.ID) (joiningGroups, error) {
	var groups joiningGroups
	own, err := p.tx.PartyGroup(p.ctx, party)
	if err != nil {
		return groups, err
	}
	others, err := p.tx.PartyGroup(p.ctx, other)
	if err != nil {
		return groups, err
	}
	for _, member := range own {
		if member.ID == party {
			groups.name = member.Name
		}
	}
	groups.joined = slices.ContainsFunc(own,
		func(member store.Party) bool { return member.ID == other })
	groups.before, groups.after = partyNames(own), partyNames(own)+"; "+partyNames(others)
	return groups, nil
}

func partyNames(parties []store.Party) string {
	names := make([]string, len(parties))
	for i := range parties {
		names[i] = parties[i].Name
	}
	return strings.Join(names, "; ")
}

// applyPartyJoin joins the groups, unless one of them has changed since the proposal: the confirming
// person agreed to the companies that it names.
func (p *permissionChange) applyPartyJoin(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	party, err := domain.ParseID(proposal.Key)
	if err != nil {
		return err
	}
	groups, err := p.loadJoiningGroups(party, change.With)
	if err != nil {
		return err
	}
	if groups.joined || groups.before != change.Before || groups.after != change.After {
		return staleControlChange()
	}
	if err := p.tx.JoinGroup(p.ctx, party, change.With, proposal.ID); err != nil {
		return err
	}
	if p.affectedUsers, err = p.tx.PeopleInConflict(p.ctx, party); err != nil {
		return err
	}
	p.controlChanged(generated.PartyGroupedV1{PartyID: party, WithPartyID: change.With,
		By: p.actor.UserID, ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID})
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
	actor, err := p.tx.User(p.ctx, p.actor.UserID)
	if err != nil {
		return err
	}
	if actor.AnyAccountIn(people) {
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
