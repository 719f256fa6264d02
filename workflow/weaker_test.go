package workflow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"countersign/domain"
)

// attributeHead declares what the guards of these tests use.
const attributeHead = `
key: expense
on_abandon: seal_gone
attributes:
  - {name: department, type: choice, required: true, choices: [sales, finance, it]}
  - {name: budget, type: money, currency: EUR, required: true}
nodes:
`

// routed returns a definition whose gateway has these branches in front of reviews of one, two and
// three approvals, and of a higher level.
func routed(branches string) string {
	return attributeHead + `
  - {id: start, kind: start, next: reach}
  - {id: reach, kind: exclusive, branches: [{when: risk == 99, to: size}, {when: risk == 98, to: three}], default: route}
  - {id: route, kind: exclusive, branches: [` + branches + `], default: one}
  - {id: one, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}
  - {id: three, kind: review, queue: L1, seats: 5, quorum: 3, decide_by: count, on: {approve: seal, reject: seal_no}}
  - {id: high, kind: review, queue: L2, level: 2, on: {approve: seal, reject: seal_no}}
  - {id: size, kind: exclusive, branches: [{when: "amount_known && base_minor < 1000", to: seal}], default: high}
` + definitionTail
}

// An attribute can choose a queue and add approvals. It cannot remove one, lower the level or the duty.
func TestAttributesNeverRemoveApprovals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ branches, problem string }{
		"more":   {`{when: 'attributes.department == "sales"', to: three}`, ""},
		"higher": {`{when: 'attributes.department != "sales"', to: high}`, ""},
		"none": {`{when: 'attributes.department == "sales"', to: seal}, {when: "risk > 5", to: three},
			{when: "risk > 4", to: high}`, `0 instead of 1`},
		"fewer than a case of this risk": {`{when: 'attributes.department == "it"', to: one},
			{when: "risk > 50", to: three}`, "1 instead of 1+1+1"},
		"after the risk": {`{when: "risk > 50", to: three}, {when: 'attributes.department == "it"', to: high}`,
			""},
		"a lower level for large amounts": {`{when: "attributes.budget < 500", to: one},
			{when: "risk > 50", to: high}`, "1 instead of 2"},
		"none below an amount": {`{when: "attributes.budget < 500", to: size}`, "0 instead of 1"},
		"none above an amount": {`{when: "attributes.budget < 500 && base_minor > 2000", to: size}`, ""},
	} {
		def := mustParse(t, strings.ReplaceAll(routed(test.branches), "\n\t\t\t", " "))
		found := weakerByAttributes(def)
		switch {
		case test.problem == "" && len(found) > 0:
			t.Errorf("%s: %v", name, found)
		case test.problem != "" && (len(found) != 1 || found[0].Rule != "attribute_weakens" ||
			found[0].Node != "route" || !strings.Contains(found[0].Message, test.problem)):
			t.Errorf("%s: %v", name, found)
		}
	}
}

// attributeDrawer draws processes whose gateways ask about attributes, numbers and findings.
type attributeDrawer struct {
	rng   *rand.Rand
	nodes []string
}

var drawnGuards = []string{`attributes.department == "sales"`, `attributes.department in ["it"]`,
	`attributes.budget > 500`, `attributes.department != "it" && base_minor < 1000`,
	`attributes.department == "sales" || risk > 50`,
	`amount_known && base_minor < 1000`, `amount_known && base_minor >= 5000`, `risk > 50`,
	`findings.exists(f, f.rule == "x")`}

func (d *attributeDrawer) add(format string, args ...any) string {
	id := fmt.Sprintf("n%d", len(d.nodes))
	d.nodes = append(d.nodes, fmt.Sprintf("  - {id: %s, %s}\n", id, fmt.Sprintf(format, args...)))
	return id
}

