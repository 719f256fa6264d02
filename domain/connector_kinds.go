package domain

import (
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	maxConnectorBrokers = 20
	maxConnectorMails   = 20
	maxMailAddress      = 254 // characters, RFC 5321
)

// Check returns InvalidInput if no connector can have the spec.
func (s ConnectorSpec) Check() error {
	switch {
	case !ValidConnectorName(s.Name):
		return Invalid("name", "The name %.60q must begin with a letter and have at most 60 letters, digits, _ and -, in lower case.", s.Name)
	case len(s.URL) > maxConnectorURL:
		return Invalid("url", "The address is longer than %d characters.", maxConnectorURL)
	case len(s.Types) > maxConnectorTypes:
		return Invalid("types", "At most %d types can be selected.", maxConnectorTypes)
	case s.Audience != ForSubmitters && s.Audience != ForStaff && s.Audience != ForAuditors:
		return Invalid("audience", "Unknown audience %.40q.", s.Audience)
	case s.Mail != nil && s.Kind != ConnectorSMTP:
		return Invalid("mail", "Only connectors of the kind smtp have recipients.")
	}
	for i, secret := range s.Secrets {
		if !ValidConnectorName(secret) || slices.Contains(s.Secrets[:i], secret) {
			return Invalid("secrets", "The name %.60q of a secret is not valid, or is given twice.",
				secret)
		}
	}
	switch s.Kind {
	case ConnectorWebhook:
		return s.checkWebhook()
	case ConnectorKafka:
		if _, err := s.Kafka(); err != nil {
			return err
		}
		return s.checkLogin()
	case ConnectorSMTP:
		return s.checkSMTP()
	}
	return Invalid("kind", "Connectors of the kind %.40q do not exist.", s.Kind)
}

func (s ConnectorSpec) checkWebhook() error {
	address, err := url.Parse(s.URL)
	switch {
	case err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http":
		return Invalid("url", "Enter an address that begins with https://.")
	case address.User != nil || address.Fragment != "":
		return Invalid("url", "The address must not contain a user, a password or a fragment.")
	case len(s.Secrets) == 0 || len(s.Secrets) > maxConnectorSecrets:
		return Invalid("secrets", "Enter the names of one or two secrets.")
	}
	return nil
}

func (s ConnectorSpec) checkLogin() error {
	if len(s.Secrets) > 1 {
		return Invalid("secrets", "Enter the name of at most one secret, the login.")
	}
	return nil
}

// KafkaAddress is where a connector of the kind kafka sends records.
type KafkaAddress struct {
	Brokers   []string // host:port
	Topic     string
	Encrypted bool
	Mechanism string // of the login: plain, scram-sha-256 or scram-sha-512
}

var (
	topicNames = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)
	// brokerAddress matches host:port, also [IPv6]:port.
	brokerAddress = regexp.MustCompile(`^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$`)
	mechanisms    = []string{"scram-sha-512", "scram-sha-256", "plain"}
)

// Kafka returns the address kafkas://host:9092,host:9092/topic?sasl=plain. Without the parameter the
// mechanism is scram-sha-512.
func (s ConnectorSpec) Kafka() (KafkaAddress, error) {
	rest, encrypted := strings.CutPrefix(s.URL, "kafkas://")
	rest, plain := strings.CutPrefix(rest, "kafka://")
	rest, parameter, _ := strings.Cut(rest, "?")
	hosts, topic, _ := strings.Cut(rest, "/")
	address := KafkaAddress{Brokers: strings.Split(hosts, ","), Topic: topic, Encrypted: encrypted,
		Mechanism: mechanisms[0]}
	if parameter != "" {
		address.Mechanism, _ = strings.CutPrefix(parameter, "sasl=")
	}
	switch {
	case encrypted == plain:
		return address, Invalid("url", "Enter an address such as kafkas://broker.example.com:9093/topic.")
	case topic == "." || topic == ".." || !topicNames.MatchString(topic):
		return address, Invalid("url", "%.60q is not the name of a topic.", topic)
	case len(address.Brokers) > maxConnectorBrokers:
		return address, Invalid("url", "Enter at most %d brokers.", maxConnectorBrokers)
	case !slices.Contains(mechanisms, address.Mechanism):
		return address, Invalid("url", "The parameter of the address can be sasl=%s.",
			strings.Join(mechanisms, ", sasl="))
	case address.Mechanism == "plain" && !encrypted:
		return address, Invalid("url", "A password is sent as it is with sasl=plain, so the address must begin with kafkas://.")
	}
	for _, broker := range address.Brokers {
		if !brokerAddress.MatchString(broker) {
			return address, Invalid("url", "%.60q is not a broker such as broker.example.com:9093.", broker)
		}
	}
	return address, nil
}

// mailSchemes are the schemes of servers for e-mail: TLS from the beginning, after STARTTLS, and none.
var mailSchemes = []string{"smtps", "smtp", "smtp-plain"}

func (s ConnectorSpec) checkSMTP() error {
	address, err := url.Parse(s.URL)
	switch {
	case err != nil || address.Hostname() == "" || !slices.Contains(mailSchemes, address.Scheme) ||
		address.Path != "" || address.RawQuery != "":
		return Invalid("url", "Enter an address such as smtps://mail.example.com:465.")
	case address.User != nil || address.Fragment != "":
		return Invalid("url", "The address must not contain a user, a password or a fragment.")
	case s.Mail == nil || len(s.Mail.To) == 0 || len(s.Mail.To) > maxConnectorMails:
		return Invalid("mail", "Enter 1 to %d recipients.", maxConnectorMails)
	case s.Mail.Language != "en" && s.Mail.Language != "zh":
		return Invalid("mail", "The language of e-mails is en or zh.")
	}
	for i, to := range append([]string{s.Mail.From}, s.Mail.To...) {
		if !ValidMailAddress(to) {
			return Invalid("mail", "%.60q is not an e-mail address.", to)
		}
		if i > 0 && slices.Contains(s.Mail.To[:i-1], to) {
			return Invalid("mail", "The recipient %.60q is given twice.", to)
		}
	}
	return s.checkLogin()
}

// ValidMailAddress reports whether the text is one plain e-mail address.
func ValidMailAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text && len(text) <= maxMailAddress
}
