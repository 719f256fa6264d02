package workflow

import (
	"encoding/json"
	"reflect"
	"testing"

	"countersign/domain"
)

// builtin returns a built-in definition, parsed.
func builtin(t testing.TB, key string) *Definition {
	t.Helper()
	sources, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if source.Key == key {
			return mustParse(t, string(source.YAML))
		}
	}
	t.Fatalf("no built-in definition %s", key)
	return nil
}

func mustParse(t testing.TB, text string) *Definition {
	t.Helper()
	def, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return def
}

// clean returns the facts of a document that needs no review.
func clean() domain.ProcessFacts {
	return domain.ProcessFacts{AmountKnown: true,
		Amount: domain.Money{Minor: 9_900, Currency: "USD"}, BaseMinor: 9_900, Currency: "USD",
		DocumentType: "invoice", Channel: domain.ChannelCLI}
}

// walk advances a case by events from the start and returns the last step.
func walk(t *testing.T, def *Definition, facts domain.ProcessFacts, events ...Event) Step {
	t.Helper()
	step := Step{}
	for i, event := range events {
		next, err := Advance(def, step.Marking, event, facts)
		if err != nil {
			t.Fatalf("event %d %+v: %v", i, event, err)
		}
		step = next
	}
	return step
}

func ended(node string, visit int) Event {
	return Event{Kind: StageEnded, Node: node, Visit: visit}
}

func decided(node string, visit, seat int, verdict domain.Verdict) Event {
	return Event{Kind: ReviewDecided, Node: node, Visit: visit, Seat: seat, Verdict: verdict}
}

// intake returns the events from submission to the routing gateway.
func intake(visit int) []Event {
	return []Event{{Kind: Started}, ended("read", visit), ended("extract", visit),
		ended("validate", visit), ended("assess", visit)}
}

func expectTokens(t *testing.T, step Step, status domain.Status, tokens ...domain.Token) {
	t.Helper()
	if tokens == nil {
		tokens = []domain.Token{}
	}
	if !reflect.DeepEqual(step.Marking.Tokens, tokens) || step.Status != status {
		t.Fatalf("tokens %v, status %s; want %v, %s", step.Marking.Tokens, step.Status,
			tokens, status)
	}
}

func expectEffects(t *testing.T, step Step, effects ...Effect) {
	t.Helper()
	if !reflect.DeepEqual(step.Effects, effects) {
		t.Fatalf("effects\n%+v\nwant\n%+v", step.Effects, effects)
	}
}

func TestCleanDocumentIsApprovedWithoutAPerson(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	step := walk(t, def, clean(), Event{Kind: Started})
	expectTokens(t, step, domain.Processing, domain.Token{Node: "read", Visit: 1})
	expectEffects(t, step,
		StartStage{Node: "read", Visit: 1, Behaviour: domain.BehaviourRead, Queue: domain.QueueOCR,
			Attempts: 3, Backoff: 1_000_000_000},
		SetStatus{domain.Processing})

	step = walk(t, def, clean(), intake(1)...)
	expectTokens(t, step, domain.Approved, domain.Token{Node: "archive", Visit: 1})
	expectEffects(t, step,
		StartStage{Node: "archive", Visit: 1, Behaviour: domain.BehaviourArchive,
			Queue: domain.QueueLight, Attempts: 3, Backoff: 1_000_000_000,
			Outcome: domain.Archived},
		SetStatus{domain.Approved})

	step = walk(t, def, clean(), append(intake(1), ended("archive", 1))...)
	expectTokens(t, step, domain.Archived)
	expectEffects(t, step, SetStatus{domain.Archived}, Ended{domain.Archived})
	if got := StatusOf(def, step.Marking); got != domain.Archived {
		t.Fatalf("status of the ended marking is %s", got)
	}
}

func TestRouterOfDocumentApproval(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	for name, test := range map[string]struct {
		change func(*domain.ProcessFacts)
		node   string
	}{
		"just below":       {func(f *domain.ProcessFacts) { f.BaseMinor = 99_999 }, "archive"},
		"at the threshold": {func(f *domain.ProcessFacts) { f.BaseMinor = 100_000 }, "review_l1"},
		"amount unknown": {func(f *domain.ProcessFacts) { f.AmountKnown, f.BaseMinor = false, 0 },
			"review_l1"},
		"risk 29": {func(f *domain.ProcessFacts) { f.Risk = 29 }, "archive"},
		"risk 30": {func(f *domain.ProcessFacts) { f.Risk = 30 }, "review_l1"},
		"warning": {func(f *domain.ProcessFacts) {
			f.Findings = []domain.Finding{
				{Severity: domain.SeverityWarning}}
		}, "review_l1"},
		"information": {func(f *domain.ProcessFacts) {
			f.Findings = []domain.Finding{{Severity: domain.SeverityInfo}}
		}, "archive"},
		"unsure": {func(f *domain.ProcessFacts) { f.UnsureFields = []string{"total"} }, "review_l1"},
		"blocking": {func(f *domain.ProcessFacts) {
			f.Findings = []domain.Finding{
				{Severity: domain.SeverityBlocking}}
		}, "review_l1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := clean()
			test.change(&facts)
			if got := walk(t, def, facts, intake(1)...).Marking.Tokens[0].Node; got != test.node {
				t.Fatalf("went to %s, want %s", got, test.node)
			}
		})
	}
}

