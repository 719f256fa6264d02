package connect

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"countersign/domain"
)

const (
	// receivedTimeout bounds the answer of a receiver that is asked what it has.
	receivedTimeout = 2 * time.Minute
	// receivedPath follows the address of a webhook.
	receivedPath = "received"
)

// Receiver can be asked which events it has.
type Receiver interface {
	// Received calls visit with the id of each event of the feed that the receiver has and whose time is
	// not before from and before to, until visit returns an error. It returns NotFound if the receiver
	// offers no such list, and Unavailable if it does not answer as it should.
	Received(ctx context.Context, spec domain.ConnectorSpec, from, to time.Time,
		visit func(id string) error) error
}

// Received implements Receiver.
func (s Senders) Received(ctx context.Context, spec domain.ConnectorSpec, from, to time.Time,
	visit func(id string) error) error {
	receiver, able := s[spec.Kind].(Receiver)
	if !able {
		return notOffered("A receiver of the kind %s cannot be asked which events it has.", spec.Kind)
	}
	return receiver.Received(ctx, spec, from, to, visit)
}

var eventIDs = regexp.MustCompile(`^(?:[0-9a-f-]{36}/[0-9]{1,19}|` + testID + `[0-9a-f-]{36})$`)

// Received implements Receiver: the receiver lists ids at its address followed by /received, one in
// each line. The query is signed in place of a body.
func (w *Webhooks) Received(ctx context.Context, spec domain.ConnectorSpec, from, to time.Time,
	visit func(id string) error) error {
	address, err := url.Parse(spec.URL)
	if err != nil {
		return domain.Invalid("url", "The address cannot be used.")
	}
	address = address.JoinPath(receivedPath)
	query := address.Query()
	query.Set("from", from.UTC().Format(time.RFC3339Nano))
	query.Set("to", to.UTC().Format(time.RFC3339Nano))
	address.RawQuery = query.Encode()
	ctx, cancel := context.WithTimeout(ctx, receivedTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return domain.Invalid("url", "The address cannot be used.")
	}
	id := receivedPath + "/" + domain.NewID().String()
	if err := w.sign(request, spec, id, []byte(address.RawQuery)); err != nil {
		return err
	}
	response, err := w.clientFor(request).Do(request)
	if err != nil {
		return Unanswered("%s", noResponse(err, receivedTimeout))
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return notOffered("The receiver does not list what it received: it answered %d to GET …/%s.",
			response.StatusCode, receivedPath)
	default:
		return Unanswered("The receiver answered %d to GET …/%s.", response.StatusCode, receivedPath)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 256)
	for number := 1; lines.Scan(); number++ {
		id := lines.Text()
		if !eventIDs.MatchString(id) {
			return Unanswered("Line %d of the receiver's list is not the id of an event.", number)
		}
		if IsTest(id) {
			continue
		}
		if err := visit(id); err != nil {
			return err
		}
	}
	if lines.Err() != nil {
		return Unanswered("The receiver's list cannot be read to its end.").WithCause(lines.Err())
	}
	return nil
}

// Unanswered is the error of a receiver that does not answer as it should.
func Unanswered(format string, args ...any) *domain.Error {
	return domain.Errorf(domain.Unavailable, format, args...).
		WithRemedy("Check the receiver, and whether it can list what it received, then try again.")
}

func notOffered(format string, args ...any) *domain.Error {
	return domain.Errorf(domain.NotFound, format, args...).
		WithRemedy("See docs/connectors.md for how a receiver offers its list.")
}
