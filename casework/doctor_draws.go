package casework

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/events/generated"
	"countersign/sampling"
	"countersign/store"
)

// AlteredDraw is a drawn reviewer whom the key of the installation does not draw from the stored
// candidates, or whose event differs.
const AlteredDraw = "altered_draw"

const drawsPage = 500

// checkDraws computes every draw of a reviewer again and compares it with its event.
func (svc *Service) checkDraws(ctx context.Context, limit int) ([]Inconsistency, error) {
	r := svc.db.Reader()
	key, err := r.InstallationKey(ctx, "seats")
	if err != nil {
		return nil, err
	}
	var found []Inconsistency
	last := store.ReviewDraw{}
	for {
		draws, err := r.DrawsAfter(ctx, last.ReviewID, last.Attempt, drawsPage)
		if err != nil {
			return found, err
		}
		for _, draw := range draws {
			last = draw
			why, err := drawProblem(ctx, r, key, draw)
			if err != nil {
				return found, err
			}
			if why == "" {
				continue
			}
			found = append(found, Inconsistency{Kind: AlteredDraw, CaseID: draw.CaseID,
				Object: draw.ReviewID.String(),
				Message: fmt.Sprintf("Draw %d of review %s %s.", draw.Attempt, draw.ReviewID,
					why),
				Remedy: "Find out who changed the database, and let other people decide the case again."})
			if len(found) >= limit {
				return found, nil
			}
		}
		if len(draws) < drawsPage {
			return found, nil
		}
	}
}

// drawProblem returns what is wrong with a draw, "" if nothing is.
func drawProblem(
	ctx context.Context, r store.Reader, key []byte, draw store.ReviewDraw,
) (string, error) {
	if draw.Kept {
		return "", nil
	}
	drawn := sampling.DrawPerson(key, sampling.Seat{CaseID: draw.CaseID, Node: draw.Node,
		Number: draw.Seat, Attempt: draw.Attempt}, draw.Candidates)
	if drawn != draw.Person {
		return "has another person than the one whom the key draws from its candidates", nil
	}
	bodies, err := r.EventBodies(ctx, draw.CaseID, "review.drawn")
	if err != nil {
		return "", err
	}
	for _, text := range bodies {
		var body generated.ReviewDrawnV1
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			return "", fmt.Errorf("casework: event of a draw of case %s: %w", draw.CaseID, err)
		}
		if body == (generated.ReviewDrawnV1{ReviewID: draw.ReviewID,
			Attempt: int64(draw.Attempt), Person: draw.Person,
			Candidates:       int64(len(draw.Candidates)),
			CandidatesSHA256: sampling.HashOfCandidates(draw.Candidates),
			RequestedBy:      draw.RequestedBy, Reason: body.Reason}) {
			return "", nil
		}
	}
	return "has no event with the same content", nil
}
