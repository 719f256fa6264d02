package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/wneessen/go-mail"

	"countersign/connect"
	"countersign/domain"
)

// sendTimeout bounds one e-mail, from the name resolution to the answer.
const sendTimeout = 15 * time.Second

// maxAnswer is how many characters of an answer are kept.
const maxAnswer = 300

// Server is a server that accepts e-mails.
type Server struct {
	// Address is smtps://host:465 (TLS), smtp://host:587 (STARTTLS, which the server must offer), or
	// smtp-plain://host:25, which must be in Networks.
	Address  string
	Login    *connect.Login // nil = none
	Networks []netip.Prefix // private networks that may be reached
	// Operators says that the operator chose the address, so it may be in any network.
	Operators bool
	Roots     *x509.CertPool // that certify the server; nil = those of the system
	Timeout   time.Duration  // default 15 s
}

// Message is one e-mail in plain text.
type Message struct {
	From, FromName string // the address, and the name beside it
	To             []string
	Subject, Text  string
	ID             string            // of the Message-ID, without the host; by it a repeated e-mail is recognised
	Headers        map[string]string // further headers
}

// Refused is a permanent refusal by the server. Another attempt would have the same result.
type Refused struct {
	Answer string
	// Recipient says that the server refused the recipient, and not the sender or the text.
	Recipient bool
}

func (r *Refused) Error() string { return "The mail server refused the e-mail: " + r.Answer }

// Send hands an e-mail to the server. It returns *Refused for a permanent refusal and another error for
// a failure that can pass.
func (s Server) Send(ctx context.Context, message Message) (failed error) {
	letter, err := compose(message)
	if err != nil {
		return &Refused{Answer: clean(err.Error()), Recipient: errors.Is(err, errRecipient)}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	for _, auth := range s.logins() {
		client, err := s.client(auth)
		if err != nil {
			return err
		}
		err = client.DialAndSendWithContext(ctx, letter)
		if err == nil {
			return nil
		}
		failed = s.failure(ctx, err)
		if !errors.Is(err, mail.ErrPlainAuthNotSupported) && !errors.Is(err, mail.ErrLoginAuthNotSupported) {
			break
		}
	}
	return failed
}

// logins returns the ways to sign in, in the order in which they are tried. The library discovers
// what a server offers, but does not know that a connection of smtps:// is encrypted.
func (s Server) logins() []mail.SMTPAuthType {
	switch {
	case s.Login == nil:
		return []mail.SMTPAuthType{mail.SMTPAuthNoAuth}
	case strings.HasPrefix(s.Address, "smtp-plain:"):
		return []mail.SMTPAuthType{mail.SMTPAuthPlainNoEnc} // in a network that the operator allowed
	case strings.HasPrefix(s.Address, "smtps:"):
		return []mail.SMTPAuthType{mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthAutoDiscover}
	}
	return []mail.SMTPAuthType{mail.SMTPAuthAutoDiscover}
}

// Check returns InvalidInput if the address cannot be one of a mail server.
func (s Server) Check() error {
	_, err := s.client(mail.SMTPAuthNoAuth)
	return err
}

func (s Server) timeout() time.Duration {
	if s.Timeout == 0 {
		return sendTimeout
	}
	return s.Timeout
}

var errRecipient = errors.New("a recipient is not an e-mail address")

// compose makes the e-mail. The library encodes line breaks in headers, so no text can add one.
func compose(message Message) (*mail.Msg, error) {
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := letter.FromFormat(oneLine(message.FromName), message.From); err != nil {
		return nil, fmt.Errorf("the sender is not an e-mail address: %w", err)
	}
	if err := letter.To(message.To...); err != nil {
		return nil, fmt.Errorf("%w: %w", errRecipient, err)
	}
	_, host, _ := strings.Cut(message.From, "@")
	letter.Subject(oneLine(message.Subject))
	letter.SetDate()
	letter.SetMessageIDWithValue(oneLine(message.ID) + "@" + host)
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // no automatic answers, RFC 3834
	for name, value := range message.Headers {
		letter.SetGenHeader(mail.Header(name), oneLine(value))
	}
	letter.SetBodyString(mail.TypeTextPlain, message.Text)
	return letter, nil
}

// oneLine returns text without control characters.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

func clean(answer string) string {
	answer = strings.TrimSpace(oneLine(answer))
	if runes := []rune(answer); len(runes) > maxAnswer {
		answer = string(runes[:maxAnswer])
	}
	return answer
}

var defaultPorts = map[string]int{"smtps": 465, "smtp": 587, "smtp-plain": 25}

func (s Server) client(auth mail.SMTPAuthType) (*mail.Client, error) {
	address, err := url.Parse(s.Address)
	if err != nil || address.Hostname() == "" || defaultPorts[address.Scheme] == 0 {
		return nil, domain.Invalid("url", "The address of the mail server cannot be used.")
	}
	port := defaultPorts[address.Scheme]
	if text := address.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil {
			return nil, domain.Invalid("url", "The address of the mail server cannot be used.")
		}
	}
	dialer := &net.Dialer{}
	if !s.Operators {
		dialer = connect.Dialer(s.Networks, address.Scheme != "smtp-plain")
	}
	dial := dialer.DialContext
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: address.Hostname(),
		RootCAs: s.Roots}
	policy := mail.TLSMandatory
	switch address.Scheme {
	case "smtps":
		policy = mail.NoTLS // the connection is encrypted before the first word
		dial = (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext
	case "smtp-plain":
		policy = mail.NoTLS
	}
	options := []mail.Option{mail.WithPort(port), mail.WithTLSPolicy(policy),
		mail.WithTLSConfig(config), mail.WithTimeout(s.timeout()), mail.WithDialContextFunc(dial)}
	if s.Login != nil {
		options = append(options, mail.WithSMTPAuth(auth), mail.WithUsername(s.Login.User),
			mail.WithPassword(s.Login.Password))
	}
	client, err := mail.NewClient(address.Hostname(), options...)
	if err != nil {
		return nil, domain.Invalid("url", "The mail server cannot be used.").WithCause(err)
	}
	return client, nil
}

// failure returns what an error of the library means.
func (s Server) failure(ctx context.Context, err error) error {
	var refusal *domain.Error
	var sending *mail.SendError
	var network net.Error
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &sending) && !sending.IsTemp() && sending.ErrorCode() >= 500:
		return &Refused{Answer: clean(sending.Error()),
			Recipient: sending.Reason == mail.ErrSMTPRcptTo}
	case errors.As(err, &sending) && sending.ErrorCode() > 0:
		return domain.Errorf(domain.Busy, "The mail server does not accept the e-mail now: %s",
			clean(sending.Error()))
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return domain.Errorf(domain.Busy, "The mail server did not answer within %s.", s.timeout())
	}
	return domain.Errorf(domain.Busy, "The mail server cannot be used: %s", clean(err.Error()))
}
