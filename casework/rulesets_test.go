package casework_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// admins are two administrators: one proposes, the other publishes.
func (w *world) admins() (domain.Actor, domain.Actor) {
	w.t.Helper()
	return w.person("ada", domain.RoleAdmin), w.person("abe", domain.RoleAdmin)
}

// ruleSet is the newest text of a rule set.
func (w *world) ruleSet(key string) string {
	w.t.Helper()
	version, err := w.db.Reader().NewestRuleSet(w.ctx, key)
	must(w.t, err)
	row, err := w.db.Reader().RuleSet(w.ctx, key, version)
	must(w.t, err)
	return row.Document
}

// publishRules proposes and publishes a text by two.
func (w *world) publishRules(by, second domain.Actor, document string) casework.Proposed {
	w.t.Helper()
	proposed, err := w.hall.ProposeRuleSet(w.ctx, by, casework.Propose{Document: document})
	must(w.t, err)
	published, err := w.hall.PublishRuleSet(w.ctx, second, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(w.t, err)
	return published
}

func (w *world) finding(id domain.ID, rule string) *domain.Finding {
	w.t.Helper()
	found, err := w.db.Reader().Findings(w.ctx, id)
	must(w.t, err)
	for _, one := range found {
		if one.Rule == rule {
			return &one.Finding
		}
	}
	return nil
}

const oddRule = `  - id: odd
    phase: risk
    severity: blocking
    score: 40
    asks: {en: "Is it even?", zh: "是偶数吗？"}
    when: %s
    values: {amount: amount_text}
    message: {en: "{amount} is odd.", zh: "{amount} 是奇数。"}
`

// A published set judges every case from then on, and each finding says which version it was.
func TestAPublishedRuleSetJudgesFromThenOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	ada, abe := w.admins()
	before := w.submit(sam, "one")
	w.work()
	if c := w.kase(before); c.Status != domain.Archived {
		t.Fatalf("the small one is %s", c.Status)
	}
	published := w.publishRules(ada, abe, w.ruleSet("invoice")+fmt.Sprintf(oddRule, "amount_known && base_minor < 1000000"))
	if published.Version != 2 {
		t.Fatalf("published %+v", published)
	}
	w.desk.xml = invoiceXML("130.00", "R-2")
	after := w.submit(sam, "two")
	w.work()
	odd := w.finding(after, "odd")
	if odd == nil || odd.RuleSet != "invoice" || odd.RuleVersion != 2 || odd.Evidence["amount"] != "130.00 EUR" || w.openReview(after).Node != "review_l1" {
		t.Fatalf("judged by %+v", odd)
	}
	if old := w.finding(before, "new_vendor"); old == nil || old.RuleVersion != 1 {
		t.Errorf("the old finding is %+v", old)
	}
	reading, err := w.db.Reader().EventsAfter(w.ctx, after, 0, 100)
	must(t, err)
	if !slices.ContainsFunc(reading.Events, func(e domain.Event) bool {
		return bytes.Contains(e.Body, []byte(`"ruleSet":"invoice 2"`)) && bytes.Contains(e.Body, []byte(`"odd"`))
	}) {
		t.Error("no event names the set and the rule that led to the review")
	}
	w.verify(after)
}

