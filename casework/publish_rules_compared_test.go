package casework_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/einvoice"
)

// Two rule sets are compared on past cases without storing anything.
func TestCompareRulesOfPastCases(t *testing.T) {
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
	published := env.ruleSet("invoice")
	compared, err := env.svc.CompareRules(env.ctx, ada, published, []domain.ID{id})
	must(t, err)
	if compared.Cases != 1 || compared.Same != 1 || len(compared.Different) != 0 {
		t.Errorf("the published set differs from itself: %+v", compared)
	}
	compared, err = env.svc.CompareRules(env.ctx, ada,
		published+fmt.Sprintf(oddRule, "amount_known"), []domain.ID{id})
	must(t, err)
	if len(compared.Different) != 1 || !slices.Equal(compared.Different[0].Found, []string{"odd"}) ||
		len(compared.Different[0].Lost) != 0 ||
		compared.Different[0].After != compared.Different[0].Before+40 {
		t.Errorf("an added rule: %+v", compared)
	}
	// The rule that found something before finds nothing any more.
	lost := compared.Different[0]
	trial, _, err := env.svc.TryRuleSet(env.ctx, ada, published, id)
	must(t, err)
	rule := trial.Current[0].Rule
	begin := strings.Index(published, "  - id: "+rule+"\n")
	end := begin + 1 + strings.Index(published[begin+1:], "\n  - id: ")
	compared, err = env.svc.CompareRules(env.ctx, ada, published[:begin]+published[end+1:],
		[]domain.ID{id})
	must(t, err)
	if len(compared.Different) != 1 || !slices.Equal(compared.Different[0].Lost, []string{rule}) {
		t.Errorf("a removed rule %s: %+v (before %+v)", rule, compared, lost)
	}
	compared, err = env.svc.CompareRules(env.ctx, ada,
		published+fmt.Sprintf(oddRule, "100 / (lines - 1) > 3"), []domain.ID{id})
	must(t, err)
	if len(compared.Different) != 1 || compared.Different[0].Problem == "" {
		t.Errorf("a rule that fails: %+v", compared)
	}
	if after := env.caseByID(id); after.Version != before.Version {
		t.Error("the case has changed")
	}
	_, err = env.svc.CompareRules(env.ctx, sam, published, []domain.ID{id})
	wantCode(t, err, domain.NotPermitted)
	compared, err = env.svc.CompareRules(env.ctx, ada, published, []domain.ID{domain.NewID()})
	must(t, err)
	if compared.Cases != 0 {
		t.Errorf("an unknown case: %+v", compared)
	}
	// Cases of types that another set names are not compared.
	compared, err = env.svc.CompareRules(env.ctx, ada, env.ruleSet("receipt"), []domain.ID{id})
	must(t, err)
	if compared.Cases != 0 {
		t.Errorf("a set of another type: %+v", compared)
	}
}

// Documents that were submitted since the case was assessed are no difference between two rule sets.
func TestTrialComparesAtTheSameTime(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, _ := env.admins()
	first := env.submitInvoice(sam, "Acme GmbH", "INV-1001", 90000)
	env.submitInvoice(sam, "Acme GmbH", "INV-2007", 80000)
	if env.finding(first, "split_small") != nil {
		t.Fatal("the first document has the finding when it is assessed")
	}
	trial, _, err := env.svc.TryRuleSet(env.ctx, ada, env.ruleSet("invoice"), first)
	must(t, err)
	found := func(among []domain.Finding) bool {
		return slices.ContainsFunc(among, func(f domain.Finding) bool { return f.Rule == "split_small" })
	}
	if !found(trial.Current) || !found(trial.Proposed) || trial.CurrentScore != trial.ProposedScore {
		t.Errorf("the published set differs from itself: %+v", trial)
	}
}
