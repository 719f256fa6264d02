package store

import (
	"context"
	"encoding/json"
	"fmt"
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
	// ArchivedCount is the number of archived cases of the party with the same document type, at most
	// 20.
	ArchivedCount int
	// LastAccount is the account of the order or on the document of the last of them, "" if there
	// is none. Other document types do
	// not count, because a receipt is archived without a check of its account.
	LastAccount string
	// RecentReferences are the party's newest other cases of the last 24 hours with a known amount,
	// at most 20.
	RecentReferences []string
	Sums             []DocumentSum
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
	ID         domain.ID           `json:"id"`
	Reference  string              `json:"reference"`
	Status     domain.Status       `json:"status"`
	Outcome    domain.Status       `json:"outcome"`
	Submitter  domain.ID           `json:"submitter"`
	Type       string              `json:"type"`
	Kind       domain.DocumentKind `json:"kind"`
	Numbers    []string            `json:"numbers"`
	Date       string              `json:"date"` // "" while unknown or differing
	Time       string              `json:"time"`
	Totals     []int64             `json:"totals"` // none while unknown
	Image      int64               `json:"image"`
	SameBytes  bool                `json:"bytes"`
	SameParty  bool                `json:"party"`
	Carrier    domain.ID           `json:"carrier"` // of the pair with this case; NoID without one
	Cleared    bool                `json:"cleared"`
	ClearedFor string              `json:"compared"` // in hexadecimal
}

// DocumentSum is the sum of the amounts at risk of the other cases that share a subject with a case
// and were submitted since the beginning of an hour.
type DocumentSum struct {
	Kind      SumKind
	Hours     int
	Since     time.Time
	Band      int // domain.SumBand of the single amounts
	BaseMinor int64
	Documents int
}

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
	Windows         []int // hours over which amounts are summed
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
	bulk.Column(set, "image", "bigint",
		func(q *RelatedQuery) int64 { return int64(q.Image) }) //nolint:gosec // all bits count
	bulk.Column(set, "document_type", "text",
		func(q *RelatedQuery) string { return q.DocumentType })
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
	bulk.Column(set, "windows", "text",
		func(q *RelatedQuery) string { return numberArray(q.Windows) })
	related, err := queryAll(ctx, r.q, "related cases", `SELECT d.candidates,
			(SELECT array_agg(CASE WHEN q.first_id = x.id THEN q.second_id ELSE q.first_id END)
				FROM (SELECT * FROM duplicate_pairs WHERE first_id = x.id
					UNION ALL SELECT * FROM duplicate_pairs WHERE second_id = x.id) q
				WHERE q.carrier = x.id AND q.cleared_at IS NULL),
			(SELECT count(*) FROM (SELECT FROM cases c WHERE c.party_id = x.party AND c.status =
			'archived' AND c.document_type = x.document_type AND c.id <> x.id LIMIT 20) y),
			coalesce((SELECT coalesce(
			(SELECT o.account FROM orders o WHERE o.case_id = l.id ORDER BY o.revision DESC LIMIT 1),
			(SELECT f.normalised FROM fields f WHERE f.name = 'iban' AND f.case_id = l.id))
			FROM (SELECT c.id FROM cases c WHERE c.party_id = x.party AND c.status = 'archived'
				AND c.document_type = x.document_type AND c.id <> x.id
				ORDER BY c.id DESC LIMIT 1) l), ''), n.refs, u.kinds, u.hours, u.since, u.bands,
			u.totals, u.documents, coalesce(v.level, ''), coalesce(v.country, ''),
			(SELECT count(*) FROM rule_sets)
		FROM `+set.NumberedFrom("x")+`,
		LATERAL (SELECT coalesce(array_agg(o.id), '{}') AS ids FROM parties p
			JOIN parties o ON o.group_id = p.group_id WHERE p.id = ANY(x.parties::uuid[])) g,
		LATERAL (`+candidatesQuery+`) d,
		LATERAL (SELECT array_agg(reference ORDER BY id) AS refs FROM (
			SELECT c.id, c.reference FROM cases c WHERE c.party_id = x.party
			AND c.id > month_bound(clock() - interval '24 hours')
			AND c.id <> x.id AND c.amount_known AND c.status NOT IN ('rejected', 'abandoned')
			ORDER BY c.id DESC LIMIT 20) y) n,
		LATERAL (`+sumsQuery+`) u
		LEFT JOIN LATERAL (SELECT k.level, k.country FROM country_risk k
			WHERE k.country = ANY(x.countries::text[])
			ORDER BY k.level = 'high' DESC, k.country LIMIT 1) v ON true
		ORDER BY x.n`, scanRelatedCases, s.Args()...)
	return related, make([]error, len(queries)), err
}

