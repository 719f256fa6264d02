package casework_test

import (
	"bytes"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// taxedInvoice is an e-invoice of a seller with a tax id.
func taxedInvoice(seller, taxID, number, total string) []byte {
	xml := bytes.ReplaceAll(invoiceXML(total, number), []byte("Muster Werke GmbH"), []byte(seller))
	at, end := bytes.Index(xml, []byte(`schemeID="VA">`))+len(`schemeID="VA">`),
		bytes.Index(xml, []byte("</ram:ID></ram:SpecifiedTaxRegistration>"))
	return slices.Concat(xml[:at], []byte(taxID), xml[end:])
}

// The name of a seller is changed, but not its tax id: a reviewer with a conflict of interest stays
// excluded, also after the tax id is corrected, and a duplicate is found.
func TestTaxIDIsTheParty(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, ben := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	const seller, other, taxID = "Muster Werke GmbH", "Strohmann Handel GmbH", "DE129273398"
	submit := func(xml []byte) domain.ID {
		env.reader.xml = xml
		id := env.submit(sam, domain.NewID().String())
		env.drainQueue()
		return id
	}
	first := submit(taxedInvoice(seller, taxID, "T-1", "5000.00"))
	if c := env.caseByID(first); len(c.OtherPartyIDs) != 0 {
		t.Errorf("a usual invoice has the other parties %v", c.OtherPartyIDs)
	}
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: ben.UserID, Party: seller, Reason: "brother"})))
	id := submit(taxedInvoice(other, taxID, "T-1", "5000.00"))
	if env.finding(id, "duplicate_number") == nil {
		t.Errorf("the duplicate is not found: %v", env.findingRules(id))
	}
	wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve),
		domain.ConflictOfInterest)
	env.claim(jan, id)
	for _, value := range []string{"", "DE811569869"} {
		must(t, env.correct(jan, id, domain.FieldVATID, value))
		if review := env.openReview(id); review.Status == domain.ReviewClaimed {
			env.release(jan, id)
		}
		wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve),
			domain.ConflictOfInterest)
		env.claim(jan, id)
	}
	env.verifyCaseLog(id)
	// Without the tax id the other name is another party.
	free := submit(taxedInvoice(other, "DE811569869", "T-2", "6000.00"))
	must(t, env.claimAndDecide(ben, free, "review_l1", domain.Approve))
	// A tax id that a machine read is compared too.
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH", "T-3",
		"7000.00"), "VAT ID: "+taxID)
	read := env.submit(sam, "read")
	env.drainQueue()
	c := env.caseByID(read)
	if parties := c.Parties(); len(parties) != 2 ||
		env.field(read, domain.FieldVATID).Normalised != taxID {
		t.Errorf("a read tax id leads to the parties %v", parties)
	}
}

// An administrator declares a conflict with a tax id.
func TestConflictWithATaxID(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ben := env.person("sam", domain.RoleSubmitter), env.person("ben", domain.RoleL1)
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: ben.UserID, Party: "DE 129 273 398", Reason: "shareholder"})))
	env.reader.xml = taxedInvoice("Strohmann Handel GmbH", "DE129273398", "T-4", "5000.00")
	id := env.submit(sam, "tax")
	env.drainQueue()
	wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve),
		domain.ConflictOfInterest)
}
