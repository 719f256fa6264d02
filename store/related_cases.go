package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

// RelatedCases is what rules need to know about cases related to a case: possible duplicates, other
// cases of its party, and sums of amounts.
type RelatedCases struct {
	Candidates []DuplicateCandidate
	Claimed    []domain.ID // the other cases of pairs for which the case has the finding
	// Shared are cases of other vendors with an account of the case: the oldest of each, at most 20.
	Shared []SharedAccount
	// ArchivedCount is the number of archived cases of the party with the same document type, at most
	// 20.
	ArchivedCount int
	// LastAccount is the account of the order or on the document of the last of them, "" if there
	// is none. Other document types do
	// not count, because a receipt is archived without a check of its account.
	LastAccount string
	// RecentReferences are the newest other cases of the last 24 hours whose amounts are in the sums, of the party
	// and of those in one group with it or with a tax id of the case: at most 20.
	RecentReferences []string
	Sums             []DocumentSum
	// SumsAt is when the sums were read, and GroupIDs are the parties whose documents are in those of the counterparty.
	SumsAt   time.Time
	GroupIDs []domain.ID
	// CountryRisk is the highest level of the countries ("", elevated or high), and RiskCountry the
	// country that has it.
	CountryRisk string
	RiskCountry string
	// RuleSetVersions is the number of published versions of all rule sets. It rises with each
	// version, so that callers detect stale caches.
	RuleSetVersions int64
}

// DuplicateCandidate is another case that may have the same document, with what is compared.
type DuplicateCandidate struct {
	ID        domain.ID `json:"id"`
	Reference string    `json:"reference"`
	// FactsRevision is the version of what the case states.
	FactsRevision int64               `json:"version"`
	Status        domain.Status       `json:"status"`
	Outcome       domain.Status       `json:"outcome"`
	Submitter     domain.ID           `json:"submitter"`
	Type          string              `json:"type"`
	Kind          domain.DocumentKind `json:"kind"`
	Numbers       []string            `json:"numbers"`
	Date          string              `json:"date"` // "" while unknown or differing
	Time          string              `json:"time"`
	Totals        []int64             `json:"totals"` // none while unknown
	Image         int64               `json:"image"`
	SameBytes     bool                `json:"bytes"`
	SameParty     bool                `json:"party"`
	// NumberConfidence is that of the number of a receipt; 1 for other documents and without a number.
	NumberConfidence float64   `json:"number_confidence"`
	Carrier          domain.ID `json:"carrier"` // of the pair with this case; NoID without one
	Cleared          bool      `json:"cleared"`
	ClearedFor       string    `json:"compared"` // in hexadecimal
}

// SharedAccount is a case of another vendor that has an account.
type SharedAccount struct {
	ID        domain.ID `json:"id"`
	Account   string    `json:"account"`
	Reference string    `json:"reference"`
	Vendor    string    `json:"vendor"`
}

// Passed reports whether the case was approved.
func (c DuplicateCandidate) Passed() bool {
	return c.Outcome == domain.Archived ||
		slices.Contains([]domain.Status{domain.Approved, domain.Settling, domain.Archived}, c.Status)
}

// Unread reports whether the document has not been assessed since it was submitted.
func (c DuplicateCandidate) Unread() bool {
	return c.Status == domain.Received || c.Status == domain.Processing
}

// passedCase selects the cases c of which Passed is true.
const passedCase = `(c.outcome = 'archived' OR c.status IN ('approved', 'settling', 'archived'))`

// RelatedQuery identifies a case by everything by which others are related to it: all parties,
// document numbers, accounts and countries of its risk basis, and its file. PartyID is the party in
// force.
type RelatedQuery struct {
	CaseID, PartyID domain.ID
	DocumentType    string
	Parties         []domain.ID
	Submitter       domain.ID
	Numbers         []string
	Accounts        []string
	Countries       []string
	Totals          []int64  // in minor units; none while the amount is unknown
	Dates           []string // none while the date is unknown or differing
	Image           uint64
	SHA256          []byte
	// Parent and Origin are those of a part of a file, whose other parts have the same file; else NoID.
	Parent, Origin domain.ID
	Windows        []int // hours over which amounts are summed
}

