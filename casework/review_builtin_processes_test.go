package casework_test

import (
	"bytes"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func (env *testEnv) submitTo(by domain.Actor, process, kind, content string) domain.ID {
	env.t.Helper()
	submitted, err := env.svc.SubmitDocument(env.ctx, by,
		casework.SubmitDocument{File: upload(content), Process: process, DocumentType: kind})
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

// claimAndDecide claims and decides the open review at a node and returns the first refusal.
func (env *testEnv) claimAndDecide(
	by domain.Actor, id domain.ID, node string, verdict domain.Verdict,
) error {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	for _, review := range reviews {
		if review.Node == node && (review.Status == domain.ReviewOpen ||
			review.Status == domain.ReviewClaimed) {
			if _, err := env.svc.ClaimReview(env.ctx, by,
				casework.ReviewTarget{ReviewID: review.ID}); err != nil {
				return err
			}
			err := env.decide(by, review.ID, verdict, "checked")
			env.drainQueue()
			return err
		}
	}
	env.t.Fatalf("no open review at %s: %+v", node, env.caseByID(id).Marking)
	return nil
}

// amlOfficer creates an anti-money-laundering officer with the queue AML.
func (env *testEnv) amlOfficer(name string) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
		casework.PutUser{User: domain.User{Email: name + "@example.com", Name: name,
			Roles: []domain.Role{domain.RoleAML}, Queues: []string{domain.QueueAML}}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// The decision table of remittances, through the service layer: who may decide at each step. The
// rate is one, so that EUR amounts equal USD amounts.
func TestRemittanceDecisionTable(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	env.knowVendors()
	env.replaceRate("EUR", 1_000_000)
	sam, rita, sid := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1),
		env.person("sid", domain.RoleSenior)
	mia, max, al := env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager),
		env.amlOfficer("al")
	const none = domain.Code("")
	type act struct {
		by   domain.Actor
		node string
		code domain.Code
	}
	for _, row := range []struct {
		amount, country string
		acts            []act
	}{
		{"100000.00", "DE", nil},
		{"100000.01", "DE", []act{{rita, "review_l1", none}}},
		{"500000.00", "DE", []act{{rita, "review_l1", none}}},
		{"500000.01", "DE", []act{{rita, "review_l1", domain.ApprovalLimit},
			{sid, "review_l1", none}}},
		{"1000000.00", "DE", []act{{sid, "review_l1", none}}},
		{"1000000.01", "DE", []act{{sid, "review_l1", none}, {sid, "review_l2", domain.NotFound},
			{mia, "review_l2", none}}},
		{"1000000.01", "DE", []act{{mia, "review_l1", none}, {mia, "review_l2", domain.FourEyes},
			{max, "review_l2", none}}},
		{"1200000.00", "IR", []act{{rita, "review_aml", domain.NotFound}, {al, "review_aml", none},
			{sid, "review_l1", none}, {max, "review_l2", none}}},
	} {
		name := row.amount + row.country
		env.reader.xml = bytes.ReplaceAll(invoiceXML(row.amount, documentNumber("R")),
			[]byte("<ram:CountryID>DE"), []byte("<ram:CountryID>"+row.country))
		in := order(row.amount, "EUR", domain.NewID().String())
		in.Country = row.country
		id := env.mustOrder(sam, in)
		for _, act := range row.acts {
			if err := env.claimAndDecide(act.by, id, act.node,
				domain.Approve); domain.CodeOf(err) != act.code {
				t.Errorf("%s: %s at %s: %v, want %q", name, act.by.Name, act.node, err, act.code)
			}
		}
		if c := env.caseByID(id); c.Status != domain.Archived {
			t.Errorf("%s ends with status %s at %+v", name, c.Status, c.Marking.Tokens)
		}
		env.verifyCaseLog(id)
	}
}

func TestParallelMerchantReviews(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia, al := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager),
		env.amlOfficer("al")
	id := env.submitTo(sam, "merchant_onboarding", "merchant_application", "one")
	must(t, env.claimAndDecide(mia, id, "credit", domain.Approve))
	must(t, env.claimAndDecide(al, id, "kyc", domain.Return))
	_, err := env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "answered"})
	must(t, err)
	must(t, env.claimAndDecide(al, id, "kyc", domain.Approve))
	// the return revoked her first vote
	must(t, env.claimAndDecide(mia, id, "credit", domain.Approve))
	if c := env.caseByID(id); c.Status != domain.Archived || c.Marking.Visits["kyc"] != 2 {
		t.Errorf("%s, %+v", c.Status, c.Marking)
	}
	env.verifyCaseLog(id)

	id = env.submitTo(sam, "merchant_onboarding", "merchant_application", "two")
	must(t, env.claimAndDecide(mia, id, "credit", domain.Reject))
	if c := env.caseByID(id); c.Status != domain.Rejected {
		t.Errorf("%s, %+v", c.Status, c.Marking)
	}
	env.verifyCaseLog(id)
}

func TestContentIsReviewed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	env.reader.xml = nil
	id := env.submitTo(sam, "content_review", "content", "text")
	env.claim(jo, id)
	err := env.decide(jo, env.openReview(id).ID, domain.Approve, "")
	wantCode(t, err, domain.ValidationFailed)
	if err == nil || !strings.Contains(err.Error(), "kind, rights_cleared") {
		t.Errorf("an approval without the kind of content and its rights: %v", err)
	}
	// there is no amount, so no limit applies
	must(t, env.decide(jo, env.openReview(id).ID, domain.Approve, "A poem of the author, who agreed."))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("%s, %+v", c.Status, c.Marking)
	}
	env.verifyCaseLog(id)
}
