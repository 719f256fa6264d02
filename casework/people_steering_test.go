package casework_test

import (
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

func (env *testEnv) skillsOf(person domain.Actor) []string {
	env.t.Helper()
	skills, err := env.db.Reader().Skills(env.ctx, []domain.ID{person.UserID})
	must(env.t, err)
	return skills[person.UserID]
}

func (env *testEnv) setSkills(by, person domain.Actor, skills ...string) casework.SkillsResult {
	env.t.Helper()
	done, err := env.svc.SetSkills(env.ctx, by, casework.SetSkills{Person: person.UserID, Skills: skills})
	must(env.t, err)
	return done
}

// grantSkills lets two administrators give a person skills.
func (env *testEnv) grantSkills(by, confirmer, person domain.Actor, skills ...string) {
	env.t.Helper()
	_, err := env.confirmed(confirmer, env.setSkills(by, person, skills...).ProposalID)
	must(env.t, err)
}

func (env *testEnv) absenceOf(person domain.Actor) *domain.Absence {
	env.t.Helper()
	absences, err := env.db.Reader().Absences(env.ctx, []domain.ID{person.UserID})
	must(env.t, err)
	if len(absences) == 0 {
		return nil
	}
	return &absences[0]
}

// One administrator gives no one the decisions of another person.
func TestDelegationBetweenOthersNeedsTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita, lars := env.person("rita", domain.RoleL1), env.person("lars", domain.RoleL2, domain.RoleAdmin)
	create := casework.CreateDelegation{Delegator: rita.UserID, Delegate: lars.UserID,
		Until: env.now().Add(day), Scope: domain.Scope{Queues: []string{domain.QueueL1}}}
	none := func(when string) {
		t.Helper()
		found, err := env.db.Reader().Delegations(env.ctx, rita.UserID, domain.NoID, 10)
		must(t, err)
		if len(found) != 0 {
			t.Fatalf("%s: %+v", when, found)
		}
	}
	proposed, err := env.svc.CreateDelegation(env.ctx, ada, create)
	must(t, err)
	none("proposed")
	_, err = env.svc.CreateDelegation(env.ctx, ada, create)
	wantCode(t, err, domain.StateMismatch)
	for _, by := range []domain.Actor{ada, lars} { // the proposer, and who gains
		_, err = env.confirmed(by, proposed.ProposalID)
		wantCode(t, err, domain.FourEyes)
	}
	_, err = env.confirmed(rita, proposed.ProposalID)
	wantCode(t, err, domain.NotPermitted)
	none("not confirmed")
	// The delegate proposes it for themselves.
	own := create
	own.Scope.Queues = nil
	_, err = env.svc.CreateDelegation(env.ctx, lars, own)
	must(t, err)
	none("proposed by the delegate")

	_, err = env.confirmed(adam, proposed.ProposalID)
	must(t, err)
	found, err := env.db.Reader().Delegations(env.ctx, rita.UserID, domain.NoID, 10)
	must(t, err)
	if len(found) != 1 || found[0].Delegate != lars.UserID || found[0].CreatedBy != ada.UserID ||
		!slices.Equal(found[0].Scope.Queues, []string{domain.QueueL1}) {
		t.Fatalf("confirmed: %+v", found)
	}
	// One's own decisions are delegated immediately, and anyone concerned ends it immediately.
	must(t, env.svc.EndDelegation(env.ctx, rita, casework.EndDelegation{ID: found[0].ID}))
	if done, err := env.svc.CreateDelegation(env.ctx, rita, create); err != nil || done.ID == domain.NoID ||
		done.ProposalID != domain.NoID {
		t.Fatalf("one's own: %+v, %v", done, err)
	}
}

// What was checked at the proposal is checked again at the confirmation.
func TestDelegationIsCheckedAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita, lars := env.person("rita", domain.RoleL1), env.person("lars", domain.RoleL2)
	propose := func() domain.ID {
		t.Helper()
		proposed, err := env.svc.CreateDelegation(env.ctx, ada, casework.CreateDelegation{
			Delegator: rita.UserID, Delegate: lars.UserID, Until: env.now().Add(day)})
		must(t, err)
		return proposed.ProposalID
	}
	loop := propose()
	reverse := env.delegate(lars, rita, domain.Scope{})
	_, err := env.confirmed(adam, loop)
	wantCode(t, err, domain.StateMismatch)
	must(t, env.svc.EndDelegation(env.ctx, lars, casework.EndDelegation{ID: reverse}))
	env.setClockOffset(25 * time.Hour)
	_, err = env.confirmed(adam, loop)
	wantCode(t, err, domain.InvalidInput) // it would have ended
	must(t, errOf(env.svc.WithdrawControlChange(env.ctx, adam, casework.EndProposal{ProposalID: loop})))
	disabled := propose()
	changed := env.userByID(lars.UserID)
	changed.Disabled = true
	must(t, errOf(env.putPerson(ada, changed)))
	_, err = env.confirmed(adam, disabled)
	wantCode(t, err, domain.NotEligible)
}

