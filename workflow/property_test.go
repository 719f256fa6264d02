package workflow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// definitionGenerator builds random definitions from blocks that are sound by construction.
type definitionGenerator struct {
	t            *rapid.T
	nodes        []string
	count        int
	restingNodes []string // nodes that can hold a token
	openForks    int      // forks around the block; a sibling could withdraw a saga within one
}

func (f *definitionGenerator) id(kind string) string {
	f.count++
	return fmt.Sprintf("%s%d", kind, f.count)
}

// place is id for a node that can hold a token.
func (f *definitionGenerator) place(kind string) string {
	id := f.id(kind)
	f.restingNodes = append(f.restingNodes, id)
	return id
}

func (f *definitionGenerator) add(format string, args ...any) {
	f.nodes = append(f.nodes, fmt.Sprintf("  - {"+format+"}", args...))
}

func (f *definitionGenerator) maybe(name, text string) string {
	if rapid.Bool().Draw(f.t, name) {
		return text
	}
	return ""
}

// block adds a block that leads to next and returns its first node.
func (f *definitionGenerator) block(depth int, next string) string {
	kind := rapid.IntRange(0, 11).Draw(f.t, "block")
	if depth == 0 && kind > 6 {
		kind %= 7
	}
	switch kind {
	case 7, 8:
		return f.block(depth-1, f.block(depth-1, next))
	case 9:
		id, branches := f.id("choice"), ""
		for range rapid.IntRange(1, 2).Draw(f.t, "branches") {
			branches += fmt.Sprintf("{when: risk < %d, to: %s}, ",
				rapid.IntRange(0, 100).Draw(f.t, "risk"), f.block(depth-1, next))
		}
		f.add("id: %s, kind: exclusive, branches: [%s], default: %s", id,
			branches[:len(branches)-2], f.block(depth-1, next))
		return id
	case 10:
		return f.fork(depth, next)
	case 11:
		last := f.place("loop")
		inner := f.block(depth-1, last)
		f.add("id: %s, kind: stage, on: {done: %s, again: %s}", last, next, inner)
		return inner
	}
	return f.work(kind, next)
}

// work adds one node at which the case waits for work.
func (f *definitionGenerator) work(kind int, next string) string {
	timeout := fmt.Sprintf(", timeout: {after: 1h, to: %s}", next)
	errors := fmt.Sprintf(
		", errors: [{codes: [TimedOut], to: %s}, {to: seal_no, cancel: all}]", next)
	switch {
	case kind == 2:
		id := f.place("review")
		seats := rapid.IntRange(1, 3).Draw(f.t, "seats")
		on := "approve: " + next + ", reject: {to: seal_no, cancel: all}" + f.maybe("return",
			", return: again")
		f.add("id: %s, kind: review, queue: L1, seats: %d, quorum: %d, on: {%s}%s", id, seats,
			rapid.IntRange(1, seats).Draw(f.t, "quorum"), on, f.maybe("timeout", timeout))
		return id
	case kind == 3:
		id := f.place("wait")
		f.add("id: %s, kind: timer, after: 1h, next: %s", id, next)
		return id
	case kind == 4:
		id := f.place("outside")
		f.add("id: %s, kind: external, topic: t, next: %s%s%s", id, next,
			f.maybe("timeout", timeout), f.maybe("errors", errors))
		return id
	case kind == 5 && f.openForks == 0:
		id := f.place("saga")
		f.add("id: %s, kind: saga, steps: [{id: a, call: a, undo: b}, {id: c, call: c}, {id: d, call: d, undo: e}], on: {done: %s, undone: seal_no}", id, next)
		return id
	}
	id := f.place("stage")
	on := "done: " + next + f.maybe("again", ", again: "+id) + f.maybe("bad",
		", bad: {to: seal_no, cancel: all}")
	f.add("id: %s, kind: stage, on: {%s}%s", id, on, f.maybe("errors", errors))
	return id
}

// fork adds branches that join. One of them may withdraw the region of the others and continue
// without them.
func (f *definitionGenerator) fork(depth int, next string) string {
	fork, join := f.id("fork"), f.id("join")
	f.openForks++
	mark := len(f.restingNodes)
	var to []string
	for range rapid.IntRange(2, 3).Draw(f.t, "width") {
		merge := f.id("merge")
		f.add("id: %s, kind: exclusive, default: %s", merge, join)
		to = append(to, f.block(depth-1, merge))
	}
	if rapid.Bool().Draw(f.t, "alone") {
		region := append([]string{join}, f.restingNodes[mark:]...)
		id := f.place("alone")
		f.add("id: %s, kind: stage, on: {done: %s, alone: {to: %s, cancel: [%s]}}", id, join, next,
			strings.Join(region, ", "))
		to = append(to, id)
	}
	f.openForks--
	f.add("id: %s, kind: fork, to: [%s]", fork, strings.Join(to, ", "))
	f.add("id: %s, kind: join, next: %s", join, next)
	f.restingNodes = append(f.restingNodes, join)
	return fork
}

