package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
)

// noticeAge is how long notices are kept.
const noticeAge = 180 * 24 * time.Hour

// noticePage is how many events one round of notices examines.
const noticePage = 500

// noticesLeader names the row lease under which one program makes notices and sends e-mails.
const noticesLeader = "notices"

// LeadNotices acquires or renews the lease of the program that makes notices.
func (svc *Service) LeadNotices(ctx context.Context, holder string, ttl time.Duration) (bool, error) {
	return svc.db.Autocommit().AcquireLeadership(ctx, noticesLeader, holder, ttl)
}

// DeriveNotices makes the notices of the next events of the feed, and shows the scheduled ones whose
// time has come. It reports whether there may be more. The cursor and the notices are written in one
// transaction, so each event has its notices once.
func (svc *Service) DeriveNotices(ctx context.Context) (more bool, err error) {
	r := svc.db.Reader()
	from, err := r.NoticeCursor(ctx)
	if err != nil {
		return false, err
	}
	page, err := r.FeedAfter(ctx, store.FeedQuery{After: from, Types: NoticedEvents(),
		Limit: noticePage})
	if err != nil {
		return false, err
	}
	spec := workSpec{operation: "deriveNotices", callerLogsRefusal: true}
	err = svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		d, err := w.newNoticeDeriver(page.Events)
		if err != nil {
			return err
		}
		for i := range page.Events {
			if err := d.derive(&page.Events[i].Event); err != nil {
				return err
			}
		}
		if advances(from, page) {
			if err := w.tx.AdvanceNotices(ctx, from, page.Next); err != nil {
				return err
			}
		}
		if err := d.save(); err != nil {
			return err
		}
		if err := d.checkEndedProposals(); err != nil {
			return err
		}
		return d.checkScheduled()
	})
	if domain.HasCode(err, domain.LeaseLost) {
		return true, nil
	}
	return !page.Complete, err
}

// noticeLag is how many transactions the stored position may be behind if they made no notices. Each
// change of the position is a transaction itself, so without a lag an idle system would write for ever.
const noticeLag = 1000

// advances reports whether the position after the page is worth a write.
func advances(from domain.FeedPosition, page store.FeedPage) bool {
	return len(page.Events) > 0 || !page.Complete || page.Next.Era != from.Era ||
		page.Next.TxID-from.TxID >= noticeLag
}

// noticeDeriver makes the notices of one round.
type noticeDeriver struct {
	*unitOfWork
	now     time.Time
	cases   map[domain.ID]domain.Case // of the events
	notices []domain.Notice
	settled []store.SettledWork
	changed bool

	watchers map[domain.ID][]domain.ID // of the cases

	claimants *claimants // of the round

	people    map[domain.ID]domain.User
	choices   map[domain.ID]domain.NoticePreferences
	calendars map[string]*domain.Calendar
}

func (w *unitOfWork) newNoticeDeriver(of []store.FeedEvent) (*noticeDeriver, error) {
	d := &noticeDeriver{unitOfWork: w, cases: map[domain.ID]domain.Case{}}
	var err error
	if d.now, err = w.tx.Clock(w.ctx); err != nil || len(of) == 0 {
		return d, err
	}
	ids := make([]domain.ID, 0, len(of))
	for i := range of {
		ids = append(ids, of[i].Stream)
	}
	cases, err := w.tx.Cases(w.ctx, ids)
	for i := range cases {
		d.cases[cases[i].ID] = cases[i]
	}
	if err != nil {
		return d, err
	}
	return d, d.loadWatchers(ids)
}

var (
	ofAssignee = []domain.NoticeKind{domain.NoticeAssigned, domain.NoticeLapse, domain.NoticeReminder}
	ofReview   = append([]domain.NoticeKind{domain.NoticeOverdue}, ofAssignee...)
	ofCase     = []domain.NoticeKind{domain.NoticeReturned, domain.NoticeReminder, domain.NoticeIncident}

	ofConnector = []domain.NoticeKind{domain.NoticeConnector}
)

// settle ends the notices about work that is finished: those of earlier events of the round, and with save
// those that are stored.
func (d *noticeDeriver) settle(work store.SettledWork) {
	kept := d.notices[:0]
	for _, notice := range d.notices {
		if work.Settles(notice) {
			if notice.Scheduled {
				continue
			}
			notice.ReadAt = d.now
		}
		kept = append(kept, notice)
	}
	d.notices = kept
	d.settled = append(d.settled, work)
}

func (d *noticeDeriver) settleReview(review domain.ID, kinds []domain.NoticeKind) {
	d.settle(store.SettledWork{Review: review, Kinds: kinds})
}

func (d *noticeDeriver) settleCase(event *domain.Event) {
	d.settle(store.SettledWork{Case: event.Stream, Kinds: ofCase})
}

