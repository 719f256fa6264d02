package bpmn

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/definitiontest"
	"countersign/internal/golden"
	"countersign/workflow"
)

// stated returns everything that a definition states, without the lines of its text.
func stated(t rapid.TB, def *workflow.Definition) string {
	t.Helper()
	copied := *def
	copied.Nodes = nil
	for _, node := range def.Nodes {
		one := *node
		one.Line = 0
		copied.Nodes = append(copied.Nodes, &one)
	}
	text, err := json.MarshalIndent(&copied, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkSame checks that the import of an export is the same definition.
func checkSame(t rapid.TB, def *workflow.Definition) {
	t.Helper()
	source := Export(def)
	read := Import(source)
	if len(read.Refused) > 0 || len(read.Notes) > 0 {
		t.Fatalf("refused %v, notes %v\n%s", read.Refused, read.Notes, source)
	}
	again, err := workflow.Parse(recorded(t, read.Text))
	if err != nil {
		t.Fatalf("%v\n%s", err, read.Text)
	}
	if got, want := stated(t, again), stated(t, def); got != want {
		t.Fatalf("got\n%s\nwant\n%s\n%s", got, want, source)
	}
}

func TestImportOfAnExportIsTheSameDefinition(t *testing.T) {
	t.Parallel()
	for name, def := range definitions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkSame(t, def)
		})
	}
}