// soundDefinition draws a definition as text and parses it.
func soundDefinition(t *rapid.T) *Definition {
	f := &definitionGenerator{t: t}
	first := f.block(3, "seal")
	text := "key: drawn\non_abandon: seal_gone\nre_enter: again\nnodes:\n  - {id: start, kind: start, next: again}\n" +
		"  - {id: again, kind: exclusive, branches: [{when: risk > 200, to: seal_no}], default: " +
		first + "}\n" + strings.Join(f.nodes, "\n") + definitionTail
	def, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return def
}

// openWork tracks the open work according to the effects, as casework's rows do.
type openWork map[string]Event

func (w openWork) apply(t *rapid.T, effects []Effect) {
	for _, effect := range effects {
		switch e := effect.(type) {
		case StartStage:
			w.put(t, fmt.Sprintf("%s/%d", e.Node, e.Visit),
				Event{Kind: StageEnded, Node: e.Node, Visit: e.Visit})
		case OpenReview:
			w.put(t, fmt.Sprintf("%s/%d/%d", e.Node, e.Visit, e.Seat),
				Event{Kind: ReviewDecided, Node: e.Node, Visit: e.Visit, Seat: e.Seat})
		case StartTimer:
			w.put(t, fmt.Sprintf("%s/%d/timer", e.Node, e.Visit),
				Event{Kind: TimerFired, Node: e.Node, Visit: e.Visit})
		case StartStep:
			w.put(t, fmt.Sprintf("%s/%d/step %d %v", e.Node, e.Visit, e.Step, e.Undo),
				Event{Kind: StepEnded, Node: e.Node, Visit: e.Visit, Step: e.Step, Undo: e.Undo})
		case CancelStage:
			w.drop(t, fmt.Sprintf("%s/%d", e.Node, e.Visit))
		case CancelStep:
			w.drop(t, fmt.Sprintf("%s/%d/step 1 false", e.Node, e.Visit))
		case CancelTimer:
			w.drop(t, fmt.Sprintf("%s/%d/timer", e.Node, e.Visit))
		case CancelReview:
			for _, seat := range e.Seats {
				w.drop(t, fmt.Sprintf("%s/%d/%d", e.Node, e.Visit, seat))
			}
		}
	}
}

func (w openWork) put(t *rapid.T, key string, event Event) {
	if _, ok := w[key]; ok {
		t.Fatalf("%s is opened twice", key)
	}
	w[key] = event
}

func (w openWork) drop(t *rapid.T, key string) {
	if _, ok := w[key]; !ok {
		t.Fatalf("%s is withdrawn but was not open", key)
	}
	delete(w, key)
}

