package casework_test

import (
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// program makes a person whose programs do external stages of the topics.
func (w *world) program(name string, topics ...string) domain.Actor {
	w.t.Helper()
	id, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{Email: name + "@example.com", Name: name,
		Roles: []domain.Role{domain.RoleExternal}, Queues: topics}})
	must(w.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI, Scopes: []string{string(domain.ActExternal)}}
}

// translated is a world with a case that waits for its translation, and a program that translates.
func translated(t *testing.T) (*world, domain.ID, domain.Actor) {
	t.Helper()
	w := newWorld(t)
	w.publish(standing(t, "document_translation"))
	id := w.submitted("document_approval")
	w.at(id, domain.Processing, "translate")
	return w, id, w.program("translator", "translation")
}

func (w *world) lease(by domain.Actor) []casework.ExternalTask {
	w.t.Helper()
	tasks, err := w.hall.LeaseExternalTasks(w.ctx, by, casework.LeaseExternal{Topic: "translation", Worker: "w", Most: 10})
	must(w.t, err)
	return tasks
}

func leaseOf(task casework.ExternalTask) casework.ExternalLease {
	return casework.ExternalLease{CaseID: task.Run.CaseID, RunID: task.Run.ID, Token: task.Run.LeaseToken}
}

func (w *world) field(id domain.ID, name string) domain.Field {
	w.t.Helper()
	rows, err := w.db.Reader().Fields(w.ctx, id)
	must(w.t, err)
	for _, row := range rows {
		if row.Name == name {
			return row.Field
		}
	}
	return domain.Field{}
}

func TestExternalStageIsDoneByAProgram(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	tasks := w.lease(robo)
	if len(tasks) != 1 || len(tasks[0].Pages) != 1 || tasks[0].Outcomes[0] != "done" || tasks[0].Case.ID != id {
		t.Fatalf("leased %+v", tasks)
	}
	if again := w.lease(robo); len(again) != 0 {
		t.Fatalf("leased twice: %+v", again)
	}
	must(t, first(w.hall.OpenBlob(w.ctx, robo, casework.OpenBlob{CaseID: id, Kind: casework.BlobOriginal})))
	in := casework.CompleteExternal{Once: casework.Once{Key: "k"}, Lease: leaseOf(tasks[0]), Outcome: "lost"}
	_, err := w.hall.CompleteExternalTask(w.ctx, robo, in)
	wantCode(t, err, domain.InvalidInput)
	in.Outcome, in.Fields = "done", []casework.ExternalField{{Name: "translation", Value: "Invoice", Confidence: 0.9}}
	for range 2 { // the answer was lost, and the program asks again
		must(t, first(w.hall.CompleteExternalTask(w.ctx, robo, in)))
	}
	_, err = w.hall.OpenBlob(w.ctx, robo, casework.OpenBlob{CaseID: id, Kind: casework.BlobOriginal})
	wantCode(t, err, domain.NotPermitted) // with the lease goes the right to look
	in.Once.Key = "other"
	_, err = w.hall.CompleteExternalTask(w.ctx, robo, in)
	wantCode(t, err, domain.LeaseLost)
	w.work()
	w.at(id, domain.Archived)
	if f := w.field(id, "translation"); f.Normalised != "Invoice" || f.Source != domain.SourceExternal {
		t.Errorf("the field is %+v", f)
	}
	w.verify(id)
}

