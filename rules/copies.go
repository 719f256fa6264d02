package rules

import (
	"slices"
	"strings"

	"countersign/expr"
)

// The facts about cases that have the finding about this document and theirs: their references, and what each
// of them has in common with this one, as "content:CS-2026-000002".
const (
	submittedAgain   = "submitted_again"
	submittedAgainAs = "submitted_again_as"
)

// copiesKey is the key of the value that lists copies with what they have in common with the document.
const copiesKey = "copies"

// Copy is a case that has the finding about this document and its own.
type Copy struct {
	Reference string
	// Relation is what both documents have in common, NoDuplicate if it is not recorded.
	Relation DuplicateKind
}

// CopiesIn returns the copies that the evidence of a finding names, by reference. Findings of earlier versions of
// the rule sets do not record what they have in common.
func CopiesIn(evidence map[string]string) map[string]Copy {
	copies := map[string]Copy{}
	for _, text := range strings.Split(evidence[copiesKey], ",") {
		if relation, reference, ok := strings.Cut(text, ":"); ok {
			copies[reference] = Copy{reference, DuplicateKind(relation)}
		}
	}
	return copies
}

func addCopies(facts expr.Facts, copies []Copy) {
	references, related := []string{}, []string{}
	for _, other := range copies {
		references = append(references, other.Reference)
		related = append(related, string(other.Relation)+":"+other.Reference)
	}
	facts[submittedAgain], facts[submittedAgainAs] = references, related
}

// copyTexts say by language which document was also submitted, by what it has in common with this one.
var copyTexts = map[string]map[DuplicateKind]string{
	"en": {
		SameBytes:     "The same file was also submitted as ",
		SameNumber:    "A document with the same number was also submitted as ",
		SimilarNumber: "A document with nearly the same number was also submitted as ",
		SameContent:   "A document with the same total and date was also submitted as ",
		SimilarImage:  "A document with nearly the same first page was also submitted as ",
		NoDuplicate:   "A document that may be the same was also submitted as ",
	},
	"zh": {
		SameBytes:     "同一文件也已提交：",
		SameNumber:    "号码相同的单据也已提交：",
		SimilarNumber: "号码相近的单据也已提交：",
		SameContent:   "总额与日期相同的单据也已提交：",
		SimilarImage:  "首页几乎相同的单据也已提交：",
		NoDuplicate:   "可能相同的单据也已提交：",
	},
}

// copiesText renders copies as sentences without the last full stop, one for each thing in common.
func copiesText(language, value string) string {
	texts, separator := copyTexts["en"], ". "
	if language == "zh" {
		texts, separator = copyTexts["zh"], "；"
	}
	var order []string
	references := map[string][]string{}
	for _, text := range strings.Split(value, ",") {
		relation, reference, _ := strings.Cut(text, ":")
		lead, known := texts[DuplicateKind(relation)]
		if !known {
			lead = texts[NoDuplicate]
		}
		if !slices.Contains(order, lead) {
			order = append(order, lead)
		}
		references[lead] = append(references[lead], reference)
	}
	for i, lead := range order {
		order[i] = lead + joinFew(language, references[lead])
	}
	return strings.Join(order, separator)
}
