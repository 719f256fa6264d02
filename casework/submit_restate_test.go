package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func (env *testEnv) restate(by domain.Actor, id domain.ID, in casework.OrderInput) error {
	return errOf(env.svc.RestateOrder(env.ctx, by,
		casework.RestateOrder{CaseTarget: casework.CaseTarget{CaseID: id}, Order: in}))
}

// The submitter restates an order only after it was returned, never after an approval; the earlier
// values count until a reviewer accepts the new ones.
func TestRestatedOrderCountsWithTheEarlier(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, sue, mia, max := env.person("sam", domain.RoleSubmitter),
		env.person("sue", domain.RoleSubmitter), env.person("mia", domain.RoleManager),
		env.person("max", domain.RoleManager)
	env.reader.xml = invoiceXML("717.97", "O-20")
	id := env.mustOrder(sam, order("1500000", "EUR", "P-1"))
	smaller := order("717.97", "EUR", " p-1")
	wantCode(t, env.restate(sam, id, smaller), domain.StateMismatch)
	review := env.claim(mia, id)
	must(t, env.decide(mia, review.ID, domain.Return, "which amount?"))
	env.drainQueue()
	wantCode(t, env.restate(sue, id, smaller), domain.NotFound)
	wantCode(t, env.restate(sam, id, order("717.97", "EUR", "P-2")), domain.InvalidInput)
	must(t, env.restate(sam, id, smaller))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	c := env.caseByID(id)
	if c.Amount.String() != "717.97 EUR" || c.BaseMinor != 165000000 || c.OrderRevision != 2 {
		t.Fatalf("order %d over %s, %d at risk", c.OrderRevision, c.Amount, c.BaseMinor)
	}
	if env.finding(id, "order_differs") != nil {
		t.Error("the restated order still differs")
	}
	review = env.claim(max, id)
	must(t, errOf(env.svc.AcceptOrder(env.ctx, max,
		casework.ReviewTarget{ReviewID: review.ID})))
	if c := env.caseByID(id); c.BaseMinor != 78977 {
		t.Errorf("after the acceptance %d is at risk", c.BaseMinor)
	}
	must(t, env.decide(max, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	wantCode(t, env.restate(sam, id, smaller), domain.StateMismatch)
	env.verifyCaseLog(id)
}

// A restated account counts after two reviewers have accepted it.
func TestRestatedAccountNeedsTwoReviewers(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	env.reader.xml = invoiceXML("717.97", "O-21")
	in := order("700", "EUR", "P-1")
	id := env.mustOrder(sam, in)
	must(t, env.claimAndDecide(ann, id, "review_l1", domain.Return))
	in.Amount, in.Account = "717.97", "GB29NWBK60161331926819"
	must(t, env.restate(sam, id, in))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	if env.finding(id, "order_account_differs") == nil {
		t.Error("the account of the document has no finding")
	}
	accept := func(by domain.Actor) []string {
		must(t, errOf(env.svc.AcceptOrder(env.ctx, by,
			casework.ReviewTarget{ReviewID: env.claim(by, id).ID})))
		env.release(by, id)
		c := env.caseByID(id)
		return c.Countries()
	}
	if countries := accept(ann); !slices.Equal(countries, []string{"DE", "GB"}) {
		t.Errorf("after one acceptance the countries are %v", countries)
	}
	accept(ann) // the same person again
	env.claim(ann, id)
	wantCode(t, env.decide(ann, env.openReview(id).ID, domain.Approve, "checked"),
		domain.OrderUnsupported)
	env.release(ann, id)
	accept(ben)
	wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve), domain.OrderUnsupported)
	env.verifyCaseLog(id)
}

// Every wrong value of an order has an error of its own, with its field.
func TestOrderIsValidatedByField(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	_, err := env.submitOrder(sam, casework.OrderInput{Account: "DE89370400440532013001",
		BIC: "12", Country: "Atlantis", Amount: "-5", Currency: "EUR"}, "x", "")
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	var fields []string
	for _, one := range joined.Unwrap() {
		known, _ := one.(*domain.Error)
		fields = append(fields, strings.TrimPrefix(known.Field, "order."))
	}
	slices.Sort(fields)
	want := []string{"account", "amount", "bic", "country", "payee", "payer", "purpose",
		"reference"}
	if !slices.Equal(fields, want) {
		t.Errorf("fields %v, want %v", fields, want)
	}
	_, err = env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{File: upload("x"),
		Order: new(casework.OrderInput)})
	wantCode(t, err, domain.InvalidInput)
}
