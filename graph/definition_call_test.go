package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const callableText = `key: identity_check
callable: true
nodes:
  - {id: start, kind: start, next: identity}
  - {id: identity, kind: review, queue: L1, on: {approve: passed, reject: failed}}
  - {id: passed, kind: end}
  - {id: failed, kind: end}
`

const callingText = `key: calling
on_abandon: gone
nodes:
  - {id: start, kind: start, next: kyc}
  - {id: kyc, kind: call, process: identity_check, on: {passed: seal, failed: refuse}}
  - {id: seal, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: archived, kind: end, status: archived}
  - {id: refuse, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: rejected, kind: end, status: rejected}
  - {id: gone, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
`

// A version shows which processes it calls, and whether there are newer versions of them.
func TestADefinitionShowsItsCalls(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "abe"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("sam", domain.RoleSubmitter)
	published := func(document string) {
		publish(w, "abe", propose(w, "ada", document, "").text("done", "proposal", "id"))
	}
	published(callableText)
	published(callingText)
	published(strings.Replace(callableText, "queue: L1", "queue: L2", 1))
	const query = `{ processDefinitions(first: 9, filter: {key: "calling"}) { nodes {
		calls { node process version newestVersion } graph { nodes { id kind within } } } } }`
	shown := w.mustExecute("ada", query)
	call := func(field string) any {
		return shown.at("processDefinitions", "nodes", 0, "calls", 0, field)
	}
	if call("node") != "kyc" || call("process") != "identity_check" || call("version") != 1.0 ||
		call("newestVersion") != 2.0 {
		t.Errorf("%+v", shown.Data)
	}
	for i, want := range [][3]string{{"start", "start", ""}, {"kyc", "call", ""},
		{"kyc/identity", "review", "kyc"}, {"kyc/passed", "end", "kyc"}} {
		node := func(field string) string {
			return shown.text("processDefinitions", "nodes", 0, "graph", "nodes", i, field)
		}
		if got := [3]string{node("id"), node("kind"), node("within")}; got != want {
			t.Errorf("node %d is %v, want %v", i, got, want)
		}
	}
	callable := w.mustExecute("ada", `{ processDefinitions(first: 9, filter: {newest: true, callable: true}) {
		nodes { key ends } } }`)
	if callable.text("processDefinitions", "nodes", 0, "key") != "identity_check" ||
		callable.text("processDefinitions", "nodes", 0, "ends", 1) != "failed" {
		t.Errorf("%+v", callable.Data)
	}
	hidden := w.mustExecute("sam", query)
	if calls := hidden.at("processDefinitions", "nodes", 0, "calls").([]any); len(calls) > 0 {
		t.Errorf("a submitter sees %+v", calls)
	}
}
