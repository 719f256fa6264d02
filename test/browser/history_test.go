package browser

import (
	"encoding/json"
	"net/http"
	"time"

	"countersign/domain"
	"countersign/test/madehistory"
)

// historyCases are enough for a reviewer of each queue to be busy for three months.
const (
	historyCases = 3000
	historyDays  = 91
)

// makeHistory fills three months with made-up cases, of which the junior and the senior reviewed most:
// {"cases":10000,"open":true}; with open, no review of theirs has been decided yet.
func (e *testEnv) makeHistory(rw http.ResponseWriter, r *http.Request) {
	input := struct {
		Cases int
		Open  bool
	}{Cases: historyCases}
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	owner := e.cluster.Database.Admin(e.t)
	idOf := func(email string) (id domain.ID) {
		e.must(owner.QueryRow(r.Context(), `SELECT id FROM users WHERE email = $1`, email).Scan(&id))
		return id
	}
	reviewers := map[string][]domain.ID{
		domain.QueueL1: {idOf("junior@test.test"), idOf("junior2@test.test"), idOf("senior@test.test")},
		domain.QueueL2: {idOf("manager2@test.test")}}
	conn, err := owner.Acquire(r.Context())
	e.must(err)
	defer conn.Release()
	e.must(madehistory.Fill(r.Context(), conn.Conn(), madehistory.Options{Cases: input.Cases, Days: historyDays,
		Now: time.Now().UTC(), Reviewers: reviewers, Submitter: idOf("submitter@test.test")}))
	if input.Open {
		_, err = conn.Exec(r.Context(), `SET session_replication_role = replica;
			UPDATE reviews SET status = 'open', assignee = '00000000-0000-0000-0000-000000000000', claimed_at = NULL, decided_at = NULL,
				claim_by = now() + interval '1 day', decide_by = now() + interval '2 days' WHERE case_id IN
				(SELECT id FROM cases WHERE reference LIKE 'MH-%');
			UPDATE cases SET status = 'in_review' WHERE id IN (SELECT case_id FROM reviews WHERE status = 'open');
			RESET session_replication_role; ANALYZE`)
		e.must(err)
	}
	answer(rw, map[string]bool{"done": true})
}
