package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"countersign/domain"
)

// arrayParam is the values of a column as the protocol carries an array of them. The driver asks for the type of each value anew
// and boxes it, which was the most expensive part of writing rows; a column knows its type.
type arrayParam struct {
	encoded []byte
	owner   *statement
}

// arrayTypes are the types of which columns are encoded here, by their name in SQL.
var arrayTypes = map[string]struct{ element, array uint32 }{
	"text": {pgtype.TextOID, pgtype.TextArrayOID}, "uuid": {pgtype.UUIDOID, pgtype.UUIDArrayOID}, "int": {pgtype.Int4OID, pgtype.Int4ArrayOID},
	"bigint": {pgtype.Int8OID, pgtype.Int8ArrayOID}, "bytea": {pgtype.ByteaOID, pgtype.ByteaArrayOID},
	"timestamptz": {pgtype.TimestamptzOID, pgtype.TimestamptzArrayOID}, "float8": {pgtype.Float8OID, pgtype.Float8ArrayOID},
	"bool": {pgtype.BoolOID, pgtype.BoolArrayOID}, "jsonb": {pgtype.JSONBOID, pgtype.JSONBArrayOID},
}

// encodeColumn returns the column as an array of the kind; nil for types and values that are left to the driver.
func encodeColumn[R, T any](rows []R, kind string, get func(*R) T) []byte {
	switch get := any(get).(type) {
	case func(*R) string:
		return encodeArray(rows, kind, []string{"text", "jsonb"}, get, func(out []byte, text string) ([]byte, bool) { return appendText(out, kind, text), true })
	case func(*R) *string:
		return encodeArray(rows, kind, []string{"text", "jsonb"}, get, func(out []byte, text *string) ([]byte, bool) {
			if text == nil {
				return out, false
			}
			return appendText(out, kind, *text), true
		})
	case func(*R) []byte:
		return encodeArray(rows, kind, []string{"bytea", "text"}, get, func(out, value []byte) ([]byte, bool) {
			return append(out, value...), value != nil || kind == "text"
		})
	case func(*R) domain.ID:
		return encodeArray(rows, kind, []string{"uuid"}, get, func(out []byte, id domain.ID) ([]byte, bool) { return append(out, id[:]...), true })
	case func(*R) int:
		if fitsInt32(rows, get) {
			return encodeArray(rows, kind, []string{"int"}, get, func(out []byte, n int) ([]byte, bool) {
				return binary.BigEndian.AppendUint32(out, uint32(n)), true //nolint:gosec // fit has looked
			})
		}
	case func(*R) int64:
		return encodeArray(rows, kind, []string{"bigint"}, get, func(out []byte, n int64) ([]byte, bool) {
			return binary.BigEndian.AppendUint64(out, uint64(n)), true //nolint:gosec // in two's complement
		})
	case func(*R) float64:
		return encodeArray(rows, kind, []string{"float8"}, get, func(out []byte, x float64) ([]byte, bool) {
			return binary.BigEndian.AppendUint64(out, math.Float64bits(x)), true
		})
	case func(*R) bool:
		return encodeArray(rows, kind, []string{"bool"}, get, func(out []byte, is bool) ([]byte, bool) {
			if is {
				return append(out, 1), true
			}
			return append(out, 0), true
		})
	case func(*R) time.Time:
		return encodeArray(rows, kind, []string{"timestamptz"}, get, func(out []byte, at time.Time) ([]byte, bool) { return appendTime(out, at), true })
	case func(*R) *time.Time:
		return encodeArray(rows, kind, []string{"timestamptz"}, get, func(out []byte, at *time.Time) ([]byte, bool) {
			if at == nil {
				return out, false
			}
			return appendTime(out, *at), true
		})
	}
	return nil
}

// fitsInt32 reports whether a column of four bytes holds the numbers.
func fitsInt32[R any](rows []R, get func(*R) int) bool {
	for i := range rows {
		if n := get(&rows[i]); n < math.MinInt32 || n > math.MaxInt32 {
			return false
		}
	}
	return true
}

// encodeArray is a header and each value led by its length; what put says is no value is NULL. It is nil for another kind than
// those that put writes.
func encodeArray[R, T any](rows []R, kind string, kinds []string, get func(*R) T, put func([]byte, T) ([]byte, bool)) []byte {
	if !slices.Contains(kinds, kind) {
		return nil
	}
	const header = 20
	out := make([]byte, header, 2*header)
	binary.BigEndian.PutUint32(out, 1) // dimensions
	binary.BigEndian.PutUint32(out[8:], arrayTypes[kind].element)
	binary.BigEndian.PutUint32(out[12:], uint32(len(rows))) //nolint:gosec // some hundred rows
	binary.BigEndian.PutUint32(out[16:], 1)                 // the first index
	for i := range rows {
		at := len(out)
		value, known := put(append(out, 0, 0, 0, 0), get(&rows[i]))
		length := uint32(len(value) - at - 4) //nolint:gosec // the server takes a gigabyte at most
		if !known {
			length = math.MaxUint32
			binary.BigEndian.PutUint32(value[4:], 1) // there are NULLs
		}
		out = value
		binary.BigEndian.PutUint32(out[at:], length)
		if i == 0 { // the others are mostly as long
			out = slices.Grow(out, (len(out)-header)*(len(rows)-1))
		}
	}
	return out
}

// appendText is the text; that of jsonb is led by the number of its form.
func appendText(out []byte, kind, text string) []byte {
	if kind == "jsonb" {
		out = append(out, 1)
	}
	return append(out, text...)
}

// appendTime is microseconds since the year 2000.
func appendTime(out []byte, at time.Time) []byte {
	const until2000 = 946_684_800
	return binary.BigEndian.AppendUint64(out, uint64((at.Unix()-until2000)*1_000_000+int64(at.Nanosecond()/1000))) //nolint:gosec // in two's complement
}

// arrayParamCodec takes columns that are encoded already, and leaves all else to the driver.
type arrayParamCodec struct{ *pgtype.ArrayCodec }

// PlanEncode plans a wire as it is.
func (c arrayParamCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(*arrayParam); ok && format == pgtype.BinaryFormatCode {
		return encodeArrayParam{}
	}
	return c.ArrayCodec.PlanEncode(m, oid, format, value)
}

type encodeArrayParam struct{}

// Encode appends the array. The first of a statement makes room for all of them.
func (encodeArrayParam) Encode(value any, buf []byte) ([]byte, error) {
	w, ok := value.(*arrayParam)
	if !ok {
		return nil, fmt.Errorf("store: %T is no column", value)
	}
	if cap(buf)-len(buf) < len(w.encoded) {
		buf = slices.Grow(buf, w.owner.encodedBytes)
	}
	return append(buf, w.encoded...), nil
}

// registerArrays makes a connection use the codec.
func registerArrays(m *pgtype.Map) {
	for name, oid := range arrayTypes {
		if element, ok := m.TypeForOID(oid.element); ok {
			m.RegisterType(&pgtype.Type{Name: "_" + name, OID: oid.array, Codec: arrayParamCodec{&pgtype.ArrayCodec{ElementType: element}}})
		}
	}
}
