package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// ReopenCase reopens a case that has ended. Reason is required.
type ReopenCase struct {
	CaseTarget
	Reason string
}

// ReopenCase reopens a closed case if its process allows it. The case continues where entered
// values would, with the next visit. Earlier decisions remain on record but no longer count, and
// the first manifest is kept. Only users who may reassign reviews can reopen a case, and never
// their own document.
func (svc *Service) ReopenCase(
	ctx context.Context, actor domain.Actor, in ReopenCase,
) (CaseResult, error) {
	if err := svc.inScope(ctx, actor, "reopen", domain.ActReassign); err != nil {
		return CaseResult{}, err
	}
	reason, err := requireReason(in.Reason, "reopen")
	if err != nil {
		return CaseResult{}, err
	}
	return runCaseCommand(ctx, svc, actor, "reopen", in.CaseID, in.Once, in,
		func(c *command) (CaseResult, error) {
			if err := c.authorizeReopen(); err != nil {
				return CaseResult{}, err
			}
			if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
				return CaseResult{}, err
			}
			if err := c.refuseSplit(); err != nil {
				return CaseResult{}, err
			}
			from := c.before.Status
			if !from.Final() || !slices.Contains(c.def.Reopen, from) {
				return CaseResult{}, domain.Errorf(domain.StateMismatch,
					"A case that is %s cannot be reopened in this process.",
					strings.ReplaceAll(string(from), "_", " ")).
					WithDetail("status", string(from)).WithRemedy("Submit the document again.")
			}
			replaced, err := c.replacedSinceReturn()
			if err != nil {
				return CaseResult{}, err
			}
			at := c.def.OnEnter
			if replaced {
				at = c.def.OnReplace
			}
			record := &c.change.Case
			record.Outcome, record.OutcomeReason, record.ManifestKey = "", "", ""
			record.FactsRevision++
			c.emitStatusEvent(generated.CaseReopenedV1{By: c.actor.UserID, From: string(from),
				Reason: reason, ReenterAt: at})
			if err := firstError(c.lockReviews(), c.applyPresentRates()); err != nil {
				return CaseResult{}, err
			}
			if err := c.revokeVotes(func(domain.Vote) bool { return true },
				"reopened"); err != nil {
				return CaseResult{}, err
			}
			return c.caseResult(), c.advanceProcess(workflow.Event{Kind: workflow.Reopened,
				From:             from,
				ReplacedDocument: replaced})
		})
}

func (c *command) authorizeReopen() error {
	if err := c.authorizeCase(domain.ActRead); err != nil {
		return err
	}
	if err := checkScope(c.actor, domain.ActReassign); err != nil {
		return err
	}
	filter, err := c.snapshot.authorizer.ReassignFilter(c.persons[0])
	switch {
	case err != nil:
		return err
	case filter.Const != nil && !*filter.Const:
		return domain.Errorf(domain.NotPermitted, "Only a manager can reopen a closed case.")
	case c.persons[0].IsSamePerson(c.before.Submitter):
		return domain.Errorf(domain.OwnDocument,
			"This is your own document. Another manager must reopen it.")
	}
	return nil
}
