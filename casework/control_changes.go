package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ControlResult is the outcome of a change of control data for one country, currency, conflict or
// party.
type ControlResult struct {
	Kind domain.ProposalKind
	Key  string
	// ProposalID is the proposal that another person must confirm, or NoID if the change took
	// effect immediately.
	ProposalID domain.ID
	// Unchanged reports that the value was already the present one.
	Unchanged bool
	// Link is set once, when an account or a way to sign in was confirmed.
	Link *SignInLink `json:"-"` // a repeated request does not get it again
	// LinkSentTo is the address to which the link was sent instead; LinkFailed reports that it could not
	// be sent, so that the sign-in has to be reset again.
	LinkSentTo string `json:"-"`
	LinkFailed bool   `json:"-"`

	erasedFiles []string // of an erasure, to be removed after the commit
}

// maxControlChanges bounds the values that one command changes.
const maxControlChanges = 500

// confirmAnotherPerson is the remedy for a person who may not carry a change alone.
const confirmAnotherPerson = "Propose the change, and let another administrator confirm it."

// controlKind describes one kind of control data.
type controlKind struct {
	action domain.Action // the right to propose, confirm and withdraw
	stream domain.SystemStream
	// version returns the present version of the value, on which a proposal is based.
	version func(ctx context.Context, r store.Reader, key string) (int, error)
	// apply writes a confirmed change and emits its event.
	apply func(p *permissionChange, proposal domain.Proposal, change domain.ControlDocument) error
}

var controlKinds = map[domain.ProposalKind]controlKind{
	domain.ControlCountryRisk: {domain.ActPublish, domain.ControlStream, countryRiskVersion,
		(*permissionChange).applyCountryRisk},
	domain.ControlRate: {domain.ActManagePeople, domain.ControlStream, rateVersion,
		(*permissionChange).applyRate},
	domain.ControlConflictEnd: {domain.ActManagePeople, domain.PeopleStream, conflictVersion,
		(*permissionChange).applyConflictEnd},
	domain.ControlPartyLeave: {domain.ActManagePeople, domain.PeopleStream, partyGroupVersion,
		(*permissionChange).applyPartyLeave},
	domain.ControlPartyJoin: {domain.ActManagePeople, domain.PeopleStream, partyGroupVersion,
		(*permissionChange).applyPartyJoin},
	domain.ControlSampleShare: {domain.ActPublish, domain.ControlStream, sampleShareVersion,
		(*permissionChange).applySampleShare},
	domain.ControlDrawMark: {domain.ActPublish, domain.ControlStream, drawMarkVersion,
		(*permissionChange).applyDrawMark},
	domain.ControlConnector: {domain.ActPublish, domain.ControlStream, connectorVersion,
		(*permissionChange).applyConnector},
	domain.ControlPerson: {domain.ActManagePeople, domain.PeopleStream, personBase,
		(*permissionChange).applyPerson},
	domain.ControlLimit: {domain.ActManagePeople, domain.PolicyStream, limitBase,
		(*permissionChange).applyLimit},
	domain.ControlSignIn: {domain.ActManagePeople, domain.PeopleStream, personBase,
		(*permissionChange).applySignIn},
	domain.ControlQueue: {domain.ActManagePeople, domain.PeopleStream, queueBase,
		(*permissionChange).applyQueue},
	domain.ControlCalendar: {domain.ActManagePeople, domain.PeopleStream, calendarBase,
		(*permissionChange).applyCalendar},
	domain.ControlErasure: {domain.ActManagePeople, domain.ControlStream, erasureBase,
		(*permissionChange).applyErasure},
	domain.ControlLegalHold: {domain.ActManagePeople, domain.ControlStream, holdBase,
		(*permissionChange).applyHoldLift},
	domain.ControlRetention: {domain.ActPublish, domain.ControlStream, retentionBase,
		(*permissionChange).applyRetention},
	domain.ControlDelegation: {domain.ActManagePeople, domain.PeopleStream, delegationBase,
		(*permissionChange).applyDelegation},
	domain.ControlAbsence: {domain.ActManagePeople, domain.PeopleStream, absenceBase,
		(*permissionChange).applySubstitute},
	domain.ControlProxies: {domain.ActManagePeople, domain.ControlStream, proxiesBase,
		(*permissionChange).applyProxies},
	domain.ControlSkills: {domain.ActManagePeople, domain.PeopleStream, skillsBase,
		(*permissionChange).applySkills},
	domain.ControlGroupRole: {domain.ActManagePeople, domain.PeopleStream, groupRoleBase,
		(*permissionChange).applyGroupRole},
	domain.ControlMigration: {domain.ActPublish, domain.ControlStream, migrationBase,
		(*permissionChange).applyMigration},
	domain.ControlOwners: {domain.ActPublish, domain.ControlStream, ownersBase,
		(*permissionChange).applyOwners},
}

