package web_test

import (
	"net/http"
	"testing"

	"countersign/domain"
	"countersign/feed"
	"countersign/internal/pgtest"
)

// accesses requests lines of the access log with a token.
func (w *testEnv) accesses(secret, query string) (reply, []feed.Access) {
	w.t.Helper()
	return linesOf[feed.Access](w, "/access"+query, secret)
}

// logAccesses writes one line about the case and one about none.
func (w *testEnv) logAccesses(actor, caseID domain.ID) {
	w.t.Helper()
	for _, id := range []domain.ID{caseID, domain.NoID} {
		_, err := w.owner.Exec(w.ctx, `INSERT INTO access_log (actor, action, case_id, object)
			VALUES ($1, 'probe', $2, 'o')`, actor, id)
		must(w.t, err)
	}
	pgtest.Settle(w.t, w.owner)
}

// probes returns which of the lines of logAccesses are in the list, and their cursors.
func probes(list []feed.Access) (cases, others []feed.Access) {
	for _, line := range list {
		switch {
		case line.Action == "probe" && line.CaseID != "":
			cases = append(cases, line)
		case line.Action == "probe":
			others = append(others, line)
		}
	}
	return cases, others
}

// An auditor gets every line once after each cursor. A manager gets those of cases, because others
// tell of samples.
func TestAccessesAreReadAfterACursor(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	auditor, manager := w.person("aud", domain.RoleAuditor), w.person("max", domain.RoleManager)
	id := w.submit(ada, "a.pdf", pdf)
	_, secret := w.token(auditor, "read_audit")
	_, ofManager := w.token(manager, "read_audit")
	w.logAccesses(ada.UserID, id)
	got, all := w.accesses(secret, "")
	cases, others := probes(all)
	if got.status != http.StatusOK || len(cases) != 1 || len(others) != 1 ||
		cases[0].CaseID != id.String() || cases[0].Actor != ada.UserID.String() ||
		got.header.Get("X-Countersign-Complete") != "true" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	after := ""
	for _, want := range all {
		_, one := w.accesses(secret, "?limit=1&after="+after)
		if len(one) != 1 || one[0].ID != want.ID || want.ID == "" {
			t.Fatalf("%+v, then %+v", want, one)
		}
		after = one[0].Cursor
	}
	if _, rest := w.accesses(secret, "?after="+got.header.Get("X-Countersign-Cursor")); len(rest) != 0 {
		t.Errorf("%d lines after the end", len(rest))
	}
	_, list := w.accesses(ofManager, "?limit=1000")
	if cases, others = probes(list); len(cases) != 1 || len(others) != 0 {
		t.Errorf("a manager gets %d lines of cases and %d others", len(cases), len(others))
	}
}

// The scope and the right are both needed, and cursors of events are not cursors of accesses.
func TestRefusedRequestsForAccesses(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	ada, auditor := w.person("ada", domain.RoleSubmitter), w.person("aud", domain.RoleAuditor)
	w.submit(ada, "a.pdf", pdf)
	_, scoped := w.token(ada, "read_audit", "events")
	_, unscoped := w.token(auditor, "events", "read")
	_, secret := w.token(auditor, "read_audit", "events")
	pgtest.Settle(t, w.owner)
	for _, token := range []string{scoped, unscoped} {
		got, _ := w.accesses(token, "")
		wantReply(t, got, http.StatusForbidden, domain.NotPermitted)
	}
	_, list := w.events(secret, "?limit=1")
	for _, query := range []string{"?after=x", "?limit=0", "?limit=1001", "?wait=1",
		"?after=" + list[0].Cursor} {
		got, _ := w.accesses(secret, query)
		wantReply(t, got, http.StatusBadRequest, domain.InvalidInput)
	}
}
