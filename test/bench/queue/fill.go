package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// The rows are like those that submissions leave behind, as far as people's commands read them: a case that waits at
// review_l1, its document, a few fields, one open review; ten parties, a conflict for every tenth person.
var rows = []string{
	`INSERT INTO users (id, email, name) SELECT gen_random_uuid(), 'p' || n || '@example.com', 'Person ' || n FROM generate_series(1, %[2]d) n`,
	`INSERT INTO user_roles SELECT id, CASE WHEN right(name, 1) IN ('0', '1', '2') THEN 'reviewer_senior' WHEN right(name, 1) = '3' THEN 'manager'
		ELSE 'reviewer_l1' END FROM users WHERE email LIKE 'p%%'`,
	`INSERT INTO user_queues SELECT id, 'L1' FROM users WHERE email LIKE 'p%%'`,
	`INSERT INTO users (id, email, name) SELECT gen_random_uuid(), 's' || n || '@example.com', 'Submitter ' || n FROM generate_series(1, 100) n`,
	`CREATE TEMP TABLE submitters AS SELECT row_number() OVER () AS n, id FROM users WHERE email LIKE 's%%@example.com' AND name LIKE 'Submitter%%'`,
	`INSERT INTO parties (id, key, name, group_id) SELECT id, 'party ' || n, 'Party ' || n, id FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, 1000) n) x`,
	`CREATE TEMP TABLE numbered_parties AS SELECT row_number() OVER () AS n, id FROM parties`,
	`INSERT INTO conflicts (id, person, party_id, declared_by) SELECT gen_random_uuid(), u.id, p.id, u.id FROM users u
		JOIN numbered_parties p ON p.n = 1 + abs(hashtext(u.email)) %% 1000 WHERE u.email LIKE 'p%%' AND right(u.name, 1) = '7'`,
	// A version 7 id of this month, so that the rows lie in the partition that every command asks.
	`CREATE TEMP TABLE fresh AS SELECT n, (lpad(to_hex((extract(epoch FROM clock()) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
		|| '8' || substr(md5('x' || n), 1, 15))::uuid AS id FROM generate_series(1, %[1]d) n`,
	`INSERT INTO cases (id, reference, process_key, process_version, document_type, channel, counterparty, party_id, country, amount_minor,
		currency, amount_known, base_minor, marking, status, submitter, correlation_id)
		SELECT f.id, 'B-' || f.n, 'document_approval', (SELECT max(version) FROM process_definitions WHERE key = 'document_approval'), CASE WHEN f.n %% 3 = 0 THEN 'receipt' ELSE 'invoice' END, 'api', 'Party', p.id, 'DE',
			100000 + f.n %% 100000000, 'USD', true, 100000 + f.n %% 100000000,
			'{"tokens": [{"node": "review_l1", "visit": 1}], "visits": {"start": 1, "read": 1, "extract": 1, "validate": 1, "assess": 1, "route": 1, "review_l1": 1}}',
			'in_review', s.id, 'bench' FROM fresh f JOIN submitters s ON s.n = 1 + f.n %% 100 JOIN numbered_parties p ON p.n = 1 + f.n %% 1000`,
	`INSERT INTO case_interests SELECT id, submitter, 'submitter' FROM cases`,
	`INSERT INTO documents (case_id, id, revision, file_name, media_type, size, sha256, blob_key, created_by, read_at)
		SELECT id, gen_random_uuid(), 1, 'a.pdf', 'application/pdf', 1, sha256(id::text::bytea), id || '/x', submitter, clock() FROM cases`,
	`INSERT INTO fields (case_id, name, raw, normalised, confidence, source, grounded, revision)
		SELECT c.id, x.name, '1', '1', 1, 'xml', true, 1 FROM cases c, (VALUES ('number'), ('vendor')) x (name)`,
	`INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, status, claim_by, decide_by, priority, submitter, party_id,
		base_minor, amount_known, band, document_type, country, created_at)
		SELECT gen_random_uuid(), c.id, 'review_l1', 1, 1, 'L1', 1, 'approval', 'open', clock() + interval '2 h',
			clock() + (abs(hashtext(c.reference)) %% 172800) * interval '1 s', 0, c.submitter, c.party_id, c.base_minor, true,
			floor(log(c.base_minor))::int - 2, c.document_type, c.country, clock() - interval '1 h' FROM cases c`,
	`VACUUM ANALYZE`,
}

// fill makes the house.
func (b *bench) fill(ctx context.Context, reviews, people int) error {
	conn, err := pgx.Connect(ctx, b.postgres.OwnerURL("bench"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	began := time.Now()
	for _, text := range rows {
		sql := text
		if text != `VACUUM ANALYZE` {
			sql = fmt.Sprintf(text+" -- %[1]d %[2]d", reviews, people)
		}
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", text, err)
		}
	}
	found, err := conn.Query(ctx, `SELECT id FROM users WHERE email LIKE 'p%' ORDER BY email`)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(found, pgx.RowTo[domain.ID])
	for _, id := range ids {
		b.staff = append(b.staff, domain.Actor{UserID: id, Channel: domain.ChannelAPI})
	}
	fmt.Printf("filled in %s\n\n", time.Since(began).Round(time.Second))
	return err
}
