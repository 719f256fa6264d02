package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

// RelatedCases is what rules need to know about cases related to a case: duplicates, and other
// cases of its party.
type RelatedCases struct {
	SameBytes     []DuplicateCase
	SameNumber    []DuplicateCase // of the same party, not rejected or abandoned
	ArchivedCount int             // archived cases of the party, at most 20
	// LastAccount is the account on the party's last archived document, "" if there is none.
	LastAccount string
	// RecentReferences are the party's other cases of the last 24 hours with a known amount, at
	// most 20; RecentSum is their sum in the base currency.
	RecentReferences []string
	RecentSum        int64
	// CountryRisk is the highest level of the countries ("", elevated or high), and RiskCountry the
	// country that has it.
	CountryRisk string
	RiskCountry string
	// RuleSetVersions is the number of published versions of all rule sets. It rises with each
	// version, so that callers detect stale caches.
	RuleSetVersions int64
}

// RelatedQuery identifies a case by everything by which others are related to it: all parties,
// document numbers and countries of its risk basis, and its file. PartyID is the party in force.
type RelatedQuery struct {
	CaseID, PartyID domain.ID
	Parties         []domain.ID
	Numbers         []string
	Countries       []string
	SHA256          []byte
}

// RelatedCases reads in one statement the cases with the same bytes and those with the same party
// and number, newest first, at most 10 each, and the other facts about the party.
func (r Reader) RelatedCases(ctx context.Context, query RelatedQuery) (RelatedCases, error) {
	if query.PartyID == domain.NoID { // cases of unknown parties are not related
		query.PartyID = query.CaseID
	}
	return batchedOr(ctx, r.availableBatchers().relatedCases, query,
		func() (RelatedCases, error) {
			return batch.Single(r.relatedCasesBatch(ctx, []RelatedQuery{query}))
		})
}

func (r Reader) relatedCasesBatch(ctx context.Context,
	queries []RelatedQuery) ([]RelatedCases, []error, error) {
	s := &bulk.Statement{}
	set := bulk.NewRows(s, queries)
	bulk.Column(set, "id", "uuid", func(q *RelatedQuery) domain.ID { return q.CaseID })
	bulk.Column(set, "party", "uuid", func(q *RelatedQuery) domain.ID { return q.PartyID })
	bulk.Column(set, "parties", "text",
		func(q *RelatedQuery) string { return idArray(q.Parties) })
	bulk.Column(set, "numbers", "text",
		func(q *RelatedQuery) string { return textArray(q.Numbers) })
	bulk.Column(set, "countries", "text",
		func(q *RelatedQuery) string { return textArray(q.Countries) })
	bulk.Column(set, "sha256", "bytea", func(q *RelatedQuery) []byte { return q.SHA256 })
	related, err := queryAll(ctx, r.q, "related cases", `SELECT b.ids, b.refs, m.ids, m.refs,
			(SELECT count(*) FROM (SELECT FROM cases c WHERE c.party_id = x.party AND c.status =
			'archived' AND c.id <> x.id LIMIT 20) y), coalesce((SELECT f.normalised FROM fields f
			WHERE f.name = 'iban' AND f.case_id = (SELECT c.id FROM cases c
				WHERE c.party_id = x.party AND c.status = 'archived' AND c.id <> x.id
				ORDER BY c.id DESC LIMIT 1)), ''), n.refs, coalesce(n.total, 0),
				coalesce(v.level, ''), coalesce(v.country, ''),
			(SELECT count(*) FROM rule_sets)
		FROM `+set.NumberedFrom("x")+`,
		LATERAL (SELECT array_agg(y.id ORDER BY y.id) AS ids,
			array_agg((SELECT reference FROM cases c WHERE c.id = y.id) ORDER BY y.id) AS refs
			FROM (
			SELECT d.case_id AS id FROM (`+casesWithHash("x.sha256")+`) d WHERE d.case_id <> x.id
			ORDER BY id DESC LIMIT 10) y) b,
		LATERAL (SELECT array_agg(id ORDER BY id) AS ids, array_agg(reference ORDER BY id) AS refs
		FROM (
			SELECT c.id, c.reference FROM cases c
			WHERE c.document_number = ANY(x.numbers::text[])
			AND c.document_number <> '' AND c.party_id = ANY(x.parties::uuid[])
			AND c.id <> x.id AND c.status NOT IN ('rejected', 'abandoned') ORDER BY c.id DESC
			LIMIT 10) y) m,
		LATERAL (SELECT array_agg(reference ORDER BY id) AS refs,
		least(sum(base_minor), 9000000000000000000)::bigint AS total FROM (
			SELECT c.id, c.reference, c.base_minor FROM cases c WHERE c.party_id = x.party
			AND c.id > month_bound(clock() - interval '24 hours')
			AND c.id <> x.id AND c.amount_known AND c.status NOT IN ('rejected', 'abandoned')
			ORDER BY c.id DESC LIMIT 20) y) n
		LEFT JOIN LATERAL (SELECT k.level, k.country FROM country_risk k
			WHERE k.country = ANY(x.countries::text[])
			ORDER BY k.level = 'high' DESC, k.country LIMIT 1) v ON true
		ORDER BY x.n`, scanRelatedCases, s.Args()...)
	return related, make([]error, len(queries)), err
}

func scanRelatedCases(row pgx.CollectableRow) (RelatedCases, error) {
	var related RelatedCases
	var byteIDs, numberIDs []domain.ID
	var byteRefs, numberRefs []string
	err := row.Scan(&byteIDs, &byteRefs, &numberIDs, &numberRefs, &related.ArchivedCount,
		&related.LastAccount, &related.RecentReferences, &related.RecentSum, &related.CountryRisk,
		&related.RiskCountry, &related.RuleSetVersions)
	for i := range byteIDs {
		related.SameBytes = append(related.SameBytes, DuplicateCase{byteIDs[i], byteRefs[i]})
	}
	for i := range numberIDs {
		related.SameNumber = append(related.SameNumber, DuplicateCase{numberIDs[i], numberRefs[i]})
	}
	return related, err
}
