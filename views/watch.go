package views

import (
	"context"
	"time"

	"countersign/domain"
)

// MayWatch returns the actor's right to watch a stream: the audience, and until when the answer is
// valid. A case needs the right to read it, any other stream the right to read the audit trail. The
// hub checks credentials separately, in one statement for all watchers.
func (v *Views) MayWatch(ctx context.Context, actor domain.Actor, stream domain.ID) (
	domain.WatchRight, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return domain.WatchRight{}, err
	}
	right := domain.WatchRight{Until: viewer.until()}
	right.Audience, right.Redacted, err = v.audienceOfStream(ctx, viewer, stream)
	if err != nil || right.Until.IsZero() {
		return right, err
	}
	now, err := v.reader.Clock(ctx)
	right.Left = right.Until.Sub(now)
	return right, err
}

func (v *Views) audienceOfStream(ctx context.Context, viewer viewer, stream domain.ID) (
	audience domain.Audience, redacted bool, err error) {
	c, _, err := v.readable(ctx, viewer, stream)
	if err == nil {
		seen, err := v.caseViewer(viewer).Case(ctx, c)
		return seen.Audience, seen.Redacted, err
	}
	if stream[0] != 0 {
		return "", false, err
	}
	if !seesSystemStream(viewer, stream) {
		return "", false, domain.Errorf(domain.NotFound, "Stream not found, or you do not have access.")
	}
	return domain.AudienceStaff, false, nil
}

// seesSystemStream reports whether the viewer may see a stream that is not of a case.
func seesSystemStream(viewer viewer, stream domain.ID) bool {
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil ||
		!viewer.actor.InScope(domain.ActReadAudit) {
		return false
	}
	return stream != domain.QualityStream.ID || seesQualityStream(viewer.user)
}

// seesQualityStream reports whether a person may know of every sample. The time of an event would
// tell a submitter that their document was drawn, and others that a confidential case was.
func seesQualityStream(person domain.User) bool {
	return person.SeesConfidential() && !person.HasRole(domain.RoleSubmitter)
}

// until returns the earliest end of the delegations that the user received, or zero if there are
// none.
func (viewer viewer) until() time.Time {
	var until time.Time
	for _, d := range viewer.user.ReceivedDelegations {
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
