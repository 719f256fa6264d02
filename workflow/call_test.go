package workflow

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// kycCheck can end in two ways.
const kycCheck = `key: kyc_check
version: 3
title: {en: KYC, zh: 客户核实}
callable: true
nodes:
  - {id: start, kind: start, next: look_up}
  - {id: look_up, kind: external, topic: registry, pays: false, next: identity}
  - id: identity
    kind: review
    title: {en: Identity}
    queue: AML
    duty: kyc
    on: {approve: passed, reject: failed, return: }
  - {id: passed, kind: end}
  - {id: failed, kind: end}
`

// callerOf is a process with a call of kyc_check before the approval.
func callerOf(nodes string) string {
	return "key: net\non_abandon: seal_gone\nnodes:\n  - {id: start, kind: start, next: kyc}\n" +
		nodes + definitionTail
}

const callingKYC = `
  - {id: kyc, kind: call, process: kyc_check, on: {passed: approval, failed: seal_no}}
  - {id: approval, kind: review, queue: L1, on: {approve: seal, reject: seal_no, return: kyc}}
`

// callingOne calls a process with one end.
const callingOne = `
  - {id: kyc, kind: call, process: one, next: gate}
  - {id: gate, kind: exclusive, branches: [{when: risk > 90, to: seal_no}], default: seal}
`

// library are the published texts by process.
type library map[string]string

func (l library) newest(process string) (version int, document string, err error) {
	text, ok := l[process]
	if !ok {
		return 0, "", nil
	}
	return 3, text, nil
}

// recorded returns the text as it is proposed.
func recorded(t testing.TB, text string, published library) string {
	t.Helper()
	out, problems, err := Record([]byte(text), published.newest)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v\n%s", problems, err, text)
	}
	return string(out)
}

// composed parses a text that calls published processes.
func composed(t testing.TB, text string, published library) *Definition {
	t.Helper()
	def := mustParse(t, recorded(t, text, published))
	if result := Verify(def); !result.Sound() {
		t.Fatalf("%v\n%s", result.Problems, text)
	}
	return def
}

func problemOfCall(t *testing.T, text string, published library) Problem {
	t.Helper()
	out, problems, err := Record([]byte(text), published.newest)
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) == 0 {
		_, problems = Check(out)
	}
	if len(problems) == 0 {
		problems = Verify(mustParse(t, string(out))).Problems
	}
	if len(problems) == 0 {
		t.Fatalf("accepted:\n%s", out)
	}
	return problems[0]
}

func TestACallAndItsReturnAreOneNet(t *testing.T) {
	t.Parallel()
	def := composed(t, callerOf(callingKYC), library{"kyc_check": kycCheck})
	step := walk(t, def, clean(), Event{Kind: Started})
	expectTokens(t, step, domain.Processing, domain.Token{Node: "kyc/look_up", Visit: 1})
	step = advanceAll(t, def, step, ended("kyc/look_up", 1))
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc/identity", Visit: 1})
	passed := advanceAll(t, def, step, decided("kyc/identity", 1, 1, domain.Approve))
	expectTokens(t, passed, domain.InReview, domain.Token{Node: "approval", Visit: 1})
	if passed.Marking.Visits["kyc"] != 1 || passed.Marking.Visits["kyc/passed"] != 1 {
		t.Errorf("visits %v", passed.Marking.Visits)
	}
	failed := advanceAll(t, def, step, decided("kyc/identity", 1, 1, domain.Reject))
	expectTokens(t, failed, domain.Settling, domain.Token{Node: "seal_no", Visit: 1})
	// A return inside continues where the caller says.
	back := advanceAll(t, def, step, decided("kyc/identity", 1, 1, domain.Return),
		Event{Kind: Resubmitted})
	expectTokens(t, back, domain.Processing, domain.Token{Node: "kyc/look_up", Visit: 2})
	identity, _ := def.Node("kyc/identity")
	if want := map[string]string{"en": "KYC / Identity", "zh": "客户核实 / Identity"}; !reflect.DeepEqual(
		identity.Title, want) || identity.Within != "kyc" || identity.Duty != "kyc" {
		t.Errorf("%+v", identity)
	}
}

