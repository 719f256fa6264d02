package store

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
	"countersign/store/batch"
)

// partitionCatalog knows which months have partitions of their own. A statement about cases of one such month names its partitions: over
// the tables as a whole it would cost more to begin with every month that was ever made.
type partitionCatalog struct {
	pool *pgxpool.Pool

	mu         sync.Mutex
	known      map[string]bool // "_2026_11"
	misses     int             // how often an unknown month was asked for
	refreshing bool
}

// refreshAfterMisses is after how many statements about an unknown month it is looked for again.
const refreshAfterMisses = 1000

// suffixFor is the ending of the partitions where all cases from lowest to highest lie; "" for the tables as a whole, where the cases
// are of several months, or of one that is not known to have partitions.
func (m *partitionCatalog) suffixFor(lowest, highest domain.ID) string {
	if m == nil {
		return ""
	}
	month := monthSuffix(lowest)
	if month == "" || monthSuffix(highest) != month {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[month] {
		return month
	}
	if m.misses++; m.misses%refreshAfterMisses == 1 && !m.refreshing {
		m.refreshing = true
		go m.refresh(context.Background()) // never by the connection of a transaction that waits for us
	}
	return ""
}

// refresh reads which months have all their partitions, with the right to name them.
func (m *partitionCatalog) refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, batch.Timeout)
	defer cancel()
	rows, err := m.pool.Query(ctx, `SELECT right(c.relname, 8) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		JOIN unnest($1::text[]) AS p(name) ON i.inhparent = to_regclass(p.name)
		WHERE c.relname = p.name || right(c.relname, 8) AND c.relname ~ '_\d{4}_\d{2}$' AND has_table_privilege(c.oid, 'SELECT')
		GROUP BY 1 HAVING count(*) = cardinality($1::text[])`, partitionedTables)
	var found []string
	if err == nil {
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshing = false
	if err != nil {
		return // the tables as a whole serve too
	}
	m.known = make(map[string]bool, len(found))
	for _, month := range found {
		m.known[month] = true
	}
}

// firstCaseMillis is the first moment whose IDs are of cases; below lie the streams of the codebase.
const firstCaseMillis = 0x10000

// monthSuffix is the ending of the partitions for the moment in the ID; "" for a stream of the codebase.
func monthSuffix(id domain.ID) string {
	ms := binary.BigEndian.Uint64(append([]byte{0, 0}, id[:6]...))
	if ms < firstCaseMillis {
		return ""
	}
	return time.UnixMilli(int64(ms)).UTC().Format("_2006_01") //nolint:gosec // 48 bits
}

// tableFor is the table, or its partition where all of the cases lie.
func (r Reader) tableFor(table string, cases ...domain.ID) string {
	return table + r.partitions.suffixFor(idRange(cases))
}
