package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

// byDepartment is the document approval with a department, whose committee decides for sales.
func byDepartment(document string) string {
	document = strings.Replace(document, "nodes:\n", `attributes:
  - {name: department, type: choice, required: true, label: {en: Department, zh: 部门}, choices: [finance, {key: sales, label: {en: Sales, zh: 销售}}]}
nodes:
  - {id: by_department, kind: exclusive, branches: [{when: 'attributes.department == "sales"', to: committee}], default: read}
  - {id: committee, kind: review, queue: L1, duty: committee, seats: 5, quorum: 3, on: {approve: read, reject: seal_rejected}}
`, 1)
	return strings.Replace(document, "next: read", "next: by_department", 1)
}

// A made-up case takes the route of the department that it states. What the process does not declare is
// refused with the name of the attribute, in a trial and in a submission.
func TestAttributesOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("sam", domain.RoleSubmitter)
	document := byDepartment(w.mustExecute("ada", newestOf, "key", "document_approval").
		text("processDefinitions", "nodes", 0, "document"))
	stating := func(value string) map[string]any {
		return map[string]any{"attributes": []any{map[string]any{"name": "department", "value": value}}}
	}
	for department, committee := range map[string]bool{"sales": true, "finance": false} {
		got := w.execute("ada", tried, "d", document, "c", stating(department))
		nodes := ""
		for _, node := range got.at("t", "nodes").([]any) {
			nodes += node.(string) + " "
		}
		if strings.Contains(nodes, "committee") != committee {
			t.Errorf("%s: %+v", department, got)
		}
	}
	for _, made := range []map[string]any{stating("hr"), {}} {
		if got := w.execute("ada", tried, "d", document, "c", made); len(got.Errors) == 0 {
			t.Errorf("%v: %+v", made, got)
		}
	}
	refused := w.upload("sam", `mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) {
		case { id } userErrors { ... on Refusal { code field } } } }`, stating("sales"), "%PDF-1.7\nx")
	if refused.text("submitDocument", "userErrors", 0, "field") != "attributes" {
		t.Errorf("the document approval has no attributes: %+v", refused)
	}
	declared := w.mustExecute("sam", `{ processDefinitions(first: 1) { nodes { attributes { name } } } }`)
	if len(declared.at("processDefinitions", "nodes", 0, "attributes").([]any)) != 0 {
		t.Errorf("declared: %+v", declared)
	}
}
