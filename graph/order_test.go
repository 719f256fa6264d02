package graph

import (
	"fmt"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/internal/einvoice"
)

const orderShownToAll = `revision payer payee account bic country amount { amount currency } purpose reference
	covered restated restatable earlierValues { field values acceptedBy { name } }
	comparison { field order document differs covered } possibleGrounds
	grounds { number kind state confirmable explanation statedBy { name } confirmedBy { name } confirmedAt }
	onEvidence { others { reference amount { amount currency } passed } sum { amount currency } supported { amount currency } exceeded }`

const orderOfCase = `query($id: ID!) { case(id: $id) { id version status amount { amount currency }
	amountAtRisk { amount currency } findings { rule severity } openReview { id version status }
	order { ` + orderShownToAll + ` } } }`

const reviewAnswer = `{ review { id version status case { status findings { rule }
	order { ` + orderShownToAll + ` } } }
	userErrors { __typename ... on Refusal { code message remedy field values { name value } } } }`

// order returns an order that pays the e-invoices of these tests.
func order(amount, reference string) map[string]any {
	return map[string]any{"payer": "Kunde AG", "payee": "Muster Werke GmbH",
		"account": einvoice.Account, "country": "DE", "purpose": "invoice", "reference": reference,
		"amount": map[string]any{"amount": amount, "currency": "EUR"}}
}

// sendOrder submits an order with an e-invoice over the total.
func (w *testEnv) sendOrder(by, total string, order map[string]any, key string) result {
	w.t.Helper()
	input := map[string]any{"process": "cross_border_remittance", "documentType": "remittance",
		"order": order}
	if key != "" {
		input["idempotencyKey"] = key
	}
	return w.upload(by, submitMutation, input, "%PDF-1.7\n"+total+"\n")
}

// mustOrder is sendOrder until the case waits for a person.
func (w *testEnv) mustOrder(by, total string, order map[string]any) (id string) {
	w.t.Helper()
	answer := w.sendOrder(by, total, order, "")
	if id = answer.text("submitDocument", "case", "id"); id == "" {
		w.t.Fatalf("not submitted: %+v", answer)
	}
	w.runPending()
	return id
}

func (w *testEnv) orderOf(by, id string) result {
	w.t.Helper()
	return w.mustExecute(by, orderOfCase, "id", id)
}

// onReview sends a mutation on the open review of the case.
func (w *testEnv) onReview(by, id, name, kind string, more map[string]any) result {
	w.t.Helper()
	input := map[string]any{"reviewId": w.openReviewOf(id)}
	for key, value := range more {
		input[key] = value
	}
	return w.mustExecute(by, `mutation($in: `+kind+`!) { done: `+name+`(input: $in) `+
		reviewAnswer+` }`, "in", input)
}

// openReviewOf reads the review as the manager mia, who may read every case.
func (w *testEnv) openReviewOf(id string) string {
	w.t.Helper()
	review := w.orderOf("mia", id).text("case", "openReview", "id")
	if review == "" {
		w.t.Fatalf("case %s has no open review", id)
	}
	return review
}

func (w *testEnv) stateGround(by, id, kind string) result {
	return w.onReview(by, id, "stateOrderGround", "StateOrderGroundInput", map[string]any{
		"ground": map[string]any{"kind": kind, "explanation": "as agreed"}})
}

func (w *testEnv) confirmGround(by, id string, number int) result {
	return w.onReview(by, id, "confirmOrderGround", "ConfirmOrderGroundInput",
		map[string]any{"ground": number})
}

func (w *testEnv) decideOrder(by, id, decision, reason string) result {
	more := map[string]any{"decision": decision}
	if reason != "" {
		more["reason"] = reason
	}
	return w.onReview(by, id, "decideReview", "DecideReviewInput", more)
}

func (w *testEnv) releaseOrder(by, id string) {
	w.t.Helper()
	w.onReview(by, id, "releaseReview", "ReleaseReviewInput", nil)
}

func wantRefusal(t *testing.T, answer result, code, field string) {
	t.Helper()
	if answer.text("done", "userErrors", 0, "code") != code ||
		field != "" && answer.text("done", "userErrors", 0, "field") != field {
		t.Errorf("want %s of %q: %+v", code, field, answer.at("done", "userErrors"))
	}
}

func wantDone(t *testing.T, answer result) {
	t.Helper()
	if refusals, _ := answer.at("done", "userErrors").([]any); len(refusals) > 0 {
		t.Fatalf("refused: %+v", refusals)
	}
}