func (w openWork) keys() []string {
	keys := make([]string, 0, len(w))
	for key := range w {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// choose picks an event that is possible now; straight picks one that leads towards the end.
func choose(
	t *rapid.T, def *Definition, marking domain.Marking, open openWork, straight bool,
) (string, Event) {
	if len(open) == 0 {
		return "", Event{Kind: Resubmitted, ReplacedDocument: !straight &&
			rapid.Bool().Draw(t, "replaced")}
	}
	key := open.keys()[0]
	if !straight {
		if rapid.IntRange(0, 60).Draw(t, "odd") == 0 {
			return "", Event{
				Kind: rapid.SampledFrom([]EventKind{Abandoned, Replaced, Entered}).Draw(t, "kind")}
		}
		key = rapid.SampledFrom(open.keys()).Draw(t, "work")
	}
	event := open[key]
	node, _ := def.Node(event.Node)
	switch event.Kind {
	case StageEnded:
		event = endOf(t, node, event, straight)
	case StepEnded:
		if !event.Undo && !straight && rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			event.Kind = StepFailed
		}
	case ReviewDecided:
		event.Verdict = domain.Approve
		if !straight {
			event.Verdict = rapid.SampledFrom(node.Verdicts()).Draw(t, "verdict")
		}
		states := nodeStates{byNode: marking.Notes}
		for _, seat := range states.seats(node).Open {
			if seat.Seat == event.Seat && seat.Escalated && event.Verdict == domain.Escalate {
				event.Verdict = domain.Approve
			}
		}
	}
	return key, event
}

// endOf draws how a stage ends: with an outcome or with a failure that it catches.
func endOf(t *rapid.T, node *Node, event Event, straight bool) Event {
	if straight {
		event.Outcome = OutcomeDone
		return event
	}
	if failures := node.catchableFailures(); len(failures) > 0 && rapid.Bool().Draw(t, "fails") {
		event.Kind, event.Code = StageFailed, rapid.SampledFrom(failures).Draw(t, "code")
		return event
	}
	event.Outcome = rapid.SampledFrom(node.Outcomes()).Draw(t, "outcome")
	return event
}

// checkMarking checks the marking for consistency with itself and with the open work.
func checkMarking(
	t *rapid.T, def *Definition, step Step, open openWork, facts domain.ProcessFacts,
) {
	seen := map[string]bool{}
	for _, token := range step.Marking.Tokens {
		if seen[token.Node] {
			t.Fatalf("two tokens at %s: %+v", token.Node, step.Marking)
		}
		seen[token.Node] = true
		if token.Visit != step.Marking.Visits[token.Node] {
			t.Fatalf("token %+v is not of the last visit: %+v", token, step.Marking)
		}
	}
	for node := range step.Marking.Notes {
		if !seen[node] && node != routeNote {
			t.Fatalf("%s has state but no token: %+v", node, step.Marking)
		}
	}
	expected := openWork{}
	expected.apply(t, OpenWork(def, step.Marking, facts))
	if !reflect.DeepEqual(expected.keys(), open.keys()) {
		t.Fatalf("the marking has %v open, the effects %v", expected.keys(), open.keys())
	}
	if StatusOf(def, step.Marking) != step.Status {
		t.Fatalf("status %s, but the marking implies %s", step.Status, StatusOf(def, step.Marking))
	}
}

func TestRandomCasesKeepTheirTokensAndEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := soundDefinition(t)
		facts := domain.ProcessFacts{Risk: rapid.IntRange(0, 100).Draw(t, "facts")}
		open, step := openWork{}, Step{}
		history := []Event{{Kind: Started}}
		for turn := 0; ; turn++ {
			event := history[len(history)-1]
			next, err := Advance(def, step.Marking, event, facts)
			if err != nil {
				t.Fatalf("%+v at %+v: %v", event, step.Marking, err)
			}
			step = next
			open.apply(t, step.Effects)
			checkMarking(t, def, step, open, facts)
			if event.Node != "" || event.Kind == Started {
				if _, err := Advance(def, step.Marking, event, facts); !domain.HasCode(err,
					domain.StateMismatch) {
					t.Fatalf("%+v is accepted twice: %v", event, err)
				}
			}
			if len(step.Marking.Tokens) == 0 {
				break
			}
			if turn > 2000 {
				t.Fatalf("no end after %d events: %+v", turn, step.Marking)
			}
			key, event := choose(t, def, step.Marking, open, turn > 60)
			if (event.Kind == Abandoned || event.Kind == Replaced || event.Kind == Entered) &&
				executesDecision(def, step.Marking) {
				key, event = choose(t, def, step.Marking, open, true)
			}
			delete(open, key)
			history = append(history, event)
		}
		if len(open) > 0 || !step.Status.Final() {
			t.Fatalf("ended as %s with %v open", step.Status, open.keys())
		}
		replay(t, def, history, step.Marking, facts)
	})
}

func executesDecision(def *Definition, marking domain.Marking) bool {
	for _, token := range marking.Tokens {
		if node, ok := def.Node(token.Node); ok && (node.Outcome != "" || node.Kind == KindSaga) {
			return true
		}
	}
	return false
}

// replay applies the same events again to markings that are encoded as JSON and decoded after each
// step.
func replay(
	t *rapid.T, def *Definition, history []Event, want domain.Marking, facts domain.ProcessFacts,
) {
	marking := domain.Marking{}
	for _, event := range history {
		step, err := Advance(def, marking, event, facts)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(step.Marking)
		if err != nil {
			t.Fatal(err)
		}
		marking = domain.Marking{}
		if err := json.Unmarshal(text, &marking); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := json.Marshal(marking)
	if expected, _ := json.Marshal(want); string(got) != string(expected) {
		t.Fatalf("replayed to %s, was %s", got, expected)
	}
}

func TestRandomDefinitionsAreVerifiedSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := soundDefinition(t)
		result := verify(def, 3_000)
		if !result.Sound() && result.Problems[0].Rule != "state_space" {
			t.Fatalf("%v\n%s", result.Problems, Mermaid(def))
		}
	})
}
