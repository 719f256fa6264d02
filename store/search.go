package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// SearchViewer is the person for whom cases are searched, as far as it decides which words they may find.
type SearchViewer struct {
	ID domain.ID
	// Staff see the review work, Clearance also that of confidential reviews, both except on their own
	// documents. OwnToo says that they see the review work on their own documents too.
	Staff, Clearance, OwnToo bool
}

// SearchQuery is a search among the cases that a filter admits.
type SearchQuery struct {
	All    string // the words as a tsquery
	Public string // the same over what everyone who may read a case may find
	Viewer SearchViewer
	After  SearchPosition
	Limit  int
}

// SearchPosition is the sort key of a hit; the zero value is before the first.
type SearchPosition struct {
	Rank   float32
	CaseID domain.ID
}

// SearchHit is a found case.
type SearchHit struct {
	SearchPosition
	// All says that the viewer may find what only staff see of the case.
	All bool
}

// The bounds of a search. If words occur in more cases than maxMatching, the readable cases are
// examined instead, the newest first; the newest maxRanked hits are ranked.
const (
	maxMatching = 2000
	maxExamined = 20_000
	maxRanked   = 1000
)

// SearchCases reads the cases that the filter admits and in which the words occur, by rank.
func (r Reader) SearchCases(ctx context.Context, filter domain.Filter, query SearchQuery) ([]SearchHit, error) {
	matching, err := queryOne(ctx, r.q, "matching cases", `SELECT count(*) FROM (SELECT FROM search_cases s
		WHERE s.words @@ $1::tsquery LIMIT $2) x`, pgx.RowTo[int], query.All, maxMatching+1)
	if err != nil || matching == 0 {
		return nil, err
	}
	v := query.Viewer
	args := []any{query.All, query.Public, v.ID, v.Staff, v.Clearance, v.OwnToo, query.Limit,
		query.After.Rank, query.After.CaseID}
	where, args, err := renderCases(filter, args)
	if err != nil {
		return nil, err
	}
	from := fmt.Sprintf(`(SELECT s.case_id, s.words, s.confidential, c.submitter
		FROM (SELECT s.* FROM search_cases s WHERE s.words @@ $1::tsquery OFFSET 0) s
		JOIN cases c ON c.id = s.case_id WHERE %s) s`, where)
	if matching > maxMatching {
		var readable string
		readable, args = readableIDs(filter, args)
		from = fmt.Sprintf(`(SELECT c.id, c.submitter FROM %s WHERE %s ORDER BY c.id DESC LIMIT %d) c
			CROSS JOIN LATERAL (SELECT s.case_id, s.words, s.confidential, c.submitter FROM search_cases s
				WHERE s.case_id = c.id AND s.words @@ $1::tsquery OFFSET 0) s`, readable, where, maxExamined)
	}
	return queryAll(ctx, r.q, "search", fmt.Sprintf(`SELECT rank, case_id, all_words FROM (
			SELECT case_id, all_words, ts_rank(CASE WHEN all_words THEN '{0.2, 0.3, 0.6, 1}'::float4[]
				ELSE '{0, 0.3, 0.6, 1}'::float4[] END, words, $1::tsquery) AS rank
			FROM (SELECT s.case_id, s.words, ($4 AND (s.submitter <> $3 OR $6)
				AND (NOT s.confidential OR $5 AND s.submitter <> $3)) AS all_words FROM %s OFFSET 0) s
			WHERE all_words OR s.words @@ $2::tsquery
			ORDER BY case_id DESC LIMIT %d) s
		WHERE $9 = '00000000-0000-0000-0000-000000000000'::uuid OR (rank, case_id) < ($8::float4, $9)
		ORDER BY rank DESC, case_id DESC LIMIT $7`, from, maxRanked),
		func(row pgx.CollectableRow) (SearchHit, error) {
			var hit SearchHit
			err := row.Scan(&hit.Rank, &hit.CaseID, &hit.All)
			return hit, err
		}, args...)
}