// RelatedCases reads in one statement the cases that may have the same document, and the other
// facts about the parties, the accounts and the submitter.
func (r Reader) RelatedCases(ctx context.Context, query RelatedQuery) (RelatedCases, error) {
	if query.PartyID == domain.NoID { // cases of unknown parties are not related
		query.PartyID = query.CaseID
	}
	return batchedOr(ctx, r.availableBatchers().relatedCases, query,
		func() (RelatedCases, error) {
			return batch.Single(r.relatedCasesBatch(ctx, []RelatedQuery{query}))
		})
}

// maxImageDistance is the number of bits in which the hashes of nearly equal images may differ.
const maxImageDistance = 8

func (r Reader) relatedCasesBatch(ctx context.Context,
	queries []RelatedQuery) ([]RelatedCases, []error, error) {
	s := &bulk.Statement{}
	set := bulk.NewRows(s, queries)
	bulk.Column(set, "id", "uuid", func(q *RelatedQuery) domain.ID { return q.CaseID })
	bulk.Column(set, "party", "uuid", func(q *RelatedQuery) domain.ID { return q.PartyID })
	bulk.Column(set, "submitter", "uuid", func(q *RelatedQuery) domain.ID { return q.Submitter })
	bulk.Column(set, "sha256", "bytea", func(q *RelatedQuery) []byte { return q.SHA256 })
	bulk.Column(set, "parent", "uuid", func(q *RelatedQuery) domain.ID { return q.Parent })
	bulk.Column(set, "origin", "uuid", func(q *RelatedQuery) domain.ID { return q.Origin })
	bulk.Column(set, "image", "bigint",
		func(q *RelatedQuery) int64 { return int64(q.Image) }) //nolint:gosec // all bits count
	bulk.Column(set, "document_type", "text", func(q *RelatedQuery) string { return q.DocumentType })
	bulk.Column(set, "parties", "text",
		func(q *RelatedQuery) string { return idArray(q.Parties) })
	bulk.Column(set, "numbers", "text",
		func(q *RelatedQuery) string { return textArray(q.Numbers) })
	bulk.Column(set, "accounts", "text",
		func(q *RelatedQuery) string { return textArray(q.Accounts) })
	bulk.Column(set, "countries", "text",
		func(q *RelatedQuery) string { return textArray(q.Countries) })
	bulk.Column(set, "dates", "text", func(q *RelatedQuery) string { return textArray(q.Dates) })
	bulk.Column(set, "totals", "text",
		func(q *RelatedQuery) string { return numberArray(q.Totals) })
	windows := allWindows(queries)
	rows, err := queryAll(ctx, r.q, "related cases", `SELECT d.candidates, a.shared, own.ids, h.cases, coalesce((SELECT o.account FROM orders o WHERE o.case_id = h.newest
				ORDER BY o.revision DESC LIMIT 1),
			h.account, field_in_force(h.newest, 'iban'), ''),
			n.refs, g.ids, w.at, w.since, u.kinds, u.spans, u.bands, u.totals, u.documents,
			coalesce(v.level, ''), coalesce(v.country, ''), (SELECT count(*) FROM rule_sets)
		FROM `+set.NumberedFrom("x")+`
		CROSS JOIN (`+sinceQuery(s.Arg(windows))+`) w
		CROSS JOIN LATERAL (`+groupQuery+`) g
		CROSS JOIN LATERAL (`+ownPairsQuery+`) own
		CROSS JOIN LATERAL (`+candidatesQuery+`) d
		CROSS JOIN LATERAL (`+sharedAccountsQuery+`) a
		CROSS JOIN LATERAL (SELECT count(*) AS cases, (array_agg(y.id ORDER BY y.id DESC))[1] AS newest,
				(array_agg(y.account ORDER BY y.id DESC))[1] AS account FROM (
			SELECT c.id, CASE WHEN c.fields_revision = c.facts_revision THEN c.document_account END AS account
			FROM cases c WHERE c.party_id = x.party AND c.status = 'archived'
			AND c.document_type = x.document_type AND c.id <> x.id
			ORDER BY c.id DESC LIMIT 20) y) h
		CROSS JOIN LATERAL (SELECT array_agg(reference ORDER BY id) AS refs FROM (
			SELECT r.id, r.reference FROM (SELECT DISTINCT p.id FROM unnest(g.ids || x.party) p(id)) p
			CROSS JOIN LATERAL (SELECT c.id, c.reference FROM cases c WHERE c.party_id = p.id
				AND c.id > w.yesterday AND c.id <> x.id AND c.summed AND c.status NOT IN ('rejected', 'abandoned')
				ORDER BY c.id DESC LIMIT 20) r
			ORDER BY r.id DESC LIMIT 20) y) n
		CROSS JOIN LATERAL (`+sumsQuery+`) u
		LEFT JOIN LATERAL (SELECT k.level, k.country FROM country_risk k
			WHERE k.country = ANY(x.countries::text[])
			ORDER BY k.level = 'high' DESC, k.country LIMIT 1) v ON true
		ORDER BY x.n`, scanRelatedCases, s.Args()...)
	related := make([]RelatedCases, len(rows))
	for i := range rows {
		related[i] = rows[i].related
		related[i].Sums = rows[i].sums.within(queries[i].Windows, windows)
	}
	return related, make([]error, len(queries)), err
}

