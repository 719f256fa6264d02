package casework_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// externalWorker creates a user whose programs process external stages of the topics.
func (env *testEnv) externalWorker(name string, topics ...string) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
		casework.PutUser{User: domain.User{Email: name + "@example.com", Name: name,
			Roles: []domain.Role{domain.RoleExternal}, Queues: topics}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI,
		Scopes: []string{string(domain.ActExternal)}}
}

// newTranslationEnv returns a test environment, a case that waits for its translation, and a
// program that translates.
func newTranslationEnv(t *testing.T) (*testEnv, domain.ID, domain.Actor) {
	t.Helper()
	env := newTestEnv(t)
	env.knowVendors()
	env.publish(testDefinition(t, "document_translation"))
	id := env.submitToProcess("document_approval")
	env.requireState(id, domain.Processing, "translate")
	return env, id, env.externalWorker("translator", "translation")
}

func (env *testEnv) leaseTasks(by domain.Actor) []casework.ExternalTask {
	env.t.Helper()
	tasks, err := env.svc.LeaseExternalTasks(env.ctx, by,
		casework.LeaseExternal{Topic: "translation", Worker: "w", MaxTasks: 10})
	must(env.t, err)
	return tasks
}

func leaseOf(task casework.ExternalTask) casework.ExternalLease {
	return casework.ExternalLease{CaseID: task.Run.CaseID, RunID: task.Run.ID,
		Token: task.Run.LeaseToken}
}

func (env *testEnv) field(id domain.ID, name string) domain.Field {
	env.t.Helper()
	rows, err := env.db.Reader().Fields(env.ctx, id)
	must(env.t, err)
	for _, row := range rows {
		if row.Name == name {
			return row.Field
		}
	}
	return domain.Field{}
}

func TestProgramCompletesExternalStage(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	tasks := env.leaseTasks(robo)
	if len(tasks) != 1 || len(tasks[0].Pages) != 1 || tasks[0].Outcomes[0] != "done" ||
		tasks[0].Case.ID != id {
		t.Fatalf("leased %+v", tasks)
	}
	if again := env.leaseTasks(robo); len(again) != 0 {
		t.Fatalf("leased twice: %+v", again)
	}
	must(t, errOf(env.svc.OpenBlob(env.ctx, robo,
		casework.OpenBlob{CaseID: id, Kind: casework.BlobOriginal})))
	in := casework.CompleteExternal{Once: casework.Once{Key: "k"}, Lease: leaseOf(tasks[0]),
		Outcome: "lost"}
	_, err := env.svc.CompleteExternalTask(env.ctx, robo, in)
	wantCode(t, err, domain.InvalidInput)
	in.Outcome, in.Fields = "done",
		[]casework.ExternalField{{Name: "translation", Value: "Invoice", Confidence: 0.9}}
	for range 2 { // the program repeats the request
		must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo, in)))
	}
	_, err = env.svc.OpenBlob(env.ctx, robo, casework.OpenBlob{CaseID: id,
		Kind: casework.BlobOriginal})
	wantCode(t, err, domain.NotPermitted) // the access ends with the lease
	in.Once.Key = "other"
	_, err = env.svc.CompleteExternalTask(env.ctx, robo, in)
	wantCode(t, err, domain.LeaseLost)
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if f := env.field(id, "translation"); f.Normalised != "Invoice" ||
		f.Source != domain.SourceExternal {
		t.Errorf("the field is %+v", f)
	}
	env.verifyCaseLog(id)
}

func TestExternalStageAuthorization(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	other, rita := env.externalWorker("other", "screening"), env.person("rita", domain.RoleL1)
	for name, actor := range map[string]domain.Actor{"another topic": other, "a reviewer": rita,
		"another scope": {UserID: robo.UserID, Scopes: []string{"submit"}}} {
		_, err := env.svc.LeaseExternalTasks(env.ctx, actor,
			casework.LeaseExternal{Topic: "translation"})
		if !domain.HasCode(err, domain.NotPermitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	task := env.leaseTasks(robo)[0]
	same := env.externalWorker("same", "translation")
	for name, lease := range map[string]casework.ExternalLease{"stolen token": leaseOf(task),
		"no such case": {CaseID: domain.NewID(), RunID: task.Run.ID, Token: task.Run.LeaseToken},
		"no token":     {CaseID: id, RunID: task.Run.ID}} {
		_, err := env.svc.CompleteExternalTask(env.ctx, same,
			casework.CompleteExternal{Lease: lease})
		wantCode(t, err, domain.LeaseLost)
		_, err = env.svc.ExtendExternalTask(env.ctx, same, lease)
		if !domain.HasCode(err, domain.LeaseLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A revoked permission takes effect immediately.
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
		casework.PutUser{User: domain.User{ID: robo.UserID, Email: "translator@example.com",
			Name: "translator"}})
	must(t, err)
	_, err = env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(task)})
	wantCode(t, err, domain.NotPermitted)
}

func TestExpiredExternalLeaseIsOfferedAgain(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	dead := env.leaseTasks(robo)[0]
	env.setClockOffset(9 * time.Minute)
	until, err := env.svc.ExtendExternalTask(env.ctx, robo, leaseOf(dead))
	must(t, err)
	if got := until.Sub(dead.Run.LeaseUntil); got < 8*time.Minute {
		t.Errorf("extended by %s", got)
	}
	env.setClockOffset(20 * time.Minute)
	_, err = env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(dead)})
	wantCode(t, err, domain.LeaseLost) // expired, although no other program has leased it
	n, err := env.svc.Sweep(env.ctx)
	must(t, err)
	if n != 0 {
		t.Errorf("%d enqueued, but external runs are not", n)
	}
	next := env.leaseTasks(robo)
	if len(next) != 1 || next[0].Run.Expiries != 1 ||
		next[0].Run.LeaseToken == dead.Run.LeaseToken {
		t.Fatalf("leased %+v", next)
	}
	_, err = env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(dead)})
	wantCode(t, err, domain.LeaseLost)
	must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(next[0])})))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if env.countEvents(id, domain.StageCompleted) != 6 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}

