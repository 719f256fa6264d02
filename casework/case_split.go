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

// MaxFileParts is the maximum number of parts into which a file can be split.
const MaxFileParts = 50

// PageRange is the pages of one part of a file, from 1, both included.
type PageRange struct{ First, Last int }

// SplitCase asks to split the file of a case under review into parts, each of which becomes a case.
// The parts are all pages of the document in order.
type SplitCase struct {
	ReviewTarget
	Parts []PageRange
}

// SplitResult is the case that was split and the cases of its parts.
type SplitResult struct {
	CaseID     domain.ID
	Parts      []domain.ID
	References []string
}

// SplitCase splits the file of a case under the reviewer's claim. The case ends as abandoned and
// keeps its file. Each part becomes a case of the same submitter with what was stated about the
// file, at least the reviews of the parent, and without the person who split it.
func (svc *Service) SplitCase(
	ctx context.Context, actor domain.Actor, in SplitCase,
) (SplitResult, error) {
	if err := svc.inScope(ctx, actor, "split", domain.ActCorrect); err != nil {
		return SplitResult{}, err
	}
	return runSplitCommand(ctx, svc, actor, "split", in.ReviewTarget, in,
		func(c *command, review domain.Review) ([]*transition, SplitResult, error) {
			return c.splitFile(review, in)
		})
}

func (c *command) splitFile(
	review domain.Review, in SplitCase,
) ([]*transition, SplitResult, error) {
	if err := c.authorizeAtVersion(domain.ActCorrect, review, in.ExpectedVersion); err != nil {
		return nil, SplitResult{}, err
	}
	if err := c.maySplit(review, in.Parts); err != nil {
		return nil, SplitResult{}, err
	}
	heritage, err := c.heritageOfSplit()
	if err != nil {
		return nil, SplitResult{}, err
	}
	pages := make([]domain.CasePart, len(in.Parts))
	for i, part := range in.Parts {
		pages[i] = heritage.partOf(part)
	}
	transitions, err := c.insertParts(heritage, pages)
	if err != nil {
		return nil, SplitResult{}, err
	}
	result := SplitResult{CaseID: c.before.ID}
	event := generated.CaseSplitV1{ReviewID: review.ID}
	for i, t := range transitions {
		part := t.change.Case
		result.Parts = append(result.Parts, part.ID)
		result.References = append(result.References, part.Reference)
		event.Parts = append(event.Parts, generated.CaseSplitV1Part{CaseID: part.ID,
			Reference: part.Reference, FirstPage: int64(in.Parts[i].First),
			LastPage: int64(in.Parts[i].Last)})
	}
	c.reason = "The file was split into " + strings.Join(result.References, ", ") + "."
	return transitions, result, c.advanceProcess(workflow.Event{Kind: workflow.Abandoned}, event)
}

