package workflow

import (
	"strings"
	"testing"

	"countersign/domain"
)

// smallLoans archives small amounts without a review.
const smallLoans = `
key: loan
on_abandon: seal_gone
documents: [{kind: payslip}]
needs: [counterparty]
nodes:
  - {id: start, kind: start, next: repair_needed}
  - {id: repair_needed, kind: exclusive, branches: [{when: 'size(missing) > 0', to: repair}], default: route}
  - {id: repair, kind: review, queue: L1, duty: repair, on: {repaired: route, return: repair}}
  - {id: route, kind: exclusive, branches: [{when: 'base_minor > 5000000', to: other}, {when: 'base_minor < 10000', to: seal}], default: ask}
  - {id: ask, kind: review, queue: L1, on: {approve: again, reject: seal_no}}
  - {id: again, kind: exclusive, branches: [{when: 'risk > 90', to: other}], default: seal}
  - {id: other, kind: review, queue: L2, duty: second, on: {approve: seal, reject: seal_no}}
` + definitionTail

// noReview has a gateway, and no review.
const noReview = `
key: loan
on_abandon: seal_gone
documents: [{kind: payslip}]
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: 'base_minor > 900000', to: seal_no}], default: seal}
` + definitionTail

// Attack: a submitter with supporting documents avoids every review by a small amount. The case takes the
// branch to a review; without such documents, and after a vote, the guards alone decide.
func TestACaseWithUnseenDocumentsIsReviewed(t *testing.T) {
	t.Parallel()
	def := mustParse(t, smallLoans)
	for name, row := range map[string]struct {
		unseen  bool
		minor   int64
		missing []string
		want    string
	}{
		"no documents":         {false, 500, nil, "seal"},
		"documents":            {true, 500, nil, "ask"},
		"a review anyway":      {true, 6_000_000, nil, "other"},
		"values to be named":   {true, 500, []string{"vendor"}, "repair"},
		"its default anyway":   {true, 20_000, nil, "ask"},
		"default, no document": {false, 20_000, nil, "ask"},
	} {
		facts := clean()
		facts.Unseen, facts.BaseMinor, facts.Missing = row.unseen, row.minor, row.missing
		step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
		if err != nil || step.Marking.Tokens[0].Node != row.want {
			t.Errorf("%s: at %v (%v), want %s", name, step.Marking.Tokens, err, row.want)
			continue
		}
		switch row.want {
		case "repair": // naming values is no decision about the documents
			event := Event{Kind: ReviewDecided, Node: "repair", Visit: 1, Seat: 1, Verdict: domain.Repaired}
			facts.Missing = nil
			step, err = Advance(def, step.Marking, event, facts)
			if err != nil || step.Marking.Tokens[0].Node != "ask" {
				t.Errorf("%s: then at %v (%v)", name, step.Marking.Tokens, err)
			}
		case "ask": // the vote of this review counts, and no other one is needed
			event := Event{Kind: ReviewDecided, Node: "ask", Visit: 1, Seat: 1, Verdict: domain.Approve}
			facts.Unseen = false
			step, err = Advance(def, step.Marking, event, facts)
			if err != nil || step.Marking.Tokens[0].Node != "seal" {
				t.Errorf("%s: then at %v (%v)", name, step.Marking.Tokens, err)
			}
		}
	}
	if found := Verify(def).Problems; len(found) > 0 {
		t.Errorf("problems %v", found)
	}
}

// A process that can only archive such a case unseen is not published, and an older version of one fails.
func TestAProcessWithoutAReviewArchivesNoDocumentsUnseen(t *testing.T) {
	t.Parallel()
	def := mustParse(t, noReview)
	facts := clean()
	facts.Unseen = true
	_, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
	if !domain.HasCode(err, domain.FourEyes) || !strings.Contains(err.Error(), "supporting documents") {
		t.Errorf("archived: %v", err)
	}
	if found := Verify(def).Problems; len(found) != 1 || found[0].Rule != "documents_unseen" {
		t.Errorf("problems %v", found)
	}
	rejected := clean()
	rejected.Unseen, rejected.BaseMinor = true, 1_000_000
	if step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, rejected); err != nil ||
		step.Marking.Tokens[0].Node != "seal_no" {
		t.Errorf("a rejection needs no review: %v %v", step.Marking.Tokens, err)
	}
	def.Documents = nil
	if found := unseenDocuments(def); len(found) > 0 {
		t.Errorf("without documents: %v", found)
	}
}

