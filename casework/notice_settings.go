package casework

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
)

// SendsMail reports whether notices are sent by e-mail.
func (svc *Service) SendsMail() bool { return svc.settings.SendsMail }

// ReadNotices asks to mark notices of the actor as read: those with the ids, or all that were shown
// until a time.
type ReadNotices struct {
	Once  Once
	IDs   []domain.ID
	Until time.Time // used if IDs is nil
}

// ReadNotices marks notices as read. Ids of other people's notices have no effect.
func (svc *Service) ReadNotices(ctx context.Context, actor domain.Actor, in ReadNotices) (
	int64, error) {
	var read int64
	err := svc.runOwnSetting(ctx, actor, "markNoticesRead", in.Once, in, &read,
		func(w *unitOfWork) (err error) {
			read, err = w.tx.ReadNotices(w.ctx, actor.UserID, in.IDs, in.Until)
			if read > 0 {
				w.hints = append(w.hints, domain.Hint{Stream: domain.QueuesTopic})
			}
			return err
		})
	return read, err
}

// runOwnSetting runs a command of a person about nothing but themselves.
func (svc *Service) runOwnSetting(ctx context.Context, actor domain.Actor, operation string,
	once Once, request, result any, do func(*unitOfWork) error,
) error {
	if err := svc.inScope(ctx, actor, operation, domain.ScopeAccount); err != nil {
		return err
	}
	spec := workSpec{operation: operation, once: once, request: request, result: result,
		authorize: func(w *unitOfWork) error { return w.requireEnabled(actor) }}
	return svc.runUnitOfWork(ctx, actor, spec, do)
}

func (w *unitOfWork) requireEnabled(actor domain.Actor) error {
	user, err := w.tx.User(w.ctx, actor.UserID)
	if err == nil && user.Disabled {
		err = domain.Errorf(domain.NotPermitted, "Your account is disabled.")
	}
	return err
}

// SetNoticeMail asks to send a kind of notice by e-mail immediately, once a day or not.
type SetNoticeMail struct {
	Once Once
	Kind domain.NoticeKind
	Mail domain.NoticeMail
}

// SetNoticeMail stores the actor's choice. Notices that were made before are not affected, but those
// of a kind that is off now are not sent.
func (svc *Service) SetNoticeMail(ctx context.Context, actor domain.Actor, in SetNoticeMail) error {
	var done bool
	return svc.runOwnSetting(ctx, actor, "setNoticeMail", in.Once, in, &done,
		func(w *unitOfWork) error {
			if !in.Kind.Valid() || !in.Mail.Valid() {
				return domain.Invalid("kind", "There is no such kind of notice, or no such choice.")
			}
			if in.Kind.Fixed() {
				return domain.Invalid("kind", "E-mails about your sign-in are always sent immediately.")
			}
			done = true
			return w.tx.SetNoticeMail(w.ctx, actor.UserID, []domain.NoticeKind{in.Kind}, in.Mail)
		})
}

// SetNoticeCalendar asks to send e-mails only in the working time of a calendar; "" = at any time.
type SetNoticeCalendar struct {
	Once     Once
	Calendar string
}

// SetNoticeCalendar stores the actor's choice for notices to come.
func (svc *Service) SetNoticeCalendar(ctx context.Context, actor domain.Actor,
	in SetNoticeCalendar) error {
	var done bool
	return svc.runOwnSetting(ctx, actor, "setNoticeCalendar", in.Once, in, &done,
		func(w *unitOfWork) error {
			done = true
			if in.Calendar != "" {
				calendars, err := w.tx.Calendars(w.ctx)
				if err != nil {
					return err
				}
				if !slices.ContainsFunc(calendars, func(c *domain.Calendar) bool {
					return c.Name == in.Calendar
				}) {
					return domain.Invalid("calendar", "There is no calendar %q.", in.Calendar).
						WithRemedy("Choose a calendar from the list.")
				}
			}
			return w.tx.SetNoticeCalendar(w.ctx, actor.UserID, in.Calendar)
		})
}

// RetryMailAddress lets e-mails be sent again to the actor's address that was refused.
func (svc *Service) RetryMailAddress(ctx context.Context, actor domain.Actor, once Once) error {
	var done bool
	return svc.runOwnSetting(ctx, actor, "retryMailAddress", once, nil, &done,
		func(w *unitOfWork) error {
			done = true
			return w.tx.SetMailRefusal(w.ctx, actor.UserID, "", "")
		})
}

// Unsubscribe switches the e-mails of kinds off. Its caller has checked the signed link by which a
// person asks for it without signing in.
func (svc *Service) Unsubscribe(ctx context.Context, person domain.ID,
	kinds []domain.NoticeKind) error {
	kinds = slices.DeleteFunc(slices.Clone(kinds), domain.NoticeKind.Fixed)
	spec := workSpec{operation: "unsubscribe", accessObject: fmt.Sprint(kinds)}
	return svc.runUnitOfWork(ctx, domain.Actor{UserID: person}, spec, func(w *unitOfWork) error {
		return w.tx.SetNoticeMail(w.ctx, person, kinds, domain.MailOff)
	})
}

// RecordMail stores what became of the e-mail about notices. After a permanent refusal of the
// address nothing is sent to it until the person changes it or asks to try again.
func (svc *Service) RecordMail(ctx context.Context, person domain.ID, address string,
	notices []domain.ID, outcome domain.MailOutcome, reason string) error {
	spec := workSpec{operation: "recordMail", callerLogsRefusal: true}
	return svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		if outcome == domain.MailRefused {
			if err := w.tx.SetMailRefusal(w.ctx, person, address, reason); err != nil {
				return err
			}
		}
		if outcome == domain.MailSent {
			if err := w.tx.SetMailed(w.ctx, person); err != nil {
				return err
			}
		}
		return w.tx.RecordMail(w.ctx, notices, outcome, reason)
	})
}

// checkAddresses reports addresses of people that the mail server refused.
func (svc *Service) checkAddresses(ctx context.Context) ([]Inconsistency, error) {
	n, err := svc.db.Reader().RefusedAddresses(ctx)
	if err != nil || n == 0 {
		return nil, err
	}
	return []Inconsistency{{Kind: RefusedAddress, Count: int64(n),
		Message: fmt.Sprintf("The mail server refused the addresses of %d people, so they get no e-mails.", n),
		Remedy:  "Correct the addresses. Each person can ask on the page Notices to send again."}}, nil
}
