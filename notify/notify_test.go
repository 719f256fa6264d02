package notify_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	netmail "net/mail"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/casework"
	"countersign/connect/mail"
	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/notify"
	"countersign/store"
	"countersign/views"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mailbox is a server of e-mail that keeps what it accepts.
type mailbox struct {
	mu     sync.Mutex
	mails  []received
	refuse func(to string) error
}

type received struct {
	to, subject, text string
	header            netmail.Header
}

type session struct {
	box *mailbox
	to  string
}

func (b *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }

func (*session) Mail(string, *smtp.MailOptions) error { return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if s.to = to; s.box.refuse != nil {
		return s.box.refuse(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	message, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(message.Body)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.box.mails = append(s.box.mails, received{s.to, subject, string(body), message.Header})
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

// refusing lets the mailbox refuse with the code; 0 = it accepts.
func (b *mailbox) refusing(code int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse = nil; code != 0 {
		b.refuse = func(string) error { return &smtp.SMTPError{Code: code, Message: "no such mailbox"} }
	}
}

func (b *mailbox) received() []received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]received(nil), b.mails...)
}

type quietNotifier struct{}

func (quietNotifier) Enqueue(context.Context, []domain.PendingRun) {}
func (quietNotifier) PublishHints(context.Context, []domain.Hint)  {}

type testEnv struct {
	t     *testing.T
	ctx   context.Context
	db    *store.DB
	owner *pgxpool.Pool
	svc   *casework.Service
	views *views.Views
	box   *mailbox

	address string // of the mailbox
}

// newTestEnv returns a service with a notifier that sends to a mailbox.
func newTestEnv(t *testing.T) *testEnv {
	t.Helper()
	database := pgtest.New(t)
	db, err := store.Open(t.Context(), database.AppURL, 8)
	must(t, err)
	t.Cleanup(db.Close)
	env := &testEnv{t: t, ctx: t.Context(), db: db, box: &mailbox{}, owner: database.Owner(t)}
	server := smtp.NewServer(env.box)
	server.Domain = "localhost"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	env.address = "smtp-plain://" + listener.Addr().String()
	links, err := notify.OpenServer(env.address, "", "no-reply@review.example")
	must(t, err)
	env.svc, err = casework.New(db, casework.Ports{Notifier: quietNotifier{},
		SignInLinks: notify.SignInLinks{Sender: links, From: "no-reply@review.example",
			PublicURL: "https://review.example"}},
		casework.Settings{SendsMail: true}, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { env.svc.Close(context.Background()) })
	env.views = views.New(db.Reader(), env.svc.Authorizer)
	env.start("a")
	return env
}

func (env *testEnv) start(holder string) {
	notifier := notify.New(env.svc, env.views, notify.Options{Holder: holder,
		Poll: 10 * time.Millisecond, Lease: time.Second, Pause: 10 * time.Millisecond,
		From: "no-reply@review.example", PublicURL: "https://review.example",
		Sender: mail.Server{Address: env.address, Operators: true}})
	notifier.Start()
	env.t.Cleanup(notifier.Stop)
}

func (env *testEnv) person(name, locale string) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: name + "@example.com", Name: name, Locale: locale, Roles: []domain.Role{domain.RoleL1},
		Queues: []string{domain.QueueL1}}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name}
}

// tell gives a person a notice: another person delegates to them.
func (env *testEnv) tell(person domain.Actor, giver string) {
	env.t.Helper()
	by := env.person(giver, "en")
	now, err := env.db.Reader().Clock(env.ctx)
	must(env.t, err)
	_, err = env.svc.CreateDelegation(env.ctx, by, casework.CreateDelegation{Delegator: by.UserID,
		Delegate: person.UserID, Until: now.Add(24 * time.Hour)})
	must(env.t, err)
}

func (env *testEnv) wait(what string, holds func() bool) {
	env.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-limit.C:
			env.t.Fatalf("waited in vain until %s; %+v", what, env.box.received())
		}
	}
}

