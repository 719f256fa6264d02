package casework_test

import (
	"bytes"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func (w *world) submitTo(by domain.Actor, process, kind, content string) domain.ID {
	w.t.Helper()
	submitted, err := w.hall.SubmitDocument(w.ctx, by, casework.SubmitDocument{File: upload(content), Process: process, DocumentType: kind})
	must(w.t, err)
	w.work()
	return submitted.CaseID
}

// settle claims and decides the open review at a node; the refusal of either comes back.
func (w *world) settle(by domain.Actor, id domain.ID, node string, verdict domain.Verdict) error {
	w.t.Helper()
	reviews, err := w.db.Reader().ReviewsOf(w.ctx, id)
	must(w.t, err)
	for _, review := range reviews {
		if review.Node == node && (review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed) {
			if _, err := w.hall.ClaimReview(w.ctx, by, casework.OnReview{ReviewID: review.ID}); err != nil {
				return err
			}
			err := w.decide(by, review.ID, verdict, "seen")
			w.work()
			return err
		}
	}
	w.t.Fatalf("no open review at %s: %+v", node, w.kase(id).Marking)
	return nil
}

// aml makes an officer with the queue AML.
func (w *world) aml(name string) domain.Actor {
	w.t.Helper()
	id, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{Email: name + "@example.com", Name: name,
		Roles: []domain.Role{domain.RoleAML}, Queues: []string{domain.QueueAML}}})
	must(w.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// The golden table of remittances, through the hall: who may decide at each step. The rate is one, so that EUR reads as USD.
func TestWhoDecidesRemittances(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(t, w.hall.PutRate(w.ctx, domain.SystemActor(), "EUR", 1_000_000))
	sam, rita, sid := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1), w.person("sid", domain.RoleSenior)
	mia, max, al := w.person("mia", domain.RoleManager), w.person("max", domain.RoleManager), w.aml("al")
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
		{"500000.01", "DE", []act{{rita, "review_l1", domain.ApprovalLimit}, {sid, "review_l1", none}}},
		{"1000000.00", "DE", []act{{sid, "review_l1", none}}},
		{"1000000.01", "DE", []act{{sid, "review_l1", none}, {sid, "review_l2", domain.NotFound}, {mia, "review_l2", none}}},
		{"1000000.01", "DE", []act{{mia, "review_l1", none}, {mia, "review_l2", domain.FourEyes}, {max, "review_l2", none}}},
		{"1200000.00", "IR", []act{{rita, "review_aml", domain.NotFound}, {al, "review_aml", none}, {sid, "review_l1", none}, {max, "review_l2", none}}},
	} {
		name := row.amount + row.country
		w.desk.xml = bytes.ReplaceAll(invoiceXML(row.amount, "R"+domain.NewID().String()[24:]), []byte("<ram:CountryID>DE"), []byte("<ram:CountryID>"+row.country))
		id := w.submitTo(sam, "cross_border_remittance", "remittance", domain.NewID().String())
		for _, act := range row.acts {
			if err := w.settle(act.by, id, act.node, domain.Approve); domain.CodeOf(err) != act.code {
				t.Errorf("%s: %s at %s: %v, want %q", name, act.by.Name, act.node, err, act.code)
			}
		}
		if c := w.kase(id); c.Status != domain.Archived {
			t.Errorf("%s ends as %s at %+v", name, c.Status, c.Marking.Tokens)
		}
		w.verify(id)
	}
}

func TestMerchantIsReviewedSideBySide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, mia, al := w.person("sam", domain.RoleSubmitter), w.person("mia", domain.RoleManager), w.aml("al")
	id := w.submitTo(sam, "merchant_onboarding", "merchant_application", "one")
	must(t, w.settle(mia, id, "credit", domain.Approve))
	must(t, w.settle(al, id, "kyc", domain.Return))
	_, err := w.hall.ResubmitCase(w.ctx, sam, casework.ResubmitCase{OnCase: casework.OnCase{CaseID: id}, Comment: "answered"})
	must(t, err)
	must(t, w.settle(al, id, "kyc", domain.Approve))
	must(t, w.settle(mia, id, "credit", domain.Approve)) // her first vote fell with the return
	if c := w.kase(id); c.Status != domain.Archived || c.Marking.Visits["kyc"] != 2 {
		t.Errorf("%s, %+v", c.Status, c.Marking)
	}
	w.verify(id)

	id = w.submitTo(sam, "merchant_onboarding", "merchant_application", "two")
	must(t, w.settle(mia, id, "credit", domain.Reject))
	if c := w.kase(id); c.Status != domain.Rejected {
		t.Errorf("%s, %+v", c.Status, c.Marking)
	}
	w.verify(id)
}

func TestContentIsReviewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, jo := w.person("sam", domain.RoleSubmitter), w.person("jo", domain.RoleL1)
	w.desk.xml = nil
	id := w.submitTo(sam, "content_review", "content", "text")
	must(t, w.settle(jo, id, "review", domain.Approve)) // no amount, so no limit stands in the way
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("%s, %+v", c.Status, c.Marking)
	}
	w.verify(id)
}
