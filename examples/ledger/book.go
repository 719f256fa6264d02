package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/contracts/events"
)

// schema has a row for each event that was received, what the submitters declared, the entries, and how
// far a topic was read. The two entries of a case have the sum zero.
const schema = `
CREATE TABLE IF NOT EXISTS received (
  id text PRIMARY KEY,
  type text NOT NULL,
  subject text NOT NULL,
  at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS declared (case_id text PRIMARY KEY, amount numeric NOT NULL, currency text NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
  event_id text NOT NULL REFERENCES received,
  case_id text NOT NULL,
  account text NOT NULL,
  amount numeric NOT NULL,
  currency text NOT NULL,
  PRIMARY KEY (event_id, account)
);
CREATE TABLE IF NOT EXISTS positions (topic_partition int PRIMARY KEY, next bigint NOT NULL);`

// book is the store of the ledger.
type book struct{ pool *pgxpool.Pool }

// take stores an event and books what follows from it, in one transaction, with the position in the topic
// if it is of one. It reports whether the event is new; one that was received before books nothing.
func (b *book) take(ctx context.Context, event *events.Event, next *position) (isNew bool, err error) {
	body, err := event.Body()
	if err != nil && !errors.Is(err, events.ErrUnknown) && !errors.Is(err, events.ErrErased) {
		return false, fmt.Errorf("%w: %w", errInvalid, err)
	}
	err = pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		if err := next.save(ctx, tx); err != nil {
			return err
		}
		inserted, err := tx.Exec(ctx, `INSERT INTO received (id, type, subject, at)
			VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, event.ID, event.Type, event.Subject, event.Time)
		if err != nil || inserted.RowsAffected() == 0 {
			return err
		}
		isNew = true
		switch body := body.(type) {
		case events.CaseSubmittedV1:
			if body.DeclaredAmount == "" {
				return nil
			}
			_, err = tx.Exec(ctx, `INSERT INTO declared VALUES ($1, $2::text::numeric, $3)
				ON CONFLICT DO NOTHING`, event.Subject, body.DeclaredAmount, body.DeclaredCurrency)
		case events.CaseArchivedV1:
			_, err = tx.Exec(ctx, `INSERT INTO entries
				SELECT $1, case_id, account, sign * amount, currency
				FROM declared, (VALUES ('expenses', 1), ('payables', -1)) AS side (account, sign)
				WHERE case_id = $2`, event.ID, event.Subject)
		}
		return err
	})
	return isNew, err
}

// execer runs a statement, in a transaction or alone.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// save stores the position; nil is none.
func (p *position) save(ctx context.Context, in execer) error {
	if p == nil {
		return nil
	}
	_, err := in.Exec(ctx, `INSERT INTO positions VALUES ($1, $2)
		ON CONFLICT (topic_partition) DO UPDATE SET next = excluded.next`, p.partition, p.offset)
	return err
}

// pass stores the position after a record that is not booked.
func (b *book) pass(ctx context.Context, next *position) error { return next.save(ctx, b.pool) }

// positions returns the next record of each partition that was read.
func (b *book) positions(ctx context.Context) (map[int32]int64, error) {
	rows, err := b.pool.Query(ctx, `SELECT topic_partition, next FROM positions`)
	if err != nil {
		return nil, err
	}
	positions := map[int32]int64{}
	var next position
	_, err = pgx.ForEachRow(rows, []any{&next.partition, &next.offset}, func() error {
		positions[next.partition] = next.offset
		return nil
	})
	return positions, err
}

// receivedBetween calls visit with the id of each received event of the period, in order; to is excluded.
func (b *book) receivedBetween(ctx context.Context, from, to time.Time, visit func(id string) error,
) error {
	rows, err := b.pool.Query(ctx, `SELECT id FROM received WHERE at >= $1 AND at < $2 ORDER BY id`,
		from, to)
	if err != nil {
		return err
	}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error { return visit(id) })
	return err
}

// errInvalid is the error of an event that no repetition makes valid.
var errInvalid = errors.New("the event is not valid")

// sum is what one account has in one currency.
type sum struct {
	Account, Currency, Amount string
	Cases                     int
}

// sums returns the sums of all accounts.
func (b *book) sums(ctx context.Context) ([]sum, error) {
	rows, err := b.pool.Query(ctx, `SELECT account, currency, sum(amount)::text, count(*)::int
		FROM entries GROUP BY account, currency ORDER BY account, currency`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[sum])
}

// unbooked counts the archived cases for which the submitter declared no amount.
func (b *book) unbooked(ctx context.Context) (n int, err error) {
	err = b.pool.QueryRow(ctx, `SELECT count(*)::int FROM received WHERE type = 'case.archived'
		AND NOT EXISTS (SELECT FROM declared WHERE case_id = subject)`).Scan(&n)
	return n, err
}
