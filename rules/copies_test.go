package rules

import (
	"strings"
	"testing"
)

// The finding says of each case what both documents have in common, and claims no more than that.
func TestTheFindingAboutCopiesSaysWhatIsTheSame(t *testing.T) {
	t.Parallel()
	input := cleanInvoiceInput()
	input.Duplicates = []DuplicateHit{
		{Kind: SubmittedAgain, Reference: "CS-2026-000002", Relation: SameContent},
		{Kind: SubmittedAgain, Reference: "CS-2026-000003", Relation: SameBytes},
		{Kind: SubmittedAgain, Reference: "CS-2026-000004", Relation: SameContent},
		{Kind: SubmittedAgain, Reference: "CS-2026-000005"},
	}
	for _, documentType := range []string{"invoice", "receipt", "remittance"} {
		input.DocumentType = documentType
		findings, _ := validateAndAssess(t, input)
		found := findRaised(findings, submittedAgain)
		if found == nil {
			t.Fatalf("%s: %+v", documentType, findings)
		}
		const want = "A document with the same total and date was also submitted as CS-2026-000002, CS-2026-000004. " +
			"The same file was also submitted as CS-2026-000003. " +
			"A document that may be the same was also submitted as CS-2026-000005."
		if found.Message != want {
			t.Errorf("%s: %q", documentType, found.Message)
		}
		rule, _ := setFor(t, documentType).Rule(submittedAgain)
		chinese := rule.Render("zh", found.Evidence)
		if chinese != "总额与日期相同的单据也已提交：CS-2026-000002、CS-2026-000004；同一文件也已提交：CS-2026-000003；"+
			"可能相同的单据也已提交：CS-2026-000005。" {
			t.Errorf("%s: %q", documentType, chinese)
		}
		if len(found.NamedCases()) != 4 {
			t.Errorf("%s: named %v", documentType, found.NamedCases())
		}
	}
}

// A finding that an earlier version recorded has no relations.
func TestCopiesOfARecordedFinding(t *testing.T) {
	t.Parallel()
	if copies := CopiesIn(map[string]string{"cases": "CS-2026-000002"}); len(copies) != 0 {
		t.Errorf("%v", copies)
	}
	copies := CopiesIn(map[string]string{"copies": "content:CS-2026-000002,:CS-2026-000003"})
	if copies["CS-2026-000002"].Relation != SameContent || copies["CS-2026-000003"].Relation != NoDuplicate {
		t.Errorf("%v", copies)
	}
	if text := copiesText("en", "nothing:CS-2026-000002"); !strings.HasPrefix(text, "A document that may be the same") {
		t.Errorf("%q", text)
	}
}
