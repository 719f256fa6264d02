package casework

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// ruleSetCache caches the newest rule sets and compiles each version once. It has no lock: a caller
// waiting for one would keep its database connection, and all connections could end up waiting.
type ruleSetCache struct {
	current  atomic.Pointer[ruleSetSnapshot]
	compiled *domain.VersionCache[*rules.Set]
}

// ruleSetSnapshot contains the newest rule sets as of a number of published versions.
type ruleSetSnapshot struct {
	publishedVersions int64
	newest            []*rules.Set
	windows           []int // hours over which any of the newest sets sums amounts
}

// windows returns the windows of the cached sets; none before they are loaded.
func (s *ruleSetCache) windows() []int {
	if cached := s.current.Load(); cached != nil {
		return cached.windows
	}
	return nil
}

// newestSets returns the newest rule sets. It reloads them when the number of published versions
// differs from the cached one.
func (s *ruleSetCache) newestSets(
	ctx context.Context, r store.Reader, count int64,
) ([]*rules.Set, error) {
	if cached := s.current.Load(); cached != nil && cached.publishedVersions == count {
		return cached.newest, nil
	}
	rows, err := r.RuleSets(ctx)
	if err != nil {
		return nil, err
	}
	snapshot := &ruleSetSnapshot{publishedVersions: int64(len(rows))}
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		set, err := rules.CompilePublished(s.compiled, row.Key, row.Version, row.Document)
		if err != nil {
			return nil, err
		}
		snapshot.newest = append(snapshot.newest, set)
	}
	snapshot.windows = windowsOf(snapshot.newest)
	s.current.Store(snapshot)
	return snapshot.newest, nil
}

// ruleSetPublishable implements publishable for rule sets.
type ruleSetPublishable struct {
	selfContained
	svc *Service
}

func (ruleSetPublishable) kind() domain.ProposalKind { return domain.ProposeRuleSet }

func (ruleSetPublishable) stream(key string) domain.SystemStream {
	return domain.RuleSetStream(key)
}

func (ruleSetPublishable) parseKey(document string) (string, validationResult) {
	// validate requires titles; the consistency check of published sets must not.
	set, problems := rules.CheckPublished([]byte(document))
	if len(problems) > 0 {
		return "", refusedDefinition(ruleProblems(problems))
	}
	return set.Key, validationResult{}
}

func (ruleSetPublishable) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (s ruleSetPublishable) validate(
	ctx context.Context, r store.Reader, document string,
) (validationResult, error) {
	set, report, err := s.svc.checkRuleSet(ctx, r, document)
	if err != nil || len(report.Problems) > 0 {
		refused := refusedDefinition(report.Problems)
		refused.Report = report
		return refused, err
	}
	return validationResult{Report: report, key: set.Key, version: set.Version}, nil
}

func (ruleSetPublishable) newestVersion(
	ctx context.Context, r store.Reader, key string,
) (int, error) {
	return r.NewestRuleSet(ctx, key)
}

func (ruleSetPublishable) document(
	ctx context.Context, r store.Reader, key string, version int,
) (string, error) {
	row, err := r.RuleSet(ctx, key, version)
	return row.Document, err
}

func (ruleSetPublishable) publish(
	ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID,
) (bool, error) {
	return tx.PublishRuleSet(ctx,
		store.RuleSetRow{Key: p.Key, Version: p.Base + 1, Document: p.Document, PublishedBy: by,
			ProposalID: p.ID})
}

// ruleProblems converts the problems of a rule set to those of definitions; Node is the rule's id.
func ruleProblems(found []rules.Problem) []workflow.Problem {
	problems := make([]workflow.Problem, 0, len(found))
	for _, p := range found {
		problems = append(problems,
			workflow.Problem{Line: p.Line, Column: p.Column, Node: p.Rule, Rule: p.Check,
				Message: p.Message})
	}
	return problems
}

// ProposeRuleSet proposes a rule set as the next version of its key.
func (svc *Service) ProposeRuleSet(
	ctx context.Context, actor domain.Actor, in Propose,
) (ProposalResult, error) {
	return svc.propose(ctx, actor, ruleSetPublishable{svc: svc}, in, 0)
}

// RestoreRuleSet proposes an earlier version of a rule set as the next one.
func (svc *Service) RestoreRuleSet(
	ctx context.Context, actor domain.Actor, in Restore,
) (ProposalResult, error) {
	return svc.restore(ctx, actor, ruleSetPublishable{svc: svc}, in)
}

// PublishRuleSet publishes another administrator's proposal. Every later evaluation uses it.
func (svc *Service) PublishRuleSet(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.publish(ctx, actor, ruleSetPublishable{svc: svc}, in)
}

