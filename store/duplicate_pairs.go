package store

import (
	"bytes"
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// pairRow is a pair of a case and another one, in the order of their ids.
type pairRow struct {
	caseID, first, second domain.ID
	compared              []byte
}

// PairClaim claims the pair of a case with another one. Compared is set for a pair that a reviewer
// has cleared for other contents: what was compared then.
type PairClaim struct {
	Other    domain.ID
	Compared []byte
}

func newPairRow(caseID, other domain.ID) pairRow {
	first, second := orderedPair(caseID, other)
	return pairRow{caseID: caseID, first: first, second: second}
}

func orderedPair(a, b domain.ID) (first, second domain.ID) {
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return a, b
}

func claimsOf(changes []*Change) (rows []pairRow) {
	for _, change := range changes {
		for _, claim := range change.Claims {
			row := newPairRow(change.Case.ID, claim.Other)
			row.compared = claim.Compared
			rows = append(rows, row)
		}
	}
	return rows
}

func pairColumns(s *statement, rows []pairRow) *bulk.Rows[pairRow] {
	set := bulk.NewRows(&s.Statement, rows)
	bulk.Column(set, "case_id", "uuid", func(p *pairRow) domain.ID { return p.caseID })
	bulk.Column(set, "first_id", "uuid", func(p *pairRow) domain.ID { return p.first })
	bulk.Column(set, "second_id", "uuid", func(p *pairRow) domain.ID { return p.second })
	return set
}

// claimPairs adds the part k: the locked cases that have all pairs that they claim. A pair of a case that
// was approved is claimed by the other one. The unique key
// lets one of two cases that claim a pair at the same moment wait for the other. A case that is left
// out keeps its other pairs, and releases them when it is judged again.
func (s *statement) claimPairs(claims []pairRow) {
	if len(claims) == 0 {
		return
	}
	set := pairColumns(s, claims)
	bulk.Column(set, "compared", "bytea", func(p *pairRow) []byte { return p.compared })
	s.AddCTE("px", "SELECT * FROM %s", set.From("p"))
	s.AddCTE("pc", `INSERT INTO duplicate_pairs AS o (first_id, second_id, carrier, compared)
		SELECT y.first_id, y.second_id, y.case_id, y.compared FROM (
			SELECT px.*, row_number() OVER (PARTITION BY first_id, second_id ORDER BY case_id) AS turn
			FROM px JOIN kl ON kl.id = px.case_id) y
		WHERE y.turn = 1 ORDER BY 1, 2
		ON CONFLICT (first_id, second_id) DO UPDATE SET carrier = excluded.carrier, reason = '',
			cleared_at = NULL, cleared_by = DEFAULT, compared = NULL
			WHERE CASE WHEN o.cleared_at IS NULL THEN o.carrier = excluded.carrier
				OR EXISTS (SELECT FROM cases c WHERE c.id = o.carrier AND `+passedCase+`)
				ELSE o.compared = excluded.compared END
		RETURNING o.carrier`)
	s.AddCTE("k", `SELECT kl.id FROM kl
		WHERE (SELECT count(*) FROM px WHERE px.case_id = kl.id) =
			(SELECT count(*) FROM pc WHERE pc.carrier = kl.id)`)
}

// requestPairEvaluations adds requests to evaluate the unfinished cases of pairs that written cases claim.
func (s *statement) requestPairEvaluations(changes []*Change) {
	if countRows(changes, func(c *Change) []PairClaim { return c.Claims }) == 0 {
		return
	}
	s.AddCTE("pe", `INSERT INTO pair_evaluations (case_id) SELECT o.id FROM c JOIN px ON px.case_id = c.id
		CROSS JOIN LATERAL (SELECT y.id, y.status FROM cases y
			WHERE y.id = CASE WHEN px.first_id = c.id THEN px.second_id ELSE px.first_id END OFFSET 0) o
		WHERE o.status NOT IN `+finalStatuses)
}

// releasePairs adds the removal of pairs for which a written case has no finding any longer.
func (s *statement) releasePairs(changes []*Change) {
	var rows []pairRow
	for _, change := range changes {
		for _, other := range change.ReleasedClaims {
			rows = append(rows, newPairRow(change.Case.ID, other))
		}
	}
	if len(rows) == 0 {
		return
	}
	set := pairColumns(s, rows)
	s.AddCTE("pr", `DELETE FROM duplicate_pairs o USING c JOIN %s ON x.case_id = c.id
		WHERE o.first_id = x.first_id AND o.second_id = x.second_id AND o.carrier = c.id
		AND o.cleared_at IS NULL`, set.From("x"))
}

// maxCarriedPairs is the maximum number of pairs that CarriedPairs returns.
const maxCarriedPairs = 200

// CarriedPairs returns the unfinished cases of whose pair with the case only that one has the finding, at
// most 200.
func (r Reader) CarriedPairs(ctx context.Context, id domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "carried pairs", `SELECT c.id
		FROM (SELECT * FROM duplicate_pairs WHERE first_id = $1
			UNION ALL SELECT * FROM duplicate_pairs WHERE second_id = $1) q
		JOIN cases c ON c.id = CASE WHEN q.first_id = $1 THEN q.second_id ELSE q.first_id END
		WHERE q.carrier = $1 AND q.cleared_at IS NULL AND c.status NOT IN `+finalStatuses+`
		ORDER BY 1 LIMIT $2`, pgx.RowTo[domain.ID], id, maxCarriedPairs)
}