// fileOf returns a BPMN file of a process with the elements.
func fileOf(elements string) []byte {
	return []byte(`<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" ` +
		`xmlns:cs="` + Namespace + `" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" ` +
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="D">` + elements + `</definitions>`)
}

// Parts of files.
const (
	begin = `<process id="P"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="a"/>`
	end   = `<sequenceFlow id="f2" sourceRef="a" targetRef="e"/><endEvent id="e"/></process>`
)

// refusedFiles are files with the rule that refuses them and the element that it names.
var refusedFiles = map[string]struct{ elements, rule, id string }{
	"no process":         {"", "bpmn_processes", "D"},
	"two processes":      {`<process id="P"/><process id="Q"/>`, "bpmn_element", "Q"},
	"message flow":       {`<collaboration id="C"><messageFlow id="m"/></collaboration>` + begin + `<userTask id="a"/>` + end, "bpmn_element", "m"},
	"two pools":          {`<collaboration id="C"><participant id="p1"/><participant id="p2"/></collaboration>` + begin + `<userTask id="a"/>` + end, "bpmn_element", "p2"},
	"abstract task":      {begin + `<task id="a"/>` + end, "bpmn_task", "a"},
	"script":             {begin + `<scriptTask id="a"><script>x</script></scriptTask>` + end, "bpmn_element", "a"},
	"business rule":      {begin + `<businessRuleTask id="a"/>` + end, "bpmn_element", "a"},
	"manual task":        {begin + `<manualTask id="a"/>` + end, "bpmn_element", "a"},
	"call activity":      {begin + `<callActivity id="a"/>` + end, "bpmn_element", "a"},
	"sub-process":        {begin + `<subProcess id="a"/>` + end, "bpmn_element", "a"},
	"inclusive gateway":  {begin + `<inclusiveGateway id="a"/>` + end, "bpmn_element", "a"},
	"event gateway":      {begin + `<eventBasedGateway id="a"/>` + end, "bpmn_element", "a"},
	"data object":        {begin + `<userTask id="a"/><dataObjectReference id="d"/>` + end, "bpmn_element", "d"},
	"data input":         {begin + `<userTask id="a"><dataInputAssociation id="d"/></userTask>` + end, "bpmn_element", "d"},
	"assignee":           {begin + `<userTask id="a"><potentialOwner id="o"/></userTask>` + end, "bpmn_element", "o"},
	"message start":      {strings.Replace(begin, `id="s"/>`, `id="s"><messageEventDefinition id="m"/></startEvent>`, 1) + `<userTask id="a"/>` + end, "bpmn_element", "m"},
	"message catch":      {begin + `<intermediateCatchEvent id="a"><messageEventDefinition/></intermediateCatchEvent>` + end, "bpmn_event", "a"},
	"throw event":        {begin + `<intermediateThrowEvent id="a"/>` + end, "bpmn_element", "a"},
	"terminate":          {begin + `<userTask id="a"/>` + strings.Replace(end, `id="e"/>`, `id="e"><terminateEventDefinition id="t"/></endEvent>`, 1), "bpmn_element", "t"},
	"timer at a date":    {begin + `<intermediateCatchEvent id="a"><timerEventDefinition><timeDate>2027-01-01</timeDate></timerEventDefinition></intermediateCatchEvent>` + end, "bpmn_element", "a"},
	"timer of months":    {begin + `<intermediateCatchEvent id="a"><timerEventDefinition id="t"><timeDuration>P1M</timeDuration></timerEventDefinition></intermediateCatchEvent>` + end, "bpmn_duration", "t"},
	"timer without time": {begin + `<intermediateCatchEvent id="a"><timerEventDefinition id="t"/></intermediateCatchEvent>` + end, "bpmn_duration", "t"},
	"two timers":         {begin + `<intermediateCatchEvent id="a"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition><timerEventDefinition id="t"><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>` + end, "bpmn_element", "t"},
	"lanes":              {begin + `<laneSet id="l"><lane id="l1"/><lane id="l2"/></laneSet><userTask id="a"/>` + end, "bpmn_lane", "l1"},
	"other extension":    {begin + `<userTask id="a"><extensionElements><camunda:formData/></extensionElements></userTask>` + end, "bpmn_extension", "a"},
	"other attribute":    {begin + `<userTask id="a" camunda:assignee="x"/>` + end, "bpmn_attribute", "a"},
	"compensation":       {begin + `<serviceTask id="a" isForCompensation="true"/>` + end, "bpmn_attribute", "a"},
	"loop":               {begin + `<userTask id="a"><standardLoopCharacteristics id="x"/></userTask>` + end, "bpmn_element", "x"},
	"stage in instances": {begin + `<serviceTask id="a"><multiInstanceLoopCharacteristics id="x"/></serviceTask>` + end, "bpmn_element", "x"},
	"seats in sequence":  {begin + `<userTask id="a"><multiInstanceLoopCharacteristics id="x" isSequential="true"><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></userTask>` + end, "bpmn_attribute", "x"},
	"seats of a list":    {begin + `<userTask id="a"><multiInstanceLoopCharacteristics/></userTask>` + end, "bpmn_seats", "a"},
	"seats by a formula": {begin + `<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>n</loopCardinality></multiInstanceLoopCharacteristics></userTask>` + end, "bpmn_seats", "a"},
	"other quorum":       {begin + `<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality><completionCondition>done</completionCondition></multiInstanceLoopCharacteristics></userTask>` + end, "bpmn_condition", "a"},
	"two flows":          {begin + `<userTask id="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="e"/>` + end, "bpmn_split", "a"},
	"same outcome twice": {begin + `<userTask id="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="e" cs:on="approve"/>` + strings.Replace(end, `"f2"`, `"f2" cs:on="approve"`, 1), "bpmn_split", "a"},
	"conditional flow":   {begin + `<userTask id="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="e"><conditionExpression>x</conditionExpression></sequenceFlow>` + end, "bpmn_condition", "f3"},
	"outcome changed":    {begin + `<userTask id="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="e" cs:on="approve"><conditionExpression>outcome == "reject"</conditionExpression></sequenceFlow></process>`, "bpmn_condition", "f3"},
	"default condition":  {begin + `<exclusiveGateway id="a" default="f2"/>` + strings.Replace(end, `targetRef="e"/>`, `targetRef="e"><conditionExpression>x</conditionExpression></sequenceFlow>`, 1), "bpmn_condition", "f2"},
	"lost default":       {begin + `<exclusiveGateway id="a" default="f1"/>` + end, "bpmn_reference", "a"},
	"default of a task":  {begin + `<userTask id="a" default="f2"/>` + end, "bpmn_attribute", "a"},
	"mixed gateway":      {begin + `<parallelGateway id="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="a"/>` + end, "bpmn_gateway", "a"},
	"joined twice":       {begin + `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent><parallelGateway id="j"/><sequenceFlow id="f3" sourceRef="b" targetRef="j"/><sequenceFlow id="f4" sourceRef="a" targetRef="j"/><sequenceFlow id="f5" sourceRef="j" targetRef="e"/><endEvent id="e"/></process>`, "bpmn_sources", "j"},
	"useless gateway":    {begin + `<parallelGateway id="a"/>` + end, "bpmn_gateway", "a"},
	"flow from an end":   {begin + `<userTask id="a"/><sequenceFlow id="f3" sourceRef="e" targetRef="a"/>` + end, "bpmn_flows_end", "e"},
	"lost target":        {begin + `<userTask id="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="x"/>` + end, "bpmn_reference", "f3"},
	"same id twice":      {begin + `<userTask id="a"/><userTask id="a"/>` + end, "bpmn_duplicate_id", "a"},
	"no id":              {begin + `<userTask id="a"/><userTask/>` + end, "bpmn_no_id", ""},
	"not interrupting":   {begin + `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent><sequenceFlow id="f3" sourceRef="b" targetRef="e"/>` + end, "bpmn_attribute", "b"},
	"boundary message":   {begin + `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><messageEventDefinition/></boundaryEvent><sequenceFlow id="f3" sourceRef="b" targetRef="e"/>` + end, "bpmn_element", "b"},
	"boundary nowhere":   {begin + `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><errorEventDefinition/></boundaryEvent>` + end, "bpmn_flows", "b"},
	"boundary of none":   {begin + `<userTask id="a"/><boundaryEvent id="b" attachedToRef="x"><errorEventDefinition/></boundaryEvent><sequenceFlow id="f3" sourceRef="b" targetRef="e"/>` + end, "bpmn_reference", "b"},
	"two timeouts":       {begin + `<userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent><boundaryEvent id="c" attachedToRef="a"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent><sequenceFlow id="f3" sourceRef="b" targetRef="e"/><sequenceFlow id="f4" sourceRef="c" targetRef="e"/>` + end, "bpmn_boundary", "c"},
	"unknown error":      {`<error id="x" errorCode="E1"/>` + begin + `<serviceTask id="a"/><boundaryEvent id="b" attachedToRef="a"><errorEventDefinition errorRef="x"/></boundaryEvent><sequenceFlow id="f3" sourceRef="b" targetRef="e"/>` + end, "bpmn_code", "b"},
	"lost error":         {begin + `<serviceTask id="a"/><boundaryEvent id="b" attachedToRef="a"><errorEventDefinition errorRef="x"/></boundaryEvent><sequenceFlow id="f3" sourceRef="b" targetRef="e"/>` + end, "bpmn_reference", "b"},
	"unknown kind":       {begin + `<serviceTask id="a"><extensionElements><cs:node kind="review"/></extensionElements></serviceTask>` + end, "bpmn_value", "a"},
	"unknown value":      {begin + `<serviceTask id="a"><extensionElements><cs:node kind="stage" attempts="many"/></extensionElements></serviceTask>` + end, "bpmn_value", "a"},
	"foreign value":      {begin + `<serviceTask id="a"><extensionElements><cs:node kind="stage" duty="x"/></extensionElements></serviceTask>` + end, "bpmn_value", "a"},
	"foreign element":    {begin + `<serviceTask id="a"><extensionElements><cs:node kind="stage"><cs:skill name="x"/></cs:node></extensionElements></serviceTask>` + end, "bpmn_value", "a"},
	"unknown entry":      {begin + `<userTask id="a"/><startEvent id="t" cs:entry="x"/>` + end, "bpmn_value", "t"},
	"unknown header":     {`<process id="P"><extensionElements><cs:process key="x" owner="y"/></extensionElements></process>`, "bpmn_value", "P"},
}

func TestWhatTheEngineCannotRunIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range refusedFiles {
		read := Import(fileOf(file.elements))
		if len(read.Text) > 0 || !slices.ContainsFunc(read.Refused, func(p workflow.Problem) bool {
			return p.Rule == file.rule && p.Node == file.id && !strings.Contains(p.Message, "{")
		}) {
			t.Errorf("%s: refused %v, text %q", name, read.Refused, read.Text)
		}
	}
}

