package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/search"
	"countersign/store/bulk"
)

// SearchState is how far the search index is filled.
type SearchState struct {
	Position domain.FeedPosition // the cases of every event up to here are indexed
	Version  int                 // of the rules by which texts are split into words
	// Filling says that all cases are being indexed again, and Filled up to which.
	Filling bool
	Filled  domain.ID
	Renamed bool // cases of renamed people are not yet indexed again
}

// SearchState reads how far the search index is filled.
func (r Reader) SearchState(ctx context.Context) (SearchState, error) {
	return queryOne(ctx, r.q, "search state", `SELECT era, txid::text::bigint, event, version,
		filled IS NOT NULL, coalesce(filled, '00000000-0000-0000-0000-000000000000'),
		EXISTS (SELECT FROM search_renames) OR EXISTS (SELECT FROM search_due) FROM search_state`,
		func(row pgx.CollectableRow) (SearchState, error) {
			var s SearchState
			err := row.Scan(&s.Position.Era, &s.Position.TxID, &s.Position.ID, &s.Version, &s.Filling, &s.Filled,
				&s.Renamed)
			return s, err
		})
}

// AdvanceSearch moves the position; LeaseLost if another program moved it meanwhile.
func (t *Tx) AdvanceSearch(ctx context.Context, from, to domain.FeedPosition) error {
	n, err := t.exec(ctx, "search position", `UPDATE search_state SET era = $1,
		txid = $2::bigint::text::xid8, event = $3 WHERE era = $4 AND txid = $5::bigint::text::xid8
		AND event = $6`, to.Era, to.TxID, to.ID, from.Era, from.TxID, from.ID)
	if err == nil && n == 0 {
		err = domain.Errorf(domain.LeaseLost, "Another program indexed these cases.")
	}
	return err
}

// FillSearch records up to which case all cases were indexed again by the rules of a version; done
// says that there are no more. From the first case on, all words are looked up again.
func (t *Tx) FillSearch(ctx context.Context, version int, filled domain.ID, done bool) error {
	_, err := t.exec(ctx, "fill search", `UPDATE search_state SET version = $1,
		filled = CASE WHEN $3 THEN NULL ELSE $2::uuid END,
		words_epoch = CASE WHEN $2 = '00000000-0000-0000-0000-000000000000'::uuid THEN gen_random_uuid() ELSE words_epoch END`, version, filled, done)
	return err
}

// LockSearch serializes writes of the search index and erasures until the end of the transaction. What
// is indexed must be read after it. It gives the transaction the memory in which Postgres merges all
// pending entries of the index together.
func (t *Tx) LockSearch(ctx context.Context) error {
	_, err := t.exec(ctx, "lock search", `SELECT lock_search(), set_config('work_mem', '64MB', true)`)
	return err
}

// SearchWordsEpoch reads the epoch of the words for typos, which is another one after words were removed.
// It is constant under LockSearch, except for what the transaction removes itself.
func (r Reader) SearchWordsEpoch(ctx context.Context) (domain.ID, error) {
	return queryOne(ctx, r.q, "epoch of words", `SELECT words_epoch FROM search_state`, pgx.RowTo[domain.ID])
}

// CasesAfter reads the ids of the next cases after one.
func (r Reader) CasesAfter(ctx context.Context, after domain.ID, limit int) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "cases after", `SELECT id FROM cases WHERE id > $1 ORDER BY id LIMIT $2`,
		pgx.RowTo[domain.ID], after, limit)
}

