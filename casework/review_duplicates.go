package casework

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
)

// ClearDuplicate asks to record that the document is no duplicate of that of another case.
type ClearDuplicate struct {
	ReviewTarget
	Reference string // of the other case, as the finding lists it
	// OtherVersion is the version of the other case (CaseVersion) whose values the caller has read; ""
	// skips the check.
	OtherVersion string `json:",omitempty"`
	Reason       string
}

// ClearDuplicate records, for both cases, that their documents are no duplicates, while both state
// what they state now. The finding disappears, and the review stays. The same file is a duplicate whatever a
// person says, so such a finding can only be explained by an approval. Since one reviewer may approve
// the case with the finding, one may also clear it: a person who may decide this review and who
// submitted neither document.
func (svc *Service) ClearDuplicate(
	ctx context.Context, actor domain.Actor, in ClearDuplicate,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "clearDuplicate", domain.ActDecide); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "clearDuplicate", in.ReviewTarget, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeAtVersion(domain.ActDecide, review, in.ExpectedVersion); err != nil {
				return ReviewResult{}, err
			}
			reason, err := requireReason(in.Reason, domain.Reject)
			if err != nil {
				return ReviewResult{}, err
			}
			if err := domain.CheckExplanation("reason", reason); err != nil {
				return ReviewResult{}, err
			}
			if err := c.clearDuplicate(in, reason); err != nil {
				return ReviewResult{}, err
			}
			review.ClaimUntil = c.now.Add(c.svc.settings.ClaimLease)
			c.refreshOpenReviews(review)
			return c.reviewResult(review), nil
		})
}

func (c *command) clearDuplicate(in ClearDuplicate, reason string) error {
	reference := in.Reference
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	inputs, err := c.ruleInputs(c.before, fields)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(inputs.candidates,
		func(candidate store.DuplicateCandidate) bool {
			return strings.EqualFold(candidate.Reference, reference)
		})
	found := slices.ContainsFunc(inputs.duplicates, func(hit rules.DuplicateHit) bool {
		return strings.EqualFold(hit.Reference, reference) && hit.NeedsClaim()
	})
	if at < 0 || !found {
		return domain.Errorf(domain.StateMismatch,
			"This case has no finding that it is a duplicate of the other case.").
			WithRemedy("Reload the case.").WithDetail("status", string(c.before.Status))
	}
	candidate := inputs.candidates[at]
	if slices.ContainsFunc(c.persons,
		func(person domain.User) bool { return person.IsSamePerson(candidate.Submitter) }) {
		return domain.Errorf(domain.OwnDocument,
			"You submitted the other document, so another reviewer must judge whether they are the same.")
	}
	if candidate.SameBytes {
		return domain.Errorf(domain.StateMismatch,
			"Both cases have the same file, so it is a duplicate. An approval explains why it is right.").
			WithDetail("status", string(c.before.Status))
	}
	if err := c.checkOtherVersion(in.OtherVersion, candidate); err != nil {
		return err
	}
	compared, err := comparedHash(documentKeyOf(c.before, fields), candidateKey(candidate))
	if err != nil {
		return err
	}
	hash, err := hex.DecodeString(compared)
	if err != nil {
		return err
	}
	if err := c.tx.ClearPair(c.ctx, store.ClearedPair{Case: c.before.ID, Other: candidate.ID,
		By: c.actor.UserID, Reason: reason, Compared: hash}); err != nil {
		return err
	}
	c.emit(generated.DuplicateClearedV1{OtherCaseID: candidate.ID, Reason: reason})
	return c.reevaluateRules(fields)
}

// checkOtherVersion refuses a statement about values of the other case that are no longer the present ones.
// Otherwise it would count for values that another person entered after the caller had read the case.
func (c *command) checkOtherVersion(expected string, candidate store.DuplicateCandidate) error {
	if expected == "" || expected == strconv.FormatInt(candidate.FactsRevision, 10) {
		return nil
	}
	return domain.Errorf(domain.StateMismatch,
		"%s states other values than when you compared it.", candidate.Reference).
		WithRemedy("Compare the documents again, then send your reason.").
		WithDetail("status", string(c.before.Status)).
		WithDetail("reason", "other_case_changed").WithDetail("reference", candidate.Reference)
}
