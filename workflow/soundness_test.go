package workflow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/racedetector"
)

// definitionDrawer draws small random definitions from sound blocks and then breaks some of them.
type definitionDrawer struct {
	rng   *rand.Rand
	nodes []nodeText
}

func (d *definitionDrawer) add(node nodeText) string {
	node.ID = fmt.Sprintf("n%d", len(d.nodes))
	d.nodes = append(d.nodes, node)
	return node.ID
}

func (d *definitionDrawer) chance(percent int) bool { return d.rng.IntN(100) < percent }

var rejected = targetText{To: "seal_no", Cancel: cancelText{word: "all"}}

// block adds a block that leads to next and returns its first node.
func (d *definitionDrawer) block(depth int, next string) string {
	kinds := 10 // the last three are forks
	if depth == 0 {
		kinds = 5
	}
	switch d.rng.IntN(kinds) {
	case 0:
		return d.add(nodeText{Kind: "timer", After: "1h", Next: next})
	case 1:
		on := map[string]targetText{"done": {To: next}}
		if d.chance(30) {
			on["bad"] = rejected
		}
		node := nodeText{Kind: "stage", On: on}
		if d.chance(30) {
			node.Errors = []errorText{{To: next}}
		}
		return d.add(node)
	case 2:
		seats := 1 + d.rng.IntN(2)
		quorum := 1 + d.rng.IntN(seats)
		node := nodeText{Kind: "review", Queue: "L1", Seats: &seats, Quorum: &quorum,
			On: map[string]targetText{"approve": {To: next}, "reject": rejected}}
		if d.chance(30) {
			node.On["return"] = targetText{}
		}
		if d.chance(30) {
			node.Timeout = &timeoutText{After: "1h", To: next}
		}
		return d.add(node)
	case 3:
		topic := nodeText{Kind: "external", Topic: "t", Next: next}
		if d.chance(50) {
			topic.Timeout = &timeoutText{After: "1h", To: next}
		}
		return d.add(topic)
	case 4:
		if !d.chance(15) { // rare, because in parallel with a rejection it is unsound
			return d.add(nodeText{Kind: "stage", Next: next})
		}
		return d.add(
			nodeText{Kind: "saga", Steps: []stepText{{ID: "a", Call: "a", Undo: "b"},
				{ID: "c", Call: "c"}},
				On: map[string]targetText{"done": {To: next}, "undone": rejected}})
	case 5:
		return d.block(depth-1, d.block(depth-1, next))
	case 6:
		return d.add(
			nodeText{Kind: "exclusive", Branches: []branchText{
				{When: "risk > 1", To: d.block(depth-1, next)}},
				Default: d.block(depth-1, next)})
	}
	join := d.add(nodeText{Kind: "join", Next: next})
	var to []string
	for range 2 {
		merge := d.add(nodeText{Kind: "exclusive", Default: join})
		to = append(to, d.block(depth-1, merge))
	}
	return d.add(nodeText{Kind: "fork", To: to})
}

// mutate changes the target of one edge, or removes a withdrawal.
func (d *definitionDrawer) mutate() {
	other := func() string {
		if d.chance(15) {
			return []string{"seal", "seal_no"}[d.rng.IntN(2)]
		}
		return d.nodes[d.rng.IntN(len(d.nodes))].ID
	}
	node := &d.nodes[d.rng.IntN(len(d.nodes))]
	switch {
	case len(node.On) > 0:
		names := []string{}
		for name := range node.On {
			names = append(names, name)
		}
		slices.Sort(names)
		name := names[d.rng.IntN(len(names))]
		target := node.On[name]
		if target.Cancel.word != "" && d.chance(60) {
			target.Cancel = cancelText{nodes: []string{other()}}
		} else {
			target.To = other()
		}
		node.On[name] = target
	case len(node.To) > 0:
		node.To[d.rng.IntN(len(node.To))] = other()
	case node.Timeout != nil:
		node.Timeout.To = other()
	case node.Default != "":
		node.Default = other()
	default:
		node.Next = other()
	}
}

// hasUntargetedNode reports whether no edge leads to some node. The static checks would reject it
// too, but take longer.
func (d *definitionDrawer) hasUntargetedNode(first string) bool {
	targets := map[string]bool{first: true}
	for _, node := range d.nodes {
		targets[node.Next], targets[node.Default] = true, true
		for _, target := range node.On {
			targets[target.To] = true
		}
		for _, branch := range node.Branches {
			targets[branch.To] = true
		}
		for _, to := range node.To {
			targets[to] = true
		}
		if node.Timeout != nil {
			targets[node.Timeout.To] = true
		}
	}
	return slices.ContainsFunc(d.nodes, func(node nodeText) bool { return !targets[node.ID] })
}

