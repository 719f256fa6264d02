package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/internal/definitiontest"
)

// drawCall draws a definition with a stage, and the same with a call in its place of a process whose ends
// are the outcomes of the stage; call is "" if there is no such stage.
func drawCall(t *rapid.T) (plain, calling *Definition, callee string, call string) {
	source := definitiontest.Sound(t)
	text, lines, _ := readText([]byte(source))
	var stages []int
	for i, node := range text.Nodes {
		if node.Kind == string(KindStage) && node.Outcome == "" && len(node.On) > 0 && len(node.Errors) == 0 {
			stages = append(stages, i)
		}
	}
	if len(stages) == 0 {
		return nil, nil, "", ""
	}
	at := rapid.SampledFrom(stages).Draw(t, "stage")
	call = text.Nodes[at].ID
	callee = drawCallee(t, slices.Sorted(maps.Keys(text.Nodes[at].On)))
	plainText := source
	var problems []Problem
	if plain, problems = Check([]byte(plainText)); len(problems) > 0 {
		t.Fatal(problems)
	}
	lined := strings.Split(source, "\n")
	lined[lines[at]-1] = strings.Replace(lined[lines[at]-1], "kind: stage", "kind: call, process: callee", 1)
	out, problems, err := Record([]byte(strings.Join(lined, "\n")), library{"callee": callee}.newest)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if calling, problems = Check(out); len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, out)
	}
	return plain, calling, callee, call
}

// drawCallee draws a callable process with the ends: work in order or in two branches, then a stage that
// chooses the end.
func drawCallee(t *rapid.T, ends []string) string {
	var out strings.Builder
	out.WriteString("key: callee\ncallable: true\nnodes:\n")
	next := "choose"
	for i := range rapid.IntRange(0, 2).Draw(t, "blocks") {
		id := fmt.Sprintf("n%d", i)
		switch rapid.IntRange(0, 2).Draw(t, "block") {
		case 0:
			fmt.Fprintf(&out, "  - {id: %s, kind: stage, on: {done: %s, again: %s}}\n", id, next, id)
		case 1:
			fmt.Fprintf(&out, "  - {id: %s, kind: review, queue: L1, seats: 2, quorum: 1, on: {approve: %s, reject: {to: %s, cancel: all}}}\n",
				id, next, ends[len(ends)-1])
		case 2:
			fmt.Fprintf(&out, "  - {id: %s, kind: fork, to: [%sa, %sb]}\n  - {id: %sa, kind: stage, next: %sj}\n"+
				"  - {id: %sb, kind: stage, on: {done: %sj, skip: {to: %s, cancel: all}}}\n  - {id: %sj, kind: join, next: %s}\n",
				id, id, id, id, id, id, id, next, id, next)
		}
		next = id
	}
	on := make([]string, 0, len(ends))
	for _, end := range ends {
		on = append(on, "result_"+end+": "+end)
		fmt.Fprintf(&out, "  - {id: %s, kind: end}\n", end)
	}
	fmt.Fprintf(&out, "  - {id: choose, kind: stage, on: {%s}}\n  - {id: start, kind: start, next: %s}\n",
		strings.Join(on, ", "), next)
	return out.String()
}

// callByHand runs the calling process with a stage in place of the call, and the called process beside it.
type callByHand struct {
	t             *rapid.T
	caller, alone *Definition
	call          string
	facts         domain.ProcessFacts
	outside       domain.Marking
	inside        domain.Marking
}