func newOrderEnv(t *testing.T) *testEnv {
	w := newTestEnv(t)
	w.knowSeller()
	w.person("sam", domain.RoleSubmitter)
	w.person("sue", domain.RoleSubmitter)
	w.person("ann", domain.RoleL1)
	w.person("ben", domain.RoleL1)
	w.person("mia", domain.RoleManager)
	return w
}

// An order over another amount than the document is stopped until one person has stated a ground
// and another has confirmed it; the order says at every step what it needs.
func TestGroundOfAnOrderOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	id := w.mustOrder("sam", "1000.00", order("600.00", "P-1"))
	found := w.orderOf("ann", id)
	if found.at("case", "order", "covered") != false ||
		found.text("case", "amount", "amount") != "600.00" ||
		found.text("case", "amountAtRisk", "amount") != "1000.00" ||
		found.text("case", "order", "comparison", 0, "document", 0) != "1000.00 EUR" {
		t.Fatalf("the order is %+v", found.Data)
	}
	possible := fmt.Sprint(found.at("case", "order", "possibleGrounds"))
	if possible != "[PART_PAYMENT CHARGES]" {
		t.Errorf("possible grounds %s", possible)
	}
	wantRefusal(t, w.stateGround("ann", id, "PART_PAYMENT"), "NotClaimedByYou", "")
	claim(w, "ann", w.openReviewOf(id))
	wantRefusal(t, w.stateGround("ann", id, "SEVERAL_INVOICES"), "InvalidInput", "ground.kind")
	stated := w.stateGround("ann", id, "PART_PAYMENT")
	wantDone(t, stated)
	ground := func(r result, name string) any {
		return r.at("done", "review", "case", "order", "grounds", 0, name)
	}
	if ground(stated, "state") != "STATED" || ground(stated, "confirmable") != false ||
		stated.at("done", "review", "case", "order", "covered") != false {
		t.Errorf("after the statement: %+v", stated.Data)
	}
	wantRefusal(t, w.confirmGround("ann", id, 1), "FourEyes", "")
	wantRefusal(t, w.decideOrder("ann", id, "APPROVE", ""), "OrderUnsupported", "")
	w.releaseOrder("ann", id)
	if seen := w.orderOf("ben", id); seen.at("case", "order", "grounds", 0,
		"confirmable") != true {
		t.Errorf("the other reviewer sees %+v", seen.at("case", "order", "grounds"))
	}
	wantRefusal(t, w.confirmGround("ben", id, 1), "NotClaimedByYou", "")
	claim(w, "ben", w.openReviewOf(id))
	wantRefusal(t, w.confirmGround("ben", id, 2), "InvalidInput", "ground")
	confirmed := w.confirmGround("ben", id, 1)
	wantDone(t, confirmed)
	if ground(confirmed, "state") != "CONFIRMED" || confirmed.at("done", "review", "case", "order",
		"covered") != true || confirmed.text("done", "review", "case", "order", "grounds", 0,
		"confirmedBy", "name") != "ben" {
		t.Errorf("after the confirmation: %+v", confirmed.Data)
	}
	wantRefusal(t, w.confirmGround("ben", id, 1), "StateMismatch", "")
	own := w.orderOf("sam", id)
	if grounds := own.at("case", "order", "grounds").([]any); len(grounds) > 0 ||
		own.at("case", "order", "onEvidence") != nil ||
		len(own.at("case", "order", "possibleGrounds").([]any)) > 0 {
		t.Errorf("the submitter sees %+v", own.at("case", "order"))
	}
	wantDone(t, w.decideOrder("ben", id, "APPROVE", ""))
	w.runPending()
	if after := w.orderOf("mia", id); after.text("case", "status") != "ARCHIVED" {
		t.Errorf("the case is %s", after.text("case", "status"))
	}
}

