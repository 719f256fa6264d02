package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
)

// indexed is how many documents pass while cases are indexed.
var indexed = flag.Int("search", 0,
	"instead: what the search index costs at 1,000 events/s, and while this many documents pass as fast as they go")

// indexEvery is how often a worker looks for events to index.
const indexEvery = 500 * time.Millisecond

// measureIndexing measures what the search index costs while documents pass: at about 1,000 events/s, and
// as fast as the process goes.
func (b *bench) measureIndexing(ctx context.Context, docs, flight int) error {
	a, err := b.startAside(ctx, indexEvery, func(service *casework.Service) error { return indexAll(ctx, service) })
	if err != nil {
		return err
	}
	defer a.close(ctx)
	perCase, err := b.countEvents(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("| run | documents | documents/s | rounds | indexer's CPU-ms a document | its Postgres backend's | together | all programs' CPU-ms a document, with it | share %% | writes of the index a case |\n|---|---|---|---|---|---|---|---|---|---|\n")
	rate := pacedEvents / perCase
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	err = b.measureIndexed(ctx, a, "paced", int(rate*pacedSeconds), flight, ticker)
	ticker.Stop()
	if err == nil {
		err = b.measureIndexed(ctx, a, "saturated", docs, flight, nil)
	}
	if err != nil {
		return err
	}
	return b.check(ctx)
}

// indexAll runs rounds until every event is indexed.
func indexAll(ctx context.Context, service *casework.Service) error {
	for more := true; more; {
		var err error
		if more, err = service.IndexSearch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measureIndexed prints one row: the documents at the ticker's pace, if there is one.
func (b *bench) measureIndexed(ctx context.Context, a *aside, name string, docs, flight int, ticker *time.Ticker) error {
	used, postgres := b.cpu(), a.postgresTime()
	writes, err := b.indexWrites(ctx)
	if err != nil {
		return err
	}
	var passed measurement
	if err := a.during(func() error { return indexAll(ctx, a.service) }, func() (err error) {
		passed, err = b.measure(docs, func() (time.Duration, error) {
			return b.submitMany(ctx, docs, flight, ticker)
		})
		return err
	}); err != nil {
		return err
	}
	after, err := b.indexWrites(ctx)
	if err != nil {
		return err
	}
	postgres = a.postgresTime() - postgres
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(docs) }
	all := b.cpu().minus(used).total()
	fmt.Printf("| %s | %d | %.0f | %d | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f |\n", name, docs, passed.rate(), a.rounds,
		each(a.own), each(postgres), each(a.own+postgres), each(all), 100*(a.own+postgres).Seconds()/all.Seconds(),
		float64(after-writes)/float64(docs))
	return nil
}

// indexWrites returns how many rows of the index were inserted or updated so far.
func (b *bench) indexWrites(ctx context.Context) (n int64, err error) {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	return n, conn.QueryRow(ctx, `SELECT n_tup_ins + n_tup_upd FROM pg_stat_user_tables WHERE relname = 'search_cases'`).Scan(&n)
}
