package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// scheduleAssignment adds the to-do that gives a free review to somebody, where its queue gives reviews out. It comes at
// once; until then, and where nobody fits, anybody of the queue may take the review.
func (t *transition) scheduleAssignment(review domain.Review) {
	if review.Status == domain.ReviewOpen && review.Assignee == domain.NoID && t.queueConfig.rule(review.Queue).Strategy != domain.StrategyPull {
		t.scheduleReviewRun(review, domain.RunKindAssign, t.now)
	}
}

// assignByStrategy gives a free review to the person whom the queue's strategy names among the eligible; to nobody when nobody
// fits. Whoever has just released it comes last.
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
	to := leastLoaded(people, loads)
	if rule.Strategy == domain.StrategyRoundRobin {
		if to, err = c.nextInRotation(review.Queue, people); err != nil {
			return err
		}
	}
	c.assignTo(review, to, "given out by the queue")
	return nil
}

// withRequiredSkills are the people who have every skill that the review asks for: those its node names, and its document type.
func (c *command) withRequiredSkills(people []domain.ID, review domain.Review) ([]domain.ID, error) {
	var asked []string
	if node, ok := c.def.Node(review.Node); ok {
		asked = append(asked, node.Skills...)
	}
	if review.DocumentType != "" {
		asked = append(asked, review.DocumentType)
	}
	skills, err := c.tx.Skills(c.ctx, people)
	return slices.DeleteFunc(people, func(id domain.ID) bool {
		return slices.ContainsFunc(asked, func(skill string) bool { return !slices.Contains(skills[id], skill) })
	}), err
}

// nextInRotation is the next of the people after whoever's turn it was last, in the order of their ids.
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

// leastLoaded is who has the fewest open reviews; of equals the first.
func leastLoaded(people []domain.ID, loads map[domain.ID]int) domain.ID {
	best := people[0]
	for _, id := range people[1:] {
		if loads[id] < loads[best] {
			best = id
		}
	}
	return best
}

// moveToQueue moves a review that nobody claims to the queue that its own names for that.
func (c *command) moveToQueue(review domain.Review, queue string) {
	c.emit(generated.ReviewMovedV1{Breaches: int64(review.Breaches), FromQueue: review.Queue, ReviewID: review.ID, ToQueue: queue})
	review.Queue, review.Assignee, review.Breaches, review.ClaimUntil = queue, domain.NoID, 0, time.Time{}
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
	c.restartClaimDeadline(review)
}
