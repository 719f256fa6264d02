package views_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// newestDefinition and newestRuleSet return the newest version as the read side shows it.
func (env *testEnv) newestDefinition(by domain.Actor, key string) views.Definition {
	env.t.Helper()
	found, err := env.views.Definitions(env.ctx, by,
		views.DefinitionFilter{Key: key, Newest: true})
	must(env.t, err)
	if len(found) != 1 {
		env.t.Fatalf("%d newest versions of the process %s", len(found), key)
	}
	return found[0]
}

func (env *testEnv) newestRuleSet(by domain.Actor, key string) views.RuleSet {
	env.t.Helper()
	found, err := env.views.RuleSets(env.ctx, by, views.DefinitionFilter{Key: key, Newest: true})
	must(env.t, err)
	if len(found) != 1 {
		env.t.Fatalf("%d newest versions of the rule set %s", len(found), key)
	}
	return found[0]
}

// TestCachesAreShared checks that service layer and read side use the same parsed versions, and
// that a newly published version replaces the earlier one in both.
func TestCachesAreShared(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
	abe := env.person("abe", domain.RoleAdmin)
	const process, ruleSet = "document_approval", "invoice"
	// expect submits a case, so that the service layer parses the versions that the case uses, and
	// compares them with the newest ones of the read side.
	expect := func(total string) (views.Definition, views.RuleSet) {
		t.Helper()
		id := env.submit(sam, total)
		c, err := env.db.Reader().Case(env.ctx, id)
		must(t, err)
		version, err := env.db.Reader().NewestRuleSet(env.ctx, ruleSet)
		must(t, err)
		used, ok := env.definitions.Load(process, c.ProcessVersion)
		compiled, compiledByService := env.ruleSets.Load(ruleSet, version)
		definition := env.newestDefinition(ada, process)
		if !ok || definition.Version != c.ProcessVersion || definition.Parsed != used {
			t.Errorf("the case uses version %d of the process, the read side shows %d",
				c.ProcessVersion, definition.Version)
		}
		rules := env.newestRuleSet(ada, ruleSet)
		if !compiledByService || rules.Version != version || rules.Parsed != compiled {
			t.Errorf("the case uses version %d of the rule set, the read side shows %d", version,
				rules.Version)
		}
		return definition, rules
	}
	definition, rules := expect("120.00")

	proposed, err := env.service.ProposeProcess(env.ctx, ada, casework.Propose{
		Document: strings.Replace(definition.Document, "claim_within: 2h", "claim_within: 3h", 1)})
	must(t, err)
	_, err = env.service.PublishProcess(env.ctx, abe,
		casework.EndProposal{ProposalID: proposed.ProposalID, Confirm: true})
	must(t, err)
	proposed, err = env.service.ProposeRuleSet(env.ctx, ada, casework.Propose{
		Document: rules.Document + "# another version\n"})
	must(t, err)
	_, err = env.service.PublishRuleSet(env.ctx, abe,
		casework.EndProposal{ProposalID: proposed.ProposalID, Confirm: true})
	must(t, err)

	newDefinition, newRules := expect("130.00")
	if newDefinition.Version != definition.Version+1 || newDefinition.Parsed == definition.Parsed {
		t.Errorf("after publishing the process has version %d", newDefinition.Version)
	}
	if newRules.Version != rules.Version+1 || newRules.Parsed == rules.Parsed {
		t.Errorf("after publishing the rule set has version %d", newRules.Version)
	}
}