// TestEveryProblemIsTranslated checks that the page has a text with the values of every problem.
func TestEveryProblemIsTranslated(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "zh"} {
		source, err := os.ReadFile(filepath.Join("..", "frontend", "src", "i18n", language,
			"problems.json"))
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		if err := json.Unmarshal(source, &texts); err != nil {
			t.Fatal(err)
		}
		for rule := range rules {
			if texts[rule] == "" {
				t.Errorf("%s: no text for %s", language, rule)
			}
		}
		for name, file := range refusedFiles {
			for _, problem := range Import(fileOf(file.elements)).Refused {
				text := texts[problem.Rule]
				for value, is := range problem.Values {
					text = strings.ReplaceAll(text, "{{"+value+"}}", is)
				}
				if strings.Contains(text, "{{") || language == "en" && text != problem.Message {
					t.Errorf("%s: %s is %q, not %q", name, problem.Rule, text, problem.Message)
				}
			}
		}
	}
}

// TestEveryProblemIsListed checks that every problem of the files is in the list for translations.
func TestEveryProblemIsListed(t *testing.T) {
	t.Parallel()
	for name, file := range refusedFiles {
		read := Import(fileOf(file.elements))
		for _, problem := range append(read.Refused, read.Notes...) {
			if !rules[problem.Rule] {
				t.Errorf("%s: %s is not listed", name, problem.Rule)
			}
		}
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<a>", 40_000)
	for name, file := range map[string]struct{ source, rule string }{
		"not XML":    {"key: x", "bpmn_root"},
		"empty":      {"", "bpmn_root"},
		"no BPMN":    {"<definitions/>", "bpmn_root"},
		"two roots":  {string(fileOf("")) + string(fileOf("")), "bpmn_root"},
		"unclosed":   {strings.TrimSuffix(string(fileOf("")), "</definitions>"), "bpmn_unreadable"},
		"doctype":    {`<!DOCTYPE x SYSTEM "file:///etc/passwd">` + string(fileOf("")), "bpmn_dtd"},
		"entities":   {`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + string(fileOf("&b;")), "bpmn_dtd"},
		"entity":     {string(fileOf("&b;")), "bpmn_unreadable"},
		"encoding":   {`<?xml version="1.0" encoding="UTF-16"?>` + string(fileOf("")), "bpmn_unreadable"},
		"repeated":   {string(fileOf(`<process id="a" id="b"/>`)), "bpmn_unreadable"},
		"large":      {strings.Repeat(" ", MaxBytes+1), "bpmn_bytes"},
		"deep":       {deep, "bpmn_depth"},
		"wide":       {"<a>" + strings.Repeat("<b/>", maxElements+1), "bpmn_elements"},
		"attributes": {"<a " + strings.Repeat("x:y='' ", maxOfOne+1) + "/>", "bpmn_attributes"},
	} {
		read := Import([]byte(file.source))
		if len(read.Refused) != 1 || read.Refused[0].Rule != file.rule || len(read.Text) > 0 {
			t.Errorf("%s: %v", name, read.Refused)
		}
	}
}

// TestAFileOfAnotherToolBecomesADraft checks a file without extensions: its structure becomes a text, and
// the notes and the check of the text name what is missing.
func TestAFileOfAnotherToolBecomesADraft(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("testdata", "plain.bpmn"))
	if err != nil {
		t.Fatal(err)
	}
	read := Import(source)
	if len(read.Refused) > 0 {
		t.Fatal(read.Refused)
	}
	report := string(read.Text) + "--- notes\n"
	for _, note := range read.Notes {
		if !rules[note.Rule] {
			t.Errorf("%s is not listed", note.Rule)
		}
		report += note.String() + "\n"
	}
	_, problems := workflow.Check(read.Text)
	report += "--- check\n"
	for _, problem := range problems {
		report += problem.String() + "\n"
	}
	golden.Text(t, "plain.txt", report)
	if len(problems) == 0 {
		t.Error("the check names nothing that is missing")
	}
}

func TestRandomDefinitionsAreExportedAndImported(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		def, err := workflow.Parse([]byte(definitiontest.Sound(r)))
		if err != nil {
			r.Fatal(err)
		}
		checkSame(r, def)
		checkDrawing(r, "drawn", Export(def))
	})
}

// How a committee decides is kept, and a completion condition that says something else is refused.
func TestACommitteeIsKept(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../workflow/testdata/definitions/supplier_payment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "    seats: 3\n    quorum: 2\n", "    seats: 5\n    quorum: 3\n"+
		"    decide_by: majority\n    abstain: true\n    chair_queue: L2\n    chair_level: 2\n"+
		"    veto_queue: AML\n    veto_level: 3\n", 1)
	def, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if node, _ := def.Node("approval"); node.VetoLevel != 3 {
		t.Fatalf("the review is %+v", node)
	}
	checkSame(t, def)
	file := strings.Replace(string(Export(def)), "decided_by_majority", "decided_by_count", 1)
	if len(Import([]byte(file)).Refused) == 0 {
		t.Error("a file that says two things about how the votes decide is imported")
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"PT1H30M": 90 * time.Minute, "P1W": 7 * 24 * time.Hour, "P2DT3H": 51 * time.Hour,
		"PT0.000000001S": 1, "PT1.5S": 1500 * time.Millisecond, "PT0S": 0, " PT5M ": 5 * time.Minute,
	} {
		got, ok := parseISO(text)
		if !ok || got != want {
			t.Errorf("%s is %s, %v", text, got, ok)
		}
		again, ok := parseISO(isoDuration(want.String()))
		if !ok || again != want {
			t.Errorf("%s is written as %s", want, isoDuration(want.String()))
		}
	}
	for _, text := range []string{"", "P", "PT", "P1Y", "P1M", "PT-1H", "1h", "PT1.5H",
		"PT99999999999999H", "P9999999W", "R3/PT1H"} {
		if got, ok := parseISO(text); ok {
			t.Errorf("%s is %s", text, got)
		}
	}
}

func FuzzImport(f *testing.F) {
	exports, err := filepath.Glob(filepath.Join("testdata", "exports", "*.bpmn"))
	if err != nil || len(exports) == 0 {
		f.Fatal(err)
	}
	for _, name := range exports {
		source, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		text, _, cut := strings.Cut(string(source), "  <bpmndi:") // shorter without the diagram
		if cut {
			text += "</bpmn:definitions>"
		}
		f.Add([]byte(text))
	}
	plain, err := os.ReadFile(filepath.Join("testdata", "plain.bpmn"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	for _, file := range refusedFiles {
		f.Add(fileOf(file.elements))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		read := Import(source)
		if len(read.Refused) > 0 {
			if len(read.Text) > 0 {
				t.Fatalf("refused with a text: %v", read.Refused)
			}
			return
		}
		def, problems := workflow.Check(read.Text)
		for _, problem := range problems {
			if problem.Rule == "syntax" {
				t.Fatalf("%v\n%s", problem, read.Text)
			}
		}
		if def != nil {
			checkSame(t, def)
		}
	})
}

// TestTheLargestDefinitionFits checks that the export of a definition of the largest size can be
// imported.
func TestTheLargestDefinitionFits(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("key: large\non_abandon: seal_gone\nnodes:\n  - {id: start, kind: start, next: n0}\n")
	const nodes = 260
	for i := range nodes {
		next := "seal"
		if i+1 < nodes {
			next = fmt.Sprintf("n%d", i+1)
		}
		fmt.Fprintf(&text, "  - {id: n%d, kind: external, topic: t, next: %s, errors: [{to: seal_no}], timeout: {after: 1h, to: %s}}\n",
			i, next, next)
	}
	def, err := workflow.Parse([]byte(text.String() + definitiontest.Tail))
	if err != nil {
		t.Fatal(err)
	}
	source := Export(def)
	t.Logf("a text of %d bytes is a file of %d", text.Len(), len(source))
	if len(source) > MaxBytes*9/10 {
		t.Errorf("the export has %d bytes", len(source))
	}
	checkSame(t, def)
}
