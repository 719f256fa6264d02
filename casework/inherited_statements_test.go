package casework_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
)

// findsAlteredHeirs changes who stated each value that a case inherits, and when, and requires that the audit
// finds it.
func (env *testEnv) findsAlteredHeirs(id, other domain.ID) {
	env.t.Helper()
	env.verifyRows(id)
	env.asAdmin(`CREATE TABLE kept AS SELECT * FROM assertions`)
	revisions := env.queryTexts(`SELECT revision::text FROM assertions WHERE case_id = $1
		AND body LIKE '%inheritedFrom%'`, id)
	if len(revisions) == 0 {
		env.t.Fatal("the case inherits nothing")
	}
	for _, revision := range revisions {
		for _, change := range []string{fmt.Sprintf(`asserted_by = '%s'`, other),
			`source = CASE source WHEN 'declared' THEN 'human' ELSE 'declared' END`,
			`source = CASE source WHEN 'external' THEN 'human' ELSE 'external' END`,
			`at = at - interval '1 day'`, `revision = revision + 90`, `document_revision = 1`} {
			env.asAdmin(fmt.Sprintf(`UPDATE assertions SET %s WHERE case_id = '%s' AND revision = %s`, change, id,
				revision))
			result, err := env.newViews().Verify(env.ctx, id)
			must(env.t, err)
			if len(result.Problems) != 1 || !strings.Contains(result.Problems[0].Message, "were changed") {
				env.t.Errorf("revision %s, %s: the audit finds %+v", revision, change, result.Problems)
			}
			env.asAdmin(`DELETE FROM assertions`, `INSERT INTO assertions SELECT * FROM kept`)
		}
	}
	env.asAdmin(`DROP TABLE kept`)
	env.verifyRows(id)
}

// Attack: the owner of the database changes who stated a value that the correction of an archived case inherits, so
// that it counts as that of another person or program.
func TestAlteredStatementsOfACorrectionAreFound(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	must(t, env.claimAndDecide(p.jan, submitted.CaseID, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, submitted.CaseID, "second", domain.Approve))
	env.drainQueue()
	corrected, err := env.correctArchived(p.jan, submitted.CaseID, "k")
	must(t, err)
	env.drainQueue()
	env.findsAlteredHeirs(corrected.CorrectionID, p.sid.UserID)
}

// The same of a part of a file.
func TestAlteredStatementsOfAPartAreFound(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
	lea := env.person("lea", domain.RoleSenior)
	id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	env.findsAlteredHeirs(split.Parts[0], lea.UserID)
}
