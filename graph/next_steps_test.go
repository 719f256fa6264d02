package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
	"countersign/views"
)

const nextOfCase = `query($id: ID!) { case(id: $id) { status next { kind sentence by late stage
	attempt queue reviewId who { name } } } }`

// namesIn returns the names of a list of people.
func namesIn(list any) []string {
	people, _ := list.([]any)
	found := []string{}
	for _, person := range people {
		name, _ := person.(map[string]any)["name"].(string)
		found = append(found, name)
	}
	slices.Sort(found)
	return found
}

func TestNextStepsOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("max", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "90000.00")
	want := func(by, kind, stage string, who ...string) {
		t.Helper()
		got := w.mustExecute(by, nextOfCase, "id", id)
		if got.text("case", "next", "kind") != kind || got.text("case", "next", "stage") != stage ||
			!slices.Equal(namesIn(got.at("case", "next", "who")), append([]string{}, who...)) ||
			got.text("case", "next", "sentence") == "" {
			t.Errorf("%s sees %+v, want %s %s by %v", by, got.at("case", "next"), kind, stage, who)
		}
		if by == "sam" && (got.at("case", "next", "queue") != nil ||
			got.at("case", "next", "reviewId") != nil) {
			t.Errorf("a submitter sees the queue of the review: %+v", got.at("case", "next"))
		}
	}
	want("sam", "STAGE", "read")
	want("ma", "STAGE", "read")
	w.runPending()
	want("sam", "IN_REVIEW", "")
	want("ma", "REVIEW_OPEN", "", "lea", "ma", "max")
	if got := w.mustExecute("sam", nextOfCase, "id", id); got.text("case", "next", "by") == "" ||
		got.at("case", "next", "late") != false {
		t.Errorf("by when: %+v", got.Data)
	}
	review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
	claim(w, "lea", review)
	want("ma", "REVIEW_CLAIMED", "", "lea")
	want("sam", "IN_REVIEW", "")
	decide(w, "lea", review, "", "RETURN", "the page is cut off")
	want("ma", "RESUBMIT", "", "sam")
	want("sam", "RESUBMIT", "")
	wantReturned(t, w, 1, 0)
	w.mustExecute("sam", `mutation($id: ID!) { resubmitCase(input: {caseId: $id, comment:
		"it is not"}) { case { id } userErrors { __typename } } }`, "id", id)
	w.runPending()
	wantReturned(t, w, 0, 0)
	review = w.mustExecute("max", reviewOfCase, "id", id).text("case", "openReview", "id")
	people := w.mustExecute("ma", `{ people(role: REVIEWER_L1) { id name } }`)
	w.mustExecute("ma", `mutation($input: ReassignReviewsInput!) { reassignReviews(input: $input)
		{ userErrors { __typename } } }`,
		"input", map[string]any{"reviewIds": []string{review},
			"to": people.text("people", 1, "id")})
	want("ma", "REVIEW_ASSIGNED", "", people.text("people", 1, "name"))
	by := people.text("people", 1, "name")
	claim(w, by, review)
	decide(w, by, review, "", "APPROVE", "")
	w.runPending()
	want("sam", "FINISHED", "")
	want("ma", "FINISHED", "")
	id = w.submit("sam", "damaged")
	w.runPending()
	want("ma", "INCIDENT", "read", "ma", "sam")
	want("sam", "INCIDENT", "read")
}

// A list with next steps and eligible people takes the same number of statements whatever its
// length.
func TestNextStepsStatementsDoNotGrowWithLength(t *testing.T) {
	t.Parallel()
	m := pgmeter.New(t, pgtest.New(t).AppURL)
	w := newTestEnvOn(t, m.URL)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	for i := range 20 {
		w.submit("sam", fmt.Sprintf("%d.00", 90_000+i))
	}
	w.runPending()
	const list = `query($first: Int!) { cases(first: $first) { nodes { reference next { kind by
		who { name } } fieldForm { name needsPerson findings { rule } } } } }`
	w.mustExecute("ma", list, "first", 1)
	took := map[int]int64{}
	// The fewest of three reads count: what is cached for a time, such as the policy, may be read again.
	for _, first := range []int{1, 20, 1, 20, 1, 20} {
		before := m.Executed()
		got := w.mustExecute("ma", list, "first", first)
		took[first] = min(m.Executed()-before, cmp.Or(took[first], math.MaxInt64))
		if who := namesIn(got.at("cases", "nodes", first-1, "next", "who")); !slices.Equal(who,
			[]string{"lea", "ma"}) {
			t.Errorf("who can act: %v", who)
		}
	}
	t.Logf("statements: %v", took)
	if took[1] != took[20] {
		t.Errorf("1 case took %d statements, 20 took %d", took[1], took[20])
	}
}

