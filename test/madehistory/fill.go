package madehistory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// Options are what is filled in.
type Options struct {
	Cases, Days int
	Now         time.Time
	// Reviewers are the people of each queue; reviews of other queues do not exist.
	Reviewers map[string][]domain.ID
	Submitter domain.ID
}

// Shares of the cases, in percent.
const (
	remittances  = 15
	straightPer  = 55 // of the other cases, below the amount bound
	correctedPer = 20
	warnedPer    = 12
	overruledPer = 30 // of the cases with a warning
	rejectedPer  = 6
)

type filler struct {
	Options
	random *rand.Rand
	desks  map[string]*desk
	tables map[string]*rows
}

// rows are those of a table that have not been copied yet.
type rows struct {
	columns []string
	values  [][]any
}

// Fill makes the history. The connection may switch triggers and foreign keys off.
func Fill(ctx context.Context, conn *pgx.Conn, options Options) error {
	random := rand.New(rand.NewPCG(7, 3)) //nolint:gosec // the same history in every run
	f := &filler{Options: options, random: random, desks: map[string]*desk{}, tables: tables()}
	workdays := float64(options.Days) * 5 / 7
	for queue, share := range map[string]float64{domain.QueueL1: (100 - remittances) * (100 - straightPer) / 1e4,
		domain.QueueL2: remittances / 100.0} {
		people := options.Reviewers[queue]
		if len(people) == 0 {
			return fmt.Errorf("made history: queue %s has no reviewers", queue)
		}
		f.desks[queue] = newDesk(people, share*float64(options.Cases)/workdays, random)
	}
	if _, err := conn.Exec(ctx, `SET session_replication_role = replica; SET synchronous_commit = off`); err != nil {
		return fmt.Errorf("made history: %w", err)
	}
	for n, at := range arrivals(options.Cases, options.Days, options.Now, random) {
		f.add(n, at)
		if n%2000 == 1999 {
			if err := f.flush(ctx, conn); err != nil {
				return err
			}
		}
	}
	if err := f.flush(ctx, conn); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, `RESET session_replication_role; RESET synchronous_commit`)
	return err
}

func tables() map[string]*rows {
	return map[string]*rows{
		"cases": {columns: []string{"id", "reference", "process_key", "process_version", "document_type", "channel",
			"counterparty", "country", "amount_minor", "currency", "amount_known", "base_minor", "marking", "status",
			"submitter", "correlation_id", "manifest_key", "created_at"}},
		"reviews": {columns: []string{"id", "case_id", "node", "visit", "seat", "queue", "level", "duty", "assignee",
			"status", "claim_by", "decide_by", "claimed_at", "decided_at", "submitter", "party_id", "base_minor",
			"amount_known", "band", "document_type", "country", "created_at", "breaches"}},
		"decisions": {columns: []string{"case_id", "id", "review_id", "actor", "verdict", "reason", "evidence", "at"}},
		"events": {columns: []string{"case_id", "seq", "type", "schema_version", "actor", "on_behalf_of",
			"correlation_id", "at", "status_before", "status_after", "marking_before", "marking_after", "prev_hash",
			"body_hash", "hash", "salt", "body", "txid"}},
		"stage_runs": {columns: []string{"case_id", "id", "node", "visit", "kind", "attempt", "queue", "run_after",
			"status", "next_ring_at", "created_at", "ended_at"}},
		"findings": {columns: []string{"case_id", "stage", "rule", "rule_version", "severity", "score", "message",
			"revision"}},
		"overrides": {columns: []string{"case_id", "id", "rule", "finding_hash", "review_id", "person",
			"on_behalf_of", "reason", "at"}},
	}
}

func (f *filler) put(table string, values ...any) {
	f.tables[table].values = append(f.tables[table].values, values)
}

func (f *filler) flush(ctx context.Context, conn *pgx.Conn) error {
	for name, table := range f.tables {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{name}, table.columns, pgx.CopyFromRows(table.values))
		if err != nil {
			return fmt.Errorf("made history: %s: %w", name, err)
		}
		table.values = table.values[:0]
	}
	return nil
}

func (f *filler) in(percent int) bool { return f.random.IntN(100) < percent }

// idAt returns an id that begins with its time, as ids of cases do.
func idAt(at time.Time) domain.ID {
	id := domain.NewID()
	for i := range 6 {
		id[i] = byte(at.UnixMilli() >> (40 - 8*i)) //nolint:gosec // the lowest byte of each shift
	}
	return id
}

