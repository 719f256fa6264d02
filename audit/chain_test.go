package audit_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/audit"
	"countersign/domain"
)

// countingReader is a deterministic source of salts.
type countingReader struct{ next byte }

func (c *countingReader) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = c.next
		c.next++
	}
	return len(into), nil
}

var baseTime = time.Date(2026, 3, 4, 5, 6, 7, 89_000, time.UTC)

func exampleEvent(stream domain.ID, n int) *domain.Event {
	return &domain.Event{Stream: stream, Type: domain.StageCompleted, SchemaVersion: 1,
		Actor: domain.SystemUserID, CorrelationID: "c-1",
		At: baseTime.Add(time.Duration(n) * time.Second), StatusBefore: domain.Processing,
		StatusAfter: domain.Processing, MarkingBefore: marking(
			domain.Marking{Tokens: []domain.Token{{Node: "read", Visit: 1}},
				Visits: map[string]int{"read": 1}}),
		MarkingAfter: marking(domain.Marking{Tokens: []domain.Token{{Node: "extract", Visit: 1}},
			Visits: map[string]int{"read": 1, "extract": 1},
			Notes:  map[string]json.RawMessage{"review": []byte(`{"seats":[1]}`)}}),
		Body: fmt.Appendf(nil, `{"node":"read","visit":%d}`, n)}
}

// marking returns the canonical text of a marking, as events store it.
func marking(m domain.Marking) string {
	text, err := m.Canonical()
	if err != nil {
		panic(err)
	}
	return string(text)
}

func chained(tb testing.TB, stream domain.ID, n int) ([]*domain.Event, audit.ChainHead) {
	tb.Helper()
	var events []*domain.Event
	for i := range n {
		events = append(events, exampleEvent(stream, i))
	}
	head, err := audit.Chain(audit.ChainHead{}, &countingReader{}, events...)
	if err != nil {
		tb.Fatal(err)
	}
	return events, head
}

func eventSeq(events []*domain.Event) iter.Seq2[*domain.Event, error] {
	return func(yield func(*domain.Event, error) bool) {
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	}
}

// TestGoldenVector fixes the layout of a hash permanently, because every chain ever written must
// verify. The expected values were computed independently of this program, from the layout that
// HeaderHash documents.
func TestGoldenVector(t *testing.T) {
	t.Parallel()
	event := exampleEvent(domain.ID{1, 2, 3}, 1)
	event.OnBehalfOf = domain.ID{9}
	head, err := audit.Chain(audit.ChainHead{}, &countingReader{}, event)
	if err != nil {
		t.Fatal(err)
	}
	const bodyHash = "67ee7c5cc0a31b0a195c1711ff2b8555c4fde07add6159e7618c0de07c92dac8"
	const hash = "78dfb91596a0fe52434f98106bb0a36f6b3d3c53c8adb13a4e3cc34ceee16ef9"
	if got := hex.EncodeToString(event.BodyHash); got != bodyHash {
		t.Errorf("body hash %s", got)
	}
	if got := hex.EncodeToString(head.Hash); got != hash {
		t.Errorf("hash %s", got)
	}
}

func TestChainContinues(t *testing.T) {
	t.Parallel()
	stream := domain.ID{1}
	at := time.Date(2026, 1, 1, 0, 0, 0, 1_999, time.FixedZone("x", 3600))
	first, second, third := exampleEvent(stream, 1), exampleEvent(stream, 2),
		exampleEvent(stream, 3)
	third.At = at
	head, err := audit.Chain(audit.ChainHead{}, &countingReader{}, first, second)
	if err != nil {
		t.Fatal(err)
	}
	if head.Seq != 2 || !bytes.Equal(first.PrevHash, make([]byte, 32)) ||
		!bytes.Equal(second.PrevHash, first.Hash) || bytes.Equal(first.Salt, second.Salt) {
		t.Fatalf("chained incorrectly: %+v", head)
	}
	head, err = audit.Chain(head, &countingReader{}, third)
	if err != nil || head.Seq != 3 || third.Seq != 3 ||
		!third.At.Equal(at.Truncate(time.Microsecond)) {
		t.Fatalf("got %+v, %v, at %v", head, err, third.At)
	}
	report, err := audit.Verify(stream, head, eventSeq([]*domain.Event{first, second, third}))
	if err != nil || report.Break != nil || report.Events != 3 || report.Erased != 0 {
		t.Fatalf("got %+v, %v", report, err)
	}
	if same, err := audit.Chain(head, &countingReader{}); err != nil || !same.Equal(head) {
		t.Fatalf("an empty batch changed the head: %+v, %v", same, err)
	}
}

