package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// queueConfig contains the rules and working calendars of all queues, and the marks from which
// reviewers are drawn. Changing it increments the authority version, so a command that holds the
// authority can use the cached configuration without reading it again.
type queueConfig struct {
	rules     map[string]domain.QueueRule
	calendars map[string]*domain.Calendar
	marks     map[string]int64 // from which reviewers are drawn, by process
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
	marks, err := r.DrawMarks(ctx)
	if err != nil {
		return nil, err
	}
	config := &queueConfig{rules: map[string]domain.QueueRule{},
		calendars: map[string]*domain.Calendar{}, marks: map[string]int64{}}
	for _, mark := range marks {
		if mark.BaseMinor != nil {
			config.marks[mark.Process] = *mark.BaseMinor
		}
	}
	for _, calendar := range calendars {
		config.calendars[calendar.Name] = calendar
	}
	for _, rule := range rules {
		config.rules[rule.Name] = rule
	}
	return config, nil
}

// rule returns the rule of a queue. A queue without one is a pull queue without a calendar.
func (q *queueConfig) rule(queue string) domain.QueueRule {
	if rule, ok := q.rules[queue]; ok {
		return rule
	}
	return domain.QueueRule{Name: queue, Strategy: domain.StrategyPull}
}

// calendar returns the working calendar of a queue; nil counts every hour.
func (q *queueConfig) calendar(queue string) *domain.Calendar {
	return q.calendars[q.rules[queue].Calendar]
}

// currentQueueConfig returns the queue configuration of the current authority version, for steps
// that do not lock the authority.
func (svc *Service) currentQueueConfig(ctx context.Context) (*queueConfig, error) {
	snapshot, err := svc.currentAuthority(ctx)
	if err != nil {
		return nil, err
	}
	return snapshot.queueConfig, nil
}

// ensureQueueConfig loads the queue configuration for a step that opens a review.
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
