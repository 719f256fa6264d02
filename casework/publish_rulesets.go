package casework

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// ruleSetCache holds the newest rule sets, each version compiled once. Nobody waits for another here: a command that waited
// while it holds a connection would wait for ever when all do.
type ruleSetCache struct {
	current  atomic.Pointer[ruleSetSnapshot]
	compiled syncMap[definitionKey, *rules.Set]
}

// ruleSetSnapshot is the newest sets as of so many published versions.
type ruleSetSnapshot struct {
	publishedVersions int64
	newest            []*rules.Set
}

// newestSets returns the newest sets, reloaded when more versions are published than were known.
func (s *ruleSetCache) newestSets(ctx context.Context, r store.Reader, count int64) ([]*rules.Set, error) {
	if held := s.current.Load(); held != nil && held.publishedVersions == count {
		return held.newest, nil
	}
	rows, err := r.RuleSets(ctx)
	if err != nil {
		return nil, err
	}
	fresh := &ruleSetSnapshot{publishedVersions: int64(len(rows))}
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		set, ok := s.compiled.load(definitionKey{row.Key, row.Version})
		if !ok {
			if set, err = rules.ParsePublished([]byte(row.Document)); err != nil {
				return nil, fmt.Errorf("casework: published rule set %s version %d: %w", row.Key, row.Version, err)
			}
			s.compiled.store(definitionKey{row.Key, row.Version}, set)
		}
		fresh.newest = append(fresh.newest, set)
	}
	s.current.Store(fresh)
	return fresh.newest, nil
}

// ruleSetFor returns the set that judges a document type.
func ruleSetFor(sets []*rules.Set, documentType string) (*rules.Set, error) {
	for _, wanted := range []string{documentType, rules.AnyType} {
		for _, set := range sets {
			if slices.Contains(set.DocumentTypes, wanted) {
				return set, nil
			}
		}
	}
	return nil, domain.Errorf(domain.ProcessorNotFound, "No rule set judges documents of the type %q.", documentType).
		WithRemedy("Publish a rule set that names the type, then retry.")
}

// ruleSetPublishable are the rule sets as a publishable.
type ruleSetPublishable struct{ svc *Service }

func (ruleSetPublishable) kind() domain.ProposalKind { return domain.ProposeRuleSet }

func (ruleSetPublishable) stream(key string) domain.SystemStream { return domain.RuleSetStream(key) }

func (ruleSetPublishable) parseKey(document string) (string, validationResult) {
	set, problems := rules.CheckSet([]byte(document))
	if len(problems) > 0 {
		return "", refusedDefinition(ruleProblems(problems))
	}
	return set.Key, validationResult{}
}

func (ruleSetPublishable) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (s ruleSetPublishable) validate(ctx context.Context, r store.Reader, document string) (validationResult, error) {
	set, report, err := s.svc.checkRuleSet(ctx, r, document)
	if err != nil || len(report.Problems) > 0 {
		refused := refusedDefinition(report.Problems)
		refused.Report = report
		return refused, err
	}
	return validationResult{Report: report, key: set.Key, version: set.Version}, nil
}

func (ruleSetPublishable) newestVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	return r.NewestRuleSet(ctx, key)
}

func (ruleSetPublishable) document(ctx context.Context, r store.Reader, key string, version int) (string, error) {
	row, err := r.RuleSet(ctx, key, version)
	return row.Document, err
}

func (ruleSetPublishable) publish(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error) {
	return tx.PublishRuleSet(ctx, store.RuleSetRow{Key: p.Key, Version: p.Base + 1, Document: p.Document, PublishedBy: by, ProposalID: p.ID})
}

// ruleProblems are the faults of a rule set in the shape of all definitions; the node is the rule.
func ruleProblems(found []rules.Problem) []workflow.Problem {
	problems := make([]workflow.Problem, 0, len(found))
	for _, p := range found {
		problems = append(problems, workflow.Problem{Line: p.Line, Column: p.Column, Node: p.Rule, Rule: p.Check, Message: p.Message})
	}
	return problems
}

// ProposeRuleSet asks that a rule set become the next version of its key.
func (svc *Service) ProposeRuleSet(ctx context.Context, actor domain.Actor, in Propose) (ProposalResult, error) {
	return svc.propose(ctx, actor, ruleSetPublishable{svc}, in, 0)
}

// RestoreRuleSet proposes an earlier version of a rule set as its newest.
func (svc *Service) RestoreRuleSet(ctx context.Context, actor domain.Actor, in Restore) (ProposalResult, error) {
	return svc.restore(ctx, actor, ruleSetPublishable{svc}, in)
}

// PublishRuleSet publishes another administrator's proposal: every judgement from now on goes by it.
func (svc *Service) PublishRuleSet(ctx context.Context, actor domain.Actor, in EndProposal) (ProposalResult, error) {
	return svc.publish(ctx, actor, ruleSetPublishable{svc}, in)
}

// WithdrawRuleSet ends a proposal without publishing it.
func (svc *Service) WithdrawRuleSet(ctx context.Context, actor domain.Actor, in EndProposal) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, ruleSetPublishable{svc}, in)
}