// A rule that has no answer stops that case with a typed incident; a mended set and a retry go on.
func TestARuleWithoutAnswerIsAnIncidentOfThatCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	ada, abe := w.admins()
	w.publishRules(ada, abe, w.ruleSet("invoice")+fmt.Sprintf(oddRule, "100 / (lines - 1) > 3"))
	id := w.submit(sam, "one")
	w.work()
	if c := w.kase(id); c.Status != domain.Incident {
		t.Fatalf("the case is %s", c.Status)
	}
	runs, err := w.db.Reader().RunsOf(w.ctx, id)
	must(t, err)
	at := slices.IndexFunc(runs, func(r domain.StageRun) bool { return r.Status == domain.RunIncident })
	if at < 0 || runs[at].ErrorCode != domain.ExpressionFailed || !strings.Contains(runs[at].ErrorText, "odd") || !strings.Contains(runs[at].ErrorText, "invoice version 2") {
		t.Fatalf("the incident: %+v", runs)
	}
	restored, err := w.hall.RestoreRuleSet(w.ctx, abe, casework.Restore{Key: "invoice", Version: 1})
	must(t, err)
	_, err = w.hall.PublishRuleSet(w.ctx, ada, casework.EndProposal{ProposalID: restored.ProposalID})
	must(t, err)
	_, err = w.hall.RetryIncident(w.ctx, sam, casework.OnCase{CaseID: id})
	must(t, err)
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("after the retry it is %s", c.Status)
	}
	if found := w.finding(id, "new_vendor"); found == nil || found.RuleVersion != 3 {
		t.Errorf("judged by %+v", found)
	}
}

// What other cases of a vendor tell: several below the mark together, and an account that is another than last time.
func TestTheVendorsHistoryIsJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	first := w.submit(sam, "one")
	w.work()
	if w.kase(first).Status != domain.Archived {
		t.Fatal("the first is not archived")
	}
	w.desk.xml = bytes.ReplaceAll(invoiceXML("850.00", "R-2"), []byte("DE89370400440532013000"), []byte("GB29NWBK60161331926819"))
	second := w.submit(sam, "two")
	w.work()
	changed, split := w.finding(second, "account_changed"), w.finding(second, "split_small")
	if changed == nil || changed.Evidence["before"] != "DE89370400440532013000" || changed.Evidence["fields"] != "iban" {
		t.Errorf("the account: %+v", changed)
	}
	if split == nil || split.Evidence["cases"] != w.kase(first).Reference {
		t.Errorf("the split: %+v", split)
	}
	if status := w.kase(second).Status; status != domain.InReview {
		t.Errorf("it is %s", status)
	}
}

// A text is tried on a case as it stands, and nothing is kept of it.
func TestATrialKeepsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	ada, _ := w.admins()
	id := w.submit(sam, "one")
	w.work()
	before := w.kase(id)
	trial, _, err := w.hall.TryRuleSet(w.ctx, ada, w.ruleSet("invoice")+fmt.Sprintf(oddRule, "amount_known"), id)
	must(t, err)
	if len(trial.Now) != 1 || len(trial.Then) != 2 || trial.ThenScore != trial.NowScore+40 || trial.Problem != "" {
		t.Errorf("the trial: %+v", trial)
	}
	trial, _, err = w.hall.TryRuleSet(w.ctx, ada, w.ruleSet("invoice")+fmt.Sprintf(oddRule, "100 / (lines - 1) > 3"), id)
	must(t, err)
	if trial.Problem == "" {
		t.Errorf("no problem is told: %+v", trial)
	}
	if after := w.kase(id); after.Version != before.Version {
		t.Error("the case has changed")
	}
	_, _, err = w.hall.TryRuleSet(w.ctx, sam, w.ruleSet("invoice"), id)
	wantCode(t, err, domain.NotPermitted)
	_, _, err = w.hall.TryRuleSet(w.ctx, ada, w.ruleSet("invoice"), domain.NewID())
	wantCode(t, err, domain.NotFound)
}

// A set cannot take a document type that another judges.
func TestADocumentTypeHasOneSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.admins()
	_, err := w.hall.ProposeRuleSet(w.ctx, ada, casework.Propose{Document: strings.Replace(w.ruleSet("receipt"), "key: receipt", "key: mine", 1)})
	wantCode(t, err, domain.UnsoundDefinition)
	fresh := strings.NewReplacer("key: receipt", "key: content", "document_types: [receipt]", "document_types: [content]").Replace(w.ruleSet("receipt"))
	proposed, err := w.hall.ProposeRuleSet(w.ctx, ada, casework.Propose{Document: fresh})
	must(t, err)
	if proposed.Version != 1 {
		t.Errorf("a new key begins at %d", proposed.Version)
	}
}
