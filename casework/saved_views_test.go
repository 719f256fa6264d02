package casework_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

// view is a view of cases shared with the people of a queue, which the tests vary.
func view(name string, change func(*casework.SaveView)) casework.SaveView {
	in := casework.SaveView{List: domain.ViewOfCases, Name: name, Audience: domain.ViewForQueue,
		AudienceKey: domain.QueueL1, Parameters: map[string]string{"status": "in_review"}}
	if change != nil {
		change(&in)
	}
	return in
}

func (env *testEnv) saveView(by domain.Actor, in casework.SaveView) domain.ID {
	env.t.Helper()
	done, err := env.svc.SaveView(env.ctx, by, in)
	must(env.t, err)
	return done.ID
}

// amlReviewer creates a reviewer of the confidential queue.
func (env *testEnv) amlReviewer(name string) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: name + "@example.com", Name: name, Roles: []domain.Role{domain.RoleAML},
		Queues: []string{domain.QueueAML}}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// viewsOf returns the names of the views that a person sees, those that are not usable in brackets.
func (env *testEnv) viewsOf(person domain.Actor) string {
	env.t.Helper()
	return env.savedViews(person, func(v views.SavedView) string {
		if !v.Usable {
			return "(" + v.Name + ")"
		}
		return v.Name
	})
}

func (env *testEnv) savedViews(person domain.Actor, text func(views.SavedView) string) string {
	env.t.Helper()
	found, err := env.newViews().SavedViews(env.ctx, person, domain.ViewOfCases)
	must(env.t, err)
	var names []string
	for _, v := range found {
		names = append(names, text(v))
	}
	return strings.Join(names, " ")
}

func (env *testEnv) wantViews(person domain.Actor, want string) {
	env.t.Helper()
	if got := env.viewsOf(person); got != want {
		env.t.Errorf("%s sees the views %q, want %q", person.Name, got, want)
	}
}

// Views are seen by those whom they are shared with, as far as each could have made them: a view that
// filters by the review work, a confidential queue, a person or a party that a reader may not know of is
// hidden together with its name.
func TestSharedViewsAreSeenByThoseWhoCouldHaveMadeThem(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, eva := env.person("rita", domain.RoleL1), env.person("eva", domain.RoleL1)
	lena, amy := env.person("lena", domain.RoleL2), env.amlReviewer("amy")
	mia, sam := env.person("mia", domain.RoleManager), env.person("sam", domain.RoleSubmitter)
	_, err := env.svc.DeclareConflict(env.ctx, eva, casework.DeclareConflict{Person: eva.UserID,
		Party: "Beta AG", Reason: "a relative"})
	must(t, err)
	with := func(name, value string) func(*casework.SaveView) {
		return func(in *casework.SaveView) { in.Parameters[name] = value }
	}
	everyone := func(name, value string) func(*casework.SaveView) {
		return func(in *casework.SaveView) {
			in.Parameters[name], in.Audience, in.AudienceKey = value, domain.ViewForAll, ""
		}
	}
	env.saveView(rita, view("a-own", func(in *casework.SaveView) { in.Audience, in.AudienceKey = domain.ViewPersonal, "" }))
	env.saveView(rita, view("b-queue", nil))
	env.saveView(rita, view("c-vendor", with("counterparty", "beta")))
	env.saveView(rita, view("d-Beta-AG Beta AG", nil))
	env.saveView(mia, view("e-all", everyone("type", "invoice")))
	env.saveView(mia, view("f-risk", everyone("minRisk", "50")))
	env.saveView(mia, view("g-sort", everyone("sort", "deadline")))
	env.saveView(mia, view("h-sam", everyone("submitter", domain.PublicID("Person", sam.UserID))))
	env.saveView(mia, view("i-aml", everyone("queue", domain.QueueAML)))
	env.saveView(amy, view("j-aml", func(in *casework.SaveView) { in.AudienceKey = domain.QueueAML }))
	env.wantViews(rita, "a-own b-queue c-vendor d-Beta-AG Beta AG e-all f-risk g-sort")
	env.wantViews(eva, "b-queue e-all f-risk g-sort")
	env.wantViews(lena, "e-all f-risk g-sort")
	env.wantViews(amy, "e-all f-risk g-sort i-aml j-aml")
	env.wantViews(sam, "e-all h-sam")
	// The manager's own view of a confidential queue shows no filter to the manager.
	env.wantViews(mia, "b-queue c-vendor d-Beta-AG Beta AG e-all f-risk g-sort h-sam (i-aml)")
}

