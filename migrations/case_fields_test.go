package migrations_test

import (
	"database/sql"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"countersign/internal/pgtest"
)

// The rows of cases from before repeat their fields after the migration, in more than one batch.
func TestMigrationFillsTheFieldsOfCases(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig(pgtest.Empty(t).OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("."),
		goose.WithAllowOutofOrder(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 42); err != nil {
		t.Fatal(err)
	}
	exec(t, db, `SELECT ensure_partitions(clock())`)
	exec(t, db, `INSERT INTO cases (id, reference, process_key, process_version, channel, marking,
			status, submitter, correlation_id, facts_revision)
		SELECT gen_random_uuid(), 'CS-' || n, 'p', 1, 'web', '{}', 'processing', gen_random_uuid(), '', n
		FROM generate_series(1, 2500) n`)
	exec(t, db, `INSERT INTO fields (case_id, name, raw, normalised, confidence, source, grounded, revision)
		SELECT c.id, f, 'raw', f || c.reference, 1, 'xml', true, 1 FROM cases c, unnest('{date,iban,total}'::text[]) f
		WHERE c.facts_revision % 3 > 0`)
	for range 2 { // the second time as after an interruption
		if _, err := provider.UpTo(t.Context(), 43); err != nil {
			t.Fatal(err)
		}
		const wrong = `SELECT count(*) FROM cases WHERE fields_revision <> facts_revision
			OR document_date <> CASE WHEN facts_revision % 3 > 0 THEN 'date' || reference ELSE '' END
			OR document_account <> CASE WHEN facts_revision % 3 > 0 THEN 'iban' || reference ELSE '' END`
		var n int
		if err := db.QueryRowContext(t.Context(), wrong).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows are wrong: %v", n, err)
		}
		exec(t, db, `DELETE FROM goose_db_version WHERE version_id = 43`)
		exec(t, db, `UPDATE cases SET document_date = '', fields_revision = 0 WHERE facts_revision > 1200`)
	}
}

func exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
