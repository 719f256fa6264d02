package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Of two who end a delegation, the second reads that it has ended. A stranger learns nothing of it, before and
// after.
func TestTheSecondOfTwoWhoEndADelegation(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, rolf := env.person("rita", domain.RoleL1), env.person("rolf", domain.RoleL1)
	rosa, ada := env.person("rosa", domain.RoleL1), env.person("ada", domain.RoleAdmin)
	id := env.delegate(rita, rolf, domain.Scope{})
	end := func(by domain.Actor) error {
		return env.svc.EndDelegation(env.ctx, by, casework.EndDelegation{ID: id})
	}
	wantCode(t, end(rosa), domain.NotFound)
	must(t, end(rita))
	for range 2 {
		for _, by := range []domain.Actor{rita, rolf, ada} {
			env.wantRefusal("ended twice", end(by), domain.StateMismatch, "already ended")
		}
		wantCode(t, end(rosa), domain.NotFound)
	}
}

// Of two who end an absence, the second reads that it has ended. A stranger learns nothing of it.
func TestTheSecondOfTwoWhoEndAnAbsence(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, max := env.person("rita", domain.RoleL1), env.person("max", domain.RoleManager)
	rosa := env.person("rosa", domain.RoleL1)
	set, err := env.svc.SetAbsence(env.ctx, rita,
		casework.SetAbsence{Person: rita.UserID, Until: env.now().Add(day)})
	must(t, err)
	end := func(by domain.Actor) error {
		return env.svc.EndAbsence(env.ctx, by, casework.EndAbsence{ID: set.ID})
	}
	wantCode(t, end(rosa), domain.NotFound)
	must(t, end(max))
	for range 2 {
		for _, by := range []domain.Actor{rita, max} {
			env.wantRefusal("ended twice", end(by), domain.StateMismatch, "already ended")
		}
		wantCode(t, end(rosa), domain.NotFound)
	}
}

// Of two who make a role of one name, the second reads the description of the first, and replaces it only by
// naming it.
func TestTheSecondOfTwoWhoMakeARole(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adil := env.person("ada", domain.RoleAdmin), env.person("adil", domain.RoleAdmin)
	put := func(by domain.Actor, description string, expected *string) error {
		return env.svc.PutRole(env.ctx, by, casework.PutRole{Name: "auditor_asia", Description: description,
			ExpectedDescription: expected})
	}
	asia, europe := "Asia", "Europe"
	must(t, put(ada, asia, nil))
	must(t, put(adil, asia, nil)) // changes nothing
	for range 2 {
		env.wantRefusal("made twice", put(adil, europe, nil), domain.StaleVersion, `description "Asia"`)
		env.wantRefusal("another base", put(adil, europe, &europe), domain.StaleVersion, `description "Asia"`)
	}
	must(t, put(adil, europe, &asia))
	env.wantRefusal("made twice", put(ada, asia, nil), domain.StaleVersion, `description "Europe"`)
	env.wantRefusal("a built-in role", env.svc.PutRole(env.ctx, ada,
		casework.PutRole{Name: domain.RoleAdmin, Description: "mine"}), domain.StaleVersion, "exists")
}

// Of two who propose a migration or its undoing, the second reads that another one was confirmed, and what is
// undone is not undone again.
func TestTheSecondOfTwoMigrations(t *testing.T) {
	t.Parallel()
	env, _, _, _ := newReminderEnv(t)
	ada, abe := env.admins()
	env.publishNext("reminding", 1, "remind: [1h, 4h]", "remind: [3h]")
	propose := func(by domain.Actor, restart bool) domain.ID {
		done, err := env.svc.ProposeMigration(env.ctx, by, casework.ProposeMigration{Reason: "new",
			PlanMigration: casework.PlanMigration{Process: "reminding", From: 1, To: 2, RestartDeadlines: restart}})
		must(t, err)
		return done.ProposalID
	}
	first, second := propose(ada, false), propose(abe, true)
	must(t, env.confirm(abe, first))
	for range 2 {
		env.wantRefusal("another migration", env.confirm(ada, second), domain.StaleVersion,
			"Another migration of this process was confirmed")
	}
	found, err := env.svc.Migrations(env.ctx, ada, "reminding")
	must(t, err)
	progress := env.finishMigration(found[0].ID)
	undone := env.undo(ada, abe, progress)
	if undone.Undoes != progress.ID {
		t.Errorf("%+v undoes another migration", undone)
	}
	for range 2 {
		env.wantRefusal("undone twice", errOf(env.svc.UndoMigration(env.ctx, ada,
			casework.UndoMigration{MigrationID: progress.ID, Reason: "again"})), domain.StateMismatch,
			"already been undone")
	}
}