// drawDefinition returns a definition that passes the static checks, or nil.
func drawDefinition(dice *rand.Rand) *Definition {
	d := &definitionDrawer{rng: dice}
	first := d.block(2, "seal")
	for range d.rng.IntN(4) {
		d.mutate()
	}
	if len(d.nodes) < 4 || len(d.nodes) > 9 || d.hasUntargetedNode(first) {
		return nil
	}
	entry := first
	if d.chance(15) {
		entry = d.nodes[dice.IntN(len(d.nodes))].ID
	}
	text := definitionText{Key: "drawn", OnAbandon: "seal_gone", ReEnter: first, OnEnter: entry,
		Nodes: []nodeText{{ID: "start", Kind: "start", Next: first}}}
	text.Nodes = append(text.Nodes, d.nodes...)
	for _, seal := range [][3]string{{"seal", "archived", "e1"}, {"seal_no", "rejected", "e2"},
		{"seal_gone", "abandoned", "e3"}} {
		text.Nodes = append(text.Nodes,
			nodeText{ID: seal[0], Kind: "stage", Outcome: seal[1], Next: seal[2]},
			nodeText{ID: seal[2], Kind: "end", Status: seal[1]})
	}
	// A gateway in front makes seal_no reachable even if no drawn node leads to it.
	text.Nodes[0].Next = "front"
	text.Nodes = append(text.Nodes,
		nodeText{ID: "front", Kind: "exclusive",
			Branches: []branchText{{When: "risk > 2", To: "seal_no"}}, Default: first})
	def, problems := build(text, nil)
	if len(problems) > 0 {
		return nil
	}
	return def
}

func TestVerifyAgreesWithABruteForceWalker(t *testing.T) {
	t.Parallel()
	wanted := 10_000
	if racedetector.Enabled || testing.Short() {
		wanted = 2_000
	}
	dice := rand.New(rand.NewPCG(4, 2026))
	compared, sound, rejected := 0, 0, 0
	rules := map[string]int{}
	for compared < wanted {
		def := drawDefinition(dice)
		if def == nil {
			rejected++
			continue
		}
		verdict, ok := newWalker(def).sound(500)
		if !ok {
			continue
		}
		compared++
		result := Verify(def)
		if result.Sound() != verdict {
			t.Fatalf("definition %d: the walker reports sound = %v, Verify %v\n%s", compared,
				verdict, result.Problems, Mermaid(def))
		}
		if verdict {
			sound++
		}
		for _, problem := range result.Problems {
			rules[problem.Rule]++
			// A node that is reachable only from an unused entry point has no path.
			if problem.Node == "" || len(problem.Path) == 0 && problem.Rule != "dead" {
				t.Fatalf("no node or no counter-example: %+v\n%s", problem, Mermaid(def))
			}
		}
	}
	t.Logf("rules: %v", rules)
	t.Logf("%d definitions agree, %d of them sound; %d drawn definitions were rejected statically",
		compared, sound, rejected)
	if sound < wanted/10 || sound > wanted*9/10 {
		t.Errorf("%d of %d definitions are sound: the sample is too one-sided", sound, wanted)
	}
}