// The recorded text contains the called process: what is published later, or disappears, changes
// nothing.
func TestTheRecordedTextNeedsNothingElse(t *testing.T) {
	t.Parallel()
	text := recorded(t, callerOf(callingKYC), library{"kyc_check": kycCheck})
	weaker := strings.Replace(kycCheck, "queue: AML", "queue: L1", 1)
	if def := mustParse(t, text); def.Calls()[0].Call.Version != 3 {
		t.Errorf("%+v", def.Calls()[0].Call)
	}
	again := recorded(t, text, library{"kyc_check": weaker})
	before, _ := mustParse(t, text).Node("kyc/identity")
	after, _ := mustParse(t, again).Node("kyc/identity")
	if before.Queue != "AML" || after.Queue != "L1" || strings.Count(again, "\ncalled:") != 1 {
		t.Errorf("%s, then %s\n%s", before.Queue, after.Queue, again)
	}
	if string(WithoutCalled([]byte(text))) != callerOf(callingKYC) {
		t.Errorf("without what was recorded:\n%s", WithoutCalled([]byte(text)))
	}
	forged := strings.Replace(text, "queue: AML", "queue: L1", 1)
	if _, problems := Check([]byte(forged)); len(problems) == 0 || problems[0].Rule != "call" ||
		problems[0].Node != "kyc" {
		t.Errorf("another text under the digest: %v", problems)
	}
}

func TestEveryTextIsRecordedExactly(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"comments": "# é 客户\n\n" + kycCheck + "\n# end",
		"no end":   strings.TrimSuffix(kycCheck, "\n"),
		"lines":    kycCheck + "\n\n\n",
		"spaces":   strings.ReplaceAll(kycCheck, "callable: true\n", "callable: true   \n\n  # x\t\n"),
		"quotes":   strings.Replace(kycCheck, "en: KYC", `en: "K: 'Y' # \"C\""`, 1),
		"colons":   "# a: b\n" + kycCheck,
	} {
		text := recorded(t, callerOf(callingKYC), library{"kyc_check": document})
		if _, problems := Check([]byte(text)); len(problems) > 0 {
			t.Errorf("%s: %v\n%s", name, problems, text)
		}
	}
	text, problems, err := Record([]byte(callerOf(callingKYC)),
		library{"kyc_check": strings.ReplaceAll(kycCheck, "\n", "\r\n")}.newest)
	if err != nil || len(problems) == 0 && !strings.Contains(string(text), "\r\n") {
		t.Errorf("carriage returns are lost: %v %v", problems, err)
	}
}

// calleeWith returns a callable process with the nodes between start and the end done.
func calleeWith(key, first, nodes string) string {
	return "key: " + key + "\ncallable: true\nnodes:\n  - {id: start, kind: start, next: " + first +
		"}\n" + nodes + "  - {id: done, kind: end}\n"
}

