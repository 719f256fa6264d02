package scalar

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

func TestIDsAndCursorsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{KindCase, KindReview, KindIncident, KindPerson}).
			Draw(t, "kind")
		id := domain.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		if got, err := IDOf(kind, "id", GlobalID(kind, id)); err != nil || got != id {
			t.Fatalf("%v %v", got, err)
		}
		seq := rapid.Int64Min(0).Draw(t, "seq")
		if got, err := ParseEventCursor(EventCursor(seq)); err != nil || got != seq {
			t.Fatalf("%v %v", got, err)
		}
	})
}

func TestForeignIDsAreRefused(t *testing.T) {
	t.Parallel()
	id := domain.NewID()
	for _, text := range []string{"", "x", id.String(), GlobalID(KindReview, id), "Q2FzZTo",
		GlobalID("Case:", id), EventCursor(3)} {
		if _, err := IDOf(KindCase, "caseId", text); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"x", "5", GlobalID(KindCase, id), EventCursor(-1)} {
		if _, err := ParseEventCursor(text); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestScalarsOnTheWire(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	MarshalDateTime(time.Date(2026, 1, 31, 13, 0, 0, 5000, time.FixedZone("", 3600))).
		MarshalGQL(&out)
	out.WriteByte(' ')
	MarshalDateTime(time.Time{}).MarshalGQL(&out)
	out.WriteByte(' ')
	MarshalBigInt(1 << 62).MarshalGQL(&out)
	out.WriteByte(' ')
	MarshalJSON(nil).MarshalGQL(&out)
	if want := `"2026-01-31T12:00:00.000005Z" null "4611686018427387904" null`; out.String() != want {
		t.Errorf("got %s", out.String())
	}
	if _, err := UnmarshalDateTime("yesterday"); err == nil {
		t.Error("\"yesterday\" was accepted as a time")
	}
	if number, err := UnmarshalBigInt(json.Number("12")); err != nil || number != 12 {
		t.Errorf("%d %v", number, err)
	}
	if value, err := UnmarshalJSON(map[string]any{"a": json.Number("1.50"),
		"b": "<"}); err != nil || string(value) != `{"a":1.50,"b":"<"}` {
		t.Errorf("%s %v", value, err)
	}
}