func (h *callByHand) advance(event Event) {
	id, isInside := strings.CutPrefix(event.Node, h.call+callSeparator)
	if !isInside {
		before := h.visit()
		h.outside = h.step(h.caller, h.outside, event)
		if h.visit() != before { // a call begins, or was withdrawn
			h.inside = domain.Marking{}
			if h.visit() > 0 {
				h.inside = h.step(h.alone, h.inside, Event{Kind: Started})
			}
		}
		return
	}
	// The number of visits is that of all calls together; only the last one can be open.
	event.Node, event.Visit = id, h.inside.Visits[id]
	h.inside = h.step(h.alone, h.inside, event)
	if !slices.ContainsFunc(h.inside.Tokens, func(token domain.Token) bool {
		return token.Node == closingMark+"archive"
	}) {
		return
	}
	for _, node := range h.alone.Nodes {
		if node.Ends && h.inside.Visits[node.ID] > 0 {
			h.inside = domain.Marking{}
			h.advance(Event{Kind: StageEnded, Node: h.call, Visit: h.visit(), Outcome: node.ID})
			return
		}
	}
}

// visit returns the number of the visit of the stage where the case is, 0 if it is elsewhere.
func (h *callByHand) visit() int {
	for _, token := range h.outside.Tokens {
		if token.Node == h.call {
			return token.Visit
		}
	}
	return 0
}

func (h *callByHand) step(def *Definition, marking domain.Marking, event Event) domain.Marking {
	next, err := Advance(def, marking, event, h.facts)
	if err != nil {
		h.t.Fatalf("by hand: %+v at %+v: %v", event, marking, err)
	}
	return next.Marking
}

// tokens returns where the case is, with the nodes of the called process in place of the stage.
func (h *callByHand) tokens() (nodes []string) {
	for _, token := range h.outside.Tokens {
		if token.Node != h.call {
			nodes = append(nodes, token.Node)
		}
	}
	for _, token := range h.inside.Tokens {
		nodes = append(nodes, h.call+callSeparator+token.Node)
	}
	slices.Sort(nodes)
	return nodes
}

// The runs of a composed net are those of its caller and of the called process, with calls and returns
// made by hand.
func TestRunsOfACallAreCallsAndReturnsByHand(t *testing.T) {
	t.Parallel()
	calls := 0
	rapid.Check(t, func(t *rapid.T) {
		plain, calling, callee, call := drawCall(t)
		if call == "" {
			return
		}
		alone, problems := Check([]byte(callee))
		if len(problems) > 0 {
			t.Fatalf("%v\n%s", problems, callee)
		}
		facts := domain.ProcessFacts{Risk: rapid.IntRange(0, 100).Draw(t, "facts")}
		byHand := &callByHand{t: t, caller: plain, alone: alone, call: call, facts: facts}
		open, step, event := openWork{}, Step{}, Event{Kind: Started}
		for turn := 0; ; turn++ {
			next, err := Advance(calling, step.Marking, event, facts)
			if err != nil {
				t.Fatalf("%+v at %+v: %v", event, step.Marking, err)
			}
			step = next
			open.apply(t, step.Effects)
			byHand.advance(event)
			var nodes []string
			for _, token := range step.Marking.Tokens {
				nodes = append(nodes, token.Node)
			}
			slices.Sort(nodes)
			if !slices.Equal(nodes, byHand.tokens()) {
				t.Fatalf("%+v: composed %v, by hand %v\n%s", event, nodes, byHand.tokens(), callee)
			}
			if len(nodes) == 0 || turn > 200 {
				break
			}
			key, chosen := choose(t, calling, step.Marking, open, turn > 60)
			if (chosen.Kind == Abandoned || chosen.Kind == Replaced || chosen.Kind == Entered) &&
				executesDecision(calling, step.Marking) {
				key, chosen = choose(t, calling, step.Marking, open, true)
			}
			if chosen.Kind == StageEnded && chosen.Outcome == OutcomeDone {
				node, _ := calling.Node(chosen.Node)
				if node.outcomeEdge(OutcomeDone) == nil {
					chosen.Outcome = rapid.SampledFrom(node.Outcomes()).Draw(t, "end")
				}
			}
			delete(open, key)
			event = chosen
		}
		if step.Marking.Visits[call] > 0 {
			calls++
		}
	})
	if calls < 20 {
		t.Errorf("only %d runs made a call", calls)
	}
}
