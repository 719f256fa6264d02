package views_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// Pages of cases of any size contain every readable case exactly once, newest first, also if the
// cases were created at the same time; filters apply to all pages.
func TestCasePages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	mia := env.person("mia", domain.RoleManager)
	var mine, all []domain.ID
	for i := range 7 {
		by := []domain.Actor{sam, sue}[i%2]
		total := []string{"2000.00", "damaged"}[i%3/2]
		id := env.submit(by, total, fmt.Sprintf("Vendor %c GmbH", 'A'+i))
		all = append(all, id)
		if i%2 == 0 {
			mine = append(mine, id)
		}
	}
	env.sql(`UPDATE cases SET updated_at = clock()`)
	pages := func(actor domain.Actor, query views.CaseQuery) (ids []domain.ID) {
		t.Helper()
		for {
			page, err := env.views.Cases(env.ctx, actor, query)
			must(t, err)
			for _, c := range page.Cases {
				ids = append(ids, c.ID)
			}
			if !page.HasMore {
				return ids
			}
			if len(page.Cases) != query.Limit {
				t.Fatalf("a page of %d has %d cases and more follow", query.Limit, len(page.Cases))
			}
			query.After = page.Cursor()
		}
	}
	for size := 1; size <= len(all)+1; size++ {
		for actor, want := range map[*domain.Actor][]domain.ID{&mia: all, &sam: mine} {
			newestFirst := slices.Clone(want)
			slices.Reverse(newestFirst)
			if got := pages(*actor, views.CaseQuery{Limit: size}); !slices.Equal(got, newestFirst) {
				t.Errorf("%s, pages of %d: %v, want %v", actor.Name, size, got, newestFirst)
			}
		}
		incidents := views.CaseQuery{Limit: size, Statuses: []domain.Status{domain.Incident}}
		if got := pages(mia, incidents); !slices.Equal(got, []domain.ID{all[5], all[2]}) {
			t.Errorf("incidents by pages of %d: %v", size, got)
		}
		byText := views.CaseQuery{Limit: size, Text: "vendor b"}
		if got := pages(mia, byText); !slices.Equal(got, []domain.ID{all[1]}) {
			t.Errorf("by text: %v", got)
		}
		if got := pages(mia, views.CaseQuery{Limit: size, Process: "none"}); len(got) > 0 {
			t.Errorf("of an unknown process: %v", got)
		}
	}
	page, err := env.views.Cases(env.ctx, mia, views.CaseQuery{Limit: -5})
	must(t, err)
	if len(page.Cases) != 1 || !page.HasMore {
		t.Errorf("a page of a negative size has %d cases", len(page.Cases))
	}
}

// Pages of incidents are complete although all of them ended at the same time, and the groups
// count what the pages list.
func TestIncidentPagesOverEqualTimes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	mia := env.person("mia", domain.RoleManager)
	for i := range 6 {
		env.submit([]domain.Actor{sam, sue}[i/4], "damaged")
	}
	env.submit(sam, "2000.00")
	env.sql(`UPDATE stage_runs SET ended_at = date_trunc('second', clock()) WHERE status = 'incident'`)
	for actor, want := range map[*domain.Actor]int{&mia: 6, &sam: 4, &sue: 2} {
		for size := 1; size <= 7; size++ {
			counted := map[domain.ID]int{}
			query := views.IncidentQuery{Limit: size}
			for more := true; more; {
				page, err := env.views.Incidents(env.ctx, *actor, query)
				must(t, err)
				for _, run := range page.Runs {
					counted[run.ID]++
					query.After = &views.IncidentCursor{EndedAt: run.EndedAt, RunID: run.ID}
				}
				more = page.HasMore
			}
			for id, times := range counted {
				if times != 1 {
					t.Errorf("%s, pages of %d: incident %s %d times", actor.Name, size, id, times)
				}
			}
			if len(counted) != want {
				t.Errorf("%s, pages of %d: %d incidents, want %d", actor.Name, size, len(counted),
					want)
			}
		}
		groups, err := env.views.IncidentGroups(env.ctx, *actor)
		must(t, err)
		if len(groups) != 1 || groups[0].Count != want ||
			groups[0].Code != string(domain.DamagedFile) || groups[0].Message == "" {
			t.Errorf("%s: groups %+v, want one of %d", actor.Name, groups, want)
		}
		counters, err := env.views.Counters(env.ctx, *actor)
		must(t, err)
		if counters.Incidents != int64(want) {
			t.Errorf("%s: %d incidents counted, want %d", actor.Name, counters.Incidents, want)
		}
		for _, query := range []views.IncidentQuery{{Code: domain.TimedOut, Limit: 5},
			{Node: "archive", Limit: 5}} {
			page, err := env.views.Incidents(env.ctx, *actor, query)
			must(t, err)
			if len(page.Runs) > 0 {
				t.Errorf("%+v selects %+v", query, page.Runs)
			}
		}
	}
	// Files that are damaged in different ways: the group says nothing that is true of one file only.
	env.sql(`UPDATE stage_runs SET error_text = error_text || id WHERE status = 'incident'`)
	groups, err := env.views.IncidentGroups(env.ctx, mia)
	must(t, err)
	if len(groups) != 1 || groups[0].Message != "" || groups[0].Count != 6 {
		t.Errorf("groups of different messages: %+v", groups)
	}
}

