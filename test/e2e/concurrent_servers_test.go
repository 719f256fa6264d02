package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/test/testcluster"
)

// concurrentServers is a cluster with two servers at which people compete for the same reviews. Its
// rows show who was first.
type concurrentServers struct {
	t           *testing.T
	cluster     *testcluster.Cluster
	a, b        string // addresses of the servers
	rows        *pgxpool.Pool
	waiting     []domain.ID       // reviews without a decision
	persons     map[string]string // ids by role's name
	documents   int
	startOffset int // by how many small requests the change is given a start before the decision; negative, the other way round
}

func newConcurrentServers(t *testing.T, settings ...string) *concurrentServers {
	t.Helper()
	// All users of a test sign in from one address, as fast as the machine allows.
	h := testcluster.New(t, append(settings, "COUNTERSIGN_SIGN_INS_PER_MINUTE=1000")...)
	w := &concurrentServers{t: t, cluster: h, a: h.URL, b: h.StartServer(),
		rows: h.Database.Owner(t), persons: map[string]string{}}
	h.AddUser(testcluster.Person{Email: "watcher@test.test", Name: "watcher", Roles: "manager",
		Queues: "L1,L2"})
	h.AddUser(testcluster.Person{Email: "admin2@test.test", Name: "admin2",
		Roles: "administrator"})
	h.Worker()
	return w
}

