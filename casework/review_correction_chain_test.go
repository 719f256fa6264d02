package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// approveAt approves a case at its reviews until it is archived, each by one of the people.
func (env *testEnv) approveAt(id domain.ID, by map[string]domain.Actor) {
	env.t.Helper()
	for range 4 {
		if env.caseByID(id).Status == domain.Archived {
			return
		}
		node := env.openReview(id).Node
		if _, known := by[node]; !known {
			env.t.Fatalf("no one decides at %s", node)
		}
		must(env.t, env.claimAndDecide(by[node], id, node, domain.Approve))
		env.drainQueue()
	}
	env.requireState(id, domain.Archived)
}

// correctionOf opens the correction of an archived case.
func (env *testEnv) correctionOf(by domain.Actor, id domain.ID) domain.ID {
	env.t.Helper()
	corrected, err := env.svc.CorrectArchived(env.ctx, by,
		casework.CorrectArchived{CaseID: id, Reason: "the date is another one"})
	must(env.t, err)
	env.drainQueue()
	return corrected.CorrectionID
}

// The bank of the payee in an order is in a country by its BIC alone if the account is no IBAN. The
// correction of the archived case needs the people whom that country needed.
func TestCorrectionOfAnOrderKeepsTheCountryOfItsBank(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, joe, al := env.person("sam", domain.RoleSubmitter), env.person("joe", domain.RoleL1),
		env.amlOfficer("al")
	number := documentNumber("B-")
	env.reader.xml, env.reader.lines = nil, invoiceLines("Muster Werke GmbH", number, "717.97")
	in := order("717.97", "EUR", number)
	in.Account, in.BIC = "0123456789", "BKMTIRTH"
	id := env.mustOrder(sam, in)
	by := map[string]domain.Actor{"review_aml": al, "review_l1": joe, "repair": joe}
	if c := env.caseByID(id); !slices.Contains(c.Countries(), "IR") {
		t.Fatalf("%v are at risk", c.Countries())
	}
	env.approveAt(id, by)
	correction := env.correctionOf(joe, id)
	if c := env.caseByID(correction); !slices.Contains(c.Countries(), "IR") {
		t.Errorf("%v are at risk in the correction", c.Countries())
	}
	env.reviewAt(correction, "review_aml")
	env.verifyRows(correction)
}

// A reviewer who corrects the country of the document resolves nothing of the payment order: its country
// still counts for the correction of the archived case.
func TestCorrectionOfAnOrderKeepsWhatTheDocumentDoesNotResolve(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, joe, al := env.person("sam", domain.RoleSubmitter), env.person("joe", domain.RoleL1),
		env.amlOfficer("al")
	number := documentNumber("O-")
	env.reader.xml = invoiceXML("717.97", number)
	in := order("717.97", "EUR", number)
	in.Country = "IR"
	id := env.mustOrder(sam, in)
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.claim(joe, id)
	must(t, env.correct(joe, id, domain.FieldCountry, "DE"))
	if why := env.pending(id, domain.FieldCountry); why != "" {
		t.Fatalf("the country of the document waits because of %q", why)
	}
	env.approveAt(id, map[string]domain.Actor{"review_l1": joe})
	for range 2 { // the correction, and its own correction
		id = env.correctionOf(joe, id)
		if c := env.caseByID(id); !slices.Contains(c.Countries(), "IR") {
			t.Errorf("%v are at risk in the correction", c.Countries())
		}
		env.verifyCaseLog(id)
		env.verifyRows(id)
		must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
		jan := env.person("jan"+domain.NewID().String()[30:], domain.RoleL1)
		env.approveAt(id, map[string]domain.Actor{"review_l1": jan})
		joe = jan
	}
}

// What the submitter of an archived case entered confirms no correction of its value, although another
// person submitted the case that corrects it.
func TestSubmitterOfArchivedConfirmsNoCorrection(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior)
	mia, mik := env.person("mia", domain.RoleManager), env.person("mik", domain.RoleManager)
	rob := env.person("rob", domain.RoleManager)
	for _, opens := range [][]domain.Actor{{mia}, {mia, mik}} { // the second is the correction of a correction
		id := env.lowerable(sam, "DE")
		must(t, env.claimAndDecide(sid, id, "review_l1", domain.Return))
		env.enterTotal(sam, sam, id, "700.00")
		want := env.caseByID(id).BaseMinor
		for _, by := range opens {
			env.approveAt(id, map[string]domain.Actor{"review_l1": mik, "review_l2": rob})
			id = env.correctionOf(by, id)
		}
		env.claim(rob, id)
		must(t, env.correct(rob, id, domain.FieldTotal, "700.00"))
		if why, c := env.pending(id, domain.FieldTotal), env.caseByID(id); why == "" || c.BaseMinor < want {
			t.Errorf("one person lowered %d to %d, waiting because of %q", want, c.BaseMinor, why)
		}
		env.verifyRows(id)
	}
}

// The submitter of an archived case decides neither about its correction nor about the correction of that.
func TestSubmitterOfArchivedDecidesNoLaterCorrection(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, al := env.reviewer("sam", domain.RoleSubmitter, domain.RoleAML), env.amlOfficer("al")
	joe, mia, mik := env.person("joe", domain.RoleL1), env.person("mia", domain.RoleManager),
		env.person("mik", domain.RoleManager)
	env.reader.xml = invoiceXML("717.97", documentNumber("C-"))
	id := env.submitDeclared(sam, "cross_border_remittance", "remittance", "717.97", "EUR", "IR")
	for _, opens := range []domain.Actor{mia, mik} {
		env.approveAt(id, map[string]domain.Actor{"review_aml": al, "review_l1": joe})
		id = env.correctionOf(opens, id)
		on := casework.ReviewTarget{ReviewID: env.reviewAt(id, "review_aml").ID}
		if err := errOf(env.svc.ClaimReview(env.ctx, sam, on)); err == nil {
			t.Error("the submitter of an archived case has claimed its correction")
		}
	}
}