// candidatesQuery selects the cases that may have the same document as x: the same file, or a party
// of the same group g together with the same number, total or image, or without a total. The rules
// decide which of them are duplicates.
var candidatesQuery = `SELECT json_agg(json_build_object('id', c.id, 'reference', c.reference,
		'status', c.status, 'outcome', c.outcome, 'submitter', c.submitter,
		'type', c.document_type, 'kind', c.document_kind,
		'numbers', array_prepend(c.document_number, c.other_numbers), 'date', y.date,
		'time', c.document_time, 'totals', CASE WHEN c.amount_known THEN
			CASE WHEN c.risk_currency = '' THEN ARRAY[c.amount_minor]
				ELSE ARRAY[c.amount_minor, c.risk_minor] END ELSE '{}' END,
		'image', c.image_hash, 'bytes', y.bytes,
		'party', c.party_id = ANY(g.ids) OR c.other_party_ids && g.ids,
		'carrier', coalesce(q.carrier, '` + domain.NoID.String() + `'),
		'cleared', q.cleared_at IS NOT NULL,
		'compared', coalesce(encode(q.compared, 'hex'), '')) ORDER BY c.id) AS candidates
	FROM (SELECT k.id, bool_or(k.bytes) AS bytes, ` + dateOf("k.id") + ` AS date FROM (
		(SELECT h.case_id AS id, true AS bytes FROM (` + casesWithHash("x.sha256") + `) h
			ORDER BY h.case_id DESC LIMIT 20)
		UNION ALL (SELECT c.id, false FROM cases c
			WHERE number_key(c.document_number) =
				ANY(ARRAY(SELECT number_key(y) FROM unnest(x.numbers::text[]) y))
			AND c.document_number <> '' AND c.party_id = ANY(g.ids) ORDER BY c.id DESC LIMIT 20)
		UNION ALL (SELECT c.id, false FROM cases c WHERE x.image <> 0
			AND number_key(c.document_number) = ANY(ARRAY(SELECT number_key(y)
				FROM unnest(x.numbers::text[]) y WHERE length(number_key(y)) >= 6))
			AND c.document_number <> '' AND ` + similarImage + ` ORDER BY c.id DESC LIMIT 20)
		UNION ALL (SELECT c.id, false FROM cases c WHERE c.amount_known
			AND c.party_id <> '` + domain.NoID.String() + `' AND c.party_id = ANY(g.ids)
			AND c.amount_minor = ANY(x.totals::bigint[]) AND ` + similarContent + `
			ORDER BY c.id DESC LIMIT 20)
		UNION ALL (SELECT c.id, false FROM cases c WHERE NOT c.amount_known
			AND c.party_id <> '` + domain.NoID.String() + `' AND c.party_id = ANY(g.ids)
			ORDER BY c.id DESC LIMIT 20)
		UNION ALL (SELECT c.id, false FROM cases c WHERE x.totals = '{}'
			AND c.party_id = ANY(g.ids) ORDER BY c.id DESC LIMIT 50)
		UNION ALL (SELECT c.id, false FROM cases c WHERE c.other_party_ids <> '{}'
			AND c.other_party_ids && g.ids ORDER BY c.id DESC LIMIT 50)) k
		WHERE k.id <> x.id GROUP BY k.id) y
	JOIN cases c ON c.id = y.id
	LEFT JOIN duplicate_pairs q ON q.first_id = least(c.id, x.id)
		AND q.second_id = greatest(c.id, x.id)`

