package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const bpmnOf = `query($key: String!) { processDefinitions(first: 1, filter: {key: $key}) { nodes {
	document bpmn } } }`

const importOf = `query($f: String!) { importBpmn(file: $f) { document refused { rule node message }
	notes { rule node } } }`

// The people who see the text of a definition see it as BPMN; the people who propose one import BPMN.
func TestADefinitionIsExportedAndImportedAsBPMN(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("kim", domain.RoleAuditor)
	w.person("lea", domain.RoleL1)
	file := w.mustExecute("ada", bpmnOf, "key", "merchant_onboarding").
		text("processDefinitions", "nodes", 0, "bpmn")
	if other := w.mustExecute("kim", bpmnOf, "key", "merchant_onboarding").
		text("processDefinitions", "nodes", 0, "bpmn"); other != file ||
		!strings.Contains(file, "bpmn:definitions") {
		t.Fatalf("the auditor gets %d bytes, the administrator %d", len(other), len(file))
	}
	if hidden := w.mustExecute("lea", bpmnOf, "key", "merchant_onboarding"); hidden.at(
		"processDefinitions", "nodes", 0, "bpmn") != nil {
		t.Errorf("a reviewer sees %+v", hidden.Data)
	}
	read := w.mustExecute("ada", importOf, "f", file)
	checked := w.mustExecute("ada", `query($d: String!) { checkProcessDefinition(document: $d) {
		key report { sound } } }`, "d", read.text("importBpmn", "document"))
	if checked.text("checkProcessDefinition", "key") != "merchant_onboarding" ||
		checked.at("checkProcessDefinition", "report", "sound") != true {
		t.Errorf("imported %+v, checked %+v", read.Data, checked.Data)
	}
	refused := w.mustExecute("ada", importOf, "f",
		strings.ReplaceAll(file, "bpmn:parallelGateway", "bpmn:inclusiveGateway"))
	if refused.at("importBpmn", "document") != nil ||
		refused.text("importBpmn", "refused", 0, "rule") != "bpmn_element" ||
		refused.text("importBpmn", "refused", 0, "node") != "checks" {
		t.Errorf("refused: %+v", refused.Data)
	}
	for _, by := range []string{"kim", "lea"} {
		got := w.execute(by, importOf, "f", file)
		if len(got.Errors) != 1 || got.Data["importBpmn"] != nil {
			t.Errorf("%s imports: %+v %+v", by, got.Data, got.Errors)
		}
	}
}
