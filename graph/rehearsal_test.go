package graph

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/store"
)

const rehearsed = `query($in: RehearsalInput!) { r: rehearse(input: $in) { cases closed open hidden same
	straightToPerson tooFewBefore tooFewAfter unassignedBefore unassignedAfter missingFacts { node message cases }
	different { caseId found addedReviews reviews { node queue verdict eligible assignable } endBefore endAfter problem lacks }
	otherFindings rules { rule titles { name value } appears } since peopleChanged
	people { person { name } couldBefore couldAfter askedBefore askedAfter } queues { queue unassigned changedUnassigned } } }`

// Each change is rehearsed over the API, and exactly one must be given.
func TestRehearsalsOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.knowSeller()
	w.person("ada", domain.RoleAdmin)
	w.person("sam", domain.RoleSubmitter)
	w.person("lena", domain.RoleL1)
	small := w.submit("sam", "600.00")
	w.runPending()
	document := w.mustExecute("ada", newestOf, "key", "document_approval").
		text("processDefinitions", "nodes", 0, "document")
	stricter := strings.Replace(document, "base_minor < 100000", "base_minor < 50000", 1)
	rehearse := func(change map[string]any) result {
		return w.execute("ada", rehearsed, "in", map[string]any{"change": change, "closed": 100})
	}
	got := rehearse(map[string]any{"process": stricter})
	if got.text("r", "different", 0, "caseId") != small || got.at("r", "straightToPerson") != float64(1) ||
		got.at("r", "different", 0, "reviews", 0, "verdict") != nil ||
		got.at("r", "different", 0, "reviews", 0, "eligible") != float64(1) ||
		got.at("r", "different", 0, "reviews", 0, "assignable") != float64(1) || got.at("r", "unassignedAfter") != float64(0) ||
		got.text("r", "people", 0, "person", "name") != "lena" {
		t.Errorf("a process: %+v", got)
	}
	got = rehearse(map[string]any{"limit": map[string]any{"role": string(domain.RoleL1), "drop": true}})
	if got.at("r", "cases") != float64(2) || got.at("r", "tooFewBefore") != float64(0) ||
		got.at("r", "tooFewAfter") != float64(1) || got.at("r", "queues") != nil {
		t.Errorf("a limit: %+v", got)
	}
	sets, err := w.db.Reader().RuleSets(t.Context())
	must(t, err)
	at := slices.IndexFunc(sets, func(set store.RuleSetRow) bool { return set.Key == "invoice" })
	got = rehearse(map[string]any{"rules": sets[at].Document + reasonRule})
	if got.text("r", "rules", 0, "rule") != "reason_needed" || got.at("r", "rules", 0, "appears") != float64(2) ||
		got.text("r", "rules", 0, "titles", 0, "value") != "Reason needed" || got.at("r", "otherFindings") != float64(2) ||
		got.text("r", "different", 0, "found", 0) != "reason_needed" || got.text("r", "different", 0, "caseId") != small {
		t.Errorf("a rule set: %+v", got)
	}
	for name, change := range map[string]map[string]any{
		"none": {}, "two": {"process": stricter, "policy": "{}"},
		"limit":    {"limit": map[string]any{"role": "reviewer_l1"}},
		"calendar": {"calendar": map[string]any{"name": "x", "zone": "UTC", "hours": []any{map[string]any{"weekday": 9, "from": "09:00", "to": "17:00"}}}},
		"deadline": {"deadline": map[string]any{"queue": "L1", "percent": 1}},
		"queue":    {"reviewers": map[string]any{"queue": "none", "more": 1}},
	} {
		if got := rehearse(change); len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != "InvalidInput" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