func TestFailedExternalStage(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	fail := func(code domain.Code) {
		t.Helper()
		tasks := env.leaseTasks(robo)
		if len(tasks) != 1 {
			t.Fatalf("leased %+v", tasks)
		}
		must(t, errOf(env.svc.FailExternalTask(env.ctx, robo,
			casework.FailExternal{Lease: leaseOf(tasks[0]), Code: code,
				Message: "no such language"})))
	}
	fail("")
	if tasks := env.leaseTasks(robo); len(tasks) != 0 {
		t.Fatal("the task is offered again too early")
	}
	env.setClockOffset(time.Minute)
	fail(domain.Unavailable)
	env.setClockOffset(3 * time.Minute)
	fail("") // third and last attempt: the process continues without a translation
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if env.countEvents(id, domain.StageRetrying) != 2 ||
		env.countEvents(id, domain.StageFailed) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.verifyCaseLog(id)

	other := env.submitToProcess("document_approval")
	task := env.leaseTasks(robo)[0]
	_, err := env.svc.FailExternalTask(env.ctx, robo,
		casework.FailExternal{Lease: leaseOf(task), Code: domain.FourEyes, Message: "x"})
	wantCode(t, err, domain.InvalidInput)
	must(t, errOf(env.svc.FailExternalTask(env.ctx, robo,
		casework.FailExternal{Lease: leaseOf(task), Code: domain.UnsupportedFile,
			Message: "no text"})))
	env.drainQueue()
	// A permanent failure is not retried. The duplicate number requires a review.
	env.requireState(other, domain.InReview, "review_l1")
}

// TestUnservedExternalStageTimesOut checks that the boundary timer fires if no program serves the
// topic, and that the task is then gone.
func TestUnservedExternalStageTimesOut(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	env.notifier.drain()
	env.setClockOffset(25 * time.Hour)
	must(t, errOf(env.svc.Sweep(env.ctx)))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if tasks := env.leaseTasks(robo); len(tasks) != 0 {
		t.Errorf("leased %+v", tasks)
	}
	env.verifyCaseLog(id)
}

func TestExternalStageFailsAfterManyExpiries(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	_, err := env.owner.Exec(env.ctx,
		`UPDATE stage_runs SET expiries = 10 WHERE case_id = $1 AND queue = 'external'`, id)
	must(t, err)
	for range 3 { // two more attempts, then the error edge
		if tasks := env.leaseTasks(robo); len(tasks) != 0 {
			t.Fatalf("leased again: %+v", tasks)
		}
	}
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if env.countEvents(id, domain.StageFailed) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

// TestExternalAmountChangesKeyFacts checks that an amount from a program is a key fact, which
// limits apply to.
func TestExternalAmountChangesKeyFacts(t *testing.T) {
	t.Parallel()
	env, id, robo := newTranslationEnv(t)
	task := env.leaseTasks(robo)[0]
	must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo,
		casework.CompleteExternal{Lease: leaseOf(task),
			Fields: []casework.ExternalField{{Name: domain.FieldTotal, Value: "900000.00",
				Confidence: 1}, {Name: domain.FieldCurrency, Value: "EUR", Confidence: 1}}})))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	if c := env.caseByID(id); c.BaseMinor != 99000000 {
		t.Errorf("the amount is %+v", c.Amount)
	}
	env.person("sid", domain.RoleSenior) // may decide, so that no one else may claim it
	_, err := env.svc.ClaimReview(env.ctx, env.person("rita", domain.RoleL1),
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.ApprovalLimit)
	env.verifyCaseLog(id)
}

