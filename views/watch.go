package views

import (
	"context"
	"time"

	"countersign/domain"
)

// MayWatch says whether the person may watch a stream now, which audience they belong to, and until when that is certain:
// a case by its own rule, any other stream by the right to read the audit trail. Whether the credential holds is asked
// apart from it, for all watchers in one statement.
func (v *Views) MayWatch(ctx context.Context, actor domain.Actor, stream domain.ID) (domain.WatchRight, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return domain.WatchRight{}, err
	}
	right := domain.WatchRight{Until: viewer.until()}
	right.Audience, err = v.audienceOfStream(ctx, viewer, stream)
	if err != nil || right.Until.IsZero() {
		return right, err
	}
	now, err := v.reader.Clock(ctx)
	right.Left = right.Until.Sub(now)
	return right, err
}

func (v *Views) audienceOfStream(ctx context.Context, viewer viewer, stream domain.ID) (domain.Audience, error) {
	c, _, err := v.readable(ctx, viewer, stream)
	if err == nil {
		return AudienceOn(viewer.user, c), nil
	}
	if stream[0] != 0 {
		return "", err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil || !viewer.actor.InScope(domain.ActReadAudit) {
		return "", domain.Errorf(domain.NotFound, "There is no such stream, or you may not see it.")
	}
	return domain.AudienceStaff, nil
}

// until is the earliest end of the delegations by which the person acts in other names; zero where there is none.
func (e viewer) until() time.Time {
	var until time.Time
	for _, d := range e.user.ReceivedDelegations {
		if until.IsZero() || d.Until.Before(until) {
			until = d.Until
		}
	}
	return until
}

func firstError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}
