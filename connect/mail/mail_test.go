package mail_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"countersign/connect"
	"countersign/connect/mail"
	"countersign/domain"
	"countersign/events"
	"countersign/feed"
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
	mails  []*netmail.Message
	bodies []string
	login  string // user:password, "" = none is asked for
	// mechanism is the only way to sign in; "" = PLAIN.
	mechanism string
	refuse    func(to string) error // of a recipient
}

type session struct {
	box *mailbox
	in  bool
}

func (b *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }

func (s *session) AuthMechanisms() []string {
	return []string{cmp.Or(s.box.mechanism, sasl.Plain)}
}

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	check := func(user, password string) error {
		if user+":"+password != s.box.login {
			return &smtp.SMTPError{Code: 535, Message: "login refused"}
		}
		s.in = true
		return nil
	}
	if mechanism == sasl.Login {
		return &loginServer{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
}

// loginServer asks for the user and then for the password.
type loginServer struct {
	user  *string
	check func(user, password string) error
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	switch {
	case l.user == nil && response == nil:
		return []byte("Username:"), false, nil
	case l.user == nil:
		user := string(response)
		l.user = &user
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(*l.user, string(response))
}

func (s *session) Mail(string, *smtp.MailOptions) error {
	if s.box.login != "" && !s.in {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.box.refuse != nil {
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
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.box.mails, s.box.bodies = append(s.box.mails, message), append(s.box.bodies, string(body))
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

// serve starts the server and returns its address without a scheme.
func (b *mailbox) serve(t *testing.T) string {
	t.Helper()
	server := smtp.NewServer(b)
	server.Domain, server.AllowInsecureAuth = "localhost", true
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

func newSender(t *testing.T, networks ...string) *mail.Sender {
	t.Helper()
	sender, err := mail.New(mail.Settings{Networks: networks, PublicURL: "https://review.example",
		Timeout: 3 * time.Second, Secrets: []string{"post=login:robot:open sesame"},
		Reference: func(context.Context, domain.ID) (string, error) { return "CS-2026-000007", nil }})
	must(t, err)
	return sender
}

func specOf(address string) domain.ConnectorSpec {
	return domain.ConnectorSpec{Name: "post", Kind: domain.ConnectorSMTP, Audience: domain.ForStaff,
		URL: "smtp-plain://" + address, Mail: &domain.ConnectorMail{From: "no-reply@review.example",
			To: []string{"ops@example.com"}, Language: "en"}}
}

func rejected() *feed.Event {
	return &feed.Event{Stream: domain.NewID(), Audience: domain.AudienceStaff,
		VisibleEvent: events.VisibleEvent{Seq: 3, Type: domain.CaseRejected, SchemaVersion: 1,
			Status: domain.Rejected, At: time.Date(2026, 11, 26, 12, 5, 0, 0, time.UTC),
			Body: json.RawMessage(`{"reason":"zebra"}`)}}
}

// An event becomes an e-mail with the reference of the case and a link, in the language of the
// connector. The same event has the same Message-ID again. Its body stays here.
func TestEventsBecomeMails(t *testing.T) {
	t.Parallel()
	box := &mailbox{login: "robot:open sesame"}
	spec := specOf(box.serve(t))
	spec.Secrets = []string{"post"}
	must(t, spec.Check())
	sender, event := newSender(t, "127.0.0.1"), rejected()
	for _, language := range []string{"en", "zh", "en"} {
		spec.Mail.Language = language
		if got := sender.Deliver(t.Context(), spec, event); got.Outcome != domain.AttemptDelivered {
			t.Fatalf("%+v", got)
		}
	}
	for i, want := range []struct{ subject, text string }{{"CS-2026-000007: rejected", "Open the case: "},
		{"CS-2026-000007：已驳回", ""}, {"CS-2026-000007: rejected", "Time: 2026-11-26 12:05 UTC"}} {
		header := box.mails[i].Header
		subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
		must(t, err)
		if subject != want.subject || !strings.Contains(box.bodies[i], want.text) ||
			strings.Contains(box.bodies[i], "zebra") || header.Get("To") != "<ops@example.com>" ||
			header.Get("Message-Id") != box.mails[0].Header.Get("Message-Id") {
			t.Errorf("e-mail %d has the header %v and the text %s", i, header, box.bodies[i])
		}
	}
	if got := sender.TestConnector(t.Context(), spec); got.Outcome != domain.AttemptDelivered {
		t.Errorf("the test: %+v", got)
	}
}

// A mailbox that refuses permanently needs a person, one that is full for now gets the event later.
func TestRefusedRecipients(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	spec := specOf(box.serve(t))
	sender := newSender(t, "127.0.0.1")
	for code, want := range map[int]domain.AttemptOutcome{550: domain.AttemptRefused,
		553: domain.AttemptRefused, 452: domain.AttemptFailed, 421: domain.AttemptFailed} {
		box.refuse = func(string) error { return &smtp.SMTPError{Code: code, Message: "no\tbox\x1b[31m here"} }
		got := sender.Deliver(t.Context(), spec, rejected())
		if got.Outcome != want || strings.ContainsAny(got.Error+got.Answer, "\x1b\t\n") || got.Error == "" {
			t.Errorf("%d: %+v", code, got)
		}
	}
	if len(box.mails) != 0 {
		t.Errorf("%d e-mails were accepted", len(box.mails))
	}
}

// A server that is not allowed, that is away, that offers no encryption, or that refuses the login, is a
// failure that names the reason and no password.
func TestUnusableServers(t *testing.T) {
	t.Parallel()
	box := &mailbox{login: "robot:other"}
	address := box.serve(t)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, gone.Close())
	for name, c := range map[string]struct {
		url      string
		networks []string
		secrets  []string
		want     string
	}{
		"not allowed":   {"smtp-plain://" + address, nil, nil, "needs TLS"},
		"away":          {"smtp-plain://" + gone.Addr().String(), []string{"127.0.0.1"}, nil, "connection refused"},
		"no encryption": {"smtp://" + address, []string{"127.0.0.1"}, nil, "STARTTLS"},
		"no TLS":        {"smtps://" + address, []string{"127.0.0.1"}, nil, "cannot be used"},
		"wrong login":   {"smtp-plain://" + address, []string{"127.0.0.1"}, []string{"post"}, "login refused"},
		"no login":      {"smtp-plain://" + address, []string{"127.0.0.1"}, []string{"lost"}, "not a login"},
	} {
		spec := specOf(address)
		spec.URL, spec.Secrets = c.url, c.secrets
		got := newSender(t, c.networks...).Deliver(t.Context(), spec, rejected())
		if got.Outcome != domain.AttemptFailed || !strings.Contains(got.Error, c.want) ||
			strings.Contains(got.Error, "sesame") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// No text adds a header or a recipient.
func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	server := mail.Server{Address: "smtp-plain://" + box.serve(t)}
	networks, err := connect.ParseNetworks([]string{"127.0.0.1"})
	must(t, err)
	server.Networks = networks
	message := mail.Message{From: "a@example.com", FromName: "A\r\nBcc: x@example.com",
		To: []string{"b@example.com"}, Subject: "one\r\nBcc: y@example.com\r\n\r\nbody", Text: "text\n.\nmore",
		ID: "1\r\nX: 1", Headers: map[string]string{"List-Id": "a\r\nBcc: z@example.com"}}
	must(t, server.Send(t.Context(), message))
	for name := range box.mails[0].Header {
		if name == "Bcc" || name == "X" {
			t.Errorf("the e-mail has the header %s", name)
		}
	}
	if !strings.Contains(box.bodies[0], "more") || strings.Contains(box.bodies[0], "y@example") {
		t.Errorf("the text is %q", box.bodies[0])
	}
	message.To = []string{"b@example.com, c@example.com"}
	var refused *mail.Refused
	if err := server.Send(t.Context(), message); !errors.As(err, &refused) || !refused.Recipient {
		t.Errorf("two recipients in one: %v", err)
	}
}

// A server of smtps:// that offers only one way to sign in is used.
func TestLoginOverTLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // has a certificate for 127.0.0.1
	t.Cleanup(web.Close)
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	for _, mechanism := range []string{sasl.Plain, sasl.Login} {
		box := &mailbox{login: "robot:open sesame", mechanism: mechanism}
		server := smtp.NewServer(box)
		server.Domain = "localhost"
		listener, err := tls.Listen("tcp", "127.0.0.1:0", web.TLS)
		must(t, err)
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(func() { _ = server.Close() })
		to := mail.Server{Address: "smtps://" + listener.Addr().String(), Operators: true, Roots: roots,
			Login: &connect.Login{User: "robot", Password: "open sesame"}}
		message := mail.Message{From: "a@example.com", To: []string{"b@example.com"}, Subject: "one",
			Text: "text\n", ID: "1"}
		if err := to.Send(t.Context(), message); err != nil || len(box.mails) != 1 {
			t.Errorf("%s: %v, %d e-mails", mechanism, err, len(box.mails))
		}
		to.Roots = nil
		if err := to.Send(t.Context(), message); err == nil {
			t.Errorf("%s: an unknown certificate was accepted", mechanism)
		}
	}
}
