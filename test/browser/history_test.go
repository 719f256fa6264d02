package browser

import (
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

// makeHistory fills three months with made-up cases, of which the junior and the senior reviewed most.
func (e *testEnv) makeHistory(rw http.ResponseWriter, r *http.Request) {
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
	e.must(madehistory.Fill(r.Context(), conn.Conn(), madehistory.Options{Cases: historyCases, Days: historyDays,
		Now: time.Now().UTC(), Reviewers: reviewers, Submitter: idOf("submitter@test.test")}))
	answer(rw, map[string]bool{"done": true})
}