// OFFSET 0 makes the planner read the rows of a subquery by their key for each outer row. Otherwise a plan
// made while the tables are small may read whole tables for a join.

// groupQuery selects the ids of all parties that are in one group with a party of x.
const groupQuery = `SELECT coalesce(array_agg(m.id), '{}') AS ids
	FROM unnest(x.parties::uuid[]) i(id)
	CROSS JOIN LATERAL (SELECT p.group_id FROM parties p WHERE p.id = i.id OFFSET 0) p
	CROSS JOIN LATERAL (SELECT o.id FROM parties o WHERE o.group_id = p.group_id OFFSET 0) m`

// ownPairsQuery selects the other cases of the pairs that x has, and of those that the others have.
const ownPairsQuery = `SELECT array_agg(q.other) FILTER (WHERE q.carrier = x.id) AS ids,
		array_agg(q.other) FILTER (WHERE q.carrier <> x.id) AS others
	FROM (SELECT second_id AS other, carrier, cleared_at FROM duplicate_pairs WHERE first_id = x.id
		UNION ALL SELECT first_id, carrier, cleared_at FROM duplicate_pairs WHERE second_id = x.id) q
	WHERE q.cleared_at IS NULL`

// candidatesQuery selects the cases that may have the same document as x: the same file, or a party
// of the same group g together with the same number, total or image, or without a total. The rules
// decide which of them are duplicates. Of the pairs that other cases have, only some are among them, and
// those that x has always are, so that copies never hide a pair that must be judged.
var candidatesQuery = `SELECT json_agg(json_build_object('id', c.id, 'reference', c.reference,
		'version', c.facts_revision, 'status', c.status, 'outcome', c.outcome, 'submitter', c.submitter,
		'type', c.document_type, 'kind', c.document_kind,
		'numbers', array_prepend(c.document_number, c.other_numbers), 'date', ` + documentDate + `,
		'time', c.document_time, 'totals', CASE WHEN c.amount_known THEN
			CASE WHEN c.risk_currency = '' OR ` + otherPart + ` THEN ARRAY[c.amount_minor]
				ELSE ARRAY[c.amount_minor, c.risk_minor] END ELSE '{}' END,
		'image', c.image_hash, 'number_confidence', CASE WHEN c.document_type = 'receipt' THEN coalesce(
			(SELECT f.confidence FROM fields f WHERE f.case_id = c.id AND f.name = 'number'), 1) ELSE 1 END,
		'bytes', y.bytes AND NOT (` + otherPart + `),
		'party', c.party_id = ANY(g.ids) OR c.other_party_ids && g.ids,
		'carrier', coalesce(q.carrier, '` + domain.NoID.String() + `'),
		'cleared', q.cleared_at IS NOT NULL,
		'compared', coalesce(encode(q.compared, 'hex'), '')) ORDER BY c.id) AS candidates
	FROM (SELECT k.id, bool_or(k.bytes) AS bytes FROM (
		(SELECT c.id, true AS bytes FROM (` + casesWithHash("x.sha256") + `) h
			CROSS JOIN LATERAL (SELECT * FROM cases y WHERE y.id = h.case_id OFFSET 0) c
			WHERE c.id <> x.id AND ` + notWithOther + newestOfEqual + `)
		UNION ALL (SELECT unnest(own.ids), false)
		UNION ALL (` + carriedByOthers + `)
		UNION ALL (SELECT c.id, false FROM cases c
			WHERE number_key(c.document_number) =
				ANY(ARRAY(SELECT number_key(y) FROM unnest(x.numbers::text[]) y))
			AND c.document_number <> '' AND c.party_id = ANY(g.ids)
			AND c.id <> x.id AND ` + notWithOther + newestOfEqual + `)
		UNION ALL (SELECT c.id, false FROM cases c WHERE x.image <> 0
			AND number_key(c.document_number) = ANY(ARRAY(SELECT number_key(y)
				FROM unnest(x.numbers::text[]) y WHERE length(number_key(y)) >= 6))
			AND c.document_number <> '' AND ` + similarImage + `
			AND c.id <> x.id AND ` + notWithOther + newestOfEqual + `)
		UNION ALL (SELECT c.id, false FROM cases c WHERE c.amount_known
			AND c.party_id <> '` + domain.NoID.String() + `' AND c.party_id = ANY(g.ids)
			AND c.amount_minor = ANY(x.totals::bigint[]) AND ` + similarContent + `
			AND c.id <> x.id AND ` + notWithOther + newestOfEqual + `)
		UNION ALL (SELECT c.id, false FROM cases c WHERE NOT c.amount_known
			AND c.party_id <> '` + domain.NoID.String() + `' AND c.party_id = ANY(g.ids)
			AND c.id <> x.id AND ` + notWithOther + ` ORDER BY c.id DESC LIMIT 20)
		UNION ALL (SELECT c.id, false FROM cases c WHERE x.totals = '{}'
			AND c.party_id = ANY(g.ids)
			AND c.id <> x.id AND ` + notWithOther + ` ORDER BY c.id DESC LIMIT 50)
		UNION ALL (SELECT c.id, false FROM cases c WHERE c.other_party_ids <> '{}'
			AND c.other_party_ids && g.ids
			AND c.id <> x.id AND ` + notWithOther + ` ORDER BY c.id DESC LIMIT 50)) k
		WHERE NOT EXISTS (SELECT FROM case_corrections r WHERE r.case_id = x.id AND r.corrects = k.id)
			AND k.id NOT IN (x.parent, x.origin)
		GROUP BY k.id) y
	CROSS JOIN LATERAL (SELECT * FROM cases z WHERE z.id = y.id AND NOT (z.outcome = 'abandoned'
		AND z.origin_id = x.origin AND x.origin <> '` + domain.NoID.String() + `') OFFSET 0) c
	LEFT JOIN LATERAL (SELECT * FROM duplicate_pairs p WHERE p.first_id = least(c.id, x.id)
		AND p.second_id = greatest(c.id, x.id) OFFSET 0) q ON true`

