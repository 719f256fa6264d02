package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/connect"
	"countersign/connect/mail"
	"countersign/domain"
)

// OpenServer returns the mail server that the operator chose. Login is USER:PASSWORD or empty, from the
// sender of all e-mails. InvalidInput names the setting that is wrong.
func OpenServer(address, login, from string) (mail.Server, error) {
	server := mail.Server{Address: address, Operators: true}
	if login != "" {
		user, password, found := strings.Cut(login, ":")
		if !found || user == "" {
			return server, domain.Invalid("COUNTERSIGN_SMTP_LOGIN",
				"The login of the mail server does not have the form USER:PASSWORD.")
		}
		server.Login = &connect.Login{User: user, Password: password}
	}
	if err := server.Check(); err != nil {
		return server, err
	}
	if !domain.ValidMailAddress(from) {
		return server, domain.Invalid("COUNTERSIGN_SMTP_FROM",
			"The sender of notices is not an e-mail address: %.100q.", from).
			WithRemedy("Set COUNTERSIGN_SMTP_FROM, for example to no-reply@example.com.")
	}
	return server, nil
}

// SignInLinks sends the one-time links by which people choose their passwords, so that no administrator
// sees them. The secret is stored nowhere.
type SignInLinks struct {
	Sender    Sender
	From      string
	PublicURL string
}

// linkWords are the texts of the e-mail in one language.
type linkWords struct{ subject, text string }

var linkLanguages = map[string]linkWords{
	"en": {"Choose your password for Countersign", `Two administrators have confirmed that you choose a new password.

Open this link before %[2]s and choose one: %[1]s

The link works once. Your passkeys, if you have any, are removed then. If you did not expect this e-mail, tell an
administrator, and do not pass the link on.
`},
	"zh": {"请设置您的 Countersign 密码", `两位管理员已确认由您设置新密码。

请在 %[2]s 之前打开此链接并设置密码：%[1]s

此链接只能使用一次。届时您的通行密钥（如有）将被移除。如果您未预期收到此邮件，请告知管理员，并且不要转发此链接。
`},
}

// SendSignInLink sends the link to the person's e-mail address.
func (l SignInLinks) SendSignInLink(ctx context.Context, person domain.User, secret string,
	expires time.Time) error {
	words, ok := linkLanguages[person.Locale]
	if !ok {
		words = linkLanguages["en"]
	}
	return l.Sender.Send(ctx, mail.Message{From: l.From, FromName: "Countersign",
		To: []string{person.Email}, Subject: words.subject, ID: "sign-in." + domain.NewID().String(),
		Text: fmt.Sprintf(words.text, l.PublicURL+"/welcome#"+secret,
			expires.UTC().Format("2006-01-02 15:04 UTC"))})
}