// A manager marks a sick person as absent immediately, but does not choose alone who gets the work.
func TestSubstituteOfAnotherNeedsTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, max := env.person("ada", domain.RoleAdmin), env.person("max", domain.RoleManager)
	rita, friend := env.person("rita", domain.RoleL1), env.person("fred", domain.RoleL1, domain.RoleAdmin)
	sick := casework.SetAbsence{Person: rita.UserID, Substitute: friend.UserID, Until: env.now().Add(day)}
	done, err := env.svc.SetAbsence(env.ctx, max, sick)
	must(t, err)
	absence := env.absenceOf(rita)
	if absence == nil || absence.ID != done.ID || absence.Substitute != domain.NoID ||
		done.ProposalID == domain.NoID {
		t.Fatalf("absence %+v, %+v", absence, done)
	}
	_, err = env.confirmed(max, done.ProposalID)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.confirmed(friend, done.ProposalID)
	wantCode(t, err, domain.FourEyes)
	_, err = env.confirmed(ada, done.ProposalID)
	must(t, err)
	if now := env.absenceOf(rita); now.Substitute != friend.UserID || now.ID != done.ID {
		t.Fatalf("confirmed: %+v", now)
	}
	// The absent person ends it alone; a substitute of an ended absence is not confirmed.
	must(t, env.svc.EndAbsence(env.ctx, rita, casework.EndAbsence{ID: done.ID}))
	again, err := env.svc.SetAbsence(env.ctx, max, sick)
	must(t, err)
	must(t, env.svc.EndAbsence(env.ctx, rita, casework.EndAbsence{ID: again.ID}))
	_, err = env.confirmed(ada, again.ProposalID)
	wantCode(t, err, domain.StaleVersion)
	// One's own substitute is one's own choice.
	own, err := env.svc.SetAbsence(env.ctx, rita, sick)
	must(t, err)
	if env.absenceOf(rita).Substitute != friend.UserID || own.ProposalID != domain.NoID {
		t.Fatalf("one's own absence: %+v", own)
	}
}

// Neither a skill that is added nor one that is taken from almost all people steers work alone.
func TestSkillsOfOthersNeedTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	max := env.person("max", domain.RoleManager)
	people := []domain.Actor{env.person("a", domain.RoleL1), env.person("b", domain.RoleL1),
		env.person("c", domain.RoleL1), env.person("d", domain.RoleL1)}
	proposed := env.setSkills(max, people[0], "german")
	if len(env.skillsOf(people[0])) != 0 || proposed.ProposalID == domain.NoID {
		t.Fatalf("one manager added a skill: %+v", proposed)
	}
	_, err := env.confirmed(max, proposed.ProposalID)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.confirmed(ada, proposed.ProposalID)
	must(t, err)
	// A person with the right does not add a skill of their own.
	own := env.setSkills(ada, ada, "german")
	_, err = env.confirmed(ada, own.ProposalID)
	wantCode(t, err, domain.FourEyes)
	for _, person := range people[1:] {
		env.grantSkills(max, adam, person, "german", "invoice")
	}

	// While two others keep the skill, it is taken away immediately, together with what waits.
	mixed := env.setSkills(max, people[1], "invoice", "french")
	if got := env.skillsOf(people[1]); !slices.Equal(got, []string{"invoice"}) || mixed.ProposalID == domain.NoID {
		t.Fatalf("skills %v, %+v", got, mixed)
	}
	if none := env.setSkills(max, people[2], "invoice"); none.ProposalID != domain.NoID ||
		!slices.Equal(env.skillsOf(people[2]), []string{"invoice"}) {
		t.Fatalf("two others keep german, so taking it waits: %+v", none)
	}
	// a and d have german: taking it from a would leave d alone.
	steering := env.setSkills(max, people[0])
	if !slices.Equal(env.skillsOf(people[0]), []string{"german"}) || steering.ProposalID == domain.NoID {
		t.Fatalf("one manager left one person with a skill: %+v", steering)
	}
	// A disabled account does not count as another person with the skill.
	disabled := env.userByID(people[3].UserID)
	disabled.Disabled = true
	must(t, errOf(env.putPerson(ada, disabled)))
	if waits := env.setSkills(max, people[1]); len(env.skillsOf(people[1])) != 1 ||
		waits.ProposalID == domain.NoID {
		t.Fatalf("b and c have invoice: %+v", waits)
	}
	_, err = env.confirmed(adam, steering.ProposalID)
	must(t, err)
	if got := env.skillsOf(people[0]); len(got) != 0 {
		t.Errorf("confirmed: %v", got)
	}
	// A proposal is based on the skills that it shows.
	_, err = env.confirmed(adam, mixed.ProposalID)
	must(t, err)
	stale := env.setSkills(max, people[2], "invoice", "german")
	env.grantSkills(max, adam, people[2], "invoice", "french")
	_, err = env.confirmed(adam, stale.ProposalID)
	wantCode(t, err, domain.StaleVersion)
}
