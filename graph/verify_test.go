package graph

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/internal/pgtest"
)

const verifyQuery = `query($id: ID) { verifyAudit(caseId: $id) { ok streams cases events problems
	{ reference seq problem } } }`

// Verification detects writes that bypass the application: in an event, past the end of a stream,
// and events without a stream.
func TestVerifyNamesWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	names := pgtest.New(t)
	w := newTestEnvOn(t, names.AppURL)
	w.person("sam", domain.RoleSubmitter)
	w.person("aud", domain.RoleAuditor)
	var ids, references []string
	var rows []domain.ID
	for i := range 4 {
		id := w.submit("sam", fmt.Sprintf("10%d.00", i))
		row, err := scalar.IDOf(scalar.KindCase, "id", id)
		must(t, err)
		ids, rows = append(ids, id), append(rows, row)
		references = append(references, w.mustExecute("sam",
			`query($id: ID!) { case(id: $id) { reference } }`, "id", id).text("case", "reference"))
	}
	w.runPending()
	whole := w.mustExecute("aud", verifyQuery)
	if whole.at("verifyAudit", "ok") != true || whole.at("verifyAudit", "cases") != float64(4) ||
		len(whole.at("verifyAudit", "problems").([]any)) != 0 {
		t.Fatalf("before: %+v", whole.Data)
	}
	admin := names.Admin(t)
	tamper := func(sql string, args ...any) {
		t.Helper()
		if done, err := admin.Exec(t.Context(), sql, args...); err != nil ||
			done.RowsAffected() == 0 {
			t.Fatalf("%s: %v %v", sql, done, err)
		}
	}
	tamper(`UPDATE events SET body = body || ' ' WHERE case_id = $1 AND seq = 2`, rows[0])
	tamper(`INSERT INTO events (case_id, seq, type, schema_version, actor, on_behalf_of, correlation_id, at, status_before, status_after,
			marking_before, marking_after, prev_hash, body_hash, hash, salt, body, txid)
		SELECT case_id, 1000, type, schema_version, actor, on_behalf_of, correlation_id, at, status_before, status_after,
			marking_before, marking_after, prev_hash, body_hash, hash, salt, body, txid FROM events WHERE case_id = $1 AND seq = 1`, rows[1])
	for _, table := range []string{"votes", "reviews", "case_interests"} {
		_, err := admin.Exec(t.Context(), `DELETE FROM `+table+` WHERE case_id = $1`, rows[2])
		must(t, err)
	}
	tamper(`DELETE FROM cases WHERE id = $1`, rows[2])

	found := w.mustExecute("aud", verifyQuery)
	if found.at("verifyAudit", "ok") != false || found.at("verifyAudit", "cases") != float64(1) {
		t.Errorf("after: %+v", found.Data)
	}
	problems := map[string]string{}
	for i := range found.at("verifyAudit", "problems").([]any) {
		problems[found.text("verifyAudit", "problems", i, "reference")] = fmt.Sprint(
			found.at("verifyAudit", "problems", i, "seq"), ": ",
			found.text("verifyAudit", "problems", i, "problem"))
	}
	for reference, want := range map[string]string{references[0]: "2: the body of event 2",
		references[1]:    "1000: event 1000 (case.submitted) is past the end",
		rows[2].String(): "1: the stream's record is missing"} {
		if !strings.HasPrefix(problems[reference], want) {
			t.Errorf("%s: %q, want %q", reference, problems[reference], want)
		}
	}
	if len(problems) != 3 {
		t.Errorf("problems %v", problems)
	}
	for i, want := range map[int][2]any{0: {false, float64(0)}, 1: {false, float64(0)},
		3: {true, float64(1)}} {
		one := w.mustExecute("aud", verifyQuery, "id", ids[i])
		if one.at("verifyAudit", "ok") != want[0] || one.at("verifyAudit", "cases") != want[1] {
			t.Errorf("case %d by itself: %+v", i, one.Data)
		}
	}
}