// carriedByOthers selects the cases that have the finding about a pair with x: the oldest 20, those that
// were refused last.
var carriedByOthers = `SELECT c.id, c.id IN (` + casesWithHash("x.sha256") + `) FROM unnest(own.others) o(id)
	CROSS JOIN LATERAL (SELECT y.id, y.status, y.outcome FROM cases y WHERE y.id = o.id OFFSET 0) c
	ORDER BY ARRAY[c.status, c.outcome] && '{rejected,abandoned}', c.id LIMIT 20`

// sharedAccountsQuery selects cases of other vendors than those of g with an account of x: the oldest of each,
// of at most 20. It reads an entry of the key for each vendor, however many cases they have.
const sharedAccountsQuery = `SELECT json_agg(json_build_object('id', c.id, 'account', k.account,
		'reference', c.reference, 'vendor', p.name) ORDER BY c.id) AS shared
	FROM unnest(x.accounts::text[]) n(account)
	CROSS JOIN LATERAL (WITH RECURSIVE v AS (
		(SELECT s.account, s.party_id, s.case_id FROM account_cases s WHERE s.account = n.account
			ORDER BY s.party_id, s.case_id LIMIT 1)
		UNION ALL (SELECT s.* FROM v CROSS JOIN LATERAL (SELECT s.account, s.party_id, s.case_id
			FROM account_cases s WHERE s.account = n.account AND s.party_id > v.party_id
			ORDER BY s.party_id, s.case_id LIMIT 1) s)) SELECT * FROM v LIMIT 20) k
	CROSS JOIN LATERAL (SELECT y.id, y.reference FROM cases y WHERE y.id = k.case_id OFFSET 0) c
	CROSS JOIN LATERAL (SELECT o.name FROM parties o WHERE o.id = k.party_id OFFSET 0) p
	WHERE k.party_id <> ALL (g.ids) AND k.case_id <> x.id`