// similarContent selects cases c whose date is one of those of x or not known, or whose image is
// nearly that of x.
var similarContent = `(x.dates = '{}' OR 'date' = ANY(c.differing_fields)
	OR coalesce(` + dateOf("c.id") + `, '') = ANY(array_append(x.dates::text[], ''))
	OR ` + similarImage + `)`

// similarImage selects cases c whose first page is nearly equal to that of x.
var similarImage = `c.image_hash <> 0 AND x.image <> 0
	AND bit_count((c.image_hash # x.image)::bit(64)) <= ` + strconv.Itoa(maxImageDistance)

// dateOf returns the expression for the date in force of a case.
func dateOf(id string) string {
	return `(SELECT f.normalised FROM fields f WHERE f.case_id = ` + id + ` AND f.name = 'date')`
}

// sumsQuery sums the amounts of the other cases with a party of the group g, an account or the
// submitter of x. What x itself added to the sums is left out.
const sumsQuery = `SELECT array_agg(z.kind) AS kinds, array_agg(z.hours) AS hours,
		array_agg(z.since) AS since, array_agg(z.band) AS bands, array_agg(least(z.total, 9e18)::bigint) AS totals,
		array_agg(z.documents) AS documents
	FROM (SELECT j.kind, w.hours, w.since, o.band,
			sum(o.base_minor) - coalesce(sum(e.base_minor) FILTER (WHERE o.hour = e.hour AND o.band = e.band), 0) AS total,
			sum(o.documents) - count(e.hour) FILTER (WHERE o.hour = e.hour AND o.band = e.band) AS documents
		FROM (SELECT h AS hours, date_trunc('hour', clock(), 'UTC') - make_interval(hours => h)
			AS since FROM unnest(x.windows::int[]) h) w
		CROSS JOIN (SELECT 'counterparty' AS kind, id::text AS subject FROM unnest(g.ids) id
			UNION ALL SELECT 'account', a FROM unnest(x.accounts::text[]) a
			UNION ALL SELECT 'submitter', x.submitter::text) j
		LEFT JOIN LATERAL (SELECT date_trunc('hour', c.created_at, 'UTC') AS hour, c.base_minor,
			sum_band(c.base_minor) AS band
			FROM cases c WHERE c.id = x.id AND c.summed AND CASE j.kind
				WHEN 'counterparty' THEN j.subject = ANY(
					array_append(c.other_party_ids, c.party_id)::text[])
				WHEN 'account' THEN j.subject = ANY(c.accounts) ELSE true END) e ON true
		JOIN document_sums o ON o.kind = j.kind AND o.subject = j.subject AND o.hour >= w.since
		GROUP BY 1, 2, 3, 4) z WHERE z.documents > 0`

func numberArray[N int | int64](values []N) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = strconv.FormatInt(int64(value), 10)
	}
	return textArray(texts)
}

func scanRelatedCases(row pgx.CollectableRow) (RelatedCases, error) {
	var related RelatedCases
	var candidates []byte
	var kinds []string
	var hours, bands []int
	var since []time.Time
	var totals, documents []int64
	err := row.Scan(&candidates, &related.Claimed, &related.ArchivedCount, &related.LastAccount,
		&related.RecentReferences, &kinds, &hours, &since, &bands, &totals, &documents,
		&related.CountryRisk, &related.RiskCountry, &related.RuleSetVersions)
	if err != nil {
		return related, err
	}
	for i, kind := range kinds {
		related.Sums = append(related.Sums, DocumentSum{Kind: SumKind(kind), Hours: hours[i],
			Since: since[i].UTC(), Band: bands[i], BaseMinor: totals[i], Documents: int(documents[i])})
	}
	if candidates == nil {
		return related, nil
	}
	if err := json.Unmarshal(candidates, &related.Candidates); err != nil {
		return related, fmt.Errorf("store: candidates for duplicates: %w", err)
	}
	return related, nil
}
