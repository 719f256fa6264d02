package workflow

import (
	"strings"
	"testing"
)

// withDocuments returns a small process with these kinds of supporting documents.
func withDocuments(documents string) string {
	return `
key: loan
on_abandon: seal_gone
documents: [` + documents + `]
nodes:
  - {id: start, kind: start, next: ask}
  - {id: ask, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}
` + definitionTail
}

func TestDocumentDeclarationsAreChecked(t *testing.T) {
	t.Parallel()
	for declared, part := range map[string]string{
		`{kind: Payslip}`:                               "not valid",
		`{kind: payslip}, {kind: payslip}`:              "declared twice",
		`{kind: payslip, max: 0}`:                       "between 1 and 20",
		`{kind: payslip, max: 21}`:                      "between 1 and 20",
		`{kind: payslip, secret: true}`:                 "secret",
		strings.Repeat(`{kind: a}, `, 10) + `{kind: b}`: "at most 10",
	} {
		_, problems := Check([]byte(withDocuments(declared)))
		if len(problems) == 0 || !strings.Contains(problems[0].Message, part) {
			t.Errorf("%s: %v", declared, problems)
		}
	}
	def, err := Parse([]byte(withDocuments(`{kind: payslip, required: true, max: 3, label: {en: P}}, {kind: identity}`)))
	if err != nil {
		t.Fatal(err)
	}
	if d := def.Documents; len(d) != 2 || !d[0].Required || d[0].Max != 3 || d[0].Label["en"] != "P" ||
		d[1].Required || d[1].Max != 1 {
		t.Errorf("documents %+v", d)
	}
	draft := DraftOf(def)
	again, err := Parse(draft.YAML())
	if err != nil || len(again.Documents) != 2 || again.Documents[0].Max != 3 || !again.Documents[0].Required {
		t.Errorf("written as %s: %v", draft.YAML(), err)
	}
}

// A called process has no documents, because a case is submitted to the calling process.
func TestACallableProcessHasNoDocuments(t *testing.T) {
	t.Parallel()
	_, problems := Check([]byte(`
key: identity_check
callable: true
documents: [{kind: passport}]
nodes:
  - {id: start, kind: start, next: ask}
  - {id: ask, kind: review, queue: L1, on: {approve: known, reject: unknown}}
  - {id: known, kind: end}
  - {id: unknown, kind: end}
`))
	if len(problems) == 0 || problems[0].Rule != "callable" || !strings.Contains(problems[0].Message, "documents") {
		t.Errorf("%v", problems)
	}
}