// SearchSources reads what the index contains of cases. Erased cases are left out.
func (r Reader) SearchSources(ctx context.Context, cases []domain.ID) ([]search.Source, error) {
	sources, err := queryAll(ctx, r.q, "search sources", `SELECT c.id, c.process_key, c.process_version,
		c.reference, coalesce(u.name, ''),
		ARRAY(SELECT d.file_name FROM documents d WHERE d.case_id = c.id ORDER BY d.revision DESC),
		ARRAY(SELECT p.name FROM users p WHERE p.id IN (SELECT v.assignee FROM reviews v WHERE v.case_id = c.id
			UNION ALL SELECT d.actor FROM decisions d WHERE d.case_id = c.id
			UNION ALL SELECT d.on_behalf_of FROM decisions d WHERE d.case_id = c.id) ORDER BY p.name),
		ARRAY(SELECT d.reason FROM decisions d WHERE d.case_id = c.id AND d.reason <> ''
				AND NOT `+hiddenVote("d.review_id", "d.actor")+`
			UNION SELECT o.reason FROM overrides o WHERE o.case_id = c.id
				AND NOT `+hiddenOverride("o")+`
			UNION SELECT g.explanation FROM order_grounds g WHERE g.case_id = c.id
			UNION SELECT c.outcome_reason WHERE c.outcome_reason <> ''),
		ARRAY(SELECT n.text FROM case_notes n WHERE n.case_id = c.id AND n.audience = 'everyone'
			AND n.withdrawn_at IS NULL ORDER BY n.seq)
		FROM cases c LEFT JOIN users u ON u.id = c.submitter
		WHERE c.id = ANY($1) AND c.erased_at IS NULL`,
		func(row pgx.CollectableRow) (search.Source, error) {
			var s search.Source
			err := row.Scan(&s.CaseID, &s.ProcessKey, &s.ProcessVersion, &s.Reference, &s.Submitter,
				&s.FileNames, &s.Staff, &s.Notes, &s.SharedNotes)
			return s, err
		}, cases)
	if err != nil || len(sources) == 0 {
		return nil, err
	}
	byCase := make(map[domain.ID]*search.Source, len(sources))
	found := make([]domain.ID, 0, len(sources))
	for i := range sources {
		byCase[sources[i].CaseID] = &sources[i]
		found = append(found, sources[i].CaseID)
	}
	return sources, r.addSearchTexts(ctx, found, byCase)
}

// addSearchTexts adds pages, fields, assertions and payment orders.
func (r Reader) addSearchTexts(ctx context.Context, cases []domain.ID, byCase map[domain.ID]*search.Source,
) error {
	fields, err := r.fields(ctx, cases...)
	if err != nil {
		return err
	}
	for i := range fields {
		source := byCase[fields[i].CaseID]
		source.Fields = append(source.Fields, fields[i].Field)
	}
	sets, err := r.Assertions(ctx, cases...)
	if err != nil {
		return err
	}
	for i := range sets {
		source := byCase[sets[i].CaseID]
		source.Assertions = append(source.Assertions, sets[i])
	}
	orders, err := r.Orders(ctx, cases...)
	if err != nil {
		return err
	}
	for i := range orders {
		source := byCase[orders[i].CaseID]
		source.Orders = append(source.Orders, orders[i])
	}
	if err := r.addSearchPages(ctx, cases, byCase); err != nil {
		return err
	}
	return r.addSupportingPages(ctx, cases, byCase)
}

func (r Reader) addSearchPages(ctx context.Context, cases []domain.ID, byCase map[domain.ID]*search.Source,
) error {
	lowest, highest := idRange(cases)
	rows, err := r.q.Query(ctx, `SELECT p.case_id, p.revision, p.number, p.text
		FROM `+r.tableFor("pages", cases...)+` p
		WHERE p.case_id = ANY($1) AND p.case_id BETWEEN $2 AND $3 AND p.revision = (
			SELECT max(d.revision) FROM documents d WHERE d.case_id = p.case_id)
		ORDER BY p.case_id, p.number`, cases, lowest, highest)
	if err != nil {
		return translate(err, "search pages")
	}
	defer rows.Close()
	for rows.Next() {
		var id domain.ID
		var page search.Page
		if err := rows.Scan(&id, &page.Revision, &page.Number, &page.Text); err != nil {
			return translate(err, "search pages")
		}
		source := byCase[id]
		source.Pages = append(source.Pages, page)
	}
	return translate(rows.Err(), "search pages")
}

