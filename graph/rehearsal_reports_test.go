package graph

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/store"
)

const rehearseProposal = `mutation($in: RehearseProposalInput!) { done: rehearseProposal(input: $in) {
	sha256 proposal { id rehearsals { sha256 } } rehearsal { cases different { reference } }
	userErrors { __typename ... on Refusal { code message } } } }`

const rehearsalsOf = `query($key: String!) { proposals(first: 5, filter: {kind: PROCESS, key: $key, status: PROPOSED}) {
	nodes { id rehearsals { sha256 textSha256 ofThisText baseVersion baseSha256 rehearsedBy { name } closedAsked
	openAsked cases closed hidden same personToStraight people { couldAfter } stops { node lacks cases } rules { rule titles { value } } } } } }`

// The second administrator, an owner and an auditor see the sums of a rehearsal that another person ran, and
// no case; a submitter sees nothing. The people are for those who may see the list of people.
func TestRecordedRehearsalsAreShownAsSums(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.knowSeller()
	w.person("ada", domain.RoleAdmin)
	w.person("abe", domain.RoleAdmin)
	w.person("aud", domain.RoleAuditor)
	w.person("lena", domain.RoleL1)
	w.person("sam", domain.RoleSubmitter)
	ann := w.person("ann", domain.RoleSubmitter)
	const key = "document_approval"
	w.nameOwner(key, "ada", "abe", ann.UserID)
	for range 10 {
		w.submit("sam", "600.00")
	}
	w.runPending()
	document := w.mustExecute("ada", newestOf, "key", key).text("processDefinitions", "nodes", 0, "document")
	id := propose(w, "ada", strings.Replace(document, "to: archive\n    default: review_l1",
		"to: review_l1\n    default: archive", 1), "").
		text("done", "proposal", "id")
	made := w.mustExecute("ada", rehearseProposal, "in", map[string]any{"proposalId": id, "closed": 100})
	hash := made.text("done", "sha256")
	if len(hash) != 64 || made.at("done", "rehearsal", "cases") == float64(0) ||
		made.text("done", "rehearsal", "different", 0, "reference") == "" ||
		made.text("done", "proposal", "rehearsals", 0, "sha256") != hash {
		t.Fatalf("rehearsed: %+v", made)
	}
	for _, name := range []string{"abe", "ann", "aud"} {
		seen := w.mustExecute(name, rehearsalsOf, "key", key)
		report := func(path ...any) any {
			return seen.at(append([]any{"proposals", "nodes", 0, "rehearsals", 0}, path...)...)
		}
		if report("sha256") != hash || report("ofThisText") != true || report("closedAsked") != float64(100) ||
			report("rehearsedBy", "name") != "ada" || report("cases") != float64(11) ||
			report("personToStraight") == float64(0) || report("openAsked") != true {
			t.Errorf("%s sees %+v", name, seen.Data)
		}
		if _, people := report("people").([]any); people == (name == "ann") {
			t.Errorf("%s sees the people: %v", name, report("people"))
		}
	}
	if got := w.execute("sam", rehearsalsOf, "key", key); len(got.Errors) == 0 {
		t.Errorf("a submitter sees %+v", got.Data)
	}
	if got := w.execute("sam", rehearseProposal, "in", map[string]any{"proposalId": id}); got.at("done", "sha256") != nil {
		t.Errorf("a submitter rehearses %+v", got.Data)
	}
	// Another text is proposed in its place: the report is shown as one of another text.
	w.mustExecute("ada", `mutation($in: ProposeDefinitionInput!) { proposeProcessDefinition(input: $in) {
		proposal { id } } }`, "in", map[string]any{"replaces": id,
		"document": strings.Replace(document, "base_minor < 100000", "base_minor < 40000", 1)})
	seen := w.mustExecute("abe", rehearsalsOf, "key", key)
	if seen.at("proposals", "nodes", 0, "rehearsals", 0, "ofThisText") != false {
		t.Errorf("the other text: %+v", seen.Data)
	}
}

const reportsOfKind = `query($kind: ProposalKind!) { proposals(first: 5, filter: {kind: $kind, status: PROPOSED}) {
	nodes { id rehearsals { sha256 ofThisText cases otherFindings tooFewAfter rules { rule appears } people { couldAfter } } } } }`

// The texts of rule sets and of the policy are rehearsed from their proposals as those of processes are: a
// second administrator and an auditor see the sums, a submitter sees nothing, and the report is of the text.
func TestRehearsalsOfRuleSetsAndOfThePolicyAreRecorded(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.knowSeller()
	w.person("ada", domain.RoleAdmin)
	w.person("abe", domain.RoleAdmin)
	w.person("aud", domain.RoleAuditor)
	w.person("lena", domain.RoleL1)
	w.person("sam", domain.RoleSubmitter)
	for range 10 {
		w.submit("sam", "600.00")
	}
	w.runPending()
	sets, err := w.db.Reader().RuleSets(t.Context())
	must(t, err)
	at := slices.IndexFunc(sets, func(set store.RuleSetRow) bool { return set.Key == "invoice" })
	policy := w.mustExecute("ada", `{ policy { document version } }`)
	rules := w.mustExecute("ada", `mutation($d: String!) { done: proposeRuleSet(input: {document: $d}) { `+
		proposalShown+` } }`, "d", sets[at].Document+reasonRule).text("done", "proposal", "id")
	noReviews := strings.Replace(strings.Replace(policy.text("policy", "document"), `"version": 1`,
		`"version": 2`, 1), `"role": "reviewer_l1"`, `"role": "reviewer_l2"`, 1)
	text := w.mustExecute("ada", `mutation($d: String!) { done: proposePolicy(input: {document: $d}) { `+
		proposalShown+` } }`, "d", noReviews).text("done", "proposal", "id")
	for kind, id := range map[string]string{"RULE_SET": rules, "POLICY": text} {
		made := w.mustExecute("abe", rehearseProposal, "in", map[string]any{"proposalId": id, "closed": 100})
		hash := made.text("done", "sha256")
		for _, name := range []string{"ada", "aud"} {
			seen := w.mustExecute(name, reportsOfKind, "kind", kind)
			report := func(field string) any { return seen.at("proposals", "nodes", 0, "rehearsals", 0, field) }
			if report("sha256") != hash || report("ofThisText") != true || report("cases") != float64(11) ||
				kind == "RULE_SET" && report("otherFindings") != float64(11) {
				t.Errorf("%s, as %s sees it: %+v", kind, name, seen.Data)
			}
		}
		if got := w.execute("sam", rehearseProposal, "in", map[string]any{"proposalId": id}); got.at("done", "sha256") != nil {
			t.Errorf("a submitter rehearses a proposal of the kind %s: %+v", kind, got.Data)
		}
	}
}
