package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// ReopenCase takes a case up again that is over. Reason is owed.
type ReopenCase struct {
	OnCase
	Reason string
}

// ReopenCase brings a closed case back, where its process allows it: it goes on where entered values would, with the next
// visit. Old decisions stay in the record and count for nothing; the manifest of the first end stays where it is. It is
// for who may give reviews to others, never for one's own document.
func (h *Hall) ReopenCase(ctx context.Context, actor domain.Actor, in ReopenCase) (Changed, error) {
	reason, err := needReason(in.Reason, "reopen")
	if err != nil {
		return Changed{}, err
	}
	return onCase(ctx, h, actor, "reopen", in.CaseID, in.Once, in, func(c *command) (Changed, error) {
		if err := c.mayReopen(); err != nil {
			return Changed{}, err
		}
		if err := expect(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
			return Changed{}, err
		}
		from := c.before.Status
		if !from.Final() || !slices.Contains(c.def.Reopen, from) {
			return Changed{}, domain.Fail(domain.StateMismatch, "A case that is %s cannot be reopened in this process.", strings.ReplaceAll(string(from), "_", " ")).
				WithDetail("status", string(from)).WithWayOut("Submit the document anew.")
		}
		replaced, err := c.replacedSinceReturn()
		if err != nil {
			return Changed{}, err
		}
		at := c.def.OnEnter
		if replaced {
			at = c.def.OnReplace
		}
		kase := &c.change.Case
		kase.Outcome, kase.OutcomeReason, kase.ManifestKey = "", "", ""
		kase.FactsRevision++
		c.tellMain(generated.CaseReopenedV1{By: c.actor.UserID, From: string(from), Reason: reason, ReenterAt: at})
		if err := c.lockReviews(); err != nil {
			return Changed{}, err
		}
		if err := c.fell(func(domain.Vote) bool { return true }, "reopened"); err != nil {
			return Changed{}, err
		}
		return c.changed(), c.goOn(workflow.Event{Kind: workflow.Reopened, From: from, ReplacedDocument: replaced})
	})
}

func (c *command) mayReopen() error {
	if err := c.mayCase(domain.ActRead); err != nil {
		return err
	}
	if err := scope(c.actor, domain.ActReassign); err != nil {
		return err
	}
	filter, err := c.held.judge.ReassignFilter(c.persons[0])
	switch {
	case err != nil:
		return err
	case filter.Const != nil && !*filter.Const:
		return domain.Fail(domain.NotPermitted, "A closed case is reopened by a manager.")
	case c.before.Submitter == c.actor.UserID:
		return domain.Fail(domain.OwnDocument, "This is your own document; another manager can reopen it.")
	}
	return nil
}
