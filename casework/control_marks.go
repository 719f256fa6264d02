package casework

import (
	"context"
	"strconv"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ProposeDrawMark asks to change the amount at risk from which the reviewers of a process are drawn,
// in minor units of the base currency. 0 asks for no mark.
type ProposeDrawMark struct {
	Once      Once
	Process   string
	BaseMinor int64
	Reason    string
}

// ProposeDrawMark proposes another mark, which another person must confirm, whether it is higher or
// lower. It requires the right to publish.
func (svc *Service) ProposeDrawMark(
	ctx context.Context, actor domain.Actor, in ProposeDrawMark,
) (ControlResult, error) {
	const operation = "proposeDrawMark"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("process", []string{in.Process}, in.Reason)
	switch {
	case err != nil:
		return ControlResult{}, err
	case in.BaseMinor < 0:
		return ControlResult{}, domain.Invalid("amount", "The mark must not be negative.")
	}
	if err := svc.checkNames(ctx, SubmitDocument{Process: in.Process}); err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			present, err := p.tx.DrawMark(p.ctx, in.Process)
			if err != nil {
				return ControlResult{}, err
			}
			before, after := markText(present.BaseMinor), ""
			if in.BaseMinor > 0 {
				after = markText(&in.BaseMinor)
			}
			if before == after {
				return ControlResult{Kind: domain.ControlDrawMark, Key: in.Process,
					Unchanged: true}, nil
			}
			return p.proposeControl(domain.ControlDrawMark, in.Process, reason,
				domain.ControlDocument{Before: before, After: after})
		})
}

// markText returns a mark as proposals contain it, "" for none.
func markText(baseMinor *int64) string {
	if baseMinor == nil {
		return ""
	}
	return strconv.FormatInt(*baseMinor, 10)
}

func drawMarkVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	mark, err := r.DrawMark(ctx, key)
	return mark.Version, err
}

func (p *permissionChange) applyDrawMark(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	present, err := p.tx.DrawMark(p.ctx, proposal.Key)
	if err != nil {
		return err
	}
	next := store.DrawMark{Process: present.Process, Version: present.Version + 1,
		Reason: proposal.Note, SetBy: p.actor.UserID, ProposalID: proposal.ID}
	if change.After != "" {
		minor, err := strconv.ParseInt(change.After, 10, 64)
		if err != nil {
			return domain.Errorf(domain.Internal, "The proposed mark cannot be read.").
				WithCause(err)
		}
		next.BaseMinor = &minor
	}
	if err := p.tx.AddDrawMark(p.ctx, next); err != nil {
		return err
	}
	p.controlChanged(generated.DrawMarkChangedV1{Process: next.Process,
		Before: present.BaseMinor, After: next.BaseMinor, By: p.actor.UserID,
		ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID, Reason: proposal.Note})
	return nil
}
