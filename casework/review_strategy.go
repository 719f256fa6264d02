package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// scheduleAssignment schedules the run that assigns an unassigned review, or draws its reviewer. The
// run is due immediately. Reviews of pull queues have none unless they are drawn. Until it has run,
// and if it finds no eligible person, anyone with access to the queue may claim a review that is not
// drawn.
func (t *transition) scheduleAssignment(review domain.Review) {
	if review.AwaitsDraw() || review.Status == domain.ReviewOpen &&
		review.Assignee == domain.NoID &&
		t.queueConfig.rule(review.Queue).Strategy != domain.StrategyPull {
		t.scheduleReviewRun(review, domain.RunKindAssign, t.now)
	}
}

// assignByStrategy assigns an unassigned review to the eligible person that the queue's strategy
// selects. It skips the person who just released it, and assigns no one if no person is eligible.
func (c *command) assignByStrategy(review domain.Review) error {
	eligible, err := c.eligibleReviewers(review)
	if err != nil {
		return err
	}
	people := make([]domain.ID, 0, len(eligible))
	for _, person := range eligible {
		if person.ID != review.PreviousAssignee {
			people = append(people, person.ID)
		}
	}
	if len(people) == 0 {
		return nil
	}
	rule := c.queueConfig.rule(review.Queue)
	if rule.Strategy == domain.StrategySkill {
		if people, err = c.withRequiredSkills(people, review); err != nil {
			return err
		}
	}
	loads, err := c.tx.OpenReviewCounts(c.ctx, people)
	if err != nil {
		return err
	}
	if rule.Cap > 0 {
		people = slices.DeleteFunc(people, func(id domain.ID) bool { return loads[id] >= rule.Cap })
	}
	if len(people) == 0 {
		return nil
	}
	people = c.belowClaimLimit(people, loads)
	to := leastLoaded(people, loads)
	if rule.Strategy == domain.StrategyRoundRobin {
		if to, err = c.nextInRotation(review.Queue, people); err != nil {
			return err
		}
	}
	c.assignTo(review, to, "assigned by the queue")
	return nil
}

// belowClaimLimit returns the people with fewer open reviews than one person can claim, or all of them if
// there is none: a review without a reviewer would be worse than a long list.
func (c *command) belowClaimLimit(people []domain.ID, loads map[domain.ID]int) []domain.ID {
	below := slices.DeleteFunc(slices.Clone(people),
		func(id domain.ID) bool { return loads[id] >= c.svc.settings.ClaimLimit })
	if len(below) == 0 {
		return people
	}
	return below
}

// withRequiredSkills returns the people who have every skill that the review requires: those named
// by its node, and its document type.
func (c *command) withRequiredSkills(
	people []domain.ID, review domain.Review,
) ([]domain.ID, error) {
	var required []string
	if node, ok := c.def.Node(review.Node); ok {
		required = append(required, node.Skills...)
	}
	if review.DocumentType != "" {
		required = append(required, review.DocumentType)
	}
	skills, err := c.tx.Skills(c.ctx, people)
	return slices.DeleteFunc(people, func(id domain.ID) bool {
		return slices.ContainsFunc(required,
			func(skill string) bool { return !slices.Contains(skills[id], skill) })
	}), err
}

// nextInRotation returns the next person, in the order of ids, after the one who had the last turn.
func (c *command) nextInRotation(queue string, people []domain.ID) (domain.ID, error) {
	last, err := c.tx.LockLastTurn(c.ctx, queue)
	if err != nil {
		return domain.NoID, err
	}
	order := func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(people, order)
	next := people[0]
	for _, id := range people {
		if order(id, last) > 0 {
			next = id
			break
		}
	}
	return next, c.tx.RecordTurn(c.ctx, queue, next)
}

// leastLoaded returns the person with the fewest open reviews; ties go to the first.
func leastLoaded(people []domain.ID, loads map[domain.ID]int) domain.ID {
	best := people[0]
	for _, id := range people[1:] {
		if loads[id] < loads[best] {
			best = id
		}
	}
	return best
}

// moveToQueue moves a review that was not claimed in time to the queue that its queue's rule names.
func (c *command) moveToQueue(review domain.Review, queue string) {
	c.emit(generated.ReviewMovedV1{Breaches: int64(review.Breaches), FromQueue: review.Queue,
		ReviewID: review.ID, ToQueue: queue})
	review.Queue, review.Assignee, review.Breaches, review.ClaimUntil = queue, domain.NoID, 0,
		time.Time{}
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
	c.restartClaimDeadline(review)
}
