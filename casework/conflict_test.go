package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

// window reads as a person through the policy of the world's hall.
func (w *world) window() *views.Views { return views.New(w.db.Reader(), w.hall.Judge) }

// releases are the reasons for which the case's review was given back.
func (w *world) releases(id domain.ID) []string {
	w.t.Helper()
	reading, err := w.db.Reader().EventsAfter(w.ctx, id, 0, 1000)
	must(w.t, err)
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

// A conflict holds at once: the claim is withdrawn in the same transaction, the draft stays for whoever comes next, and
// the case leaves what the person sees.
func TestConflictWithdrawsTheClaim(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	rita, ada := w.person("rita", domain.RoleL1), w.person("adam", domain.RoleAdmin)
	review := w.claim(rita, id)
	must(t, w.hall.SaveDraft(w.ctx, rita, review.ID, []byte(`{"note":"half"}`)))
	declare := casework.DeclareConflict{Person: rita.UserID, Party: "MUSTER Werke GmbH", Reason: "sister works there"}
	first, err := w.hall.DeclareConflict(w.ctx, ada, declare)
	must(t, err)
	again, err := w.hall.DeclareConflict(w.ctx, ada, declare)
	must(t, err)
	if first != again {
		t.Errorf("declared twice: %s and %s", first, again)
	}
	var draft string
	must(t, w.owner.QueryRow(w.ctx, `SELECT convert_from(draft, 'UTF8') FROM reviews WHERE id = $1`, review.ID).Scan(&draft))
	if after := w.openReview(id); after.Status != domain.ReviewOpen || after.Assignee != domain.NoID || draft != `{"note":"half"}` {
		t.Errorf("the review is %+v, its draft %s", after, draft)
	}
	if got := w.releases(id); len(got) != 1 || got[0] != "conflict" {
		t.Errorf("released because of %q", got)
	}
	wantCode(t, w.decide(rita, review.ID, domain.Approve, ""), domain.ConflictOfInterest)
	window := w.window()
	queue, err := window.Queue(w.ctx, rita, views.QueueQuery{First: 10})
	must(t, err)
	cases, err := window.Cases(w.ctx, rita, store.CaseQuery{Text: "muster", Limit: 10})
	must(t, err)
	tally, err := window.Tally(w.ctx, rita)
	must(t, err)
	if queue.Total != 0 || len(queue.Reviews) != 0 || len(cases.Cases) != 0 || tally.Available+tally.Mine != 0 {
		t.Errorf("still seen: queue %+v, cases %d, tally %+v", queue, len(cases.Cases), tally)
	}
	w.verify(id)
}

// What a person holds is judged anew with every change of their power.
func TestLessPowerWithdrawsClaims(t *testing.T) {
	t.Parallel()
	put := func(w *world, rita domain.Actor, change func(*domain.User)) error {
		user := domain.User{ID: rita.UserID, Email: "rita@example.com", Name: "rita", Roles: []domain.Role{domain.RoleL1}, Queues: []string{domain.QueueL1}}
		change(&user)
		_, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: user})
		return err
	}
	for want, change := range map[string]func(w *world, rita domain.Actor) error{
		"limit_lowered": func(w *world, _ domain.Actor) error {
			return w.hall.SetLimit(w.ctx, domain.SystemActor(), domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 100})
		},
		"role_removed": func(w *world, rita domain.Actor) error { return put(w, rita, func(u *domain.User) { u.Queues = nil }) },
		"disabled": func(w *world, rita domain.Actor) error {
			return put(w, rita, func(u *domain.User) { u.Disabled = true })
		},
		"conflict": func(w *world, rita domain.Actor) error {
			_, err := w.hall.DeclareConflict(w.ctx, domain.SystemActor(), casework.DeclareConflict{Person: rita.UserID, Party: "Muster Holding"})
			must(w.t, err)
			for range 2 {
				_, err = w.hall.GroupParty(w.ctx, domain.SystemActor(), casework.GroupParty{Party: "Muster Holding", With: "Muster Werke GmbH"})
				must(w.t, err)
			}
			return nil
		},
		"": func(w *world, rita domain.Actor) error { return put(w, rita, func(u *domain.User) { u.Name = "Rita" }) },
	} {
		t.Run("because "+want, func(t *testing.T) {
			t.Parallel()
			w, _, id := reviewed(t, "120000.00")
			rita := w.person("rita", domain.RoleL1)
			w.claim(rita, id)
			must(t, change(w, rita))
			if got := strings.Join(w.releases(id), " "); got != want {
				t.Errorf("released because of %q, want %q", got, want)
			}
			if held := w.openReview(id).Status == domain.ReviewClaimed; held != (want == "") {
				t.Errorf("still held: %t", held)
			}
		})
	}
}