func TestFaultyCallsAreRefusedAtTheNode(t *testing.T) {
	t.Parallel()
	check := calleeWith("check", "work", "  - {id: work, kind: stage, next: done}\n")
	calling := func(process string) string {
		return "  - {id: work, kind: call, process: " + process + ", next: done}\n"
	}
	deep := library{"e": calleeWith("e", "work", "  - {id: work, kind: stage, next: done}\n")}
	for _, pair := range [][2]string{{"d", "e"}, {"c", "d"}, {"b", "c"}} {
		deep[pair[0]] = recorded(t, calleeWith(pair[0], "work", calling(pair[1])), deep)
	}
	through := recorded(t, calleeWith("check", "work", calling("kyc_check")),
		library{"kyc_check": calleeWith("kyc_check", "work", "  - {id: work, kind: stage, next: done}\n")})
	oneEnd := "  - {id: kyc, kind: call, process: check, next: seal}\n"
	for name, one := range map[string]struct {
		text      string
		published library
		rule      string
		node      string
	}{
		"unknown": {callerOf(oneEnd), library{}, "call", "kyc"},
		"not callable": {callerOf(oneEnd), library{"check": definitionOf("  - {id: a, kind: stage, next: seal}")},
			"call", "kyc"},
		"no process":    {callerOf("  - {id: kyc, kind: call, next: seal}\n"), nil, "call", "kyc"},
		"next, but two": {callerOf("  - {id: kyc, kind: call, process: kyc_check, next: seal}\n"), library{"kyc_check": kycCheck}, "call_results", "kyc"},
		"an end is forgotten": {callerOf("  - {id: kyc, kind: call, process: kyc_check, on: {passed: seal}}\n"),
			library{"kyc_check": kycCheck}, "call_results", "kyc"},
		"an end too many": {callerOf("  - {id: kyc, kind: call, process: check, on: {done: seal, failed: seal_no}}\n"),
			library{"check": check}, "call_results", "kyc"},
		"unknown target": {callerOf("  - {id: kyc, kind: call, process: check, next: nowhere}\n"),
			library{"check": check}, "unknown_target", "kyc"},
		"into the called process": {callerOf(oneEnd + "  - {id: x, kind: stage, next: kyc/work}\n"),
			library{"check": check}, "unknown_target", "x"},
		"around its end": {callerOf("  - {id: kyc, kind: call, process: check, next: x}\n  - {id: x, kind: stage, on: {done: seal, odd: kyc/done}}\n"),
			library{"check": check}, "unknown_target", "x"},
		"entered by re_enter": {"re_enter: kyc/work\n" + callerOf(oneEnd), library{"check": check}, "unknown_target", ""},
		"itself":              {calleeWith("check", "work", calling("check")), library{"check": check}, "recursion", "work"},
		"itself through another": {calleeWith("kyc_check", "work", calling("check")), library{"check": through},
			"recursion", "work/work"},
		"too deep": {callerOf("  - {id: kyc, kind: call, process: b, next: seal}\n"), deep, "call_depth", "kyc/work/work/work"},
		"facts": {callerOf(oneEnd), library{"check": strings.Replace(check, "callable", "key_facts: [due_date]\ncallable", 1)},
			"call_facts", "kyc"},
		"needs": {callerOf(oneEnd), library{"check": strings.Replace(check, "callable", "needs: [country]\ncallable", 1)},
			"call_facts", "kyc"},
		"document types": {"document_types: [invoice, receipt]\n" + callerOf(oneEnd),
			library{"check": strings.Replace(check, "callable", "document_types: [invoice]\ncallable", 1)}, "call_facts", "kyc"},
		"amount": {"has_amount: false\n" + callerOf(oneEnd), library{"check": check}, "call_facts", "kyc"},
		"forged": {"called: [{process: check, version: 1, sha256: x, text: y}]\n" + callerOf(oneEnd), library{}, "call", ""},
		"forged in quotes": {callerOf(oneEnd) + "\n\"called\": [{process: check, version: 1, sha256: x, text: y}]\n",
			library{"check": check}, "call", ""},
		"a saga": {calleeWith("check", "work", "  - {id: work, kind: saga, steps: [{id: a, call: b}], on: {done: done, undone: done}}\n"),
			nil, "callable", "work"},
		"a seal": {calleeWith("check", "work", "  - {id: work, kind: stage, outcome: archived, next: done}\n"), nil, "callable", "work"},
		"an archive": {calleeWith("check", "work", "  - {id: work, kind: stage, behaviour: archive, next: done}\n"),
			nil, "callable", "work"},
		"a payment": {calleeWith("check", "work", "  - {id: work, kind: external, topic: bank, next: done}\n"), nil, "callable", "work"},
		"a status": {strings.Replace(check, "{id: done, kind: end}", "{id: done, kind: end, status: archived}", 1), nil,
			"callable", "done"},
		"its own entry": {"re_enter: work\n" + check, nil, "callable", ""},
		"open work": {calleeWith("check", "split", "  - {id: split, kind: fork, to: [a, b]}\n"+
			"  - {id: a, kind: stage, next: done}\n  - {id: b, kind: stage, next: done}\n"), nil, "unsound", "@archived"},
	} {
		problem := problemOfCall(t, one.text, one.published)
		if problem.Rule != one.rule || problem.Node != one.node {
			t.Errorf("%s: %+v, want %s at %q", name, problem, one.rule, one.node)
		}
	}
}

