// Package events has the events of the feed as Go types, for programs that read GET /events. It is
// generated from the contracts and uses the standard library alone, so that a program can import it
// or copy its folder.
//
// What may enter: what other programs need to decode events. What never happens here: requests, and
// imports of the product's packages.
package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Event is an event in the JSON format of CloudEvents 1.0.
type Event struct {
	SpecVersion string `json:"specversion"`
	// ID recognizes repeated deliveries of the event.
	ID     string `json:"id"`
	Source string `json:"source"`
	Type   string `json:"type"`
	// Subject is the id of the case, or the name of another stream.
	Subject         string          `json:"subject"`
	Time            time.Time       `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	DataSchema      string          `json:"dataschema"`
	Data            json.RawMessage `json:"data"`
	// Sequence is the number of the event in its stream, in decimal digits.
	Sequence string `json:"sequence"`
	// Cursor is the position after the event.
	Cursor        string `json:"cursor"`
	CaseStatus    string `json:"casestatus,omitempty"`
	Actor         string `json:"actor,omitempty"`
	OnBehalfOf    string `json:"onbehalfof,omitempty"`
	CorrelationID string `json:"correlationid,omitempty"`
	TraceParent   string `json:"traceparent,omitempty"`
}

// Body is the body of an event of one type and version, such as CaseApprovedV1, or a Notice.
type Body interface {
	Contract() (kind string, version int)
}

// Notice is the data of an event that has ids only.
type Notice struct {
	Stream string `json:"stream"`
	CaseID string `json:"caseId,omitempty"`
	Seq    int64  `json:"seq"`
}

// noticeKind is the name of the contract of a Notice.
const noticeKind = "notice"

// Contract returns the name and version of the contract.
func (Notice) Contract() (kind string, version int) { return noticeKind, 1 }

// Errors of Body.
var (
	// ErrErased says that the body was erased.
	ErrErased = errors.New("the body of the event was erased")
	// ErrUnknown says that the contract is newer than this package. A reader ignores such an event,
	// or reads the case that it is about.
	ErrUnknown = errors.New("the contract is not known")
)

// Body decodes the data by the contract that the event names. Fields that the contract gained later
// are ignored.
func (e *Event) Body() (Body, error) {
	if len(e.Data) == 0 || string(e.Data) == "null" {
		return nil, ErrErased
	}
	c, err := contractOf(e.DataSchema)
	switch {
	case err != nil:
		return nil, err
	case c == contract{noticeKind, 1}:
		return decode[Notice](e.Data)
	}
	return decodeBody(c, e.Data)
}

// contract names a contract by type and version.
type contract struct {
	kind    string
	version int
}

// contractOf returns the contract with an address that ends with <type>.v<version>.json.
func contractOf(address string) (contract, error) {
	name := address[strings.LastIndexByte(address, '/')+1:]
	name, isJSON := strings.CutSuffix(name, ".json")
	at := strings.LastIndex(name, ".v")
	if !isJSON || at < 0 {
		return contract{}, fmt.Errorf("%w: %s", ErrUnknown, address)
	}
	version, err := strconv.Atoi(name[at+len(".v"):])
	if err != nil {
		return contract{}, fmt.Errorf("%w: %s", ErrUnknown, address)
	}
	return contract{name[:at], version}, nil
}

func unknownContract(c contract) error {
	return fmt.Errorf("%w: %s version %d", ErrUnknown, c.kind, c.version)
}

func decode[B Body](data json.RawMessage) (Body, error) {
	var body B
	if err := json.Unmarshal(data, &body); err != nil {
		kind, version := body.Contract()
		return nil, fmt.Errorf("decode %s version %d: %w", kind, version, err)
	}
	return body, nil
}
