package graph

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/store"
)

// twoSeats is a process whose review has two seats, so that both reviews are open concurrently.
const twoSeats = `key: two_seats
version: 1
title: {en: Two seats}
document_types: [invoice]
key_facts: [amount, currency]
re_enter: validate
on_replace: read
on_enter: validate
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: review}
  - {id: review, kind: review, queue: L1, seats: 2, on: {approve: archive, reject: seal_rejected, return: validate}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// bothSeats claims and approves two reviews in one request.
const bothSeats = `mutation($one: ID!, $two: ID!) {
	a: claimReview(input: {reviewId: $one}) { userErrors { ... on Refusal { code } } }
	b: claimReview(input: {reviewId: $two}) { userErrors { ... on Refusal { code } } }
	c: decideReview(input: {reviewId: $one, decision: APPROVE}) { userErrors { ... on Refusal { code } } }
	d: claimReview(input: {reviewId: $two}) { userErrors { ... on Refusal { code } } }
	e: decideReview(input: {reviewId: $two, decision: APPROVE}) { userErrors { ... on Refusal { code } } } }`

// TestAliasesTakeOneSeat checks that no user gets both of two open seats, neither in one request
// nor in concurrent ones.
func TestAliasesTakeOneSeat(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("mia", domain.RoleManager)
	w.person("aud", domain.RoleAuditor)
	must(t, w.db.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.PublishDefinition(t.Context(),
			store.NewDefinition{Key: "two_seats", Version: 1, Document: twoSeats, HasAmount: true,
				By: domain.SystemUserID})
		return err
	}))
	for round := range 10 {
		answer := w.upload("sam", submitMutation, map[string]any{"process": "two_seats"},
			"%PDF-1.7\n120000.0"+string(rune('0'+round))+"\n")
		id := answer.text("submitDocument", "case", "id")
		w.runPending()
		seats := w.mustExecute("aud", `query($id: ID!) { case(id: $id) { reviews { id status } } }`,
			"id", id)
		one, two := seats.text("case", "reviews", 0, "id"), seats.text("case", "reviews", 1, "id")
		if one == "" || two == "" {
			t.Fatalf("two seats: %+v %+v", answer, seats)
		}
		answers := make(chan result, 2)
		// one request, or two concurrent ones
		for _, ids := range [][2]string{{one, two}, {two, one}}[:1+round%2] {
			go func() { answers <- w.execute("mia", bothSeats, "one", ids[0], "two", ids[1]) }()
		}
		taken, refused := 0, []string{}
		for range 1 + round%2 {
			got := <-answers
			for _, alias := range []string{"c", "e"} {
				if code := got.text(alias, "userErrors", 0, "code"); code == "" &&
					len(got.Errors) == 0 {
					taken++
				} else {
					refused = append(refused, code)
				}
			}
		}
		after := w.mustExecute("aud", `query($id: ID!) { case(id: $id) { status decisions { actor
			{ name } verdict } } }`, "id", id)
		if decided, _ := after.at("case", "decisions").([]any); taken != 1 || len(decided) != 1 ||
			after.text("case", "status") != "IN_REVIEW" {
			t.Errorf("round %d: %d approvals accepted, refused with %s: %+v", round, taken,
				strings.Join(refused, ", "), after.Data)
		}
	}
}