func TestFieldForm(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("ma", domain.RoleManager)
	w.submit("sam", "90000.00")
	w.runPending()
	duplicate := w.submit("sam", "90000.00") // same number and vendor
	w.runPending()
	broken := w.submit("sam", "damaged")
	w.runPending()
	const form = `query($id: ID!) { case(id: $id) { fieldForm { name type required needsPerson
		doubts field { normalised } findings { rule } } chain { head length } } }`
	line := func(got result, name string) map[string]any {
		t.Helper()
		for _, entry := range got.at("case", "fieldForm").([]any) {
			if entry.(map[string]any)["name"] == name {
				return entry.(map[string]any)
			}
		}
		t.Fatalf("there is no field %s", name)
		return nil
	}
	got := w.mustExecute("ma", form, "id", duplicate)
	if len(got.at("case", "fieldForm").([]any)) != len(domain.FieldNames()) {
		t.Errorf("the form: %+v", got.Data)
	}
	if number := line(got, "number"); number["needsPerson"] != true ||
		fmt.Sprint(number["doubts"]) != "[FINDING]" || number["required"] != true {
		t.Errorf("a number that was submitted before: %+v", number)
	}
	if total := line(got, "total"); total["type"] != "MONEY" ||
		total["field"].(map[string]any)["normalised"] != "90000.00" {
		t.Errorf("the total: %+v", total)
	}
	for name, kind := range map[string]string{"date": "DATE", "iban": "IBAN",
		"currency": "CURRENCY", "vat_id": "VAT_ID", "country": "COUNTRY", "vendor": "TEXT"} {
		if line(got, name)["type"] != kind {
			t.Errorf("%s is %v", name, line(got, name)["type"])
		}
	}
	if got.text("case", "chain", "head") == "" || got.text("case", "chain", "length") == "0" {
		t.Errorf("the chain: %+v", got.at("case", "chain"))
	}
	mine := w.mustExecute("sam", form, "id", duplicate)
	if number := line(mine, "number"); len(number["findings"].([]any)) != 0 ||
		number["needsPerson"] != false || mine.at("case", "chain") != nil {
		t.Errorf("the submitter sees %+v %+v", number, mine.at("case", "chain"))
	}
	for _, name := range []string{"vendor", "number", "date", "total"} {
		if missing := line(w.mustExecute("sam", form, "id", broken),
			name); fmt.Sprint(missing["doubts"]) != "[MISSING]" || missing["field"] != nil {
			t.Errorf("a field without a value: %+v", missing)
		}
	}
}

