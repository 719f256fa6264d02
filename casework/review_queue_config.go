package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// queueConfig is how queues work and when people do. It belongs to what the authority's version counts, so that whoever holds
// the authority knows it without asking.
type queueConfig struct {
	rules     map[string]domain.QueueRule
	calendars map[string]*domain.Calendar
}

func loadQueueConfig(ctx context.Context, r store.Reader) (*queueConfig, error) {
	rules, err := r.Queues(ctx)
	if err != nil {
		return nil, err
	}
	calendars, err := r.Calendars(ctx)
	if err != nil {
		return nil, err
	}
	b := &queueConfig{rules: map[string]domain.QueueRule{}, calendars: map[string]*domain.Calendar{}}
	for _, calendar := range calendars {
		b.calendars[calendar.Name] = calendar
	}
	for _, rule := range rules {
		b.rules[rule.Name] = rule
	}
	return b, nil
}

// rule says how the queue works; one that nobody has set is taken from, in whole time.
func (b *queueConfig) rule(queue string) domain.QueueRule {
	if rule, ok := b.rules[queue]; ok {
		return rule
	}
	return domain.QueueRule{Name: queue, Strategy: domain.StrategyPull}
}

// calendar is when the queue's people work; nil is whole time.
func (b *queueConfig) calendar(queue string) *domain.Calendar {
	return b.calendars[b.rules[queue].Calendar]
}

// currentQueueConfig is the book as the authority stands now, for steps that do not hold it.
func (svc *Service) currentQueueConfig(ctx context.Context) (*queueConfig, error) {
	held, err := svc.currentAuthority(ctx)
	if err != nil {
		return nil, err
	}
	return held.queueConfig, nil
}

// ensureQueueConfig loads the queue configuration for a step in which a review begins.
func (t *transition) ensureQueueConfig(effects []workflow.Effect) error {
	if t.queueConfig != nil {
		return nil
	}
	for _, effect := range effects {
		if _, opens := effect.(workflow.OpenReview); opens {
			var err error
			t.queueConfig, err = t.fetchQueueConfig()
			return err
		}
	}
	return nil
}
