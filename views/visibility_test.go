package views_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// Every user reads exactly the cases that their list contains, as the expected audience, and a
// forbidden case yields the same error as a missing one.
func TestCasesAreReadAsTheyAreListed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	rita, lena := env.person("rita", domain.RoleL1), env.person("lena", domain.RoleL2)
	mia, aud := env.person("mia", domain.RoleManager), env.person("aud", domain.RoleAuditor)
	nora, eva := env.person("nora"), env.person("eva", domain.RoleL1)
	both := env.person("bo", domain.RoleSubmitter, domain.RoleL1)
	cases := []domain.ID{env.submit(sam, "2000.00"), env.submit(sue, "3000.00"),
		env.submit(both, "4000.00"), env.submit(sam, "5000.00", "Beta AG"),
		env.submit(sue, "damaged")}
	env.declareConflict(eva, "Beta AG")
	_, missing := env.views.Case(env.ctx, nora, domain.NewID())
	wantCode(t, missing, domain.NotFound)
	const all, staff = domain.AudienceAll, domain.AudienceStaff
	for _, tc := range []struct {
		actor domain.Actor
		want  []domain.Audience // by case; "" means not readable
	}{
		{sam, []domain.Audience{all, "", "", all, ""}},
		{sue, []domain.Audience{"", all, "", "", all}},
		{nora, []domain.Audience{"", "", "", "", ""}},
		{rita, []domain.Audience{staff, staff, staff, staff, ""}},
		{lena, []domain.Audience{"", "", "", "", ""}},
		{eva, []domain.Audience{staff, staff, staff, "", ""}},
		{both, []domain.Audience{staff, staff, all, staff, ""}},
		{mia, []domain.Audience{staff, staff, staff, staff, staff}},
		{aud, []domain.Audience{staff, staff, staff, staff, staff}},
	} {
		page, err := env.views.Cases(env.ctx, tc.actor, views.CaseQuery{Limit: 50})
		must(t, err)
		for i, id := range cases {
			seen, err := env.views.Case(env.ctx, tc.actor, id)
			at := slices.IndexFunc(page.Cases, func(c views.CaseView) bool { return c.ID == id })
			listed := at >= 0
			if listed != (tc.want[i] != "") || listed != (err == nil) {
				t.Errorf("%s, case %d: listed %v, read %v, want %q", tc.actor.Name, i, listed, err,
					tc.want[i])
				continue
			}
			if listed && (seen.ID != id || seen.Audience != tc.want[i] ||
				page.Cases[at].Audience != tc.want[i]) {
				t.Errorf("%s, case %d: audience %s, in the list %s, want %s", tc.actor.Name, i,
					seen.Audience, page.Cases[at].Audience, tc.want[i])
			}
			conflict := domain.HasCode(err, domain.ConflictOfInterest)
			if err != nil && !conflict && err.Error() != missing.Error() {
				t.Errorf("%s, case %d: %v, a missing case yields %v", tc.actor.Name, i, err,
					missing)
			}
			if conflict != (tc.actor.UserID == eva.UserID && i == 3) {
				t.Errorf("%s, case %d: %v", tc.actor.Name, i, err)
			}
			env.wantStaffOnly(tc.actor, id, tc.want[i])
		}
	}
}

// wantStaffOnly checks that the review work on a case is visible to staff only.
func (env *testEnv) wantStaffOnly(actor domain.Actor, caseID domain.ID, audience domain.Audience) {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, caseID)
	must(env.t, err)
	for _, review := range reviews {
		_, err := env.views.Review(env.ctx, actor, review.ID)
		if (err == nil) != (audience == domain.AudienceStaff) {
			env.t.Errorf("%s as %q reads a review: %v", actor.Name, audience, err)
		}
	}
	right, err := env.views.MayWatch(env.ctx, actor, caseID)
	if (err == nil) != (audience != "") || err == nil && right.Audience != audience {
		env.t.Errorf("%s as %q may watch: %+v %v", actor.Name, audience, right, err)
	}
}

// Disabled and unauthenticated users read nothing, and a token only what its scopes allow.
func TestReadsNeedAnActiveUserAndAScope(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, gone := env.person("sam", domain.RoleSubmitter), env.person("gone", domain.RoleManager)
	id := env.submit(sam, "2000.00")
	env.disable(gone)
	token := sam
	token.TokenID, token.Scopes = domain.NewID(), []string{string(domain.ActSubmit)}
	for _, tc := range []struct {
		actor domain.Actor
		code  domain.Code
	}{{domain.Actor{}, domain.Unauthenticated}, {gone, domain.Unauthenticated},
		{token, domain.NotPermitted}} {
		_, err := env.views.Case(env.ctx, tc.actor, id)
		wantCode(t, err, tc.code)
		_, err = env.views.Cases(env.ctx, tc.actor, views.CaseQuery{Limit: 1})
		wantCode(t, err, tc.code)
		_, err = env.views.Counters(env.ctx, tc.actor)
		wantCode(t, err, tc.code)
		_, err = env.views.MayWatch(env.ctx, tc.actor, id)
		wantCode(t, err, tc.code)
	}
	token.Scopes = []string{string(domain.ActRead)}
	_, err := env.views.Case(env.ctx, token, id)
	must(t, err)
}

