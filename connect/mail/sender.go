package mail

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"countersign/connect"
	"countersign/domain"
	"countersign/events"
	"countersign/feed"
)

// Settings are the operator's settings for connectors.
type Settings struct {
	Secrets   []string // see connect.ParseSecrets
	Networks  []string // private networks that may be reached
	PublicURL string   // of the application, without a slash at its end
	Clock     domain.Clock
	Timeout   time.Duration // of one e-mail; default 15 s
	// Reference returns the reference of a case, which people know it by.
	Reference func(ctx context.Context, id domain.ID) (string, error)
}

// Sender sends the events of connectors as e-mails. It is safe for concurrent use.
type Sender struct {
	settings Settings
	secrets  connect.Secrets
	networks []netip.Prefix
}

// New returns a Sender. It returns InvalidInput for an invalid setting.
func New(settings Settings) (*Sender, error) {
	secrets, err := connect.ParseSecrets(settings.Secrets)
	if err != nil {
		return nil, err
	}
	networks, err := connect.ParseNetworks(settings.Networks)
	if err != nil {
		return nil, err
	}
	if settings.Clock == nil {
		settings.Clock = domain.SystemClock{}
	}
	return &Sender{settings: settings, secrets: secrets, networks: networks}, nil
}

// Deliver sends an e-mail about one event. Its Message-ID has the id of the event.
func (s *Sender) Deliver(ctx context.Context, spec domain.ConnectorSpec, event *feed.Event,
) domain.DeliveryAttempt {
	name, link := event.StreamName, ""
	if name == "" {
		var err error
		if name, err = s.settings.Reference(ctx, event.Stream); err != nil {
			return connect.Failed("The reference of the case cannot be read.")
		}
		link = s.settings.PublicURL + "/cases/" + domain.PublicID("Case", event.Stream)
	}
	message := compile(spec, event, name, link)
	message.ID = strings.ReplaceAll(event.ID(), "/", ".")
	return s.send(ctx, spec, message)
}

// TestConnector implements connect.Sender.
func (s *Sender) TestConnector(ctx context.Context, spec domain.ConnectorSpec,
) domain.DeliveryAttempt {
	words := wordsOf(spec)
	test := connect.TestEvent(spec, s.settings.PublicURL, s.settings.Clock.Now())
	return s.send(ctx, spec, Message{Subject: words.testSubject,
		Text: fmt.Sprintf(words.testText, spec.Name), ID: strings.ReplaceAll(test.ID, "/", ".")})
}

func (s *Sender) send(ctx context.Context, spec domain.ConnectorSpec, message Message,
) domain.DeliveryAttempt {
	login, given, err := s.secrets.LoginOf(spec)
	if err != nil {
		return attemptOf(err)
	}
	server := Server{Address: spec.URL, Networks: s.networks, Timeout: s.settings.Timeout}
	if given {
		server.Login = &login
	}
	message.From, message.FromName, message.To = spec.Mail.From, "Countersign", spec.Mail.To
	began := s.settings.Clock.Now()
	attempt := attemptOf(server.Send(ctx, message))
	attempt.Took = s.settings.Clock.Now().Sub(began)
	return attempt
}

// attemptOf returns what the result of sending means for a delivery.
func attemptOf(err error) domain.DeliveryAttempt {
	var refused *Refused
	var known *domain.Error
	switch {
	case err == nil:
		return domain.DeliveryAttempt{Outcome: domain.AttemptDelivered}
	case errors.As(err, &refused):
		return domain.DeliveryAttempt{Outcome: domain.AttemptRefused, Error: refused.Error(),
			Answer: refused.Answer}
	case errors.As(err, &known):
		return connect.Failed("%s", known.Message)
	}
	return connect.Failed("%s", err)
}

// words are the texts of the e-mails of one language.
type words struct {
	subject, about, at, open, testSubject, testText string
	statuses                                        map[domain.Status]string
}

var languages = map[string]words{
	"en": {subject: "%s: %s", about: "Event: %s", at: "Time: %s", open: "Open the case: %s",
		testSubject: "Test of the connector", testText: "The connector %s reaches this mailbox.\n",
		statuses: map[domain.Status]string{domain.Received: "received", domain.Processing: "processing",
			domain.InReview: "in review", domain.Returned: "returned", domain.Approved: "approved",
			domain.Settling: "settling", domain.Archived: "archived", domain.Rejected: "rejected",
			domain.Incident: "needs attention", domain.Abandoned: "abandoned"}},
	"zh": {subject: "%s：%s", about: "事件：%s", at: "时间：%s", open: "打开案件：%s",
		testSubject: "连接器测试", testText: "连接器 %s 可以到达此邮箱。\n",
		statuses: map[domain.Status]string{domain.Received: "已收到", domain.Processing: "处理中",
			domain.InReview: "审核中", domain.Returned: "已退回", domain.Approved: "已批准",
			domain.Settling: "结算中", domain.Archived: "已归档", domain.Rejected: "已驳回",
			domain.Incident: "需要处理", domain.Abandoned: "已放弃"}},
}

func wordsOf(spec domain.ConnectorSpec) words {
	if spec.Mail != nil && spec.Mail.Language == "zh" {
		return languages["zh"]
	}
	return languages["en"]
}

// compile writes the e-mail. Without bodies only the status is named, as in the event itself.
func compile(spec domain.ConnectorSpec, event *feed.Event, name, link string) Message {
	texts := wordsOf(spec)
	happened := texts.statuses[event.Status]
	if happened == "" {
		happened = string(event.Type)
	}
	lines := []string{name + ": " + happened, "", fmt.Sprintf(texts.about, event.Type),
		fmt.Sprintf(texts.at, event.At.UTC().Format("2006-01-02 15:04 UTC"))}
	if sentence := event.Sentence(); spec.Snapshot && sentence != "" && event.Type != events.StatusChanged {
		lines = append(lines, "", sentence)
	}
	if link != "" {
		lines = append(lines, "", fmt.Sprintf(texts.open, link))
	}
	return Message{Subject: fmt.Sprintf(texts.subject, name, happened),
		Text: strings.Join(lines, "\n") + "\n"}
}