// Who sees a view may neither change nor delete it, and a view that a person does not see is not found,
// like one that does not exist.
// A view that names a submitter whom a person may not see is not found by its id either: it can be neither
// their default nor distinguished from a view that does not exist.
func TestViewOfAnUnseenSubmitterIsNotFoundByItsID(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	mia := env.person("mia", domain.RoleManager)
	shared := func(name string, submitter domain.Actor) domain.ID {
		return env.saveView(mia, view(name, func(in *casework.SaveView) {
			in.Audience, in.AudienceKey = domain.ViewForAll, ""
			in.Parameters["submitter"] = domain.PublicID("Person", submitter.UserID)
		}))
	}
	ofSam, ofMia := shared("of sam", sam), shared("of mia", mia)
	for _, row := range []struct {
		by   domain.Actor
		view domain.ID
		code domain.Code
	}{{lea, ofSam, domain.NotFound}, {lea, ofMia, ""}, {sam, ofSam, ""}, {sam, ofMia, domain.NotFound}, {mia, ofSam, ""}} {
		err := env.svc.SetDefaultView(env.ctx, row.by, casework.SetDefaultView{List: domain.ViewOfCases, ID: row.view})
		if domain.CodeOf(err) != row.code {
			t.Errorf("%s opens the list with a view: %v, want %q", row.by.Name, err, row.code)
		}
	}
}

func TestViewsAreChangedByTheirOwnersAndManagers(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, rob := env.person("rita", domain.RoleL1), env.person("rob", domain.RoleL1)
	mia, sam := env.person("mia", domain.RoleManager), env.person("sam", domain.RoleSubmitter)
	amy := env.amlReviewer("amy")
	shared := env.saveView(rita, view("shared", nil))
	own := env.saveView(rita, view("own", func(in *casework.SaveView) { in.Audience, in.AudienceKey = domain.ViewPersonal, "" }))
	hidden := env.saveView(amy, view("aml", func(in *casework.SaveView) { in.AudienceKey = domain.QueueAML }))
	for _, tc := range []struct {
		by   domain.Actor
		id   domain.ID
		code domain.Code
	}{{rob, shared, domain.NotPermitted}, {rob, own, domain.NotFound}, {sam, shared, domain.NotFound},
		{mia, own, domain.NotFound}, {mia, hidden, domain.NotFound}, {rita, hidden, domain.NotFound},
		{rita, domain.NewID(), domain.NotFound}} {
		_, err := env.svc.SaveView(env.ctx, tc.by, view("x", func(in *casework.SaveView) { in.ID = tc.id }))
		wantCode(t, err, tc.code)
		wantCode(t, env.svc.DeleteView(env.ctx, tc.by, casework.DeleteView{ID: tc.id}), tc.code)
		if tc.code == domain.NotFound {
			wantCode(t, env.svc.SetDefaultView(env.ctx, tc.by,
				casework.SetDefaultView{List: domain.ViewOfCases, ID: tc.id}), tc.code)
		}
	}
	must(t, env.svc.SetDefaultView(env.ctx, rob, casework.SetDefaultView{List: domain.ViewOfCases, ID: shared}))
	must(t, env.svc.DeleteView(env.ctx, mia, casework.DeleteView{ID: shared}))
	env.wantViews(rob, "")
	env.wantViews(rita, "own")
	env.verifyStream(domain.ViewsStream, 3)
}

// An owner who lost the queue keeps the view but cannot change it for others; an owner who lost every role
// sees that their own view is not usable. The views of a disabled owner stay until a manager removes them.
func TestOwnersWhoLostTheirRights(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, rob := env.person("rita", domain.RoleL1), env.person("rob", domain.RoleL1)
	id := env.saveView(rita, view("risk", func(in *casework.SaveView) { in.Parameters["minRisk"] = "10" }))
	change := func(roles []domain.Role, queues []string, disabled bool) {
		t.Helper()
		user, err := env.db.Reader().User(env.ctx, rita.UserID)
		must(t, err)
		user.Roles, user.Queues, user.Disabled = roles, queues, disabled
		must(t, env.db.InTx(env.ctx, func(tx *store.Tx) error {
			if _, err := tx.IncrementAuthority(env.ctx); err != nil {
				return err
			}
			return tx.PutUser(env.ctx, user, "")
		}))
	}
	change([]domain.Role{domain.RoleL2}, []string{"L2"}, false)
	_, err := env.svc.SaveView(env.ctx, rita, view("risk2", func(in *casework.SaveView) { in.ID = id }))
	wantCode(t, err, domain.NotPermitted)
	env.wantViews(rita, "risk")
	change(nil, nil, false)
	env.wantViews(rita, "(risk)")
	env.wantViews(rob, "risk")
	change(nil, nil, true)
	_, err = env.svc.SaveView(env.ctx, rita, view("risk2", func(in *casework.SaveView) { in.ID = id }))
	wantCode(t, err, domain.Unauthenticated)
	env.wantViews(rob, "risk")
}

