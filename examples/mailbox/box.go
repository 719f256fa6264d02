package main

import (
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// Bounds of the box.
const (
	maxMail  = 1 << 20
	maxMails = 200 // the oldest ones are removed
)

// message is a received e-mail.
type message struct {
	At       time.Time
	From, To string
	Subject  string
	Text     string
}

// box keeps the newest e-mails. It implements smtp.Backend.
type box struct {
	mu       sync.Mutex
	messages []message
}

// NewSession implements smtp.Backend.
func (b *box) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }

// newest returns the e-mails, the newest first.
func (b *box) newest() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	shown := slices.Clone(b.messages)
	slices.Reverse(shown)
	return shown
}

func (b *box) add(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, m)
	b.messages = b.messages[max(0, len(b.messages)-maxMails):]
}

// session receives the e-mails of one connection. It implements smtp.Session.
type session struct {
	box  *box
	from string
	to   []string
}

func (s *session) Reset()                                      { s.from, s.to = "", nil }
func (*session) Logout() error                                 { return nil }
func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.from = from; return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	received, err := mail.ReadMessage(r)
	if err != nil {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0},
			Message: "This is not an e-mail."}
	}
	body := received.Body
	if strings.EqualFold(received.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(received.Header.Get("Subject"))
	if err != nil {
		subject = received.Header.Get("Subject")
	}
	s.box.add(message{At: time.Now(), From: s.from, To: strings.Join(s.to, ", "), //nolint:forbidigo // an example has no clock to take
		Subject: subject, Text: string(text)})
	return nil
}
