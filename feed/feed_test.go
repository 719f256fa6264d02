package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
	"countersign/events"
	"countersign/feed"
)

func newCursors(t *testing.T, fill byte) feed.Cursors {
	t.Helper()
	cursors, err := feed.NewCursors(bytes.Repeat([]byte{fill}, 32), feed.EventCursors)
	if err != nil {
		t.Fatal(err)
	}
	return cursors
}

// A cursor shows nothing, cannot be made or changed by a receiver, and is never the same twice.
func TestCursorsAreOpaque(t *testing.T) {
	t.Parallel()
	cursors, era := newCursors(t, 1), domain.FeedEra{Number: 2, Tag: domain.NewID()}
	position := domain.FeedPosition{Era: 2, TxID: 1 << 40, ID: 77}
	sealed := cursors.Seal(position, era)
	if got, issued, err := cursors.Open(sealed); err != nil || got != position || issued != era {
		t.Errorf("opened %+v of %+v: %v", got, issued, err)
	}
	if sealed == cursors.Seal(position, era) {
		t.Error("two cursors of one position are the same")
	}
	ofAccesses, err := feed.NewCursors(bytes.Repeat([]byte{1}, 32), feed.AccessCursors)
	if err != nil {
		t.Fatal(err)
	}
	if name := cursors.Name(position); name != cursors.Name(position) || name == ofAccesses.Name(position) ||
		name == cursors.Name(domain.FeedPosition{Era: 2, TxID: 1 << 40, ID: 78}) {
		t.Error("the name of a position is not its own")
	}
	for name, text := range map[string]string{"empty": "", "text": "x", "other key": newCursors(t,
		2).Seal(position, era), "changed": flip(sealed), "cut": sealed[:len(sealed)-4],
		"another log": ofAccesses.Seal(position, era), "longer": sealed + "AAAA", "not base64": strings.Repeat("!", len(sealed))} {
		if _, _, err := cursors.Open(text); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// flip changes one character.
func flip(text string) string {
	other := byte('A')
	if text[20] == other {
		other = 'B'
	}
	return text[:20] + string(other) + text[21:]
}

// A cursor of an ended era is refused with a cursor that skips nothing: the same position in an era
// of this database, the beginning for an era that the database does not know.
func TestCursorsOfAnotherEra(t *testing.T) {
	t.Parallel()
	cursors := newCursors(t, 1)
	first, second := domain.FeedEra{Number: 2, Tag: domain.NewID()}, domain.FeedEra{Number: 3,
		Tag: domain.NewID()}
	position := domain.FeedPosition{Era: 2, TxID: 9, ID: 9}
	known := []domain.FeedEra{first, second}
	if err := cursors.CheckEra(position, second, known); err != nil {
		t.Errorf("the newest era: %v", err)
	}
	for name, tc := range map[string]struct {
		issued domain.FeedEra
		resume domain.FeedPosition
	}{
		"ended":            {first, position},
		"other of its tag": {domain.FeedEra{Number: 3, Tag: domain.NewID()}, domain.FeedPosition{}},
		"later":            {domain.FeedEra{Number: 9, Tag: domain.NewID()}, domain.FeedPosition{}},
	} {
		err := cursors.CheckEra(position, tc.issued, known)
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.StaleVersion || refusal.Remedy == "" {
			t.Fatalf("%s: %v", name, err)
		}
		got, issued, err := cursors.Open(refusal.Detail[feed.ResumeDetail])
		if err != nil || got != tc.resume || cursors.CheckEra(got, issued, known) != nil {
			t.Errorf("%s resumes at %+v of %+v: %v", name, got, issued, err)
		}
	}
}

// compile compiles a contract. Its references to other contracts are resolved by their names.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schemas, err := feed.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemas[name]))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("urn:test:"+name, document); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	schema, err := compiler.Compile("urn:test:" + name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return schema
}

// Every contract compiles, none names the audience, and a public contract has no property for staff.
func TestContracts(t *testing.T) {
	t.Parallel()
	schemas, err := feed.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range schemas {
		if name == "index.json" {
			continue
		}
		compile(t, name)
		if regexp.MustCompile(`"audience":\s*"`).Match(text) { // a property can have that name
			t.Errorf("%s names an audience", name)
		}
	}
	for _, contract := range events.Contracts() {
		public, served := schemas[strings.TrimPrefix(feed.SchemaPath(contract.Type, contract.Version,
			domain.AudienceAll), feed.SchemaPrefix)]
		if served != (contract.Audience == domain.AudienceAll) {
			t.Errorf("%s: public contract %v", contract.Type, served)
		}
		var shown events.Schema
		if served && json.Unmarshal(public, &shown) != nil {
			t.Errorf("%s cannot be read", contract.Type)
		}
		for name, property := range contract.Body.Properties {
			if served && property.Audience == domain.AudienceStaff && shown.Properties[name] != nil {
				t.Errorf("%s shows %s to everyone", contract.Type, name)
			}
		}
	}
}

// A CloudEvent matches its envelope, in both modes, and a notice has ids only.
func TestCloudEvents(t *testing.T) {
	t.Parallel()
	event := feed.Event{Stream: domain.NewID(), Audience: domain.AudienceAll, Cursor: "c",
		VisibleEvent: events.VisibleEvent{Seq: 3, Type: domain.CaseRejected, SchemaVersion: 1,
			At: time.Now(), Status: domain.Rejected, Body: json.RawMessage(`{"reason":"zebra"}`)}}
	for _, mode := range []feed.Mode{feed.Notice, feed.Snapshot} {
		out, err := feed.ToCloudEvent(&event, "https://review.example", mode)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(t, "cloudevent.v1.json").Validate(value); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
		name := strings.TrimPrefix(out.DataSchema, "https://review.example"+feed.SchemaPrefix)
		if err := compile(t, name).Validate(value.(map[string]any)["data"]); err != nil {
			t.Errorf("%s: data: %v", mode, err)
		}
		if bytes.Contains(text, []byte("zebra")) != (mode == feed.Snapshot) {
			t.Errorf("%s: %s", mode, text)
		}
		if out.ID != event.Stream.String()+"/3" || out.Subject != event.Stream.String() {
			t.Errorf("id %s, subject %s", out.ID, out.Subject)
		}
	}
	event.Body = nil
	if out, err := feed.ToCloudEvent(&event, "", feed.Snapshot); err != nil ||
		string(out.Data) != "null" {
		t.Errorf("an erased body is %s: %v", out.Data, err)
	}
}

// Every message of the AsyncAPI document refers to served contracts, and the channel to every
// message.
func TestAsyncAPIDocument(t *testing.T) {
	t.Parallel()
	text, err := feed.AsyncAPI("https://review.example", "review.example", "https", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		AsyncAPI string `json:"asyncapi"`
		Channels map[string]struct {
			Messages map[string]struct {
				Ref string `json:"$ref"`
			} `json:"messages"`
		} `json:"channels"`
		Components struct {
			Messages map[string]json.RawMessage `json:"messages"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil || document.AsyncAPI != "3.0.0" {
		t.Fatalf("%s: %v", document.AsyncAPI, err)
	}
	schemas, err := feed.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	messages := document.Channels["events"].Messages
	if len(messages) != len(document.Components.Messages) || len(messages) < len(events.Contracts()) {
		t.Errorf("%d messages", len(messages))
	}
	for _, part := range strings.Split(string(text), `"$ref": "`)[1:] {
		reference, _, _ := strings.Cut(part, `"`)
		name, remote := strings.CutPrefix(reference, "https://review.example"+feed.SchemaPrefix)
		if remote && schemas[name] == nil {
			t.Errorf("%s is not served", reference)
		}
		name, local := strings.CutPrefix(reference, "#/components/messages/")
		if local && document.Components.Messages[name] == nil {
			t.Errorf("%s is missing", reference)
		}
	}
}