func TestLeavingTheGroupFrees(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	rita, system := w.person("rita", domain.RoleL1), domain.SystemActor()
	_, err := w.hall.DeclareConflict(w.ctx, rita, casework.DeclareConflict{Person: rita.UserID, Party: "Muster Holding"})
	must(t, err)
	_, err = w.hall.GroupParty(w.ctx, system, casework.GroupParty{Party: "Muster Werke GmbH", With: "Muster Holding"})
	must(t, err)
	_, err = w.hall.ClaimReview(w.ctx, rita, casework.OnReview{ReviewID: w.openReview(id).ID})
	wantCode(t, err, domain.ConflictOfInterest)
	_, err = w.hall.GroupParty(w.ctx, system, casework.GroupParty{Party: "Muster Holding"}) // whose id the group may bear
	must(t, err)
	w.claim(rita, id)
}

// Nobody reviews a payment to their own account, whether it is on record before or after the document came.
func TestOwnAccountAsPayee(t *testing.T) {
	t.Parallel()
	w, sam, id := reviewed(t, "120000.00")
	rita, rolf, ada := w.person("rita", domain.RoleL1), w.person("rolf", domain.RoleL1), w.person("ada", domain.RoleAdmin)
	w.claim(rita, id)
	account := casework.OwnAccount{Person: rita.UserID, Account: "DE89 3704 0044 0532 0130 00"}
	for range 2 {
		must(t, w.hall.OwnAccount(w.ctx, rita, account))
	}
	if got := w.releases(id); len(got) != 1 || got[0] != "conflict" {
		t.Errorf("released because of %q", got)
	}
	later := w.submit(sam, "later")
	w.work()
	for _, one := range []domain.ID{id, later} {
		_, err := w.hall.ClaimReview(w.ctx, rita, casework.OnReview{ReviewID: w.openReview(one).ID})
		wantCode(t, err, domain.FourEyes)
		w.claim(rolf, one)
	}
	account.Ended = true
	wantCode(t, w.hall.OwnAccount(w.ctx, rita, account), domain.NotPermitted)
	must(t, w.hall.OwnAccount(w.ctx, ada, account))
	wantCode(t, w.hall.OwnAccount(w.ctx, ada, casework.OwnAccount{Person: rita.UserID, Account: "nonsense"}), domain.InvalidInput)
}

// Who sets a payee that was neither declared nor read does not decide about it.
func TestWhoSetsThePayeeDoesNotDecide(t *testing.T) {
	t.Parallel()
	for name, field := range map[string]casework.FieldInput{
		"another vendor":  {Name: domain.FieldVendor, Value: "Ritas Beratung"},
		"another account": {Name: domain.FieldIBAN, Value: "GB29 NWBK 6016 1331 9268 19"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, id := reviewed(t, "120000.00")
			rita := w.person("rita", domain.RoleL1)
			review := w.claim(rita, id)
			correct := casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID}, Fields: []casework.FieldInput{field}}
			_, err := w.hall.CorrectFields(w.ctx, rita, correct)
			wantCode(t, err, domain.ConfirmationNeeded)
			correct.Confirm = true
			_, err = w.hall.CorrectFields(w.ctx, rita, correct)
			must(t, err)
			_, err = w.hall.ClaimReview(w.ctx, rita, casework.OnReview{ReviewID: review.ID})
			wantCode(t, err, domain.FourEyes)
		})
	}
	t.Run("what was read, written otherwise", func(t *testing.T) {
		t.Parallel()
		w, _, id := reviewed(t, "120000.00")
		rita := w.person("rita", domain.RoleL1)
		review := w.claim(rita, id)
		_, err := w.hall.CorrectFields(w.ctx, rita, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID},
			Fields: []casework.FieldInput{{Name: domain.FieldVendor, Value: "MUSTER WERKE  GmbH"}}})
		must(t, err)
		must(t, w.decide(rita, review.ID, domain.Approve, ""))
	})
}

func TestWhoMayDeclareAndEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rita, ada, adam := w.person("rita", domain.RoleL1), w.person("ada", domain.RoleAdmin), w.person("adam", domain.RoleAdmin)
	_, err := w.hall.DeclareConflict(w.ctx, rita, casework.DeclareConflict{Person: ada.UserID, Party: "Acme"})
	wantCode(t, err, domain.NotPermitted)
	own, err := w.hall.DeclareConflict(w.ctx, rita, casework.DeclareConflict{Person: rita.UserID, Party: "Acme"})
	must(t, err)
	adas, err := w.hall.DeclareConflict(w.ctx, ada, casework.DeclareConflict{Person: ada.UserID, Party: "Acme"})
	must(t, err)
	wantCode(t, w.hall.EndConflict(w.ctx, rita, casework.EndConflict{ID: own, Reason: "over"}), domain.NotPermitted)
	wantCode(t, w.hall.EndConflict(w.ctx, ada, casework.EndConflict{ID: own}), domain.InvalidInput)
	wantCode(t, w.hall.EndConflict(w.ctx, ada, casework.EndConflict{ID: adas, Reason: "over"}), domain.FourEyes)
	must(t, w.hall.EndConflict(w.ctx, adam, casework.EndConflict{ID: adas, Reason: "over"}))
	wantCode(t, w.hall.EndConflict(w.ctx, adam, casework.EndConflict{ID: adas, Reason: "over"}), domain.NotFound)
	_, err = w.hall.DeclareConflict(w.ctx, ada, casework.DeclareConflict{Person: domain.NewID(), Party: "Acme"})
	wantCode(t, err, domain.NotFound)
}

func TestImportConflicts(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	rita, ada := w.person("rita", domain.RoleL1), w.person("ada", domain.RoleAdmin)
	w.claim(rita, id)
	_, err := w.hall.DeclareConflict(w.ctx, ada, casework.DeclareConflict{Person: ada.UserID, Party: "Acme"})
	must(t, err)
	good := "\ufeffEmail;Counterparty;Reason\nRITA@example.com;\"Muster Werke, GmbH\";cousin\nada@example.com;ACME;\nrita@example.com;muster werke gmbh;twice\n"
	lines, err := w.hall.PreviewConflicts(w.ctx, ada, good+"nobody@example.com;Acme;x\nada@example.com;;x\n")
	must(t, err)
	var outcomes []string
	for _, line := range lines {
		outcomes = append(outcomes, string(line.Outcome))
	}
	if got := strings.Join(outcomes, " "); got != "declared stands stands refused refused" || lines[3].Line != 5 {
		t.Errorf("the preview says %q, %+v", got, lines[3])
	}
	_, err = w.hall.ImportConflicts(w.ctx, ada, casework.ImportConflicts{CSV: good + "nobody@example.com;Acme;x\n"})
	wantCode(t, err, domain.InvalidInput)
	if got := w.releases(id); len(got) != 0 {
		t.Fatalf("a refused import has withdrawn a claim: %q", got)
	}
	_, err = w.hall.ImportConflicts(w.ctx, rita, casework.ImportConflicts{CSV: good})
	wantCode(t, err, domain.NotPermitted)
	for range 2 {
		done, err := w.hall.ImportConflicts(w.ctx, ada, casework.ImportConflicts{Once: casework.Once{Key: "import-1"}, CSV: good})
		must(t, err)
		if len(done) != 3 || done[0].Outcome != casework.ImportDeclared {
			t.Errorf("imported %+v", done)
		}
	}
	_, err = w.hall.ImportConflicts(w.ctx, ada, casework.ImportConflicts{Once: casework.Once{Key: "import-1"}, CSV: good + "ada@example.com;Other;\n"})
	wantCode(t, err, domain.IdempotencyMismatch)
	all, err := w.db.Reader().Conflicts(w.ctx, domain.NoID)
	must(t, err)
	if len(all) != 2 || all[1].Source != domain.FromImport || all[1].Person != rita.UserID {
		t.Errorf("on record: %+v", all)
	}
	if got := w.releases(id); len(got) != 1 {
		t.Errorf("released because of %q", got)
	}
	for _, broken := range []string{"", "a,b\n", "email,counterparty,reason\n", "email,counterparty\n\"x", strings.Repeat("x", 10)} {
		if _, err := w.hall.PreviewConflicts(w.ctx, ada, broken); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