// Conflicts of interest are listed in pages for people administrators only.
func TestConflictPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, rita := env.person("ada", domain.RoleAdmin), env.person("rita", domain.RoleL1)
	lea := env.person("lea", domain.RoleL1)
	for i := range 5 {
		env.declareConflict([]domain.Actor{rita, lea}[i%2], fmt.Sprintf("Party %c AG", 'A'+i))
	}
	for size := 1; size <= 6; size++ {
		for _, tc := range []struct {
			query views.ConflictQuery
			want  string
		}{{views.ConflictQuery{}, "ABCDE"}, {views.ConflictQuery{Person: rita.UserID}, "ACE"},
			{views.ConflictQuery{Text: "party d"}, "D"}} {
			var parties strings.Builder
			query := tc.query
			query.Limit = size
			for more := true; more; {
				var conflicts []domain.Conflict
				var err error
				conflicts, more, err = env.views.Conflicts(env.ctx, ada, query)
				must(t, err)
				for _, conflict := range conflicts {
					parties.WriteString(strings.Split(conflict.Party, " ")[1])
					query.After = conflict.ID
				}
			}
			if parties.String() != tc.want {
				t.Errorf("%+v by pages of %d: %s, want %s", tc.query, size, parties.String(),
					tc.want)
			}
		}
	}
	_, _, err := env.views.Conflicts(env.ctx, rita, views.ConflictQuery{Limit: 5})
	wantCode(t, err, domain.NotPermitted)
	own, err := env.views.ConflictsOf(env.ctx, rita, rita.UserID)
	must(t, err)
	foreign, err := env.views.ConflictsOf(env.ctx, rita, lea.UserID)
	must(t, err)
	everyone, err := env.views.ConflictsOf(env.ctx, domain.Actor{}, domain.NoID)
	if len(own) != 3 || foreign != nil || everyone != nil {
		t.Errorf("own %v, foreign %v, anonymous %v %v", own, foreign, everyone, err)
	}
}

