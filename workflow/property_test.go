package workflow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/internal/definitiontest"
)

// soundDefinition draws a definition and parses it.
func soundDefinition(t *rapid.T) *Definition {
	text := definitiontest.Sound(t)
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
