package workflow

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// exampleDefinitions returns the definitions of testdata by file name without extension. They are
// sound and use kinds of nodes that no built-in definition uses.
func exampleDefinitions(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/definitions/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no definitions in testdata: %v", err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(name), ".yaml")] = string(text)
	}
	return texts
}

func TestExampleDefinitionsAreSoundAndDrawn(t *testing.T) {
	t.Parallel()
	for name, text := range exampleDefinitions(t) {
		def := mustParse(t, text)
		if result := Verify(def); !result.Sound() {
			t.Errorf("%s: %v", name, result.Problems)
		}
		equalsGolden(t, filepath.Join("testdata", "definitions", name+".mmd"), Mermaid(def))
	}
}

// payment returns a case of supplier_payment after its review and its external stage were opened.
func payment(t *testing.T) (*Definition, Step) {
	t.Helper()
	def := mustParse(t, exampleDefinitions(t)["supplier_payment"])
	return def, walk(t, def, clean(), Event{Kind: Started}, ended("read", 1), ended("extract", 1))
}

func fired(node string, visit int) Event {
	return Event{Kind: TimerFired, Node: node, Visit: visit}
}

func failed(node string, visit int, code domain.Code) Event {
	return Event{Kind: StageFailed, Node: node, Visit: visit, Code: code}
}

func called(kind EventKind, step int, undo bool) Event {
	return Event{Kind: kind, Node: "pay", Visit: 1, Step: step, Undo: undo}
}

func refused(t *testing.T, def *Definition, step Step, code domain.Code, events ...Event) {
	t.Helper()
	for _, event := range events {
		if _, err := Advance(def, step.Marking, event, clean()); !domain.HasCode(err, code) {
			t.Errorf("%+v: got %v, want %s", event, err, code)
		}
	}
}

func TestExternalStageIsOfferedByItsTopic(t *testing.T) {
	t.Parallel()
	_, step := payment(t)
	want := []Effect{StartStage{Node: "screening", Visit: 1, Behaviour: "external",
		Queue: domain.QueueExternal, Attempts: 3, Backoff: time.Second, Topic: "screening",
		Lease: defaultLease}, StartTimer{Node: "screening", Visit: 1, After: 24 * time.Hour,
		Boundary: true}}
	if at := len(step.Effects) - 3; !reflect.DeepEqual(step.Effects[at:at+2], want) {
		t.Fatalf("effects %+v, want %+v", step.Effects, want)
	}
}

func TestBoundaryTimerEndsTheWorkItWatches(t *testing.T) {
	t.Parallel()
	def, step := payment(t)
	late := advanceAll(t, def, step, decided("approval", 1, 2, domain.Approve),
		fired("approval", 1))
	expectTokens(t, late, domain.InReview, domain.Token{Node: "screening", Visit: 1},
		domain.Token{Node: "manager", Visit: 1})
	if !reflect.DeepEqual(late.Effects[0],
		CancelReview{Node: "approval", Visit: 1, Seats: []int{1, 3}}) {
		t.Fatalf("the seats are not withdrawn: %+v", late.Effects)
	}
	refused(t, def, late, domain.StateMismatch, fired("approval", 1),
		decided("approval", 1, 1, domain.Approve), fired("manager", 1))

	// A review decided in time takes its timer with it.
	inTime := advanceAll(t, def, step, decided("approval", 1, 1, domain.Approve),
		decided("approval", 1, 3, domain.Approve))
	expectEffects(t, inTime, CancelReview{Node: "approval", Visit: 1, Seats: []int{2}},
		CancelTimer{Node: "approval", Visit: 1}, SetStatus{domain.Processing})
	refused(t, def, inTime, domain.StateMismatch, fired("approval", 1))

	byHand := advanceAll(t, def, step, fired("screening", 1))
	if !reflect.DeepEqual(byHand.Effects[0], CancelStage{Node: "screening", Visit: 1}) {
		t.Fatalf("the external stage is not withdrawn: %+v", byHand.Effects)
	}
}

func TestBoundaryErrorLeadsOn(t *testing.T) {
	t.Parallel()
	def := mustParse(t, exampleDefinitions(t)["supplier_payment"])
	reading := walk(t, def, clean(), Event{Kind: Started})
	read, _ := def.Node("read")
	if !read.Catches(domain.DamagedFile) || read.Catches(domain.EngineFailed) {
		t.Fatal("the stage catches other failures than it declares")
	}
	refused(t, def, reading, domain.InvalidInput, failed("read", 1, domain.EngineFailed))
	refused(t, def, reading, domain.StateMismatch, failed("read", 2, domain.DamagedFile),
		failed("extract", 1, domain.DamagedFile))
	typed := advanceAll(t, def, reading, failed("read", 1, domain.DamagedFile))
	expectTokens(t, typed, domain.InReview, domain.Token{Node: "typed_in", Visit: 1})

	_, step := payment(t)
	screened := advanceAll(t, def, step, failed("screening", 1, domain.Unavailable))
	expectEffects(t, screened, CancelTimer{Node: "screening", Visit: 1},
		OpenReview{Node: "screened_by_hand", Visit: 1, Seat: 1, Queue: "AML",
			Level: 1, Duty: "screening", ClaimWithin: defaultClaim, DecideWithin: defaultDecide,
			Overdue: OverdueAlert})
}

