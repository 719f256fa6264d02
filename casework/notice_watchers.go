package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// maxWatched is how many cases one person may watch.
const maxWatched = 1000

// WatchCase asks to get notices about a case, or no more of them.
type WatchCase struct {
	Once   Once
	CaseID domain.ID
	Watch  bool
}

// WatchResult says whether the actor watches the case now.
type WatchResult struct {
	CaseID  domain.ID
	Watched bool
}

// WatchCase lets the actor watch a case that they may read, or ends it. It has no effect on the case.
func (svc *Service) WatchCase(ctx context.Context, actor domain.Actor, in WatchCase) (WatchResult, error) {
	const operation = "watchCase"
	if err := svc.inScope(ctx, actor, operation, domain.ScopeAccount); err != nil {
		return WatchResult{}, err
	}
	return runCaseCommand(ctx, svc, actor, operation, in.CaseID, in.Once, in,
		func(c *command) (WatchResult, error) {
			if _, err := c.noteReader(); err != nil {
				return WatchResult{}, err
			}
			if !in.Watch {
				return WatchResult{in.CaseID, false}, c.tx.Unwatch(c.ctx, in.CaseID, actor.UserID)
			}
			if !c.before.ErasedAt.IsZero() {
				return WatchResult{}, erasedCase(c.before)
			}
			watched, err := c.tx.Watch(c.ctx, in.CaseID, actor.UserID, maxWatched)
			if err == nil && !watched {
				err = domain.Errorf(domain.StateMismatch, "You can watch at most %d cases.", maxWatched).
					WithRemedy("Stop watching another case.")
			}
			return WatchResult{in.CaseID, watched}, err
		})
}

// watchedEvents are the types of events about which the people who watch a case are notified.
var watchedEvents = []domain.EventType{domain.NoteAdded, domain.InternalNoteAdded, domain.ReviewOpened,
	domain.ReviewDecidedEvent, domain.VoteCast, domain.IncidentOpened, domain.IncidentResolved, domain.CaseReturned,
	domain.CaseResubmitted, domain.CaseApproved, domain.CaseRejected, domain.CaseArchived,
	domain.CaseAbandoned, domain.CaseReopened}

// loadWatchers reads who watches the cases of the round.
func (d *noticeDeriver) loadWatchers(cases []domain.ID) error {
	watchers, err := d.tx.Watchers(d.ctx, cases)
	for _, watcher := range watchers {
		if d.watchers == nil {
			d.watchers = map[domain.ID][]domain.ID{}
		}
		d.watchers[watcher.CaseID] = append(d.watchers[watcher.CaseID], watcher.Person)
	}
	return err
}

// noticeWatchers notifies the people who watch the case of an event, as far as they may see it. The watch
// of a person who may not read the case any more ends.
func (d *noticeDeriver) noticeWatchers(event *domain.Event) error {
	c, found := d.cases[event.Stream]
	if !found || len(d.watchers[event.Stream]) == 0 || !slices.Contains(watchedEvents, event.Type) {
		return nil
	}
	access, err := d.svc.accessTo(d.ctx, d.tx.Reader, c)
	if err != nil {
		return err
	}
	notice, audience, err := watchNotice(event)
	if err != nil {
		return err
	}
	for _, id := range slices.Clone(d.watchers[c.ID]) {
		person, err := d.tx.User(d.ctx, id)
		if err != nil {
			return err
		}
		reader, reads, err := access.of(person)
		if err != nil {
			return err
		}
		if !reads {
			d.watchers[c.ID] = slices.DeleteFunc(d.watchers[c.ID],
				func(other domain.ID) bool { return other == id })
			if err := d.tx.Unwatch(d.ctx, c.ID, id); err != nil {
				return err
			}
			continue
		}
		if audience == "" && !noticesChange(event, reader, person) || audience != "" && !reader.Reads(audience) {
			continue
		}
		d.add(event, notice, id)
	}
	return nil
}

// watchNotice returns the notice about an event, and the audience of the note if it is about one.
func watchNotice(event *domain.Event) (domain.Notice, domain.NoteAudience, error) {
	switch event.Type {
	case domain.NoteAdded:
		body, err := events.Decode[generated.CaseNoteAddedV1](event.Body)
		return domain.Notice{Kind: domain.NoticeNote, NoteID: body.NoteID}, domain.NoteEveryone, err
	case domain.InternalNoteAdded:
		body, err := events.Decode[generated.CaseInternalNoteAddedV1](event.Body)
		return domain.Notice{Kind: domain.NoticeNote, NoteID: body.NoteID},
			domain.NoteAudience(body.Audience), err
	}
	return domain.Notice{Kind: domain.NoticeWatched}, "", nil
}

// noticesChange reports whether a person may see that the event changed something. Who does not see all
// reviews of the case, or not its review work at all, is notified of what everyone sees and of changes of
// the status, so that the notices say no more than the history of the case.
func noticesChange(event *domain.Event, reader domain.NoteReader, person domain.User) bool {
	changed := event.StatusBefore != event.StatusAfter
	if reader.Staff && !reader.Submitter && reader.SeesAllReviews() {
		return changed || event.Type != domain.ReviewOpened
	}
	_, visible := events.View(event, domain.AudienceAll, person.ID)
	return visible && changed
}

// withoutDoubles removes the notices that say less than another one about the same event to the same
// person.
func withoutDoubles(notices []domain.Notice) []domain.Notice {
	type of struct {
		recipient, stream domain.ID
		seq               int64
	}
	watching := func(kind domain.NoticeKind) bool {
		return kind == domain.NoticeNote || kind == domain.NoticeWatched
	}
	more := map[of]bool{}
	for i := range notices {
		if n := &notices[i]; !watching(n.Kind) {
			more[of{n.Recipient, n.Stream, n.Seq}] = true
		}
	}
	return slices.DeleteFunc(notices, func(n domain.Notice) bool {
		return watching(n.Kind) && more[of{n.Recipient, n.Stream, n.Seq}]
	})
}

// watchesExamined is how many watches one statement of EndWatches reads.
const watchesExamined = 500

// EndWatches ends the watches of people who may not read their cases any more.
func (svc *Service) EndWatches(ctx context.Context) error {
	r := svc.db.Reader()
	for after := (store.Watcher{}); ; {
		watchers, err := r.WatchersAfter(ctx, after, watchesExamined)
		if err != nil {
			return err
		}
		var access caseAccess
		for _, watcher := range watchers {
			if watcher.CaseID != access.c.ID {
				c, err := r.Case(ctx, watcher.CaseID)
				if err == nil {
					access, err = svc.accessTo(ctx, r, c)
				}
				if err != nil {
					return err
				}
			}
			person, err := r.User(ctx, watcher.Person)
			if err != nil {
				return err
			}
			_, reads, err := access.of(person)
			if err == nil && !reads {
				err = svc.db.Autocommit().Unwatch(ctx, watcher.CaseID, watcher.Person)
			}
			if err != nil {
				return err
			}
		}
		if len(watchers) < watchesExamined {
			return nil
		}
		after = watchers[len(watchers)-1]
	}
}