// The amount's own limit holds in a called process that has no amount itself.
func TestALimitHoldsInACalledProcess(t *testing.T) {
	t.Parallel()
	weak := "has_amount: false\n" + strings.Replace(kycCheck, "duty: kyc", "duty: approval", 1)
	def := composed(t, callerOf(
		"  - {id: kyc, kind: call, process: kyc_check, on: {passed: seal, failed: seal_no}}\n"),
		library{"kyc_check": weak})
	identity, _ := def.Node("kyc/identity")
	if !def.LimitsApply(identity.Duty) || len(Unreviewed(def)) > 0 {
		t.Errorf("limits apply: %v, unreviewed: %v", def.LimitsApply(identity.Duty), Unreviewed(def))
	}
	none := calleeWith("one", "work", "  - {id: work, kind: stage, next: done}\n")
	def = composed(t, callerOf(callingOne), library{"one": none})
	if len(Unreviewed(def)) == 0 {
		t.Error("a process that only calls a check without a person is not reported")
	}
}

// Votes of one duty come from different people on both sides of a call.
func TestDutiesHoldOverTheBoundary(t *testing.T) {
	t.Parallel()
	same := strings.Replace(kycCheck, "duty: kyc", "duty: approval", 1)
	def := composed(t, callerOf(callingKYC), library{"kyc_check": same})
	people := []domain.ID{domain.NewID(), domain.NewID()}
	if found := Understaffed(def, func(*Node) []domain.ID { return people[:1] }); len(found) == 0 {
		t.Error("one person decides inside and outside")
	}
	if found := Understaffed(def, func(*Node) []domain.ID { return people }); len(found) > 0 {
		t.Error(found)
	}
}

const forkedCall = `
  - {id: a, kind: fork, to: [kyc, credit]}
  - {id: kyc, kind: call, process: kyc_check, on: {passed: both, failed: {to: seal_no, cancel: all}}}
  - {id: credit, kind: review, queue: L1, on: {approve: both, reject: {to: seal_no, cancel: [kyc, both]}}}
  - {id: both, kind: join, next: seal}
`

func TestACallInsideAFork(t *testing.T) {
	t.Parallel()
	inner := calleeWith("kyc_check", "split", `  - {id: split, kind: fork, to: [papers, person]}
  - {id: papers, kind: review, queue: AML, duty: papers, on: {approve: meet, reject: {to: failed, cancel: all}}}
  - {id: person, kind: review, queue: AML, duty: person, on: {approve: meet, reject: {to: failed, cancel: [papers, meet]}}}
  - {id: meet, kind: join, next: passed}
  - {id: passed, kind: end}
  - {id: failed, kind: end}
`)
	inner = strings.Replace(inner, "  - {id: done, kind: end}\n", "", 1)
	text := strings.Replace(callerOf(forkedCall), "next: kyc}", "next: a}", 1)
	def := composed(t, text, library{"kyc_check": inner})
	step := walk(t, def, clean(), Event{Kind: Started})
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc/papers", Visit: 1},
		domain.Token{Node: "kyc/person", Visit: 1}, domain.Token{Node: "credit", Visit: 1})
	// The rejection inside withdraws its own branches, and then what the call withdraws.
	failed := advanceAll(t, def, step, decided("kyc/papers", 1, 1, domain.Reject))
	expectTokens(t, failed, domain.Settling, domain.Token{Node: "seal_no", Visit: 1})
	credit := advanceAll(t, def, step, decided("kyc/papers", 1, 1, domain.Approve),
		decided("credit", 1, 1, domain.Reject))
	expectTokens(t, credit, domain.Settling, domain.Token{Node: "seal_no", Visit: 1})
	passed := advanceAll(t, def, step, decided("kyc/papers", 1, 1, domain.Approve),
		decided("kyc/person", 1, 1, domain.Approve))
	expectTokens(t, passed, domain.InReview, domain.Token{Node: "credit", Visit: 1},
		domain.Token{Node: "both", Visit: 1})
	// Without cancel on the call, a rejection inside leaves the other branch alone.
	alone := strings.Replace(text, "failed: {to: seal_no, cancel: all}", "failed: both", 1)
	_, problems := Check([]byte(recorded(t, alone, library{"kyc_check": inner})))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if result := Verify(mustParse(t, recorded(t, alone, library{"kyc_check": inner}))); result.Sound() {
		t.Error("two ends of a call that lead to one join must meet before it")
	}
	for _, scope := range []string{"a.0/kyc/split.1", "kyc/split.0"} {
		if parts := scopeParts(scope); parts[len(parts)-1] != "kyc/split."+scope[len(scope)-1:] {
			t.Errorf("%s: %q", scope, parts)
		}
	}
}

