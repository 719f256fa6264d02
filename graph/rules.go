package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) RuleSets(ctx context.Context, first int, after *string, filter *donotuse.ProcessDefinitionFilter) (*donotuse.RuleSetConnection, error) {
	wanted := versionsWanted(filter)
	skip, err := offsetAfter(first, after)
	if err != nil {
		return nil, err
	}
	found, err := r.views.RuleSets(ctx, callerOf(ctx), wanted)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.RuleSetConnection{Edges: []donotuse.RuleSetEdge{}, Nodes: []donotuse.RuleSet{}}
	connection.PageInfo = offsetPage(found, skip, first, func(one views.RuleSet, cursor string) {
		shown := ruleSetOf(one)
		connection.Nodes = append(connection.Nodes, shown)
		connection.Edges = append(connection.Edges, donotuse.RuleSetEdge{Cursor: cursor, Node: shown})
	})
	return connection, nil
}

func ruleSetOf(set views.RuleSet) donotuse.RuleSet {
	shown := donotuse.RuleSet{Key: set.Key, Version: set.Version, Title: titleOf(set.Parsed.Title, set.Key), Titles: namedValues(set.Parsed.Title),
		DocumentTypes: append([]string{}, set.Parsed.DocumentTypes...), Newest: set.Newest, PublishedAt: set.PublishedAt, Rules: rulesOf(set.Parsed.Rules)}
	if set.Trusted {
		shown.Document, shown.ProposalID = &set.Document, set.ProposalID
		if set.PublishedBy != domain.SystemUserID {
			shown.By = set.PublishedBy
		}
	}
	return shown
}

func rulesOf(rules []*views.Rule) []donotuse.Rule {
	shown := make([]donotuse.Rule, 0, len(rules))
	for _, rule := range rules {
		phase := donotuse.RulePhaseRisk
		if rule.Phase == views.Validation {
			phase = donotuse.RulePhaseValidation
		}
		shown = append(shown, donotuse.Rule{ID: rule.ID, Phase: phase, Severity: rule.Severity, Score: rule.Points, Asks: namedValues(rule.Asks),
			When: rule.When, Messages: namedValues(rule.Messages), Line: rule.Line})
	}
	return shown
}

func (r queryResolver) CheckRuleSet(ctx context.Context, document string) (*donotuse.RuleSetCheck, error) {
	begun := r.clock.Now()
	set, report, err := r.service.CheckRuleSet(ctx, callerOf(ctx), document)
	if err != nil {
		return nil, err
	}
	shown := &donotuse.RuleSetCheck{Report: *reportOf(report), Rules: []donotuse.Rule{}, Milliseconds: float64(r.clock.Now().Sub(begun).Microseconds()) / 1000}
	if set != nil {
		shown.Key, shown.Rules = set.Key, rulesOf(set.Rules)
	}
	return shown, nil
}

func (r queryResolver) TryRuleSet(ctx context.Context, document, caseID string) (*donotuse.RuleSetTrial, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err != nil {
		return nil, err
	}
	trial, set, err := r.service.TryRuleSet(ctx, callerOf(ctx), document, id)
	if err != nil {
		return nil, err
	}
	shown := &donotuse.RuleSetTrial{NowScore: trial.CurrentScore, ThenScore: trial.ProposedScore, Problem: optional(trial.Problem),
		Now: []donotuse.TrialFinding{}, Then: []donotuse.TrialFinding{}}
	for _, finding := range trial.Current {
		chinese, err := r.views.FindingSentence(ctx, finding, "zh")
		if err != nil {
			return nil, err
		}
		shown.Now = append(shown.Now, trialFinding(finding, chinese))
	}
	for _, finding := range trial.Proposed {
		chinese := finding.Message
		if rule, ok := set.Rule(finding.Rule); ok {
			chinese = rule.Render("zh", finding.Evidence)
		}
		shown.Then = append(shown.Then, trialFinding(finding, chinese))
	}
	return shown, nil
}

func trialFinding(finding domain.Finding, chinese string) donotuse.TrialFinding {
	return donotuse.TrialFinding{Rule: finding.Rule, Severity: finding.Severity, Score: finding.Score, Evidence: namedValues(finding.Evidence),
		Messages: []donotuse.NameValue{{Name: "en", Value: finding.Message}, {Name: "zh", Value: chinese}}}
}

func (r findingResolver) Message(ctx context.Context, finding *domain.Finding, locale string) (string, error) {
	return r.views.FindingSentence(ctx, *finding, locale)
}

func (r ruleSetResolver) PublishedBy(ctx context.Context, set *donotuse.RuleSet) (*domain.User, error) {
	return loadPerson(ctx, set.By)
}

func (r ruleSetResolver) Proposal(ctx context.Context, set *donotuse.RuleSet) (*domain.Proposal, error) {
	if set.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, set.ProposalID)
}

func (r mutationResolver) ProposeRuleSet(ctx context.Context, in donotuse.ProposeDefinitionInput) (*donotuse.ProposalPayload, error) {
	return proposalPayload(r.service.ProposeRuleSet(ctx, callerOf(ctx), proposeCommand(in)))
}

func (r mutationResolver) RestoreRuleSet(ctx context.Context, in donotuse.RestoreDefinitionInput) (*donotuse.ProposalPayload, error) {
	return proposalPayload(r.service.RestoreRuleSet(ctx, callerOf(ctx), restoreCommand(in)))
}

func (r mutationResolver) PublishRuleSet(ctx context.Context, in donotuse.PublishProposalInput) (*donotuse.ProposalPayload, error) {
	return endProposal(ctx, in.ProposalID, publishCommand(in), r.service.PublishRuleSet)
}

func (r mutationResolver) WithdrawRuleSet(ctx context.Context, in donotuse.WithdrawProposalInput) (*donotuse.ProposalPayload, error) {
	return endProposal(ctx, in.ProposalID, withdrawCommand(in), r.service.WithdrawRuleSet)
}