// Sharing is bounded by what the person is: it gives no one a channel to people whom they do not work with,
// and no one with confidential work a text that others read.
func TestWhoSharesWithWhom(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	people := map[string]domain.Actor{"rita": env.person("rita", domain.RoleL1),
		"amy": env.amlReviewer("amy"), "mia": env.person("mia", domain.RoleManager),
		"ada": env.person("ada", domain.RoleAdmin), "sam": env.person("sam", domain.RoleSubmitter)}
	for i, tc := range []struct {
		by       string
		audience domain.ViewAudience
		key      string
		code     domain.Code
	}{
		{"rita", domain.ViewForQueue, domain.QueueL1, ""}, {"rita", domain.ViewForQueue, "L2", domain.NotPermitted},
		{"rita", domain.ViewForQueue, domain.QueueAML, domain.NotPermitted},
		{"rita", domain.ViewForRole, "reviewer_l1", ""}, {"rita", domain.ViewForRole, "auditor", domain.NotPermitted},
		{"rita", domain.ViewForRole, "king", domain.InvalidInput}, {"rita", domain.ViewForAll, "", domain.NotPermitted},
		{"rita", domain.ViewForAll, "x", domain.InvalidInput}, {"rita", "friends", "", domain.InvalidInput},
		{"amy", domain.ViewForQueue, domain.QueueAML, ""}, {"amy", domain.ViewForRole, "reviewer_aml", domain.NotPermitted},
		{"mia", domain.ViewForAll, "", ""}, {"mia", domain.ViewForQueue, "L2", ""},
		{"mia", domain.ViewForQueue, domain.QueueAML, domain.NotPermitted}, {"ada", domain.ViewForRole, "submitter", ""},
		{"sam", domain.ViewPersonal, "", ""}, {"sam", domain.ViewForRole, "submitter", domain.NotPermitted},
		{"sam", domain.ViewForQueue, domain.QueueL1, domain.NotPermitted},
	} {
		_, err := env.svc.SaveView(env.ctx, people[tc.by], view(fmt.Sprint("view ", i), func(in *casework.SaveView) {
			in.Audience, in.AudienceKey = tc.audience, tc.key
		}))
		if domain.CodeOf(err) != tc.code {
			t.Errorf("%s shares with %s %q: %v, want %q", tc.by, tc.audience, tc.key, err, tc.code)
		}
	}
}

// Of two people who change the same version concurrently one is refused, and a retry with the key of a
// saved view adds no second one.
func TestConcurrentChangesOfAView(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, mia := env.person("rita", domain.RoleL1), env.person("mia", domain.RoleManager)
	first := view("team", func(in *casework.SaveView) { in.Once.Key = "first" })
	id := env.saveView(rita, first)
	if again := env.saveView(rita, first); again != id {
		t.Errorf("the retry saved another view")
	}
	var wait sync.WaitGroup
	codes := make([]domain.Code, 2)
	for i, by := range []domain.Actor{rita, mia} {
		wait.Go(func() {
			_, err := env.svc.SaveView(env.ctx, by, view("team "+strconv.Itoa(i), func(in *casework.SaveView) {
				in.ID, in.ExpectedVersion = id, "1"
			}))
			codes[i] = domain.CodeOf(err)
		})
	}
	wait.Wait()
	if codes[0] == codes[1] || codes[0] != "" && codes[0] != domain.StaleVersion ||
		codes[1] != "" && codes[1] != domain.StaleVersion {
		t.Errorf("two changes of one version: %q", codes)
	}
}

// The bounds hold: names, values, views of a person, and views with one audience.
func TestBoundsOfViews(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, rob := env.person("rita", domain.RoleL1), env.person("rob", domain.RoleL1)
	for _, in := range []casework.SaveView{view(strings.Repeat("n", 300), nil), view(" \u200b\u202e ", nil), view("a\x00b", nil),
		view("x", func(in *casework.SaveView) { in.Parameters["text"] = strings.Repeat("t", 201) }),
		view("x", func(in *casework.SaveView) { in.Parameters["password"] = "t" }),
		view("x", func(in *casework.SaveView) { in.List = "people" })} {
		_, err := env.svc.SaveView(env.ctx, rita, in)
		wantCode(t, err, domain.InvalidInput)
	}
	personal := func(in *casework.SaveView) { in.Audience, in.AudienceKey = domain.ViewPersonal, "" }
	for i := range domain.MaxSharedWith {
		env.saveView(rita, view(fmt.Sprint("shared ", i), nil))
	}
	_, err := env.svc.SaveView(env.ctx, rob, view("one more", nil))
	wantCode(t, err, domain.StateMismatch)
	for i := range domain.MaxOwnViews - domain.MaxSharedWith {
		env.saveView(rita, view(fmt.Sprint("own ", i), personal))
	}
	_, err = env.svc.SaveView(env.ctx, rita, view("one more", personal))
	wantCode(t, err, domain.StateMismatch)
	_, err = env.svc.SaveView(env.ctx, rita, view("OWN 1", personal))
	wantCode(t, err, domain.InvalidInput)
	env.saveView(rob, view("OWN 1", personal))
}
