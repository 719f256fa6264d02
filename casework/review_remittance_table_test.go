package casework_test

import (
	"bytes"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// The decision table in euros at a rate of 1.10 to the dollar, and for documents with findings:
// which reviews are opened, and who may decide each.
func TestRemittanceDecisionTableInEuros(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	env.knowVendors()
	rita, sid := env.person("rita", domain.RoleL1),
		env.person("sid", domain.RoleSenior)
	mia, al, both := env.person("mia", domain.RoleManager), env.amlOfficer("al"),
		env.amlOfficer("both")
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
		casework.PutUser{User: domain.User{ID: both.UserID, Email: "both@example.com", Name: "both",
			Roles:  []domain.Role{domain.RoleAML, domain.RoleSenior, domain.RoleManager},
			Queues: []string{domain.QueueAML, domain.QueueL1, domain.QueueL2}}})
	must(t, err)
	const none = domain.Code("")
	const otherAccount = "0047110815" // of a country without IBANs
	env.approvedBefore("Andere Werke GmbH", "remittance", otherAccount)
	type act struct {
		by   domain.Actor
		node string
		code domain.Code
	}
	unclean := func(xml []byte) []byte { // the total differs from the sum of its parts
		return bytes.Replace(xml, []byte("<ram:TaxBasisTotalAmount>"),
			[]byte("<ram:TaxBasisTotalAmount>9"), 1)
	}
	// and a different payee (and payer of the order), so that it is not part of a split payment
	withoutIBAN := func(xml []byte) []byte {
		xml = bytes.Replace(xml, []byte("<ram:IBANID>DE89370400440532013000</ram:IBANID>"), nil, 1)
		xml = bytes.Replace(xml, []byte(einvoice.TaxID("Muster Werke GmbH")),
			[]byte(einvoice.TaxID("Andere Werke GmbH")), 1)
		return bytes.Replace(xml, []byte("Muster Werke"), []byte("Andere Werke"), 1)
	}
	for _, row := range []struct {
		name, amount, country string
		base                  int64
		modify                func([]byte) []byte
		acts                  []act
	}{
		{"just under the threshold after conversion", "90909.09", "DE", 10000000, nil, nil},
		{"just over the threshold after conversion", "90909.10", "DE", 10000001, nil,
			[]act{{al, "review_l1", domain.NotFound}, {rita, "review_l1", none}}},
		{"a junior's limit", "454545.45", "DE", 50000000, nil, []act{{rita, "review_l1", none}}},
		{"over a junior's limit", "454545.46", "DE", 50000001, nil,
			[]act{{rita, "review_l1", domain.ApprovalLimit}, {sid, "review_l1", none}}},
		{"a million", "909090.90", "DE", 99999999, nil, []act{{sid, "review_l1", none}}},
		{"over a million", "909090.91", "DE", 100000001, nil,
			[]act{{sid, "review_l1", none}, {sid, "review_l2", domain.NotFound},
				{mia, "review_l2", none}}},
		// The vendor's country has no IBANs: without one it is clean, and archived directly after
		// AML.
		{"a high-risk country, clean", "45454.54", "IR", 5000000, withoutIBAN,
			[]act{{rita, "review_aml", domain.NotFound}, {mia, "review_aml", domain.NotFound},
				{al, "review_aml", none}}},
		// An account in another country is a warning: after AML it is reviewed like any other.
		{"a high-risk country, the account elsewhere", "45454.54", "IR", 5000000, nil,
			[]act{{rita, "review_aml", domain.NotFound}, {mia, "review_aml", domain.NotFound},
				{al, "review_aml", none}, {al, "review_l1", domain.NotFound},
				{rita, "review_l1", none}}},
		{"a high-risk country, large", "1090909.09", "IR", 120000000, nil,
			[]act{{both, "review_aml", none}, {both, "review_l1", domain.FourEyes},
				{sid, "review_l1", none}, {sid, "review_l2", domain.NotFound},
				{both, "review_l2", domain.FourEyes}, {mia, "review_l2", none}}},
		{"unclean", "45454.54", "DE", 5000000, unclean,
			[]act{{al, "review_l1", domain.NotFound}, {rita, "review_l1", none}}},
		{"unclean, and the country high-risk", "45454.54", "KP", 5000000, unclean,
			[]act{{al, "review_aml", none}, {rita, "review_l1", none}}},
	} {
		// Each document has a submitter of its own, because together they would look like one split.
		sam := env.person("sam"+domain.NewID().String()[24:], domain.RoleSubmitter)
		env.reader.xml = bytes.ReplaceAll(invoiceXML(row.amount, documentNumber("R")),
			[]byte("<ram:CountryID>DE"), []byte("<ram:CountryID>"+row.country))
		if row.modify != nil {
			env.reader.xml = row.modify(env.reader.xml)
		}
		in := order(row.amount, "EUR", domain.NewID().String())
		if in.Country = row.country; bytes.Contains(env.reader.xml, []byte("Andere Werke")) {
			in.Payer, in.Payee, in.Account = "Andere Kundin AG", "Andere Werke GmbH", otherAccount
		}
		id := env.mustOrder(sam, in)
		if c := env.caseByID(id); c.BaseMinor != row.base {
			t.Errorf("%s: %d in the base currency, want %d", row.name, c.BaseMinor, row.base)
		}
		for _, act := range row.acts {
			if err := env.claimAndDecide(act.by, id, act.node,
				domain.Approve); domain.CodeOf(err) != act.code {
				t.Errorf("%s: %s at %s: %v, want %q", row.name, act.by.Name, act.node, err,
					act.code)
			}
		}
		if c := env.caseByID(id); c.Status != domain.Archived {
			found, err := env.db.Reader().Findings(env.ctx, id)
			must(t, err)
			t.Errorf("%s ends as %s at %+v; found %+v", row.name, c.Status, c.Marking.Tokens, found)
		}
		env.verifyCaseLog(id)
	}
}