func TestCancelRegionWithdrawsOnlyItsNodes(t *testing.T) {
	t.Parallel()
	def, step := payment(t)
	// screening has ended and waits at the join; the manager's rejection withdraws that token, too.
	step = advanceAll(t, def, step, ended("screening", 1), fired("approval", 1),
		decided("manager", 1, 1, domain.Reject))
	expectTokens(t, step, domain.Settling, domain.Token{Node: "seal_rejected", Visit: 1})
	if step.Marking.Notes != nil {
		t.Fatalf("state is left over: %v", step.Marking.Notes)
	}
	narrow := mustParse(t, definitionOf(`
  - {id: a, kind: fork, to: [b, c, d]}
  - {id: b, kind: stage, on: {done: both, bad: {to: e, cancel: [c, both]}}}
  - {id: c, kind: stage, next: both}
  - {id: d, kind: stage, next: last}
  - {id: both, kind: join, next: e2}
  - {id: e, kind: exclusive, default: e2}
  - {id: e2, kind: exclusive, default: e3}
  - {id: e3, kind: stage, next: last}
  - {id: last, kind: join, next: f}
  - {id: f, kind: stage, on: {done: seal, bad: seal_no}}`))
	if result := Verify(narrow); !result.Sound() {
		t.Fatal(result.Problems)
	}
	cut := walk(t, narrow, clean(), Event{Kind: Started},
		Event{Kind: StageEnded, Node: "b", Visit: 1, Outcome: "bad"})
	expectTokens(t, cut, domain.Processing, domain.Token{Node: "d", Visit: 1},
		domain.Token{Node: "e3", Visit: 1})
	if !reflect.DeepEqual(cut.Effects[0], CancelStage{Node: "c", Visit: 1}) {
		t.Fatalf("%+v", cut.Effects)
	}
}

// paying returns a case whose cooling-off time has passed.
func paying(t *testing.T) (*Definition, Step) {
	t.Helper()
	def, step := payment(t)
	step = advanceAll(t, def, step, ended("screening", 1),
		decided("approval", 1, 1, domain.Approve), decided("approval", 1, 2, domain.Approve))
	expectTokens(t, step, domain.Approved, domain.Token{Node: "cool_off", Visit: 1})
	if !reflect.DeepEqual(step.Effects[2],
		StartTimer{Node: "cool_off", Visit: 1, After: 24 * time.Hour}) {
		t.Fatalf("effects %+v", step.Effects)
	}
	abandoned := advanceAll(t, def, step, Event{Kind: Abandoned})
	if !reflect.DeepEqual(abandoned.Effects[0], CancelTimer{Node: "cool_off", Visit: 1}) {
		t.Fatalf("the timer is not withdrawn: %+v", abandoned.Effects)
	}
	return def, advanceAll(t, def, step, fired("cool_off", 1))
}

func TestSagaGoesForwards(t *testing.T) {
	t.Parallel()
	def, step := paying(t)
	expectEffects(t, step,
		StartStep{Node: "pay", Visit: 1, Step: 1, Name: "reserve", Call: "ledger.reserve",
			Attempts: 5, Backoff: 10 * time.Second})
	refused(t, def, step, domain.StateMismatch, called(StepEnded, 2, false),
		called(StepEnded, 1, true), Event{Kind: Abandoned}, Event{Kind: Replaced},
		Event{Kind: Entered})
	step = advanceAll(t, def, step, called(StepEnded, 1, false), called(StepEnded, 2, false))
	if !reflect.DeepEqual(OpenWork(def, step.Marking, clean()), step.Effects) {
		t.Fatalf("open %+v, started %+v", OpenWork(def, step.Marking, clean()), step.Effects)
	}
	step = advanceAll(t, def, step, called(StepEnded, 3, false))
	expectTokens(t, step, domain.Approved, domain.Token{Node: "archive", Visit: 1})
}

func TestSagaGoesBackwards(t *testing.T) {
	t.Parallel()
	def, step := paying(t)
	// Booking fails and needs no undoing, so the payment is undone first.
	step = advanceAll(t, def, step, called(StepEnded, 1, false), called(StepEnded, 2, false),
		called(StepFailed, 3, false))
	expectEffects(t, step,
		StartStep{Node: "pay", Visit: 1, Step: 2, Name: "pay", Call: "bank.recall", Undo: true,
			Attempts: 5, Backoff: 10 * time.Second})
	refused(t, def, step, domain.InvalidInput, called(StepFailed, 2, true))
	step = advanceAll(t, def, step, called(StepEnded, 2, true), called(StepEnded, 1, true))
	expectTokens(t, step, domain.Settling, domain.Token{Node: "seal_rejected", Visit: 1})

	// A failed payment is undone too, because it may have had an effect.
	def, step = paying(t)
	step = advanceAll(t, def, step, called(StepEnded, 1, false), called(StepFailed, 2, false))
	if first, ok := step.Effects[0].(StartStep); !ok || first.Step != 2 || !first.Undo {
		t.Fatalf("%+v", step.Effects)
	}
}

func TestSagaThatCouldBeWithdrawnIsUnsound(t *testing.T) {
	t.Parallel()
	result := Verify(mustParse(t, definitionOf(`
  - {id: a, kind: fork, to: [pay, check]}
  - {id: pay, kind: saga, steps: [{id: x, call: y}], on: {done: both, undone: both}}
  - {id: check, kind: stage, on: {done: both, bad: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: e}
  - {id: e, kind: stage, on: {done: seal, bad: seal_no}}`)))
	if result.Sound() || result.Problems[0].Node != "pay" || len(result.Problems[0].Path) == 0 {
		t.Fatalf("%+v", result)
	}
}
