package casework_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
)

// What a reviewer had before their eyes stays with their decision as it was, whatever becomes of the case: the values are
// corrected, the level is asked again, and the first approval still tells of the first amount, by the hash in its event. The
// application cannot write it anew.
func TestEvidenceIsFrozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sen, max, mia := w.person("sen", domain.RoleSenior), w.person("max", domain.RoleManager), w.person("mia", domain.RoleManager)
	w.desk.xml = invoiceXML("1200000.00", "R-1")
	id := w.submitted("cross_border_remittance")
	must(t, w.settle(sen, id, "review_l1", domain.Approve))
	must(t, first(w.hall.CorrectFields(w.ctx, max, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: w.claim(max, id).ID},
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1300000.00"}}, Confirm: true})))
	w.work()
	must(t, w.settle(sen, id, "review_l1", domain.Approve))
	must(t, w.settle(mia, id, "review_l2", domain.Approve))
	w.work()
	w.at(id, domain.Archived)

	decisions, err := w.db.Reader().Decisions(w.ctx, id)
	must(t, err)
	hashes := w.texts(`SELECT (body::jsonb)->'evidence'->>'evidenceSha256' FROM events WHERE case_id = $1 AND type = $2 ORDER BY seq`, id, domain.ReviewWasDecided)
	if len(decisions) != 3 || len(hashes) != 3 {
		t.Fatalf("%d decisions, %d events; %v", len(decisions), len(hashes), w.types(id))
	}
	for i, amount := range []string{"1200000.00", "1300000.00", "1300000.00"} {
		evidence := decisions[i].Evidence
		hash, err := audit.EvidenceHash(evidence)
		must(t, err)
		if evidence.Fields[domain.FieldTotal] != amount || evidence.Amount != amount+" EUR" || evidence.DocumentSHA256 == "" || hash != hashes[i] {
			t.Errorf("decision %d: hash %s, in the event %s, evidence %+v", i+1, hash, hashes[i], evidence)
		}
	}
	if decisions[0].Evidence.FactsRevision >= decisions[1].Evidence.FactsRevision {
		t.Errorf("facts %d, then %d", decisions[0].Evidence.FactsRevision, decisions[1].Evidence.FactsRevision)
	}
	w.verify(id)

	app, err := pgx.Connect(w.ctx, w.appURL)
	must(t, err)
	defer app.Close(w.ctx)
	for _, statement := range []string{`UPDATE decisions SET evidence = '{}' WHERE case_id = $1`, `DELETE FROM decisions WHERE case_id = $1`} {
		if _, err := app.Exec(w.ctx, statement, id); err == nil {
			t.Errorf("the application may: %s", statement)
		}
	}
}

// texts reads one column of texts as the owner.
func (w *world) texts(sql string, args ...any) []string {
	w.t.Helper()
	rows, err := w.owner.Query(w.ctx, sql, args...)
	must(w.t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(w.t, err)
	return texts
}
