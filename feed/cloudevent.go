package feed

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events"
)

// Event is an event of the feed as one receiver may see it.
type Event struct {
	events.VisibleEvent
	Stream     domain.ID
	StreamName string // of a stream that is not of a case, else ""
	// Audience is the audience for which the event is shown; it selects the contract of the body.
	Audience      domain.Audience
	CorrelationID string // "" if the receiver may not know it
	Cursor        string // the position after the event
	// Position is the position of the event. It never leaves: a cursor is its encrypted form.
	Position domain.FeedPosition
}

// Mode is what a CloudEvent has as data.
type Mode string

// The modes: ids only, so that nothing of a document leaves the installation; or the body of the
// event as the receiver may see it.
const (
	Notice   Mode = "notice"
	Snapshot Mode = "snapshot"
)

// ParseMode returns the mode of that name; "" is Notice.
func ParseMode(name string) (Mode, error) {
	switch mode := Mode(name); mode {
	case "":
		return Notice, nil
	case Notice, Snapshot:
		return mode, nil
	}
	return "", domain.Invalid("data", "%.40q is neither notice nor snapshot.", name)
}

// maxTypes limits the types that a receiver can select.
const maxTypes = 100

// ParseTypes returns the types of events of these names.
func ParseTypes(names []string) ([]domain.EventType, error) {
	if len(names) > maxTypes {
		return nil, domain.Invalid("types", "At most %d types can be selected.", maxTypes)
	}
	types := make([]domain.EventType, 0, len(names))
	for _, name := range names {
		kind := domain.EventType(strings.TrimSpace(name))
		if kind != events.StatusChanged && events.NewestVersion(kind) == 0 {
			return nil, domain.Invalid("types", "%.60q is not a type of event.", name).
				WithRemedy("The types are listed at %s%s.", SchemaPrefix, indexFile)
		}
		types = append(types, kind)
	}
	return types, nil
}

// ID returns the key by which repeated deliveries of the event are recognized: its stream and its
// number as the receiver sees it.
func (e *Event) ID() string { return e.Stream.String() + "/" + strconv.FormatInt(e.Seq, 10) }

// Subject returns the id of the case, or the name of another stream.
func (e *Event) Subject() string {
	if e.StreamName != "" {
		return e.StreamName
	}
	return e.Stream.String()
}

// ContentType is the media type of one CloudEvent in JSON, BatchContentType that of several, one per
// line.
const (
	ContentType      = "application/cloudevents+json"
	BatchContentType = "application/x-ndjson; charset=utf-8"
)

// CloudEvent is an event as it leaves, in the JSON format of CloudEvents 1.0.
type CloudEvent struct {
	SpecVersion string `json:"specversion"`
	// ID is the stream and the number of the event in it. It is the same whenever the event is read,
	// as long as the receiver's rights to the case do not change.
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Subject         string          `json:"subject"`
	Time            string          `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	DataSchema      string          `json:"dataschema"`
	Data            json.RawMessage `json:"data"`

	// Extensions. Sequence is the number of the event in its stream; it rises by one.
	Sequence      string `json:"sequence"`
	Cursor        string `json:"cursor"`
	CaseStatus    string `json:"casestatus,omitempty"`
	Actor         string `json:"actor,omitempty"`
	OnBehalfOf    string `json:"onbehalfof,omitempty"`
	CorrelationID string `json:"correlationid,omitempty"`
	TraceParent   string `json:"traceparent,omitempty"`
}

// NoticeData is the data of a CloudEvent in the mode Notice.
type NoticeData struct {
	Stream string `json:"stream"`
	CaseID string `json:"caseId,omitempty"`
	Seq    int64  `json:"seq"`
}

// ToCloudEvent returns the event as a CloudEvent of the installation at the public address.
func ToCloudEvent(event *Event, publicURL string, mode Mode) (CloudEvent, error) {
	stream, seq := event.Stream.String(), strconv.FormatInt(event.Seq, 10)
	out := CloudEvent{SpecVersion: "1.0", ID: event.ID(), Source: publicURL,
		Type: string(event.Type), Subject: event.Subject(), Time: event.At.UTC().Format(time.RFC3339Nano),
		DataContentType: "application/json", Sequence: seq, Cursor: event.Cursor,
		CaseStatus: string(event.Status), Actor: optionalID(event.Actor),
		OnBehalfOf: optionalID(event.OnBehalfOf), CorrelationID: event.CorrelationID}
	if mode == Snapshot {
		out.DataSchema = publicURL + SchemaPath(event.Type, event.SchemaVersion, event.Audience)
		if out.Data = event.Body; len(out.Data) == 0 {
			out.Data = json.RawMessage("null") // erased
		}
		return out, nil
	}
	out.DataSchema = publicURL + SchemaPrefix + noticeSchema
	notice := NoticeData{Stream: stream, Seq: event.Seq}
	if event.StreamName == "" {
		notice.CaseID = stream
	}
	var err error
	if out.Data, err = json.Marshal(notice); err != nil {
		err = fmt.Errorf("feed: notice: %w", err)
	}
	return out, err
}

func optionalID(id domain.ID) string {
	if id == domain.NoID {
		return ""
	}
	return id.String()
}
