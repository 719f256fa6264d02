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

// ruleSets holds the newest rule sets, each version compiled once. Nobody waits for another here: a command that waited
// while it holds a connection would wait for ever when all do.
type ruleSets struct {
	shelf atomic.Pointer[shelf]
	known syncMap[definitionKey, *rules.Set]
}

// shelf is the newest sets as of so many published versions.
type shelf struct {
	count  int64
	newest []*rules.Set
}

// at returns the newest sets, read anew when more versions are published than were known.
func (s *ruleSets) at(ctx context.Context, r store.Reader, count int64) ([]*rules.Set, error) {
	if held := s.shelf.Load(); held != nil && held.count == count {
		return held.newest, nil
	}
	rows, err := r.RuleSets(ctx)
	if err != nil {
		return nil, err
	}
	fresh := &shelf{count: int64(len(rows))}
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		set, ok := s.known.load(definitionKey{row.Key, row.Version})
		if !ok {
			if set, err = rules.Published([]byte(row.Document)); err != nil {
				return nil, fmt.Errorf("casework: published rule set %s version %d: %w", row.Key, row.Version, err)
			}
			s.known.store(definitionKey{row.Key, row.Version}, set)
		}
		fresh.newest = append(fresh.newest, set)
	}
	s.shelf.Store(fresh)
	return fresh.newest, nil
}

// setFor returns the set that judges a document type.
func setFor(sets []*rules.Set, documentType string) (*rules.Set, error) {
	for _, wanted := range []string{documentType, rules.AnyType} {
		for _, set := range sets {
			if slices.Contains(set.DocumentTypes, wanted) {
				return set, nil
			}
		}
	}
	return nil, domain.Fail(domain.ProcessorNotFound, "No rule set judges documents of the type %q.", documentType).
		WithWayOut("Publish a rule set that names the type, then retry.")
}

// ruleSubject are the rule sets as a subject.
type ruleSubject struct{ hall *Hall }

func (ruleSubject) kind() domain.ProposalKind { return domain.ProposeRuleSet }

func (ruleSubject) stream(key string) domain.SystemStream { return domain.RuleSetStream(key) }

func (ruleSubject) keyOf(document string) (string, judgedText) {
	set, problems := rules.CheckSet([]byte(document))
	if len(problems) > 0 {
		return "", refusedText(ruleProblems(problems))
	}
	return set.Key, judgedText{}
}

func (ruleSubject) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (s ruleSubject) judge(ctx context.Context, r store.Reader, document string) (judgedText, error) {
	set, report, err := s.hall.checkRuleSet(ctx, r, document)
	if err != nil || len(report.Problems) > 0 {
		refused := refusedText(report.Problems)
		refused.Report = report
		return refused, err
	}
	return judgedText{Report: report, of: set.Key, authored: set.Version}, nil
}

func (ruleSubject) newest(ctx context.Context, r store.Reader, key string) (int, error) {
	return r.NewestRuleSet(ctx, key)
}

func (ruleSubject) text(ctx context.Context, r store.Reader, key string, version int) (string, error) {
	row, err := r.RuleSet(ctx, key, version)
	return row.Document, err
}

func (ruleSubject) put(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error) {
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
func (h *Hall) ProposeRuleSet(ctx context.Context, actor domain.Actor, in Propose) (Proposed, error) {
	return h.propose(ctx, actor, ruleSubject{h}, in, 0)
}

// RestoreRuleSet proposes an earlier version of a rule set as its newest.
func (h *Hall) RestoreRuleSet(ctx context.Context, actor domain.Actor, in Restore) (Proposed, error) {
	return h.restore(ctx, actor, ruleSubject{h}, in)
}

// PublishRuleSet publishes another administrator's proposal: every judgement from now on goes by it.
func (h *Hall) PublishRuleSet(ctx context.Context, actor domain.Actor, in EndProposal) (Proposed, error) {
	return h.publish(ctx, actor, ruleSubject{h}, in)
}

// WithdrawRuleSet ends a proposal without publishing it.
func (h *Hall) WithdrawRuleSet(ctx context.Context, actor domain.Actor, in EndProposal) (Proposed, error) {
	return h.withdraw(ctx, actor, ruleSubject{h}, in)
}

// CheckRuleSet parses and compiles a text and asks whether it takes a document type from another set. The set is nil
// while the text has problems.
func (h *Hall) CheckRuleSet(ctx context.Context, actor domain.Actor, document string) (*rules.Set, Report, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		return nil, Report{}, err
	}
	return h.checkRuleSet(ctx, h.db.Reader(), document)
}