// Calendars are listed in pages by name, delegations in pages with their own parties only.
func TestCalendarAndDelegationPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	mia, ada := env.person("mia", domain.RoleManager), env.person("ada", domain.RoleAdmin)
	names := []string{"alpha", "beta", "gamma", "omega"}
	for _, name := range names {
		hours := [7][]domain.TimeRange{1: {{From: 540, To: 1020}}}
		_, err := env.service.SetCalendar(env.ctx, domain.SystemActor(),
			casework.SetCalendar{Name: name, Zone: "UTC",
				Hours: hours})
		must(t, err)
	}
	rita, lena := env.person("rita", domain.RoleL1), env.person("lena", domain.RoleL2)
	other := env.person("other", domain.RoleL1)
	until := env.now().Add(time.Hour)
	for _, pair := range [][2]domain.Actor{{rita, lena}, {other, lena}, {rita, other}} {
		_, err := env.service.CreateDelegation(env.ctx, pair[0], casework.CreateDelegation{
			Delegator: pair[0].UserID, Delegate: pair[1].UserID, Until: until})
		must(t, err)
	}
	for size := 1; size <= 5; size++ {
		var listed []string
		for after, more := "", true; more; {
			var page []*domain.Calendar
			var err error
			page, more, err = env.views.Calendars(env.ctx, rita, after, size)
			must(t, err)
			for _, calendar := range page {
				listed = append(listed, calendar.Name)
				after = calendar.Name
			}
		}
		if !slices.Equal(listed, names) {
			t.Errorf("calendars by pages of %d: %v", size, listed)
		}
		for _, tc := range []struct {
			actor  domain.Actor
			person domain.ID
			want   int
		}{{rita, rita.UserID, 2}, {lena, lena.UserID, 2}, {ada, domain.NoID, 3},
			{ada, other.UserID, 2}} {
			count := 0
			for after, more := domain.NoID, true; more; {
				var page []domain.Delegation
				var err error
				page, more, err = env.views.Delegations(env.ctx, tc.actor, tc.person, after, size)
				must(t, err)
				for _, delegation := range page {
					count, after = count+1, delegation.ID
					_, err := env.views.Delegation(env.ctx, tc.actor, delegation.ID)
					must(t, err)
				}
			}
			if count != tc.want {
				t.Errorf("%s by pages of %d: %d delegations, want %d", tc.actor.Name, size, count,
					tc.want)
			}
		}
	}
	for _, person := range []domain.ID{domain.NoID, lena.UserID} {
		_, _, err := env.views.Delegations(env.ctx, rita, person, domain.NoID, 5)
		wantCode(t, err, domain.NotPermitted)
	}
	_, err := env.views.Calendar(env.ctx, mia, "none")
	wantCode(t, err, domain.NotFound)
}

// The audit trail contains every event and access exactly once, in the order of time, whatever the
// size of its pages.
func TestAuditTrailPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	aud := env.person("aud", domain.RoleAuditor)
	review := env.reviewOf(env.submit(sam, "2000.00"))
	_, err := env.service.DecideReview(env.ctx, rita, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Verdict: domain.Approve})
	wantCode(t, err, domain.NotClaimedByYou)
	env.decide(rita, review, domain.Reject)
	env.service.Close(env.ctx) // writes queued accesses
	read := func(size int) (lines []string) {
		t.Helper()
		after := views.TrailCursor{}
		for {
			page, err := env.views.AuditTrail(env.ctx, aud, review.CaseID, after, size)
			must(t, err)
			for _, entry := range page.Entries {
				line := entry.At.Format(time.RFC3339Nano)
				if entry.Event != nil {
					line += fmt.Sprintf(" event %d", entry.Event.Seq)
				} else {
					line += " access " + entry.Access.Action
				}
				lines, after = append(lines, line), entry.After
			}
			if !page.HasMore {
				return lines
			}
		}
	}
	whole := read(views.MaxTrail)
	events, accesses := 0, 0
	for _, line := range whole {
		if strings.Contains(line, " event ") {
			events++
		} else {
			accesses++
		}
	}
	c, err := env.db.Reader().Case(env.ctx, review.CaseID)
	must(t, err)
	if int64(events) != c.LastSeq || accesses == 0 {
		t.Errorf("%d events of %d, %d accesses", events, c.LastSeq, accesses)
	}
	for _, size := range []int{1, 2, 3, 7, len(whole)} {
		if got := read(size); !slices.Equal(got, whole) {
			t.Errorf("by pages of %d:\n%s\nwant\n%s", size, strings.Join(got, "\n"),
				strings.Join(whole, "\n"))
		}
	}
	_, err = env.views.AuditTrail(env.ctx, rita, review.CaseID, views.TrailCursor{}, 5)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.views.AuditTrail(env.ctx, env.person("x"), review.CaseID, views.TrailCursor{}, 5)
	wantCode(t, err, domain.NotFound)
	_, err = env.views.VerifyAudit(env.ctx, rita, domain.NoID)
	wantCode(t, err, domain.NotPermitted)
	result, err := env.views.Verify(env.ctx, domain.NoID)
	must(t, err)
	if len(result.Problems) > 0 || result.Cases != 1 || result.Events < c.LastSeq {
		t.Errorf("verification: %+v", result)
	}
}
