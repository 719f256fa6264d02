package store

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"countersign/domain"
)

// What is encoded here is to the byte what the driver would have sent.
func TestColumnsAreEncodedAsTheDriverDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sameAsDriver(t, "text", rapid.String())
		sameAsDriver(t, "bigint", rapid.Int64())
		sameAsDriver(t, "int", rapid.IntRange(-1<<31, 1<<31-1))
		sameAsDriver(t, "float8", rapid.Float64())
		sameAsDriver(t, "bool", rapid.Bool())
		json := rapid.SampledFrom([]string{"{}", "[1]", `{"a":"ü"}`, "null"})
		sameAsDriver(t, "jsonb", json)
		sameAsDriver(t, "jsonb", rapid.Ptr(json, true))
		sameAsDriver(t, "bytea", rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Just([]byte(nil))))
		sameAsDriver(t, "uuid", rapid.Custom(func(t *rapid.T) (id domain.ID) {
			copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes"))
			return id
		}))
		at := rapid.Custom(func(t *rapid.T) time.Time {
			return time.Unix(rapid.Int64Range(-62_135_596_800, 253_402_300_799).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		})
		sameAsDriver(t, "timestamptz", at)
		sameAsDriver(t, "timestamptz", rapid.Ptr(at, true))
	})
}

func sameAsDriver[T any](t *rapid.T, kind string, one *rapid.Generator[T]) {
	m := pgtype.NewMap()
	registerIDs(m)
	values := rapid.SliceOfN(one, 0, 5).Draw(t, kind)
	want, err := m.Encode(arrayTypes[kind].array, pgtype.BinaryFormatCode, pgtype.FlatArray[T](append([]T{}, values...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := encodeColumn(values, kind, func(v *T) T { return *v }); !bytes.Equal(got, want) {
		t.Fatalf("%s of %v:\n%x, the driver's is\n%x", kind, values, got, want)
	}
}

// A number that the column cannot hold is left to the driver, which refuses it; so is a type that is not known here.
func TestUnsupportedColumnsUseTheDriver(t *testing.T) {
	t.Parallel()
	if encodeColumn([]int{1, 1 << 31}, "int", func(n *int) int { return *n }) != nil {
		t.Error("a number was cut")
	}
	if encodeColumn([]float32{1}, "float4", func(f *float32) float32 { return *f }) != nil || encodeColumn([]int{1}, "bigint", func(n *int) int { return *n }) != nil {
		t.Error("a type was taken for another")
	}
}

func BenchmarkColumns(b *testing.B) {
	m := pgtype.NewMap()
	registerIDs(m)
	registerArrays(m)
	events := make([]domain.Event, 400)
	for i := range events {
		events[i] = domain.Event{Stream: domain.NewID(), Type: domain.StageCompleted, CorrelationID: "0123456789", Hash: make([]byte, 32), BodyHash: make([]byte, 32),
			MarkingBefore: domain.EmptyMarking, MarkingAfter: domain.EmptyMarking, Body: make([]byte, 200), PrevHash: make([]byte, 32), Salt: make([]byte, 16)}
	}
	b.ReportAllocs()
	for b.Loop() {
		s := &statement{}
		s.insertEvents(events)
		buf := make([]byte, 0, 256)
		for _, arg := range s.args {
			oid := uint32(pgtype.TextArrayOID)
			switch arg := arg.(type) {
			case *arrayParam:
			case pgtype.FlatArray[domain.ID]:
				oid = pgtype.UUIDArrayOID
			case pgtype.FlatArray[int64]:
				oid = pgtype.Int8ArrayOID
			case pgtype.FlatArray[int]:
				oid = pgtype.Int4ArrayOID
			case pgtype.FlatArray[[]byte]:
				oid = pgtype.ByteaArrayOID
			case pgtype.FlatArray[time.Time]:
				oid = pgtype.TimestamptzArrayOID
			case pgtype.FlatArray[string]:
			default:
				b.Fatalf("%T", arg)
			}
			var err error
			if buf, err = m.Encode(oid, pgtype.BinaryFormatCode, arg, buf); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// Room is no message: nothing of it travels.
func TestBufferHintAddsNothingToTheBuffer(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 10, 100_000} {
		grown, err := bufferHint(n).Encode([]byte("Q"))
		if err != nil || string(grown) != "Q" || cap(grown) <= n {
			t.Errorf("%d: %q with room for %d, %v", n, grown, cap(grown), err)
		}
	}
}
