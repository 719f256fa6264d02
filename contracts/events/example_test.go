package events_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"countersign/contracts/events"
)

// lines is a response of GET /events?data=snapshot.
const lines = `{"specversion":"1.0","id":"c1/9","type":"case.approved","subject":"c1","time":"2026-03-04T05:06:07Z","dataschema":"https://review.example.com/schemas/events/case.approved.v1.json","data":{"automatic":true},"sequence":"9","cursor":"x"}
{"specversion":"1.0","id":"c1/10","type":"case.archived","subject":"c1","time":"2026-03-04T05:06:08Z","dataschema":"https://review.example.com/schemas/events/public/case.archived.v1.json","data":{"manifestKey":"k","manifestSha256":"ab","later":1},"sequence":"10","cursor":"y"}
{"specversion":"1.0","id":"c1/11","type":"case.judged","subject":"c1","time":"2026-03-04T05:06:09Z","dataschema":"https://review.example.com/schemas/events/case.judged.v1.json","data":{},"sequence":"11","cursor":"z"}
`

// A program decodes each line, acts by the type of the body, and ignores contracts that it does not
// know.
func Example() {
	for line := range strings.Lines(lines) {
		var event events.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			panic(err)
		}
		body, err := event.Body()
		if errors.Is(err, events.ErrUnknown) {
			continue
		} else if err != nil {
			panic(err)
		}
		switch body := body.(type) {
		case events.CaseApprovedV1:
			fmt.Println("case", event.Subject, "approved, automatic:", body.Automatic)
		case events.CaseArchivedV1:
			fmt.Println("case", event.Subject, "archived as", body.ManifestKey)
		}
	}
	// Output:
	// case c1 approved, automatic: true
	// case c1 archived as k
}

// Bodies that cannot be decoded are errors that a reader can tell apart.
func TestBodiesThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	const address = "https://review.example.com/schemas/events/"
	for _, tc := range []struct {
		schema, data string
		want         error
	}{
		{"case.approved.v1.json", "null", events.ErrErased},
		{"case.approved.v99.json", "{}", events.ErrUnknown},
		{"case.approved", "{}", events.ErrUnknown},
		{"case.approved.vx.json", "{}", events.ErrUnknown},
		{"case.approved.v1.json", `{"automatic":"yes"}`, nil},
	} {
		event := events.Event{DataSchema: address + tc.schema, Data: json.RawMessage(tc.data)}
		if body, err := event.Body(); err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s %s: %v, %v", tc.schema, tc.data, body, err)
		}
	}
	event := events.Event{DataSchema: address + "notice.v1.json", Data: json.RawMessage(`{"seq":3}`)}
	if body, err := event.Body(); err != nil || body != (events.Notice{Seq: 3}) {
		t.Errorf("%v, %v", body, err)
	}
}
