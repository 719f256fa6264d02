package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// The rows are like those that submissions leave behind, as far as people's commands read them. Of
// a hundred reviews 75 wait at level 1, 15 at level 2 with a vote of level 1 behind them, 8 with
// AML, 2 are contents without an amount; one in a thousand lies in a small queue of its own.
// Amounts are spread over five powers of ten, some are not known; one in twenty has an assignee,
// some are paused; the share of the flag has two to four parties and countries; one in twenty-five
// is overdue and one in six at risk. Of the people three quarters work at level 1, a tenth are
// managers, and every tenth has conflicts with groups of companies.
var rows = []string{
	`SET session_replication_role = replica`, // no foreign keys are asked: the rows fit by their making
	`SET synchronous_commit = off`,
	`SELECT setseed(0.5)`,
	`INSERT INTO users (id, person, email, name) SELECT id, id, 'p' || n || '@example.com', 'Person ' || n
		FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, %[2]d) n) x`,
	`CREATE TEMP TABLE staff AS SELECT row_number() OVER () - 1 AS n, id FROM users WHERE email LIKE 'p%%@example.com'`,
	`INSERT INTO user_roles SELECT id, CASE WHEN n %% 20 < 11 THEN 'reviewer_l1' WHEN n %% 20 < 15 THEN 'reviewer_senior'
		WHEN n %% 20 < 17 THEN 'reviewer_l2' WHEN n %% 20 < 19 THEN 'manager' ELSE 'reviewer_aml' END FROM staff`,
	`INSERT INTO user_queues SELECT id, 'L1' FROM staff WHERE n %% 20 < 15 AND n %% 50 <> 1 OR n %% 20 IN (17, 18)
		UNION ALL SELECT id, 'L2' FROM staff WHERE n %% 20 BETWEEN 15 AND 18
		UNION ALL SELECT id, 'AML' FROM staff WHERE n %% 20 = 19 UNION ALL SELECT id, 'small' FROM staff WHERE n %% 50 = 1`,
	`INSERT INTO users (id, person, email, name) SELECT id, id, 's' || n || '@example.com', 'Submitter ' || n
		FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, 100) n) x`,
	`CREATE TEMP TABLE submitters AS SELECT row_number() OVER () - 1 AS n, id FROM (SELECT id FROM users WHERE email LIKE 's%%@example.com'
		AND name LIKE 'Submitter%%' UNION ALL SELECT id FROM staff WHERE n %% 40 = 17) x`, // some managers submit too
	`CREATE TEMP TABLE firms AS SELECT n - 1 AS n, gen_random_uuid() AS id FROM generate_series(1, 2000) n`,
	`INSERT INTO parties (id, key, name, group_id) SELECT f.id, 'party ' || f.n, 'Party ' || f.n, g.id FROM firms f JOIN firms g ON g.n = f.n / 4 * 4`,
	`INSERT INTO conflicts (id, person, party_id, declared_by) SELECT gen_random_uuid(), s.id, f.id, s.id FROM staff s
		JOIN firms f ON f.n IN (s.n * 7 %% 2000, s.n * 11 %% 2000 + 1) WHERE s.n %% 10 = 7 ON CONFLICT DO NOTHING`,
	// A version 7 id of this month, so that the rows lie in the partition that every command asks.
	`CREATE TEMP TABLE fresh AS SELECT n, (lpad(to_hex((extract(epoch FROM clock()) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
		|| '8' || substr(md5('x' || n), 1, 15))::uuid AS id, n %% 100 AS kind, (10 ^ (3 + 5 * random()))::bigint AS minor, random() AS due,
		random() AS luck, random() AS chance, abs(hashtext('several' || n)) %% 100 < %[3]d AS several,
		n / 10 %% 3 AS others FROM generate_series(1, %[1]d) n`,
	`CREATE TEMP TABLE house AS SELECT f.*, s.id AS submitter, p.id AS party, f.kind < 98 AND f.luck > 0.02 AS known,
		CASE WHEN f.kind < 60 THEN 'document_approval' WHEN f.kind < 98 THEN 'cross_border_remittance' ELSE 'content_review' END AS process,
		CASE WHEN f.kind < 75 THEN 'review_l1' WHEN f.kind < 90 THEN 'review_l2' WHEN f.kind < 98 THEN 'review_aml' ELSE 'review' END AS node,
		CASE WHEN f.n %% 1000 = 0 THEN 'small' WHEN f.kind BETWEEN 75 AND 89 THEN 'L2' WHEN f.kind BETWEEN 90 AND 97 THEN 'AML' ELSE 'L1' END AS queue,
		CASE WHEN f.kind >= 98 THEN 'photo' WHEN f.kind >= 60 THEN 'remittance' WHEN f.n %% 3 = 0 THEN 'receipt' ELSE 'invoice' END AS type,
		(ARRAY['DE', 'FR', 'CN', 'US', 'GB', 'NL', 'PL', 'SG', 'JP', 'BR'])[1 + f.n %% 10] AS country,
		CASE WHEN f.several THEN ARRAY(SELECT o.id FROM firms o WHERE o.n IN (SELECT (p.n + k * (f.n %% 600 + 1)) %% 2000
			FROM generate_series(1, 1 + f.others) k)) ELSE '{}' END AS parties,
		CASE WHEN f.several THEN (ARRAY['AT', 'CH', 'AE'])[1 : 1 + f.others] ELSE '{}' END AS countries
		FROM fresh f JOIN submitters s ON s.n = f.n %% (SELECT count(*) FROM submitters) JOIN firms p ON p.n = abs(hashtext(f.id::text)) %% 2000`,
	`INSERT INTO cases (id, reference, process_key, process_version, document_type, channel, counterparty, party_id, country, amount_minor,
		currency, amount_known, base_minor, marking, status, submitter, correlation_id, other_party_ids, other_countries)
		SELECT id, 'B-' || n, process, (SELECT max(version) FROM process_definitions WHERE key = process), type, 'api', 'Party', party, country,
			CASE WHEN known THEN minor ELSE 0 END, CASE WHEN known THEN 'USD' ELSE '' END, known, CASE WHEN known THEN minor ELSE 0 END,
			jsonb_build_object('tokens', jsonb_build_array(jsonb_build_object('node', node, 'visit', 1)), 'visits', jsonb_build_object('start', 1, node, 1)),
			'in_review', submitter, 'bench', parties, countries FROM house`,
	`INSERT INTO case_interests SELECT id, submitter, 'submitter' FROM house`,
	`INSERT INTO case_interests SELECT h.id, s.id, 'set_amount' FROM house h JOIN staff s ON s.n = h.n * 13 %% %[2]d WHERE h.chance < 0.1 ON CONFLICT DO NOTHING`,
	`INSERT INTO documents (case_id, id, revision, file_name, media_type, size, sha256, blob_key, created_by, read_at)
		SELECT id, gen_random_uuid(), 1, 'a.pdf', 'application/pdf', 1, sha256(id::text::bytea), id || '/x', submitter, clock() FROM house`,
	`INSERT INTO fields (case_id, name, raw, normalised, confidence, source, grounded, revision) SELECT id, 'number', '1', '1', 1, 'xml', true, 1 FROM house`,
	`INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, status, assignee, claim_by, decide_by, priority, submitter, party_id,
		base_minor, amount_known, band, document_type, country, created_at, paused_at, at_risk_from, other_party_ids, other_countries)
		SELECT gen_random_uuid(), h.id, h.node, 1, 1, h.queue, CASE h.queue WHEN 'L2' THEN 2 ELSE 1 END, 'approval', 'open',
			CASE WHEN h.chance > 0.95 THEN s.id ELSE '00000000-0000-0000-0000-000000000000' END,
			at + interval '38 h', at + interval '48 h', CASE WHEN luck > 0.98 THEN 5 WHEN luck > 0.9 THEN 1 ELSE 0 END, h.submitter, h.party,
			CASE WHEN known THEN minor ELSE 0 END, known, CASE WHEN known THEN floor(log(minor))::int - 2 ELSE 0 END, h.type, h.country, at,
			CASE WHEN luck BETWEEN 0.5 AND 0.505 THEN clock() END, at + interval '38.4 h', h.parties, h.countries
		FROM (SELECT *, clock() - interval '50 h' + due * interval '50 h' AS at FROM house) h JOIN staff s ON s.n = h.n * 17 %% %[2]d`,
	`INSERT INTO votes SELECT r.case_id, r.duty, s.id, r.id FROM reviews r JOIN staff s ON s.n = abs(hashtext(r.id::text)) %% %[2]d WHERE r.queue = 'L2'`,
	`RESET session_replication_role`,
	`VACUUM ANALYZE`,
	`CHECKPOINT`,
}