func TestACallWithinACall(t *testing.T) {
	t.Parallel()
	outer := recorded(t, `key: onboarding_checks
title: {en: Checks}
callable: true
nodes:
  - {id: start, kind: start, next: kyc}
  - {id: kyc, kind: call, process: kyc_check, on: {passed: done, failed: refused}}
  - {id: done, kind: end}
  - {id: refused, kind: end}
`, library{"kyc_check": kycCheck})
	if result := Verify(mustParse(t, outer)); !result.Sound() {
		t.Fatal(result.Problems)
	}
	def := composed(t, callerOf(`
  - {id: kyc, kind: call, process: onboarding_checks, title: {en: All checks}, on: {done: seal, refused: seal_no}}
`), library{"onboarding_checks": outer, "kyc_check": "gone"})
	step := walk(t, def, clean(), Event{Kind: Started}, ended("kyc/kyc/look_up", 1))
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc/kyc/identity", Visit: 1})
	identity, _ := def.Node("kyc/kyc/identity")
	if identity.Title["en"] != "All checks / KYC / Identity" || identity.Within != "kyc/kyc" {
		t.Errorf("%+v", identity)
	}
	step = advanceAll(t, def, step, decided("kyc/kyc/identity", 1, 1, domain.Approve))
	expectTokens(t, step, domain.Approved, domain.Token{Node: "seal", Visit: 1})
}

// A name that a call gives cannot be the name of another node.
func TestComposedNamesDoNotCollide(t *testing.T) {
	t.Parallel()
	def := composed(t, callerOf(`
  - {id: kyc, kind: call, process: kyc_check, on: {passed: kyc_identity, failed: seal_no}}
  - {id: kyc_identity, kind: review, queue: L1, on: {approve: identity, reject: seal_no}}
  - {id: identity, kind: call, process: kyc_check, on: {passed: seal, failed: seal_no}}
`), library{"kyc_check": kycCheck})
	var ids []string
	for _, node := range def.Nodes {
		ids = append(ids, node.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) || def.index["identity/identity"] == nil {
		t.Error(ids)
	}
	for _, id := range []string{"kyc/identity", "@archive"} {
		text := callerOf(strings.ReplaceAll(callingKYC, "id: approval,", "id: "+id+","))
		if problem := problemOfCall(t, text, library{"kyc_check": kycCheck}); problem.Rule != "name" &&
			problem.Rule != "unknown_target" && problem.Rule != "syntax" {
			t.Errorf("%s: %v", id, problem)
		}
	}
}

func TestADraftWritesCallsAsPeopleDo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{kycCheck, callerOf(callingKYC),
		strings.Replace(callerOf(forkedCall), "next: kyc}", "next: a}", 1),
		callerOf(callingOne)} {
		all := library{"kyc_check": kycCheck,
			"one": calleeWith("one", "work", "  - {id: work, kind: stage, next: done}\n")}
		def := mustParse(t, recorded(t, text, all))
		draft := DraftOf(def)
		written := string(draft.YAML())
		again := mustParse(t, recorded(t, written, all))
		if !reflect.DeepEqual(NewGraph(again).Edges, NewGraph(def).Edges) ||
			string(WithoutCalled([]byte(written))) != written {
			t.Errorf("written:\n%s\nof\n%s", written, text)
		}
	}
}

