package casework

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// PutConnector asks for a new connector, or for another spec of the connector with the name.
type PutConnector struct {
	Once   Once
	Spec   domain.ConnectorSpec
	Reason string
}

// PutConnector proposes a spec, which another person must confirm, because it decides which events
// leave and where to. It requires the right to publish.
func (svc *Service) PutConnector(
	ctx context.Context, actor domain.Actor, in PutConnector,
) (ControlResult, error) {
	const operation = "putConnector"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	in.Spec.URL = strings.TrimSpace(in.Spec.URL)
	reason, err := checkControlChanges("name", []string{in.Spec.Name}, in.Reason)
	if err := firstError(err, in.Spec.Check()); err != nil {
		return ControlResult{}, err
	}
	for _, kind := range in.Spec.Types {
		if kind != events.StatusChanged && events.NewestVersion(kind) == 0 {
			return ControlResult{}, domain.Invalid("types", "%.60q is not a type of event.", kind)
		}
	}
	if in.Spec.Process != "" {
		if err := svc.checkNames(ctx, SubmitDocument{Process: in.Spec.Process}); err != nil {
			return ControlResult{}, err
		}
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			present, err := p.tx.ConnectorNamed(p.ctx, in.Spec.Name)
			if err != nil {
				return ControlResult{}, err
			}
			change := domain.ControlDocument{After: in.Spec.Text(), Name: in.Spec.Name}
			if present.Version > 0 {
				change.Before = present.Spec.Text()
			}
			if change.Before == change.After {
				return ControlResult{Kind: domain.ControlConnector, Key: in.Spec.Name,
					Unchanged: true}, nil
			}
			return p.proposeControl(domain.ControlConnector, in.Spec.Name, reason, change)
		})
}

func connectorVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	connector, err := r.ConnectorNamed(ctx, key)
	return connector.Version, err
}

func (p *permissionChange) applyConnector(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	present, err := p.tx.ConnectorNamed(p.ctx, proposal.Key)
	if err != nil {
		return err
	}
	next := domain.Connector{ID: present.ID, Version: present.Version + 1, SetBy: p.actor.UserID}
	if present.Version == 0 {
		next.ID = domain.NewID()
	}
	if next.Spec, err = domain.ParseConnectorSpec(change.After); err != nil {
		return err
	}
	if err := p.tx.PutConnector(p.ctx, next, proposal.ID); err != nil {
		return err
	}
	p.controlChanged(generated.ConnectorChangedV1{ConnectorID: next.ID, Name: next.Spec.Name,
		Address: next.Spec.URL, AudienceOfEvents: string(next.Spec.Audience), Secrets: next.Spec.Secrets,
		By: p.actor.UserID, ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID,
		Reason: proposal.Note})
	return nil
}