// fill makes the data; existing data is only read.
func (d *dataset) fill(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, d.postgres.URL(d.database()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	began := time.Now()
	var stands bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM reviews)`).Scan(&stands); err != nil {
		return err
	}
	for i := 0; i < len(rows) && !stands; i++ {
		if _, err := conn.Exec(ctx, fmt.Sprintf(rows[i]+" -- %[1]d %[2]d %[3]d", d.reviews,
			d.people, d.several)); err != nil {
			return fmt.Errorf("%.60s: %w", rows[i], err)
		}
	}
	var several int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM reviews
		WHERE cardinality(other_party_ids) BETWEEN 1 AND 3`).Scan(&several); err != nil {
		return err
	}
	fmt.Printf("%s: %d reviews with 2 to 4 parties, ready in %s\n", d.database(), several,
		time.Since(began).Round(time.Second))
	for role, into := range map[string]*[]domain.Actor{"%": &d.staff, "manager": &d.managers} {
		found, err := conn.Query(ctx,
			`SELECT DISTINCT u.id FROM users u JOIN user_roles r ON r.user_id = u.id WHERE u.email LIKE 'p%' AND r.role LIKE $1 ORDER BY 1`, role)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(found, pgx.RowTo[domain.ID])
		if err != nil {
			return err
		}
		for _, id := range ids {
			*into = append(*into, domain.Actor{UserID: id, Channel: domain.ChannelAPI})
		}
	}
	return nil
}