func TestACallIsDrawnWithItsNodes(t *testing.T) {
	t.Parallel()
	graph := NewGraph(composed(t, callerOf(callingKYC), library{"kyc_check": kycCheck}))
	var drawn []string
	for _, edge := range graph.Edges {
		if strings.HasPrefix(edge.From, "kyc") {
			drawn = append(drawn, edge.From+" "+string(edge.Kind)+" "+edge.Label+" "+edge.To)
		}
	}
	want := []string{"kyc next  kyc/look_up", "kyc/look_up next  kyc/identity",
		"kyc/identity verdict approve kyc/passed", "kyc/identity verdict reject kyc/failed",
		"kyc/identity return return kyc", "kyc/passed outcome passed approval",
		"kyc/failed outcome failed seal_no"}
	if !slices.Equal(drawn, want) {
		t.Errorf("%q", drawn)
	}
	for _, node := range NewGraph(mustParse(t, kycCheck)).Nodes {
		if strings.HasPrefix(node.ID, "@") {
			t.Errorf("%s is drawn", node.ID)
		}
	}
}

func TestADiagramHasACallAsOneState(t *testing.T) {
	t.Parallel()
	drawn := Mermaid(composed(t, callerOf(callingKYC), library{"kyc_check": kycCheck}))
	for _, line := range []string{"    kyc: kyc (calls kyc_check)\n", "    kyc --> approval: passed\n",
		"    kyc --> seal_no: failed\n"} {
		if !strings.Contains(drawn, line) {
			t.Errorf("no line %q in\n%s", line, drawn)
		}
	}
	alone := Mermaid(mustParse(t, kycCheck))
	if strings.Contains(drawn, "kyc/") || strings.Contains(alone, "@") ||
		!strings.Contains(alone, "    identity --> [*]: approve passed\n") {
		t.Errorf("%s\n%s", drawn, alone)
	}
}

// Cases move between versions that call different versions of a process: to the node of the same name,
// and they stay where there is none.
func TestCasesMoveBetweenVersionsOfACalledProcess(t *testing.T) {
	t.Parallel()
	from := composed(t, callerOf(callingKYC), library{"kyc_check": kycCheck})
	longer := strings.Replace(kycCheck, "reject: failed, return: }", "reject: failed, return: }\n"+
		"  - {id: second, kind: review, queue: AML, duty: kyc, on: {approve: passed, reject: failed}}", 1)
	longer = strings.Replace(longer, "approve: passed, reject: failed, return", "approve: second, reject: failed, return", 1)
	to := composed(t, "version: 2\n"+callerOf(callingKYC), library{"kyc_check": longer})
	if problems := CheckPlan(from, to, NewMigrationPlan(from, to, nil)); len(problems) > 0 {
		t.Error(problems)
	}
	step := walk(t, from, clean(), Event{Kind: Started}, ended("kyc/look_up", 1))
	moved, err := MigrateMarking(from, to, NewMigrationPlan(from, to, nil), step.Marking)
	if err != nil {
		t.Fatal(err)
	}
	step.Marking = moved
	next := advanceAll(t, to, step, decided("kyc/identity", 1, 1, domain.Approve))
	expectTokens(t, next, domain.InReview, domain.Token{Node: "kyc/second", Visit: 1})
	// The other way its node has no counterpart.
	back := NewMigrationPlan(to, from, nil)
	if problems := CheckPlan(to, from, back); !slices.ContainsFunc(problems, func(p Problem) bool {
		return p.Node == "kyc/second" && p.Rule == "migration_unmapped"
	}) {
		t.Error(problems)
	}
}
