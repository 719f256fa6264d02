package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

const sharedIBAN = "DE89370400440532013000"

// samePerson reports whether two accounts count as one person.
func (env *testEnv) samePerson(one, other domain.Actor) bool {
	env.t.Helper()
	same, err := env.db.Reader().SamePerson(env.ctx, one.UserID, other.UserID)
	must(env.t, err)
	user := env.userByID(one.UserID)
	if user.IsSamePerson(other.UserID) != same {
		env.t.Errorf("the user and the database disagree about %s and %s", one.Name, other.Name)
	}
	return same
}

func (env *testEnv) ownAccount(of domain.Actor, ended bool) error {
	by := of
	if ended {
		by = domain.SystemActor()
	}
	return env.svc.SetOwnAccount(env.ctx, by, casework.SetOwnAccount{Person: of.UserID, Account: sharedIBAN,
		Ended: ended})
}

// Accounts with the same mailbox or own bank account are one person, over any number of steps, and
// stay it when the account is removed.
func TestWhatMakesOnePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, second := env.person("ada", domain.RoleL1), env.person("ada+review", domain.RoleL1)
	bob, cleo := env.person("bob", domain.RoleL1), env.person("cleo", domain.RoleL1)
	if !env.samePerson(ada, second) || env.samePerson(ada, bob) || env.samePerson(bob, cleo) {
		t.Fatal("one mailbox is not one person, or two are")
	}
	must(t, env.ownAccount(second, false))
	must(t, env.ownAccount(bob, false))
	if !env.samePerson(ada, bob) || env.samePerson(ada, cleo) {
		t.Error("one bank account is not one person")
	}
	must(t, env.ownAccount(bob, true))
	if !env.samePerson(ada, bob) {
		t.Error("the persons were separated by removing the account")
	}
	user := env.userByID(cleo.UserID)
	user.Email = "Bob+x@example.com"
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	if accounts := env.userByID(ada.UserID); len(accounts.Accounts()) != 4 {
		t.Errorf("accounts %v, want four", accounts.Accounts())
	}
}

// Two administrator accounts of one person confirm nothing for each other, and do not change each
// other.
func TestOnePersonConfirmsNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, second := env.person("ada", domain.RoleAdmin), env.person("ada+2", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	raised := env.userByID(rita.UserID)
	raised.Roles = append(raised.Roles, domain.RoleL2)
	proposed, err := env.putPerson(ada, raised)
	must(t, err)
	_, err = env.confirmed(second, proposed.ProposalID)
	wantCode(t, err, domain.FourEyes)
	if _, err := env.owner.Exec(env.ctx, `UPDATE proposals SET status = 'published', decided_by = $2,
		decided_at = clock() WHERE id = $1`, proposed.ProposalID, second.UserID); err == nil {
		t.Error("the database accepted a proposal that one person confirmed")
	}
	limit, err := env.svc.PutLimit(env.ctx, second, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}})
	must(t, err)
	_, err = env.confirmed(ada, limit.ProposalID)
	wantCode(t, err, domain.FourEyes)
	// The other account is one's own: neither its roles nor its limits.
	other := env.userByID(ada.UserID)
	other.Roles = append(other.Roles, domain.RoleL2)
	_, err = env.putPerson(second, other)
	wantCode(t, err, domain.FourEyes)
	wantCode(t, env.svc.SetOwnAccount(env.ctx, second, casework.SetOwnAccount{Person: ada.UserID,
		Account: sharedIBAN, Ended: true}), domain.FourEyes)
	third := env.person("third", domain.RoleAdmin)
	forAda, err := env.putPerson(third, other)
	must(t, err)
	_, err = env.confirmed(second, forAda.ProposalID)
	wantCode(t, err, domain.FourEyes)
	_, err = env.confirmed(third, proposed.ProposalID)
	must(t, err)
}

// A person who submitted a document, has a conflict with its party, or has voted on it does not decide
// it with another account, and the account is offered no such review.
func TestOnePersonDecidesOnce(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	review := env.openReview(id)
	second := env.person("sam+review", domain.RoleL1)
	claim := func(by domain.Actor) error {
		_, err := env.svc.ClaimReview(env.ctx, by, casework.ReviewTarget{ReviewID: review.ID})
		return err
	}
	wantCode(t, claim(second), domain.OwnDocument)
	connie, other := env.person("connie", domain.RoleL1), env.person("connie+2", domain.RoleL1)
	_, err := env.svc.DeclareConflict(env.ctx, connie, casework.DeclareConflict{Person: connie.UserID,
		Party: "MUSTER WERKE, GmbH"})
	must(t, err)
	wantCode(t, claim(other), domain.ConflictOfInterest)
	_, err = env.svc.CreateDelegation(env.ctx, connie, casework.CreateDelegation{Delegator: connie.UserID,
		Delegate: other.UserID, Until: time.Now().Add(time.Hour)})
	wantCode(t, err, domain.NotEligible)
	jo, twin := env.person("jo", domain.RoleL1), env.person("jo+2", domain.RoleL1)
	env.claim(jo, id)
	_, err = env.owner.Exec(env.ctx, `INSERT INTO votes (case_id, duty, person, review_id)
		VALUES ($1, $2, $3, $4)`, id, review.Duty, jo.UserID, review.ID)
	must(t, err)
	if _, err := env.owner.Exec(env.ctx, `INSERT INTO votes (case_id, duty, person, review_id)
		VALUES ($1, $2, $3, $4)`, id, review.Duty, twin.UserID, review.ID); err == nil {
		t.Error("the database accepted a second vote of one person")
	}
}

// Joining two accounts releases the reviews that the person may no longer decide.
func TestJoinedAccountsLoseTheirReviews(t *testing.T) {
	t.Parallel()
	env, sam, id := newReviewEnv(t, "120000.00")
	jo := env.person("jo", domain.RoleL1)
	env.claim(jo, id)
	must(t, env.ownAccount(sam, false))
	must(t, env.ownAccount(jo, false))
	if review := env.openReview(id); review.Assignee != domain.NoID {
		t.Errorf("the submitter's other account holds the review: %+v", review)
	}
}

// The second person who overrides a finding is another person, not another account.
func TestOnePersonOverridesOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	second := env.person("rita+2", domain.RoleL1)
	env.reader.xml = wrongAccount("2000.00", "O-3")
	id := env.submit(sam, "account")
	env.drainQueue()
	env.claim(rita, id)
	wantCode(t, env.override(rita, id, "iban_check", "called the supplier"), domain.FourEyes)
	ron := env.person("ron", domain.RoleL1)
	must(t, env.override(rita, id, "iban_check", "called the supplier"))
	_, err := env.svc.ClaimReview(env.ctx, second, casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.FourEyes)
	must(t, env.approve(ron, id, "", "iban_check", "the bank confirmed it"))
	env.requireState(id, domain.Archived)
}

// A person who acted on a case erases it with no other account.
func TestOnePersonErasesNothingOfTheirs(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	second := env.person("rita+2", domain.RoleAdmin)
	env.later(3651 * day)
	_, err := env.proposeErasure(second)
	wantCode(t, err, domain.FourEyes)
	done, err := env.proposeErasure(env.ada)
	must(t, err)
	_, err = env.confirmed(second, done.ProposalID)
	wantCode(t, err, domain.FourEyes)
}
