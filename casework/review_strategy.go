package casework

import (
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
	if people, err = c.withRequiredSkills(rule, people, review); err != nil {
		return err
	}
	loads, err := c.tx.OpenReviewCounts(c.ctx, people)
	if err != nil {
		return err
	}
	people = rule.WithRoom(people, loads, c.svc.settings.ClaimLimit)
	if len(people) == 0 {
		return nil
	}
	to := domain.FewestOpen(people, loads)
	if rule.Strategy == domain.StrategyRoundRobin {
		if to, err = c.nextInRotation(review.Queue, people); err != nil {
			return err
		}
	}
	c.assignTo(review, to, "assigned by the queue")
	return nil
}

// withRequiredSkills returns the people to whom the queue can assign the review by their skills.
func (c *command) withRequiredSkills(
	rule domain.QueueRule, people []domain.ID, review domain.Review,
) ([]domain.ID, error) {
	if rule.Strategy != domain.StrategySkill {
		return people, nil
	}
	var ofNode []string
	if node, ok := c.def.Node(review.Node); ok {
		ofNode = node.Skills
	}
	skills, err := c.tx.Skills(c.ctx, people)
	return rule.Skilled(people, domain.RequiredSkills(ofNode, review.DocumentType), skills), err
}

// nextInRotation returns the next person, in the order of ids, after the one who had the last turn.
func (c *command) nextInRotation(queue string, people []domain.ID) (domain.ID, error) {
	last, err := c.tx.LockLastTurn(c.ctx, queue)
	if err != nil {
		return domain.NoID, err
	}
	next := domain.NextInTurn(people, last)
	return next, c.tx.RecordTurn(c.ctx, queue, next)
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
