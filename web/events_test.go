package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/feed"
	"countersign/internal/pgtest"
	"countersign/views"
	"countersign/web"
)

// newFeedEnv starts a server with the feed.
func newFeedEnv(t *testing.T) *testEnv {
	t.Helper()
	var w *testEnv
	source := &lateFeed{}
	w = newTestEnv(t, func(o *web.Options) { o.Feed = source })
	source.Views = views.New(w.db.Reader(), w.service.Authorizer)
	return w
}

// lateFeed is set after the server was made.
type lateFeed struct{ *views.Views }

// events requests events with a token.
func (w *testEnv) events(secret, query string) (reply, []feed.CloudEvent) {
	w.t.Helper()
	return linesOf[feed.CloudEvent](w, "/events"+query, secret)
}

// linesOf requests JSON lines with a token.
func linesOf[L any](w *testEnv, path, secret string) (reply, []L) {
	w.t.Helper()
	got := w.get(nil, path, "Authorization", "Bearer "+secret)
	if got.status != http.StatusOK {
		return got, nil
	}
	var list []L
	for text := range strings.Lines(got.body) {
		var line L
		must(w.t, json.Unmarshal([]byte(text), &line))
		list = append(list, line)
	}
	return got, list
}

// A receiver that continues after each cursor, of an event or of a response, gets every event once.
func TestEventsAreReadAfterACursor(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	auditor := w.person("aud", domain.RoleAuditor)
	for n := range 3 {
		w.submit(ada, fmt.Sprintf("a%d.pdf", n), fmt.Sprintf("%s %d", pdf, n))
	}
	_, secret := w.token(auditor, "events")
	pgtest.Settle(t, w.owner)
	got, all := w.events(secret, "?data=snapshot")
	if got.status != http.StatusOK || len(all) < 3 || got.header.Get("X-Countersign-Complete") !=
		"true" || got.header.Get("Content-Type") != feed.BatchContentType {
		t.Fatalf("%d %v %s", got.status, got.header, got.body)
	}
	after, read := "", []string{}
	for range len(all) {
		_, one := w.events(secret, "?limit=1&after="+after)
		if len(one) != 1 {
			t.Fatalf("%d events after %s", len(one), after)
		}
		after, read = one[0].Cursor, append(read, one[0].ID)
	}
	for i, event := range all {
		if event.ID != read[i] || event.SpecVersion != "1.0" || event.Subject == "" {
			t.Errorf("event %d is %+v, then %s", i, event, read[i])
		}
	}
	if _, rest := w.events(secret, "?after="+got.header.Get("X-Countersign-Cursor")); len(rest) != 0 {
		t.Errorf("%d events after the end", len(rest))
	}
	if _, some := w.events(secret, "?types=case.submitted"); len(some) != 3 {
		t.Errorf("%d submissions", len(some))
	}
	if _, some := w.events(secret, "?process=none"); len(some) != 0 {
		t.Errorf("%d events of no process", len(some))
	}
	// Without the scope read_audit there are no streams but those of cases.
	_, wide := w.token(auditor, "events", "read_audit")
	pgtest.Settle(t, w.owner)
	if _, more := w.events(wide, "?limit=1000"); len(more) <= len(all) {
		t.Errorf("%d events with the audit trail, %d without", len(more), len(all))
	}
}

// A submitter gets the public events of the own case, and nothing of another's.
func TestEventsOfASubmitter(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	ada, eve := w.person("ada", domain.RoleSubmitter), w.person("eve", domain.RoleSubmitter)
	id := w.submit(ada, "a.pdf", pdf)
	_, hers := w.token(ada, "events")
	_, others := w.token(eve, "events", "read_audit", "read")
	pgtest.Settle(t, w.owner)
	if _, list := w.events(hers, ""); len(list) == 0 || list[0].Subject != id.String() {
		t.Errorf("her events: %+v", list)
	} else if list[0].CorrelationID != "" || list[0].OnBehalfOf != "" {
		t.Errorf("her event has what is for staff: %+v", list[0])
	}
	for _, query := range []string{"", "?case=" + id.String(), "?types=case.submitted"} {
		if got, list := w.events(others, query); got.status != http.StatusOK || len(list) != 0 {
			t.Errorf("another's events %s: %d %s", query, got.status, got.body)
		}
	}
}