// risky returns the facts of a document that needs a review.
func risky() domain.ProcessFacts {
	facts := clean()
	facts.Risk = 80
	return facts
}

func TestReviewVerdicts(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	opened := walk(t, def, risky(), intake(1)...)
	expectEffects(t, opened,
		OpenReview{Node: "review_l1", Visit: 1, Seat: 1, Queue: "L1", Level: 1, Duty: "approval",
			ClaimWithin: defaultClaim, DecideWithin: defaultDecide, Overdue: OverdueAlert},
		SetStatus{domain.InReview})

	rejected := walk(t, def, risky(),
		append(intake(1), decided("review_l1", 1, 1, domain.Reject))...)
	expectTokens(t, rejected, domain.Settling, domain.Token{Node: "seal_rejected", Visit: 1})

	returned := walk(t, def, risky(),
		append(intake(1), decided("review_l1", 1, 1, domain.Return))...)
	expectTokens(t, returned, domain.Returned, domain.Token{Node: Returned, Visit: 1})
	expectEffects(t, returned, VotesRevoked{[]string{"approval"}}, SetStatus{domain.Returned})

	if ReEntryNode(returned.Marking) != "validate" || ReEntryNode(rejected.Marking) != "" {
		t.Fatalf("goes on at %q", ReEntryNode(returned.Marking))
	}
	again, err := Advance(def, returned.Marking, Event{Kind: Resubmitted}, risky())
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, again, domain.Processing, domain.Token{Node: "validate", Visit: 2})
	if again.Marking.Notes != nil {
		t.Fatalf("state is left over: %v", again.Marking.Notes)
	}
	replaced, err := Advance(def, returned.Marking,
		Event{Kind: Resubmitted, ReplacedDocument: true}, risky())
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, replaced, domain.Processing, domain.Token{Node: "read", Visit: 2})
}

func TestEscalationOpensOneSeatHigherUp(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	step := walk(t, def, risky(), append(intake(1), decided("review_l1", 1, 1, domain.Escalate))...)
	expectTokens(t, step, domain.InReview, domain.Token{Node: "review_l1", Visit: 1})
	expectEffects(t, step,
		OpenReview{Node: "review_l1", Visit: 1, Seat: 2, Queue: "L2", Level: 2, Duty: "approval",
			ClaimWithin: defaultClaim, DecideWithin: defaultDecide, Overdue: OverdueAlert,
			Escalated: true})

	for _, stale := range []Event{decided("review_l1", 1, 1, domain.Approve),
		decided("review_l1", 2, 2, domain.Approve), ended("read", 1)} {
		if _, err := Advance(def, step.Marking, stale, risky()); !domain.HasCode(err,
			domain.StateMismatch) {
			t.Fatalf("stale %+v: %v", stale, err)
		}
	}
	if _, err := Advance(def, step.Marking, decided("review_l1", 1, 2, domain.Escalate),
		risky()); !domain.HasCode(err, domain.InvalidInput) {
		t.Fatalf("second escalation: %v", err)
	}
	approved, err := Advance(def, step.Marking, decided("review_l1", 1, 2, domain.Approve), risky())
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, approved, domain.Approved, domain.Token{Node: "archive", Visit: 1})
	if !reflect.DeepEqual(OpenWork(def, step.Marking, risky()), step.Effects) {
		t.Fatalf("open work %+v, want the escalated seat", OpenWork(def, step.Marking, risky()))
	}
}

