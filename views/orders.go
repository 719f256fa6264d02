package views

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/facts"
)

// OrderGround is a ground of an order, as a viewer may see it.
type OrderGround struct {
	domain.OrderGround
	State GroundState
	// Confirmable says that the viewer is another person than the one who stated it and the one on
	// whose behalf, and that it explains the present difference. Their claim is not considered.
	Confirmable bool
}

// GroundState is what a ground means for the present difference.
type GroundState string

// The states of grounds.
const (
	GroundStated    GroundState = "stated"    // another person has to confirm it
	GroundConfirmed GroundState = "confirmed" // it explains the present difference
	GroundLapsed    GroundState = "lapsed"    // order or document have changed since
)

// EarlierOrderValue is a field of a restated order, as a viewer may see it.
type EarlierOrderValue struct {
	facts.EarlierOrderValue
	AcceptedBy []domain.ID
}

// hides reports whether the viewer must not learn what a person did then, because it was done under
// a confidential review.
func (viewer AssertionViewer) hides(by domain.ID, at time.Time) bool {
	set := domain.AssertionSet{Source: domain.SourceHuman, By: by, At: at}
	return viewer.Redacted && by != viewer.UserID && facts.Viewer(viewer).MadeInConfidential(&set)
}

// OrderGrounds returns the grounds of an order that the viewer may see. It leaves out what was
// stated under confidential reviews, and who confirmed a ground under one.
func (viewer AssertionViewer) OrderGrounds(
	check facts.OrderCheck, grounds []domain.OrderGround,
) []OrderGround {
	found := []OrderGround{}
	if viewer.Audience != domain.AudienceStaff {
		return found
	}
	for _, ground := range grounds {
		if viewer.hides(ground.StatedBy, ground.StatedAt) {
			continue
		}
		shown := OrderGround{OrderGround: ground, State: groundState(check, ground)}
		shown.Confirmable = shown.State == GroundStated && !ground.IsStatedBy(viewer.UserID)
		if ground.Confirmed() && viewer.hides(ground.ConfirmedBy, ground.ConfirmedAt) {
			shown.ConfirmedBy, shown.ConfirmedAt = domain.NoID, time.Time{}
		}
		found = append(found, shown)
	}
	return found
}

func groundState(check facts.OrderCheck, ground domain.OrderGround) GroundState {
	switch {
	case !check.Matches(ground):
		return GroundLapsed
	case ground.Confirmed():
		return GroundConfirmed
	}
	return GroundStated
}

// EarlierOrderValues returns the earlier values of a restated order that still count. Submitters do
// not see who has accepted the newer ones.
func (viewer AssertionViewer) EarlierOrderValues(history facts.History) []EarlierOrderValue {
	found := []EarlierOrderValue{}
	for _, earlier := range history.EarlierOrderValues() {
		shown := EarlierOrderValue{EarlierOrderValue: earlier}
		for _, set := range earlier.Accepted {
			if viewer.Audience == domain.AudienceStaff && !viewer.hides(set.By, set.At) {
				shown.AcceptedBy = append(shown.AcceptedBy, set.By)
			}
		}
		found = append(found, shown)
	}
	return found
}

// OrdersOnEvidence adds up the orders on the evidence of a case's order, which the caller may read.
func (v *Views) OrdersOnEvidence(
	ctx context.Context, c domain.Case,
) (facts.SharedEvidence, error) {
	return v.shareEvidence(ctx, c.ID, false)
}

// shareEvidence adds up the orders on the evidence of the case's order; passing says that the order is
// about to pass.
func (v *Views) shareEvidence(
	ctx context.Context, caseID domain.ID, passing bool,
) (facts.SharedEvidence, error) {
	use, err := v.reader.OrderUse(ctx, caseID)
	if err != nil {
		return facts.SharedEvidence{}, err
	}
	others, err := v.reader.OtherOrderUses(ctx, caseID, use.EvidenceKeys)
	return facts.ShareEvidence(use, others, passing), err
}
