package store_test

import (
	"testing"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// BenchmarkRelatedCases measures the query of an assessment among 100,000 cases of 2,000 vendors with an account
// each, of which one account belongs to 500 vendors: without an account (as before accounts were compared), with
// an account of one vendor, with the shared one, and for a document that was submitted again 200 times.
func BenchmarkRelatedCases(b *testing.B) {
	w := newTestEnvOn(b, pgtest.New(b))
	change := w.newCaseChange(w.person().ID, domain.NoID)
	w.apply(change)
	w.asOwner(`INSERT INTO parties (id, key, name, group_id) SELECT id, 'p' || n, 'Party ' || n, id FROM (
		SELECT n, md5('party' || n)::uuid AS id FROM generate_series(1, 2000) n) x`)
	w.asOwner("ALTER TABLE cases DISABLE TRIGGER USER")
	w.asOwner(`INSERT INTO cases SELECT (jsonb_populate_record(c, jsonb_build_object('id',
			left(c.id::text, 24) || lpad(to_hex(n), 12, '0'), 'reference', 'X-' || n,
			'party_id', md5('party' || (n % 2000 + 1))::uuid, 'document_number', 'N-' || n, 'amount_known', true,
			'amount_minor', n % 5000 + 100, 'summed', true, 'accounts', ARRAY[CASE WHEN n % 2000 < 500 THEN 'SHARED'
				ELSE 'DE' || n % 2000 END]))).*
		FROM cases c, generate_series(1, 100000) n WHERE c.id = $1`, change.Case.ID)
	w.asOwner(`INSERT INTO account_cases SELECT accounts[1], party_id, id FROM cases WHERE accounts <> '{}'`)
	w.asOwner(`INSERT INTO duplicate_pairs (first_id, second_id, carrier)
		SELECT a.id, z.id, z.id FROM cases a JOIN cases z ON z.id > a.id
		WHERE a.reference = 'X-1000' AND z.reference IN (SELECT 'X-' || n FROM generate_series(2001, 2200) n)`)
	w.asOwner("VACUUM ANALYZE")
	var ids [2]domain.ID
	for i, reference := range []string{"X-999", "X-1000"} {
		w.must(w.owner.QueryRow(w.ctx, `SELECT id FROM cases WHERE reference = $1`, reference).Scan(&ids[i]))
	}
	query := func(id domain.ID, accounts ...string) store.RelatedQuery {
		var party domain.ID
		w.must(w.owner.QueryRow(w.ctx, `SELECT party_id FROM cases WHERE id = $1`, id).Scan(&party))
		return store.RelatedQuery{CaseID: id, PartyID: party, Parties: []domain.ID{party}, Numbers: []string{"N-7"},
			Totals: []int64{777}, Accounts: accounts, SHA256: id[:]}
	}
	for name, of := range map[string]store.RelatedQuery{"no account": query(ids[0]),
		"own account": query(ids[0], "DE999"), "shared account": query(ids[0], "SHARED"),
		"submitted again": query(ids[1])} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := w.read().RelatedCases(w.ctx, of)
				w.must(err)
			}
		})
	}
}
