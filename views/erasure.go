package views

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
)

// LegalHold keeps a case from being erased.
type LegalHold = store.LegalHold

// Erasure reads how a case was erased, nil if it was not. The caller has checked that the actor may read
// the case. Only people who may see how the installation is set up learn who erased it.
func (v *Views) Erasure(ctx context.Context, actor domain.Actor, c domain.Case) (*store.Erasure, error) {
	if err := actor.RequireScope(domain.ActRead); err != nil {
		return nil, err
	}
	if c.ErasedAt.IsZero() {
		return nil, nil
	}
	erasure, err := v.reader.Erasure(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	switch err := v.requirePolicyAccess(ctx, actor); {
	case domain.HasCode(err, domain.NotPermitted):
		erasure.ProposedBy, erasure.ConfirmedBy = domain.NoID, domain.NoID
	case err != nil:
		return nil, err
	}
	return &erasure, nil
}

// LegalHolds reads the holds of a case, the newest first, for people who may see how the installation is
// set up. To others there are none, because a hold can tell of an investigation.
func (v *Views) LegalHolds(ctx context.Context, actor domain.Actor, caseID domain.ID) ([]LegalHold,
	error) {
	if err := actor.RequireScope(domain.ActRead); err != nil {
		return nil, err
	}
	switch err := v.requirePolicyAccess(ctx, actor); {
	case domain.HasCode(err, domain.NotPermitted):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return v.reader.LegalHolds(ctx, caseID)
}

// LegalHold reads one hold for the people who see holds.
func (v *Views) LegalHold(ctx context.Context, actor domain.Actor, id domain.ID) (LegalHold, error) {
	if err := v.requirePolicyAccess(ctx, actor, domain.ActReadAudit, domain.ActManagePeople); err != nil {
		return LegalHold{}, err
	}
	return v.reader.LegalHold(ctx, id)
}

// RetentionPeriod is a retention period and whether it applies now.
type RetentionPeriod struct {
	store.RetentionPeriod
	InForce bool
}

// maxRetentionPeriods bounds the periods that are listed.
const maxRetentionPeriods = 500

// RetentionPeriods reads the retention periods by document type, the newest first, for publishers,
// people administrators and auditors.
func (v *Views) RetentionPeriods(ctx context.Context, actor domain.Actor) ([]RetentionPeriod, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	found, err := v.reader.RetentionPeriods(ctx, maxRetentionPeriods)
	if err != nil {
		return nil, err
	}
	now, err := v.reader.Clock(ctx)
	if err != nil {
		return nil, err
	}
	return markInForce(found, now), nil
}

// markInForce marks the newest valid version of each document type.
func markInForce(found []store.RetentionPeriod, now time.Time) []RetentionPeriod {
	periods, marked := make([]RetentionPeriod, 0, len(found)), map[string]bool{}
	for _, period := range found {
		inForce := !marked[period.DocumentType] && !period.ValidFrom.After(now)
		marked[period.DocumentType] = marked[period.DocumentType] || inForce
		periods = append(periods, RetentionPeriod{period, inForce})
	}
	return periods
}