func TestChainRefuses(t *testing.T) {
	t.Parallel()
	stream := domain.ID{1}
	other, bodiless, timeless := exampleEvent(domain.ID{2}, 1), exampleEvent(stream, 1),
		exampleEvent(stream, 1)
	bodiless.Body, timeless.At = nil, time.Time{}
	for name, batch := range map[string][]*domain.Event{
		"two streams": {exampleEvent(stream, 1), other}, "no body": {bodiless},
		"no time": {timeless}} {
		if _, err := audit.Chain(audit.ChainHead{}, &countingReader{}, batch...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := audit.Chain(audit.ChainHead{}, bytes.NewReader(nil),
		exampleEvent(stream, 1)); err == nil {
		t.Error("chained without a salt")
	}
	if _, err := audit.Chain(audit.ChainHead{Seq: 1, Hash: []byte{1}}, &countingReader{},
		exampleEvent(stream, 1)); err == nil {
		t.Error("chained to a truncated hash")
	}
}

func TestErasureKeepsTheChain(t *testing.T) {
	t.Parallel()
	stream := domain.ID{1}
	events, head := chained(t, stream, 3)
	events[1].Body, events[1].Salt = nil, nil
	report, _ := audit.Verify(stream, head, eventSeq(events))
	if report.Break != nil || report.Erased != 1 || report.Events != 3 {
		t.Fatalf("got %+v", report)
	}
	events[1].Body = []byte("{}")
	if report, _ = audit.Verify(stream, head, eventSeq(events)); report.Break == nil ||
		report.Break.Kind != audit.BreakAlteredBody {
		t.Fatalf("a body inserted after erasure: %+v", report)
	}
}

// TestEveryTamperingIsFound draws a stream and one modification of it.
func TestEveryTamperingIsFound(t *testing.T) {
	t.Parallel()
	stream := domain.ID{1}
	rapid.Check(t, func(t *rapid.T) {
		var events []*domain.Event
		for i := range rapid.IntRange(2, 8).Draw(t, "events") {
			event := exampleEvent(stream, i)
			event.Body = rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "body")
			event.CorrelationID = rapid.StringN(1, 8, 20).Draw(t, "correlation")
			events = append(events, event)
		}
		head, err := audit.Chain(audit.ChainHead{}, &countingReader{}, events...)
		if err != nil {
			t.Fatal(err)
		}
		if report, _ := audit.Verify(stream, head, eventSeq(events)); report.Break != nil {
			t.Fatalf("an unmodified stream: %+v", report.Break)
		}
		at := rapid.IntRange(0, len(events)-1).Draw(t, "at")
		modification := rapid.SampledFrom(tamperings()).Draw(t, "modification")
		tampered := modification.do(t, events, at)
		report, err := audit.Verify(stream, head, eventSeq(tampered))
		if err != nil || report.Break == nil {
			t.Fatalf("%s at %d was not found", modification.name, at)
		}
		if report.Break.Seq > int64(len(events))+1 || report.Events > int64(at)+1 {
			t.Fatalf("%s at %d was found late, at %d", modification.name, at, report.Break.Seq)
		}
	})
}

type tampering struct {
	name string
	do   func(t *rapid.T, events []*domain.Event, at int) []*domain.Event
}

func (t tampering) String() string { return t.name }

// tamperings lists modifications of one event and of the order of events.
func tamperings() []tampering {
	flip := func(name string, of func(*domain.Event) *[]byte) tampering {
		return tampering{"a bit of " + name,
			func(t *rapid.T, events []*domain.Event, at int) []*domain.Event {
				bits := of(events[at])
				*bits = bytes.Clone(*bits)
				bit := rapid.IntRange(0, len(*bits)*8-1).Draw(t, "bit")
				(*bits)[bit/8] ^= 1 << (bit % 8)
				return events
			}}
	}
	change := func(name string, of func(*domain.Event)) tampering {
		return tampering{name, func(_ *rapid.T, events []*domain.Event, at int) []*domain.Event {
			of(events[at])
			return events
		}}
	}
	return []tampering{
		flip("the body", func(e *domain.Event) *[]byte { return (*[]byte)(&e.Body) }),
		flip("the salt", func(e *domain.Event) *[]byte { return &e.Salt }),
		flip("the body's hash", func(e *domain.Event) *[]byte { return &e.BodyHash }),
		flip("the hash", func(e *domain.Event) *[]byte { return &e.Hash }),
		flip("the previous hash", func(e *domain.Event) *[]byte { return &e.PrevHash }),
		change("the stream", func(e *domain.Event) { e.Stream[15] ^= 1 }),
		change("the number", func(e *domain.Event) { e.Seq++ }),
		change("the type", func(e *domain.Event) { e.Type = domain.CaseApproved }),
		change("the schema version", func(e *domain.Event) { e.SchemaVersion++ }),
		change("the actor", func(e *domain.Event) { e.Actor[0] ^= 1 }),
		change("the delegator", func(e *domain.Event) { e.OnBehalfOf[0] ^= 1 }),
		change("the correlation id", func(e *domain.Event) { e.CorrelationID += "x" }),
		change("the time", func(e *domain.Event) { e.At = e.At.Add(time.Microsecond) }),
		change("the status before", func(e *domain.Event) { e.StatusBefore = domain.Received }),
		change("the status after", func(e *domain.Event) { e.StatusAfter = domain.Approved }),
		change("the marking before",
			func(e *domain.Event) { e.MarkingBefore = domain.EmptyMarking }),
		change("the marking after", func(e *domain.Event) {
			e.MarkingAfter = strings.Replace(
				e.MarkingAfter, "extract", "archive", 1)
		}),
		change("the form of a marking", func(e *domain.Event) { e.MarkingAfter += " " }),
		change("only the salt emptied", func(e *domain.Event) { e.Salt = nil }),
		change("only the body emptied", func(e *domain.Event) { e.Body = nil }),
		change("salt and body shifted", func(e *domain.Event) {
			e.Body, e.Salt = append(
				[]byte{e.Salt[15]}, e.Body...), e.Salt[:15]
		}),
		{"removal", func(_ *rapid.T, events []*domain.Event, at int) []*domain.Event {
			return slices.Delete(slices.Clone(events), at, at+1)
		}},
		{"truncation",
			func(_ *rapid.T, events []*domain.Event, at int) []*domain.Event { return events[:at] }},
		{"insertion", func(_ *rapid.T, events []*domain.Event, at int) []*domain.Event {
			return slices.Insert(slices.Clone(events), at, events[len(events)-1-at/2])
		}},
		{"reordering", func(_ *rapid.T, events []*domain.Event, at int) []*domain.Event {
			moved := slices.Clone(events)
			other := (at + 1) % len(moved)
			moved[at], moved[other] = moved[other], moved[at]
			return moved
		}},
	}
}

// TestRewrittenEndIsFound rewrites and rehashes the newest event. Only the head on record reveals
// it.
func TestRewrittenEndIsFound(t *testing.T) {
	t.Parallel()
	stream := domain.ID{1}
	events, head := chained(t, stream, 3)
	events[2].Body = []byte(`{"forged":true}`)
	audit.Seal(events[2], events[1].Hash)
	report, _ := audit.Verify(stream, head, eventSeq(events))
	if report.Break == nil || report.Break.Kind != audit.BreakWrongEnd ||
		report.Break.Error() == "" {
		t.Fatalf("got %+v", report)
	}
}

func TestVerifyPassesErrorsOn(t *testing.T) {
	t.Parallel()
	_, err := audit.Verify(domain.ID{1}, audit.ChainHead{},
		func(yield func(*domain.Event, error) bool) { yield(nil, fmt.Errorf("gone")) })
	if err == nil {
		t.Fatal("the iterator's error was lost")
	}
}

func BenchmarkChain(b *testing.B) {
	for _, n := range []int{1, 4} {
		b.Run(fmt.Sprintf("batch of %d", n), func(b *testing.B) {
			batch := make([]*domain.Event, n)
			for i := range batch {
				batch[i] = exampleEvent(domain.ID{1}, i)
				batch[i].Body = bytes.Repeat([]byte("x"), 400)
			}
			salts := &countingReader{}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := audit.Chain(audit.ChainHead{}, salts, batch...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}

// A stream without events is intact whether its head has no hash or the zeros of the database, but
// not with any other hash, and not if the head on record claims events.
func TestHeadOfAnEmptyStream(t *testing.T) {
	t.Parallel()
	zeros, other := make([]byte, 32), append(make([]byte, 31), 1)
	for _, tc := range []struct {
		head audit.ChainHead
		want bool
	}{{audit.ChainHead{}, true}, {audit.ChainHead{Hash: zeros}, true},
		{audit.ChainHead{Hash: other}, false}, {audit.ChainHead{Hash: zeros[:31]}, false},
		{audit.ChainHead{Seq: 1, Hash: zeros}, false}, {audit.ChainHead{Seq: 1}, false}} {
		report, err := audit.Verify(domain.PeopleStream.ID, tc.head,
			func(func(*domain.Event, error) bool) {})
		if err != nil || (report.Break == nil) != tc.want || tc.head.Equal(
			audit.ChainHead{}) != tc.want {
			t.Errorf("%+v: %+v, %v", tc.head, report.Break, err)
		}
	}
	if (audit.ChainHead{Seq: 1}).Equal(audit.ChainHead{Seq: 1, Hash: zeros}) {
		t.Error("a head with an event needs its hash")
	}
}
