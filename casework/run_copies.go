package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// The finding about copies of a document: of two undecided cases with the same document, one has the finding about
// duplicates, and the other one says that the document was submitted again (ADR 0130).

// maxNamedCopies is the number of cases that a finding about copies names. Further ones do not change it, so that a
// stream of copies cannot keep a review from being decided.
const maxNamedCopies = 5

const (
	// maxEvaluatedPairs is the number of cases that are evaluated right after a case has claimed pairs with them;
	// the sweeper evaluates the others.
	maxEvaluatedPairs = 20
	pairSweep         = 200 // cases in one sweep
	pairRetry         = 10 * time.Second
)

// copyRelation returns the first of what two documents have in common that makes one a possible copy of the other,
// NoDuplicate if nothing does.
func copyRelation(kinds []rules.DuplicateKind) rules.DuplicateKind {
	for _, kind := range kinds {
		if kind != rules.RejectedBefore && kind != rules.LinkedDocument {
			return kind
		}
	}
	return rules.NoDuplicate
}

// topicOf returns the topic of the rule that raised a finding, "" if the rule set does not have it.
func (inputs ruleInputs) topicOf(finding domain.Finding) rules.Topic {
	if rule, known := inputs.set.Rule(finding.Rule); known {
		return rule.Topic
	}
	return ""
}

// findingsOfTopic returns the findings of a topic that name other cases. Those without a known rule are about
// duplicates, as before rule sets were data.
func (svc *Service) findingsOfTopic(
	ctx context.Context, r store.Reader, findings []domain.Finding, topic rules.Topic,
) ([]domain.Finding, error) {
	var found []domain.Finding
	for _, finding := range findings {
		if len(finding.NamedCases()) == 0 {
			continue
		}
		rule, err := rules.RuleOf(svc.ruleSets.compiled, finding, r.RuleSetText(ctx))
		if err != nil {
			return nil, err
		}
		if rule != nil && rule.Topic == topic || rule == nil && topic == rules.Duplicates {
			found = append(found, finding)
		}
	}
	return found, nil
}

// nameCopies decides which cases the finding about copies names when the case is evaluated again: those that it
// names already, except those whose pair a reviewer has ended, and new ones while there is room. What a
// submitter does ends none, because submitting and withdrawing copies in turn would otherwise change the case each
// time. After the last decision nothing is added: the other case has the finding.
func (c *command) nameCopies(inputs *ruleInputs, stored []domain.Finding) error {
	var copies []rules.Copy
	for _, finding := range stored {
		if inputs.topicOf(finding) == rules.Copies {
			copies = append(copies, inputs.storedCopies(finding)...)
		}
	}
	copies = slices.DeleteFunc(copies, func(one rules.Copy) bool { return inputs.isPairEnded(one.Reference) })
	decided := false
	if isPassed(c.before) {
		voted, err := c.votedReviews()
		if err != nil {
			return err
		}
		decided = len(voted) > 0
	}
	for _, hit := range inputs.duplicates {
		named := slices.ContainsFunc(copies, func(one rules.Copy) bool { return one.Reference == hit.Reference })
		if hit.Kind == rules.SubmittedAgain && !decided && len(copies) < maxNamedCopies && !named {
			copies = append(copies, rules.Copy{Reference: hit.Reference, Relation: hit.Relation})
		}
	}
	inputs.prepared = inputs.prepared.WithSubmittedAgain(copies)
	return nil
}

// storedCopies returns the cases that a stored finding names, with what they had in common with this one when it
// named them. Earlier versions did not record that; then it is what they have in common now.
func (inputs ruleInputs) storedCopies(finding domain.Finding) []rules.Copy {
	recorded := rules.CopiesIn(finding.Evidence)
	var copies []rules.Copy
	for _, reference := range finding.NamedCases() {
		one, known := recorded[reference]
		if !known {
			one.Reference = reference
			for _, hit := range inputs.duplicates {
				if hit.Kind == rules.SubmittedAgain && hit.Reference == reference {
					one.Relation = hit.Relation
				}
			}
		}
		copies = append(copies, one)
	}
	return copies
}

// isPassed reports whether a case was approved and what follows has begun.
func isPassed(c domain.Case) bool {
	return store.DuplicateCandidate{Status: c.Status, Outcome: c.Outcome}.Passed()
}

