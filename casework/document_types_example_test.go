package casework_test

import (
	"os"
	"regexp"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// The example of docs/document_types.md, exactly as printed there: a type, its rules and a process
// from nothing to an archived case.
func TestExpenseReportExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/document_types.md")
	must(t, err)
	texts := yamlBlock.FindAllSubmatch(page, -1)
	if len(texts) != 3 {
		t.Fatalf("%d texts", len(texts))
	}
	r := newRepairTeam(t)
	ada, abe := r.admins()
	must(t, r.publishType(ada, abe, string(texts[0][1])))
	r.publishRules(ada, abe, string(texts[1][1]))
	proposed, err := r.svc.ProposeProcess(r.ctx, ada,
		casework.Propose{Document: string(texts[2][1])})
	must(t, err)
	must(t, errOf(r.svc.PublishProcess(r.ctx, abe,
		casework.EndProposal{ProposalID: proposed.ProposalID, Confirm: true})))
	r.reader.lines = []string{"Maria Example GmbH", "EXPENSE REPORT", "Date: 2026-11-02",
		"Cost centre: CC-100", "Occasion: Travel", "Days: 7", "Hotel 700.00", "Total EUR 700.00"}
	id := r.submitDeclared(r.sam, "expense_approval", "expense_report", "700", "EUR", "")
	r.requireState(id, domain.InReview, "review")
	rows, err := r.db.Reader().Fields(r.ctx, id)
	must(t, err)
	values := map[string]string{}
	for _, row := range rows {
		values[row.Name] = row.Normalised
	}
	for name, want := range map[string]string{"cost_centre": "CC-100", "occasion": "travel",
		"days": "7", "total": "700.00", "currency": "EUR", "date": "2026-11-02"} {
		if values[name] != want {
			t.Errorf("%s is %q, want %q", name, values[name], want)
		}
	}
	if found := r.finding(id, "long_travel"); found == nil ||
		found.Message != "The travel took 7 days." {
		t.Errorf("finding %+v", found)
	}
	must(t, r.claimAndDecide(r.sid, id, "review", domain.Approve))
	r.requireState(id, domain.Archived)
	r.verifyCaseLog(id)
}
