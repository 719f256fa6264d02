package casework

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/domain/country"
	"countersign/events/generated"
	"countersign/facts"
)

// DecideReview asks for a verdict on a claimed review. A reason is required for every verdict
// except an approval.
type DecideReview struct {
	ReviewTarget
	Verdict domain.Verdict
	Reason  string
	// Overrides are why findings do not stop an approval; only for an approval.
	Overrides []OverrideInput
	// Unchecked are the fields that the reviewer approves without having checked them; only for an approval.
	Unchecked []string `json:",omitempty"`
	// Signature is the reviewer's, of an approval that needs one; see PrepareApproval.
	Signature *domain.PasskeyAssertion `json:",omitempty"`
	// Undoable delays the effect by the time that the process allows for undoing it. Where the process
	// allows none, the decision is refused, so that no page promises an undo that does not exist.
	Undoable bool `json:",omitempty"`
}

// decidingScope returns the action that a verdict requires; escalation has its own.
func decidingScope(verdict domain.Verdict) domain.Action {
	if verdict == domain.Escalate {
		return domain.ActEscalate
	}
	return domain.ActDecide
}

// DecideReview decides a review in one transaction: it checks the right on the locked rows, freezes
// the evidence, writes the vote and advances the process.
func (svc *Service) DecideReview(
	ctx context.Context, actor domain.Actor, in DecideReview,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "decide", decidingScope(in.Verdict)); err != nil {
		return ReviewResult{}, err
	}
	return withPresentControls(ctx, svc,
		func() (domain.ID, error) { return svc.caseOfReview(ctx, in.ReviewID) },
		func(evaluated bool) (ReviewResult, error) {
			return svc.decideWithControls(ctx, actor, in, evaluated)
		})
}

// decideWithControls is DecideReview for a case that was evaluated with the present control data, if
// evaluated is true.
func (svc *Service) decideWithControls(
	ctx context.Context, actor domain.Actor, in DecideReview, evaluated bool,
) (ReviewResult, error) {
	return runReviewCommand(ctx, svc, actor, "decide", in.ReviewTarget, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			c.evaluated = evaluated
			reason, err := c.checkDecision(review, in)
			if err != nil {
				return ReviewResult{}, err
			}
			window, err := c.undoWindow(review, in)
			if err != nil {
				return ReviewResult{}, err
			}
			return c.decideReview(review, verdictInput{in.Verdict, reason, in.Overrides, in.Unchecked,
				in.Signature}, window)
		})
}

// checkDecision checks everything about a decision except its evidence, and returns the reason.
func (c *command) checkDecision(review domain.Review, in DecideReview) (reason string, err error) {
	if review.Status == domain.ReviewDecided {
		if err := c.authorizeReview(domain.ActRead, review); err != nil {
			return "", err
		}
		return "", c.withHolderName(review,
			domain.Errorf(domain.AlreadyDecided, "This review is already decided."))
	}
	authorize := c.authorizeReview
	if in.Verdict == domain.Return {
		authorize = c.authorizeUndecidable
	}
	if err := authorize(decidingScope(in.Verdict), review); err != nil {
		return "", c.withHolderName(review, err)
	}
	if err := checkExpectedVersion(in.ExpectedVersion, c.versionOf(review)); err != nil {
		return "", err
	}
	if err := c.checkVerdict(review, in.Verdict); err != nil {
		return "", err
	}
	if reason, err = requireReason(in.Reason, in.Verdict); err != nil {
		return "", err
	}
	if err := firstError(checkOverrideInputs(in.Overrides, in.Verdict),
		checkUncheckedInput(in.Unchecked, in.Verdict)); err != nil {
		return "", err
	}
	if in.Verdict == domain.Escalate {
		err = c.requireHigherReviewer(review)
	}
	return reason, err
}

// verdictInput is a checked verdict with its reason, overrides and signature.
type verdictInput struct {
	verdict   domain.Verdict
	reason    string
	overrides []OverrideInput
	unchecked []string // as the reviewer stated them
	signature *domain.PasskeyAssertion
}

// decideReview writes the verdict, which takes effect after the undo window. Every decision of a
// reviewer goes through it, so it requires that the case was evaluated with the present control data.
func (c *command) decideReview(
	review domain.Review, in verdictInput, window time.Duration,
) (ReviewResult, error) {
	verdict, reason, version := in.verdict, in.reason, c.versionOf(review)
	c.hidden = c.hidesVote(review, verdict)
	if err := c.requirePresentControls(); err != nil {
		return ReviewResult{}, err
	}
	evidence, fields, findings, err := c.freezeEvidence()
	if err != nil {
		return ReviewResult{}, err
	}
	facts, err := c.processFacts(c.before, fields, findings)
	if err != nil {
		return ReviewResult{}, err
	}
	facts.Unseen = facts.Unseen && (verdict == domain.Return || review.Repairs()) // others are votes
	if verdict == domain.Approve {
		err := c.requireApprovable(review, &evidence, in, facts, fields, findings)
		if err != nil {
			return ReviewResult{}, err
		}
	}
	decision := &domain.Decision{ID: domain.NewID(), CaseID: c.before.ID, ReviewID: review.ID,
		Actor: c.actor.UserID, OnBehalfOf: c.actor.OnBehalfOf, Verdict: verdict, Reason: reason,
		Evidence: evidence, At: c.now, Salt: make([]byte, audit.SaltSize)}
	if _, err := io.ReadFull(c.svc.salts, decision.Salt); err != nil {
		return ReviewResult{}, fmt.Errorf("casework: salt of a decision: %w", err)
	}
	if err := c.signDecision(decision, review, version, in.overrides, in.signature); err != nil {
		return ReviewResult{}, err
	}
	c.change.Decision, c.reason = decision, reason
	c.ended = append(c.ended, c.endedDecision(review, verdict))
	review.Status, review.DecidedAt, review.VoteHidden = domain.ReviewDecided, c.now, c.hidden
	review = c.editReview(review)
	c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
	if err := c.emitDecision(review, decision); err != nil {
		return ReviewResult{}, err
	}
	if err := c.addVotes(review, verdict, fields); err != nil {
		return ReviewResult{}, err
	}
	if err := c.scheduleEffect(review, verdict, window, facts); err != nil ||
		verdict != domain.Approve {
		return c.reviewResult(review), err
	}
	return c.reviewResult(review), c.requireConfirmedChanges(review, window, facts)
}