// confirmOperation is the operation by which a person confirms a proposal.
const confirmOperation = "confirmControlChange"

// controlChecks are slow checks of proposals that run before their transaction, which would otherwise
// keep the authority locked. They authorize the actor first.
var controlChecks = map[domain.ProposalKind]func(
	context.Context, *Service, domain.Actor, domain.Proposal) error{
	domain.ControlMigration: checkProposedMigration,
}

// beginControlChange checks, before anything is read, that a person acts in their own name with the
// scope of one of the kinds.
func (svc *Service) beginControlChange(
	ctx context.Context, actor domain.Actor, operation string, actions ...domain.Action,
) error {
	if err := svc.inScope(ctx, actor, operation, actions...); err != nil {
		return err
	}
	var err error
	switch {
	case actor.System:
		err = domain.Errorf(domain.FourEyes, "This change needs a person.").
			WithRemedy(confirmAnotherPerson)
	case actor.OnBehalfOf != domain.NoID:
		err = domain.Errorf(domain.NotPermitted,
			"You cannot change control data on behalf of another user.")
	}
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return err
}

// proposeControl stores a change as a proposal that another person must confirm.
func (p *permissionChange) proposeControl(
	kind domain.ProposalKind, key, note string, change domain.ControlDocument,
) (ControlResult, error) {
	base, err := controlKinds[kind].version(p.ctx, p.tx.Reader, key)
	if err != nil {
		return ControlResult{}, err
	}
	document, err := json.Marshal(change)
	if err != nil {
		return ControlResult{}, fmt.Errorf("casework: encode the change: %w", err)
	}
	open, err := p.tx.Proposals(p.ctx, store.ProposalQuery{Kinds: []domain.ProposalKind{kind},
		Key: key, Status: domain.ProposalOpen, Limit: maxControlChanges})
	if err != nil {
		return ControlResult{}, err
	}
	for _, other := range open {
		if other.Base == base && other.Document == string(document) {
			return ControlResult{}, domain.Errorf(domain.StateMismatch,
				"This change is already proposed.").
				WithRemedy("Ask another administrator to confirm or withdraw it.")
		}
	}
	proposal := domain.Proposal{ID: domain.NewID(), Kind: kind, Key: key, Base: base,
		Document: string(document), Report: json.RawMessage("{}"), Note: note,
		ProposedBy: p.actor.UserID}
	if err := p.tx.PutProposal(p.ctx, proposal); err != nil {
		return ControlResult{}, err
	}
	p.emit(generated.ControlProposedV2{Kind: string(kind), Key: key, ProposalID: proposal.ID,
		By: p.actor.UserID, Before: change.Before, After: change.After, Person: change.Person,
		Note: note})
	return ControlResult{Kind: kind, Key: key, ProposalID: proposal.ID}, nil
}

// ConfirmControlChange makes another person's proposal take effect.
func (svc *Service) ConfirmControlChange(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ControlResult, error) {
	result, err := svc.endControlChange(ctx, actor, confirmOperation, in,
		func(p *permissionChange, proposal domain.Proposal, kind controlKind) error {
			var change domain.ControlDocument
			if err := json.Unmarshal([]byte(proposal.Document), &change); err != nil {
				return fmt.Errorf("casework: proposal %s: %w", proposal.ID, err)
			}
			if err := p.checkConfirming(proposal, change); err != nil {
				return err
			}
			present, err := kind.version(p.ctx, p.tx.Reader, proposal.Key)
			if err != nil {
				return err
			}
			if present != proposal.Base {
				return staleProposal(proposal.Kind)
			}
			without, err := svc.requireOwners(p.ctx, p.tx.Reader, proposal, actor.UserID, in.WithoutOwners)
			if err != nil {
				return err
			}
			if err := p.tx.EndProposal(p.ctx, proposal.ID, domain.ProposalPublished, actor.UserID,
				without.reason); err != nil {
				return err
			}
			p.emit(without.bodies...)
			return kind.apply(p, proposal, change)
		})
	if err == nil {
		svc.sendLink(ctx, &result)
		svc.removeFiles(ctx, result.erasedFiles)
	}
	return result, err
}

