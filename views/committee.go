package views

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/workflow"
)

// Committee returns the committee to which the review belongs; nil if there is none or it has decided. The viewer
// may see the review, so they see its committee also if the other reviews of the case are hidden from them.
func (v *Views) Committee(
	ctx context.Context, c CaseView, review domain.Review,
) (*workflow.Committee, error) {
	def, err := v.definition(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	marking := c.Marking
	if c.Redacted {
		marking = c.unredacted
	}
	found, ok := workflow.CommitteeAt(def, marking, review.Node, review.Visit)
	if !ok {
		return nil, nil
	}
	if c.Redacted {
		found = found.WithoutConfidential(def, review.Node)
	}
	return &found, nil
}

// StepTitles returns the names of a node of the case's process by language.
func (v *Views) StepTitles(ctx context.Context, c domain.Case, node string) (map[string]string, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	found, ok := def.Node(node)
	if !ok {
		return nil, nil
	}
	return found.Title, nil
}

// HasTimeLimit reports whether a time limit of its step can end the review, which is undecided.
func (v *Views) HasTimeLimit(ctx context.Context, c domain.Case, review domain.Review) (bool, error) {
	if !undecided(review) {
		return false, nil
	}
	def, err := v.definition(ctx, c)
	if err != nil {
		return false, err
	}
	node, ok := def.Node(review.Node)
	return ok && node.Timeout > 0, nil
}

// EndOfStep returns when the timer of the review's step ends the undecided review; nil without a timer that
// will fire. Paused deadlines do not stop it, because it belongs to the step.
func EndOfStep(review domain.Review, runs []domain.StageRun) *time.Time {
	timer := domain.StepTimer(runs, review.Node, review.Visit)
	if timer == nil || !undecided(review) {
		return nil
	}
	return &timer.RunAfter
}

// Seats returns a number for each review whose step has several seats, which changes with every seat of the step.
// It reads no votes, so it tells nothing of hidden ones.
func (v *Views) Seats(ctx context.Context, reviews []domain.Review) (map[domain.ID]int64, error) {
	if len(reviews) == 0 {
		return nil, nil
	}
	type step struct {
		caseID domain.ID
		node   string
		visit  int
	}
	stepOf := func(r domain.Review) step { return step{r.CaseID, r.Node, r.Visit} }
	var cases []domain.ID
	for _, review := range reviews {
		if !slices.Contains(cases, review.CaseID) {
			cases = append(cases, review.CaseID)
		}
	}
	all, err := v.reader.ReviewsOf(ctx, cases...)
	if err != nil {
		return nil, err
	}
	seats, versions := map[step]int{}, map[step]int64{}
	for _, review := range all {
		seats[stepOf(review)]++
		versions[stepOf(review)] += review.Version
	}
	found := map[domain.ID]int64{}
	for _, review := range reviews {
		if seats[stepOf(review)] > 1 {
			found[review.ID] = versions[stepOf(review)]
		}
	}
	return found, nil
}
