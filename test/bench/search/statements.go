package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"

	"github.com/jackc/pgx/v5"
)

// statements reads how long Postgres executed statements, without the way there and back.
type statements struct{ conn *pgx.Conn }

func openStatements(ctx context.Context, url string) (*statements, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	return &statements{conn}, err
}

func (s *statements) reset(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, `SELECT pg_stat_statements_reset()`)
	return err
}

// ownStatements are those of the program, without those of this file.
const ownStatements = ` FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
	WHERE s.toplevel AND r.rolname LIKE '%app'`

// total returns the milliseconds since the last reset.
func (s *statements) total(ctx context.Context) (ms float64, err error) {
	err = s.conn.QueryRow(ctx, `SELECT coalesce(sum(s.total_exec_time), 0)`+ownStatements).Scan(&ms)
	return ms, err
}

// print prints the statements that took more than a hundredth of the time since the last reset, with
// the time for each case.
func (s *statements) print(ctx context.Context, cases int) error {
	rows, err := s.conn.Query(ctx, `SELECT * FROM (SELECT regexp_replace(s.query, '\s+', ' ', 'g') AS query, s.total_exec_time AS ms,
		s.total_exec_time / nullif(sum(s.total_exec_time) OVER (), 0) AS share`+ownStatements+`) x WHERE share > 0.01 ORDER BY ms DESC`)
	if err != nil {
		return err
	}
	defer rows.Close()
	fmt.Println("| statement | ms a document (elapsed) |\n|---|---|")
	for rows.Next() {
		var query string
		var ms, share float64
		if err := rows.Scan(&query, &ms, &share); err != nil {
			return err
		}
		fmt.Printf("| `%.90s` | %.3f |\n", query, ms/float64(cases))
	}
	fmt.Println()
	return rows.Err()
}

// profiled writes a CPU profile until stop is called.
func profiled(name string) (stop func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name) //nolint:gosec // chosen by the caller
	if err != nil {
		return nil, err
	}
	err = pprof.StartCPUProfile(file)
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, err
}

// loadAverage returns the load of the machine: other programs make searches slower.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 0 {
		return fields[0]
	}
	return "unknown"
}