func TestWhoMayDoExternalStages(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	other, rita := w.program("other", "screening"), w.person("rita", domain.RoleL1)
	for name, actor := range map[string]domain.Actor{"another topic": other, "a reviewer": rita,
		"another scope": {UserID: robo.UserID, Scopes: []string{"submit"}}} {
		_, err := w.hall.LeaseExternalTasks(w.ctx, actor, casework.LeaseExternal{Topic: "translation"})
		if !domain.HasCode(err, domain.NotPermitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	task := w.lease(robo)[0]
	same := w.program("same", "translation")
	for name, lease := range map[string]casework.ExternalLease{"stolen token": leaseOf(task),
		"no such case": {CaseID: domain.NewID(), RunID: task.Run.ID, Token: task.Run.LeaseToken}, "no token": {CaseID: id, RunID: task.Run.ID}} {
		_, err := w.hall.CompleteExternalTask(w.ctx, same, casework.CompleteExternal{Lease: lease})
		wantCode(t, err, domain.LeaseLost)
		_, err = w.hall.ExtendExternalTask(w.ctx, same, lease)
		if !domain.HasCode(err, domain.LeaseLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A right that is taken away holds at once.
	_, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{ID: robo.UserID, Email: "translator@example.com", Name: "translator"}})
	must(t, err)
	_, err = w.hall.CompleteExternalTask(w.ctx, robo, casework.CompleteExternal{Lease: leaseOf(task)})
	wantCode(t, err, domain.NotPermitted)
}

func TestProgramThatDiedIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	dead := w.lease(robo)[0]
	w.later(9 * time.Minute)
	until, err := w.hall.ExtendExternalTask(w.ctx, robo, leaseOf(dead))
	must(t, err)
	if got := until.Sub(dead.Run.LeaseUntil); got < 8*time.Minute {
		t.Errorf("extended by %s", got)
	}
	w.later(20 * time.Minute)
	_, err = w.hall.CompleteExternalTask(w.ctx, robo, casework.CompleteExternal{Lease: leaseOf(dead)})
	wantCode(t, err, domain.LeaseLost) // late, though nobody has it yet
	n, err := w.hall.Sweep(w.ctx)
	must(t, err)
	if n != 0 {
		t.Errorf("%d rung; no worker of ours does it", n)
	}
	next := w.lease(robo)
	if len(next) != 1 || next[0].Run.Expiries != 1 || next[0].Run.LeaseToken == dead.Run.LeaseToken {
		t.Fatalf("leased %+v", next)
	}
	_, err = w.hall.CompleteExternalTask(w.ctx, robo, casework.CompleteExternal{Lease: leaseOf(dead)})
	wantCode(t, err, domain.LeaseLost)
	must(t, first(w.hall.CompleteExternalTask(w.ctx, robo, casework.CompleteExternal{Lease: leaseOf(next[0])})))
	w.work()
	w.at(id, domain.Archived)
	if w.count(id, domain.StageCompleted) != 6 {
		t.Errorf("events %v", w.types(id))
	}
	w.verify(id)
}

func TestExternalStageThatFails(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	fail := func(code domain.Code) {
		t.Helper()
		tasks := w.lease(robo)
		if len(tasks) != 1 {
			t.Fatalf("leased %+v", tasks)
		}
		must(t, first(w.hall.FailExternalTask(w.ctx, robo, casework.FailExternal{Lease: leaseOf(tasks[0]), Code: code, Message: "no such language"})))
	}
	fail("")
	if tasks := w.lease(robo); len(tasks) != 0 {
		t.Fatal("it is offered again before its time")
	}
	w.later(time.Minute)
	fail(domain.Unavailable)
	w.later(3 * time.Minute)
	fail("") // the third and last attempt: the process goes on without a translation
	w.work()
	w.at(id, domain.Archived)
	if w.count(id, domain.StageRetrying) != 2 || w.count(id, domain.StageFailed) != 1 {
		t.Errorf("events %v", w.types(id))
	}
	w.verify(id)

	other := w.submitted("document_approval")
	task := w.lease(robo)[0]
	_, err := w.hall.FailExternalTask(w.ctx, robo, casework.FailExternal{Lease: leaseOf(task), Code: domain.FourEyes, Message: "x"})
	wantCode(t, err, domain.InvalidInput)
	must(t, first(w.hall.FailExternalTask(w.ctx, robo, casework.FailExternal{Lease: leaseOf(task), Code: domain.UnsupportedFile, Message: "no text"})))
	w.work()
	w.at(other, domain.InReview, "review_l1") // what cannot be mended is not tried again; the same number is no clean one
}

// Nobody serves the topic: the boundary timer leads on, and a program that comes then finds nothing.
func TestExternalStageThatNobodyDoes(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	w.bell.take()
	w.later(25 * time.Hour)
	must(t, first(w.hall.Sweep(w.ctx)))
	w.work()
	w.at(id, domain.Archived)
	if tasks := w.lease(robo); len(tasks) != 0 {
		t.Errorf("leased %+v", tasks)
	}
	w.verify(id)
}

func TestProgramsThatKeepDying(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	_, err := w.owner.Exec(w.ctx, `UPDATE stage_runs SET expiries = 10 WHERE case_id = $1 AND queue = 'external'`, id)
	must(t, err)
	for range 3 { // two attempts more, then the way around
		if tasks := w.lease(robo); len(tasks) != 0 {
			t.Fatalf("handed out once more: %+v", tasks)
		}
	}
	w.work()
	w.at(id, domain.Archived)
	if w.count(id, domain.StageFailed) != 1 {
		t.Errorf("events %v", w.types(id))
	}
}

// A program's amount is a fact like any other: what was approved on another one falls.
func TestProgramThatChangesTheAmount(t *testing.T) {
	t.Parallel()
	w, id, robo := translated(t)
	task := w.lease(robo)[0]
	must(t, first(w.hall.CompleteExternalTask(w.ctx, robo, casework.CompleteExternal{Lease: leaseOf(task),
		Fields: []casework.ExternalField{{Name: domain.FieldTotal, Value: "900000.00", Confidence: 1}, {Name: domain.FieldCurrency, Value: "EUR", Confidence: 1}}})))
	w.work()
	w.at(id, domain.InReview, "review_l1")
	if c := w.kase(id); c.BaseMinor != 99000000 {
		t.Errorf("the amount is %+v", c.Amount)
	}
	_, err := w.hall.ClaimReview(w.ctx, w.person("rita", domain.RoleL1), casework.OnReview{ReviewID: w.openReview(id).ID})
	wantCode(t, err, domain.ApprovalLimit)
	w.verify(id)
}

// Many programs at once: every task is had once.
func TestProgramsRaceForTasks(t *testing.T) {
	t.Parallel()
	w, _, robo := translated(t)
	const cases = 9
	for range cases {
		w.submitted("document_approval")
	}
	var mu sync.Mutex
	had := map[domain.ID]int{}
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() {
			for range 10 {
				tasks, err := w.hall.LeaseExternalTasks(w.ctx, robo, casework.LeaseExternal{Topic: "translation", Most: 2})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, task := range tasks {
					had[task.Run.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	for id, times := range had {
		if times != 1 {
			t.Errorf("%s was had %d times", id, times)
		}
	}
	if len(had) != cases+1 {
		t.Errorf("%d of %d tasks were had", len(had), cases+1)
	}
}

// A program that brings new rules puts them in force where nobody has made rules of their own.
func TestBuiltinPolicyFollowsTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.owner.Exec(w.ctx, `INSERT INTO policies (version, rules, created_by) SELECT 2, '[]', created_by FROM policies`)
	must(t, err)
	for range 2 {
		must(t, w.hall.PublishBuiltins(w.ctx))
	}
	version, rules, err := w.db.Reader().Policy(w.ctx)
	must(t, err)
	if version != 3 || len(rules) < 100 {
		t.Errorf("version %d with %d bytes of rules", version, len(rules))
	}
}
