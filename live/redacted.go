package live

import (
	"context"

	"countersign/domain"
	"countersign/events"
)

// firstRedactedReading reads the whole log, because the visible events are counted from the first.
func (w *watcher) firstRedactedReading(ctx context.Context) ([]frame, error) {
	var all []frame
	trial := events.NewRedactor(w.actor.UserID)
	for {
		frames, err := w.readLog(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			trial.View(f.event)
			w.cursor = f.event.Seq
		}
		if all = append(all, frames...); len(frames) == 0 || w.cursor >= w.head {
			break
		}
	}
	w.cursor = 0
	if trial.Shown() < w.skip {
		return nil, beyondLog(w.skip, trial.Shown())
	}
	return all, nil
}

func beyondLog(cursor, end int64) error {
	return domain.Invalid("after", "Event %d does not exist; the log ends at %d.", cursor, end).
		WithRemedy("Read the case again and subscribe after its last event.")
}

// view returns the event as the watcher may see it now. A watcher who has come to see a redacted case cannot
// continue, because the numbers of the events differ.
func (w *watcher) view(event *domain.Event) (events.VisibleEvent, bool, error) {
	right := w.currentRight()
	switch {
	case w.redactor != nil:
		visible, ok := w.redactor.View(event)
		return visible, ok && visible.Seq > w.skip, nil
	case right.Redacted:
		return events.VisibleEvent{}, false, domain.Errorf(domain.NotPermitted,
			"Your access to this case has changed.").
			WithRemedy("Read the case again and subscribe after its last event.")
	}
	visible, ok := events.View(event, right.Audience, w.actor.UserID)
	return visible, ok, nil
}