// Wrong requests are refused with a reason, and a cursor of an ended era with a way to continue.
func TestRefusedRequestsForEvents(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	auditor := w.person("aud", domain.RoleAuditor)
	w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	_, secret := w.token(auditor, "events")
	for _, query := range []string{"?after=x", "?limit=0", "?limit=1001", "?wait=31", "?wait=-1",
		"?data=all", "?types=nothing", "?case=x", "?unknown=1", "?limit=1&limit=2"} {
		got, _ := w.events(secret, query)
		wantReply(t, got, http.StatusBadRequest, domain.InvalidInput)
	}
	_, reads := w.token(auditor, "read")
	pgtest.Settle(t, w.owner)
	got, _ := w.events(reads, "")
	wantReply(t, got, http.StatusForbidden, domain.NotPermitted)
	_, first := w.events(secret, "?limit=1")
	if _, err := w.owner.Exec(w.ctx, `INSERT INTO feed_eras (era, world) SELECT max(era) + 1, 'other'
		FROM feed_eras`); err != nil {
		t.Fatal(err)
	}
	got, _ = w.events(secret, "?after="+first[0].Cursor)
	wantReply(t, got, http.StatusConflict, domain.StaleVersion)
	var refusal struct {
		Error struct {
			Remedy string            `json:"remedy"`
			Detail map[string]string `json:"detail"`
		} `json:"error"`
	}
	must(t, json.Unmarshal([]byte(got.body), &refusal))
	resumed, rest := w.events(secret, "?after="+refusal.Error.Detail[feed.ResumeDetail])
	_, all := w.events(secret, "")
	if resumed.status != http.StatusOK || len(rest) != len(all)-1 || refusal.Error.Remedy == "" {
		t.Errorf("resumed with %d of %d events: %s", len(rest), len(all), got.body)
	}
}

// A request that waits is answered by the first event that its receiver may see, not by others, and
// not after its token was revoked.
func TestAWaitingRequestForEvents(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	ada, eve := w.person("ada", domain.RoleSubmitter), w.person("eve", domain.RoleSubmitter)
	_, secret := w.token(ada, "events")
	revoked, other := w.token(eve, "events")
	type answer struct {
		reply
		list []feed.CloudEvent
	}
	ask := func(secret string) chan answer {
		answers := make(chan answer, 1)
		go func() {
			got, list := w.events(secret, "?wait=30")
			answers <- answer{got, list}
		}()
		return answers
	}
	hers, others := ask(secret), ask(other)
	began := time.Now()
	_, err := w.owner.Exec(w.ctx, `UPDATE api_tokens SET revoked_at = clock() WHERE id = $1`,
		revoked.ID)
	must(t, err)
	id := w.submit(ada, "a.pdf", pdf)
	if got := <-hers; len(got.list) == 0 || got.list[0].Subject != id.String() {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := <-others; got.status != http.StatusUnauthorized {
		t.Errorf("the revoked token got %d %s", got.status, got.body)
	}
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("the answers took %s", took)
	}
}

// The contracts need no credential.
func TestContractsOfEventsAreServed(t *testing.T) {
	t.Parallel()
	w := newFeedEnv(t)
	for _, path := range []string{"/schemas/events/index.json", "/schemas/events/notice.v1.json",
		"/schemas/events/case.submitted.v1.json", "/schemas/events/public/case.submitted.v1.json",
		"/asyncapi.json"} {
		got := w.get(w.browser(), path)
		if got.status != http.StatusOK || !json.Valid([]byte(got.body)) {
			t.Errorf("%s: %d %.100s", path, got.status, got.body)
		}
	}
	wantReply(t, w.get(w.browser(), "/schemas/events/none.json"), http.StatusNotFound,
		domain.NotFound)
}
