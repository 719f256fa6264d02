package graph

import (
	"testing"

	"countersign/domain"
)

func TestQueuesCalendarsAndSkillsAreSet(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	w.person("ada", domain.RoleAdmin)
	const calendar = `mutation($zone: String!) { setCalendar(input: {name: "office", zone: $zone, idempotencyKey: "c", holidays: ["2026-12-25"],
		hours: [{weekday: 1, from: "13:00", to: "24:00"}, {weekday: 1, from: "09:00", to: "12:30"}]}) {
		calendar { name } proposal { id before after } userErrors { __typename ... on Refusal { field } } } }`
	var proposed result
	for range 2 {
		proposed = w.mustExecute("ma", calendar, "zone", "Europe/Berlin")
		if proposed.text("setCalendar", "proposal", "after") !=
			"Europe/Berlin; Monday 09:00-12:30; Monday 13:00-24:00; 2026-12-25" ||
			proposed.at("setCalendar", "calendar") != nil {
			t.Fatalf("%+v", proposed.Data)
		}
	}
	w.confirmControl("ada", proposed.text("setCalendar", "proposal", "id"))
	made := w.mustExecute("ma", `{ calendars(first: 1) { nodes { name version hours { to } } } }`)
	if made.text("calendars", "nodes", 0, "version") != "1" ||
		made.text("calendars", "nodes", 0, "hours", 0, "to") != "12:30" ||
		made.text("calendars", "nodes", 0, "hours", 1, "to") != "24:00" {
		t.Fatalf("%+v", made.Data)
	}
	if got := w.mustExecute("lea", `mutation { setCalendar(input: {name: "x", zone: "UTC", hours: [{weekday: 1, from: "9:00", to: "12:00"}]}) {
		calendar { name } userErrors { ... on Refusal { field } } } }`); got.text("setCalendar", "userErrors", 0, "field") != "hours" {
		t.Errorf("%+v", got.Data)
	}
	const set = `mutation($calendar: String) { setQueueAssignment(input: {queue: "L1", strategy: LEAST_LOADED, cap: 9, calendar: $calendar,
		moveAfterMissedClaims: 3, moveToQueue: "L2", expectedVersion: "0"}) { settings { queue version strategy cap calendar moveAfterMissedClaims moveToQueue } proposal { id after } userErrors { __typename } } }`
	if got := w.mustExecute("lea", set, "calendar", "office"); got.at("setQueueAssignment",
		"settings") != nil ||
		got.text("setQueueAssignment", "userErrors", 0, "__typename") != "NotPermitted" {
		t.Errorf("a reviewer sets a queue: %+v", got.Data)
	}
	asked := w.mustExecute("ma", set, "calendar", "office")
	if asked.text("setQueueAssignment", "proposal", "after") != "least_loaded; office; <= 9; 3 -> L2" ||
		asked.text("setQueueAssignment", "settings", "strategy") != "PULL" {
		t.Errorf("%+v", asked.Data)
	}
	w.confirmControl("ada", asked.text("setQueueAssignment", "proposal", "id"))
	got := w.mustExecute("ma", `{ queues(all: true) { name settings { strategy cap version } }
		calendars(first: 1) { nodes { name } pageInfo { hasNextPage } } }`)
	if got.text("queues", 0, "settings", "strategy") != "LEAST_LOADED" ||
		got.text("calendars", "nodes", 0, "name") != "office" {
		t.Errorf("%+v", got.Data)
	}
	lea := w.mustExecute("ma", `{ people(text: "lea") { id } }`).text("people", 0, "id")
	skilled := w.mustExecute("ma", `mutation($id: ID!) { setSkills(input: {personId: $id, skills: ["invoice",
		"german"]}) { person { id } proposal { id subject after person { name } } userErrors { __typename } } }`, "id", lea)
	if skilled.text("setSkills", "proposal", "after") != "german, invoice" ||
		skilled.text("setSkills", "proposal", "subject") != "lea" {
		t.Errorf("%+v", skilled.Data)
	}
	w.confirmControl("ada", skilled.text("setSkills", "proposal", "id"))
	if got := w.mustExecute("ma", `{ people(text: "lea") { skills } }`); got.text("people", 0,
		"skills", 0) != "german" {
		t.Errorf("%+v", got.Data)
	}
}

func TestDeadlinesArePausedOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	w.submit("sam", "90000.00")
	w.runPending()
	review := w.mustExecute("ma", `{ reviews(filter: {all: true}) { nodes { id } } }`).
		text("reviews", "nodes", 0, "id")
	const pause = `mutation($id: ID!) { pauseDeadlines(input: {reviewId: $id, reason: "waiting for the bank"}) {
		reviews { id pausedAt pauseReason overdue } userErrors { __typename } } }`
	if got := w.mustExecute("lea", pause, "id", review); got.text("pauseDeadlines", "userErrors", 0,
		"__typename") != "NotPermitted" {
		t.Errorf("a reviewer pauses: %+v", got.Data)
	}
	if got := w.mustExecute("ma", pause, "id", review); got.text("pauseDeadlines", "reviews", 0,
		"pausedAt") == "" ||
		got.text("pauseDeadlines", "reviews", 0, "pauseReason") != "waiting for the bank" {
		t.Errorf("%+v", got.Data)
	}
	if got := w.mustExecute("ma", `mutation($id: ID!) { resumeDeadlines(input: {reviewId: $id}) {
		reviews { pausedAt breaches } userErrors { __typename } } }`, "id", review); got.at("resumeDeadlines", "reviews", 0, "pausedAt") != nil || got.at("resumeDeadlines", "reviews", 0, "breaches") != float64(0) {
		t.Errorf("%+v", got.Data)
	}
}

// Every queue with members is listed with its rules, for users who may change them.
func TestQueueSettingsAreListed(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("rita", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	w.person("ada", domain.RoleAdmin)
	asked := w.mustExecute("ma", `mutation { setQueueAssignment(input: {queue: "AML", strategy:
		LEAST_LOADED, cap: 7}) { proposal { id } userErrors { ... on Refusal { message } } } }`)
	w.confirmControl("ada", asked.text("setQueueAssignment", "proposal", "id"))
	for _, by := range []string{"ma", "ada"} {
		found := w.mustExecute(by, `{ queueSettings { queue strategy cap version } }`)
		if found.text("queueSettings", 0, "queue") != "AML" ||
			found.at("queueSettings", 0, "cap") != 7.0 ||
			found.text("queueSettings", 1, "queue") != "L1" ||
			found.text("queueSettings", 1, "strategy") != "PULL" {
			t.Errorf("%s sees %+v", by, found)
		}
	}
	if refusal := w.execute("rita", `{ queueSettings { queue } }`); len(refusal.Errors) == 0 {
		t.Errorf("a reviewer sees %+v", refusal)
	}
}

// confirmControl lets an administrator confirm a proposal.
func (w *testEnv) confirmControl(by, proposal string) {
	w.t.Helper()
	done := w.mustExecute(by, `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { applied } userErrors { ... on Refusal { message } } } }`, "id", proposal)
	if done.at("confirmControlChange", "results", 0, "applied") != true {
		w.t.Fatalf("not confirmed: %+v", done.Data)
	}
}