func TestEveryRefusedActionIsExplained(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("max", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "90000.00")
	large := w.submit("sam", "900000.00")
	w.runPending()
	const parts = `{ allowed rule sentence code remedy policyVersion values { name value } who {
		name } }`
	const buttons = `query($id: ID!) { review(id: $id) { claim: explain(action: CLAIM) ` + parts +
		` decide: explain(action: DECIDE) ` + parts +
		` reassign: explain(action: REASSIGN) ` + parts + ` release: explain(action: RELEASE) ` +
		parts + ` } }`
	review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
	open := w.mustExecute("lea", buttons, "id", review)
	if open.at("review", "claim", "allowed") != true || open.at("review", "claim", "code") != nil ||
		open.text("review", "decide", "code") != "NotClaimedByYou" ||
		open.text("review", "reassign", "code") != "NotPermitted" ||
		!slices.Equal(namesIn(open.at("review", "reassign", "who")), []string{"ma"}) {
		t.Errorf("an open review: %+v", open.at("review"))
	}
	claim(w, "max", review)
	claimed := w.mustExecute("lea", buttons, "id", review)
	if claimed.text("review", "claim", "code") != "AlreadyClaimed" ||
		claimed.text("review", "claim", "values", 0, "name") != "holder" ||
		claimed.text("review", "claim", "values", 0, "value") != "max" ||
		claimed.text("review", "decide", "values", 0, "value") != "max" {
		t.Errorf("a claimed review: %+v", claimed.at("review"))
	}
	beyond := w.mustExecute("ma", reviewOfCase, "id", large).text("case", "openReview", "id")
	limited := w.mustExecute("lea", buttons, "id", beyond)
	if limited.text("review", "claim", "code") != "ApprovalLimitExceeded" ||
		len(limited.at("review", "claim", "values").([]any)) != 2 ||
		!slices.Equal(namesIn(limited.at("review", "claim", "who")), []string{"ma"}) {
		t.Errorf("above the limit: %+v", limited.at("review", "claim"))
	}
	refused := claim(w, "lea", beyond)
	if refused.text("claimReview", "userErrors", 0, "code") != "ApprovalLimitExceeded" {
		t.Errorf("claimed above the limit: %+v", refused.Data)
	}
	values := w.mustExecute("lea", `mutation($id: ID!) { claimReview(input: {reviewId: $id}) {
		userErrors { ... on Refusal { code values { name value } } } } }`, "id", beyond)
	if len(values.at("claimReview", "userErrors", 0, "values").([]any)) != 2 {
		t.Errorf("the values of a refusal: %+v", values.Data)
	}
	if got := w.mustExecute("sam", buttons, "id", review); got.at("review") != nil {
		t.Errorf("a submitter sees the review: %+v", got.Data)
	}
	const ways = `query($id: ID!) { case(id: $id) { retry: explain(action: RETRY) { allowed code values { name value } who { name } }
		replace: explain(action: REPLACE_DOCUMENT) { allowed code who { name } } abandon: explain(action: ABANDON) { allowed who { name } } } }`
	own := w.mustExecute("sam", ways, "id", id)
	if own.at("case", "replace", "allowed") != true ||
		own.text("case", "retry", "code") != "StateMismatch" ||
		own.text("case", "retry", "values", 0, "value") != "in_review" ||
		len(own.at("case", "abandon", "who").([]any)) != 0 {
		t.Errorf("one's own document: %+v", own.Data)
	}
	if got := w.mustExecute("ma", ways, "id", id); got.text("case", "replace",
		"code") != "NotPermitted" || !slices.Equal(namesIn(got.at("case", "abandon", "who")),
		[]string{"ma", "sam"}) {
		t.Errorf("the manager: %+v", got.Data)
	}
}

// A draft is visible to its author only, also after another reviewer has claimed the review.
func TestDraftIsVisibleToItsAuthorOnly(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("max", domain.RoleL1)
	id := w.submit("sam", "90000.00")
	w.runPending()
	review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
	const save = `mutation($id: ID!, $draft: JSON!) { saveDraft(input: {reviewId: $id, draft:
		$draft}) { review { draft } userErrors { __typename } } }`
	const read = `query($id: ID!) { review(id: $id) { draft } }`
	claim(w, "lea", review)
	w.mustExecute("lea", save, "id", review, "draft", map[string]any{"reason": "half a thought"})
	if got := w.mustExecute("lea", read, "id", review); got.text("review", "draft",
		"reason") != "half a thought" {
		t.Errorf("the author reads %+v", got.Data)
	}
	if got := w.mustExecute("max", read, "id", review); got.at("review", "draft") != nil {
		t.Errorf("a colleague reads %+v", got.Data)
	}
	if got := w.mustExecute("max", save, "id", review, "draft", 1); got.text("saveDraft",
		"userErrors", 0, "__typename") != "NotClaimedByYou" {
		t.Errorf("a colleague writes: %+v", got.Data)
	}
	w.mustExecute("lea", `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) { userErrors
		{ __typename } } }`, "id", review)
	claim(w, "max", review)
	if got := w.mustExecute("max", read, "id", review); got.at("review", "draft") != nil {
		t.Errorf("the next assignee reads %+v", got.Data)
	}
	w.mustExecute("max", `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) { userErrors
		{ __typename } } }`, "id", review)
	claim(w, "lea", review)
	if got := w.mustExecute("lea", read, "id", review); got.text("review", "draft",
		"reason") != "half a thought" {
		t.Errorf("the author reads after claiming again: %+v", got.Data)
	}
}

// wantReturned checks the counter of returned cases of the submitter and of the reviewer.
func wantReturned(t *testing.T, w *testEnv, submitter, reviewer int64) {
	t.Helper()
	reading := views.New(w.db.Reader(), w.service.Authorizer)
	for by, want := range map[string]int64{"sam": submitter, "lea": reviewer} {
		if got, err := reading.Counters(t.Context(), w.actor(by)); err != nil || got.Returned != want {
			t.Errorf("%d cases were returned to %s, want %d: %v", got.Returned, by, want, err)
		}
	}
}