// advance moves the database's clock.
func (env *testEnv) advance(offset time.Duration) {
	env.t.Helper()
	_, err := env.owner.Exec(env.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock()
		RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d seconds'' '`, int(offset.Seconds())))
	must(env.t, err)
}

// tried counts the notices of a person whose e-mail was tried.
func (env *testEnv) tried(person domain.Actor) (n int) {
	env.t.Helper()
	must(env.t, env.owner.QueryRow(env.ctx, `SELECT count(*) FROM notices
		WHERE recipient = $1 AND attempts > 0`, person.UserID).Scan(&n))
	return n
}

func (env *testEnv) choices(person domain.Actor) domain.NoticePreferences {
	env.t.Helper()
	choices, _, err := env.views.NoticePreferences(env.ctx, person)
	must(env.t, err)
	return choices
}

// A notice becomes one e-mail in the language of its recipient, with a link by which they get no more
// of its kind without signing in. A changed link is refused.
func TestNoticesBecomeMails(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.start("b") // only one of both has the lease
	jo, mei := env.person("jo", "en"), env.person("mei", "zh")
	env.tell(jo, "Anna")
	env.tell(mei, "Berta")
	env.wait("both get an e-mail", func() bool { return len(env.box.received()) == 2 })
	for _, got := range env.box.received() {
		want := "There is a new delegation between you and Anna"
		if got.to == "mei@example.com" {
			want = "您与Berta之间有新的委托"
		}
		if got.subject != want ||
			got.header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			t.Errorf("%+v", got)
		}
		link := strings.Trim(got.header.Get("List-Unsubscribe"), "<>")
		if !strings.HasPrefix(link, "https://review.example/unsubscribe/") {
			t.Fatalf("the link is %q", link)
		}
		key, err := env.views.MailKey(env.ctx)
		must(t, err)
		links := notify.NewLinks(key, "https://review.example")
		person, kinds, err := links.Open(path.Base(link))
		must(t, err)
		if len(kinds) != 1 || kinds[0] != domain.NoticeDelegation {
			t.Errorf("the link is for %v", kinds)
		}
		token := []byte(path.Base(link))
		for i := range token {
			changed := append([]byte{}, token...)
			changed[i] ^= 2
			if other, _, err := links.Open(string(changed)); err == nil {
				t.Errorf("changed at %d, the link is of %s", i, other)
			}
		}
		must(t, env.svc.Unsubscribe(env.ctx, person, kinds))
	}
	env.tell(jo, "Carl")
	env.tell(env.person("kim", "en"), "Dora") // after it
	env.wait("the third gets an e-mail", func() bool { return len(env.box.received()) == 3 })
	if got := env.box.received()[2]; got.to != "kim@example.com" ||
		env.choices(jo).MailFor(domain.NoticeDelegation) != domain.MailOff {
		t.Errorf("%+v", got)
	}
}

// An address that the server refuses gets no more e-mails until its owner asks for them. What is
// refused for now is sent later.
func TestRefusedAddress(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	jo := env.person("jo", "en")
	env.box.refusing(550)
	env.tell(jo, "Anna")
	env.wait("the refusal is known", func() bool { return env.choices(jo).Refused == "jo@example.com" })
	if got := env.choices(jo).Refusal; !strings.Contains(got, "no such mailbox") {
		t.Errorf("the answer is %q", got)
	}
	env.box.refusing(0)
	env.tell(jo, "Berta")
	env.tell(env.person("kim", "en"), "Carl")
	env.wait("the other gets an e-mail", func() bool { return len(env.box.received()) == 1 })
	must(t, env.svc.RetryMailAddress(env.ctx, jo, casework.Once{}))
	env.tell(jo, "Dora")
	env.wait("the owner gets e-mails again", func() bool { return len(env.box.received()) == 2 })
	if got := env.box.received()[1]; got.to != "jo@example.com" || !strings.Contains(got.subject, "Dora") {
		t.Errorf("%+v", got)
	}
}

// After an e-mail the next one to the same person waits, with everything that is due then.
func TestManyNoticesAreFewMails(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	jo := env.person("jo", "en")
	env.tell(jo, "Anna")
	env.wait("the first is sent", func() bool { return len(env.box.received()) == 1 })
	for _, giver := range []string{"Berta", "Carl", "Dora"} {
		env.tell(jo, giver)
	}
	env.tell(env.person("kim", "en"), "Emil") // after them
	env.wait("another person's is sent", func() bool { return len(env.box.received()) == 2 })
	if got := env.box.received()[1]; got.to != "kim@example.com" {
		t.Errorf("%+v", got)
	}
	env.advance(6 * time.Minute)
	env.wait("the others are sent", func() bool { return len(env.box.received()) == 3 })
	if got := env.box.received()[2]; got.to != "jo@example.com" || got.subject != "3 notices" {
		t.Errorf("%+v", got)
	}
}

// Several notices that are due together are one e-mail. A disabled person gets none.
func TestSeveralNoticesAreOneMail(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	jo, gone := env.person("jo", "en"), env.person("gone", "en")
	env.box.refusing(451)
	env.tell(jo, "Anna")
	env.tell(gone, "Anne")
	env.wait("it was tried", func() bool { return env.tried(gone) == 1 })
	user, err := env.db.Reader().User(env.ctx, gone.UserID)
	must(t, err)
	user.Disabled = true
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	env.tell(jo, "Berta")
	env.wait("both were tried", func() bool { return env.tried(jo) == 2 })
	env.box.refusing(0)
	env.advance(time.Hour)
	env.wait("they are sent", func() bool { return len(env.box.received()) > 0 })
	if got := env.box.received(); len(got) != 1 || got[0].subject != "2 notices" ||
		!strings.Contains(got[0].text, "Anna") || !strings.Contains(got[0].text, "Berta") {
		t.Errorf("%+v", got)
	}
}
