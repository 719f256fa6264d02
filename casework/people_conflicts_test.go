package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// newViews returns views that use the policy of the test environment's service.
func (env *testEnv) newViews() *views.Views {
	return views.New(env.db.Reader(), env.svc.Authorizer)
}

// releases returns the reasons of the case's ReviewReleased events.
func (env *testEnv) releases(id domain.ID) []string {
	env.t.Helper()
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(env.t, err)
	var reasons []string
	for _, event := range reading.Events {
		if event.Type == domain.ReviewReleased {
			_, rest, _ := strings.Cut(string(event.Body), `"reason":"`)
			reason, _, _ := strings.Cut(rest, `"`)
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// A conflict takes effect immediately: the same transaction releases the claim, the draft is kept,
// and the case disappears from the person's lists.
func TestConflictReleasesTheClaim(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita, ada := env.person("rita", domain.RoleL1), env.person("adam", domain.RoleAdmin)
	review := env.claim(rita, id)
	must(t, env.svc.SaveDraft(env.ctx, rita, review.ID, []byte(`{"note":"half"}`)))
	declare := casework.DeclareConflict{Person: rita.UserID, Party: "MUSTER Werke GmbH",
		Reason: "sister works there"}
	first, err := env.svc.DeclareConflict(env.ctx, ada, declare)
	must(t, err)
	again, err := env.svc.DeclareConflict(env.ctx, ada, declare)
	must(t, err)
	if first != again {
		t.Errorf("two ids for one conflict: %s and %s", first, again)
	}
	var draft string
	must(t, env.owner.QueryRow(env.ctx,
		`SELECT convert_from(draft, 'UTF8') FROM reviews WHERE id = $1`, review.ID).Scan(&draft))
	if after := env.openReview(id); after.Status != domain.ReviewOpen ||
		after.Assignee != domain.NoID || draft != `{"note":"half"}` {
		t.Errorf("the review is %+v, its draft %s", after, draft)
	}
	if got := env.releases(id); len(got) != 1 || got[0] != "conflict" {
		t.Errorf("released because of %q", got)
	}
	wantCode(t, env.decide(rita, review.ID, domain.Approve, ""), domain.ConflictOfInterest)
	readViews := env.newViews()
	queue, err := readViews.Queue(env.ctx, rita, views.QueueQuery{First: 10})
	must(t, err)
	cases, err := readViews.Cases(env.ctx, rita, views.CaseQuery{Text: "muster", Limit: 10})
	must(t, err)
	counters, err := readViews.Counters(env.ctx, rita)
	must(t, err)
	if queue.Total != 0 || len(queue.Reviews) != 0 || len(cases.Cases) != 0 ||
		counters.Available+counters.Mine != 0 {
		t.Errorf("still listed: queue %+v, cases %d, counters %+v", queue, len(cases.Cases),
			counters)
	}
	env.verifyCaseLog(id)
}

// Every permission change checks the claims of the affected person again.
func TestReducedPermissionsReleaseClaims(t *testing.T) {
	t.Parallel()
	put := func(env *testEnv, rita domain.Actor, change func(*domain.User)) error {
		user := domain.User{ID: rita.UserID, Email: "rita@example.com", Name: "rita",
			Roles: []domain.Role{domain.RoleL1}, Queues: []string{domain.QueueL1}}
		change(&user)
		_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
		return err
	}
	for want, change := range map[string]func(env *testEnv, rita domain.Actor) error{
		"limit_lowered": func(env *testEnv, _ domain.Actor) error {
			return env.svc.SetLimit(env.ctx, domain.SystemActor(),
				domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 100})
		},
		"role_removed": func(env *testEnv, rita domain.Actor) error {
			return put(env, rita, func(u *domain.User) { u.Queues = nil })
		},
		"disabled": func(env *testEnv, rita domain.Actor) error {
			return put(env, rita, func(u *domain.User) { u.Disabled = true })
		},
		"conflict": func(env *testEnv, rita domain.Actor) error {
			_, err := env.svc.DeclareConflict(env.ctx, domain.SystemActor(),
				casework.DeclareConflict{Person: rita.UserID, Party: "Muster Holding"})
			must(env.t, err)
			env.joinGroups("Muster Holding", "Muster Werke GmbH")
			again, err := env.svc.GroupParty(env.ctx, env.person("ada", domain.RoleAdmin),
				casework.GroupParty{Party: "Muster Holding", With: "Muster Werke GmbH"})
			if err == nil && again.ProposalID != domain.NoID {
				env.t.Error("one group is proposed to join itself")
			}
			return err
		},
		"": func(env *testEnv, rita domain.Actor) error {
			return put(env, rita, func(u *domain.User) { u.Name = "Rita" })
		},
	} {
		t.Run("released "+want, func(t *testing.T) {
			t.Parallel()
			env, _, id := newReviewEnv(t, "120000.00")
			rita := env.person("rita", domain.RoleL1)
			env.claim(rita, id)
			must(t, change(env, rita))
			if got := strings.Join(env.releases(id), " "); got != want {
				t.Errorf("released because of %q, want %q", got, want)
			}
			if claimed := env.openReview(
				id).Status == domain.ReviewClaimed; claimed != (want == "") {
				t.Errorf("still claimed: %t", claimed)
			}
		})
	}
}

func TestLeavingTheGroupLiftsTheConflict(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita := env.person("rita", domain.RoleL1)
	_, err := env.svc.DeclareConflict(env.ctx, rita,
		casework.DeclareConflict{Person: rita.UserID, Party: "Muster Holding"})
	must(t, err)
	env.joinGroups("Muster Werke GmbH", "Muster Holding")
	_, err = env.svc.ClaimReview(env.ctx, rita,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.ConflictOfInterest)
	// whose id may also be the group's id
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	left, err := env.svc.GroupParty(env.ctx, ada, casework.GroupParty{Party: "Muster Holding"})
	must(t, err)
	must(t, env.confirm(adam, left.ProposalID))
	env.claim(rita, id)
}

// No user reviews a payment to their own account, whether it was recorded before or after the
// document arrived.
func TestOwnAccountAsPayee(t *testing.T) {
	t.Parallel()
	env, sam, id := newReviewEnv(t, "120000.00")
	rita, rolf, ada := env.person("rita", domain.RoleL1), env.person("rolf", domain.RoleL1),
		env.person("ada", domain.RoleAdmin)
	env.claim(rita, id)
	account := casework.SetOwnAccount{Person: rita.UserID, Account: "DE89 3704 0044 0532 0130 00"}
	for range 2 {
		must(t, env.svc.SetOwnAccount(env.ctx, rita, account))
	}
	if got := env.releases(id); len(got) != 1 || got[0] != "conflict" {
		t.Errorf("released because of %q", got)
	}
	later := env.submit(sam, "later")
	env.drainQueue()
	for _, caseID := range []domain.ID{id, later} {
		_, err := env.svc.ClaimReview(env.ctx, rita,
			casework.ReviewTarget{ReviewID: env.openReview(caseID).ID})
		wantCode(t, err, domain.FourEyes)
		env.claim(rolf, caseID)
	}
	account.Ended = true
	wantCode(t, env.svc.SetOwnAccount(env.ctx, rita, account), domain.NotPermitted)
	must(t, env.svc.SetOwnAccount(env.ctx, ada, account))
	wantCode(t, env.svc.SetOwnAccount(env.ctx, ada,
		casework.SetOwnAccount{Person: rita.UserID, Account: "nonsense"}), domain.InvalidInput)
}

// A reviewer who sets a payee that was neither declared nor read may not decide about it.
func TestSettingThePayeeExcludesFromDeciding(t *testing.T) {
	t.Parallel()
	for name, field := range map[string]casework.FieldInput{
		"another vendor":  {Name: domain.FieldVendor, Value: "Ritas Beratung"},
		"another account": {Name: domain.FieldIBAN, Value: "GB29 NWBK 6016 1331 9268 19"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, _, id := newReviewEnv(t, "120000.00")
			rita := env.person("rita", domain.RoleL1)
			env.person("rolf", domain.RoleL1) // can decide afterwards
			review := env.claim(rita, id)
			correct := casework.CorrectFields{
				ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
				Fields:       []casework.FieldInput{field}}
			_, err := env.svc.CorrectFields(env.ctx, rita, correct)
			wantCode(t, err, domain.ConfirmationNeeded)
			correct.Confirm = true
			_, err = env.svc.CorrectFields(env.ctx, rita, correct)
			must(t, err)
			_, err = env.svc.ClaimReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
			wantCode(t, err, domain.FourEyes)
		})
	}
	t.Run("the value read, spelled differently", func(t *testing.T) {
		t.Parallel()
		env, _, id := newReviewEnv(t, "120000.00")
		rita := env.person("rita", domain.RoleL1)
		review := env.claim(rita, id)
		_, err := env.svc.CorrectFields(env.ctx, rita,
			casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
				Fields: []casework.FieldInput{
					{Name: domain.FieldVendor, Value: "MUSTER WERKE  GmbH"}}})
		must(t, err)
		must(t, env.decide(rita, review.ID, domain.Approve, ""))
	})
}

