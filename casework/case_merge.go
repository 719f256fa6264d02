package casework

import (
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/workflow"
)

// MergeParts asks to undo the split of a file, under a claim of a review of one of its parts.
type MergeParts struct {
	ReviewTarget
	Reason string
}

// maxMergeReason is the maximum length of the reason of a merge, in characters.
const maxMergeReason = 1000

// MergeResult is the new case with all pages, and the cases of the parts.
type MergeResult struct {
	CaseID    domain.ID
	Reference string
	Parts     []domain.ID
}

// MergeParts undoes a split before any of the parts is decided. Every part ends as abandoned, and a new
// case has all pages, what was stated about the file and about each part, and the reviews of all of them.
// No vote is carried over. The person who split the file claims no part, so another one merges.
func (svc *Service) MergeParts(
	ctx context.Context, actor domain.Actor, in MergeParts,
) (MergeResult, error) {
	if err := svc.inScope(ctx, actor, "merge", domain.ActCorrect); err != nil {
		return MergeResult{}, err
	}
	in.Reason = strings.TrimSpace(in.Reason)
	switch {
	case in.Reason == "":
		return MergeResult{}, domain.Invalid("reason", "Enter why the parts are one document.")
	case domain.Longer(in.Reason, maxMergeReason):
		return MergeResult{}, tooLong("reason", maxMergeReason)
	}
	if err := domain.CheckText("reason", in.Reason); err != nil {
		return MergeResult{}, err
	}
	return runSplitCommand(ctx, svc, actor, "merge", in.ReviewTarget, in,
		func(c *command, review domain.Review) ([]*transition, MergeResult, error) {
			return c.mergeParts(review, in)
		})
}

func (c *command) mergeParts(
	review domain.Review, in MergeParts,
) ([]*transition, MergeResult, error) {
	if err := c.authorizeAtVersion(domain.ActCorrect, review, in.ExpectedVersion); err != nil {
		return nil, MergeResult{}, err
	}
	parts, err := c.lockParts()
	if err != nil {
		return nil, MergeResult{}, err
	}
	for _, part := range parts {
		if err := part.mayMerge(c.before.ID); err != nil {
			return nil, MergeResult{}, err
		}
	}
	heritage, err := c.heritageOfMerge(parts)
	if err != nil {
		return nil, MergeResult{}, err
	}
	inserted, err := c.insertParts(heritage, []domain.CasePart{heritage.merged(parts)})
	if err != nil {
		return nil, MergeResult{}, err
	}
	merged := inserted[0].change.Case
	result := MergeResult{CaseID: merged.ID, Reference: merged.Reference}
	changed := inserted
	for _, part := range parts {
		result.Parts = append(result.Parts, part.before.ID)
		if err := part.endAsMerged(merged, in.Reason); err != nil {
			return nil, MergeResult{}, err
		}
		if part == c {
			continue // its command writes it
		}
		if err := part.write(); err != nil {
			return nil, MergeResult{}, err
		}
		changed = append(changed, part.transition)
	}
	return changed, result, nil
}

// lockParts locks all parts of the split of which the case is one, and returns a command for each.
func (c *command) lockParts() ([]*command, error) {
	if !c.before.Part.IsPart() || c.before.Part.Merged {
		return nil, domain.Errorf(domain.StateMismatch,
			"This case is not a part of a file that was split.").
			WithDetail("status", string(c.before.Status))
	}
	found, err := c.tx.PartsOf(c.ctx, c.before.Part.Parent)
	if err != nil {
		return nil, err
	}
	var parts []*command
	for _, part := range found {
		if part.ID == c.before.ID {
			parts = append(parts, c)
			continue
		}
		other := c.onAnotherCase()
		if err := other.lock(part.ID); err != nil {
			return nil, err
		}
		parts = append(parts, other)
	}
	return parts, nil
}