// CheckRuleSet parses and compiles a text and asks whether it takes a document type from another set. The set is nil
// while the text has problems.
func (svc *Service) CheckRuleSet(ctx context.Context, actor domain.Actor, document string) (*rules.Set, ValidationReport, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, ValidationReport{}, err
	}
	return svc.checkRuleSet(ctx, svc.db.Reader(), document)
}

func (svc *Service) checkRuleSet(ctx context.Context, r store.Reader, document string) (*rules.Set, ValidationReport, error) {
	set, problems := rules.CheckSet([]byte(document))
	if len(problems) > 0 {
		return nil, ValidationReport{Problems: ruleProblems(problems)}, nil
	}
	var report ValidationReport
	others, err := svc.currentRuleSets(ctx, r)
	if err != nil {
		return nil, report, err
	}
	for _, other := range others {
		for _, documentType := range set.DocumentTypes {
			if other.Key != set.Key && slices.Contains(other.DocumentTypes, documentType) {
				report.Problems = append(report.Problems, workflow.Problem{Rule: "document_types",
					Message: fmt.Sprintf("documents of the type %q are judged by the set %s already", documentType, other.Key)})
			}
		}
	}
	if len(report.Problems) > 0 {
		return nil, report, nil
	}
	for _, rule := range set.Rules {
		if rule.Topic == rules.Account && slices.Contains(set.DocumentTypes, receiptType) {
			report.Warnings = append(report.Warnings, workflow.Problem{Line: rule.Line, Node: rule.ID, Rule: "not_asked",
				Message: "nothing is asked about the account on a receipt: this rule never speaks there"})
		}
	}
	unknownFindings, err := svc.unknownFindingsOfRuleSet(ctx, r, set, others)
	if err != nil {
		return nil, report, err
	}
	report.Warnings = append(report.Warnings, unknownFindings...)
	return set, report, nil
}

// RuleSetTrial is what a rule set would say of a case, beside what is said of it now.
type RuleSetTrial struct {
	Current, Proposed           []domain.Finding
	CurrentScore, ProposedScore int
	// Problem is why the set has no answer for the case.
	Problem string
}

// TryRuleSet judges a case, as it stands, by a text, and keeps nothing.
func (svc *Service) TryRuleSet(ctx context.Context, actor domain.Actor, document string, caseID domain.ID) (RuleSetTrial, *rules.Set, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return RuleSetTrial{}, nil, err
	}
	set, err := rules.ParseSet([]byte(document))
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	r := svc.db.Reader()
	c, err := svc.loadReadableCase(ctx, r, actor, caseID)
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	found, err := r.Findings(ctx, caseID)
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	trial := RuleSetTrial{CurrentScore: c.Risk}
	for _, finding := range found {
		trial.Current = append(trial.Current, finding.Finding)
	}
	fields, err := r.Fields(ctx, caseID)
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	newest, err := r.Document(ctx, caseID)
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	inputs, err := svc.loadRuleInputs(ctx, r, c, fieldsFromRows(fields), newest, now)
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	inputs.set = set
	validation, risk, score, err := svc.evaluateRules(ctx, c, inputs)
	if err != nil {
		trial.Problem = err.Error()
		return trial, set, nil
	}
	trial.Proposed, trial.ProposedScore = append(validation, risk...), score
	return trial, set, nil
}

// SetCountryRisk sets the risk of dealing with somebody in a country: elevated, high, or "" for none.
func (svc *Service) SetCountryRisk(ctx context.Context, actor domain.Actor, country, level string) error {
	if err := svc.inScope(ctx, actor, "setCountryRisk", domain.ActPublish); err != nil {
		return err
	}
	if len(country) != 2 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return domain.Invalid("country", "%q is not a country of two large letters", country)
	}
	if level != "" && level != "elevated" && level != "high" {
		return domain.Invalid("level", "the risk is elevated or high, not %q", level)
	}
	if !actor.System {
		if err := svc.authorizePublishing(ctx, actor); err != nil {
			return err
		}
	}
	return svc.db.Autocommit().PutCountryRisk(ctx, store.CountryRisk{Country: country, Level: level})
}

// loadReadableCase reads a case that the person may read; NotFound for one they never could.
func (svc *Service) loadReadableCase(ctx context.Context, r store.Reader, actor domain.Actor, id domain.ID) (domain.Case, error) {
	c, err := r.Case(ctx, id)
	if err != nil {
		return c, err
	}
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return domain.Case{}, err
	}
	reviews, err := r.ReviewsOf(ctx, id)
	if err != nil {
		return domain.Case{}, err
	}
	exclusions, err := r.Exclusions(ctx, id, c.PartyID)
	if err != nil {
		return domain.Case{}, err
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return domain.Case{}, err
	}
	_, err = authorizer.AuthorizeCase(user, domain.ActRead, store.NewCaseFacts(c, reviews, exclusions))
	if err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		err = domain.Errorf(domain.NotFound, "There is no such case, or you may not see it.")
	}
	return c, err
}