// Whatever later gateways choose, and however a review ends, no published process pays or archives unseen
// documents.
func TestRoutesWithUnseenDocuments(t *testing.T) {
	t.Parallel()
	const head = `
key: loan
on_abandon: seal_gone
documents: [{kind: payslip}]
nodes:
`
	const review = `
  - {id: ask, kind: review, queue: L1, on: {approve: seal, reject: seal_no}}
`
	for name, row := range map[string]struct {
		nodes string
		at    string // where a submitted case goes; "" if the engine refuses
		sound bool
	}{
		"a later gateway without a branch to a review": {`
  - {id: start, kind: start, next: first}
  - {id: first, kind: exclusive, branches: [{when: risk > 90, to: ask}], default: wait}
  - {id: wait, kind: timer, after: 1h, next: later}
  - {id: later, kind: exclusive, branches: [{when: base_minor < 900000, to: seal_no}], default: seal}
` + review, "ask", true},
		"a deadline that archives": {`
  - {id: start, kind: start, next: waits}
  - {id: waits, kind: review, queue: L1, timeout: {after: 48h, to: seal}, on: {approve: seal, reject: seal_no}}
`, "waits", false},
		"a deadline that leads to another review": {`
  - {id: start, kind: start, next: waits}
  - {id: waits, kind: review, queue: L1, timeout: {after: 48h, to: ask}, on: {approve: seal, reject: seal_no}}
` + review, "waits", true},
		"a payment": {`
  - {id: start, kind: start, next: pay}
  - {id: pay, kind: saga, steps: [{id: one, call: bank.pay}], on: {done: seal, undone: seal_no}}
`, "", false},
		"a payment by another program": {`
  - {id: start, kind: start, next: pay}
  - {id: pay, kind: external, topic: bank, on: {done: seal, refused: seal_no}}
`, "", false},
		"a call before the review": {`
  - {id: start, kind: start, next: reserve}
  - {id: reserve, kind: saga, steps: [{id: one, call: bank.reserve}], on: {done: ask, undone: seal_no}}
` + review, "reserve", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			def := mustParse(t, head+row.nodes+definitionTail)
			facts := clean()
			facts.Unseen = true
			step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
			switch {
			case row.at == "" && !domain.HasCode(err, domain.FourEyes):
				t.Errorf("not refused: %v %v", step.Marking.Tokens, err)
			case row.at != "" && (err != nil || step.Marking.Tokens[0].Node != row.at):
				t.Errorf("at %v (%v), want %s", step.Marking.Tokens, err, row.at)
			}
			if found := unseenDocuments(def); len(found) == 0 != row.sound {
				t.Errorf("problems %v", found)
			}
		})
	}
}

// A simulation considers supporting documents: until a person has voted, and again after a return. Without
// them it takes the route of before.
func TestASimulationConsidersUnseenDocuments(t *testing.T) {
	t.Parallel()
	def := mustParse(t, smallLoans)
	facts := clean()
	facts.BaseMinor = 500
	route := func(unseen bool, past Past) string {
		facts.Unseen = unseen
		found, err := Simulate(def, facts, past)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(found.Nodes, " ")
	}
	without, with := route(false, Past{}), route(true, Past{})
	if strings.Contains(without, "ask") || !strings.Contains(with, "ask again") {
		t.Errorf("without documents by %s, with them by %s", without, with)
	}
	rejected := Past{Decisions: []PastDecision{{"ask", DutyApproval, domain.QueueL1, domain.Reject}}}
	if got := route(true, rejected); !strings.Contains(got, "seal_no") {
		t.Errorf("rejected by %s", got)
	}
	facts.Missing = []string{"vendor"} // a repair is no vote
	if got := route(true, Past{}); !strings.Contains(got, "repair") || !strings.Contains(got, "ask") {
		t.Errorf("with a repair by %s", got)
	}
}