// A rejection cancels the parallel review permanently. A return cancels it too, and both reviews
// are opened again at the next visit.
func TestParallelReviewIsCancelled(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia, al := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager),
		env.amlOfficer("al")
	open := func(id domain.ID) map[string]domain.Review {
		reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
		must(t, err)
		last := map[string]domain.Review{}
		for _, review := range reviews {
			if review.Visit >= last[review.Node].Visit {
				last[review.Node] = review
			}
		}
		return last
	}
	rejected := env.submitTo(sam, "merchant_onboarding", "merchant_application", "one")
	sibling := open(rejected)["kyc"]
	must(t, errOf(env.svc.ClaimReview(env.ctx, al, casework.ReviewTarget{ReviewID: sibling.ID})))
	must(t, env.claimAndDecide(mia, rejected, "credit", domain.Reject))
	env.requireState(rejected, domain.Rejected)
	if got := open(rejected)["kyc"]; got.Status != domain.ReviewCancelled ||
		got.Assignee != domain.NoID {
		t.Errorf("the sibling is %+v", got)
	}
	// it left his queue, and the case with it
	wantCode(t, env.decide(al, sibling.ID, domain.Approve, ""), domain.NotFound)

	returned := env.submitTo(sam, "merchant_onboarding", "merchant_application", "two")
	must(t, env.claimAndDecide(al, returned, "kyc", domain.Return))
	if got := open(returned)["credit"]; got.Status != domain.ReviewCancelled {
		t.Errorf("the sibling is %+v", got)
	}
	must(t, errOf(
		env.svc.ResubmitCase(env.ctx, sam,
			casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: returned},
				Comment: "here"})))
	env.drainQueue()
	for node, review := range open(returned) {
		if review.Visit != 2 || review.Status != domain.ReviewOpen {
			t.Errorf("%s is %+v", node, review)
		}
	}
	must(t, env.claimAndDecide(al, returned, "kyc", domain.Approve))
	must(t, env.claimAndDecide(mia, returned, "credit", domain.Approve))
	env.requireState(returned, domain.Archived)
	env.verifyCaseLog(returned)
}
