package casework

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// CompareCases asks for the case that findings of a review's case name, to compare both documents.
type CompareCases struct {
	ReviewID  domain.ID
	Reference string // of the other case, as a finding names it
}

// ComparisonRefusal says why a comparison is refused; "" is that it is allowed.
type ComparisonRefusal string

// The refusals. All about the other case have one value, because the reason would say that it was
// erased, or that its party is one with which the caller has a conflict of interest.
const (
	ComparisonNotDeciding ComparisonRefusal = "not_deciding" // the caller has not claimed the review, or may not decide it
	ComparisonUnavailable ComparisonRefusal = "unavailable"  // the other case cannot be opened
)

// Comparison is the other case, or why it is refused.
type Comparison struct {
	Other   domain.Case
	Refusal ComparisonRefusal
}

// CompareCases checks whether the caller may read the other case for comparison, and records the access
// with the review for which it was opened. It returns NotFound for a review that the caller may not read
// and for a case that no finding names which the caller may see. See ADR 0121.
func (svc *Service) CompareCases(ctx context.Context, actor domain.Actor, in CompareCases) (
	Comparison, error) {
	return svc.compareCases(ctx, actor, in, store.AccessRead, "")
}

// OpenComparedPage opens the image of a page of the other case, by the same check at each request.
func (svc *Service) OpenComparedPage(ctx context.Context, actor domain.Actor, in CompareCases,
	page int) (OpenedBlob, error) {
	compared, err := svc.compareCases(ctx, actor, in, store.AccessOpen, fmt.Sprintf("/page/%d", page))
	if err != nil {
		return OpenedBlob{}, err
	}
	if compared.Refusal != "" {
		return OpenedBlob{}, domain.Errorf(domain.NotPermitted,
			"You cannot open this document for comparison.").
			WithRemedy("Claim the review whose finding names the case.")
	}
	key, opened, err := svc.locateBlob(ctx,
		OpenBlob{CaseID: compared.Other.ID, Kind: BlobPage, Page: page})
	if err != nil {
		return OpenedBlob{}, err
	}
	opened.Content, opened.Size, err = svc.ports.Blobs.Open(ctx, key)
	return opened, err
}

// compareCases authorizes the comparison and writes the access log before anything is shown. The entry
// names the review and is about the other case, so that it counts as a read for the quality sample too.
// The entry of a confidential review is about its own case, because readers of the other one may see the
// findings that name it, and would conclude that the review exists.
func (svc *Service) compareCases(ctx context.Context, actor domain.Actor, in CompareCases,
	action, what string) (Comparison, error) {
	compared, on, err := svc.authorizeComparison(ctx, actor, in)
	if err != nil {
		svc.logRefusal(ctx, actor, "compare", domain.NoID, err)
		return Comparison{}, err
	}
	entry := store.AccessEntry{Actor: actor.UserID, Action: action, CaseID: compared.Other.ID,
		Object: "comparison/" + in.ReviewID.String(), RequestID: actor.RequestID}
	if compared.Other.ID == domain.NoID || domain.ConfidentialQueue(on.review.Queue) {
		entry.CaseID = on.c.ID
	}
	if compared.Other.ID != domain.NoID {
		entry.Object += "/" + compared.Other.Reference + what
	}
	if compared.Refusal != "" {
		entry.Action, entry.Code = "compare", domain.NotPermitted
		compared.Other = domain.Case{}
	}
	svc.accessLog.write(ctx, entry)
	return compared, nil
}

