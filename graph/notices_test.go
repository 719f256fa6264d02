package graph

import (
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

const noticesQuery = `query($first: Int!, $after: Cursor) { notices(first: $first, after: $after) {
	nodes { id kind readAt caseId reference reviewId person due } pageInfo { hasNextPage endCursor } } }`

// deriveNotices makes notices until the person has so many. Transactions of other tests may hold the
// feed back meanwhile.
func (w *testEnv) deriveNotices(by string, n int) result {
	w.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		_, err := w.service.DeriveNotices(w.t.Context())
		must(w.t, err)
		got := w.mustExecute(by, noticesQuery, "first", 50)
		if len(got.at("notices", "nodes").([]any)) >= n {
			return got
		}
		select {
		case <-ticker.C:
		case <-limit.C:
			w.t.Fatalf("%s has %+v", by, got.Data)
		}
	}
}

// A person reads their own notices in pages and marks them as read. They choose what is sent by e-mail,
// which is said to be unavailable without a mail server.
func TestNotices(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "damaged")
	w.submit("sam", "damaged")
	w.runPending()
	all := w.deriveNotices("sam", 2)
	if all.text("notices", "nodes", 1, "caseId") != id || all.text("notices", "nodes", 0, "kind") != "INCIDENT" ||
		all.at("notices", "nodes", 0, "readAt") != nil {
		t.Fatalf("%+v", all.Data)
	}
	first := w.mustExecute("sam", noticesQuery, "first", 1)
	if first.at("notices", "pageInfo", "hasNextPage") != true {
		t.Errorf("%+v", first.Data)
	}
	second := w.mustExecute("sam", noticesQuery, "first", 1, "after",
		first.text("notices", "pageInfo", "endCursor"))
	if second.text("notices", "nodes", 0, "id") != all.text("notices", "nodes", 1, "id") ||
		second.at("notices", "pageInfo", "hasNextPage") != false {
		t.Errorf("%+v", second.Data)
	}
	if got := w.execute("sam", noticesQuery, "first", 1, "after", "bjE"); len(got.Errors) == 0 {
		t.Errorf("a wrong cursor: %+v", got.Data)
	}
	const mark = `mutation($input: MarkNoticesReadInput!) { markNoticesRead(input: $input) { count
		userErrors { ... on Refusal { code } } } }`
	ids := map[string]any{"ids": []string{all.text("notices", "nodes", 0, "id")}}
	for by, want := range map[string]float64{"ma": 0, "sam": 1} {
		if got := w.mustExecute(by, mark, "input", ids); got.at("markNoticesRead", "count") != want {
			t.Errorf("%s marked %+v", by, got.Data)
		}
	}
	both := map[string]any{"ids": []string{}, "until": "2026-01-01T00:00:00Z"}
	if got := w.mustExecute("sam", mark, "input", both); got.text("markNoticesRead", "userErrors", 0,
		"code") != "InvalidInput" {
		t.Errorf("ids and a time: %+v", got.Data)
	}
	chosen := w.mustExecute("sam", `mutation($input: SetNoticeMailInput!) { setNoticeMail(input: $input) {
		settings { mailAvailable address kinds { kind mail } } userErrors { ... on Refusal { code } } } }`,
		"input", map[string]any{"kind": "RETURNED", "mail": "DIGEST"})
	if chosen.at("setNoticeMail", "settings", "mailAvailable") != true ||
		chosen.text("setNoticeMail", "settings", "kinds", 0, "mail") != "DIGEST" ||
		chosen.text("setNoticeMail", "settings", "kinds", 2, "mail") != "IMMEDIATELY" {
		t.Errorf("%+v", chosen.Data)
	}
}

// The manager without clearance is not shown an overdue AML review, also if a notice about it exists.
func TestNoticesOfAMLAreConfidential(t *testing.T) {
	t.Parallel()
	w := newAMLWorld(t, true)
	review := caseIDOf(t, w.caseID)
	reviews, err := w.db.Reader().ReviewsOf(t.Context(), review)
	must(t, err)
	for _, name := range append([]string{"amy", "aud"}, uncleared...) {
		must(t, w.db.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.AddNotices(t.Context(), []domain.Notice{{ID: domain.NewID(), At: time.Now(),
				Recipient: w.actor(name).UserID, Kind: domain.NoticeOverdue, Stream: review, Seq: 1,
				CaseID: review, ReviewID: reviews[0].ID}})
		}))
		got := w.mustExecute(name, noticesQuery, "first", 50)
		shown := len(got.at("notices", "nodes").([]any))
		if cleared := name == "amy" || name == "aud"; (shown == 1) != cleared {
			t.Errorf("%s is shown %d notices", name, shown)
		}
	}
}

// Another administrator reads which change of control data waits; a person who lost the right to see such
// changes does not read the notice any more.
func TestNoticesOfControlChangesAreForAdministrators(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	abe := w.person("abe", domain.RoleAdmin)
	w.mustExecute("ada", `mutation { setLimit(input: {role: "reviewer_l1", unlimited: true}) { proposal { id } } }`)
	w.deriveNotices("abe", 1)
	const query = `{ notices(first: 5) { nodes { kind person controlKind proposalKind proposalKey proposalVersion } } }`
	notice := func(field string) any { return w.mustExecute("abe", query).at("notices", "nodes", 0, field) }
	if notice("controlKind") != "LIMIT" || notice("person") != "ada" || notice("proposalKind") != nil ||
		notice("proposalVersion") != nil || !strings.HasPrefix(notice("proposalKey").(string), "reviewer_l1") {
		t.Errorf("the notice: %+v", w.mustExecute("abe", query).Data)
	}
	user, err := w.db.Reader().User(t.Context(), abe.UserID)
	must(t, err)
	user.Roles = []domain.Role{domain.RoleL1}
	_, err = w.service.PutUser(t.Context(), domain.SystemActor(), casework.PutUser{UpdateOnly: true, User: user})
	must(t, err)
	if left := w.mustExecute("abe", query).at("notices", "nodes").([]any); len(left) != 0 {
		t.Errorf("a reviewer reads %+v", left)
	}
}