// ClearedPair is a pair of cases that a reviewer has found to be no duplicates. Compared is the
// hash of what both documents stated.
type ClearedPair struct {
	Case, Other, By domain.ID
	Reason          string
	Compared        []byte
}

// ClearPair records that the two cases are no duplicates, and requests to evaluate the other one.
func (t *Tx) ClearPair(ctx context.Context, pair ClearedPair) error {
	first, second := orderedPair(pair.Case, pair.Other)
	_, err := t.exec(ctx, "clear pair", `WITH asked AS (INSERT INTO pair_evaluations (case_id) VALUES ($7))
		INSERT INTO duplicate_pairs AS o
		(first_id, second_id, carrier, cleared_by, cleared_at, reason, compared)
		VALUES ($1, $2, $3, $4, clock(), $5, $6)
		ON CONFLICT (first_id, second_id) DO UPDATE SET cleared_by = excluded.cleared_by,
			cleared_at = excluded.cleared_at, reason = excluded.reason,
			compared = excluded.compared`,
		first, second, pair.Case, pair.By, pair.Reason, pair.Compared, pair.Other)
	return err
}

// ListedCase is a case that a finding of another case lists. Carried reports whether that case has
// the finding that both documents are duplicates; a rejected or withdrawn case is none.
type ListedCase struct {
	// Case has only the id, the submitter, the reference, the process and the reason of a rejection.
	Case       domain.Case
	Carried    bool
	Archived   bool
	RejectedAt time.Time // zero unless the case was rejected
}

// ListedCases reads the cases of the references, in their order. The case of the id has the finding. One with the
// same file, except another part of it, cannot be cleared.
func (r Reader) ListedCases(
	ctx context.Context, id domain.ID, references []string,
) ([]ListedCase, error) {
	return queryAll(ctx, r.q, "listed cases", `SELECT c.id, c.submitter, c.reference,
			c.process_key, c.process_version, c.outcome_reason,
			CASE WHEN 'rejected' IN (c.status, c.outcome) THEN (SELECT max(d.at) FROM decisions d
				WHERE d.case_id = c.id AND d.verdict = 'reject') END,
			coalesce(q.carrier = $1 AND q.cleared_at IS NULL, false)
				AND NOT ARRAY[c.status, c.outcome] && '{rejected,abandoned}'
				AND (c.origin_id = x.origin AND x.origin <> '`+domain.NoID.String()+`'
					OR c.id NOT IN (`+casesWithHash("x.sha256")+`)),
			c.status = 'archived'
		FROM unnest($2::text[]) WITH ORDINALITY l (reference, n)
		JOIN cases c ON c.reference = l.reference
		CROSS JOIN (SELECT o.origin_id AS origin, (SELECT d.sha256 FROM documents d WHERE d.case_id = o.id
			ORDER BY d.revision DESC LIMIT 1) AS sha256 FROM cases o WHERE o.id = $1) x
		LEFT JOIN duplicate_pairs q ON q.first_id = least(c.id, $1)
			AND q.second_id = greatest(c.id, $1)
		ORDER BY l.n`, scanListedCase, id, references)
}

func scanListedCase(row pgx.CollectableRow) (ListedCase, error) {
	var l ListedCase
	var rejectedAt *time.Time
	err := row.Scan(&l.Case.ID, &l.Case.Submitter, &l.Case.Reference, &l.Case.ProcessKey,
		&l.Case.ProcessVersion, &l.Case.OutcomeReason, &rejectedAt, &l.Carried,
		&l.Archived)
	if rejectedAt != nil {
		l.RejectedAt = rejectedAt.UTC()
	}
	return l, err
}
