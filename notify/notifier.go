package notify

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"countersign/connect/mail"
	"countersign/domain"
)

// Records is the part of the service layer that makes notices and stores what became of e-mails.
type Records interface {
	LeadNotices(ctx context.Context, holder string, ttl time.Duration) (bool, error)
	DeriveNotices(ctx context.Context) (more bool, err error)
	RecordMail(ctx context.Context, person domain.ID, address string, notices []domain.ID,
		outcome domain.MailOutcome, reason string) error
}

// Source reads the e-mails that are due, as their recipients may see them.
type Source interface {
	DueMails(ctx context.Context) ([]domain.DueMail, error)
	MailKey(ctx context.Context) ([]byte, error)
}

// Sender hands an e-mail to a server; *mail.Refused is a permanent refusal.
type Sender interface {
	Send(ctx context.Context, message mail.Message) error
}

// Options are the settings of a Notifier; zero values have defaults.
type Options struct {
	Holder    string        // unique among all programs
	Poll      time.Duration // pause between looks at the feed; default 500 ms
	Lease     time.Duration // how long the lease of a dead program blocks the others; default 15 s
	Pause     time.Duration // after the mail server could not be used; default 30 s
	From      string        // address of the sender
	PublicURL string        // of the application, without a slash at its end
	Sender    Sender        // nil = no e-mails are sent
	Clock     domain.Clock
	Log       *slog.Logger
}

// Notifier makes notices and sends e-mails until it is stopped.
type Notifier struct {
	records  Records
	source   Source
	options  Options
	links    Links
	pausedTo time.Time
	asked    time.Time // last attempt to acquire or to renew the lease
	leads    bool

	stopping chan struct{}
	done     sync.WaitGroup
}

// New returns a Notifier.
func New(records Records, source Source, options Options) *Notifier {
	if options.Poll == 0 {
		options.Poll = 500 * time.Millisecond
	}
	if options.Lease == 0 {
		options.Lease = 15 * time.Second
	}
	if options.Pause == 0 {
		options.Pause = 30 * time.Second
	}
	if options.Clock == nil {
		options.Clock = domain.SystemClock{}
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Notifier{records: records, source: source, options: options,
		stopping: make(chan struct{})}
}

// Start works in the background until Stop.
func (n *Notifier) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	n.done.Go(func() {
		defer cancel()
		for !n.stopped() {
			if err := n.round(ctx); err != nil {
				n.options.Log.WarnContext(ctx, "notices", "error", err)
			}
			timer := time.NewTimer(n.options.Poll)
			select {
			case <-timer.C:
			case <-n.stopping:
				timer.Stop()
				return
			}
		}
	})
	n.done.Go(func() {
		<-n.stopping
		grace := time.AfterFunc(stopGrace, cancel)
		<-ctx.Done()
		grace.Stop()
	})
}

// stopGrace is how long an e-mail may take after Stop. One that is cut is sent again.
const stopGrace = 4 * time.Second

// Stop ends after the e-mail that is being sent, or after some seconds.
func (n *Notifier) Stop() {
	close(n.stopping)
	n.done.Wait()
}

func (n *Notifier) stopped() bool {
	select {
	case <-n.stopping:
		return true
	default:
		return false
	}
}

// lead acquires the lease, or renews it when a third of it has passed.
func (n *Notifier) lead(ctx context.Context) (bool, error) {
	now := n.options.Clock.Now()
	if now.Sub(n.asked).Abs() < n.options.Lease/3 {
		return n.leads, nil
	}
	leads, err := n.records.LeadNotices(ctx, n.options.Holder, n.options.Lease)
	if err == nil {
		n.asked, n.leads = now, leads
	}
	return leads, err
}

// round makes the notices of all new events and sends the e-mails that are due.
func (n *Notifier) round(ctx context.Context) error {
	for more := true; more && !n.stopped(); {
		leads, err := n.lead(ctx)
		if err != nil || !leads {
			return err
		}
		if more, err = n.records.DeriveNotices(ctx); err != nil {
			return err
		}
	}
	if n.options.Sender == nil || n.options.Clock.Now().Before(n.pausedTo) {
		return nil
	}
	if n.links.key == nil {
		key, err := n.source.MailKey(ctx)
		if err != nil {
			return err
		}
		n.links = NewLinks(key, n.options.PublicURL)
	}
	due, err := n.source.DueMails(ctx)
	if err != nil {
		return err
	}
	for i := range due {
		// The lease is renewed before each e-mail, because a slow server takes its time for each.
		leads, err := n.records.LeadNotices(ctx, n.options.Holder, max(n.options.Lease, time.Minute))
		if err != nil || !leads || n.stopped() {
			return err
		}
		if err := n.send(ctx, due[i]); err != nil || n.options.Clock.Now().Before(n.pausedTo) {
			return err
		}
	}
	return nil
}

// send sends the e-mail to one person and records what became of it.
func (n *Notifier) send(ctx context.Context, due domain.DueMail) error {
	record := func(ids []domain.ID, outcome domain.MailOutcome, reason string) error {
		if len(ids) == 0 {
			return nil
		}
		return n.records.RecordMail(ctx, due.Person.ID, due.Person.Email, ids, outcome, reason)
	}
	if err := record(due.Hidden, domain.MailDropped, "the person cannot see it any more"); err != nil {
		return err
	}
	ids := make([]domain.ID, 0, len(due.Notices))
	for i := range due.Notices {
		ids = append(ids, due.Notices[i].ID)
	}
	if len(ids) == 0 {
		return nil
	}
	if due.Refused == due.Person.Email {
		return record(ids, domain.MailDropped, "the mail server refused the address before")
	}
	message := compose(due, n.links, n.options.Clock.Now())
	message.From, message.FromName = n.options.From, "Countersign"
	err := n.options.Sender.Send(ctx, message)
	var refused *mail.Refused
	switch {
	case err == nil:
		return record(ids, domain.MailSent, "")
	case errors.As(err, &refused):
		n.options.Log.WarnContext(ctx, "an e-mail was refused", "user", due.Person.ID,
			"answer", refused.Answer)
		if refused.Recipient {
			return record(ids, domain.MailRefused, refused.Answer)
		}
		return record(ids, domain.MailFailed, refused.Answer)
	}
	n.options.Log.WarnContext(ctx, "e-mails are not sent now", "error", err)
	n.pausedTo = n.options.Clock.Now().Add(n.options.Pause)
	return record(ids, domain.MailFailed, err.Error())
}
