package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/facts"
)

// A delegate and the delegator are one person for the ground of an order: who had it stated on their
// behalf does not confirm it, nor does another delegate of theirs.
func TestGroundOfDelegateIsNotConfirmedByDelegator(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	del, dan := env.person("del", domain.RoleL1), env.person("dan", domain.RoleL1)
	env.delegate(ann, del, domain.Scope{})
	env.delegate(ann, dan, domain.Scope{})
	for at, row := range []struct {
		states  domain.Actor
		refused []domain.Actor
	}{
		{onBehalfOf(del, ann), []domain.Actor{ann, del, onBehalfOf(dan, ann)}},
		{ann, []domain.Actor{onBehalfOf(del, ann)}},
		{del, []domain.Actor{onBehalfOf(del, ann)}},
	} {
		number := documentNumber("")
		env.reader.xml = invoiceXML("1000.00", number)
		id := env.mustOrder(sam, order("600", "EUR", number))
		must(t, env.stateGround(row.states, id, domain.GroundPartPayment))
		env.release(row.states, id)
		for _, by := range row.refused {
			env.claim(by, id)
			wantCode(t, env.confirmGround(by, id, 1), domain.FourEyes)
			env.release(by, id)
		}
		if env.finding(id, "order_differs") == nil {
			t.Fatalf("row %d: one person removed the difference", at)
		}
		env.claim(ben, id)
		must(t, env.confirmGround(ben, id, 1))
		if env.finding(id, "order_differs") != nil {
			t.Errorf("row %d: the finding stays after the confirmation", at)
		}
		env.verifyCaseLog(id)
	}
}

// The database refuses the confirmation of one person, too, whatever the program asks.
func TestDatabaseRefusesGroundOfOnePerson(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, del := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("del", domain.RoleL1)
	env.delegate(ann, del, domain.Scope{})
	env.reader.xml = invoiceXML("1000.00", "O-D")
	id := env.mustOrder(sam, order("600", "EUR", "P-1"))
	must(t, env.stateGround(onBehalfOf(del, ann), id, domain.GroundPartPayment))
	for _, by := range []domain.Actor{ann, del} {
		if _, err := env.owner.Exec(env.ctx, `UPDATE order_grounds SET confirmed_by = $2,
			confirmed_at = clock() WHERE case_id = $1`, id, by.UserID); err == nil {
			t.Errorf("%s confirmed the ground", by.Name)
		}
	}
	if _, err := env.owner.Exec(env.ctx, `UPDATE order_grounds SET stated_on_behalf_of = NULL
		WHERE case_id = $1`, id); err == nil {
		t.Error("the delegator of a stated ground was removed")
	}
}

// A restated account that a delegate accepted needs the acceptance of another person than the
// delegator.
func TestRestatedAccountNeedsAnotherPersonThanTheDelegator(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	del := env.person("del", domain.RoleL1)
	env.delegate(ann, del, domain.Scope{})
	env.reader.xml = invoiceXML("717.97", "O-A")
	id := env.mustOrder(sam, order("700", "EUR", "P-1"))
	must(t, env.claimAndDecide(ann, id, "review_l1", domain.Return))
	env.drainQueue()
	other := order("717.97", "EUR", "P-1")
	other.Account = "GB29NWBK60161331926819"
	target := casework.CaseTarget{CaseID: id}
	must(t, errOf(env.svc.RestateOrder(env.ctx, sam,
		casework.RestateOrder{CaseTarget: target, Order: other})))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam, casework.ResubmitCase{CaseTarget: target})))
	env.drainQueue()
	for _, row := range []struct {
		by   domain.Actor
		left int
	}{{onBehalfOf(del, ann), 1}, {ann, 1}, {ben, 0}} {
		env.claim(row.by, id)
		must(t, errOf(env.svc.AcceptOrder(env.ctx, row.by,
			casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
		if left := len(env.earlierAccounts(id)); left != row.left {
			t.Errorf("after %s for %s: %d earlier accounts count, want %d", row.by.Name,
				row.by.OnBehalfOf, left, row.left)
		}
		env.release(row.by, id)
	}
	env.verifyCaseLog(id)
}

// earlierAccounts returns the accounts of a restated order that still count.
func (env *testEnv) earlierAccounts(id domain.ID) (accounts []string) {
	env.t.Helper()
	sets, err := env.db.Reader().Assertions(env.ctx, id)
	must(env.t, err)
	for _, earlier := range facts.History(sets).EarlierOrderValues() {
		if earlier.Field == domain.FieldIBAN {
			accounts = append(accounts, earlier.Values...)
		}
	}
	return accounts
}
