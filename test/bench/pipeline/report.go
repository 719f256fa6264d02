package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

// referenceRate and referenceCPU are the bare shape's on the machine by which the figures to reach
// were set; a machine that does less of it does as much less of ours.
const (
	referenceRate = 1118.0 // documents a second
	referenceCPU  = 1.5    // ms a document
)

func (b *bench) report(watchers int, ours, bare measurement) {
	fmt.Printf("| figure | value |\n|---|---|\n")
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("| load of the machine after the run | %s |\n",
		strings.Join(strings.Fields(string(load))[:1], ""))
	fmt.Printf("| documents/s, whole process, %d subscribers | %.0f |\n", watchers, ours.rate())
	fmt.Printf("| CPU-ms a document | %s |\n", ours.cpu())
	fmt.Printf("| the bare shape, before and after it: documents/s | %.0f |\n| CPU-ms a document | %s |\n", bare.rate(), bare.cpu())
	rate, cpu := ours.rate()/bare.rate(), ms(ours.used.total(), ours.docs)/ms(bare.used.total(),
		bare.docs)
	fmt.Printf("| ours against it: its rate, its CPU | %.2f, %.2f |\n", rate, cpu)
	fmt.Printf("| where the bare shape does %.0f at %.1f | %.0f documents/s at %.2f CPU-ms |\n",
		referenceRate, referenceCPU, rate*referenceRate, cpu*referenceCPU)
	fmt.Printf("| frames delivered | %d |\n", b.frames.Load())
}

// check proves that nothing was lost or doubled: every case archived, every chain whole.
func (b *bench) check(ctx context.Context) error {
	cases, err := b.db.Reader().CaseList(ctx, domain.All(), store.CaseQuery{Limit: 1_000_000})
	if err != nil {
		return err
	}
	counts := map[domain.Status]int{}
	for _, c := range cases {
		counts[c.Status]++
	}
	verdict, err := views.New(b.db.Reader(), nil).Verify(ctx, domain.NoID)
	if err != nil {
		return err
	}
	fmt.Printf("| cases by status | %v |\n| chains verified | %d streams, %d events, %d problems |\n", counts, verdict.Streams, verdict.Events, len(verdict.Problems))
	if counts[domain.Archived] != len(cases) || len(verdict.Problems) > 0 {
		return fmt.Errorf("not every case is archived with a whole chain: %v %v", counts,
			verdict.Problems)
	}
	return nil
}

// costs prints the statements that took the database longest.
func (b *bench) costs(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT round(total_exec_time::numeric, 0)::text, calls::text, round(mean_exec_time::numeric, 3)::text,
		left(regexp_replace(query, '\s+', ' ', 'g'), 90) FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 24`)
	if err != nil {
		return err
	}
	var total, calls, mean, text string
	_, err = pgx.ForEachRow(rows, []any{&total, &calls, &mean, &text}, func() error {
		fmt.Fprintf(os.Stderr, "%8s ms %8s calls %8s ms  %s\n", total, calls, mean, text)
		return nil
	})
	if err != nil {
		return err
	}
	return b.updates(ctx, conn)
}

// updates prints the tables with the most updated rows, and how many of these updates changed no index.
func (b *bench) updates(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT relname::text, n_tup_ins, n_tup_upd, n_tup_hot_upd
		FROM pg_stat_user_tables ORDER BY n_tup_upd DESC LIMIT 12`)
	if err != nil {
		return err
	}
	var table string
	var inserted, updated, hot int64
	_, err = pgx.ForEachRow(rows, []any{&table, &inserted, &updated, &hot}, func() error {
		fmt.Fprintf(os.Stderr, "%8d inserted %8d updated %8d of these heap-only  %s\n", inserted, updated, hot, table)
		return nil
	})
	return err
}