// otherPart selects cases c that are other parts of the file of x: they have the same file without
// being duplicates, and each may count the amount that was declared for the whole file. Those that were
// abandoned, because they were split again or merged, are left out.
const otherPart = `c.origin_id = x.origin AND x.origin <> '00000000-0000-0000-0000-000000000000'`

// notWithOther leaves out cases c that have the pair with x, unless they were approved: x does not claim it.
const notWithOther = `(` + passedCase + ` OR NOT EXISTS (SELECT FROM duplicate_pairs q
	WHERE q.first_id = least(c.id, x.id) AND q.second_id = greatest(c.id, x.id)
	AND q.carrier <> x.id AND q.cleared_at IS NULL))`

// newestOfEqual puts refused cases last, because otherwise withdrawn copies would hide a paid one. The
// bound is far above the number of copies in use; a pair above it is found when a decision is carried
// out.
const newestOfEqual = ` ORDER BY ARRAY[c.status, c.outcome] && '{rejected,abandoned}', c.id DESC
	LIMIT 1000`

// similarContent selects cases c whose date is one of those of x or not known, or whose image is
// nearly that of x.
var similarContent = `(x.dates = '{}' OR 'date' = ANY(c.differing_fields)
	OR ` + documentDate + ` = ANY(array_append(x.dates::text[], ''))
	OR ` + similarImage + `)`

// similarImage selects cases c whose first page is nearly equal to that of x.
var similarImage = `c.image_hash <> 0 AND x.image <> 0
	AND bit_count((c.image_hash # x.image)::bit(64)) <= ` + strconv.Itoa(maxImageDistance)

// documentDate is the date in force of a case c, "" if there is none.
const documentDate = `CASE WHEN c.fields_revision = c.facts_revision THEN c.document_date
	ELSE field_in_force(c.id, 'date') END`

func numberArray(values []int64) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = strconv.FormatInt(value, 10)
	}
	return textArray(texts)
}

// relatedRow is a row of the statement: the sums are by spans.
type relatedRow struct {
	related RelatedCases
	sums    spanSums
}

func scanRelatedCases(row pgx.CollectableRow) (relatedRow, error) {
	var r relatedRow
	var candidates, shared []byte
	related, sums := &r.related, &r.sums
	err := row.Scan(&candidates, &shared, &related.Claimed, &related.ArchivedCount, &related.LastAccount,
		&related.RecentReferences, &related.GroupIDs, &related.SumsAt, &sums.since, &sums.kinds, &sums.spans, &sums.bands,
		&sums.totals, &sums.documents, &related.CountryRisk, &related.RiskCountry,
		&related.RuleSetVersions)
	if err != nil {
		return r, err
	}
	for _, list := range []struct {
		text []byte
		into any
	}{{candidates, &related.Candidates}, {shared, &related.Shared}} {
		if list.text == nil {
			continue
		}
		if err := json.Unmarshal(list.text, list.into); err != nil {
			return r, fmt.Errorf("store: related cases: %w", err)
		}
	}
	return r, nil
}
