package domain_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// Each kind has an address of its own form, and no definition contains a password, a second recipient
// in one, or a login that is sent without encryption.
func TestConnectorKinds(t *testing.T) {
	t.Parallel()
	mail := &domain.ConnectorMail{From: "no-reply@example.com", To: []string{"ops@example.com"}, Language: "zh"}
	for name, c := range map[string]struct {
		kind    domain.ConnectorKind
		url     string
		secrets string
		mail    *domain.ConnectorMail
		wrong   string // field; "" = valid
	}{
		"webhook":            {domain.ConnectorWebhook, "https://a.example/hook", "one", nil, ""},
		"without a secret":   {domain.ConnectorWebhook, "https://a.example/hook", "", nil, "secrets"},
		"with recipients":    {domain.ConnectorWebhook, "https://a.example/hook", "one", mail, "mail"},
		"Kafka":              {domain.ConnectorKafka, "kafkas://a.example:9093,[::1]:9093/x.y", "one", nil, ""},
		"plain Kafka":        {domain.ConnectorKafka, "kafka://10.0.0.1:9092/events?sasl=scram-sha-256", "", nil, ""},
		"PLAIN without TLS":  {domain.ConnectorKafka, "kafka://10.0.0.1:9092/events?sasl=plain", "one", nil, "url"},
		"two logins":         {domain.ConnectorKafka, "kafkas://a.example:9093/x", "one,two", nil, "secrets"},
		"without a port":     {domain.ConnectorKafka, "kafkas://a.example/x", "", nil, "url"},
		"with a password":    {domain.ConnectorKafka, "kafkas://u:p@a.example:9093/x", "", nil, "url"},
		"without a topic":    {domain.ConnectorKafka, "kafkas://a.example:9093", "", nil, "url"},
		"a path as topic":    {domain.ConnectorKafka, "kafkas://a.example:9093/a/b", "", nil, "url"},
		"another parameter":  {domain.ConnectorKafka, "kafkas://a.example:9093/a?x=1", "", nil, "url"},
		"many brokers":       {domain.ConnectorKafka, "kafkas://" + strings.Repeat("a:1,", 21) + "a:1/x", "", nil, "url"},
		"a webhook's":        {domain.ConnectorKafka, "https://a.example/hook", "", nil, "url"},
		"e-mail":             {domain.ConnectorSMTP, "smtps://mail.example:465", "one", mail, ""},
		"without recipients": {domain.ConnectorSMTP, "smtps://mail.example:465", "", nil, "mail"},
		"a password in it":   {domain.ConnectorSMTP, "smtps://u:p@mail.example:465", "", mail, "url"},
		"a header": {domain.ConnectorSMTP, "smtps://mail.example:465", "", &domain.ConnectorMail{
			From: "a@example.com", To: []string{"b@example.com\r\nBcc: c@example.com"}, Language: "en"}, "mail"},
		"twice": {domain.ConnectorSMTP, "smtps://mail.example:465", "", &domain.ConnectorMail{
			From: "a@example.com", To: []string{"b@example.com", "b@example.com"}, Language: "en"}, "mail"},
		"another language": {domain.ConnectorSMTP, "smtps://mail.example:465", "", &domain.ConnectorMail{
			From: "a@example.com", To: []string{"b@example.com"}, Language: "fr"}, "mail"},
		"another kind": {"fax", "fax://1", "", nil, "kind"},
	} {
		spec := domain.ConnectorSpec{Name: "books", Kind: c.kind, URL: c.url, Mail: c.mail,
			Audience: domain.ForStaff, Secrets: slices.DeleteFunc(strings.Split(c.secrets, ","),
				func(s string) bool { return s == "" })}
		err := spec.Check()
		var refusal *domain.Error
		if c.wrong == "" && err != nil || c.wrong != "" && (!errors.As(err, &refusal) ||
			refusal.Code != domain.InvalidInput || refusal.Field != c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
