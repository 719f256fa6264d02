package store

import "github.com/jackc/pgx/v5/pgtype"

// registerVectors makes a connection pass bytes as a tsvector in its binary form.
func registerVectors(m *pgtype.Map) {
	vector := &pgtype.Type{Name: "tsvector", OID: pgtype.TSVectorOID, Codec: pgtype.ByteaCodec{}}
	m.RegisterType(vector)
	m.RegisterType(&pgtype.Type{Name: "_tsvector", OID: pgtype.TSVectorArrayOID,
		Codec: &pgtype.ArrayCodec{ElementType: vector}})
}
