package casework

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"countersign/domain"
)

// AlteredLesson is an entry of the vendor memory that its case does not teach.
const AlteredLesson = "altered_lesson"

const lessonsPage = 200

// checkLessons computes every lesson again and compares it with the stored one.
func (svc *Service) checkLessons(ctx context.Context, limit int) ([]Inconsistency, error) {
	r := svc.db.Reader()
	var found []Inconsistency
	for after := domain.NoID; ; {
		lessons, err := r.LessonsAfter(ctx, after, lessonsPage)
		if err != nil {
			return found, err
		}
		for _, stored := range lessons {
			after = stored.CaseID
			may, err := r.MayTeach(ctx, stored.CaseID)
			if err != nil {
				return found, err
			}
			lesson, ok, err := lessonOf(ctx, r, stored.CaseID)
			if err != nil {
				return found, err
			}
			want, err := json.Marshal(lesson)
			if err != nil {
				return found, err
			}
			have, err := json.Marshal(stored.Lesson)
			if err != nil {
				return found, err
			}
			if may && ok && bytes.Equal(want, have) {
				continue
			}
			found = append(found, Inconsistency{Kind: AlteredLesson, CaseID: stored.CaseID,
				Object: stored.ID.String(),
				Message: fmt.Sprintf("Entry %s of the vendor memory differs from what its case teaches.",
					stored.ID),
				Remedy: "Run countersign vendors rebuild."})
			if len(found) >= limit {
				return found, nil
			}
		}
		if len(lessons) < lessonsPage {
			return found, nil
		}
	}
}
