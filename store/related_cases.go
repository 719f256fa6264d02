package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

// RelatedCases is what other cases have in common with one, and how many of its party were archived.
type RelatedCases struct {
	SameBytes     []DuplicateCase
	SameNumber    []DuplicateCase // of the same party, not rejected or abandoned
	ArchivedCount int             // archived cases of the party, counted up to 20
	// LastAccount is the account on the party's last archived document, "" for none.
	LastAccount string
	// RecentReferences are the party's other cases of the last 24 hours with a known amount, at most 20, and their sum in the base currency.
	RecentReferences []string // references
	RecentSum        int64
	// CountryRisk is "", elevated or high.
	CountryRisk string
	// RuleSetVersions counts the published versions of all rule sets: it rises with each, so that who holds older ones sees it.
	RuleSetVersions int64
}

// RelatedCases reads, in one statement, the cases of the same bytes or the same party and number, newest first, at most 10 each,
// and what else rules ask beyond the case itself.
func (r Reader) RelatedCases(ctx context.Context, caseID, partyID domain.ID, number, country string, sha256 []byte) (RelatedCases, error) {
	question := relatedCasesQuery{caseID, partyID, number, country, sha256}
	if partyID == domain.NoID { // cases of an unknown party have nothing in common
		question.partyID = caseID
	}
	return batchedOr(ctx, r.availableBatchers().relatedCases, question, func() (RelatedCases, error) {
		return batch.Single(r.relatedCasesBatch(ctx, []relatedCasesQuery{question}))
	})
}

// relatedCasesQuery asks what other cases have in common with one.
type relatedCasesQuery struct {
	caseID, partyID domain.ID
	number, country string
	sha256          []byte
}

func (r Reader) relatedCasesBatch(ctx context.Context, questions []relatedCasesQuery) ([]RelatedCases, []error, error) {
	s := &bulk.Statement{}
	set := bulk.NewRows(s, questions)
	bulk.Column(set, "id", "uuid", func(q *relatedCasesQuery) domain.ID { return q.caseID })
	bulk.Column(set, "party", "uuid", func(q *relatedCasesQuery) domain.ID { return q.partyID })
	bulk.Column(set, "number", "text", func(q *relatedCasesQuery) string { return q.number })
	bulk.Column(set, "country", "text", func(q *relatedCasesQuery) string { return q.country })
	bulk.Column(set, "sha256", "bytea", func(q *relatedCasesQuery) []byte { return q.sha256 })
	related, err := queryAll(ctx, r.q, "kin", `SELECT b.ids, b.refs, m.ids, m.refs,
			(SELECT count(*) FROM (SELECT FROM cases c WHERE c.party_id = x.party AND c.status = 'archived' AND c.id <> x.id LIMIT 20) y),
			coalesce((SELECT f.normalised FROM fields f WHERE f.name = 'iban' AND f.case_id = (SELECT c.id FROM cases c
				WHERE c.party_id = x.party AND c.status = 'archived' AND c.id <> x.id ORDER BY c.id DESC LIMIT 1)), ''),
			n.refs, coalesce(n.total, 0), coalesce((SELECT level FROM country_risk k WHERE k.country = x.country), ''),
			(SELECT count(*) FROM rule_sets)
		FROM `+set.NumberedFrom("x")+`,
		LATERAL (SELECT array_agg(y.id ORDER BY y.id) AS ids,
			array_agg((SELECT reference FROM cases c WHERE c.id = y.id) ORDER BY y.id) AS refs FROM (
			SELECT d.case_id AS id FROM (`+casesWithHash("x.sha256")+`) d WHERE d.case_id <> x.id ORDER BY id DESC LIMIT 10) y) b,
		LATERAL (SELECT array_agg(id ORDER BY id) AS ids, array_agg(reference ORDER BY id) AS refs FROM (
			SELECT c.id, c.reference FROM cases c WHERE c.document_number = x.number AND c.document_number <> '' AND c.party_id = x.party
			AND c.id <> x.id AND c.status NOT IN ('rejected', 'abandoned') ORDER BY c.id DESC LIMIT 10) y) m,
		LATERAL (SELECT array_agg(reference ORDER BY id) AS refs, least(sum(base_minor), 9000000000000000000)::bigint AS total FROM (
			SELECT c.id, c.reference, c.base_minor FROM cases c WHERE c.party_id = x.party AND c.id > month_bound(clock() - interval '24 hours')
			AND c.id <> x.id AND c.amount_known AND c.status NOT IN ('rejected', 'abandoned') ORDER BY c.id DESC LIMIT 20) y) n
		ORDER BY x.n`, scanRelatedCases, s.Args()...)
	return related, make([]error, len(questions)), err
}

func scanRelatedCases(row pgx.CollectableRow) (RelatedCases, error) {
	var related RelatedCases
	var byteIDs, numberIDs []domain.ID
	var byteRefs, numberRefs []string
	err := row.Scan(&byteIDs, &byteRefs, &numberIDs, &numberRefs, &related.ArchivedCount, &related.LastAccount, &related.RecentReferences, &related.RecentSum,
		&related.CountryRisk, &related.RuleSetVersions)
	for i := range byteIDs {
		related.SameBytes = append(related.SameBytes, DuplicateCase{byteIDs[i], byteRefs[i]})
	}
	for i := range numberIDs {
		related.SameNumber = append(related.SameNumber, DuplicateCase{numberIDs[i], numberRefs[i]})
	}
	return related, err
}
