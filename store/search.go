package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

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
	Words  SearchWords
	Whole  SearchWords // the same words, none of them as the beginning of longer ones; found cases are first
	Case   domain.ID   // the only case that is searched; NoID for all
	Viewer SearchViewer
	After  SearchPosition
	Limit  int
}

// SearchWords are the words of a search as a tsquery.
type SearchWords struct {
	All    string
	Public string // over what everyone who may read a case may find
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

// The bounds of a search. Up to maxAdmitted cases that the filter may admit are examined one by one,
// whatever the words are. Otherwise, if words occur in more cases than maxMatching, the readable cases
// are examined instead, the newest first, up to maxExamined; the newest maxRanked hits are ranked.
const (
	maxAdmitted = 2000
	maxMatching = 2000
	maxExamined = 20_000
	maxRanked   = 1000
)

// SearchCases reads the cases that the filter admits and in which the words occur, by rank.
func (r Reader) SearchCases(ctx context.Context, filter domain.Filter, query SearchQuery) ([]SearchHit, error) {
	v := query.Viewer
	args := []any{query.Words.All, query.Words.Public, v.ID, v.Staff, v.Clearance, v.OwnToo, query.Limit,
		query.After.Rank, query.After.CaseID}
	whole := ""
	if query.Whole != query.Words {
		args = append(args, query.Whole.All, query.Whole.Public)
		whole = ` + (words @@ CASE WHEN all_words THEN $10::tsquery ELSE $11::tsquery END)::int`
	}
	where, args, err := renderCases(filter, args)
	if err != nil {
		return nil, err
	}
	from, args, err := r.searchedCases(ctx, query.Case, filter, where, args)
	if err != nil || from == "" {
		return nil, err
	}
	return queryAll(ctx, r.q, "search", fmt.Sprintf(`SELECT rank, case_id, all_words FROM (
			SELECT case_id, all_words, ts_rank(CASE WHEN all_words THEN '{0.2, 0.3, 0.6, 1}'::float4[]
				ELSE '{0, 0.3, 0.6, 1}'::float4[] END, words, $1::tsquery)%s AS rank
			FROM (SELECT c.id AS case_id, s.words, ($4 AND (c.submitter <> $3 OR $6)
				AND (NOT s.confidential OR $5 AND c.submitter <> $3)) AS all_words
				FROM %s ORDER BY c.id DESC OFFSET 0) s
			WHERE all_words OR s.words @@ $2::tsquery
			ORDER BY case_id DESC LIMIT %d) s
		WHERE $9 = '00000000-0000-0000-0000-000000000000'::uuid OR (rank, case_id) < ($8::float4, $9)
		ORDER BY rank DESC, case_id DESC LIMIT $7`, whole, from, maxRanked),
		func(row pgx.CollectableRow) (SearchHit, error) {
			var hit SearchHit
			err := row.Scan(&hit.Rank, &hit.CaseID, &hit.All)
			return hit, err
		}, args...)
}

// searchedCases returns the tables c and s of readable cases that have the words $1, the cheapest of
// three ways to read them, or the one case; "" if there are none. Every way checks the whole filter. The newest cases
// come first without a sort, so that the search ends when it has enough.
func (r Reader) searchedCases(ctx context.Context, of domain.ID, filter domain.Filter, where string, args []any) (
	string, []any, error) {
	words := `SELECT s.words, s.confidential FROM search_cases s WHERE s.words @@ $1::tsquery`
	rights := `SELECT c.id, c.submitter FROM cases c WHERE ` + where
	among := func(ids ...domain.ID) (string, []any, error) {
		args = append(args, ids)
		return fmt.Sprintf(`(SELECT x.id FROM unnest($%d::uuid[]) AS x(id) ORDER BY x.id DESC) x
			CROSS JOIN LATERAL (%s AND s.case_id = x.id OFFSET 0) s
			CROSS JOIN LATERAL (%s AND c.id = x.id OFFSET 0) c`, len(args), words, rights), args, nil
	}
	if of != domain.NoID {
		return among(of)
	}
	superset := &filterRenderer{args: args}
	admitted, indexed := superset.superset(filter)
	if indexed {
		if ids, all, err := r.admittedCases(ctx, filter); err != nil || len(ids) == 0 {
			return "", nil, err
		} else if all {
			return among(ids...)
		}
	}
	matching, err := queryOne(ctx, r.q, "matching cases", `SELECT count(*) FROM (SELECT FROM search_cases s
		WHERE s.words @@ $1::tsquery LIMIT $2) x`, pgx.RowTo[int], args[0], maxMatching+1)
	switch {
	case err != nil || matching == 0:
		return "", nil, err
	case matching <= maxMatching:
		return fmt.Sprintf(`(SELECT s.* FROM search_cases s WHERE s.words @@ $1::tsquery OFFSET 0) s
			CROSS JOIN LATERAL (%s AND c.id = s.case_id OFFSET 0) c`, rights), args, nil
	case indexed:
		args = superset.args
		rights = fmt.Sprintf(`SELECT c.id, c.submitter FROM (SELECT DISTINCT x.id FROM (%s) x(id) ORDER BY x.id DESC) x
			CROSS JOIN LATERAL (%s AND c.id = x.id OFFSET 0) c`, admitted, rights)
	}
	return fmt.Sprintf(`(%s ORDER BY c.id DESC LIMIT %d) c
		CROSS JOIN LATERAL (%s AND s.case_id = c.id OFFSET 0) s`, rights, maxExamined, words), args, nil
}

// admittedCases reads the ids of the cases that the filter may admit, and whether these are all: they
// are not if an index finds more than maxAdmitted.
func (r Reader) admittedCases(ctx context.Context, filter domain.Filter) (ids []domain.ID, all bool, err error) {
	superset := &filterRenderer{}
	admitted, _ := superset.superset(filter)
	ids, err = queryAll(ctx, r.q, "admitted cases", fmt.Sprintf(`SELECT x.id FROM (%s) x(id) LIMIT %d`, admitted,
		maxAdmitted+1), pgx.RowTo[domain.ID], superset.args...)
	if len(ids) > maxAdmitted {
		return ids, false, err
	}
	slices.SortFunc(ids, func(a, b domain.ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids), true, err // a case has several reviews
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
				union += " UNION ALL "
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
