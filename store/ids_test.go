package store

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"countersign/domain"
)

// IDs and arrays of IDs are encoded by our codec, to the same bytes as by the driver's.
func TestIDsUseTheCodec(t *testing.T) {
	t.Parallel()
	ours, drivers := pgtype.NewMap(), pgtype.NewMap()
	registerIDs(ours)
	ids := pgtype.FlatArray[domain.ID]{domain.NewID(), domain.NewID()}
	for oid, value := range map[uint32]any{pgtype.UUIDOID: ids[0], pgtype.UUIDArrayOID: ids} {
		got, err := ours.Encode(oid, pgtype.BinaryFormatCode, value, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := drivers.Encode(oid, pgtype.BinaryFormatCode, value, nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("encoded %x, the driver encodes %x, %v", got, want, err)
		}
	}
	array, ok := ours.TypeForOID(pgtype.UUIDArrayOID)
	if !ok {
		t.Fatal("arrays of IDs are not registered")
	}
	codec, ok := array.Codec.(*pgtype.ArrayCodec)
	if !ok {
		t.Fatalf("arrays of IDs have the codec %T", array.Codec)
	}
	if _, ok := codec.ElementType.Codec.(idCodec); !ok {
		t.Errorf("elements of arrays of IDs have the codec %T", codec.ElementType.Codec)
	}
	var scanned []domain.ID
	encoded, err := ours.Encode(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, ids, nil)
	if err == nil {
		err = ours.Scan(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, encoded, &scanned)
	}
	if err != nil || len(scanned) != 2 || scanned[0] != ids[0] || scanned[1] != ids[1] {
		t.Errorf("scanned %v, want %v: %v", scanned, ids, err)
	}
}