func (d *attributeDrawer) block(depth int, next string) string {
	switch kind := d.rng.IntN(6); {
	case kind == 0 || depth == 0:
		seats := 1 + d.rng.IntN(3)
		return d.add("kind: review, queue: L1, level: %d, seats: %d, quorum: %d, on: {approve: %s, "+
			"reject: {to: seal_no, cancel: all}}", 1+d.rng.IntN(2), seats, 1+d.rng.IntN(seats), next)
	case kind == 1:
		return d.block(depth-1, d.block(depth-1, next))
	case kind == 2 && depth > 1:
		join := d.add("kind: join, next: %s", next)
		merge := func() string { return d.add("kind: stage, next: %s", join) }
		return d.add("kind: fork, to: [%s, %s]", d.block(depth-1, merge()), d.block(depth-1, merge()))
	default:
		var branches []string
		for range 1 + d.rng.IntN(2) {
			target := next
			if d.rng.IntN(3) > 0 {
				target = d.block(depth-1, next)
			}
			branches = append(branches, fmt.Sprintf("{when: '%s', to: %s}",
				drawnGuards[d.rng.IntN(len(drawnGuards))], target))
		}
		fallback := next
		if d.rng.IntN(2) > 0 {
			fallback = d.block(depth-1, next)
		}
		return d.add("kind: exclusive, branches: [%s], default: %s", strings.Join(branches, ", "), fallback)
	}
}

func (d *attributeDrawer) definition() string {
	first := d.block(3, "seal")
	return attributeHead + fmt.Sprintf("  - {id: start, kind: start, next: %s}\n", first) +
		strings.Join(d.nodes, "") + definitionTail
}

// approvalsOf returns what a case needs if every reviewer approves.
func approvalsOf(t *testing.T, def *Definition, facts domain.ProcessFacts) (list []approval) {
	t.Helper()
	route, err := Simulate(def, facts, Past{})
	if err != nil || route.Status != domain.Archived {
		t.Fatalf("%v %s", err, route.Status)
	}
	for _, seat := range route.Seats {
		list = append(list, approval{seat.Duty, seat.Level})
	}
	return list
}

// Whatever a submitter states, a process that passed the check needs at least the approvals that it
// needs if no guard about an attribute is true. Most of the processes that are refused have a case that
// needs fewer; the others have a gateway that no case reaches, or more approvals elsewhere.
func TestEveryStatementNeedsAtLeastTheApprovalsWithoutIt(t *testing.T) {
	t.Parallel()
	passed, refused, proven := 0, 0, 0
	for seed := range uint64(150) {
		drawer := attributeDrawer{rng: rand.New(rand.NewPCG(seed, 7))}
		text := drawer.definition()
		def, blind := definitionOrNil(text), text
		if def == nil { // a node that no edge leads to
			continue
		}
		for _, guard := range drawnGuards {
			if strings.Contains(guard, "attributes.") {
				blind = strings.ReplaceAll(blind, "'"+guard+"'", "'false'")
			}
		}
		witness := fewerApprovals(t, def, mustParse(t, blind))
		switch found := weakerByAttributes(def); {
		case len(found) == 0 && witness != "":
			t.Fatalf("seed %d: %s\n%s", seed, witness, text)
		case len(found) == 0:
			passed++
		default:
			if refused++; witness != "" {
				proven++
			}
		}
	}
	if passed < 30 || refused < 30 || proven*3 < refused*2 {
		t.Errorf("%d passed, %d refused, of which %d with a case", passed, refused, proven)
	}
}

func definitionOrNil(text string) *Definition {
	def, _ := Check([]byte(text))
	return def
}

// fewerApprovals returns a case that needs fewer approvals than in the process without attributes.
func fewerApprovals(t *testing.T, def, blind *Definition) string {
	t.Helper()
	for n := range 3 * 2 * 3 * 2 * 2 {
		pick := func(count int) int { at := n % count; n /= count; return at }
		facts := domain.ProcessFacts{AmountKnown: true, BaseMinor: []int64{999, 1000, 5000}[pick(3)],
			Risk: []int{50, 51}[pick(2)]}
		facts.Attributes = map[string]any{
			"department": []string{"sales", "finance", "it"}[pick(3)],
			"budget":     []int64{500, 501}[pick(2)]}
		if pick(2) > 0 {
			facts.Findings = []domain.Finding{{Rule: "x"}}
		}
		without, with := approvalsOf(t, blind, facts), approvalsOf(t, def, facts)
		if missing, ok := firstMissing(without, with); ok {
			return fmt.Sprintf("%+v lacks %+v: %v, without %v", facts, missing, with, without)
		}
	}
	return ""
}