func TestAbandonReplaceAndEnter(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	reading := walk(t, def, clean(), Event{Kind: Started})
	review := walk(t, def, risky(), intake(1)...)

	abandoned, err := Advance(def, review.Marking, Event{Kind: Abandoned}, risky())
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, abandoned, domain.Settling, domain.Token{Node: "seal_abandoned", Visit: 1})
	if !reflect.DeepEqual(abandoned.Effects[0],
		CancelReview{Node: "review_l1", Visit: 1, Seats: []int{1}}) {
		t.Fatalf("the open seat is not withdrawn: %+v", abandoned.Effects)
	}
	if _, err := Advance(def, abandoned.Marking, Event{Kind: Abandoned},
		risky()); !domain.HasCode(err, domain.StateMismatch) {
		t.Fatalf("abandoned twice: %v", err)
	}

	entered, err := Advance(def, reading.Marking, Event{Kind: Entered}, clean())
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, entered, domain.Processing, domain.Token{Node: "validate", Visit: 1})
	if !reflect.DeepEqual(entered.Effects[0], CancelStage{Node: "read", Visit: 1}) {
		t.Fatalf("the stage is not withdrawn: %+v", entered.Effects)
	}

	replaced, err := Advance(def, review.Marking, Event{Kind: Replaced}, risky())
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, replaced, domain.Processing, domain.Token{Node: "read", Visit: 2})
}

func TestEventsThatDoNotMatchTheMarking(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	running := walk(t, def, clean(), Event{Kind: Started}).Marking
	finished := walk(t, def, clean(), append(intake(1), ended("archive", 1))...).Marking
	for name, test := range map[string]struct {
		marking domain.Marking
		event   Event
		code    domain.Code
	}{
		"started twice":     {running, Event{Kind: Started}, domain.StateMismatch},
		"started after end": {finished, Event{Kind: Started}, domain.StateMismatch},
		"abandon after end": {finished, Event{Kind: Abandoned}, domain.StateMismatch},
		"replace after end": {finished, Event{Kind: Replaced}, domain.StateMismatch},
		"abandon before":    {domain.Marking{}, Event{Kind: Abandoned}, domain.StateMismatch},
		"not returned":      {running, Event{Kind: Resubmitted}, domain.StateMismatch},
		"stage not reached": {running, ended("assess", 1), domain.StateMismatch},
		"other visit":       {running, ended("read", 2), domain.StateMismatch},
		"unknown node":      {running, ended("nowhere", 1), domain.StateMismatch},
		"review of a stage": {running, decided("read", 1, 1, domain.Approve),
			domain.StateMismatch},
		"undeclared outcome": {running,
			Event{Kind: StageEnded, Node: "read", Visit: 1, Outcome: "odd"}, domain.InvalidInput},
		"unknown event": {running, Event{Kind: "odd"}, domain.InvalidInput},
		"unknown verdict": {walk(t, def, risky(), intake(1)...).Marking,
			decided("review_l1", 1, 1, "odd"), domain.InvalidInput},
		"unknown seat": {walk(t, def, risky(), intake(1)...).Marking,
			decided("review_l1", 1, 7, domain.Approve), domain.StateMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Advance(def, test.marking, test.event, clean()); !domain.HasCode(err,
				test.code) {
				t.Fatalf("got %v, want %s", err, test.code)
			}
		})
	}
}

func TestGuardFailureNamesTheGateway(t *testing.T) {
	t.Parallel()
	def := mustParse(t, `
key: guarded
on_abandon: gone
nodes:
  - {id: start, kind: start, next: choose}
  - {id: choose, kind: exclusive, branches: [{when: 100 / risk > 3, to: a}, {when: base_minor > 1, to: b}], default: a}
  - {id: a, kind: stage, outcome: archived, next: done}
  - {id: b, kind: stage, outcome: archived, next: done}
  - {id: gone, kind: stage, outcome: abandoned, next: over}
  - {id: done, kind: end, status: archived}
  - {id: over, kind: end, status: abandoned}
`)
	for name, facts := range map[string]domain.ProcessFacts{
		"division by zero": {AmountKnown: true}, "amount not known": {Risk: 50},
	} {
		_, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
		failure := asDomainError(err)
		if failure == nil || failure.Code != domain.ExpressionFailed ||
			failure.Detail["node"] != "choose" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMarkingSurvivesJSON(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	step := walk(t, def, risky(), append(intake(1), decided("review_l1", 1, 1, domain.Escalate))...)
	first, err := json.Marshal(step.Marking)
	if err != nil {
		t.Fatal(err)
	}
	var back domain.Marking
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	second, _ := json.Marshal(back)
	if string(first) != string(second) || !reflect.DeepEqual(step.Marking, back) {
		t.Fatalf("the marking changed:\n%s\n%s", first, second)
	}
}

func TestAdvanceDoesNotModifyItsArguments(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	marking := walk(t, def, risky(),
		append(intake(1), decided("review_l1", 1, 1, domain.Escalate))...).Marking
	before, _ := json.Marshal(marking)
	for _, event := range []Event{decided("review_l1", 1, 2, domain.Return), {Kind: Abandoned},
		{Kind: Replaced}} {
		if _, err := Advance(def, marking, event, risky()); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := json.Marshal(marking); string(before) != string(after) {
		t.Fatalf("changed from\n%s\nto\n%s", before, after)
	}
}
