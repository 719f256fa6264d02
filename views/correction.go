package views

import (
	"context"
	"time"

	"countersign/domain"
)

// CorrectedCase is an archived case that was found wrong, as its correction case shows it.
type CorrectedCase struct {
	ID        domain.ID
	Reference string
	// PaymentOrder is its payment order, nil if it has none, and PassedAt when it was let through.
	PaymentOrder *domain.Order
	PassedAt     time.Time
}

// Corrects reads the case that a correction case corrects, nil if the case is no correction. The
// caller must have checked that the actor may read the correction case. Its readers see the order of
// the archived case, because they see the same document and decide about its values.
func (v *Views) Corrects(ctx context.Context, correction domain.ID) (*CorrectedCase, error) {
	id, err := v.reader.Corrects(ctx, correction)
	if err != nil || id == domain.NoID {
		return nil, err
	}
	c, err := v.reader.Case(ctx, id)
	if err != nil {
		return nil, err
	}
	corrected := &CorrectedCase{ID: c.ID, Reference: c.Reference}
	if c.OrderRevision == 0 {
		return corrected, nil
	}
	orders, err := v.reader.Orders(ctx, c.ID)
	if err != nil || len(orders) == 0 {
		return corrected, err
	}
	corrected.PaymentOrder = &orders[0]
	use, err := v.reader.OrderUse(ctx, c.ID)
	corrected.PassedAt = use.PassedAt
	return corrected, err
}

// Correction reads the correction case of an archived case, NoID if there is none. The caller checks
// whether the actor may read it. To the submitter of the archived case there is none, because it
// would tell that the document was drawn.
func (v *Views) Correction(ctx context.Context, actor domain.Actor, c domain.Case) (
	domain.ID, error) {
	if err := actor.RequireScope(domain.ActRead); err != nil {
		return domain.NoID, err
	}
	if c.Status != domain.Archived || c.Submitter == actor.UserID {
		return domain.NoID, nil
	}
	return v.reader.CorrectionOf(ctx, c.ID)
}
