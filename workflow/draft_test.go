package workflow

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stated returns everything that a definition states, without the lines of its text.
func stated(t interface{ Fatal(...any) }, def *Definition) string {
	nodes := []Node{}
	for _, node := range def.Nodes {
		one := *node
		one.Line = 0
		nodes = append(nodes, one)
	}
	text, err := json.MarshalIndent(struct {
		Definition *Definition
		Nodes      []Node
	}{&Definition{Key: def.Key, Version: def.Version, Title: def.Title,
		DocumentTypes: def.DocumentTypes, HasAmount: def.HasAmount, KeyFacts: def.KeyFacts,
		Needs: def.Needs, Order: def.Order, ReEnter: def.ReEnter, OnReplace: def.OnReplace,
		OnEnter: def.OnEnter, OnAbandon: def.OnAbandon, Reopen: def.Reopen,
		RemindSubmitter: def.RemindSubmitter,
		Attributes:      def.Attributes}, nodes}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkWritten(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, def *Definition) {
	draft := DraftOf(def)
	text := draft.YAML()
	again, problems := Check(text)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, text)
	}
	if got, want := stated(t, again), stated(t, def); got != want {
		t.Fatalf("written as\n%s\n%s\nwant\n%s", text, got, want)
	}
}

func TestAWrittenDefinitionIsTheSame(t *testing.T) {
	t.Parallel()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		checkWritten(t, mustParse(t, string(source.YAML)))
	}
	for _, text := range exampleDefinitions(t) {
		checkWritten(t, mustParse(t, text))
	}
	checkWritten(t, mustParse(t, everyAttribute))
}

func TestRandomDefinitionsAreWrittenTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkWritten(t, soundDefinition(t)) })
}

// everyAttribute has each attribute with a value that is not its default.
const everyAttribute = `
key: every
version: 7
title: {en: "Every: attribute", zh: 每个, x: ""}
document_types: [invoice, "no"]
key_facts: [country]
needs: [amount]
order: required
re_enter: ask
on_replace: ask
on_enter: read
on_abandon: seal_gone
remind_submitter: 72h
reopen: [rejected, abandoned]
attributes:
  - {name: department, type: choice, label: {en: "Department: which", zh: 部门}, required: true, choices: [sales, {key: "it", label: {en: IT}}]}
  - {name: cost_centre, type: text, max_length: 20, pattern: '[A-Z]{2}\d+|"x"'}
  - {name: budget, type: money, currency: EUR, required: true}
  - {name: people, type: integer}
  - {name: begins, type: date}
  - {name: urgent, type: yes_no, required: true}
documents:
  - {kind: payslip, label: {en: "a: b", zh: 工资单}, required: true, max: 3}
  - {kind: identity}
nodes:
  - {id: start, kind: start, title: {en: Start}, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, queue_for: {invoice: model, "a: b": light}, attempts: 1, backoff: 0s, status: approved, errors: [{codes: [TimedOut, DamagedFile], to: ask}, {to: repair, cancel: all}], next: parse}
  - {id: parse, kind: stage, behaviour: parse, required: true, waits_for_budget: true, on: {done: repair, other: {to: repair, cancel: [ask, extern]}}}
  - {id: repair, kind: review, queue: repair, duty: repair, level: 3, on: {repaired: ask, return: read}}
  - id: ask
    kind: review
    title: {en: 'It''s "odd"', zh: "true"}
    behaviour: special
    queue: L1
    level: 9
    duty: "123"
    seats: 9
    quorum: 4
    decide_by: majority
    abstain: true
    chair_queue: L2
    chair_level: 8
    veto_queue: AML
    veto_level: 7
    claim_within: 1m30s
    decide_within: 0s
    overdue: reassign
    remind: [1m, 15s]
    escalate_to: ""
    escalate_level: 2
    skills: [a b, "1", "[x]"]
    undo: 5m
    signature_above: 0
    bulk: {max_amount: 100, max_risk: 0, undo: 6m}
    status: settling
    on: {approve: extern, reject: {to: seal_no, cancel: all}, return: }
    timeout: {after: 72h, to: extern, cancel: [read]}
  - {id: extern, kind: external, behaviour: b, topic: t, lease: 1s, pays: false, attempts: 20, backoff: 2h, status: in_review, on: {done: vote}, timeout: {after: 1ns, to: choose}}
  - {id: vote, kind: review, queue: L2, seats: 3, decide_by: majority, votes: hidden, on: {approve: choose, reject: {to: seal_no, cancel: all}}}
  - id: choose
    kind: exclusive
    branches:
      - when: "!amount_known || findings.exists(f, f.rule == \"a: b # c\")"
        to: wait
      - when: |
          risk > 1 &&
            risk < 3
        to: wait
      - when: "attributes.department == 'sales' && attributes.urgent && attributes.budget > 5"
        to: wait
      - when: "risk > 1 && risk < 3 && country == 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' && country == 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' && country == 'bbbbbbbbbbbb'"
        to: wait
    default: pay
  - {id: wait, kind: timer, after: 1h, status: approved, next: pay}
  - {id: pay, kind: saga, behaviour: c, attempts: 2, backoff: 1h, status: settling, steps: [{id: a, call: "b.c: d", undo: e}, {id: b, call: f}], on: {done: seal, undone: {to: seal_no, cancel: all}}}
` + definitionTail

// TestEveryAttributeIsWritten checks that everyAttribute sets every attribute of a definition's text.
func TestEveryAttributeIsWritten(t *testing.T) {
	t.Parallel()
	text, _, problem := readText([]byte(everyAttribute))
	if problem != nil {
		t.Fatal(problem)
	}
	set := map[string]bool{}
	for _, node := range text.Nodes {
		value := reflect.ValueOf(node)
		for i := range value.NumField() {
			if !value.Field(i).IsZero() {
				set[value.Type().Field(i).Name] = true
			}
		}
	}
	header := reflect.ValueOf(text)
	for i := range header.NumField() {
		set[header.Type().Field(i).Name] = !header.Field(i).IsZero()
	}
	for name, given := range map[string][]string{"node": fieldsOf(nodeText{}),
		"header": fieldsOf(definitionText{})} {
		for _, field := range given {
			// These cannot be in the same definition as the rest, or are not written; see
			// TestADraftWritesCallsAsPeopleDo.
			if !set[field] && !slices.Contains([]string{"To", "HasAmount", "Callable", "Called", "Process",
				"part"}, field) {
				t.Errorf("%s: %s is not set", name, field)
			}
		}
	}
}

func fieldsOf(value any) (names []string) {
	kind := reflect.TypeOf(value)
	for i := range kind.NumField() {
		names = append(names, kind.Field(i).Name)
	}
	return names
}

func TestATextOfOurOwnIsWrittenAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	draft := DraftOf(builtin(t, "document_approval"))
	text := string(draft.YAML())
	for _, part := range []string{
		"key: document_approval\ntitle: {en: Document approval, zh: 单据审批}\n",
		"re_enter: ", "version: ",
		"  - id: extract\n    kind: stage\n    title: {en: Extract fields, zh: 提取字段}\n    behaviour: extract\n    next: validate\n",
		"    branches:\n      - when: size(missing) > 0\n        to: repair\n    default: route\n",
		"    bulk: {max_amount: 500000, max_risk: 29, undo: 30s}\n    on:\n      approve: archive\n",
		"      - when: >-\n          risk < 30 && ",
		"level: ",
	} {
		left := part == "re_enter: " || part == "version: " || part == "level: "
		if strings.Contains(text, part) == left {
			t.Errorf("%q in the text: %v\n%s", part, !left, text)
		}
	}
}
