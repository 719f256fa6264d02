package graph

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) RuleSets(ctx context.Context, first int, after *string,
	filter *donotuse.ProcessDefinitionFilter) (*donotuse.RuleSetConnection, error) {
	wanted := versionsWanted(filter)
	skip, err := offsetAfter(first, after)
	if err != nil {
		return nil, err
	}
	found, err := r.views.RuleSets(ctx, callerOf(ctx), wanted)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.RuleSetConnection{Edges: []donotuse.RuleSetEdge{},
		Nodes: []donotuse.RuleSet{}}
	connection.PageInfo = offsetPage(found, skip, first, func(one views.RuleSet, cursor string) {
		result := ruleSetOf(one)
		connection.Nodes = append(connection.Nodes, result)
		connection.Edges = append(connection.Edges,
			donotuse.RuleSetEdge{Cursor: cursor, Node: result})
	})
	return connection, nil
}

func ruleSetOf(set views.RuleSet) donotuse.RuleSet {
	result := donotuse.RuleSet{Key: set.Key, Version: set.Version,
		Title: titleOf(set.Parsed.Title, set.Key), Titles: namedValues(set.Parsed.Title),
		DocumentTypes: append([]string{}, set.Parsed.DocumentTypes...), Newest: set.Newest,
		PublishedAt: set.PublishedAt, Rules: rulesOf(set)}
	if set.Trusted {
		result.Document, result.ProposalID = &set.Document, set.ProposalID
		if set.PublishedBy != domain.SystemUserID {
			result.By = set.PublishedBy
		}
	}
	return result
}

func rulesOf(set views.RuleSet) []donotuse.Rule {
	result := make([]donotuse.Rule, 0, len(set.Parsed.Rules))
	for _, rule := range set.Parsed.Rules {
		phase := donotuse.RulePhase(strings.ToUpper(string(rule.Phase)))
		result = append(result, donotuse.Rule{
			ID: rule.ID, Titles: titlesOf(rule.Title), Phase: phase, Severity: rule.Severity,
			Score: rule.Points, Questions: namedValues(rule.Questions),
			Asks: namedValues(rule.Questions), When: rule.When,
			Messages: namedValues(rule.Messages), Line: rule.Line,
		})
	}
	return result
}

func (r queryResolver) CheckRuleSet(ctx context.Context, document string) (
	*donotuse.RuleSetCheck, error) {
	begun := r.clock.Now()
	set, report, err := r.service.CheckRuleSet(ctx, callerOf(ctx), document)
	if err != nil {
		return nil, err
	}
	result := &donotuse.RuleSetCheck{Report: *reportOf(report), Rules: []donotuse.Rule{},
		Milliseconds: float64(r.clock.Now().Sub(begun).Microseconds()) / 1000}
	if set != nil {
		result.Key, result.Rules = set.Key, rulesOf(views.RuleSet{Parsed: set})
	}
	return result, nil
}

func (r queryResolver) TryRuleSet(ctx context.Context, document, caseID string) (
	*donotuse.RuleSetTrial, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err != nil {
		return nil, err
	}
	trial, set, err := r.service.TryRuleSet(ctx, callerOf(ctx), document, id)
	if err != nil {
		return nil, err
	}
	c, err := r.views.Case(ctx, callerOf(ctx), id)
	if err != nil {
		return nil, err
	}
	if c.Redacted {
		trial.Current, trial.Proposed = c.Findings(trial.Current), c.Findings(trial.Proposed)
		trial.CurrentScore = c.VisibleRisk(trial.Current)
		trial.ProposedScore = c.VisibleRisk(trial.Proposed)
	}
	result := &donotuse.RuleSetTrial{NowScore: trial.CurrentScore, ThenScore: trial.ProposedScore,
		Problem: optional(trial.Problem),
		Now:     []donotuse.TrialFinding{}, Then: []donotuse.TrialFinding{}}
	for _, finding := range trial.Current {
		one, err := r.currentFinding(ctx, finding)
		if err != nil {
			return nil, err
		}
		result.Now = append(result.Now, one)
	}
	for _, finding := range trial.Proposed {
		if rule, ok := set.Rule(finding.Rule); ok {
			chinese := rule.Render("zh", finding.Evidence)
			result.Then = append(result.Then, trialFinding(finding, rule.Title, chinese))
		}
	}
	return result, nil
}