// isUnread reports whether a case has not been assessed since it was submitted.
func isUnread(c domain.Case) bool { return store.DuplicateCandidate{Status: c.Status}.Unread() }

// isPairEnded reports whether a reviewer has cleared the pair with the case of the reference, or has approved or
// rejected that case.
func (inputs ruleInputs) isPairEnded(reference string) bool {
	return slices.ContainsFunc(inputs.candidates, func(other store.DuplicateCandidate) bool {
		return other.Reference == reference && (other.Cleared || other.Passed() ||
			other.Status == domain.Rejected || other.Outcome == domain.Rejected)
	})
}

// endedCopies matches stored findings about copies that the evaluated findings do not have any more.
func (inputs ruleInputs) endedCopies(evaluated []domain.Finding) func(domain.Finding) bool {
	return func(finding domain.Finding) bool {
		return inputs.topicOf(finding) == rules.Copies && !slices.ContainsFunc(evaluated, sameRule(finding))
	}
}

// saysSame matches findings that say the same as this one.
func saysSame(finding domain.Finding) func(domain.Finding) bool {
	return func(other domain.Finding) bool { return other.Hash() == finding.Hash() }
}

// hasAssessed reports whether the risk of the case was assessed, so that an evaluation may add a finding to it. A
// worker that assesses it now has perhaps read the pairs before.
func (c *command) hasAssessed() bool {
	assesses := func(n *workflow.Node) bool { return n.Behaviour == domain.BehaviourAssess }
	if !slices.ContainsFunc(c.def.Nodes, assesses) {
		return true
	}
	return slices.ContainsFunc(c.def.Nodes, func(n *workflow.Node) bool { return assesses(n) && c.passedStage(n.ID) })
}

// endPairEvaluations removes the requests to evaluate the case, which the command does, or postpones them until its
// risk was assessed.
func (c *command) endPairEvaluations() error {
	if c.before.Status.Final() || c.hasAssessed() {
		return c.tx.EndPairEvaluations(c.ctx, c.before.ID)
	}
	return c.tx.PostponePairEvaluations(c.ctx, c.before.ID, pairRetry)
}

// requireSeenCopies refuses an approval of a case with which another one has claimed a pair, or whose account another
// vendor has, since its last evaluation.
func (c *command) requireSeenCopies() error {
	if !c.hasAssessed() {
		return nil
	}
	requested, err := c.tx.RequestedPairEvaluations(c.ctx, []domain.ID{c.before.ID})
	if err == nil && len(requested) > 0 {
		err = errPairFirst
	}
	return err
}

// evaluateClaimedPairs evaluates the cases with which a case has claimed pairs, so that their reviewers see that the
// document was submitted again. What fails or is left out is done by the sweeper, and before an approval.
func (svc *Service) evaluateClaimedPairs(ctx context.Context, claims []store.PairClaim) {
	others := make([]domain.ID, 0, maxEvaluatedPairs)
	for _, claim := range claims[:min(len(claims), maxEvaluatedPairs)] {
		others = append(others, claim.Other)
	}
	requested, err := svc.db.Reader().RequestedPairEvaluations(ctx, others)
	svc.evaluateRequested(ctx, requested, err)
}

// evaluateRequested evaluates cases whose evaluation was requested.
func (svc *Service) evaluateRequested(ctx context.Context, requested []domain.ID, err error) {
	for _, other := range requested {
		err = firstError(err, svc.reevaluateCase(ctx, other, severalCauses))
	}
	if err != nil {
		svc.log.WarnContext(ctx, "cases not evaluated again", "error", err)
	}
}

// EvaluatePairs evaluates cases with which other cases have claimed pairs or share an account, and that were not
// evaluated since. It returns how many.
func (svc *Service) EvaluatePairs(ctx context.Context) (int, error) {
	due, err := svc.db.Reader().DuePairEvaluations(ctx, pairSweep)
	if err != nil {
		return 0, err
	}
	for done, id := range due {
		err := svc.reevaluateCase(ctx, id, severalCauses)
		if err == nil {
			continue
		}
		if domain.CodeOf(err) == domain.Unavailable || ctx.Err() != nil {
			return done, err
		}
		svc.log.ErrorContext(ctx, "case not evaluated again", "case", id, "error", err)
		if err := svc.db.Autocommit().PostponePairEvaluations(ctx, id, pairRetry); err != nil {
			return done, err
		}
	}
	return len(due), nil
}
