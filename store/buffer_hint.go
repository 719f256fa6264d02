package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// bufferHint makes a connection's buffer as large as a statement's columns before the driver writes them into it. The driver begins
// every statement with a kilobyte, and what it copied while that grew was a seventh of all memory asked for.
type bufferHint int

// RewriteQuery leaves the statement as it is.
func (n bufferHint) RewriteQuery(_ context.Context, conn *pgx.Conn, sql string, args []any) (string, []any, error) {
	conn.PgConn().Frontend().Send(n)
	return sql, args, nil
}

// Encode adds nothing to the buffer but room.
func (n bufferHint) Encode(buffer []byte) ([]byte, error) { return slices.Grow(buffer, int(n)), nil }

// Decode is never asked: no such message travels.
func (bufferHint) Decode([]byte) error { return nil }

// Frontend tells that the message is one to the server.
func (bufferHint) Frontend() {}

// argsWithBufferHint are the args of the statement, with room for them.
func (s *statement) argsWithBufferHint() []any {
	return append([]any{bufferHint(s.encodedBytes + 4096)}, s.args...)
}