func (r queryResolver) CompareRuleSet(ctx context.Context, document string, last int) (
	*donotuse.RuleSetComparison, error) {
	cases, err := r.views.CasesForRules(ctx, callerOf(ctx), document, last)
	if err != nil {
		return nil, err
	}
	ids := make([]domain.ID, 0, len(cases))
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	compared, err := r.service.CompareRules(ctx, callerOf(ctx), document, ids)
	if err != nil {
		return nil, err
	}
	result := &donotuse.RuleSetComparison{Cases: compared.Cases, Same: compared.Same,
		Different: []donotuse.ComparedCase{}}
	for _, one := range compared.Different {
		result.Different = append(result.Different, donotuse.ComparedCase{
			CaseID:    scalar.GlobalID(scalar.KindCase, one.Case.ID),
			Reference: one.Case.Reference, Found: append([]string{}, one.Found...),
			Lost: append([]string{}, one.Lost...), Before: one.Before, After: one.After,
			Problem: optional(one.Problem)})
	}
	return result, nil
}

// currentFinding is a stored finding of the case, with the texts of the rule set that raised it.
func (r queryResolver) currentFinding(ctx context.Context,
	finding domain.Finding) (donotuse.TrialFinding, error) {
	chinese, err := r.views.FindingSentence(ctx, finding, "zh")
	if err != nil {
		return donotuse.TrialFinding{}, err
	}
	titles := map[string]string{}
	for _, language := range titleLanguages {
		if titles[language], err = r.views.FindingTitle(ctx, finding, language); err != nil {
			return donotuse.TrialFinding{}, err
		}
	}
	title := func(language string) string { return titles[language] }
	return trialFinding(finding, title, chinese), nil
}

func trialFinding(
	finding domain.Finding, title func(language string) string, chinese string,
) donotuse.TrialFinding {
	return donotuse.TrialFinding{
		Rule: finding.Rule, Titles: titlesOf(title), Severity: finding.Severity,
		Score:    finding.Score,
		Evidence: namedValues(finding.Evidence),
		Messages: []donotuse.NameValue{
			{Name: "en", Value: finding.Message}, {Name: "zh", Value: chinese},
		},
	}
}

// titleLanguages are the languages in which the title of a rule is shown.
var titleLanguages = []string{"en", "zh"}

func titlesOf(title func(language string) string) []donotuse.NameValue {
	titles := make([]donotuse.NameValue, 0, len(titleLanguages))
	for _, language := range titleLanguages {
		titles = append(titles, donotuse.NameValue{Name: language, Value: title(language)})
	}
	return titles
}

func (r findingResolver) Title(ctx context.Context, finding *domain.Finding,
	locale string) (string, error) {
	return r.views.FindingTitle(ctx, *finding, locale)
}

func (r findingResolver) Message(ctx context.Context, finding *domain.Finding, locale string) (
	string, error) {
	return r.views.FindingSentence(ctx, *finding, locale)
}

func (r ruleSetResolver) PublishedBy(ctx context.Context, set *donotuse.RuleSet) (
	*domain.User, error) {
	return loadPerson(ctx, set.By)
}

func (r ruleSetResolver) Proposal(ctx context.Context, set *donotuse.RuleSet) (
	*domain.Proposal, error) {
	if set.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, set.ProposalID)
}

func (r mutationResolver) ProposeRuleSet(ctx context.Context, in donotuse.ProposeDefinitionInput) (
	*donotuse.ProposalPayload, error) {
	return proposeText(ctx, in, r.service.ProposeRuleSet)
}

func (r mutationResolver) RestoreRuleSet(ctx context.Context, in donotuse.RestoreDefinitionInput) (
	*donotuse.ProposalPayload, error) {
	return proposalPayload(r.service.RestoreRuleSet(ctx, callerOf(ctx), restoreCommand(in)))
}

func (r mutationResolver) PublishRuleSet(ctx context.Context, in donotuse.PublishProposalInput) (
	*donotuse.ProposalPayload, error) {
	return publishProposal(ctx, in, r.service.PublishRuleSet)
}

func (r mutationResolver) WithdrawRuleSet(ctx context.Context, in donotuse.WithdrawProposalInput) (
	*donotuse.ProposalPayload, error) {
	return endProposal(ctx, in.ProposalID, withdrawCommand(in), r.service.WithdrawRuleSet)
}
