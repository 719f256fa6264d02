package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events"
)

// noticesOf returns the kinds of a person's notices, the newest first, unread ones with a star.
func (env *testEnv) noticesOf(person domain.Actor) string {
	env.t.Helper()
	found, err := env.db.Reader().Notices(env.ctx, domain.NoticeQuery{Recipient: person.UserID,
		Limit: 100})
	must(env.t, err)
	var kinds []string
	for _, notice := range found {
		kind := string(notice.Kind)
		if notice.ReadAt.IsZero() {
			kind += "*"
		}
		kinds = append(kinds, kind)
	}
	return strings.Join(kinds, " ")
}

// wantNotices makes notices until the person has these. Transactions of other tests may hold the feed
// back meanwhile.
func (env *testEnv) wantNotices(person domain.Actor, want string) {
	env.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		_, err := env.svc.DeriveNotices(env.ctx)
		must(env.t, err)
		got := env.noticesOf(person)
		if got == want {
			return
		}
		select {
		case <-ticker.C:
		case <-limit.C:
			env.t.Fatalf("%s has the notices %q, want %q", person.Name, got, want)
		}
	}
}

// deriveAll makes the notices of everything that has happened.
func (env *testEnv) deriveAll() {
	env.t.Helper()
	before := env.person(fmt.Sprintf("p%d", env.now().UnixNano()), domain.RoleL1)
	env.delegateTo(before)
	env.wantNotices(before, "delegation*")
}

// delegateTo gives a person an event of their own.
func (env *testEnv) delegateTo(person domain.Actor) {
	env.t.Helper()
	giver := env.person("of-"+person.Name, domain.RoleL1)
	env.delegate(giver, person, domain.Scope{})
}

// If no one claims in time, the managers of the queue are notified, and the person to whom the review
// goes. The claim settles their notices, and its holder is notified before it ends. People of other
// queues are not.
func TestNoticesOfAReview(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	mia, amy := env.person("mia", domain.RoleManager), env.amlOfficer("amy")
	env.claim(jo, id)
	_, err := env.svc.ReleaseReview(env.ctx, jo, casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	must(t, err)
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	env.wantNotices(mia, "overdue*")
	assignee, other := jo, jill
	if env.openReview(id).Assignee == jill.UserID {
		assignee, other = jill, jo
	}
	env.wantNotices(assignee, "assigned*")
	review := env.claim(assignee, id)
	env.wantNotices(assignee, "assigned")
	env.setClockOffset(121*time.Minute + 26*time.Minute)
	env.wantNotices(assignee, "lapse* assigned")
	must(t, env.decide(assignee, review.ID, domain.Approve, ""))
	env.wantNotices(assignee, "lapse assigned")
	env.wantNotices(mia, "overdue")
	env.drainQueue()
	env.deriveAll()
	for _, person := range []domain.Actor{other, amy} {
		if got := env.noticesOf(person); got != "" {
			t.Errorf("%s has the notices %s", person.Name, got)
		}
	}
}

// A claim that is renewed is not about to end, and one that ended is not announced any more.
func TestNoticeOfARenewedClaim(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	review := env.claim(jo, id)
	env.deriveAll()
	env.setClockOffset(20 * time.Minute)
	_, err := env.svc.Heartbeat(env.ctx, jo, review.ID)
	must(t, err)
	env.setClockOffset(26 * time.Minute)
	env.deriveAll()
	if got := env.noticesOf(jo); got != "" {
		t.Fatalf("after the renewal: %s", got)
	}
	env.setClockOffset(46 * time.Minute)
	env.wantNotices(jo, "lapse*")
	// Another claim, released before its end.
	env.setClockOffset(90 * time.Minute)
	_, err = env.svc.ExpireClaims(env.ctx)
	must(t, err)
	env.claim(jo, id)
	env.deriveAll()
	_, err = env.svc.ReleaseReview(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	env.setClockOffset(118 * time.Minute)
	env.deriveAll()
	if got := env.noticesOf(jo); got != "lapse" {
		t.Errorf("after the release: %s", got)
	}
}

// The submitter and managers learn of an incident until a person solves it, and the submitter of the
// end. Each event is noticed once, however often it is read.
func TestNoticesOfAnIncident(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("120.00", "R-1")
	_, err := env.owner.Exec(env.ctx, `DELETE FROM rates WHERE currency = 'EUR'`)
	must(t, err)
	id := env.submit(sam, "rate")
	env.drainQueue()
	env.wantNotices(sam, "incident*")
	env.wantNotices(mia, "incident*")
	must(t, env.svc.SeedRate(env.ctx, "EUR", 1_100_000))
	_, err = env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id, ExpectedVersion: "1"})
	must(t, err)
	env.drainQueue()
	env.wantNotices(sam, "finished* incident")
	env.wantNotices(mia, "incident")
	_, err = env.owner.Exec(env.ctx, `UPDATE notice_cursor SET era = 0, txid = '0', event = 0`)
	must(t, err)
	env.deriveAll()
	if got := env.noticesOf(sam) + " " + env.noticesOf(mia); got != "finished* incident incident" {
		t.Errorf("read again: %s", got)
	}
}

