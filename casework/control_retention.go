package casework

import (
	"context"
	"strconv"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// allTypes is the key of the retention period of document types without a period of their own.
const allTypes = "*"

// maxRetentionDays is the longest retention period.
const maxRetentionDays = 36500

// SetRetention asks to change for how many days ended cases of a document type are kept before they may
// be erased. "" is every type without a period of its own.
type SetRetention struct {
	Once         Once
	DocumentType string
	Days         int
	// ExpectedDays is the period in force that the caller read; nil skips the check.
	ExpectedDays *int `json:",omitempty"`
	Reason       string
}

// SetRetention sets a longer period immediately and proposes a shorter one, which another person must
// confirm and which applies 30 days after that. It requires the right to publish.
func (svc *Service) SetRetention(ctx context.Context, actor domain.Actor, in SetRetention) (ControlResult,
	error) {
	const operation = "setRetention"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("documentType", []string{in.DocumentType}, in.Reason)
	switch {
	case err != nil:
		return ControlResult{}, err
	case in.Days < 1 || in.Days > maxRetentionDays:
		return ControlResult{}, domain.Invalid("days", "The period must be from 1 to %d days.",
			maxRetentionDays)
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (ControlResult, error) {
		if err := p.svc.checkKnownType(p.ctx, p.tx.Reader, in.DocumentType); err != nil {
			return ControlResult{}, err
		}
		result := ControlResult{Kind: domain.ControlRetention, Key: retentionKey(in.DocumentType)}
		present, err := p.tx.PresentRetention(p.ctx, in.DocumentType)
		if err != nil {
			return result, err
		}
		if present.Days == in.Days && present.Longest == in.Days {
			result.Unchanged = true
			return result, nil
		}
		if err := p.checkPresent(textOf(in.ExpectedDays, strconv.Itoa), strconv.Itoa(present.Days),
			strconv.Itoa(present.Days)+" days", present.SetBy); err != nil {
			return result, err
		}
		if in.Days < present.Longest {
			return p.proposeControl(result.Kind, result.Key, reason, domain.ControlDocument{
				Before: strconv.Itoa(present.Days), After: strconv.Itoa(in.Days)})
		}
		return result, p.addRetention(in.DocumentType, in.Days, reason, domain.Proposal{})
	})
}

func retentionKey(documentType string) string {
	if documentType == "" {
		return allTypes
	}
	return documentType
}

func typeOfRetention(key string) string {
	if key == allTypes {
		return ""
	}
	return key
}

func retentionBase(ctx context.Context, r store.Reader, key string) (int, error) {
	present, err := r.PresentRetention(ctx, typeOfRetention(key))
	return present.Version, err
}

func (p *permissionChange) applyRetention(proposal domain.Proposal, change domain.ControlDocument) error {
	days, err := strconv.Atoi(change.After)
	if err != nil {
		return domain.Errorf(domain.Internal, "The proposed period cannot be read.").WithCause(err)
	}
	return p.addRetention(typeOfRetention(proposal.Key), days, proposal.Note, proposal)
}

// addRetention writes a period with its event; proposal is the confirmed one, if any.
func (p *permissionChange) addRetention(documentType string, days int, reason string,
	proposal domain.Proposal) error {
	present, err := p.tx.PresentRetention(p.ctx, documentType)
	if err != nil {
		return err
	}
	from, err := p.tx.AddRetentionPeriod(p.ctx, store.RetentionPeriod{DocumentType: documentType,
		Version: present.Version + 1, Days: days, Reason: reason, SetBy: p.actor.UserID,
		ProposalID: proposal.ID})
	if err != nil {
		return err
	}
	p.emit(generated.RetentionChangedV1{DocumentType: documentType, Before: int64(present.Days),
		After: int64(days), ValidFrom: from.UTC(), By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID, Reason: reason})
	return nil
}