// Only managers, auditors and administrators list people, only administrators see and find e-mail
// addresses, and reviewers resolve the names of other reviewers.
func TestPeopleAreVisibleByRole(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, nora := env.person("sam", domain.RoleSubmitter), env.person("nora")
	rita, lena := env.person("rita", domain.RoleL1), env.person("lena", domain.RoleL2)
	mia, ada := env.person("mia", domain.RoleManager), env.person("ada", domain.RoleAdmin)
	off := env.person("off", domain.RoleL1)
	env.disable(off)
	for _, tc := range []struct {
		actor                 domain.Actor
		lists, emails, fellow bool
	}{{sam, false, false, false}, {nora, false, false, false}, {rita, false, false, true},
		{mia, true, false, true}, {ada, true, true, true}} {
		people, err := env.views.People(env.ctx, tc.actor, "", "")
		if (err == nil) != tc.lists {
			t.Errorf("%s lists people: %v", tc.actor.Name, err)
		}
		for _, person := range people {
			if (person.Email != "") != tc.emails {
				t.Errorf("%s sees the e-mail %q", tc.actor.Name, person.Email)
			}
		}
		found, err := env.views.People(env.ctx, tc.actor, "lena@example", "")
		if err == nil && (len(found) == 1) != tc.emails {
			t.Errorf("%s finds %v by e-mail", tc.actor.Name, namesOf(found))
		}
		sees, err := env.views.MaySeePerson(env.ctx, tc.actor, lena.UserID)
		must(t, err)
		if sees != tc.fellow {
			t.Errorf("%s resolves the name of a reviewer: %v", tc.actor.Name, sees)
		}
	}
	reviewers, err := env.views.People(env.ctx, mia, "", domain.RoleL1)
	must(t, err)
	if got := namesOf(reviewers); !slices.Equal(got, []string{"off", "rita"}) {
		t.Errorf("people with a role: %v", got)
	}
	for actor, want := range map[*domain.Actor][]string{&rita: {"lena", "mia"},
		&lena: {"mia", "rita"},
		&mia:  {"lena", "rita"}} {
		colleagues, err := env.views.Colleagues(env.ctx, *actor)
		must(t, err)
		if got := namesOf(colleagues); !slices.Equal(got, want) {
			t.Errorf("colleagues of %s: %v, want %v", actor.Name, got, want)
		}
	}
	_, err = env.views.Colleagues(env.ctx, sam)
	wantCode(t, err, domain.NotPermitted)
	for _, id := range []domain.ID{off.UserID, sam.UserID} {
		if sees, err := env.views.MaySeePerson(env.ctx, rita, id); err != nil || sees {
			t.Errorf("a reviewer resolves %s: %v %v", id, sees, err)
		}
	}
}

// A submitter gets no explanation of the review work, and the assignee is named by name.
func TestExplanationsHideTheReviewWork(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	rita, lea := env.person("rita", domain.RoleL1), env.person("lea", domain.RoleL1)
	review := env.reviewOf(env.submit(sam, "2000.00"))
	env.claim(lea, review)
	explain := func(actor domain.Actor, action domain.Action) views.Explanation {
		t.Helper()
		question, err := env.views.ReviewAccessQuestion(env.ctx, actor, review.ID)
		must(t, err)
		answer, err := question.Explain(action)
		must(t, err)
		return answer
	}
	own := explain(sam, domain.ActDecide)
	if own.Allowed || len(own.EligiblePeople) > 0 || len(own.Values) > 0 ||
		own.Code != domain.NotPermitted {
		t.Errorf("the submitter reads %+v", own)
	}
	refused := explain(rita, domain.ActDecide)
	if refused.Allowed || refused.Values["holder"] != "lea" ||
		!slices.Equal(namesOf(refused.EligiblePeople), []string{"lea", "mia", "rita"}) {
		t.Errorf("another reviewer reads %+v", refused)
	}
	if allowed := explain(lea, domain.ActDecide); !allowed.Allowed || allowed.Code != "" {
		t.Errorf("the assignee reads %+v", allowed)
	}
	if allowed := explain(mia, domain.ActReassign); !allowed.Allowed {
		t.Errorf("the manager reads %+v", allowed)
	}
	question, err := env.views.CaseAccessQuestion(env.ctx, sam, review.CaseID)
	must(t, err)
	answer, err := question.Explain(domain.ActResubmit)
	must(t, err)
	if answer.Allowed || answer.Code != domain.StateMismatch ||
		answer.Values["status"] != string(domain.InReview) {
		t.Errorf("resubmitting a case in review: %+v", answer)
	}
}
