package casework_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/rules"
)

// admins creates two administrators: one proposes, the other publishes.
func (env *testEnv) admins() (domain.Actor, domain.Actor) {
	env.t.Helper()
	return env.person("ada", domain.RoleAdmin), env.person("abe", domain.RoleAdmin)
}

// ruleSet returns the newest text of a rule set.
func (env *testEnv) ruleSet(key string) string {
	env.t.Helper()
	version, err := env.db.Reader().NewestRuleSet(env.ctx, key)
	must(env.t, err)
	row, err := env.db.Reader().RuleSet(env.ctx, key, version)
	must(env.t, err)
	return row.Document
}

// publishRules proposes a text as one administrator and publishes it as another.
func (env *testEnv) publishRules(by, second domain.Actor, document string) casework.ProposalResult {
	env.t.Helper()
	proposed, err := env.svc.ProposeRuleSet(env.ctx, by, casework.Propose{Document: document})
	must(env.t, err)
	published, err := env.svc.PublishRuleSet(env.ctx, second,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(env.t, err)
	return published
}

func (env *testEnv) finding(id domain.ID, rule string) *domain.Finding {
	env.t.Helper()
	rows, err := env.db.Reader().Findings(env.ctx, id)
	must(env.t, err)
	for _, row := range rows {
		if row.Rule == rule {
			return &row.Finding
		}
	}
	return nil
}

const oddRule = `  - id: odd
    title: {en: Odd amount, zh: 奇数金额}
    phase: risk
    severity: blocking
    score: 40
    asks: {en: "Is it even?", zh: "是偶数吗？"}
    when: %s
    values: {amount: amount_text}
    message: {en: "{amount} is odd.", zh: "{amount} 是奇数。"}
`

// builtinVersion is the version of the built-in rule set for invoices.
var builtinVersion = func() int {
	sources, err := rules.Builtin()
	if err != nil {
		panic(err)
	}
	at := slices.IndexFunc(sources, func(s rules.Source) bool { return s.Key == "invoice" })
	return sources[at].Version
}()

// A published rule set applies to every later case, and each finding records the version.
func TestPublishedRuleSetAppliesToNewCases(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	env.reader.xml = bytes.Replace(env.reader.xml, []byte(einvoice.TaxID("Muster Werke GmbH")),
		[]byte("DE136695975"), 1)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	before := env.submit(sam, "one")
	env.drainQueue()
	if c := env.caseByID(before); c.Status != domain.Archived {
		t.Fatalf("the small invoice is %s", c.Status)
	}
	published := env.publishRules(ada, abe, env.ruleSet("invoice")+fmt.Sprintf(oddRule,
		"amount_known && base_minor < 1000000"))
	if published.Version != builtinVersion+1 {
		t.Fatalf("published %+v", published)
	}
	env.reader.xml = invoiceXML("130.00", "R-2")
	after := env.submit(sam, "two")
	env.drainQueue()
	odd := env.finding(after, "odd")
	if odd == nil || odd.RuleSet != "invoice" || odd.RuleVersion != builtinVersion+1 ||
		odd.Evidence["amount"] != "130.00 EUR" || env.openReview(after).Node != "review_l1" {
		t.Fatalf("got the finding %+v", odd)
	}
	if old := env.finding(before, "vat_id_check"); old == nil || old.RuleVersion != builtinVersion {
		t.Errorf("the old finding is %+v", old)
	}
	reading, err := env.db.Reader().EventsAfter(env.ctx, after, 0, 100)
	must(t, err)
	if !slices.ContainsFunc(reading.Events, func(e domain.Event) bool {
		return bytes.Contains(e.Body, fmt.Appendf(nil, `"ruleSet":"invoice %d"`, builtinVersion+1)) &&
			bytes.Contains(e.Body, []byte(`"odd"`))
	}) {
		t.Error("no event contains the rule set and the rule that led to the review")
	}
	env.verifyCaseLog(after)
}

// A rule that cannot be evaluated stops its case with a typed incident. After a corrected set is
// published, a retry succeeds.
func TestFailingRuleOpensIncident(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	env.reader.xml = bytes.Replace(env.reader.xml, []byte(einvoice.TaxID("Muster Werke GmbH")),
		[]byte("DE136695975"), 1)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	env.publishRules(ada, abe, env.ruleSet("invoice")+fmt.Sprintf(oddRule, "100 / (lines - 1) > 3"))
	id := env.submit(sam, "one")
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Incident {
		t.Fatalf("the case is %s", c.Status)
	}
	runs, err := env.db.Reader().RunsOf(env.ctx, id)
	must(t, err)
	at := slices.IndexFunc(runs,
		func(r domain.StageRun) bool { return r.Status == domain.RunIncident })
	if at < 0 || runs[at].ErrorCode != domain.ExpressionFailed ||
		!strings.Contains(runs[at].ErrorText, "odd") ||
		!strings.Contains(runs[at].ErrorText,
			fmt.Sprintf("invoice version %d", builtinVersion+1)) {
		t.Fatalf("the incident: %+v", runs)
	}
	restored, err := env.svc.RestoreRuleSet(env.ctx, abe,
		casework.Restore{Key: "invoice", Version: builtinVersion})
	must(t, err)
	_, err = env.svc.PublishRuleSet(env.ctx, ada,
		casework.EndProposal{ProposalID: restored.ProposalID})
	must(t, err)
	_, err = env.svc.RetryIncident(env.ctx, sam, casework.CaseTarget{CaseID: id})
	must(t, err)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("after the retry it is %s", c.Status)
	}
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 100)
	must(t, err)
	if !slices.ContainsFunc(reading.Events, func(e domain.Event) bool {
		return bytes.Contains(e.Body, fmt.Appendf(nil, `"ruleSet":"invoice %d"`, builtinVersion+2))
	}) {
		t.Error("no event names the restored rule set")
	}
}