// maySplit refuses a case that cannot be split, and parts that are not the pages of its document.
func (c *command) maySplit(review domain.Review, parts []PageRange) error {
	if c.before.Status != domain.InReview {
		return domain.Errorf(domain.StateMismatch, "Only a case in review can be split.").
			WithDetail("status", string(c.before.Status)).WithRemedy("Reload the case.")
	}
	corrects, err := c.tx.Corrects(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	switch {
	case c.before.OrderRevision > 0:
		return domain.Errorf(domain.StateMismatch,
			"The file of a case with a payment order is the evidence of that order and cannot be split.").
			WithDetail("reason", "order").
			WithRemedy("Return the case, so that each document is submitted with an order of its own.")
	case corrects != domain.NoID:
		return domain.Errorf(domain.StateMismatch,
			"A case that corrects an archived one cannot be split.").
			WithDetail("reason", "correction").WithRemedy("Reject the case, or return it.")
	}
	if err := c.refuseSupporting(); err != nil {
		return err
	}
	pages, err := c.tx.NewestPages(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	if err := checkParts(parts, len(pages)); err != nil {
		return err
	}
	eligible, err := c.otherReviewerRemains(review)
	if err != nil || eligible {
		return err
	}
	return domain.Errorf(domain.FourEyes,
		"A person who splits a file decides none of its parts, and no other reviewer could decide.").
		WithRemedy("Return the case to its submitter, or ask an administrator to add a reviewer.")
}

// checkParts refuses parts that are not all pages of the document in order, each once.
func checkParts(parts []PageRange, pages int) error {
	switch {
	case pages < 2:
		return domain.Invalid("parts",
			"This file has no second page, so it cannot be split by pages.").
			WithRemedy("Return the case, so that each document is submitted as a file of its own.")
	case len(parts) < 2 || len(parts) > MaxFileParts:
		return domain.Invalid("parts", "A file is split into 2 to %d parts.", MaxFileParts)
	}
	next := 1
	for i, part := range parts {
		if part.First != next || part.Last < part.First || part.Last > pages {
			return domain.Invalid("parts",
				"Part %d must begin with page %d and end with a page from %d to %d.",
				i+1, next, next, pages).
				WithRemedy("Assign every page to exactly one part, in order.")
		}
		next = part.Last + 1
	}
	if next != pages+1 {
		return domain.Invalid("parts", "The parts end with page %d, but the file has %d pages.",
			next-1, pages).WithRemedy("Assign every page to exactly one part, in order.")
	}
	return nil
}

// heritageOfSplit reads what the parts of the case inherit.
func (c *command) heritageOfSplit() (*heritage, error) {
	h := &heritage{origin: c.before}
	var err error
	if h.document, err = c.newestDocument(); err != nil {
		return nil, err
	}
	history, err := c.assertedBefore()
	if err != nil {
		return nil, err
	}
	h.statements = inheritedFrom(c.before.ID, history)
	if h.reviews, err = c.neededReviews(history); err != nil {
		return nil, err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return nil, err
	}
	h.excluded = slices.Concat(exclusions.Interested, exclusions.Conflicted, c.accountIDs())
	h.duplicates, err = c.tx.Duplicates(c.ctx, c.before.ID, h.document.SHA256)
	return h, err
}

// neededReviews returns the reviews that the case has had, keeps from its own parent, or needs because of
// its present facts, each at its highest level. A repair is none: it names missing values, and each
// part has its own.
func (c *command) neededReviews(history facts.History) ([]domain.KeptReview, error) {
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	kept := keepReviews(c.before.Part.Reviews, c.reviews)
	fields, err := c.storedFields()
	if err != nil {
		return nil, err
	}
	outcome, err := c.outcomeOf(history, fields)
	if err != nil {
		return nil, err
	}
	for _, id := range outcome.reviews {
		if node, ok := c.def.Node(id); ok && !node.Repairs() {
			kept = keepReview(kept,
				domain.KeptReview{Node: id, Queue: node.Queue, Level: node.Level})
		}
	}
	return kept, nil
}

// keepReviews adds the reviews of a case to kept ones.
func keepReviews(kept []domain.KeptReview, reviews []domain.Review) []domain.KeptReview {
	kept = slices.Clone(kept)
	for _, review := range reviews {
		if !review.Repairs() {
			kept = keepReview(kept, domain.KeptReview{Node: review.Node, Queue: review.Queue,
				Level: review.Level})
		}
	}
	return kept
}

// keepReview adds a review, or raises the level of a kept one.
func keepReview(kept []domain.KeptReview, had domain.KeptReview) []domain.KeptReview {
	at := slices.IndexFunc(kept, func(k domain.KeptReview) bool { return k.Node == had.Node })
	switch {
	case at < 0:
		kept = append(kept, had)
	case kept[at].Level < had.Level:
		kept[at] = had
	}
	return kept
}

// refuseSplit refuses to open a case again whose pages belong to other cases: it was split, or a split
// was undone of which it was a part.
func (c *command) refuseSplit() error {
	split, err := c.tx.PagesMoved(c.ctx, c.before.ID)
	if err != nil || !split {
		return err
	}
	return domain.Errorf(domain.StateMismatch,
		"The pages of this case belong to other cases, because its file was split or merged.").
		WithDetail("status", string(c.before.Status)).
		WithRemedy("Open these cases.")
}

// refuseExcluded refuses values and documents of a part by people who may not decide it, such as the one
// who split the file, whatever other roles they have.
func (c *command) refuseExcluded() error {
	if !c.before.Part.IsPart() || c.before.Submitter == c.actor.UserID {
		return nil
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	excluded := func(id domain.ID) bool { return slices.Contains(exclusions.Interested, id) }
	if !slices.ContainsFunc(c.accountIDs(), excluded) {
		return nil
	}
	return domain.Errorf(domain.FourEyes,
		"You split the file of this document, or entered a key fact of it, so another person must correct it.").
		WithRemedy("Leave it to another person.")
}