func TestConflictPermissions(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, ada, adam := env.person("rita", domain.RoleL1), env.person("ada", domain.RoleAdmin),
		env.person("adam", domain.RoleAdmin)
	_, err := env.svc.DeclareConflict(env.ctx, rita,
		casework.DeclareConflict{Person: ada.UserID, Party: "Acme"})
	wantCode(t, err, domain.NotPermitted)
	own, err := env.svc.DeclareConflict(env.ctx, rita,
		casework.DeclareConflict{Person: rita.UserID, Party: "Acme"})
	must(t, err)
	adas, err := env.svc.DeclareConflict(env.ctx, ada,
		casework.DeclareConflict{Person: ada.UserID, Party: "Acme"})
	must(t, err)
	alma := env.person("alma", domain.RoleAdmin)
	end := func(by domain.Actor, conflict domain.ID, reason string) (domain.ID, error) {
		proposed, err := env.svc.EndConflict(env.ctx, by,
			casework.EndConflict{ID: conflict, Reason: reason})
		return proposed.ProposalID, err
	}
	_, err = end(rita, own, "over")
	wantCode(t, err, domain.NotPermitted)
	_, err = end(ada, own, "")
	wantCode(t, err, domain.InvalidInput)
	_, err = end(ada, adas, "over")
	wantCode(t, err, domain.FourEyes)
	_, err = end(domain.SystemActor(), adas, "over")
	wantCode(t, err, domain.FourEyes)
	proposed, err := end(adam, adas, "over")
	must(t, err)
	wantCode(t, env.confirm(rita, proposed), domain.NotPermitted)
	wantCode(t, env.confirm(adam, proposed), domain.FourEyes)
	wantCode(t, env.confirm(ada, proposed), domain.FourEyes) // her own conflict
	if left := env.queryInt(`SELECT count(*) FROM conflicts WHERE ended_at IS NULL`); left != 2 {
		t.Errorf("%d conflicts are active before the second person confirmed, want 2", left)
	}
	must(t, env.confirm(alma, proposed))
	_, err = end(adam, adas, "over")
	wantCode(t, err, domain.NotFound)
	_, err = env.svc.DeclareConflict(env.ctx, ada,
		casework.DeclareConflict{Person: domain.NewID(), Party: "Acme"})
	wantCode(t, err, domain.NotFound)
}