// TestScreeningSeesTheRiskBasis checks that a program gets everything asserted about the case, so that
// a screening also judges what the document does not say.
func TestScreeningSeesTheRiskBasis(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(testDefinition(t, "supplier_payment"))
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	robo := env.externalWorker("robo", "screening")
	env.reader.xml = invoiceXML("717.97", "S-1")
	id := env.submitDeclared(sam, "supplier_payment", "invoice", "9000", "USD", "IR")
	for _, by := range []domain.Actor{ann, ben} {
		must(t, env.claimAndDecide(by, id, "approval", domain.Approve))
	}
	tasks, err := env.svc.LeaseExternalTasks(env.ctx, robo,
		casework.LeaseExternal{Topic: "screening"})
	must(t, err)
	if len(tasks) != 1 {
		t.Fatalf("%d tasks", len(tasks))
	}
	risk := tasks[0].Risk
	if fmt.Sprint(risk.Amounts) != "[717.97 EUR 9000.00 USD]" &&
		fmt.Sprint(risk.Amounts) != "[9000.00 USD 717.97 EUR]" ||
		!slices.Equal(risk.Countries, []string{"DE", "IR"}) ||
		!slices.Contains(risk.CountryRoles, domain.CountryAtRisk{Code: "IR",
			Role: domain.CountryDeclared, Field: domain.FieldCountry,
			Source: domain.SourceDeclared}) ||
		!slices.Equal(risk.Names, []string{"Muster Werke GmbH"}) ||
		!slices.Equal(risk.TaxIDs, []string{einvoice.TaxID("Muster Werke GmbH")}) ||
		!slices.Equal(risk.Accounts, []string{einvoice.Account}) {
		t.Errorf("the risk basis of the task is %+v", risk)
	}
}

// TestProgramsRaceForTasks leases tasks concurrently: every task is leased once.
func TestProgramsRaceForTasks(t *testing.T) {
	t.Parallel()
	env, _, robo := newTranslationEnv(t)
	const cases = 9
	for range cases {
		env.submitToProcess("document_approval")
	}
	var mu sync.Mutex
	leases := map[domain.ID]int{}
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() {
			for range 10 {
				tasks, err := env.svc.LeaseExternalTasks(env.ctx, robo,
					casework.LeaseExternal{Topic: "translation", MaxTasks: 2})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, task := range tasks {
					leases[task.Run.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	for id, times := range leases {
		if times != 1 {
			t.Errorf("%s was leased %d times", id, times)
		}
	}
	if len(leases) != cases+1 {
		t.Errorf("%d of %d tasks were leased", len(leases), cases+1)
	}
}

// TestBuiltinPolicyFollowsTheProgram checks that a new version of the program updates the policy if
// no administrator has changed it.
func TestBuiltinPolicyFollowsTheProgram(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	_, err := env.owner.Exec(env.ctx,
		`INSERT INTO policies (version, rules, created_by) SELECT 2, '[]', created_by FROM policies`)
	must(t, err)
	for range 2 {
		must(t, env.svc.PublishBuiltins(env.ctx))
	}
	version, rules, err := env.db.Reader().Policy(env.ctx)
	must(t, err)
	if version != 3 || len(rules) < 100 {
		t.Errorf("version %d with %d bytes of rules", version, len(rules))
	}
}

// TestExternalValuesCountBesideAPersons checks that what a screening returns counts although a reviewer
// has entered other values, which stay in force.
func TestExternalValuesCountBesideAPersons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(testDefinition(t, "supplier_payment"))
	sam, ann := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1)
	env.person("ben", domain.RoleL1) // decides after ann has set a value of her own
	robo := env.externalWorker("robo", "screening")
	env.reader.xml = invoiceXML("717.97", "S-2")
	id := env.submitDeclared(sam, "supplier_payment", "invoice", "", "", "")
	env.claim(ann, id)
	must(t, env.correct(ann, id, domain.FieldTotal, "800.00", domain.FieldCountry, "DE"))
	tasks, err := env.svc.LeaseExternalTasks(env.ctx, robo,
		casework.LeaseExternal{Topic: "screening"})
	must(t, err)
	must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo, casework.CompleteExternal{
		Lease: leaseOf(tasks[0]), Fields: []casework.ExternalField{
			{Name: domain.FieldTotal, Value: "900000.00", Confidence: 1},
			{Name: domain.FieldCountry, Value: "IR", Confidence: 1}}})))
	env.drainQueue()
	c := env.caseByID(id)
	if c.BaseMinor != 99000000 || !slices.Contains(c.Countries(), "IR") ||
		!slices.Contains(c.DifferingFields, domain.FieldTotal) ||
		!slices.Contains(c.DifferingFields, domain.FieldCountry) {
		t.Errorf("%d at risk, countries %v, differing %v", c.BaseMinor, c.Countries(),
			c.DifferingFields)
	}
	if c.Amount.String() != "800.00 EUR" || c.Country != "DE" ||
		env.field(id, domain.FieldTotal).Source != domain.SourceHuman {
		t.Errorf("%s and %s are in force", c.Amount, c.Country)
	}
	env.verifyCaseLog(id)
}