func (svc *Service) authorizeComparison(ctx context.Context, actor domain.Actor, in CompareCases) (
	compared Comparison, on comparingReview, err error) {
	if err := checkScope(actor, domain.ActRead); err != nil {
		return compared, on, err
	}
	if on, err = svc.comparingReview(ctx, actor, in.ReviewID); err != nil {
		return compared, on, err
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return compared, on, err
	}
	// The right to decide is asked first, because the next answer says what the findings name. A
	// review that repairs values decides nothing about the document.
	decides, err := authorizer.DecidesReview(on.user, on.delegators, on.facts)
	if err != nil || !decides || on.review.Repairs() || !actor.InScope(domain.ActDecide) {
		return Comparison{Refusal: ComparisonNotDeciding}, on, err
	}
	reference := strings.ToUpper(strings.TrimSpace(in.Reference))
	named, err := svc.findingsName(ctx, on, reference)
	if err == nil && !named {
		err = domain.NewNotFound()
	}
	if err != nil {
		return compared, on, err
	}
	r := svc.db.Reader()
	other, err := r.CaseByReference(ctx, reference)
	if err != nil {
		return compared, on, err
	}
	excluded, err := r.Exclusions(ctx, other.ID, other.Parties())
	if err != nil {
		return compared, on, err
	}
	reads, err := authorizer.ReadsForComparison(on.user, on.delegators, on.facts,
		store.NewCaseFacts(other, nil, excluded))
	compared.Other = other
	if !reads || !other.ErasedAt.IsZero() {
		compared.Refusal = ComparisonUnavailable
	}
	return compared, on, err
}

// comparingReview is a review from whose case another one is compared, and the person who compares.
type comparingReview struct {
	review     domain.Review
	facts      domain.ReviewFacts
	c          domain.Case
	def        *workflow.Definition
	user       domain.User
	delegators []domain.User
	cleared    bool // may see confidential reviews
}

// comparingReview reads the review and its case. It returns NotFound if the caller may not see the
// review as staff; the submitter sees no review of their own document.
func (svc *Service) comparingReview(ctx context.Context, actor domain.Actor, id domain.ID) (
	on comparingReview, err error) {
	r := svc.db.Reader()
	on.review, err = r.Review(ctx, id)
	if domain.HasCode(err, domain.NotFound) { // read on, so that it takes as long as one without access
		on.review, err = domain.AbsentReview(id), nil
	}
	if err == nil {
		err = svc.MayRead(ctx, actor, on.review.CaseID)
	}
	if domain.HasCode(err, domain.ConflictOfInterest) {
		err = domain.NewNotFound()
	}
	if err != nil {
		return on, err
	}
	if on.user, err = r.User(ctx, actor.UserID); err != nil {
		return on, err
	}
	if on.delegators, err = r.Delegators(ctx, on.user); err != nil {
		return on, err
	}
	if err = svc.loadCompared(ctx, &on); err != nil {
		return on, err
	}
	on.cleared = on.user.SeesConfidential() ||
		slices.ContainsFunc(on.delegators, domain.User.SeesConfidential)
	if !on.user.IsStaff() || on.user.IsSamePerson(on.c.Submitter) ||
		domain.ConfidentialQueue(on.review.Queue) && !on.cleared {
		err = domain.NewNotFound()
	}
	return on, err
}

// loadCompared reads the case of the review and the facts for the policy.
func (svc *Service) loadCompared(ctx context.Context, on *comparingReview) (err error) {
	r := svc.db.Reader()
	if on.c, err = r.Case(ctx, on.review.CaseID); err != nil {
		return err
	}
	on.def, err = svc.definitions.get(ctx, r, on.c.ProcessKey, on.c.ProcessVersion)
	if err != nil {
		return err
	}
	excluded, err := r.Exclusions(ctx, on.c.ID, on.c.Parties())
	if err != nil {
		return err
	}
	now, err := r.Clock(ctx)
	on.facts = store.NewReviewFacts(on.c, on.review, excluded, on.def.HasAmount, now)
	return err
}

// findingsName reports whether a finding that the person may see names the case. A finding that was
// withdrawn or cleared no longer exists. One that was overridden does, because others judge the override.
func (svc *Service) findingsName(ctx context.Context, on comparingReview, reference string) (bool,
	error) {
	findings, err := svc.db.Reader().Findings(ctx, on.c.ID)
	return reference != on.c.Reference && slices.ContainsFunc(findings, func(f store.CaseFinding) bool {
		hidden := !on.cleared && on.def.Confidential() && on.def.ConfidentialFinding(f.Rule)
		return !hidden && slices.Contains(f.NamedCases(), reference)
	}), err
}