// requireApprovable refuses an approval that the document, its order or its findings do not allow, and adds
// to the evidence why findings do not stop it.
func (c *command) requireApprovable(
	review domain.Review, evidence *domain.Evidence, in verdictInput, facts domain.ProcessFacts,
	fields []domain.Field, findings map[string][]domain.Finding,
) (err error) {
	if err := c.requireSeenCopies(); err != nil {
		return err
	}
	if err := c.requireSupportedOrder(review, facts); err != nil {
		return err
	}
	if evidence.Overrides, err = c.requireOverrides(review, findings, in.overrides,
		in.reason); err != nil {
		return err
	}
	if err := c.requireRequiredValues(fields, in.reason); err != nil {
		return err
	}
	return requireStatedUnchecked(evidence.Unchecked, in.unchecked)
}

// addVotes adds a vote for the actor and one for the delegator, if any. A repair adds none, nor does
// a return, of which the engine determines which votes it revokes.
func (c *command) addVotes(
	review domain.Review, verdict domain.Verdict, fields []domain.Field,
) error {
	if verdict == domain.Return || review.Repairs() {
		return nil
	}
	covered, err := c.coverageToStore(fields)
	for _, person := range c.persons {
		c.change.Votes = append(c.change.Votes,
			domain.Vote{CaseID: c.before.ID, Duty: review.Duty, Person: person.ID,
				ReviewID: review.ID, Covered: covered})
	}
	return err
}

// revokeVotes revokes the votes of every duty that has a matching vote.
func (c *command) revokeVotes(matches func(domain.Vote) bool, why string) error {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	duties := map[string]bool{}
	for _, vote := range exclusions.Votes {
		if !matches(vote) {
			continue
		}
		if !duties[vote.Duty] {
			duties[vote.Duty] = true
			c.change.RevokedDuties = append(c.change.RevokedDuties, vote.Duty)
		}
		c.emit(generated.VoteFellV1{Duty: vote.Duty, Person: vote.Person, ReviewID: vote.ReviewID,
			Why: why})
	}
	return nil
}

// freezeEvidence captures what the reviewer saw when deciding.
func (c *command) freezeEvidence() (domain.Evidence, []domain.Field,
	map[string][]domain.Finding, error) {
	document, err := c.newestDocument()
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	fields, err := c.storedFields()
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	findings, err := c.storedFindings()
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	evidence := domain.Evidence{DocumentSHA256: hex.EncodeToString(document.SHA256),
		DocumentRevision: document.Revision, FactsRevision: c.before.FactsRevision,
		Fields: map[string]string{}, Findings: []string{}, BaseMinor: c.before.BaseMinor,
		Risk: c.before.Risk, PolicyVersion: c.snapshot.policyVersion, DefinitionKey: c.def.Key,
		DefinitionVersion: c.def.Version}
	supporting, err := c.supporting()
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	evidence.Supporting = domain.SupportingHashes(supporting)
	if len(supporting) > 0 {
		evidence.SupportingOpened, err = c.tx.OpenedSupporting(c.ctx, c.before.ID, c.actor.UserID)
		if err != nil {
			return domain.Evidence{}, nil, nil, err
		}
	}
	if c.before.AmountKnown {
		evidence.Amount = c.before.Amount.String()
	}
	for _, field := range fields {
		evidence.Fields[field.Name] = field.Normalised
	}
	for _, row := range findings {
		evidence.Findings = append(evidence.Findings, row.Rule)
	}
	if evidence.Unchecked, err = c.uncheckedFields(fields); err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	return evidence, fields, findingsByStage(findings),
		c.freezeAssertions(&evidence, fields)
}

// freezeAssertions adds to the evidence what the values in force were chosen from.
func (c *command) freezeAssertions(evidence *domain.Evidence, present []domain.Field) error {
	sets, err := c.storedAssertions()
	if err != nil {
		return err
	}
	evidence.RiskBasis, evidence.Assertions = domain.BasisOf(&c.before), assertionHashes(sets)
	history := facts.HistoryOf(c.before, sets, present)
	evidence.RiskBasis.CountryRoles = facts.RiskOf(history, country.OfField).CountryRoles
	for _, difference := range history.Differences(c.before.DifferingFields...) {
		if evidence.Differences == nil {
			evidence.Differences = map[string][]string{}
		}
		for _, entry := range difference.Values {
			evidence.Differences[difference.Field] = append(
				evidence.Differences[difference.Field], entry.Value)
		}
	}
	return nil
}

func (svc *Service) caseOfReview(ctx context.Context, id domain.ID) (domain.ID, error) {
	review, err := svc.db.Reader().Review(ctx, id)
	return review.CaseID, err
}
