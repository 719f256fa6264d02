package store

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"countersign/domain"
)

// idCodec encodes IDs as 16 bytes. Without it pgx treats them as database/sql values and converts
// them to text and back, which took a tenth of a worker's processor time.
type idCodec struct{ pgtype.UUIDCodec }

// PlanEncode handles IDs and leaves other types to pgx.
func (c idCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(domain.ID); ok && format == pgtype.BinaryFormatCode {
		return encodeID{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan handles IDs and leaves other types to pgx.
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

// Scan copies the 16 bytes; ID columns are NOT NULL.
func (scanID) Scan(src []byte, target any) error {
	id, ok := target.(*domain.ID)
	if !ok || len(src) != len(id) {
		return fmt.Errorf("store: %d bytes are no ID for %T", len(src), target)
	}
	copy(id[:], src)
	return nil
}

// registerIDs makes a connection use the codec for IDs and for arrays of IDs.
func registerIDs(m *pgtype.Map) {
	id := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: idCodec{}}
	m.RegisterType(id)
	m.RegisterType(&pgtype.Type{Name: "_uuid", OID: pgtype.UUIDArrayOID,
		Codec: &pgtype.ArrayCodec{ElementType: id}})
}