// A person marks their own notices as read, and no one else's.
func TestReadNotices(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.delegateTo(jo)
	env.wantNotices(jo, "delegation*")
	found, err := env.db.Reader().Notices(env.ctx, domain.NoticeQuery{Recipient: jo.UserID, Limit: 1})
	must(t, err)
	ids := []domain.ID{found[0].ID}
	for _, tc := range []struct {
		by   domain.Actor
		in   casework.ReadNotices
		want int64
	}{
		{jill, casework.ReadNotices{IDs: ids}, 0},
		{jill, casework.ReadNotices{Until: env.now()}, 0},
		{jo, casework.ReadNotices{Until: found[0].At.Add(-time.Second)}, 0},
		{jo, casework.ReadNotices{IDs: []domain.ID{}}, 0},
		{jo, casework.ReadNotices{IDs: ids, Once: casework.Once{Key: "k"}}, 1},
		{jo, casework.ReadNotices{IDs: ids, Once: casework.Once{Key: "k"}}, 1}, // replayed
		{jo, casework.ReadNotices{IDs: ids}, 0},
	} {
		if got, err := env.svc.ReadNotices(env.ctx, tc.by, tc.in); err != nil || got != tc.want {
			t.Errorf("%s %+v: %d, %v", tc.by.Name, tc.in, got, err)
		}
	}
	scoped := jo
	scoped.TokenID, scoped.Scopes = domain.NewID(), []string{"read"}
	_, err = env.svc.ReadNotices(env.ctx, scoped, casework.ReadNotices{IDs: ids})
	wantCode(t, err, domain.NotPermitted)
	if err := env.svc.SetNoticeMail(env.ctx, jo, casework.SetNoticeMail{Kind: "rumour",
		Mail: domain.MailOff}); !domain.HasCode(err, domain.InvalidInput) {
		t.Errorf("a kind that does not exist: %v", err)
	}
	if err := env.svc.SetNoticeCalendar(env.ctx, jo, casework.SetNoticeCalendar{
		Calendar: "moon"}); !domain.HasCode(err, domain.InvalidInput) {
		t.Errorf("a calendar that does not exist: %v", err)
	}
}

// Every type of event with a rule has a contract, so that a renamed event is not forgotten.
func TestNoticedEventsExist(t *testing.T) {
	t.Parallel()
	known := events.Types()
	for _, kind := range casework.NoticedEvents() {
		if !slices.Contains(known, kind) {
			t.Errorf("no event is called %s", kind)
		}
	}
}

// An event without its case or review does not stop the notices of others, which are kept for half a
// year.
func TestEventsWithoutNotices(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	stream := domain.NewID()
	stream[0] = 0
	late := `{"reviewId":"` + domain.NewID().String() + `","due":"2026-11-26T12:00:00Z"}`
	for seq, event := range []struct{ kind, body string }{{"case.rejected", `{"reason":"x"}`},
		{"review.overdue", late}, {"review.at_risk", late}} {
		_, err := env.owner.Exec(env.ctx, `INSERT INTO events (case_id, seq, type, schema_version, actor,
			on_behalf_of, correlation_id, at, status_before, status_after, marking_before,
			marking_after, prev_hash, body_hash, hash, salt, body, txid)
			SELECT $1, $2, $3, 1, $4, $4, 'c', clock(), '', '', '{}', '{}', z.z, z.z, z.z, '\x00', $5,
				pg_current_xact_id() FROM (SELECT decode(repeat('00', 32), 'hex') AS z) z`, stream, seq+1,
			event.kind, domain.SystemUserID, event.body)
		must(t, err)
	}
	jo := env.person("jo", domain.RoleL1)
	env.delegateTo(jo)
	env.wantNotices(jo, "delegation*")
	before, err := env.db.Reader().NoticeCursor(env.ctx)
	must(t, err)
	must(t, env.svc.RunDailyMaintenance(env.ctx))
	env.setClockOffset(181 * 24 * time.Hour)
	must(t, env.svc.RunDailyMaintenance(env.ctx))
	after, err := env.db.Reader().NoticeCursor(env.ctx)
	must(t, err)
	if got := env.noticesOf(jo); got != "" || after != before {
		t.Errorf("after half a year: %q, the cursor moved from %v to %v", got, before, after)
	}
}