// WithdrawRuleSet ends a proposal without publishing it.
func (svc *Service) WithdrawRuleSet(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, ruleSetPublishable{svc: svc}, in)
}

// CheckRuleSet parses and compiles a rule set and checks that no other set covers one of its
// document types. The returned set is nil if the text has problems.
func (svc *Service) CheckRuleSet(
	ctx context.Context, actor domain.Actor, document string,
) (*rules.Set, ValidationReport, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, ValidationReport{}, err
	}
	return svc.checkRuleSet(ctx, svc.db.Reader(), document)
}

func (svc *Service) checkRuleSet(ctx context.Context, r store.Reader, document string) (*rules.Set,
	ValidationReport, error) {
	set, problems, err := parseProposedRuleSet(ctx, r, document)
	if err != nil {
		return nil, ValidationReport{}, err
	}
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
					Message: fmt.Sprintf(
						"documents of the type %q are already covered by the rule set %s",
						documentType, other.Key)})
			}
		}
	}
	types, err := svc.newestDocumentTypes(ctx, r)
	if err != nil {
		return nil, report, err
	}
	report.Problems = append(report.Problems, undeclaredFields(set, types)...)
	if len(report.Problems) > 0 {
		return nil, report, nil
	}
	for _, rule := range set.Rules {
		if rule.Topic == rules.Account && slices.Contains(set.DocumentTypes, receiptType) {
			report.Warnings = append(report.Warnings,
				workflow.Problem{Line: rule.Line, Node: rule.ID, Rule: "not_asked",
					Message: "receipts have no account facts, so this rule never applies to them"})
		}
	}
	unknownFindings, err := svc.unknownFindingsOfRuleSet(ctx, r, set, others)
	if err != nil {
		return nil, report, err
	}
	report.Warnings = append(report.Warnings, unknownFindings...)
	return set, report, nil
}

// parseProposedRuleSet requires a title of every rule, except in a text that was published before
// titles were required: such a version can still be restored.
func parseProposedRuleSet(
	ctx context.Context, r store.Reader, document string,
) (*rules.Set, []rules.Problem, error) {
	set, problems := rules.CheckSet([]byte(document))
	if len(problems) == 0 {
		return set, nil, nil
	}
	rows, err := r.RuleSets(ctx)
	if err != nil {
		return nil, nil, err
	}
	unversioned := workflow.WithVersion([]byte(document), 0)
	for _, row := range rows {
		if bytes.Equal(workflow.WithVersion([]byte(row.Document), 0), unversioned) {
			set, problems = rules.CheckPublished([]byte(document))
			break
		}
	}
	return set, problems, nil
}

// RuleSetTrial compares the findings of a proposed rule set for a case with those of the published one. Both are
// evaluated at the same time, so that what happened since the case was assessed is no difference.
type RuleSetTrial struct {
	Current, Proposed           []domain.Finding
	CurrentScore, ProposedScore int
	// Problem explains why the set could not be evaluated for the case.
	Problem string
}

// TryRuleSet evaluates a rule set text on a case in its present state, without storing anything.
func (svc *Service) TryRuleSet(
	ctx context.Context, actor domain.Actor, document string, caseID domain.ID,
) (RuleSetTrial, *rules.Set, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return RuleSetTrial{}, nil, err
	}
	set, err := rules.ParsePublished([]byte(document))
	if err != nil {
		return RuleSetTrial{}, nil, err
	}
	c, inputs, err := svc.ruleInputsOf(ctx, actor, caseID)
	if err != nil && !domain.HasCode(err, domain.ProcessorNotFound) {
		return RuleSetTrial{}, nil, err
	}
	var trial RuleSetTrial
	if inputs.set != nil { // no published set names the type of the case otherwise
		// A published set that fails for the case, which is an incident of the case, has no findings.
		if validation, risk, score, err := svc.evaluateRules(ctx, c, inputs); err == nil {
			trial.Current, trial.CurrentScore = append(validation, risk...), score
		}
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

// loadReadableCase returns a case that the user may read, or NotFound.
func (svc *Service) loadReadableCase(
	ctx context.Context, r store.Reader, actor domain.Actor, id domain.ID,
) (domain.Case, error) {
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
	exclusions, err := r.Exclusions(ctx, id, c.Parties())
	if err != nil {
		return domain.Case{}, err
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return domain.Case{}, err
	}
	_, err = authorizer.AuthorizeCase(user, domain.ActRead,
		store.NewCaseFacts(c, reviews, exclusions))
	if err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		err = domain.NewNotFound()
	}
	return c, err
}