// addReviews submits so many documents and waits until each waits for a decision. A case that is
// returned to review, because its approver lost a right before it was archived, is not one of them.
func (w *concurrentServers) addReviews(n int) {
	w.t.Helper()
	args := []string{"submit"}
	for range n {
		w.documents++
		args = append(args, w.cluster.XML(w.documents, 20_000))
	}
	w.cluster.CLI("submitter").WithTB(w.t).Expect(0, nil, args...)
	testcluster.Eventually(w.t, 2*time.Minute, "all are in review", func() bool {
		return w.number(`SELECT count(*) FROM reviews WHERE visit = 1`) == w.documents
	})
	rows, err := w.rows.Query(w.t.Context(),
		`SELECT id FROM reviews WHERE status = 'open' AND visit = 1 ORDER BY id`)
	if err == nil {
		w.waiting, err = pgx.CollectRows(rows, pgx.RowTo[domain.ID])
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// review is the next one without a decision.
func (w *concurrentServers) review() domain.ID {
	w.t.Helper()
	if len(w.waiting) == 0 {
		w.t.Fatal("no review is left")
	}
	return w.waiting[0]
}

// markDecided takes the review off: it is decided.
func (w *concurrentServers) markDecided() { w.waiting = w.waiting[1:] }

// number reads one number off the rows.
func (w *concurrentServers) number(sql string, args ...any) int {
	w.t.Helper()
	var n int
	if err := w.rows.QueryRow(w.t.Context(), sql, args...).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// answer is what one mutation came to: the code of its refusal, "" when it was done.
type answer struct {
	code, message string
	made          string // id of what was made
}

// try sends one mutation to a server as the person of the role. It may be called beside the test.
func (w *concurrentServers) try(server, role, mutation string, input map[string]any) answer {
	made := map[string]string{"declareConflict": "conflictId",
		"endConflict": "proposal { id }", "putPerson": "proposal { id }",
		"setLimit": "proposal { id }"}[mutation]
	query := fmt.Sprintf(
		"mutation($in: %sInput!) { done: %s(input: $in) { %s userErrors { ... on Refusal { code message } } } }",
		strings.ToUpper(mutation[:1])+mutation[1:], mutation, made)
	var got struct {
		Data struct {
			Done struct {
				ConflictID string
				Proposal   struct{ ID string }
				UserErrors []struct{ Code, Message string }
			}
		}
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := w.send(server, role, query, map[string]any{"in": input}, &got); err != nil {
		return answer{code: "failed", message: err.Error()}
	}
	switch {
	case len(got.Errors) > 0:
		return answer{code: cmp.Or(got.Errors[0].Extensions.Code, "failed"),
			message: got.Errors[0].Message}
	case len(got.Data.Done.UserErrors) > 0:
		return answer{code: got.Data.Done.UserErrors[0].Code,
			message: got.Data.Done.UserErrors[0].Message}
	}
	return answer{made: cmp.Or(got.Data.Done.ConflictID, got.Data.Done.Proposal.ID)}
}

// must is try for what has to be done; a busy moment is waited for as the page does it.
func (w *concurrentServers) must(server, role, mutation string, input map[string]any) answer {
	w.t.Helper()
	for range 5 {
		got := w.try(server, role, mutation, input)
		if got.code == "" {
			return got
		}
		if got.code != string(domain.Busy) {
			w.t.Fatalf("%s by %s: %+v", mutation, role, got)
		}
	}
	w.t.Fatalf("%s by %s: busy for long", mutation, role)
	return answer{}
}

func (w *concurrentServers) send(server, role, query string, variables map[string]any,
	into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, server+"/graphql",
		bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	_, token := w.cluster.Credentials(role + "@test.test")
	request.Header = http.Header{"Content-Type": {"application/json"},
		"Authorization": {"Bearer " + token}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: %w", response.Status, err)
	}
	return nil
}

// person is the id of the role's person.
func (w *concurrentServers) person(role string) string {
	w.t.Helper()
	if w.persons[role] == "" {
		var got struct {
			Data struct {
				Viewer struct{ Person struct{ ID string } }
			}
		}
		if err := w.send(w.a, role, `{ viewer { person { id } } }`, nil, &got); err != nil ||
			got.Data.Viewer.Person.ID == "" {
			w.t.Fatalf("who %s is: %+v (%v)", role, got, err)
		}
		w.persons[role] = got.Data.Viewer.Person.ID
	}
	return w.persons[role]
}

func onReview(id domain.ID, more ...string) map[string]any {
	input := map[string]any{"reviewId": scalar.GlobalID(scalar.KindReview, id)}
	for i := 0; i+1 < len(more); i += 2 {
		input[more[i]] = more[i+1]
	}
	return input
}

// permissionChange is one thing that an administrator takes from a person, and gives back.
type permissionChange struct {
	name            string
	revoke, restore func() answer
	stream          domain.SystemStream // that records it
	kind            domain.EventType
}

// permissionChanges are what can be taken from the person of the role while they work: limit, role,
// freedom of conflicts, account.
func (w *concurrentServers) permissionChanges(role, name string,
	queues ...string) []permissionChange {
	w.t.Helper()
	person, conflict, proposal := w.person(role), "", ""
	admin := func(mutation string, input map[string]any) answer {
		return w.try(w.a, "admin", mutation, input)
	}
	// byTwo also lets the second administrator confirm what waits. A busy moment repeats both.
	byTwo := func(mutation string, input map[string]any) answer {
		got := admin(mutation, input)
		if got.code != "" || got.made == "" {
			return got
		}
		return w.try(w.a, "admin2", "confirmControlChange", map[string]any{"proposalId": got.made})
	}
	put := func(disabled bool, roles, queues []string) answer {
		return byTwo("putPerson", map[string]any{"personId": person, "email": role + "@test.test",
			"name": role, "roles": roles, "queues": queues, "disabled": disabled})
	}
	limit := func(amount string) answer {
		return byTwo("setLimit", map[string]any{"role": name,
			"amount": map[string]any{"amount": amount, "currency": "USD"}})
	}
	back := func() answer { return put(false, []string{name}, queues) }
	return []permissionChange{
		{"limit", func() answer { return limit("1.00") },
			func() answer { return limit("500000.00") }, domain.PolicyStream, domain.LimitChanged},
		{"role", func() answer { return put(false, []string{}, []string{}) }, back,
			domain.PeopleStream, domain.UserChanged},
		{"conflict", func() answer {
			got := admin("declareConflict", map[string]any{"personId": person,
				"counterparty": testcluster.XMLSeller, "reason": "a trial"})
			conflict, proposal = got.made, ""
			return got
		}, func() answer {
			if proposal == "" { // otherwise a busy moment refused its confirmation
				got := admin("endConflict", map[string]any{"conflictId": conflict,
					"reason": "over"})
				if proposal = got.made; got.code != "" {
					return got
				}
			}
			return w.try(w.a, "admin2", "confirmControlChange",
				map[string]any{"proposalId": proposal})
		}, domain.PeopleStream, domain.ConflictDeclared},
		{"account", func() answer { return put(true, []string{name}, queues) }, back,
			domain.PeopleStream, domain.UserChanged},
	}
}

// retryBusy repeats what was refused for a busy moment, and demands that it is done.
func (w *concurrentServers) retryBusy(change func() answer) {
	w.t.Helper()
	for range 5 {
		got := change()
		if got.code == "" {
			return
		}
		if got.code != string(domain.Busy) {
			w.t.Fatalf("the change: %+v", got)
		}
	}
	w.t.Fatal("the change was refused for long: busy")
}
