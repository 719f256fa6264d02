package casework_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
)

// The evidence of a decision is immutable. After the values were corrected and the level decided
// again, the first approval still has the first amount, and its hash matches the event. The
// application's database role cannot overwrite it.
func TestEvidenceIsFrozen(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sen, max, mia := env.person("sen", domain.RoleSenior), env.person("max", domain.RoleManager),
		env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("1200000.00", "R-1")
	id := env.submitToProcess("cross_border_remittance")
	must(t, env.claimAndDecide(sen, id, "review_l1", domain.Approve))
	must(t, errOf(
		env.svc.CorrectFields(env.ctx, max,
			casework.CorrectFields{ReviewTarget: casework.ReviewTarget{
				ReviewID: env.claim(max, id).ID},
				Fields:  []casework.FieldInput{{Name: domain.FieldTotal, Value: "1300000.00"}},
				Confirm: true})))
	env.drainQueue()
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve))
	must(t, env.claimAndDecide(sen, id, "review_l1", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)

	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	hashes := env.queryTexts(
		`SELECT (body::jsonb)->'evidence'->>'evidenceSha256' FROM events WHERE case_id = $1 AND type = $2 ORDER BY seq`, id, domain.ReviewDecidedEvent)
	if len(decisions) != 3 || len(hashes) != 3 {
		t.Fatalf("%d decisions, %d events; %v", len(decisions), len(hashes), env.eventTypes(id))
	}
	for i, amount := range []string{"1200000.00", "1300000.00", "1300000.00"} {
		evidence := decisions[i].Evidence
		hash, err := audit.EvidenceHash(evidence)
		must(t, err)
		if evidence.Fields[domain.FieldTotal] != amount || evidence.Amount != amount+" EUR" ||
			evidence.DocumentSHA256 == "" || hash != hashes[i] {
			t.Errorf("decision %d: hash %s, in the event %s, evidence %+v", i+1, hash, hashes[i],
				evidence)
		}
	}
	if decisions[0].Evidence.FactsRevision >= decisions[1].Evidence.FactsRevision {
		t.Errorf("facts %d, then %d", decisions[0].Evidence.FactsRevision,
			decisions[1].Evidence.FactsRevision)
	}
	env.verifyCaseLog(id)

	app, err := pgx.Connect(env.ctx, env.appURL)
	must(t, err)
	defer app.Close(env.ctx)
	for _, statement := range []string{`UPDATE decisions SET evidence = '{}' WHERE case_id = $1`,
		`DELETE FROM decisions WHERE case_id = $1`} {
		if _, err := app.Exec(env.ctx, statement, id); err == nil {
			t.Errorf("the application may: %s", statement)
		}
	}
}

// queryTexts runs a query of one text column as the schema's owner.
func (env *testEnv) queryTexts(sql string, args ...any) []string {
	env.t.Helper()
	rows, err := env.owner.Query(env.ctx, sql, args...)
	must(env.t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(env.t, err)
	return texts
}