func TestImportConflicts(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita, ada := env.person("rita", domain.RoleL1), env.person("ada", domain.RoleAdmin)
	env.claim(rita, id)
	_, err := env.svc.DeclareConflict(env.ctx, ada,
		casework.DeclareConflict{Person: ada.UserID, Party: "Acme"})
	must(t, err)
	good := "\ufeffEmail;Counterparty;Reason\nRITA@example.com;\"Muster Werke, GmbH\";cousin\nada@example.com;ACME;\nrita@example.com;muster werke gmbh;twice\n"
	lines, err := env.svc.PreviewConflicts(env.ctx, ada,
		good+"nobody@example.com;Acme;x\nada@example.com;;x\n")
	must(t, err)
	var outcomes []string
	for _, line := range lines {
		outcomes = append(outcomes, string(line.Outcome))
	}
	if got := strings.Join(outcomes, " "); got != "declared stands stands refused refused" ||
		lines[3].Line != 5 {
		t.Errorf("got the preview %q, %+v", got, lines[3])
	}
	_, err = env.svc.ImportConflicts(env.ctx, ada,
		casework.ImportConflicts{CSV: good + "nobody@example.com;Acme;x\n"})
	wantCode(t, err, domain.InvalidInput)
	if got := env.releases(id); len(got) != 0 {
		t.Fatalf("a refused import released a claim: %q", got)
	}
	_, err = env.svc.ImportConflicts(env.ctx, rita, casework.ImportConflicts{CSV: good})
	wantCode(t, err, domain.NotPermitted)
	for range 2 {
		done, err := env.svc.ImportConflicts(env.ctx, ada,
			casework.ImportConflicts{Once: casework.Once{Key: "import-1"}, CSV: good})
		must(t, err)
		if len(done) != 3 || done[0].Outcome != casework.ImportDeclared {
			t.Errorf("imported %+v", done)
		}
	}
	_, err = env.svc.ImportConflicts(env.ctx, ada,
		casework.ImportConflicts{Once: casework.Once{Key: "import-1"},
			CSV: good + "ada@example.com;Other;\n"})
	wantCode(t, err, domain.IdempotencyMismatch)
	all, err := env.db.Reader().Conflicts(env.ctx, domain.NoID)
	must(t, err)
	if len(all) != 2 || all[1].Source != domain.FromImport || all[1].Person != rita.UserID {
		t.Errorf("on record: %+v", all)
	}
	if got := env.releases(id); len(got) != 1 {
		t.Errorf("released because of %q", got)
	}
	for _, broken := range []string{"", "a,b\n", "email,counterparty,reason\n",
		"email,counterparty\n\"x", strings.Repeat("x", 10)} {
		if _, err := env.svc.PreviewConflicts(env.ctx, ada, broken); !domain.HasCode(err,
			domain.InvalidInput) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