// addSupportingPages adds the pages of the supporting documents that no later one replaces.
func (r Reader) addSupportingPages(ctx context.Context, cases []domain.ID,
	byCase map[domain.ID]*search.Source) error {
	rows, err := r.q.Query(ctx, `SELECT p.case_id, p.document, p.number, p.text FROM supporting_pages p
		WHERE p.case_id = ANY($1) AND NOT EXISTS (SELECT FROM supporting_documents d
			WHERE d.case_id = p.case_id AND d.replaces = p.document)
		ORDER BY p.case_id, p.document, p.number`, cases)
	if err != nil {
		return translate(err, "search supporting pages")
	}
	defer rows.Close()
	for rows.Next() {
		var id domain.ID
		var page search.Page
		if err := rows.Scan(&id, &page.Supporting, &page.Number, &page.Text); err != nil {
			return translate(err, "search supporting pages")
		}
		source := byCase[id]
		source.Supporting = append(source.Supporting, page)
	}
	return translate(rows.Err(), "search supporting pages")
}

// SearchRow is a case in the search index.
type SearchRow struct {
	CaseID       domain.ID
	Words        []byte // a tsvector in its binary form
	Confidential bool   // only people with clearance see all reviews of its process
}

// searchRowSet passes rows of the search index to a statement.
func searchRowSet(s *bulk.Statement, rows []SearchRow) *bulk.Rows[SearchRow] {
	set := bulk.NewRows(s, rows)
	bulk.Column(set, "case_id", "uuid", func(r *SearchRow) domain.ID { return r.CaseID })
	bulk.Column(set, "words", "tsvector", func(r *SearchRow) []byte { return r.Words })
	bulk.Column(set, "confidential", "boolean", func(r *SearchRow) bool { return r.Confidential })
	return set
}

// IndexCases writes rows of the search index under LockSearch, removes the rows of the cases that are
// gone, and returns how many rows changed. words are those of the rows for typos. Words that occur in no
// case any more are removed.
func (t *Tx) IndexCases(ctx context.Context, rows []SearchRow, words []string, gone []domain.ID) (int64, error) {
	s := &bulk.Statement{}
	set := searchRowSet(s, rows)
	lost, err := queryAll(ctx, t.q, "lost words", `SELECT DISTINCT w.word FROM (
			SELECT ts_delete(o.words, tsvector_to_array(x.words)) AS words
			FROM `+set.From("x")+` CROSS JOIN LATERAL (
				SELECT s.words FROM search_cases s WHERE s.case_id = x.case_id OFFSET 0) o
			UNION ALL SELECT o.words FROM search_cases o WHERE o.case_id = ANY(`+s.Arg(gone)+`)) l,
		unnest(tsvector_to_array(l.words)) AS w(word)`, pgx.RowTo[string], s.Args()...)
	if err != nil {
		return 0, err
	}
	args := s.Args()
	n, err := t.exec(ctx, "index cases", `INSERT INTO search_cases (case_id, words, confidential)
		SELECT x.case_id, x.words, x.confidential FROM `+set.From("x")+`
		ON CONFLICT (case_id) DO UPDATE SET words = excluded.words, confidential = excluded.confidential,
			indexed_at = clock()
		WHERE search_cases.words <> excluded.words OR search_cases.confidential <> excluded.confidential`,
		args[:len(args)-1]...)
	if err != nil {
		return n, err
	}
	if _, err := t.exec(ctx, "remove from index", `DELETE FROM search_cases WHERE case_id = ANY($1)`,
		gone); err != nil {
		return n, err
	}
	if _, err := t.exec(ctx, "index words", `INSERT INTO search_words (word) SELECT w FROM unnest($1::text[]) w
		WHERE (SELECT k.word FROM search_words k WHERE k.word = w) IS NULL ON CONFLICT DO NOTHING`, words); err != nil {
		return n, err
	}
	if len(lost) > 0 {
		_, err = t.exec(ctx, "forget words", `SELECT forget_words($1)`, lost)
	}
	return n, err
}

// CleanSearch removes the rows of the search index without a case, and the words that occur in no case.
func (t *Tx) CleanSearch(ctx context.Context) error {
	_, err := t.exec(ctx, "needless search rows", `DELETE FROM search_cases s WHERE NOT EXISTS (
		SELECT FROM cases c WHERE c.id = s.case_id AND c.erased_at IS NULL)`)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "forget words", `DELETE FROM search_words w WHERE NOT EXISTS (
		SELECT FROM (SELECT l.word FROM ts_stat('SELECT words FROM search_cases') AS l) l WHERE l.word = w.word)`)
	return err
}
