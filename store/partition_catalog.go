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

// partitionCatalog caches which months have partitions. A statement about cases of one such month
// names its partitions, because planning for the whole table locks and checks the partitions of all
// months.
type partitionCatalog struct {
	pool *pgxpool.Pool

	mu         sync.Mutex
	known      map[string]bool // "_2026_11"
	misses     int             // number of requests for an unknown month
	refreshing bool
}

// refreshAfterMisses is the number of requests for unknown months after which the catalog is read
// again.
const refreshAfterMisses = 1000

// suffixFor returns the suffix of the partitions that hold all cases from lowest to highest. It is
// "" if the cases are of several months or no partitions are known for their month; the statement
// then uses the whole tables.
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
		go m.refresh(context.Background()) // not on the connection of the waiting transaction
	}
	return ""
}

// refresh reads the months that have all partitions, if the application may read them.
func (m *partitionCatalog) refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, batch.Timeout)
	defer cancel()
	rows, err := m.pool.Query(ctx, `SELECT right(c.relname, 8) FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid
		JOIN unnest($1::text[]) AS p(name) ON i.inhparent = to_regclass(p.name)
		WHERE c.relname = p.name || right(c.relname, 8) AND c.relname ~ '_\d{4}_\d{2}$'
		AND has_table_privilege(c.oid, 'SELECT')
		GROUP BY 1 HAVING count(*) = cardinality($1::text[])`, partitionedTables)
	var found []string
	if err == nil {
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refreshing = false
	if err != nil {
		return // the whole tables serve as well
	}
	m.known = make(map[string]bool, len(found))
	for _, month := range found {
		m.known[month] = true
	}
}

// firstCaseMillis is the smallest time in an ID of a case; smaller ones are of system streams.
const firstCaseMillis = 0x10000

// monthSuffix returns the suffix of the partitions for the time in the ID; "" for a system stream.
func monthSuffix(id domain.ID) string {
	ms := binary.BigEndian.Uint64(append([]byte{0, 0}, id[:6]...))
	if ms < firstCaseMillis {
		return ""
	}
	return time.UnixMilli(int64(ms)).UTC().Format("_2006_01") //nolint:gosec // 48 bits
}

// tableFor returns the table, or its partition if that holds all of the cases.
func (r Reader) tableFor(table string, cases ...domain.ID) string {
	return table + r.partitions.suffixFor(idRange(cases))
}
