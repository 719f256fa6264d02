package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A person who can write to the database without the program cannot change what a decision rested on:
// the verification names the row.
func TestAlteredAssertionsAndEvidenceAreNamed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sen, max, mia := env.person("sen", domain.RoleSenior), env.person("max", domain.RoleManager),
		env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("1200000.00", "R-1")
	id := env.submitToProcess("cross_border_remittance")
	must(t, env.claimAndDecide(sen, id, "review_l1", domain.Approve))
	must(t, errOf(env.svc.CorrectFields(env.ctx, max, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.claim(max, id).ID}, Confirm: true,
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1300000.00"}}})))
	env.drainQueue()
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve))
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	first, last := decisions[0].Evidence, decisions[len(decisions)-1].Evidence
	if len(first.Assertions) == 0 || len(last.Assertions) <= len(first.Assertions) ||
		last.RiskBasis == nil || last.RiskBasis.Amount != "1300000.00 EUR" {
		t.Errorf("the evidence is %+v, then %+v", first, last)
	}
	env.ownerExec(`CREATE TABLE kept_assertions AS SELECT * FROM assertions`)
	env.ownerExec(`CREATE TABLE kept_decisions AS SELECT * FROM decisions`)
	for name, tc := range map[string]struct{ sql, says string }{
		"nothing": {`SELECT`, ""},
		"a value": {`UPDATE assertions SET body = replace(body, '1200000.00', '1.00')
			WHERE source = 'xml'`, "xml assertions of revision 2 were changed"},
		"a source": {`UPDATE assertions SET source = 'ocr' WHERE source = 'human'`,
			"ocr assertions of revision 3 were changed"},
		"a person": {`UPDATE assertions SET asserted_by = gen_random_uuid()
			WHERE source = 'human'`, "human assertions of revision 3 were changed"},
		"a deleted row": {`DELETE FROM assertions WHERE source = 'human'`, "are missing"},
		"an added row": {`INSERT INTO assertions (case_id, revision, source, asserted_by,
			document_revision, at, body, salt, hash) SELECT case_id, 9, source, asserted_by,
			document_revision, at, '[]', salt, sha256(salt || '[]'::bytea) FROM assertions
			WHERE source = 'xml'`, "xml assertions of revision 9 were added"},
		"a repeated row": {`INSERT INTO assertions (case_id, revision, source, asserted_by,
			document_revision, at, body, salt, hash) SELECT case_id, 9, source, asserted_by,
			document_revision, at, body, salt, hash FROM assertions WHERE source = 'xml'`,
			"xml assertions of revision 9 were added"},
		"evidence": {`UPDATE decisions SET evidence = jsonb_set(evidence, '{riskBasis,amount}',
			'"1.00 EUR"')`, "evidence of the decision"},
		"a decision": {`INSERT INTO decisions SELECT (json_populate_record(d, json_build_object(
			'id', gen_random_uuid(), 'review_id', gen_random_uuid()))).* FROM decisions d LIMIT 1`,
			"is not mentioned by any event"},
	} {
		env.ownerExec(tc.sql)
		result, err := env.newViews().Verify(env.ctx, id)
		must(t, err)
		var said []string
		for _, problem := range result.Problems {
			said = append(said, problem.Message)
		}
		text := strings.Join(said, "; ")
		if (tc.says == "") != (text == "") || !strings.Contains(text, tc.says) {
			t.Errorf("%s: the verification says %q", name, text)
		}
		env.ownerExec(`DELETE FROM assertions`, `INSERT INTO assertions SELECT * FROM kept_assertions`,
			`DELETE FROM decisions`, `INSERT INTO decisions SELECT * FROM kept_decisions`)
	}
}

// ownerExec runs statements as the schema's owner without triggers.
func (env *testEnv) ownerExec(statements ...string) {
	env.t.Helper()
	tx, err := env.owner.Begin(env.ctx)
	must(env.t, err)
	defer func() { _ = tx.Rollback(env.ctx) }()
	for _, sql := range append([]string{`ALTER TABLE decisions DISABLE TRIGGER USER`,
		`ALTER TABLE assertions DISABLE TRIGGER USER`}, statements...) {
		if _, err := tx.Exec(env.ctx, sql); err != nil {
			env.t.Fatalf("%s: %v", sql, err)
		}
	}
	must(env.t, tx.Commit(env.ctx))
}