// A returned order is restated by its submitter; the earlier amount counts until a reviewer accepts
// the new one. A ground lapses with the difference that it explained.
func TestOrderIsRestatedOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	first := order("700000.00", "P-1")
	id := w.mustOrder("sam", "1000000.00", first)
	claim(w, "mia", w.openReviewOf(id))
	wantDone(t, w.stateGround("mia", id, "PART_PAYMENT"))
	restate := func(by string, order map[string]any, key string) result {
		return w.mustExecute(by, `mutation($in: RestateOrderInput!) { done:
			restateOrder(input: $in) { case { id version order { `+orderShownToAll+` } }
			userErrors { __typename ... on Refusal { code message field } } } }`,
			"in", map[string]any{"caseId": id, "order": order, "idempotencyKey": key})
	}
	wantRefusal(t, restate("sam", order("900000.00", "P-1"), "a"), "StateMismatch", "")
	wantDone(t, w.decideOrder("mia", id, "RETURN", "which amount?"))
	w.runPending()
	if seen := w.orderOf("sam", id); seen.at("case", "order", "restatable") != true {
		t.Errorf("the submitter of a returned case sees %+v", seen.at("case", "order"))
	}
	if seen := w.orderOf("mia", id); seen.at("case", "order", "restatable") != false {
		t.Error("a manager could restate the order")
	}
	wantRefusal(t, restate("sue", order("900000.00", "P-1"), "b"), "NotFound", "")
	wantRefusal(t, restate("sam", order("900000.00", "P-2"), "c"), "InvalidInput",
		"order.reference")
	again := order("900000.00", "P-1")
	again["ground"] = map[string]any{"kind": "OTHER_PAYEE", "explanation": "mine"}
	wantRefusal(t, restate("sam", again, "d"), "InvalidInput", "ground.kind")
	done := restate("sam", order("900000.00", "P-1"), "e")
	wantDone(t, done)
	repeated := restate("sam", order("900000.00", "P-1"), "e")
	wantDone(t, repeated)
	if of := func(r result) any { return r.at("done", "case", "order", "revision") }; fmt.Sprint(
		of(done), of(repeated)) != "2 2" {
		t.Errorf("the repeated command: revisions %v and %v", of(done), of(repeated))
	}
	wantRefusal(t, restate("sam", order("900001.00", "P-1"), "e"), "IdempotencyMismatch", "")
	wantDone(t, w.mustExecute("sam", `mutation($id: ID!) { done: resubmitCase(input: {caseId: $id,
		comment: "see order"}) { userErrors { ... on Refusal { code } } } }`, "id", id))
	w.runPending()
	seen := w.orderOf("mia", id)
	if seen.text("case", "order", "earlierValues", 0, "field") != "total" ||
		seen.text("case", "order", "earlierValues", 0, "values", 0) != "700000.00 EUR" ||
		seen.text("case", "order", "grounds", 0, "state") != "LAPSED" {
		t.Errorf("the restated order is %+v", seen.at("case", "order"))
	}
	claim(w, "mia", w.openReviewOf(id))
	accepted := w.onReview("mia", id, "acceptOrder", "AcceptOrderInput", nil)
	wantDone(t, accepted)
	if left := accepted.at("done", "review", "case", "order", "earlierValues"); len(
		left.([]any)) > 0 {
		t.Errorf("after the acceptance: %+v", left)
	}
	wantRefusal(t, w.onReview("mia", id, "acceptOrder", "AcceptOrderInput", nil), "StateMismatch",
		"")
}

// Another account counts after two reviewers have accepted it; the order names the first.
func TestRestatedAccountNamesWhoAccepted(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	id := w.mustOrder("sam", "717.97", order("700.00", "P-1"))
	claim(w, "ann", w.openReviewOf(id))
	wantDone(t, w.decideOrder("ann", id, "RETURN", "which account?"))
	other := order("717.97", "P-1")
	other["account"] = "GB29NWBK60161331926819"
	wantDone(t, w.mustExecute("sam", `mutation($in: RestateOrderInput!) { done:
		restateOrder(input: $in) { userErrors { ... on Refusal { code message } } } }`,
		"in", map[string]any{"caseId": id, "order": other}))
	wantDone(t, w.mustExecute("sam", `mutation($id: ID!) { done: resubmitCase(input: {caseId: $id,
		comment: "see order"}) { userErrors { ... on Refusal { code } } } }`, "id", id))
	w.runPending()
	claim(w, "ann", w.openReviewOf(id))
	wantDone(t, w.onReview("ann", id, "acceptOrder", "AcceptOrderInput", nil))
	seen := w.orderOf("ben", id)
	account := seen.at("case", "order", "earlierValues", 0)
	if want := fmt.Sprintf("map[acceptedBy:[map[name:ann]] field:iban values:[%s]]",
		einvoice.Account); fmt.Sprint(account) != want {
		t.Errorf("the account is %v, want %v", account, want)
	}
	own := w.orderOf("sam", id)
	if by := own.at("case", "order", "earlierValues", 0, "acceptedBy"); len(by.([]any)) > 0 {
		t.Errorf("the submitter sees %v", by)
	}
}

