package store

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"countersign/domain"
)

// idCodec carries our IDs as their 16 bytes. Left to itself the driver takes them for database/sql values and goes
// through their text, both ways, which was a tenth of the worker's time.
type idCodec struct{ pgtype.UUIDCodec }

// PlanEncode plans IDs as bytes and leaves all else to the driver.
func (c idCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(domain.ID); ok && format == pgtype.BinaryFormatCode {
		return encodeID{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan plans IDs as bytes and leaves all else to the driver.
func (c idCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*domain.ID); ok && format == pgtype.BinaryFormatCode {
		return scanID{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type encodeID struct{}

// Encode appends the 16 bytes.
func (encodeID) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(domain.ID)
	if !ok {
		return nil, fmt.Errorf("store: %T is no ID", value)
	}
	return append(buf, id[:]...), nil
}

type scanID struct{}

// Scan takes the 16 bytes over; our ID columns are NOT NULL.
func (scanID) Scan(src []byte, target any) error {
	id, ok := target.(*domain.ID)
	if !ok || len(src) != len(id) {
		return fmt.Errorf("store: %d bytes are no ID for %T", len(src), target)
	}
	copy(id[:], src)
	return nil
}

// registerIDs makes a connection use the codec.
func registerIDs(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: idCodec{}})
}
