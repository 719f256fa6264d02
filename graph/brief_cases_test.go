package graph

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/graph/direct"
)

// A list that is read briefly has the same values as one that is read as a whole, for every member that can
// be encoded directly and every person. Each member has a value in some case, so that none of them is
// compared with nothing only.
func TestBriefCasesHaveTheSameValues(t *testing.T) {
	t.Parallel()
	w := newAMLWorld(t, true)
	answer := w.upload("sam", submitMutation, map[string]any{"process": "document_approval",
		"documentType": "invoice", "country": "SE", "amount": map[string]any{"amount": "88.10", "currency": "EUR"}},
		"%PDF-1.7\n88.10\n")
	answer.text("submitDocument", "case", "id")
	w.runPending()
	w.upload("sam", submitMutation, map[string]any{"process": "document_approval"}, "%PDF-1.7\n1.00\n")
	w.decide("amy", "AML", "REJECT") // a final case
	w.runPending()

	members := slices.Sorted(maps.Keys(direct.Cases.Members))
	selected := map[string]string{"amount": "amount { amount currency }",
		"declaredAmount": "declaredAmount { amount currency }", "fields": "fields { name raw }"}
	for i, member := range members {
		if of := selected[member]; of != "" {
			members[i] = of
		}
	}
	seen := map[string]bool{}
	for _, by := range []string{"sam", "rita", "max", "amy", "aud", "meg", "ada"} {
		for _, sort := range []string{"NEWEST", "OLDEST", "AMOUNT_HIGHEST"} {
			answer := w.mustExecute(by, `{ brief: cases(first: 10, sort: `+sort+`) { nodes { ...M } }
				whole: cases(first: 10, sort: `+sort+`) { edges { node { ...M } } } }
				fragment M on Case { `+strings.Join(members, " ")+` }`)
			brief, _ := answer.at("brief", "nodes").([]any)
			edges, _ := answer.at("whole", "edges").([]any)
			var whole []any
			for _, edge := range edges {
				whole = append(whole, edge.(map[string]any)["node"])
			}
			if !reflect.DeepEqual(brief, whole) {
				a, _ := json.Marshal(brief)
				b, _ := json.Marshal(whole)
				t.Errorf("%s, %s:\nbrief %s\nwhole %s", by, sort, a, b)
			}
			for _, node := range brief {
				for member, value := range node.(map[string]any) {
					list, isList := value.([]any)
					seen[member] = seen[member] || value != nil && value != "" && value != 0.0 &&
						value != false && (!isList || len(list) > 0)
				}
			}
		}
	}
	for member := range direct.Cases.Members {
		if !seen[member] {
			t.Errorf("%s has no value in any case", member)
		}
	}
}

// What one list reads briefly is not what another part of the same request shows of the case.
func TestABriefCaseIsNotShownElsewhere(t *testing.T) {
	t.Parallel()
	w := newAMLWorld(t, true)
	document := `query($i: ID!) { cases(first: 5) { nodes { id reference } }
		case(id: $i) { risk submitter { name } findings { rule } updatedAt } }`
	together := w.mustExecute("amy", document, "i", w.caseID)
	alone := w.mustExecute("amy", strings.Replace(document, "cases(first: 5) { nodes { id reference } }", "", 1),
		"i", w.caseID)
	if risk, _ := alone.at("case", "risk").(float64); risk == 0 ||
		!reflect.DeepEqual(together.at("case"), alone.at("case")) {
		t.Errorf("together %v\nalone %v", together.at("case"), alone.at("case"))
	}
}