// markChanged lets the pages of people count their notices again after the commit.
func (d *noticeDeriver) markChanged(changed bool) {
	if changed && !d.changed {
		d.changed = true
		d.hints = append(d.hints, domain.Hint{Stream: domain.QueuesTopic})
	}
}

// add makes a notice for each recipient but the person who caused it. One who is given twice gets one
// notice, because the table has one for an event, a person and a kind.
func (d *noticeDeriver) add(event *domain.Event, notice domain.Notice, recipients ...domain.ID) {
	for _, to := range recipients {
		if to == domain.NoID || to == domain.SystemUserID || to == event.Actor {
			continue
		}
		one := notice
		one.ID, one.Recipient, one.Stream, one.Seq = domain.NewID(), to, event.Stream, event.Seq
		if event.Stream[0] != 0 {
			one.CaseID = event.Stream
		}
		if one.At.IsZero() {
			one.At = d.now
		}
		d.notices = append(d.notices, one)
	}
}

// save settles the stored notices, and stores the new ones with the times of their e-mails.
func (d *noticeDeriver) save() error {
	n, err := d.tx.SettleNotices(d.ctx, d.settled)
	if err != nil {
		return err
	}
	d.markChanged(n > 0)
	d.notices = withoutDoubles(d.notices)
	if err := d.loadRecipients(d.notices); err != nil {
		return err
	}
	kept := d.notices[:0]
	for _, notice := range d.notices {
		if person, ok := d.people[notice.Recipient]; !ok || person.Disabled {
			continue
		}
		if !notice.Scheduled && notice.ReadAt.IsZero() {
			notice.MailAt = d.mailAt(notice)
		}
		kept = append(kept, notice)
	}
	d.markChanged(len(kept) > 0)
	return d.tx.AddNotices(d.ctx, kept)
}

// mailAt returns when the e-mail about a notice is due; zero = none is sent.
func (d *noticeDeriver) mailAt(notice domain.Notice) time.Time {
	if !d.svc.settings.SendsMail {
		return time.Time{}
	}
	choices := d.choices[notice.Recipient]
	calendar := d.calendars[choices.Calendar]
	if notice.Kind.Fixed() {
		calendar = nil
	}
	return domain.MailAt(choices.MailFor(notice.Kind), calendar, d.now)
}

// loadRecipients reads the people, their choices and the calendars that are not known yet.
func (d *noticeDeriver) loadRecipients(notices []domain.Notice) error {
	var missing []domain.ID
	for _, notice := range notices {
		if _, known := d.people[notice.Recipient]; !known {
			missing = append(missing, notice.Recipient)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if d.people == nil {
		d.people, d.choices = map[domain.ID]domain.User{}, map[domain.ID]domain.NoticePreferences{}
		d.calendars = map[string]*domain.Calendar{}
		calendars, err := d.tx.Calendars(d.ctx)
		if err != nil {
			return err
		}
		for _, calendar := range calendars {
			d.calendars[calendar.Name] = calendar
		}
	}
	people, err := d.tx.Users(d.ctx, missing)
	if err != nil {
		return err
	}
	for i := range people {
		d.people[people[i].ID] = people[i]
	}
	choices, err := d.tx.NoticePreferences(d.ctx, missing)
	for id, choice := range choices {
		d.choices[id] = choice
	}
	return err
}

// maxScheduledNotices is how many scheduled notices one round checks.
const maxScheduledNotices = 200

// checkScheduled shows the notices about claims that end soon. A claim that was renewed meanwhile is
// checked again, and the notice of one that ended is not shown.
func (d *noticeDeriver) checkScheduled() error {
	scheduled, err := d.tx.ScheduledNotices(d.ctx, maxScheduledNotices)
	if err != nil || len(scheduled) == 0 {
		return err
	}
	if err := d.loadRecipients(scheduled); err != nil {
		return err
	}
	for _, notice := range scheduled {
		review, err := d.tx.Review(d.ctx, notice.ReviewID)
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return err
		}
		at := review.ClaimUntil.Add(-d.claimWarning())
		switch {
		case err != nil || review.Status != domain.ReviewClaimed || review.Assignee != notice.Recipient:
			err = d.tx.VoidNotice(d.ctx, notice.ID)
		case at.After(d.now):
			err = d.tx.MoveNotice(d.ctx, notice.ID, at)
		default:
			notice.Due, notice.MailAt = review.ClaimUntil, d.mailAt(notice)
			err = d.tx.ShowNotice(d.ctx, notice)
			d.markChanged(true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claimWarning is how long before its end the holder of a claim is notified.
func (d *noticeDeriver) claimWarning() time.Duration {
	return min(5*time.Minute, d.svc.settings.ClaimLease/3)
}
