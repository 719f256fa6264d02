package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// DifferingSearchRows reads the cases whose stored row of the search index is missing or differs from
// the given one, except cases that changed within the grace period, also by the rename of a person.
func (r Reader) DifferingSearchRows(ctx context.Context, rows []SearchRow, grace time.Duration) (
	[]Inconsistency, error) {
	s := &bulk.Statement{}
	from := searchRowSet(s, rows).From("x")
	since := "clock() - make_interval(secs => " + s.Arg(grace.Seconds()) + ")"
	return queryAll(ctx, r.q, "differing search rows", `SELECT c.id, c.reference, '', '', 1::bigint, c.updated_at
		FROM `+from+` JOIN cases c ON c.id = x.case_id LEFT JOIN search_cases s ON s.case_id = c.id
		WHERE (s.case_id IS NULL OR s.words <> x.words OR s.confidential <> x.confidential)
		AND c.updated_at <= `+since+`
		AND NOT EXISTS (SELECT FROM search_due q WHERE q.case_id = c.id AND q.at > `+since+`)
		AND NOT EXISTS (SELECT FROM search_renames n WHERE n.at > `+since+` AND c.id IN (`+casesOfPerson+`))
		ORDER BY c.id`,
		scanInconsistency, s.Args()...)
}

// NeedlessSearchRows reads the rows of the search index whose case is erased or does not exist.
func (r Reader) NeedlessSearchRows(ctx context.Context, limit int) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "needless search rows", `SELECT s.case_id FROM search_cases s
		WHERE NOT EXISTS (SELECT FROM cases c WHERE c.id = s.case_id AND c.erased_at IS NULL)
		ORDER BY s.case_id LIMIT $1`, pgx.RowTo[domain.ID], limit)
}

// UnusedSearchWords counts the words for typos that occur in no case of the index.
func (r Reader) UnusedSearchWords(ctx context.Context) (int64, error) {
	return queryOne(ctx, r.q, "unused words", `SELECT count(*) FROM search_words w WHERE NOT EXISTS (
		SELECT FROM (SELECT l.word FROM ts_stat('SELECT words FROM search_cases') AS l) l WHERE l.word = w.word)`,
		pgx.RowTo[int64])
}