// Refused orders name their fields; a submission that is repeated with its key is one order.
func TestOrderIsRefusedByField(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	bad := order("-5", "P-1")
	bad["account"], bad["bic"], bad["country"] = "DE89370400440532013001", "12", "Atlantis"
	answer := w.sendOrder("sam", "1000.00", bad, "")
	var fields []string
	for i := range answer.at("submitDocument", "userErrors").([]any) {
		fields = append(fields, answer.text("submitDocument", "userErrors", i, "field"))
	}
	slices.Sort(fields)
	if want := []string{"order.account", "order.amount", "order.bic",
		"order.country"}; !slices.Equal(fields, want) {
		t.Errorf("refused %v, want %v", fields, want)
	}
	first := w.sendOrder("sam", "1000.00", order("1000.00", "P-1"), "k")
	repeated := w.sendOrder("sam", "1000.00", order("1000.00", "P-1"), "k")
	id := first.text("submitDocument", "case", "id")
	if id == "" || repeated.text("submitDocument", "case", "id") != id {
		t.Errorf("first %+v, repeated %+v", first, repeated)
	}
	if other := w.sendOrder("sam", "1000.00", order("999.00", "P-1"), "k"); other.text(
		"submitDocument", "userErrors", 0, "code") != "IdempotencyMismatch" {
		t.Errorf("another order under the key: %+v", other.Data)
	}
	used := w.sendOrder("sue", "2000.00", order("2000.00", " p-1 "), "")
	if used.text("submitDocument", "userErrors", 0, "field") != "order.reference" {
		t.Errorf("the same reference: %+v", used.Data)
	}
	payee := order("600.00", "P-2")
	payee["ground"] = map[string]any{"kind": "OTHER_PAYEE", "explanation": "mine"}
	if refused := w.sendOrder("sam", "1000.00", payee, ""); refused.text("submitDocument",
		"userErrors", 0, "field") != "ground.kind" {
		t.Errorf("a payee ground of the submitter: %+v", refused.Data)
	}
}

// Two part payments over the sum of one document: the order names the other, and the second is
// refused.
func TestOrdersOnOneDocumentOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	var ids []string
	for i, by := range []string{"sam", "sue"} {
		in := order("600.00", fmt.Sprint("P-", i))
		in["ground"] = map[string]any{"kind": "PART_PAYMENT", "explanation": "a part"}
		ids = append(ids, w.mustOrder(by, "1000.00", in))
	}
	seen := w.orderOf("ann", ids[1])
	on := func(path ...any) any {
		return seen.at(append([]any{"case", "order", "onEvidence"}, path...)...)
	}
	if on("exceeded") != true || on("sum", "amount") != "1200.00" ||
		on("supported", "amount") != "1000.00" || len(on("others").([]any)) != 1 {
		t.Errorf("the orders on the document are %+v", on())
	}
	for i, by := range []string{"ann", "ben"} {
		claim(w, by, w.openReviewOf(ids[i]))
		wantDone(t, w.confirmGround(by, ids[i], 1))
	}
	overriding := func(rules ...string) map[string]any {
		var overrides []any
		for _, rule := range rules {
			overrides = append(overrides, map[string]any{"rule": rule, "reason": "a part each"})
		}
		return map[string]any{"decision": "APPROVE", "overrides": overrides}
	}
	wantDone(t, w.onReview("ann", ids[0], "decideReview", "DecideReviewInput",
		overriding("order_sum")))
	w.runPending()
	wantRefusal(t, w.onReview("ben", ids[1], "decideReview", "DecideReviewInput",
		overriding("duplicate_bytes", "duplicate_number")), "OrderUnsupported", "")
}

// The definition says whether a process accepts orders.
func TestDefinitionNamesItsOrderDocumentType(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	found := w.mustExecute("sam", `{ processDefinitions(first: 20, filter: {newest: true}) {
		nodes { key orderDocumentType } } }`)
	for i := range found.at("processDefinitions", "nodes").([]any) {
		key := found.text("processDefinitions", "nodes", i, "key")
		want := ""
		if key == "cross_border_remittance" {
			want = "remittance"
		}
		if got := found.text("processDefinitions", "nodes", i, "orderDocumentType"); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