// readableIDs returns the cases c from which those that the filter admits are chosen: few of them if an
// index finds them, otherwise all.
func readableIDs(filter domain.Filter, args []any) (string, []any) {
	r := &filterRenderer{args: args}
	sql, ok := r.superset(filter)
	if !ok {
		return "cases c", args
	}
	return "(SELECT DISTINCT x.id FROM (" + sql + ") x(id)) d JOIN cases c ON c.id = d.id", r.args
}

// superset returns a query of the ids of cases that contains all which the filter admits; false if no
// index finds them.
func (r *filterRenderer) superset(f domain.Filter) (string, bool) {
	switch {
	case f.Exists != nil && f.Exists.DecidedBy != domain.NoID:
		return `SELECT d.case_id FROM decisions d WHERE d.actor = ` + r.arg(f.Exists.DecidedBy), true
	case f.Exists != nil:
		return `SELECT w.case_id FROM reviews w WHERE w.status IN ('open', 'claimed') AND w.queue = ANY(` +
			r.arg(f.Exists.Queues) + `::text[])`, true
	case f.Compare != nil && f.Compare.Column == domain.ColSubmitter && f.Compare.Op == "==":
		return `SELECT o.id FROM cases o WHERE o.submitter = ` + r.arg(f.Compare.Value), true
	case f.Or != nil:
		union := ""
		for i, part := range f.Or {
			sql, ok := r.superset(part)
			if !ok {
				return "", false
			}
			if i > 0 {
				union += " UNION "
			}
			union += sql
		}
		return union, true
	}
	for _, part := range f.And {
		before := len(r.args)
		if sql, ok := r.superset(part); ok {
			return sql, true
		}
		r.args = r.args[:before] // of a part that was not used
	}
	return "", false
}

// SimilarWords reads indexed words that resemble the word, the most similar first.
func (r Reader) SimilarWords(ctx context.Context, word string, limit int) ([]string, error) {
	return queryAll(ctx, r.q, "similar words", `SELECT w.word FROM search_words w WHERE w.word % $1
		ORDER BY similarity(w.word, $1) DESC, w.word LIMIT $2`, pgx.RowTo[string], word, limit)
}

// WordsInHits returns those of the words that the viewer may find in one of the hits, in their order.
func (r Reader) WordsInHits(ctx context.Context, words []string, hits []SearchHit) ([]string, error) {
	ids, all := make([]domain.ID, 0, len(hits)), make([]bool, 0, len(hits))
	for _, hit := range hits {
		ids, all = append(ids, hit.CaseID), append(all, hit.All)
	}
	return queryAll(ctx, r.q, "words in hits", `SELECT w.word FROM unnest($1::text[]) WITH ORDINALITY AS w(word, n)
		WHERE EXISTS (SELECT FROM unnest($2::uuid[], $3::bool[]) AS h(case_id, all_words)
			CROSS JOIN LATERAL (SELECT s.words FROM search_cases s WHERE s.case_id = h.case_id OFFSET 0) s
			WHERE s.words @@ (CASE WHEN h.all_words THEN quote_literal(w.word)
				ELSE quote_literal(w.word) || ':ABC' END)::tsquery) ORDER BY w.n`, pgx.RowTo[string], words, ids, all)
}

// PagesWithWords reads pages with their words. The three lists belong together.
func (r Reader) PagesWithWords(ctx context.Context, cases []domain.ID, revisions, numbers []int) (
	[]domain.Page, error) {
	return queryAll(ctx, r.q, "pages", `SELECT `+pageColumns+`
		FROM unnest($1::uuid[], $2::int[], $3::int[]) AS x(case_id, revision, number)
		JOIN pages p ON p.case_id = x.case_id AND p.revision = x.revision AND p.number = x.number
		ORDER BY p.case_id, p.number`, scanPage, cases, revisions, numbers)
}
