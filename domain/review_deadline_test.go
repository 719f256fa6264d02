package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
)

// The same cases as frontend/src/lib/deadline.test.ts.
func TestTheDeadlineThatActsFirst(t *testing.T) {
	t.Parallel()
	soon, late := monday.Add(time.Hour), monday.Add(24*time.Hour)
	past := monday.Add(-time.Hour)
	for name, c := range map[string]struct {
		status            domain.ReviewStatus
		claimBy, decideBy time.Time
		want              time.Time
		claim             bool
	}{
		"to claim":            {domain.ReviewOpen, soon, late, soon, true},
		"claimed":             {domain.ReviewClaimed, soon, late, late, false},
		"claim missed":        {domain.ReviewOpen, past, late, late, false},
		"decide before claim": {domain.ReviewOpen, late, soon, soon, false},
		"both have passed":    {domain.ReviewOpen, past.Add(-time.Hour), past, past, false},
	} {
		review := domain.Review{Status: c.status, ClaimBy: c.claimBy, DecideBy: c.decideBy}
		if at, claim := review.NextDeadline(monday); !at.Equal(c.want) || claim != c.claim {
			t.Errorf("%s: %v, %v", name, at, claim)
		}
	}
}