// checkConfirming refuses a proposal of the person who acts, and one about them.
func (p *permissionChange) checkConfirming(proposal domain.Proposal, change domain.ControlDocument) error {
	if proposal.ProposedBy == p.actor.UserID {
		return domain.Errorf(domain.FourEyes, "You cannot confirm your own proposal.").
			WithRemedy(askAnotherAdministrator)
	}
	if change.Person != domain.NoID {
		own, err := p.isActor(change.Person)
		switch {
		case err != nil:
			return err
		case own && proposal.Kind == domain.ControlConflictEnd:
			return ownConflict()
		case own:
			return domain.Errorf(domain.FourEyes, "You cannot confirm a change of your own account.").
				WithRemedy(askAnotherAdministrator)
		}
	}
	return requireIndependent(p.ctx, p.tx.Reader, proposal.ProposedBy, p.actor.UserID)
}

// staleProposal refuses a proposal whose base has changed, with what has changed.
func staleProposal(kind domain.ProposalKind) error {
	if kind == domain.ControlMigration {
		return domain.Errorf(domain.StaleVersion,
			"Another migration of this process was confirmed since this one was proposed.").
			WithRemedy("Withdraw the proposal. If it is still needed, read the preview and propose it again.").
			WithDetail("reason", "other_migration")
	}
	return staleControlChange()
}

func staleControlChange() error {
	return domain.Errorf(domain.StaleVersion,
		"The value has changed since this change was proposed.").
		WithRemedy("Withdraw the proposal. If the change is still needed, propose it again.")
}

// WithdrawControlChange ends a proposal without effect. The proposer and any other person with the
// right to propose it may withdraw it.
func (svc *Service) WithdrawControlChange(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ControlResult, error) {
	reason, err := checkReason(in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	return svc.endControlChange(ctx, actor, "withdrawControlChange", in,
		func(p *permissionChange, proposal domain.Proposal, _ controlKind) error {
			if err := p.tx.EndProposal(p.ctx, proposal.ID, domain.ProposalWithdrawn, actor.UserID,
				reason); err != nil {
				return err
			}
			p.emit(generated.ControlWithdrawnV2{Kind: string(proposal.Kind), Key: proposal.Key,
				ProposalID: proposal.ID, By: actor.UserID, ProposedBy: proposal.ProposedBy,
				Reason: reason})
			return nil
		})
}

// endControlChange runs a command on an open proposal of control data.
func (svc *Service) endControlChange(ctx context.Context, actor domain.Actor, operation string,
	in EndProposal, fn func(*permissionChange, domain.Proposal, controlKind) error,
) (ControlResult, error) {
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish,
		domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	proposal, err := svc.db.Reader().Proposal(ctx, in.ProposalID)
	kind, known := controlKinds[proposal.Kind]
	if err == nil && !known || domain.HasCode(err, domain.NotFound) {
		// people without the right learn nothing about which proposals exist
		err = firstError(svc.authorizeAnyControl(ctx, actor),
			domain.Errorf(domain.NotFound, "The proposal was not found."))
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	if check := controlChecks[proposal.Kind]; err == nil && check != nil &&
		operation == confirmOperation {
		if err = check(ctx, svc, actor, proposal); err != nil {
			svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		}
	}
	if err != nil {
		return ControlResult{}, err
	}
	authority, err := svc.checkReadEffect(ctx, actor, operation, proposal, in)
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, kind.stream, kind.action, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			if err := p.sameAuthority(authority); err != nil {
				return ControlResult{}, err
			}
			current, err := svc.lockOpenProposal(p.ctx, p.tx, in)
			if err != nil {
				return ControlResult{}, err
			}
			err = fn(p, current, kind)
			return ControlResult{Kind: current.Kind, Key: current.Key, ProposalID: current.ID,
				Link: p.link, erasedFiles: p.erasedFiles}, err
		})
}

// authorizeAnyControl checks that the actor may change some kind of control data.
func (svc *Service) authorizeAnyControl(ctx context.Context, actor domain.Actor) error {
	err := svc.Authorize(ctx, actor, domain.ActPublish)
	if err != nil {
		err = svc.Authorize(ctx, actor, domain.ActManagePeople)
	}
	return err
}

// checkControlChanges checks the number of changed values, that none is repeated, and the reason.
func checkControlChanges(field string, keys []string, reason string) (string, error) {
	if len(keys) == 0 || len(keys) > maxControlChanges {
		return "", domain.Invalid(field, "Enter between 1 and %d values.", maxControlChanges)
	}
	seen := map[string]bool{}
	for _, key := range keys {
		if seen[key] {
			return "", domain.Invalid(field, "The value %q is entered twice.", key)
		}
		seen[key] = true
	}
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return "", domain.Invalid("reason", "Enter a reason for the change.")
	}
	return checkReason(reason)
}