var (
	fieldNames = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldTotal, domain.FieldDate,
		domain.FieldIBAN}
	rules = []string{"unknown_vendor", "high_amount", "round_amount", "weekend_date", "account_changed"}
)

// one is a case that is being made.
type one struct {
	id                   domain.ID
	at                   time.Time
	process, queue, node string
	amount               int64
	vendor               string
}

// add makes one case with everything about it.
func (f *filler) add(n int, at time.Time) {
	c := one{id: idAt(at), at: at, process: "document_approval", queue: domain.QueueL1, node: "review_l1",
		vendor: fmt.Sprintf("Vendor %03d GmbH", int(f.random.ExpFloat64()*40)%400)}
	straight := false
	switch {
	case f.in(remittances):
		c.process, c.queue, c.node = "cross_border_remittance", domain.QueueL2, "review_l2"
		c.amount = 100_000 + f.random.Int64N(20_000_000)
	case f.in(straightPer):
		c.amount, straight = 1_000+f.random.Int64N(99_000), true
	default:
		c.amount = 100_000 + f.random.Int64N(900_000)
	}
	warned := !straight && f.in(warnedPer)
	if warned {
		f.put("findings", c.id, "assess", rules[f.random.IntN(len(rules))], 1, "warning", 20, "", 1)
	}
	ready := f.stages(&c, []string{"read", "extract", "validate", "assess"}, at)
	status, ended := "archived", ready
	if !straight {
		status, ended = f.review(&c, ready, warned)
	}
	if status != "in_review" {
		ended = f.stages(&c, []string{"archive"}, ended)
		f.event(&c, 9, "case."+status, ended, "{}", domain.SystemUserID)
	}
	f.put("cases", c.id, fmt.Sprintf("MH-%07d", n+1), c.process, 1, "invoice", "api", c.vendor, "DE", c.amount, "USD",
		true, c.amount, "{}", status, f.Submitter, "made", "made", at)
}

// stages makes the runs of nodes, one after the other, and returns when the last one ends.
func (f *filler) stages(c *one, nodes []string, at time.Time) time.Time {
	for _, node := range nodes {
		seconds := 0.2 + f.random.ExpFloat64()
		if node == "read" {
			seconds *= 6
		}
		ended := at.Add(time.Duration(seconds * float64(time.Second)))
		f.put("stage_runs", c.id, domain.NewID(), node, 1, "stage", 1, "light", at, "done", at, at, ended)
		at = ended
	}
	return at
}

// review makes the review of the case, and returns what became of the case, and when.
func (f *filler) review(c *one, opened time.Time, warned bool) (status string, ended time.Time) {
	person, claimed, decided := f.desks[c.queue].decide(opened)
	due, claimBy := opened.Add(24*time.Hour), opened.Add(2*time.Hour)
	for due.Weekday() == time.Saturday || due.Weekday() == time.Sunday {
		due = due.AddDate(0, 0, 1)
	}
	id, breaches := domain.NewID(), 0
	if claimed.After(claimBy) {
		breaches = 1
	}
	review := func(assignee domain.ID, status string, claimed, decided *time.Time) {
		f.put("reviews", id, c.id, c.node, 1, 1, c.queue, 1, "approval", assignee, status, claimBy, due, claimed,
			decided, f.Submitter, domain.NoID, c.amount, true, 2, "invoice", "DE", opened, breaches)
	}
	if decided.After(f.Now) {
		review(domain.NoID, "open", nil, nil)
		return "in_review", opened
	}
	review(person, "decided", &claimed, &decided)
	verdict, status := domain.Approve, "archived"
	if f.in(rejectedPer) {
		verdict, status = domain.Reject, "rejected"
	}
	f.put("decisions", c.id, domain.NewID(), id, person, string(verdict), "made", "{}", decided)
	if f.in(correctedPer) {
		f.event(c, 5, "fields.corrected", decided, fmt.Sprintf(
			`{"fields": [{"name": %q, "before": "1", "after": "2", "source": "human"}]}`,
			fieldNames[f.random.IntN(len(fieldNames))]), person)
	}
	if warned && f.in(overruledPer) {
		f.put("overrides", c.id, domain.NewID(), rules[0], make([]byte, 32), id, person, person, "made", decided)
	}
	return status, decided
}

func (f *filler) event(c *one, seq int, kind string, at time.Time, body string, actor domain.ID) {
	hash := make([]byte, 32)
	f.put("events", c.id, seq, kind, 1, actor, actor, "made", at, "", "", "", "", hash, hash, hash, []byte{}, body,
		"1")
}
