package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// What an earlier document of a case stated counts until it is resolved, also for the parts of the present one
// and for the correction of the archived case, which read the present document alone.
func TestAReplacedDocumentCountsForPartsAndCorrections(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, al := env.person("sam", domain.RoleSubmitter), env.amlOfficer("al")
	jan, mia := env.person("jan", domain.RoleSenior), env.person("mia", domain.RoleManager)
	read := func(lines []string, others ...[]string) {
		env.reader.mu.Lock()
		env.reader.xml, env.reader.lines, env.reader.others = nil, lines, others
		env.reader.mu.Unlock()
	}
	clean := append(invoiceLines("Alpha Supplies GmbH", "A-1001", "120.00"), "IBAN: "+invoiceAccount)
	submit := func(others ...[]string) domain.ID {
		read(append(slices.Clone(clean), "BIC: BMJIIRTH"))
		id := env.submitDeclared(sam, remittance, "remittance", "", "", "DE")
		env.requireState(id, domain.InReview, "review_aml")
		read(clean, others...)
		must(t, errOf(env.svc.ReplaceDocument(env.ctx, sam, casework.ReplaceDocument{
			CaseTarget: casework.CaseTarget{CaseID: id}, File: upload(domain.NewID().String())})))
		env.drainQueue()
		env.requireState(id, domain.InReview, "review_aml")
		return id
	}
	id := submit()
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	must(t, env.claimAndDecide(jan, id, "review_l1", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	corrected, err := env.svc.CorrectArchived(env.ctx, mia,
		casework.CorrectArchived{CaseID: id, Reason: "the total is another one"})
	must(t, err)
	env.drainQueue()
	if record := env.caseByID(corrected.CorrectionID); !slices.Contains(record.Countries(), "IR") {
		t.Errorf("the countries of the correction are %v", record.Countries())
	}
	env.requireState(corrected.CorrectionID, domain.InReview, "review_aml")
	env.verifyCaseLog(corrected.CorrectionID)

	env.amlOfficer("ann")
	file := submit(invoiceLines("Beta Trading GmbH", "B-2002", "80.00"))
	env.claim(al, file)
	split, err := env.split(al, file, "", twoParts...)
	must(t, err)
	env.drainQueue()
	for i, part := range split.Parts {
		if record := env.caseByID(part); !slices.Contains(record.Countries(), "IR") {
			t.Errorf("part %d has the countries %v", i+1, record.Countries())
		}
		env.verifyCaseLog(part)
	}
}