// Findings from other cases of a vendor: several amounts below the threshold in total, and a
// changed account.
func TestVendorHistoryRules(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	first := env.submit(sam, "one")
	env.drainQueue()
	if env.caseByID(first).Status != domain.Archived {
		t.Fatal("the first case is not archived")
	}
	env.reader.xml = bytes.ReplaceAll(invoiceXML("850.00", "R-2"), []byte("DE89370400440532013000"),
		[]byte("GB29NWBK60161331926819"))
	second := env.submit(sam, "two")
	env.drainQueue()
	changed, split := env.finding(second, "account_changed"), env.finding(second, "split_small")
	if changed == nil || changed.Evidence["before"] != "DE89370400440532013000" ||
		changed.Evidence["fields"] != "iban" {
		t.Errorf("account_changed: %+v", changed)
	}
	if split == nil || split.Evidence["cases"] != env.caseByID(first).Reference {
		t.Errorf("split_small: %+v", split)
	}
	if status := env.caseByID(second).Status; status != domain.InReview {
		t.Errorf("the case is %s", status)
	}
}

// A rule set text is tried on a case without storing anything.
func TestRuleSetTrialPersistsNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	env.reader.xml = bytes.Replace(env.reader.xml, []byte(einvoice.TaxID("Muster Werke GmbH")),
		[]byte("DE136695975"), 1)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, _ := env.admins()
	id := env.submit(sam, "one")
	env.drainQueue()
	before := env.caseByID(id)
	trial, _, err := env.svc.TryRuleSet(env.ctx, ada,
		env.ruleSet("invoice")+fmt.Sprintf(oddRule, "amount_known"), id)
	must(t, err)
	if len(trial.Current) != 1 || len(trial.Proposed) != 2 ||
		trial.ProposedScore != trial.CurrentScore+40 || trial.Problem != "" {
		t.Errorf("the trial: %+v", trial)
	}
	trial, _, err = env.svc.TryRuleSet(env.ctx, ada,
		env.ruleSet("invoice")+fmt.Sprintf(oddRule, "100 / (lines - 1) > 3"), id)
	must(t, err)
	if trial.Problem == "" {
		t.Errorf("the trial has no problem: %+v", trial)
	}
	if after := env.caseByID(id); after.Version != before.Version {
		t.Error("the case has changed")
	}
	_, _, err = env.svc.TryRuleSet(env.ctx, sam, env.ruleSet("invoice"), id)
	wantCode(t, err, domain.NotPermitted)
	_, _, err = env.svc.TryRuleSet(env.ctx, ada, env.ruleSet("invoice"), domain.NewID())
	wantCode(t, err, domain.NotFound)
}

// A rule set cannot cover a document type that another set covers.
func TestDocumentTypeHasOneRuleSet(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, _ := env.admins()
	_, err := env.svc.ProposeRuleSet(env.ctx, ada,
		casework.Propose{Document: strings.Replace(env.ruleSet("receipt"), "key: receipt",
			"key: mine", 1)})
	wantCode(t, err, domain.UnsoundDefinition)
	added := strings.NewReplacer("key: receipt", "key: contract", "document_types: [receipt]",
		"document_types: [contract]").Replace(env.ruleSet("receipt"))
	proposed, err := env.svc.ProposeRuleSet(env.ctx, ada, casework.Propose{Document: added})
	must(t, err)
	if proposed.Version != 1 {
		t.Errorf("a new key starts at version %d", proposed.Version)
	}
}

// A database of an earlier program has built-in sets and own versions without titles: they still
// load and can be restored, and publishing the built-in sets makes the new text the next version.
func TestRuleSetsWithoutTitlesStayUsable(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	ada, abe := env.admins()
	titled := env.ruleSet("invoice")
	title := regexp.MustCompile(`(?m)^    title: .*\n`)
	env.alterRuleSets(`UPDATE rule_sets SET document = $doc$` + title.ReplaceAllString(titled, "") +
		`$doc$ WHERE key = 'invoice'`)
	found, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}})
	must(t, err)
	if unsound := slices.IndexFunc(found, func(one casework.Inconsistency) bool {
		return one.Kind == casework.UnsoundDefinition
	}); unsound >= 0 {
		t.Fatalf("%+v", found[unsound])
	}
	_, err = env.svc.ProposeRuleSet(env.ctx, ada, casework.Propose{Document: strings.Replace(
		env.ruleSet("invoice"), "score: 10", "score: 11", 1)})
	wantCode(t, err, domain.UnsoundDefinition)
	must(t, env.svc.PublishBuiltins(env.ctx))
	if version, err := env.db.Reader().NewestRuleSet(env.ctx, "invoice"); err != nil ||
		version != builtinVersion+1 {
		t.Fatalf("version %d: %v", version, err)
	}
	restored, err := env.svc.RestoreRuleSet(env.ctx, ada,
		casework.Restore{Key: "invoice", Version: builtinVersion})
	must(t, err)
	_, err = env.svc.PublishRuleSet(env.ctx, abe,
		casework.EndProposal{ProposalID: restored.ProposalID})
	must(t, err)
}

// alterRuleSets changes published rule sets, which is not possible otherwise.
func (env *testEnv) alterRuleSets(statement string) {
	env.t.Helper()
	for _, one := range []string{
		`ALTER TABLE rule_sets DISABLE TRIGGER USER`, statement,
		`ALTER TABLE rule_sets ENABLE TRIGGER USER`,
	} {
		_, err := env.owner.Exec(env.ctx, one)
		must(env.t, err)
	}
}