func (h *Hall) checkRuleSet(ctx context.Context, r store.Reader, document string) (*rules.Set, Report, error) {
	set, problems := rules.CheckSet([]byte(document))
	if len(problems) > 0 {
		return nil, Report{Problems: ruleProblems(problems)}, nil
	}
	var report Report
	others, err := h.setsInForce(ctx, r)
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
	inVain, err := h.warnRuleSet(ctx, r, set, others)
	if err != nil {
		return nil, report, err
	}
	report.Warnings = append(report.Warnings, inVain...)
	return set, report, nil
}

// Trial is what a rule set would say of a case, beside what is said of it now.
type Trial struct {
	Now, Then           []domain.Finding
	NowScore, ThenScore int
	// Problem is why the set has no answer for the case.
	Problem string
}

// TryRuleSet judges a case, as it stands, by a text, and keeps nothing.
func (h *Hall) TryRuleSet(ctx context.Context, actor domain.Actor, document string, caseID domain.ID) (Trial, *rules.Set, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		return Trial{}, nil, err
	}
	set, err := rules.ParseSet([]byte(document))
	if err != nil {
		return Trial{}, nil, err
	}
	r := h.db.Reader()
	c, err := h.readable(ctx, r, actor, caseID)
	if err != nil {
		return Trial{}, nil, err
	}
	found, err := r.Findings(ctx, caseID)
	if err != nil {
		return Trial{}, nil, err
	}
	trial := Trial{NowScore: c.Risk}
	for _, finding := range found {
		trial.Now = append(trial.Now, finding.Finding)
	}
	fields, err := r.Fields(ctx, caseID)
	if err != nil {
		return Trial{}, nil, err
	}
	newest, err := r.Document(ctx, caseID)
	if err != nil {
		return Trial{}, nil, err
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return Trial{}, nil, err
	}
	shown, err := h.gather(ctx, r, c, plainFields(fields), newest, now)
	if err != nil {
		return Trial{}, nil, err
	}
	shown.set = set
	validation, risk, score, err := h.judgeBoth(ctx, c, shown)
	if err != nil {
		trial.Problem = err.Error()
		return trial, set, nil
	}
	trial.Then, trial.ThenScore = append(validation, risk...), score
	return trial, set, nil
}

// SetCountryRisk sets the risk of dealing with somebody in a country: elevated, high, or "" for none.
func (h *Hall) SetCountryRisk(ctx context.Context, actor domain.Actor, country, level string) error {
	if len(country) != 2 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return domain.Invalid("country", "%q is not a country of two large letters", country)
	}
	if level != "" && level != "elevated" && level != "high" {
		return domain.Invalid("level", "the risk is elevated or high, not %q", level)
	}
	if !actor.System {
		if err := h.mayAuthor(ctx, actor); err != nil {
			return err
		}
	}
	return h.db.Alone().PutCountryRisk(ctx, store.CountryRisk{Country: country, Level: level})
}

// readable reads a case that the person may read; NotFound for one they never could.
func (h *Hall) readable(ctx context.Context, r store.Reader, actor domain.Actor, id domain.ID) (domain.Case, error) {
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
	bars, err := r.BarsOf(ctx, id, c.PartyID)
	if err != nil {
		return domain.Case{}, err
	}
	judge, err := h.Judge(ctx)
	if err != nil {
		return domain.Case{}, err
	}
	_, err = judge.AuthorizeCase(user, domain.ActRead, store.CaseFactsOf(c, reviews, bars))
	if err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		err = domain.Fail(domain.NotFound, "There is no such case, or you may not see it.")
	}
	return c, err
}