// mayMerge refuses to merge a part that has ended, was decided or is being decided by another person, and
// one whose pages are no longer those of the file.
func (c *command) mayMerge(acting domain.ID) error {
	refuse := func(reason, message string) *domain.Error {
		return domain.Errorf(domain.StateMismatch, message, c.before.Reference).
			WithDetail("reason", reason).WithDetail("case", c.before.Reference).
			WithDetail("status", string(c.before.Status))
	}
	if err := c.refuseSupporting(); err != nil {
		return err
	}
	document, err := c.newestDocument()
	if err != nil {
		return err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	if err := c.lockReviews(); err != nil {
		return err
	}
	claimed := func(r domain.Review) bool {
		return r.Status == domain.ReviewClaimed && r.ClaimUntil.After(c.now)
	}
	decided := func(r domain.Review) bool {
		return r.Status == domain.ReviewDecided && !r.Repairs()
	}
	switch {
	case c.before.Status.Final() || c.before.Outcome != "" || c.before.Part.Merged ||
		c.before.Status == domain.Approved || c.before.Status == domain.Settling:
		return refuse("ended", "The part %s has ended or is being closed, so the parts cannot be merged.")
	case len(exclusions.Votes) > 0 || slices.ContainsFunc(c.reviews, decided):
		return refuse("decided", "The part %s was decided, so the parts cannot be merged.")
	case c.before.ID != acting && slices.ContainsFunc(c.reviews, claimed):
		return refuse("claimed",
			"Another review of the part %s is claimed, so the parts cannot be merged now.").
			WithRemedy("Ask its reviewer to release it.")
	case !c.before.Part.PagesOf(document):
		return refuse("replaced",
			"The document of the part %s was replaced, so the parts cannot be merged.")
	}
	return nil
}

// heritageOfMerge reads what the case with all pages inherits: what the split case had, and what was stated
// about the parts since. A statement about a part resolves nothing about the file.
func (c *command) heritageOfMerge(parts []*command) (*heritage, error) {
	parent, err := c.tx.Case(c.ctx, c.before.Part.Parent)
	if err != nil {
		return nil, err
	}
	h := &heritage{origin: parent}
	if h.document, err = c.tx.Document(c.ctx, parent.ID); err != nil {
		return nil, err
	}
	for i, part := range parts {
		history, err := part.assertedBefore()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			h.statements = inheritedStatements(history)
		}
		h.statements = append(h.statements, statedSince(part.before.ID, history)...)
		for _, review := range keepReviews(part.before.Part.Reviews, part.reviews) {
			h.reviews = keepReview(h.reviews, review)
		}
		exclusions, err := part.loadExclusions()
		if err != nil {
			return nil, err
		}
		h.excluded = slices.Concat(h.excluded, exclusions.Interested, exclusions.Conflicted)
	}
	h.duplicates, err = c.tx.Duplicates(c.ctx, c.before.ID, h.document.SHA256)
	return h, err
}

// inheritedStatements returns what a part inherited, which is the same for all parts of a file.
func inheritedStatements(history facts.History) []domain.AssertionSet {
	var sets []domain.AssertionSet
	for _, set := range history {
		if slices.ContainsFunc(set.Assertions,
			func(a domain.Assertion) bool { return a.InheritedFrom != domain.NoID }) {
			sets = append(sets, set)
		}
	}
	return sets
}

// statedSince returns what was stated about a part itself, without readings, and without resolving.
func statedSince(id domain.ID, history facts.History) []domain.AssertionSet {
	own := slices.DeleteFunc(slices.Clone(history), func(set domain.AssertionSet) bool {
		return set.Source.IsMachine() || slices.ContainsFunc(set.Assertions,
			func(a domain.Assertion) bool { return a.InheritedFrom != domain.NoID })
	})
	sets := inheritedFrom(id, own)
	for i := range sets {
		for j := range sets[i].Assertions {
			sets[i].Assertions[j].Resolves = false
		}
	}
	return sets
}

// mergedParts returns the parts that were merged into the case, or into a file of which it is a part.
func (c *command) mergedParts() (merged []domain.ID, err error) {
	for record := c.before; record.Part.IsPart(); {
		if record.Part.Merged {
			parts, err := c.tx.PartsOf(c.ctx, record.Part.Parent)
			if err != nil {
				return nil, err
			}
			for i := range parts {
				if parts[i].ID != record.ID {
					merged = append(merged, parts[i].ID)
				}
			}
		}
		if record, err = c.tx.Case(c.ctx, record.Part.Parent); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// merged returns the part that has the pages of all parts.
func (h *heritage) merged(parts []*command) domain.CasePart {
	all := parts[0].before.Part
	for _, part := range parts {
		all.First = min(all.First, part.before.Part.First)
		all.Last = max(all.Last, part.before.Part.Last)
	}
	all.Merged, all.Reviews = true, h.reviews
	return all
}

// endAsMerged ends a part whose pages a new case has.
func (c *command) endAsMerged(merged domain.Case, reason string) error {
	if err := c.resolveOpenIncident("abandon"); err != nil {
		return err
	}
	c.reason = "The parts of the file were merged into " + merged.Reference + ": " + reason
	return c.advanceProcess(workflow.Event{Kind: workflow.Abandoned},
		generated.CaseMergedV1{CaseID: merged.ID, Reference: merged.Reference, Reason: reason})
}
