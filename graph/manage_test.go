package graph

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/pgtest"
)

func TestManagerListsAllReviewsByDeadline(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	w := newTestEnvOn(t, database.AppURL)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	for i := range 4 {
		w.submit("sam", fmt.Sprintf("%d.00", 90_000+i))
		w.runPending()
	}
	claimed := w.mustExecute("lea", `mutation { claimNextReview(input: {}) { review { id }
		userErrors { __typename } } }`).text("claimNextReview", "review", "id")
	const list = `query($filter: ReviewFilter) { reviews(first: 10, filter: $filter) { totalCount
		nodes { id overdue atRisk decideBy assignee { id name } } } queues(all: true) { name
		available assigned claimed overdue atRisk } }`
	all := w.mustExecute("ma", list, "filter", map[string]any{"all": true})
	if all.at("reviews", "totalCount") != float64(4) ||
		all.at("reviews", "nodes", 0, "overdue") != false ||
		all.at("reviews", "nodes", 0, "atRisk") != false ||
		all.at("queues", 0, "available") != float64(3) ||
		all.at("queues", 0, "claimed") != float64(1) || all.text("queues", 0, "name") != "L1" {
		t.Errorf("all: %+v", all.Data)
	}
	order := []string{}
	holder := ""
	for i := range 4 {
		order = append(order, all.text("reviews", "nodes", i, "decideBy"))
		if all.text("reviews", "nodes", i, "id") == claimed {
			holder = all.text("reviews", "nodes", i, "assignee", "id")
		}
	}
	if !slices.IsSorted(order) || holder == "" {
		t.Errorf("order %v, held by %q", order, holder)
	}
	if got := w.mustExecute("ma", list, "filter",
		map[string]any{"all": true, "assignee": holder}); got.at("reviews",
		"totalCount") != float64(1) || got.text("reviews", "nodes", 0, "id") != claimed {
		t.Errorf("of one person: %+v", got.Data)
	}
	for _, by := range []string{"lea", "sam"} {
		for _, query := range []string{`{ reviews(filter: {all: true}) { totalCount } }`,
			`{ queues(all: true) { name } }`} {
			if got := w.execute(by, query); len(got.Errors) != 1 ||
				got.Errors[0].Extensions["code"] != "NotPermitted" {
				t.Errorf("%s asks %s: %+v", by, query, got)
			}
		}
	}
	if got := w.mustExecute("lea", `{ queues { name available claimed } }`); got.text("queues", 0,
		"name") != "L1" || got.at("queues", 0, "available") != float64(3) ||
		got.at("queues", 0, "claimed") != float64(1) {
		t.Errorf("one's own queues: %+v", got.Data)
	}
	turn := func(by time.Duration) {
		t.Helper()
		_, err := database.Owner(t).Exec(t.Context(), fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
			AS 'SELECT clock_timestamp() + interval ''%d seconds'''`, int(by.Seconds())))
		must(t, err)
	}
	turn(3 * time.Hour) // the claim time of two hours has passed
	risk := w.mustExecute("ma", list, "filter", map[string]any{"all": true, "due": "AT_RISK"})
	if risk.at("reviews", "totalCount") != float64(3) ||
		risk.at("reviews", "nodes", 0, "atRisk") != true ||
		risk.at("queues", 0, "atRisk") != float64(3) {
		t.Errorf("at risk: %+v", risk.Data)
	}
	if got := w.mustExecute("ma", list, "filter",
		map[string]any{"all": true, "due": "OVERDUE"}); got.at("reviews", "totalCount") != float64(
		0) {
		t.Errorf("overdue too early: %+v", got.Data)
	}
	turn(25 * time.Hour)
	late := w.mustExecute("ma", list, "filter", map[string]any{"all": true, "due": "OVERDUE"})
	if late.at("reviews", "totalCount") != float64(4) ||
		late.at("reviews", "nodes", 3, "overdue") != true ||
		late.at("reviews", "nodes", 3, "atRisk") != false {
		t.Errorf("overdue: %+v", late.Data)
	}
}

func TestIncidentsByTheirCause(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("eve", domain.RoleSubmitter)
	w.person("ma", domain.RoleManager)
	w.person("aud", domain.RoleAuditor)
	for range 5 {
		w.submit("sam", "damaged")
		w.runPending()
	}
	const page = `query($after: Cursor, $filter: IncidentFilter) { incidents(first: 2, after:
		$after, filter: $filter) { edges { cursor } nodes { id actions case { submitter { name } }
		} pageInfo { hasNextPage endCursor } } }`
	listed := map[string]bool{}
	after := any(nil)
	for pages := 0; ; pages++ {
		got := w.mustExecute("ma", page, "after", after)
		for i := range got.at("incidents", "nodes").([]any) {
			listed[got.text("incidents", "nodes", i, "id")] = true
			if actions := fmt.Sprint(got.at("incidents", "nodes", i,
				"actions")); actions != "[RETRY ENTER_FIELDS ABANDON]" {
				t.Errorf("a manager may do %s", actions)
			}
		}
		if got.at("incidents", "pageInfo", "hasNextPage") != true {
			if pages != 2 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
		after = got.at("incidents", "pageInfo", "endCursor")
	}
	if len(listed) != 5 {
		t.Errorf("%d incidents were listed", len(listed))
	}
	groups := w.mustExecute("ma", `{ incidentGroups { code node message count oldest newest } }`)
	if list := groups.at("incidentGroups").([]any); len(list) != 1 ||
		groups.text("incidentGroups", 0, "code") != "DamagedFile" ||
		groups.at("incidentGroups", 0, "count") != float64(5) ||
		groups.text("incidentGroups", 0, "oldest") >= groups.text("incidentGroups", 0, "newest") {
		t.Errorf("groups: %+v", groups.Data)
	}
	for filter, want := range map[string]int{"DamagedFile": 2, "TimedOut": 0} {
		if got := w.mustExecute("ma", page, "filter",
			map[string]any{"code": filter}); len(got.at("incidents", "nodes").([]any)) != want {
			t.Errorf("%s: %+v", filter, got.Data)
		}
	}
	if got := w.mustExecute("sam", page); fmt.Sprint(got.at("incidents", "nodes", 0,
		"actions")) != "[RETRY REPLACE_DOCUMENT ENTER_FIELDS ABANDON]" {
		t.Errorf("the submitter: %+v", got.Data)
	}
	if got := w.mustExecute("aud", page); len(got.at("incidents", "nodes", 0,
		"actions").([]any)) != 0 {
		t.Errorf("the auditor: %+v", got.Data)
	}
	if got := w.mustExecute("eve", `{ incidents { nodes { id } } incidentGroups { count } }`); len(
		got.at("incidents", "nodes").([]any))+len(got.at("incidentGroups").([]any)) != 0 {
		t.Errorf("another submitter: %+v", got.Data)
	}
	for _, wrong := range []string{"x", makeCursor("c", domain.NewID())} {
		if got := w.execute("ma", page, "after", wrong); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["code"] != "InvalidInput" {
			t.Errorf("cursor %q: %+v", wrong, got)
		}
	}
}

func TestPeopleAndTheirPermissions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ada", domain.RoleAdmin)
	w.person("ma", domain.RoleManager)
	w.submit("sam", "90000.00")
	w.runPending()
	w.mustExecute("lea", `mutation { claimNextReview(input: {}) { review { id } } }`)
	const list = `query($role: Role) { people(role: $role) { name email roles queues disabled
		openReviews limits { role action documentType amount { amount currency } } } }`
	got := w.mustExecute("ada", list, "role", "REVIEWER_L1")
	if len(got.at("people").([]any)) != 1 || got.at("people", 0, "openReviews") != float64(1) ||
		got.text("people", 0, "limits", 0, "amount", "amount") != "500000.00" ||
		got.text("people", 0, "limits", 0, "action") != "decide" {
		t.Errorf("a junior: %+v", got.Data)
	}
	if got := w.mustExecute("ada", list, "role", "MANAGER"); got.at("people", 0, "limits", 0,
		"role") != "MANAGER" || got.at("people", 0, "limits", 0, "amount") != nil {
		t.Errorf("a manager: %+v", got.Data)
	}
	if got := w.mustExecute("ma", list, "role", "REVIEWER_L1"); got.at("people", 0,
		"email") != nil || got.at("people", 0, "openReviews") != float64(1) {
		t.Errorf("a manager sees %+v", got.Data)
	}
	for _, by := range []string{"sam", "lea"} {
		if got := w.execute(by, list); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["code"] != "NotPermitted" {
			t.Errorf("%s: %+v", by, got)
		}
	}
	if mine := w.mustExecute("lea", `{ viewer { person { limits { amount { amount } } openReviews
		} } }`); mine.text("viewer", "person", "limits", 0, "amount", "amount") != "500000.00" || mine.at("viewer", "person", "openReviews") != nil {
		t.Errorf("oneself: %+v", mine.Data)
	}
}

// The pages of the audit trail contain every entry exactly once, and reading the trail is recorded.
func TestTheAuditTrailComesInPages(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("eve", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("aud", domain.RoleAuditor)
	id := w.submit("sam", "90000.00")
	w.runPending()
	review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
	decide(w, "lea", review, "", "APPROVE", "") // refused: not claimed
	claim(w, "lea", review)
	w.mustExecute("aud", `query($id: ID!) { auditTrail(caseId: $id, first: 1) { nodes { at } } }`,
		"id", id)
	w.service.Close(t.Context()) // writes the queued access log entries
	const page = `query($id: ID!, $first: Int!, $after: Cursor) { auditTrail(caseId: $id, first: $first, after: $after) {
		edges { cursor node { kind type seq code object at actor { name } status } } pageInfo { hasNextPage endCursor } } }`
	whole := w.mustExecute("aud", page, "id", id, "first", 100)
	all := whole.at("auditTrail", "edges").([]any)
	var walked []any
	after := any(nil)
	for more := true; more; {
		got := w.mustExecute("aud", page, "id", id, "first", 3, "after", after)
		walked = append(walked, got.at("auditTrail", "edges").([]any)...)
		more, after = got.at("auditTrail", "pageInfo", "hasNextPage") == true,
			got.at("auditTrail", "pageInfo", "endCursor")
	}
	if len(all) < 10 || fmt.Sprint(all) != fmt.Sprint(walked[:min(len(walked), len(all))]) {
		t.Errorf("walked %d entries\n%v\nof %d\n%v", len(walked), walked, len(all), all)
	}
	kinds := map[string]int{}
	for i := range all {
		node := func(name string) string {
			return whole.text("auditTrail", "edges", i, "node", name)
		}
		kinds[node("kind")+" "+node("type")+" "+node("object")+" "+node("code")]++
	}
	for _, want := range []string{"ACCESS decide  NotClaimedByYou", "ACCESS read audit trail ",
		"ACCESS read case ", "EVENT review.claimed  "} {
		if kinds[want] == 0 {
			t.Errorf("%q is missing in %v", want, kinds)
		}
	}
	for by, code := range map[string]string{"sam": "NotPermitted", "eve": "NotFound",
		"lea": "NotPermitted"} {
		if got := w.execute(by, page, "id", id, "first", 3); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["code"] != code {
			t.Errorf("%s: %+v", by, got)
		}
	}
	for _, wrong := range []string{"x", "dC0xLjAuMA"} {
		if got := w.execute("aud", page, "id", id, "first", 3, "after",
			wrong); len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != "InvalidInput" {
			t.Errorf("cursor %q: %+v", wrong, got)
		}
	}
}

// A review that left the queue is returned with its assignee, and an event with the names of its
// users.
func TestLateClaimNamesTheAssignee(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("max", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "90000.00")
	w.runPending()
	queue := overSocket(w, "lea", `subscription { reviewQueue { snapshot removed removedReviews { id status
		assignee { name } } totalCount } }`, nil)
	first := queue.next(t)
	review := w.mustExecute("max", reviewOfCase, "id", id).text("case", "openReview", "id")
	claim(w, "max", review)
	change := result{Data: queue.next(t)}
	if fmt.Sprint(result{Data: first}.at("reviewQueue", "snapshot")) != "true" ||
		change.text("reviewQueue", "removedReviews", 0, "assignee", "name") != "max" ||
		change.text("reviewQueue", "removedReviews", 0, "id") != review ||
		change.text("reviewQueue", "removed", 0) != review {
		t.Errorf("first %v, then %+v", first, change.Data)
	}
	people := w.mustExecute("ma", `{ people(text: "lea") { id } }`)
	w.mustExecute("ma", `mutation($input: ReassignReviewsInput!) { reassignReviews(input: $input)
		{ userErrors { __typename } } }`,
		"input", map[string]any{"reviewIds": []string{review},
			"to": people.text("people", 0, "id")})
	response := w.mustExecute("ma", `query($id: ID!) { case(id: $id) { lastEvents(last: 1) { type
		people { property person { name } } } } }`, "id", id)
	named := map[string]string{}
	for i := range response.at("case", "lastEvents", 0, "people").([]any) {
		named[response.text("case", "lastEvents", 0, "people", i, "property")] = response.text(
			"case", "lastEvents", 0, "people", i, "person", "name")
	}
	if response.text("case", "lastEvents", 0, "type") != "review.reassigned" ||
		named["from"] != "max" || named["to"] != "lea" {
		t.Errorf("the event: %+v", response.Data)
	}
}

func TestDocumentChannel(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	sam := w.person("sam", domain.RoleSubmitter)
	browser, program := sam, sam
	browser.SessionID, browser.Channel = domain.NewID(), domain.ChannelWeb
	program.TokenID, program.Channel = domain.NewID(), domain.ChannelAPI
	w.people.Store("browser", browser)
	w.people.Store("program", program)
	const submit = `mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) { case
		{ channel } userErrors { ... on Refusal { code field } } } }`
	for _, c := range []struct{ by, asked, want string }{{"browser", "", "WEB"},
		{"browser", "WEB", "WEB"}, {"browser", "MAIL", ""},
		{"program", "", "API"}, {"program", "CLI", "CLI"}, {"program", "FOLDER", "FOLDER"},
		{"program", "WEB", ""}} {
		input := map[string]any{}
		if c.asked != "" {
			input["channel"] = c.asked
		}
		got := w.upload(c.by, submit, input, "%PDF-1.7\n10.00\n"+c.by+c.asked)
		if got.text("submitDocument", "case", "channel") != c.want || c.want == "" &&
			got.text("submitDocument", "userErrors", 0, "field") != "channel" {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A command needs exactly one of a file and an upload.
func TestExactlyOneOfFileAndUpload(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	const submit = `mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) { case
		{ id } userErrors { ... on Refusal { code field message } } } }`
	for name, c := range map[string]struct {
		got  result
		code string
	}{
		"neither": {w.mustExecute("sam", submit, "input", map[string]any{}), "InvalidInput"},
		"both": {w.upload("sam", submit, map[string]any{"uploadId": domain.NewID().String()},
			"%PDF-1.7\n"), "InvalidInput"},
		"no id": {w.mustExecute("sam", submit, "input", map[string]any{"uploadId": "../x"}),
			"NotFound"},
		"of nothing": {w.mustExecute("sam", submit, "input",
			map[string]any{"uploadId": domain.NewID().String()}), "NotFound"},
	} {
		if c.got.text("submitDocument", "userErrors", 0, "code") != c.code ||
			c.got.at("submitDocument", "case") != nil {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}