// unsoundNets are definitions that must be rejected, with the rule and the node of the first
// problem.
var unsoundNets = map[string]struct{ nodes, rule, node string }{
	"join that never gets its token": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 1, to: b}], default: c}
  - {id: b, kind: stage, next: both}
  - {id: c, kind: stage, on: {done: both, bad: seal_no}}
  - {id: both, kind: join, next: seal}`, "stuck_join", "both"},
	"double token": {`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: stage, next: d}
  - {id: c, kind: stage, next: d}
  - {id: d, kind: stage, on: {done: seal, bad: seal_no}}`, "unsound", "d"},
	"livelock without exit": {`
  - {id: a, kind: stage, on: {done: seal, bad: seal_no, odd: b}}
  - {id: b, kind: timer, after: 1h, next: c}
  - {id: c, kind: stage, next: b}`, "no_end", "b"},
	"livelock whose exit is a join": {`
  - {id: a, kind: exclusive, branches: [{when: risk > 1, to: b}], default: c}
  - {id: b, kind: timer, after: 1h, next: d}
  - {id: d, kind: stage, on: {done: b, out: both}}
  - {id: c, kind: stage, on: {done: both, bad: seal_no}}
  - {id: both, kind: join, next: seal}`, "stuck_join", "both"},
	"crossing forks, one of which is left by another join": {`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: stage, on: {done: d, odd: e}}
  - {id: c, kind: fork, to: [g, h]}
  - {id: d, kind: stage, next: first}
  - {id: e, kind: stage, next: second}
  - {id: g, kind: stage, next: first}
  - {id: h, kind: stage, next: second}
  - {id: first, kind: join, next: second}
  - {id: second, kind: join, next: check}
  - {id: check, kind: stage, on: {done: seal, bad: seal_no}}`, "stuck_join", "second"},
	"crossing forks, one branch of which ends": {`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: fork, to: [d, e]}
  - {id: c, kind: stage, next: first}
  - {id: d, kind: stage, next: first}
  - {id: first, kind: join, next: seal}
  - {id: e, kind: stage, next: seal_no}`, "unsound", "rejected"},
	"dead node": {`
  - {id: a, kind: stage, on: {done: seal, bad: seal_no}}
  - {id: b, kind: stage, next: seal}`, "unreachable", "b"},
	"no default": {`
  - {id: a, kind: stage, on: {done: g, bad: seal_no}}
  - {id: g, kind: exclusive, branches: [{when: risk > 1, to: seal}]}`, "no_default", "g"},
	"cancelled sibling still awaited": {`
  - {id: a, kind: fork, to: [kyc, credit]}
  - {id: kyc, kind: review, queue: AML, on: {approve: both, reject: {to: both, cancel: [credit]}}}
  - {id: credit, kind: review, queue: L1, on: {approve: both, reject: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: seal}`, "stuck_join", "both"},
	"sibling left open at the end": {`
  - {id: a, kind: fork, to: [kyc, credit]}
  - {id: kyc, kind: review, queue: AML, on: {approve: both, reject: seal_no}}
  - {id: credit, kind: review, queue: L1, on: {approve: both, reject: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: seal}`, "unsound", "rejected"},
	"timer to nowhere": {`
  - {id: a, kind: stage, on: {done: t, bad: seal_no}}
  - {id: t, kind: timer, after: 1h, next: nowhere}`, "unknown_target", "t"},
	"boundary timer into its sibling": {`
  - {id: a, kind: fork, to: [r, s]}
  - {id: r, kind: review, queue: L1, timeout: {after: 1h, to: s}, on: {approve: both, reject: {to: seal_no, cancel: all}}}
  - {id: s, kind: stage, next: both}
  - {id: both, kind: join, next: seal}`, "unsound", "s"},
	"quorum larger than its seats": {`
  - {id: a, kind: stage, on: {done: r, bad: seal_no}}
  - {id: r, kind: review, queue: L1, seats: 2, quorum: 3, on: {approve: seal, reject: seal_no}}`, "quorum", "r"},
	"re-entry into one branch": {`
  - {id: a, kind: fork, to: [kyc, credit]}
  - {id: kyc, kind: review, queue: AML, on: {approve: both, reject: {to: seal_no, cancel: all}, return: kyc}}
  - {id: credit, kind: review, queue: L1, on: {approve: both, reject: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: seal}`, "stuck_join", "both"},
	"failure that skips the join": {`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: stage, next: both, errors: [{to: seal_no}]}
  - {id: c, kind: stage, next: both}
  - {id: both, kind: join, next: seal}`, "unsound", "rejected"},
	"saga that can be withdrawn": {`
  - {id: a, kind: fork, to: [pay, check]}
  - {id: pay, kind: saga, steps: [{id: x, call: y}], on: {done: both, undone: both}}
  - {id: check, kind: stage, on: {done: both, bad: {to: seal_no, cancel: all}}}
  - {id: both, kind: join, next: seal}`, "unsound", "pay"},
	"circle without work": {`
  - {id: a, kind: stage, on: {done: b, bad: seal_no}}
  - {id: b, kind: exclusive, branches: [{when: risk > 1, to: c}], default: seal}
  - {id: c, kind: exclusive, branches: [{when: risk > 2, to: seal_no}], default: b}`, "circle", "b"},
	"end without a seal": {`
  - {id: a, kind: stage, on: {done: b, bad: seal_no}}
  - {id: b, kind: stage, on: {done: seal, bad: rejected}}`, "unsealed_end", "b"},
}

func TestUnsoundDefinitionsAreRejectedWithAPath(t *testing.T) {
	t.Parallel()
	for name, test := range unsoundNets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def, problems := Check([]byte(definitionOf(test.nodes)))
			if len(problems) == 0 {
				problems = Verify(def).Problems
			}
			if len(problems) == 0 || problems[0].Rule != test.rule ||
				problems[0].Node != test.node {
				t.Fatalf("reported %v, want %s at %s", problems, test.rule, test.node)
			}
			// An unreachable node has no path.
			if len(problems[0].Path) == 0 && test.rule != "unreachable" {
				t.Fatalf("no counter-example: %v", problems[0])
			}
			if problems[0].Line == 0 {
				t.Fatalf("no line: %v", problems[0])
			}
		})
	}
}

// Forks and joins need not be nested: what counts is that each join gets every token.
func TestCrossingForksAreAcceptedIfEveryJoinIsReached(t *testing.T) {
	t.Parallel()
	def := mustParse(t, definitionOf(`
  - {id: a, kind: fork, to: [b, c]}
  - {id: b, kind: fork, to: [d, e]}
  - {id: c, kind: stage, next: first}
  - {id: d, kind: stage, next: first}
  - {id: e, kind: stage, next: second}
  - {id: first, kind: join, next: second}
  - {id: second, kind: join, next: check}
  - {id: check, kind: stage, on: {done: seal, bad: seal_no}}`))
	if result := Verify(def); !result.Sound() {
		t.Fatalf("reported %v", result.Problems)
	}
}

func persons(names ...byte) []domain.ID {
	ids := make([]domain.ID, 0, len(names))
	for _, name := range names {
		ids = append(ids, domain.ID{name})
	}
	return ids
}

func TestQuorumLargerThanThePeople(t *testing.T) {
	t.Parallel()
	quorum := mustParse(t,
		definitionOf(
			"  - {id: a, kind: review, queue: L1, seats: 3, quorum: 3, on: {approve: seal, reject: seal_no}}"))
	remittance := builtin(t, "cross_border_remittance")
	onboarding := builtin(t, "merchant_onboarding")
	for name, test := range map[string]struct {
		def    *Definition
		people map[string][]domain.ID // by queue
		node   string                 // "": there are enough people
	}{
		"three of three": {quorum, map[string][]domain.ID{"L1": persons(1, 2, 3)}, ""},
		"two for three":  {quorum, map[string][]domain.ID{"L1": persons(1, 2)}, "a"},
		"one manager in both": {remittance, map[string][]domain.ID{"AML": persons(9),
			"L1": persons(1), "L2": persons(1), "repair": persons(1)}, "review_l2"},
		"manager and two juniors": {remittance, map[string][]domain.ID{"AML": persons(9),
			"L1": persons(1, 2), "L2": persons(1), "repair": persons(1)}, ""},
		"no AML reviewer": {remittance, map[string][]domain.ID{"L1": persons(1, 2),
			"L2": persons(1), "repair": persons(1)}, "review_aml"},
		"no one for the repair": {remittance, map[string][]domain.ID{"AML": persons(9),
			"L1": persons(1, 2), "L2": persons(1)}, "repair"},
		"two duties, one person": {onboarding, map[string][]domain.ID{"AML": persons(1),
			"L1": persons(1), "repair": persons(1)}, ""},
	} {
		problems := Understaffed(test.def,
			func(node *Node) []domain.ID { return test.people[node.Queue] })
		switch {
		case test.node == "" && len(problems) > 0:
			t.Errorf("%s: %v", name, problems)
		case test.node != "" && (len(problems) == 0 || problems[0].Node != test.node ||
			len(problems[0].Path) == 0):
			t.Errorf("%s: %v, want a problem at %s", name, problems, test.node)
		}
	}
}

// A second person must remain at every review: of two reviewers, the one who does not correct.
func TestNoSecondPerson(t *testing.T) {
	t.Parallel()
	invoice, remittance := builtin(t, "document_approval"), builtin(t, "cross_border_remittance")
	for name, test := range map[string]struct {
		def    *Definition
		people map[string][]domain.ID // by queue
		nodes  []string
	}{
		"one reviewer": {invoice, map[string][]domain.ID{"L1": persons(1), "repair": persons(1)},
			[]string{"repair", "review_l1"}},
		"two reviewers": {invoice, map[string][]domain.ID{"L1": persons(1, 2),
			"repair": persons(1, 2)}, nil},
		"one manager": {remittance, map[string][]domain.ID{"AML": persons(8, 9),
			"L1": persons(1, 2, 3), "L2": persons(3), "repair": persons(1, 2)},
			[]string{"review_l2"}},
		"two managers, of whom one is needed before": {remittance, map[string][]domain.ID{
			"AML": persons(8, 9), "L1": persons(3), "L2": persons(3, 4),
			"repair": persons(1, 2)}, []string{"review_l1", "review_l2"}},
		"no reviewers": {invoice, nil, nil}, // understaffed anyway
	} {
		var nodes []string
		for _, problem := range AnalyzeStaffing(test.def).WithoutSecondPerson(
			func(node *Node) []domain.ID { return test.people[node.Queue] }) {
			nodes = append(nodes, problem.Node)
			if problem.Rule != "no_second_person" || len(problem.Path) == 0 {
				t.Errorf("%s: %+v", name, problem)
			}
		}
		slices.Sort(nodes)
		if !slices.Equal(nodes, test.nodes) {
			t.Errorf("%s: %v, want %v", name, nodes, test.nodes)
		}
	}
}

// tooLargeDefinitions returns definitions that are too large to verify.
func tooLargeDefinitions() map[string]string {
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "  - {id: n%d, kind: stage, next: n%d}\n", i, i+1)
	}
	wide := strings.Builder{}
	var to []string
	for i := range 40 {
		to = append(to, fmt.Sprintf("n%d", i))
		fmt.Fprintf(&wide,
			"  - {id: n%d, kind: review, queue: L1, seats: 3, quorum: 2, on: {approve: m%d, reject: {to: seal_no, cancel: all}}}\n", i, i)
		fmt.Fprintf(&wide, "  - {id: m%d, kind: stage, on: {done: both, odd: m%d}}\n", i, i)
	}
	var choices strings.Builder
	for i := range 60 {
		fmt.Fprintf(&choices,
			"  - {id: g%d, kind: exclusive, branches: [{when: risk > 1, to: x%d}], default: x%d}\n",
			i, i, i)
		fmt.Fprintf(&choices, "  - {id: x%d, kind: exclusive, default: g%d}\n", i, i+1)
	}
	return map[string]string{
		"10 000 nodes": definitionOf("  - {id: a, kind: stage, next: n0}\n" + many.String()),
		"40 branches": definitionOf("  - {id: a, kind: fork, to: [" + strings.Join(to,
			", ") + "]}\n" + wide.String() +
			"  - {id: both, kind: join, next: seal}\n"),
		"60 choices in a row": definitionOf(
			"  - {id: a, kind: stage, on: {done: g0, bad: seal_no}}\n" + choices.String() +
				"  - {id: g60, kind: stage, next: seal}\n"),
	}
}

func TestDefinitionsTooLargeToVerifyAreRejectedInTime(t *testing.T) {
	t.Parallel()
	for name, text := range tooLargeDefinitions() {
		began := time.Now() //nolint:forbidigo // measures a duration that the package promises
		def, problems := Check([]byte(text))
		if len(problems) == 0 {
			problems = Verify(def).Problems
		}
		took := time.Since(began)
		t.Logf("%s: rejected after %s: %v", name, took, problems)
		if len(problems) == 0 || problems[0].Rule != "size" && problems[0].Rule != "state_space" {
			t.Fatalf("%s: %v", name, problems)
		}
		if slow := machineSlowdown(t); took > max(30*time.Second,
			time.Duration(5*slow*float64(time.Second))) {
			t.Errorf("%s: rejected only after %s on a machine that is %.1f times slower than usual",
				name, took, slow)
		}
	}
}

// machineSlowdown returns how much longer a small verification takes now than on an idle core,
// because of other tests and the race detector; at least 1.
func machineSlowdown(t *testing.T) float64 {
	t.Helper()
	const usual, times = 250 * time.Microsecond, 100 // of document_approval
	def := builtin(t, "document_approval")
	began := time.Now() //nolint:forbidigo // a duration
	for range times {
		Verify(def)
	}
	return max(1, float64(time.Since(began))/float64(times*usual))
}
